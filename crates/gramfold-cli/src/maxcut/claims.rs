//! What is claimed of a cut, and how a person reads it.

use gramfold::linalg::Csr;
use gramfold_sdp::{Method, Solution, certificate::Proof, rounding::Cut};
use serde::{Deserialize, Serialize};

use super::Question;
use crate::{
    cli::CutArgs,
    pages::weight,
    sdp::{Program, ProgramSpec, counted},
    session::{Envelope, Sizes},
    store::{Bound, Claims},
};

/// The objective is the weight of the cut, the status that of the relaxation.
pub(crate) type CutClaims = Claims<CutSpec, Details>;

/// How a cut was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CutSpec {
    #[serde(flatten)]
    pub(crate) program: ProgramSpec,
    pub(crate) planes: usize,
    pub(crate) sweeps: usize,
}

impl CutSpec {
    pub(super) fn of(args: &CutArgs) -> Self {
        Self {
            program: ProgramSpec::of(&args.run, Method::Auto, args.rank),
            planes: args.planes,
            sweeps: args.sweeps,
        }
    }
}

/// What only cuts claim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    /// The relaxation.
    #[serde(flatten)]
    pub(crate) program: Program,
    /// objective/bound: at most 1 for a heavy cut, at least 1 for a light one.
    pub(crate) ratio: Option<f64>,
    /// Whether the weights alone are the bound, since the relaxation proved none that is sharper: no cut is heavier than the
    /// positive ones together, none lighter than the negative.
    pub(crate) bound_by_weights: bool,
    /// Whether the cut meets the bound, so that there is no better one.
    pub(crate) optimal: bool,
    /// The optimum of the relaxation, to the tolerance.
    pub(crate) relaxation: f64,
    pub(crate) edges: usize,
    /// Nodes on each side.
    pub(crate) sizes: [usize; 2],
}

/// What is claimed of a cut. The bound is made whole where every weight is.
pub(crate) fn claims(
    envelope: &impl Envelope,
    spec: CutSpec,
    question: Question,
    graph: &Csr,
    solution: &Solution,
    cut: &Cut,
) -> CutClaims {
    let certificate = &solution.certificate;
    let whole = graph.values().iter().all(|weight| weight.fract() == 0.0);
    let proved = certificate.dual_bound.map(|bound| {
        let value = question.weight(bound.value);
        let value = if whole { question.whole(value) } else { value };
        Bound { value, side: question.side(), proof: bound.proof }
    });
    let by_weights = Bound {
        value: question.bound_by_weights(graph),
        side: question.side(),
        proof: Proof::Rigorous,
    };
    let sharper = proved.filter(|bound| question.is_sharper(bound.value, by_weights.value));
    let bound = sharper.unwrap_or(by_weights);
    let second = cut.side.iter().filter(|side| **side).count();
    let details = Details {
        program: Program::of(solution),
        ratio: ratio(cut.weight, bound.value),
        bound_by_weights: sharper.is_none(),
        optimal: bound.value == cut.weight,
        relaxation: question.weight(certificate.primal_objective),
        edges: graph.stored() / 2,
        sizes: [cut.side.len() - second, second],
    };
    let sizes = Sizes {
        rank: solution.ranks.first().copied().unwrap_or(0),
        nodes: graph.dim(),
        iterations: solution.iterations,
    };
    envelope.claims(spec, solution.status, &sizes, details).valued_in(
        certificate.scale.objective,
        cut.weight,
        Some(bound),
    )
}

/// The bound in words.
pub(super) fn words(question: Question, claims: &CutClaims) -> String {
    let Some(bound) = claims.bound else {
        return format!("no bound is proved: {}", claims.details.program.certificate);
    };
    let end = if claims.details.optimal { ", which this one meets: it is optimal" } else { "" };
    let proof = if claims.details.bound_by_weights {
        question.by_weights().to_owned()
    } else {
        bound.proof.to_string()
    };
    format!("{} {} ({proof}){end}", question.limit(), bound)
}

/// The summary for a person.
pub(super) fn summary(question: Question, claims: &CutClaims) -> String {
    let Details { program, ratio, optimal, relaxation, edges, sizes, .. } = &claims.details;
    let ratio = ratio.filter(|_| !optimal);
    let ratio = ratio.map_or(String::new(), |ratio| format!(", {ratio:.6} of the bound"));
    let gap = program.certificate.relative_gap;
    let gap = gap.map_or("none proved".into(), |gap| format!("{:.1e}", gap.abs()));
    format!(
        "{}, {}\n\
         cut {}{ratio}, sides of {} and {} nodes\n\
         {}\n\
         relaxation {} by {} after {}, {:.2} s: {relaxation:.9}, rank {}, relative gap {gap}\n",
        counted(claims.nodes, "node"),
        counted(*edges, "edge"),
        weight(claims.objective),
        sizes[0],
        sizes[1],
        words(question, claims),
        claims.status,
        program.method,
        counted(claims.iterations, "iteration"),
        claims.cost.seconds,
        claims.rank,
    )
}

/// cut/bound, where 0/0 is 1; none where one is negative and a ratio says nothing.
fn ratio(cut: f64, bound: f64) -> Option<f64> {
    if cut == bound {
        return Some(1.0);
    }
    (cut >= 0.0 && bound > 0.0).then_some(cut / bound)
}
