//! What every solved program claims besides its objective and the bound on that.

use gramfold_sdp::{Certificate, Method, Solution};
use serde::{Deserialize, Serialize};

use crate::{
    cli::{RankArg, RunArgs},
    store::Claims,
};

/// How a program was asked to be solved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramSpec {
    /// The engine.
    pub method: Method,
    /// Columns to start with; none where they were left to choose.
    pub rank: Option<usize>,
    /// The gap and the infeasibility to reach.
    pub tolerance: f64,
    /// Seconds.
    pub time_limit: Option<f64>,
    /// What is random is drawn from this.
    pub seed: u64,
}

impl ProgramSpec {
    pub(crate) fn of(args: &RunArgs, method: Method, rank: RankArg) -> Self {
        Self {
            method,
            rank: rank.0,
            tolerance: args.tol,
            time_limit: args.time_limit,
            seed: args.seed,
        }
    }
}

/// Which engine, why, and what is proved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) method: Method,
    pub(crate) why: String,
    /// The six DIMACS errors.
    pub(crate) dimacs: [f64; 6],
    /// The certificate, in the signs of the minimisation that was solved.
    pub(crate) certificate: Certificate,
}

impl Program {
    pub(crate) fn of(solution: &Solution) -> Self {
        Self {
            method: solution.method,
            why: solution.why.clone(),
            dimacs: solution.certificate.dimacs,
            certificate: solution.certificate.clone(),
        }
    }

    /// `solved by lowrank after 7 iterations, 0.12 s: why`.
    pub(crate) fn words<S, D>(&self, claims: &Claims<S, D>) -> String {
        format!(
            "{} by {} after {}, {:.2} s: {}",
            claims.status,
            self.method,
            counted(claims.iterations, "iteration"),
            claims.cost.seconds,
            self.why
        )
    }
}

/// What is said after an objective that lies beyond its bound.
pub(crate) const BEYOND: &str = " (beyond the bound by what it misses of the constraints)";

/// `1 node`, `2 nodes`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
