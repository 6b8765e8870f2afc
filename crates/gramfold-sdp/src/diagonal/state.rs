//! Where the engine stands between two Newton steps.

use gramfold::stored;
use gramfold_linalg::Mat;
use serde::{Deserialize, Serialize};

use super::{Iterate, Newton, Workspace, engine::Pace};
use crate::{Error, state};

/// All that a Newton step starts from; the rest follows from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    #[serde(with = "stored")]
    x: Mat,
    /// Not always that of x: a multiplier that x leaves open may have been moved.
    y: Vec<f64>,
    radius: f64,
    pace: Pace,
    looks: u64,
    products: usize,
    escapes: usize,
}

impl Workspace<'_> {
    pub(super) fn state(&self, at: &Iterate, newton: &Newton, pace: Pace) -> State {
        State {
            x: at.x.clone(),
            y: at.y.clone(),
            radius: newton.radius,
            pace,
            looks: self.looks,
            products: self.manifold.products,
            escapes: self.escapes,
        }
    }

    /// The iterate and the Newton method as they were, if the state is of this program.
    pub(super) fn recall(&mut self, state: State) -> Result<(Iterate, Newton, Pace), Error> {
        let State { x, y, radius, pace, looks, products, escapes } = state;
        let least = self.manifold.slacks() + 1;
        if x.rows() != self.structure.rows() || y.len() != x.rows() || x.cols() < least {
            return Err(state::misfit());
        }
        let mut at = Iterate::at(&mut self.manifold, x);
        at.y = y;
        let mut newton = self.newton(&at);
        newton.radius = radius;
        (self.looks, self.manifold.products, self.escapes) = (looks, products, escapes);
        Ok((at, newton, pace))
    }
}
