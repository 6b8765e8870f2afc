//! h = the indicator of ‖x_i‖ ≤ ρ for every row: T9's convex stand-in for rows on a sphere.

use gramfold_linalg::{Mat, dot};

use super::{Regulariser, Shape, weight};
use crate::Error;

/// Every row in a ball; prox: rows outside are shortened.
#[derive(Clone, Copy, Debug)]
pub struct RowBall {
    radius: f64,
}

/// Rounding may leave a projected row this much outside.
const SLACK: f64 = 1e-12;

impl RowBall {
    /// The radius must be nonnegative and finite.
    pub fn new(radius: f64) -> Result<Self, Error> {
        Ok(Self { radius: weight("radius", radius)? })
    }
}

impl Regulariser for RowBall {
    fn name(&self) -> &'static str {
        "row-ball"
    }

    fn value(&self, x: &Mat) -> f64 {
        let longest = self.radius * (1.0 + SLACK);
        let inside = (0..x.rows()).all(|i| dot(x.row(i), x.row(i)).sqrt() <= longest);
        if inside { 0.0 } else { f64::INFINITY }
    }

    fn prox(&self, rows: &mut [f64], cols: usize, _: f64) {
        for row in rows.chunks_exact_mut(cols) {
            let norm = dot(row, row).sqrt();
            if norm > self.radius {
                for v in row {
                    *v *= self.radius / norm;
                }
            }
        }
    }

    fn shape(&self) -> Shape {
        Shape::Rows
    }
}
