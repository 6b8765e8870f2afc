//! A primal–dual interior-point method, for problems with small blocks or many constraints.
//!
//! Mehrotra's predictor–corrector on the HKM direction, from an infeasible start. As soon as a full dual step has been
//! made, S is C − A*(y) itself, recomputed from y, so the dual bound bᵀy of the point that is returned can be proved by
//! one Cholesky factorisation. The work of an iteration is that of the Schur complement, an m×m matrix, and of a
//! few products of n×n matrices: it suits n up to about a thousand and m up to several thousand.

mod coefficients;
mod direction;
mod engine;
mod normal;
mod program;
mod ray;
mod schur;
mod step;
mod terms;
mod variable;

use std::time::Duration;

use crate::{Point, Primal, Sdp, Watch};

/// When to stop.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Bound on the relative gap and on both infeasibilities.
    pub tolerance: f64,
    /// Iterations, each of which costs one Schur complement.
    pub max_iterations: usize,
    /// Time after which the best point so far is returned.
    pub time_limit: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_iterations: 100, time_limit: None }
    }
}

/// How the engine ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Status {
    /// Gap and infeasibilities are within the tolerance.
    Converged,
    /// Rounding errors let the point improve no more.
    Stalled,
    /// No Z is feasible: this y has A*(y) ⪯ 0 and bᵀy = 1.
    PrimalInfeasible(Vec<f64>),
    /// No y is feasible: this Z ⪰ 0 has A(Z) = 0 and ⟨C, Z⟩ = −1.
    DualInfeasible(Vec<Primal>),
    /// The iterations were used up.
    MaxIterations,
    /// The time was used up.
    TimeLimit,
    /// The watch asked to stop.
    Interrupted,
}

/// What the engine found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best point.
    pub point: Point,
    /// How it ended.
    pub status: Status,
    /// Iterations made.
    pub iterations: usize,
}

/// Solves a program. Every block of the point is [`Primal::Dense`] or [`Primal::Diagonal`].
pub fn solve(sdp: &Sdp, options: &Options, watch: &mut dyn Watch) -> Outcome {
    engine::Engine::new(sdp).run(options, watch)
}
