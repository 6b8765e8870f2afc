//! What `solve` and `theta` claim, and what every solved program does.

use std::path::Path;

use anyhow::bail;
use gramfold_io::read_sdpa;
use gramfold_sdp::{
    Certificate, Cone, Point, Sdp, Solution, Status, certificate::Ray, ranks, theta::lovasz,
};

use super::{Again, factorisation::is_stronger, report::Report, scales::Scales};
use crate::{
    sdp::{Program, ProgramSpec, read_blocks, read_point},
    solve, store,
    store::{Claims, Saved, sha256_of_file},
    theta,
};

/// How a program was asked to be solved, and by what it was.
pub(super) const ASKED: &[&str] = &[
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

/// Checks a directory of `solve`.
pub(super) fn check_solve(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<ProgramSpec, solve::claims::Details>::open(directory)?;
    let claims = &saved.claims;
    let path = saved.path("program")?;
    let (bytes, sha256) = sha256_of_file(&path)?;
    report.claim(
        "input is the program",
        (bytes, &sha256) == (claims.input.bytes, &claims.input.sha256),
    );
    let sdp = read_sdpa(&path)?.program()?;
    let ray = read_ray(&saved, &sdp)?;
    let details = &claims.details;
    let point = read_point(directory, &sdp)?;
    let status = solve::claims::sdpa_status(claims.status);
    let found = find(&sdp, point, &details.program, ray, (status, &claims.spec))?;
    let Found { mut solution, scales, unchecked, words } = found;
    (solution.gamma, solution.threshold) = (details.gamma, details.threshold);
    let again = solve::claims::claims(claims, claims.spec.clone(), &sdp, &solution);
    finish(again, scales, unchecked, words)
}

/// Checks a directory of `theta`.
pub(super) fn check_theta(directory: &Path) -> anyhow::Result<Again> {
    let saved = Saved::<theta::claims::ThetaSpec, theta::claims::Details>::open(directory)?;
    let claims = &saved.claims;
    let graph = saved.symmetric("graph")?;
    let n = graph.dim();
    let (edges, loops) = gramfold_sdp::theta::edges(&graph);
    let sdp = lovasz(n, &edges, claims.spec.plus)?;
    let point = read_point(directory, &sdp)?;
    let asked = (claims.status, &claims.spec.program);
    let found = find(&sdp, point, &claims.details.program, None, asked)?;
    let Found { solution, scales, unchecked, words } = found;
    let again = theta::claims::claims(claims, claims.spec.clone(), (n, &edges, loops), &solution);
    finish(again, scales, unchecked, words)
}

pub(super) fn finish<S: serde::Serialize, D: serde::Serialize>(
    again: Claims<S, D>,
    scales: Scales,
    unchecked: Vec<&'static str>,
    words: String,
) -> anyhow::Result<Again> {
    Ok(Again { claims: serde_json::to_value(again)?, scales, unchecked, words })
}

/// A solution made again from its point.
pub(super) struct Found {
    pub(super) solution: Solution,
    pub(super) scales: Scales,
    pub(super) unchecked: Vec<&'static str>,
    pub(super) words: String,
}

/// Proves again what can be proved of a point. `asked` is the status that is claimed, and how the run was asked for.
pub(super) fn find(
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
        (Some(gramfold_sdp::certificate::Infeasible::Primal), _) => Status::PrimalInfeasible,
        (Some(gramfold_sdp::certificate::Infeasible::Dual), _) => Status::DualInfeasible,
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
fn read_ray<D>(saved: &Saved<ProgramSpec, D>, sdp: &Sdp) -> anyhow::Result<Option<Ray>>
where
    D: serde::de::DeserializeOwned,
{
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
pub(super) fn is_single(sdp: &Sdp, rows: usize) -> bool {
    matches!(*sdp.cones(), [Cone::Semidefinite(n)] if n == rows)
}
