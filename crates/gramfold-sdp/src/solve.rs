//! Choose an engine, run it, and judge its answer by the certificate alone.

pub(crate) mod choose;
mod engine;
mod rank;
mod stages;
mod unconstrained;

use std::time::Instant;

use crate::{
    Allowance, Certificate, Error, Method, Options, Outcome, Point, Sdp, Status, Watch,
    certificate::{self, Infeasible, Ray},
    diagonal::DiagonalProgram,
};
use choose::Choice;
use stages::Stages;

/// An answer and what can be proved of it.
#[derive(Clone, Debug)]
pub struct Solution {
    /// How it ended, judged by the certificate.
    pub status: Status,
    /// The best point.
    pub point: Point,
    /// What is proved of the point.
    pub certificate: Certificate,
    /// What proves that there is no solution, if anything does.
    pub ray: Option<Ray>,
    /// The engine that found the point.
    pub method: Method,
    /// Why it was that one.
    pub why: String,
    /// The rank of each block of Z, as far as its eigenvalues tell; the positive numbers of a nonnegative one.
    pub ranks: Vec<usize>,
    /// Steps of the engines.
    pub iterations: usize,
    /// γ of the split, for engines that split.
    pub gamma: Option<f64>,
    /// Theorem 1's threshold for γ, where it was computed.
    pub threshold: Option<f64>,
}

/// Share of the time that is kept for the certificate, at most.
const PROOF: f64 = 0.3;

/// Solves a program.
///
/// # Errors
/// If the method asked for does not apply, or the warm start or the state to go on from does not fit.
pub fn solve(sdp: &Sdp, options: &Options, watch: &mut dyn Watch) -> Result<Solution, Error> {
    let until = options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    if let Some(point) = &options.warm {
        certificate::check(sdp, point)?;
    }
    if let Some(state) = &options.resume {
        state.check(sdp)?;
    }
    if let Some(ray) = Ray::evident(sdp) {
        return nothing_to_solve(sdp, options.tolerance, ray);
    }
    if sdp.constraints() == 0 {
        let stop = || watch.stops();
        return unconstrained::solve(sdp, options.tolerance, &Allowance::new(until, &stop));
    }
    let structure = DiagonalProgram::detect(sdp);
    let mut choice = choose::first(sdp, structure.as_ref(), options.method)?;
    let mut stages = Stages::new(options.resume.clone(), watch);
    let mut best: Option<Solution> = None;
    let mut iterations = 0;
    let effort = certificate::effort(sdp);
    let asked = |method, work_limit| {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let time_limit = left.map(|left| left.saturating_sub(effort.min(left.mul_f64(PROOF))));
        let warm = options.warm.clone();
        Options { method, time_limit, work_limit, warm, resume: None, ..*options }
    };
    let judged = |stages: &Stages<'_>, choice: &Choice, outcome: Outcome| {
        let stop = || stages.stops_proofs();
        let time = Allowance::new(stages.until(until), &stop);
        Ok((judge(sdp, options.tolerance, choice, outcome, &time)?, time.is_over()))
    };
    loop {
        // A choice by estimate may be wrong: it gets a limit of its own, if there is another engine to turn to.
        let estimated = options.method == Method::Auto;
        let patience = estimated.then(|| choose::patience(sdp, choice.method)).flatten();
        let asked_now = asked(choice.method, patience.or(options.work_limit));
        let outcome = stages
            .next(|state, watch| engine::run(sdp, structure.as_ref(), &asked_now, state, watch))?;
        let Some(outcome) = outcome else { return Err(crate::state::misfit()) };
        iterations += outcome.iterations;
        let (mut found, over) = judged(&stages, &choice, outcome)?;
        let over = over || stages.stops();
        if found.status == Status::Stalled && found.method == Method::Interior && !over {
            let Certificate { primal_objective, dual_objective, .. } = found.certificate;
            let shown = (primal_objective, dual_objective);
            let asked_now = asked(Method::Interior, None);
            let outcome = stages.next(|state, watch| {
                engine::run_on_face(sdp, &asked_now, shown, until, state, watch)
            })?;
            if let Some(outcome) = outcome {
                iterations += outcome.iterations;
                let why = format!("{}; the feasible set seems to have no interior", choice.why);
                let choice = Choice { why, ..choice.clone() };
                let (again, _) = judged(&stages, &choice, outcome)?;
                found = if is_better(&again, &found) { again } else { found };
            }
        }
        let gave_up = matches!(found.status, Status::Stalled | Status::MaxIterations);
        let tried = found.method;
        best = Some(match best {
            Some(best) if !is_better(&found, &best) => best,
            _ => found,
        });
        let stop = || stages.stops();
        let over = Allowance::new(until, &stop).is_over();
        let next = (gave_up && !over && options.method == Method::Auto)
            .then(|| choose::next(sdp, tried, &choice))
            .flatten();
        match next {
            Some(next) => choice = next,
            None => break,
        }
    }
    let mut best = best.expect("invariant: one engine has run");
    best.iterations = iterations;
    if best.status == Status::Stalled && best.certificate.cut_short {
        // It is not the engine that fell short, but the time for its proof.
        best.status = if stages.stops() { Status::Interrupted } else { Status::TimeLimit };
    }
    Ok(best)
}

