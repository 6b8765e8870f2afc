//! What every solved program claims of its run.

use std::path::{Path, PathBuf};

use gramfold_sdp::{Certificate, Method, Solution, Status};
use serde::{Deserialize, Serialize};

use crate::{cli::RunArgs, resources::Cost};

/// The version of the directory's format.
pub(crate) const FORMAT: u32 = 1;

/// How it ended, how well that is proved, and what it took.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) format: u32,
    pub(crate) status: Status,
    /// Between the objective and the proved bound.
    pub(crate) gap: Option<f64>,
    /// The gap relative to 1 + |objective| + |bound|.
    pub(crate) relative_gap: Option<f64>,
    /// The six DIMACS errors.
    pub(crate) dimacs: [f64; 6],
    pub(crate) method: Method,
    pub(crate) why: String,
    pub(crate) iterations: usize,
    #[serde(flatten)]
    pub(crate) cost: Cost,
    pub(crate) tolerance: f64,
    pub(crate) seed: u64,
    /// The certificate, in the signs of the minimisation that was solved.
    pub(crate) certificate: Certificate,
    pub(crate) input: PathBuf,
    pub(crate) version: String,
}

impl Run {
    pub(crate) fn of(args: &RunArgs, input: &Path, solution: &Solution, cost: Cost) -> Self {
        let certificate = solution.certificate.clone();
        Self {
            format: FORMAT,
            status: solution.status,
            gap: certificate.gap,
            relative_gap: certificate.relative_gap,
            dimacs: certificate.dimacs,
            method: solution.method,
            why: solution.why.clone(),
            iterations: solution.iterations,
            cost,
            tolerance: args.tol,
            seed: args.seed,
            certificate,
            input: input.to_owned(),
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }

    /// `solved by lowrank after 7 iterations, 0.12 s: why`.
    pub(crate) fn words(&self) -> String {
        format!(
            "{} by {} after {}, {:.2} s: {}",
            self.status,
            self.method,
            counted(self.iterations, "iteration"),
            self.cost.seconds,
            self.why
        )
    }
}

/// `1 node`, `2 nodes`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
