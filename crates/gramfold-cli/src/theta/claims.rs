//! What is said of a Lovász number, as JSON and in words.

use std::path::{Path, PathBuf};

use gramfold_sdp::{Certificate, Method, Solution, Status, certificate::Proof};
use serde::{Deserialize, Serialize};

use crate::{
    cli::ThetaArgs,
    resources::Cost,
    solve::{claims::digits, saved::Files},
};

/// The version of the directory's format.
const FORMAT: u32 = 1;

/// All that is claimed of θ.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ThetaClaims {
    pub(super) format: u32,
    pub(super) status: Status,
    /// ⟨J, Z⟩.
    pub(super) theta: f64,
    /// θ is at most this.
    pub(super) bound: Option<f64>,
    /// How that is proved.
    #[serde(flatten)]
    pub(super) proof: Option<Proof>,
    /// ⌊bound⌋: no independent set has more nodes.
    pub(super) independent_at_most: Option<u64>,
    /// `bound` − `theta`.
    pub(super) gap: Option<f64>,
    pub(super) relative_gap: Option<f64>,
    /// Whether Z ≥ 0 was asked for: Schrijver's θ′.
    pub(super) plus: bool,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    /// Loops in the file, which were left out.
    pub(super) loops: usize,
    pub(super) rank: usize,
    pub(super) dimacs: [f64; 6],
    pub(super) method: Method,
    pub(super) why: String,
    pub(super) iterations: usize,
    #[serde(flatten)]
    pub(super) cost: Cost,
    pub(super) tolerance: f64,
    /// The certificate, in the signs of min −⟨J, Z⟩.
    pub(super) certificate: Certificate,
    pub(super) input: PathBuf,
    pub(super) version: String,
    pub(super) files: Files,
}

impl ThetaClaims {
    pub(super) fn of(
        args: &ThetaArgs,
        nodes: usize,
        edges: usize,
        loops: usize,
        solution: &Solution,
        cost: Cost,
        files: Files,
    ) -> Self {
        let certificate = solution.certificate.clone();
        let bound = certificate.dual_bound.map(|bound| -bound.value);
        Self {
            format: FORMAT,
            status: solution.status,
            theta: 0.0 - certificate.primal_objective,
            bound,
            proof: certificate.dual_bound.map(|bound| bound.proof),
            // α is an integer: rounding the bound down loses nothing.
            independent_at_most: bound.map(|bound| bound.floor().max(0.0) as u64),
            gap: certificate.gap,
            relative_gap: certificate.relative_gap,
            plus: args.plus,
            nodes,
            edges,
            loops,
            rank: solution.ranks.first().copied().unwrap_or(0),
            dimacs: certificate.dimacs,
            method: solution.method,
            why: solution.why.clone(),
            iterations: solution.iterations,
            cost,
            tolerance: args.tol,
            certificate,
            input: args.input.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            files,
        }
    }

    /// θ or θ′.
    pub(super) fn symbol(&self) -> &'static str {
        if self.plus { "θ′" } else { "θ" }
    }

    /// What is proved.
    pub(super) fn words(&self) -> String {
        let symbol = self.symbol();
        match (self.bound, self.proof, self.relative_gap) {
            (Some(bound), Some(proof), Some(gap)) => {
                let label =
                    if self.status == Status::Solved { "proved" } else { "not proved optimal" };
                format!(
                    "{label}: {symbol} ≤ {} ({proof}), relative gap {:.1e}, Z meets the constraints to {:.1e}\n\
                     so no independent set has more than {} nodes",
                    digits(bound),
                    gap.abs(),
                    self.dimacs[0],
                    self.independent_at_most.unwrap_or(0),
                )
            }
            _ => format!("nothing is proved: {}", self.certificate),
        }
    }

    /// The summary for a person.
    pub(super) fn summary(&self, directory: &Path) -> String {
        let loops = match self.loops {
            0 => String::new(),
            1 => ", 1 loop left out".into(),
            many => format!(", {many} loops left out"),
        };
        format!(
            "{} nodes, {} edges{loops}\n\
             {} by {} after {} iterations, {:.2} s: {}\n\
             {} = {}, rank {}\n\
             {}\n\
             written to {}\n",
            self.nodes,
            self.edges,
            self.status,
            self.method,
            self.iterations,
            self.cost.seconds,
            self.why,
            self.symbol(),
            digits(self.theta),
            self.rank,
            self.words(),
            directory.display(),
        )
    }
}
