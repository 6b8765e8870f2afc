//! Where the engine stands between two minimisations.

use serde::{Deserialize, Serialize};

use super::{
    Factors,
    lagrangian::Lagrangian,
    operator::Operator,
    outer::{BETA, Best, LowRank, Pace},
};
use crate::{Error, state};

/// All that a minimisation starts from; the rest follows from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    factors: Factors,
    multipliers: Vec<f64>,
    beta: f64,
    /// A(RRᵀ) as it was added up, which is not to the last bit what R gives.
    image: Vec<f64>,
    drifted: bool,
    pace: Pace,
    iterations: usize,
    rounds: usize,
    work: f64,
    gamma: Option<f64>,
    threshold: Option<f64>,
    bound: f64,
    best: Option<Best>,
    looks: u64,
}

impl State {
    /// Whether the state is of this program.
    fn fits(&self, operator: &Operator) -> bool {
        let m = operator.constraints();
        let fit = |factors: &Factors| {
            factors.0.len() == operator.blocks()
                && factors.0.iter().enumerate().all(|(block, factor)| {
                    let fits = factor.rows() == operator.size(block) && factor.cols() > 0;
                    fits && (!operator.is_nonnegative(block) || factor.cols() == 1)
                })
        };
        let best = |best: &Best| fit(&best.factors) && best.estimate.len() == m;
        fit(&self.factors)
            && self.multipliers.len() == m
            && self.image.len() == m + 1
            && self.best.as_ref().is_none_or(best)
    }

    /// The Lagrangian as it was, if the state is of this program.
    pub(super) fn lagrangian(&self, operator: Operator) -> Result<Lagrangian, Error> {
        if !self.fits(&operator) {
            return Err(state::misfit());
        }
        let mut l = Lagrangian::new(operator, self.factors.clone(), BETA);
        l.multipliers.copy_from_slice(&self.multipliers);
        l.beta = self.beta;
        l.image.copy_from_slice(&self.image);
        l.drifted = self.drifted;
        l.refresh();
        Ok(l)
    }
}

impl LowRank {
    pub(super) fn state(&self) -> State {
        State {
            factors: self.l.factors.clone(),
            multipliers: self.l.multipliers.clone(),
            beta: self.l.beta,
            image: self.l.image.clone(),
            drifted: self.l.drifted,
            pace: self.pace,
            iterations: self.iterations,
            rounds: self.rounds,
            work: self.work,
            gamma: self.gamma,
            threshold: self.threshold,
            bound: self.bound,
            best: self.best.clone(),
            looks: self.spectrum.looks,
        }
    }

    /// Takes over what the Lagrangian does not hold.
    pub(super) fn recall(&mut self, state: State) {
        self.pace = state.pace;
        (self.iterations, self.rounds, self.work) = (state.iterations, state.rounds, state.work);
        (self.gamma, self.threshold) = (state.gamma, state.threshold);
        (self.bound, self.best, self.spectrum.looks) = (state.bound, state.best, state.looks);
    }
}
