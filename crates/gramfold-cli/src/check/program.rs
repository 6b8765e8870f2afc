//! A solved program, proved again from the files of a directory.

use anyhow::bail;
use gramfold_sdp::{
    Certificate, Cone, Point, Sdp, Solution, Status,
    certificate::{Infeasible, Ray},
    ranks,
};
use serde::{Serialize, de::DeserializeOwned};

use super::{Again, factorisation::is_stronger, scales::Scales};
use crate::{
    answer::{Answer, Head},
    sdp::{Program, ProgramSpec, read_blocks},
    store::{self, Claims, Saved},
};

/// How a program was asked to be solved, and by what it was.
const ASKED: &[&str] = &[
    "iterations",
    "method",
    "why",
    "spec.method",
    "spec.rank",
    "spec.tolerance",
    "gamma",
    "threshold",
];

/// What a proof that was cut short leaves as an estimate.
const CUT_SHORT: &[&str] = &[
    "certificate.blocks",
    "certificate.cut_short",
    "certificate.dimacs",
    "certificate.infeasibility",
    "dimacs",
    "rank",
    "ranks",
    "words",
];

/// A solution made again from its point.
pub(crate) struct Found {
    pub(crate) solution: Solution,
    pub(crate) scales: Scales,
    pub(crate) unchecked: Vec<&'static str>,
    words: String,
}

impl Found {
    /// What an answer of it claims.
    pub(crate) fn again<A: Answer, S, D>(
        &self,
        saved: &Saved<S, D>,
        answer: &A,
    ) -> anyhow::Result<Again> {
        self.claimed(answer.claims(Head::of(&saved.claims)))
    }

    /// The same of claims that were made already.
    pub(crate) fn claimed<S: Serialize, D: Serialize>(
        &self,
        claims: Claims<S, D>,
    ) -> anyhow::Result<Again> {
        Again::new(claims, self.scales, self.unchecked.clone(), self.words.clone())
    }
}

/// Proves again what can be proved of a point. `asked` is the status that is claimed, and how the run was asked for.
pub(crate) fn find(
    sdp: &Sdp,
    point: Point,
    claimed: &Program,
    ray: Option<Ray>,
    (status, spec): (store::Status, &ProgramSpec),
) -> anyhow::Result<Found> {
    let certificate = Certificate::of(sdp, &point)?;
    let words = format!("{certificate}\n");
    let value = 1e-3 * largest_cost(sdp)
        + certificate.primal_objective.abs()
        + certificate.dual_objective.abs()
        + claimed.certificate.dual_bound.map_or(0.0, |bound| bound.value.abs());
    let scales = Scales::of_values(value, 1.0 + largest_cost(sdp));
    let limited = spec.time_limit.is_some() || status == store::Status::Interrupted;
    let mut unchecked = ASKED.to_vec();
    let cut_short = claimed.certificate.cut_short && limited;
    if cut_short {
        unchecked.extend(CUT_SHORT);
    }
    let infeasible = ray.as_ref().map(Ray::infeasible);
    let certificate = no_better_than(&claimed.certificate, certificate, &scales, cut_short);
    // Of a bound that is weaker than what can be proved, a weaker status follows.
    let proves = certificate.proves(spec.tolerance);
    let status = match (infeasible, status) {
        (_, store::Status::TimeLimit) if limited => Status::TimeLimit,
        (_, store::Status::Interrupted) => {
            unchecked.push("status");
            Status::Interrupted
        }
        _ if proves => Status::Solved,
        (Some(Infeasible::Primal), _) => Status::PrimalInfeasible,
        (Some(Infeasible::Dual), _) => Status::DualInfeasible,
        (None, store::Status::MaxIterations) => {
            unchecked.push("status");
            Status::MaxIterations
        }
        (None, status) => {
            if status == store::Status::Stalled {
                unchecked.push("status");
            }
            Status::Stalled
        }
    };
    let solution = Solution {
        status,
        ranks: ranks(&point),
        point,
        certificate,
        ray,
        method: claimed.method,
        why: claimed.why.clone(),
        iterations: 0,
        gamma: None,
        threshold: None,
    };
    Ok(Found { solution, scales, unchecked, words })
}

/// A claimed bound that is weaker than what was found is as true, and so is the gap that follows from it.
fn no_better_than(
    claimed: &Certificate,
    mut found: Certificate,
    scales: &Scales,
    cut_short: bool,
) -> Certificate {
    let weaker = match (claimed.dual_bound, found.dual_bound) {
        (Some(claimed), Some(found)) => {
            claimed.value <= found.value + scales.value()
                && !is_stronger(claimed.proof, found.proof)
        }
        (None, _) => cut_short,
        (Some(_), None) => false,
    };
    if weaker {
        found.dual_bound = claimed.dual_bound;
        found.gap = found.dual_bound.map(|bound| found.primal_objective - bound.value);
        let (scale, objective) = (found.scale, found.primal_objective);
        found.relative_gap =
            found.dual_bound.map(|bound| scale.relative_gap(objective, bound.value));
    }
    found
}

/// The largest |C_ij|.
fn largest_cost(sdp: &Sdp) -> f64 {
    let entries = (0..sdp.cones().len()).flat_map(|block| sdp.entries(0, block));
    entries.map(|entry| entry.value.abs()).fold(0.0, f64::max)
}

/// The ray of a directory, proved again; none if it claims none.
pub(crate) fn read_ray<D: DeserializeOwned>(
    saved: &Saved<ProgramSpec, D>,
    sdp: &Sdp,
) -> anyhow::Result<Option<Ray>> {
    let files = &saved.claims.files;
    let ray = if files.contains_key("ray") {
        Ray::primal(sdp, &saved.column("ray")?)
    } else if files.keys().any(|role| role.starts_with("ray-")) {
        Ray::dual(sdp, &read_blocks(saved, "ray", sdp)?)
    } else {
        return Ok(None);
    };
    let Some(ray) = ray else { bail!("the ray proves nothing") };
    Ok(Some(ray))
}

/// Whether a program has only one block, of so many rows.
pub(crate) fn is_single(sdp: &Sdp, rows: usize) -> bool {
    matches!(*sdp.cones(), [Cone::Semidefinite(n)] if n == rows)
}
