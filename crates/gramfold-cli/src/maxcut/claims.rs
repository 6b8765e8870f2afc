//! What is claimed of a cut, and how a person reads it.

use std::path::{Path, PathBuf};

use gramfold::{certificate::significant, linalg::Csr};
use gramfold_sdp::{Solution, certificate::DualBound, rounding::Cut};
use serde::{Deserialize, Serialize};

use super::Question;
use crate::{
    cli::CutArgs,
    resources::Cost,
    sdp::{Claims, Run, counted},
};

/// All that is claimed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CutClaims {
    /// The run of the relaxation.
    #[serde(flatten)]
    pub(super) run: Run,
    pub(super) problem: Question,
    /// The weight of the cut that was found.
    pub(super) cut: f64,
    /// What no cut is better than, proved; a whole number where every weight is one.
    pub(super) bound: Option<f64>,
    /// How the bound was proved, and its value before it was made whole.
    pub(super) dual_bound: Option<DualBound>,
    /// cut/bound: at most 1 for a heavy cut, at least 1 for a light one.
    pub(super) ratio: Option<f64>,
    /// Whether the cut meets the bound, so that there is no better one.
    pub(super) optimal: bool,
    /// The optimum of the relaxation, to the tolerance.
    pub(super) relaxation: f64,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    /// Nodes on each side.
    pub(super) sizes: [usize; 2],
    pub(super) rank: usize,
    pub(super) planes: usize,
    pub(super) files: Files,
}

/// Where the parts are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Files {
    /// 0 or 1 for each node, one a line.
    pub(super) partition: PathBuf,
    /// R of Z = RRᵀ.
    pub(super) factor: PathBuf,
    /// The multipliers that prove the bound.
    pub(super) dual: PathBuf,
    pub(super) trace: PathBuf,
    pub(super) solution: PathBuf,
}

impl Files {
    pub(super) fn in_directory(directory: &Path) -> Self {
        Self {
            partition: directory.join("partition.txt"),
            factor: directory.join("factor.npy"),
            dual: directory.join("y.npy"),
            trace: directory.join("trace.jsonl"),
            solution: directory.join("solution.json"),
        }
    }
}

impl CutClaims {
    pub(super) fn of(
        args: &CutArgs,
        question: Question,
        graph: &Csr,
        solution: &Solution,
        cut: &Cut,
        cost: Cost,
        files: Files,
    ) -> Self {
        let certificate = &solution.certificate;
        let whole = graph.values().iter().all(|weight| weight.fract() == 0.0);
        let dual_bound = certificate
            .dual_bound
            .map(|bound| DualBound { value: question.weight(bound.value), ..bound });
        let bound =
            dual_bound.map(|bound| if whole { question.whole(bound.value) } else { bound.value });
        let second = cut.side.iter().filter(|side| **side).count();
        Self {
            run: Run::of(&args.run, &args.graph.input, solution, cost),
            problem: question,
            cut: cut.weight,
            bound,
            dual_bound,
            ratio: bound.and_then(|bound| ratio(cut.weight, bound)),
            optimal: bound == Some(cut.weight),
            relaxation: question.weight(certificate.primal_objective),
            nodes: graph.dim(),
            edges: graph.stored() / 2,
            sizes: [cut.side.len() - second, second],
            rank: solution.ranks.first().copied().unwrap_or(0),
            planes: args.planes,
            files,
        }
    }

    /// The bound in words.
    pub(super) fn words(&self) -> String {
        let (Some(bound), Some(proved)) = (self.bound, self.dual_bound) else {
            return format!("no bound is proved: {}", self.run.certificate);
        };
        let end = if self.optimal { ", which this one meets: it is optimal" } else { "" };
        let limit = self.problem.limit();
        format!("{limit} {} ({}){end}", significant(bound), proved.proof)
    }
}

impl Claims for CutClaims {
    fn run(&self) -> &Run {
        &self.run
    }

    fn summary(&self, directory: &Path) -> String {
        let ratio = self.ratio.filter(|_| !self.optimal);
        let ratio = ratio.map_or(String::new(), |ratio| format!(", {ratio:.6} of the bound"));
        let gap =
            self.run.relative_gap.map_or("none proved".into(), |gap| format!("{:.1e}", gap.abs()));
        format!(
            "{}, {}\n\
             cut {}{ratio}, sides of {} and {} nodes\n\
             {}\n\
             relaxation {} by {} after {} iterations, {:.2} s: {:.9}, rank {}, relative gap {gap}\n\
             written to {}\n",
            counted(self.nodes, "node"),
            counted(self.edges, "edge"),
            significant(self.cut),
            self.sizes[0],
            self.sizes[1],
            self.words(),
            self.run.status,
            self.run.method,
            self.run.iterations,
            self.run.cost.seconds,
            self.relaxation,
            self.rank,
            directory.display(),
        )
    }
}

/// cut/bound, where 0/0 is 1; none where one is negative and a ratio says nothing.
fn ratio(cut: f64, bound: f64) -> Option<f64> {
    if cut == bound {
        return Some(1.0);
    }
    (cut >= 0.0 && bound > 0.0).then_some(cut / bound)
}
