//! Where the engine stands between two minimisations.

use serde::{Deserialize, Serialize};

use super::{Best, Factor, Lagrangian, LowRank, Pace, Program};
use crate::{Error, state};

/// All that a minimisation starts from; the rest follows from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    factor: Factor,
    multipliers: Vec<f64>,
    beta: f64,
    pub(super) pace: Pace,
    pub(super) best: Option<Best>,
    pub(super) looks: u64,
}

impl State {
    /// The Lagrangian as it was, if the state is of this program.
    pub(super) fn lagrangian(&self, program: Program) -> Result<Lagrangian, Error> {
        let m = program.constraints();
        let best = |best: &Best| best.factor.fits(&program) && best.estimate.len() == m;
        let fits = self.factor.fits(&program)
            && self.multipliers.len() == m
            && self.best.as_ref().is_none_or(best);
        if !fits {
            return Err(state::misfit());
        }
        Lagrangian::new(program, self.factor.clone(), self.multipliers.clone(), self.beta)
            .map_err(|_| state::misfit())
    }
}

impl LowRank {
    pub(super) fn stored(&self) -> State {
        State {
            factor: self.l.factor.clone(),
            multipliers: self.l.multipliers.clone(),
            beta: self.l.beta,
            pace: self.pace,
            best: self.best.clone(),
            looks: self.spectrum.looks,
        }
    }
}
