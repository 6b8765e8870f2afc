//! What `maxcut` and `bisect` claim: the relaxation, and the cut.

use std::path::Path;

use anyhow::{Context, bail};
use gramfold::linalg::Csr;
use gramfold_io::read_labels;
use gramfold_sdp::{Point, Primal, rounding::Cut};

use super::{
    Again,
    program::{Found, find, finish, is_single},
    report::Report,
};
use crate::{
    maxcut::{
        self, Question,
        claims::{CutSpec, Details},
        sparse,
    },
    store::Saved,
};

/// How the rounding was asked for.
const ASKED: &[&str] = &["spec.planes", "spec.sweeps"];

/// Checks a directory of `maxcut` or `bisect`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<CutSpec, Details>::open(directory)?;
    let claims = &saved.claims;
    let bisection = claims.command == "bisect";
    let question = if bisection { Question::Bisection } else { Question::MaxCut };
    let graph = sparse(&saved.symmetric("graph")?)?;
    let sdp = question.program(&graph)?;
    let factor = saved.array("factor")?;
    if !is_single(&sdp, factor.rows()) {
        bail!("the factor does not fit the graph");
    }
    let primal = if claims.files.contains_key("block-1-dense") {
        Primal::Dense(saved.array("block-1-dense")?)
    } else {
        Primal::Factor(factor)
    };
    let point = Point { primal: vec![primal], dual: saved.column("dual")? };
    let asked = (claims.status, &claims.spec.program);
    let Found { solution, scales, mut unchecked, words } =
        find(&sdp, point, &claims.details.program, None, asked)?;
    unchecked.extend(ASKED);

    let sides = read_labels(&saved.path("partition")?, None)?.labels;
    let side = |label: Option<usize>| label.filter(|label| *label < 2).map(|label| label == 1);
    let side: Option<Vec<bool>> = sides.into_iter().map(side).collect();
    let side = side.context("the partition has a side that is neither 0 nor 1")?;
    if side.len() != graph.dim() {
        bail!("the partition has {} nodes, but the graph has {}", side.len(), graph.dim());
    }
    let second = side.iter().filter(|side| **side).count();
    if bisection {
        report.claim(
            "the halves differ by at most one node",
            (side.len() - second).abs_diff(second) <= 1,
        );
    }
    let cut = Cut { weight: weight(&graph, &side), side };
    let again =
        maxcut::claims::claims(claims, claims.spec.clone(), question, &graph, &solution, &cut);
    let again = again_or(again, claims.objective, scales.value());
    finish(again, scales, unchecked, words)
}

/// The claims with the weight as it was added up then, which may differ in the last bits: `optimal` compares it exactly.
fn again_or(
    mut again: maxcut::claims::CutClaims,
    claimed: f64,
    slack: f64,
) -> maxcut::claims::CutClaims {
    if (again.objective - claimed).abs() <= slack {
        let bound = again.bound;
        again.details.optimal = bound.is_some_and(|bound| bound.value == claimed);
        let scale = again.details.program.certificate.scale.objective;
        again = again.valued_in(scale, claimed, bound);
    }
    again
}

/// The weight between the sides.
fn weight(graph: &Csr, side: &[bool]) -> f64 {
    let below = |i: usize| graph.row(i).filter(move |&(j, _)| j < i && side[i] != side[j]);
    (0..graph.dim()).flat_map(below).map(|(_, weight)| weight).sum()
}
