//! What is said of a Lovász number, as JSON and in words.

use std::path::Path;

use gramfold_sdp::{Solution, Status, certificate::Proof};
use serde::{Deserialize, Serialize};

use crate::{
    cli::ThetaArgs,
    resources::Cost,
    sdp::{Claims, Run, counted},
    solve::{claims::digits, saved::Files},
};

/// All that is claimed of θ.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ThetaClaims {
    #[serde(flatten)]
    pub(super) run: Run,
    /// ⟨J, Z⟩.
    pub(super) theta: f64,
    /// θ is at most this.
    pub(super) bound: Option<f64>,
    /// How that is proved.
    #[serde(flatten)]
    pub(super) proof: Option<Proof>,
    /// ⌊bound⌋: no independent set has more nodes.
    pub(super) independent_at_most: Option<u64>,
    /// Whether Z ≥ 0 was asked for: Schrijver's θ′.
    pub(super) plus: bool,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    /// Loops in the file, which were left out.
    pub(super) loops: usize,
    pub(super) rank: usize,
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
        let certificate = &solution.certificate;
        let bound = certificate.dual_bound.map(|bound| -bound.value);
        Self {
            run: Run::of(&args.run, &args.graph.input, solution, cost),
            theta: 0.0 - certificate.primal_objective,
            bound,
            proof: certificate.dual_bound.map(|bound| bound.proof),
            // α is an integer: rounding the bound down loses nothing.
            independent_at_most: bound.map(|bound| bound.floor().max(0.0) as u64),
            plus: args.plus,
            nodes,
            edges,
            loops,
            rank: solution.ranks.first().copied().unwrap_or(0),
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
        match (self.bound, self.proof, self.run.relative_gap) {
            (Some(bound), Some(proof), Some(gap)) => {
                let label =
                    if self.run.status == Status::Solved { "proved" } else { "not proved optimal" };
                format!(
                    "{label}: {symbol} ≤ {} ({proof}), relative gap {:.1e}, Z meets the constraints to {:.1e}\n\
                     so no independent set has more than {}",
                    digits(bound),
                    gap.abs(),
                    self.run.dimacs[0],
                    counted(self.independent_at_most.unwrap_or(0) as usize, "node"),
                )
            }
            _ => format!("nothing is proved: {}", self.run.certificate),
        }
    }
}

impl Claims for ThetaClaims {
    fn run(&self) -> &Run {
        &self.run
    }

    fn summary(&self, directory: &Path) -> String {
        let loops = match self.loops {
            0 => String::new(),
            1 => ", 1 loop left out".into(),
            many => format!(", {many} loops left out"),
        };
        format!(
            "{}, {}{loops}\n\
             {}\n\
             {} = {}, rank {}\n\
             {}\n\
             written to {}\n",
            counted(self.nodes, "node"),
            counted(self.edges, "edge"),
            self.run.words(),
            self.symbol(),
            digits(self.theta),
            self.rank,
            self.words(),
            directory.display(),
        )
    }
}
