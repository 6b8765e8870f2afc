//! What is claimed of a cut, and how a person reads it.

use std::path::{Path, PathBuf};

use gramfold::{certificate::significant, linalg::Csr};
use gramfold_sdp::{Certificate, Solution, Status, certificate::DualBound, rounding::Cut};
use serde::{Deserialize, Serialize};

use super::{CutArgs, Question};
use crate::resources::Cost;

/// The version of the directory's format.
const FORMAT: u32 = 1;

/// All that is claimed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CutClaims {
    pub(super) format: u32,
    pub(super) problem: Question,
    /// How the relaxation ended.
    pub(super) status: Status,
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
    /// The proved gap of the relaxation.
    pub(super) relative_gap: Option<f64>,
    pub(super) nodes: usize,
    pub(super) edges: usize,
    /// Nodes on each side.
    pub(super) sizes: [usize; 2],
    pub(super) rank: usize,
    pub(super) iterations: usize,
    pub(super) method: String,
    pub(super) planes: usize,
    pub(super) seed: u64,
    pub(super) tolerance: f64,
    #[serde(flatten)]
    pub(super) cost: Cost,
    pub(super) certificate: Certificate,
    pub(super) input: PathBuf,
    pub(super) version: String,
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
        let certificate = solution.certificate.clone();
        let whole = graph.values().iter().all(|weight| weight.fract() == 0.0);
        let dual_bound = certificate
            .dual_bound
            .map(|bound| DualBound { value: question.weight(bound.value), ..bound });
        let bound = dual_bound.map(|bound| match whole {
            true => question.whole(bound.value),
            false => bound.value,
        });
        let second = cut.side.iter().filter(|side| **side).count();
        Self {
            format: FORMAT,
            problem: question,
            status: solution.status,
            cut: cut.weight,
            bound,
            dual_bound,
            ratio: bound.map(|bound| ratio(cut.weight, bound)),
            optimal: bound == Some(cut.weight),
            relaxation: question.weight(certificate.primal_objective),
            relative_gap: certificate.relative_gap,
            nodes: graph.dim(),
            edges: graph.stored() / 2,
            sizes: [cut.side.len() - second, second],
            rank: solution.ranks.first().copied().unwrap_or(0),
            iterations: solution.iterations,
            method: solution.method.to_string(),
            planes: args.planes,
            seed: args.seed,
            tolerance: args.tol,
            cost,
            certificate,
            input: args.input.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            files,
        }
    }

    /// The bound in words.
    pub(super) fn words(&self) -> String {
        let (Some(bound), Some(proved)) = (self.bound, self.dual_bound) else {
            return format!("no bound is proved: {}", self.certificate);
        };
        let end = if self.optimal { ", which this one meets: it is optimal" } else { "" };
        let limit = self.problem.limit();
        format!("{limit} {} ({}){end}", significant(bound), proved.proof)
    }

    /// The summary for a person.
    pub(super) fn summary(&self, directory: &Path) -> String {
        let ratio = self.ratio.filter(|_| !self.optimal);
        let ratio = ratio.map_or(String::new(), |ratio| format!(", {ratio:.6} of the bound"));
        let gap =
            self.relative_gap.map_or("none proved".into(), |gap| format!("{:.1e}", gap.abs()));
        format!(
            "{} nodes, {} edges\n\
             cut {}{ratio}, sides of {} and {} nodes\n\
             {}\n\
             relaxation {} by {} after {} iterations, {:.2} s: {:.9}, rank {}, relative gap {gap}\n\
             written to {}\n",
            self.nodes,
            self.edges,
            significant(self.cut),
            self.sizes[0],
            self.sizes[1],
            self.words(),
            self.status,
            self.method,
            self.iterations,
            self.cost.seconds,
            self.relaxation,
            self.rank,
            directory.display(),
        )
    }
}

/// cut/bound, where 0/0 is 1.
fn ratio(cut: f64, bound: f64) -> f64 {
    if cut == bound { 1.0 } else { cut / bound }
}
