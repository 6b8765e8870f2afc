//! h = 0.

use gramfold_linalg::Mat;

use super::{Regulariser, Shape};

/// h(X) = 0: the plain low-rank problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zero;

impl Regulariser for Zero {
    fn name(&self) -> &'static str {
        "zero"
    }

    fn value(&self, _: &Mat) -> f64 {
        0.0
    }

    fn prox(&self, _: &mut [f64], _: usize, _: f64) {}

    fn shape(&self) -> Shape {
        Shape::Ridge { lambda: 0.0 }
    }
}
