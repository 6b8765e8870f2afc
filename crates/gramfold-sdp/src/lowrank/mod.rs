//! The low-rank engine: Z_b = R_bR_bᵀ, an augmented Lagrangian over the constraints, and the certificate that
//! decides when to stop, when to raise a rank and when to lower one.

mod factors;
mod lagrangian;
mod lbfgs;
mod newton;
mod operator;
mod outer;
mod precondition;
mod quartic;
mod rank;
mod slack;
mod split;
mod start;
mod state;
mod structure;
mod trace;

#[cfg(test)]
mod tests;

pub(crate) use outer::resume;
pub use outer::solve;
pub(crate) use state::State;

use factors::Factors;

use crate::Point;

/// What comes before the steps on the folded factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// Nothing: random factors.
    #[default]
    Folded,
    /// The paper's split Z = XYᵀ with the spectral γ, on the augmented Lagrangian as a loss.
    Split,
}

/// How to solve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The relative gap and the relative infeasibility to reach.
    pub tolerance: f64,
    /// Columns of every factor at the start; chosen from n and m where none is given.
    pub rank: Option<usize>,
    /// What random starts are drawn from.
    pub seed: u64,
    /// Seconds after which the best point is returned.
    pub time_limit: Option<f64>,
    /// Where to start; a random point where none is given.
    pub warm: Option<Point>,
    /// What comes first, where no point is given.
    pub start: Start,
    /// Operations after which the run is given up. Counted, not timed: the path must not depend on the machine's load.
    pub work_limit: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            rank: None,
            seed: 0,
            time_limit: None,
            warm: None,
            start: Start::Folded,
            work_limit: None,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Infeasibility and certified gap are below the tolerance.
    Solved,
    /// No further progress in floating point, or none within the work allowed.
    Stalled,
    /// The time is up.
    TimeLimit,
    /// The watcher asked to stop.
    Interrupted,
}

/// What a run returns.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Z = RRᵀ and y.
    pub point: Point,
    /// How the run ended.
    pub status: Status,
    /// Steps on the factors.
    pub iterations: usize,
    /// Updates of the multipliers.
    pub rounds: usize,
    /// ⟨C, Z⟩.
    pub primal_objective: f64,
    /// bᵀy + Σ_b R_b·min(0, λmin(S_b)) where the trace of Z_b is known to be at most R_b; bᵀy where the slack
    /// is positive semidefinite anyway.
    pub dual_bound: f64,
    /// ‖A(Z) − b‖, relative to the unit of b.
    pub primal_infeasibility: f64,
    /// γ of the split that started the run, if one did.
    pub gamma: Option<f64>,
    /// Theorem 1's threshold for that γ.
    pub threshold: Option<f64>,
}