/// The rank of each block of a point, as far as its eigenvalues tell.
pub fn ranks(point: &Point) -> Vec<usize> {
    point.primal.iter().map(|block| rank::of(block, &Allowance::UNLIMITED)).collect()
}

/// The engine that [`solve`] would begin with, and why.
///
/// # Errors
/// If the method asked for does not apply.
pub fn choose(sdp: &Sdp, asked: Method) -> Result<(Method, String), Error> {
    let Choice { method, why } = choose::first(sdp, DiagonalProgram::detect(sdp).as_ref(), asked)?;
    Ok((method, why))
}

/// The certificate of what an engine found, the ray if there is one, and the status that follows.
fn judge(
    sdp: &Sdp,
    tolerance: f64,
    choice: &Choice,
    outcome: Outcome,
    time: &Allowance<'_>,
) -> Result<Solution, Error> {
    let Outcome { mut point, status: ended, iterations, ray_y, ray_z, gamma, threshold, .. } =
        outcome;
    let mut certificate = Certificate::within(sdp, &point, time)?;
    // The bound stands without a feasible y, but a user who checks S finds it lacking.
    if certificate.proves(tolerance)
        && certificate.slack_violation() > tolerance
        && let Some(dual) = certificate::repaired(sdp, &point.dual, &certificate)
    {
        let before = std::mem::replace(&mut point.dual, dual);
        let again = Certificate::within(sdp, &point, time)?;
        if again.proves(tolerance) {
            certificate = again;
        } else {
            point.dual = before;
        }
    }
    let solved = certificate.proves(tolerance);
    let mut ray = None;
    if !solved {
        let candidate = ray_y.as_deref().unwrap_or(&point.dual);
        ray = Ray::primal_within(sdp, candidate, time);
        if ray.is_none()
            && let Some(z) = &ray_z
        {
            ray = Ray::dual_within(sdp, z, time);
        }
    }
    let status = match ray.as_ref().map(Ray::infeasible) {
        _ if solved => Status::Solved,
        Some(Infeasible::Primal) => Status::PrimalInfeasible,
        Some(Infeasible::Dual) => Status::DualInfeasible,
        // An engine that believes to have answered what is not proved has done what it can.
        None if ended.is_answer() => Status::Stalled,
        None => ended,
    };
    let ranks = point.primal.iter().map(|block| rank::of(block, time)).collect();
    Ok(Solution {
        status,
        point,
        certificate,
        ray,
        method: choice.method,
        why: choice.why.clone(),
        ranks,
        iterations,
        gamma,
        threshold,
    })
}

/// Whether one answer is worth more than another: an answer first, then the smaller error.
pub(crate) fn is_better(a: &Solution, b: &Solution) -> bool {
    let error = |solution: &Solution| {
        let gap = solution.certificate.relative_gap.map_or(f64::INFINITY, f64::abs);
        gap.max(solution.certificate.infeasibility)
    };
    (b.status.is_answer(), error(a)) < (a.status.is_answer(), error(b))
}

/// The answer to a program that one constraint makes infeasible.
fn nothing_to_solve(sdp: &Sdp, tolerance: f64, ray: Ray) -> Result<Solution, Error> {
    let status = Status::PrimalInfeasible;
    let choice = Choice { method: Method::Auto, why: "a single constraint cannot be met".into() };
    let outcome = Outcome::new(unconstrained::origin(sdp), status, 0, 0.0, 0.0);
    let judged = judge(sdp, tolerance, &choice, outcome, &Allowance::UNLIMITED)?;
    Ok(Solution { status, ray: Some(ray), ..judged })
}
