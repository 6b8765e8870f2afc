//! Choose an engine, run it, and judge its answer by the certificate alone.

mod choose;
mod engine;
mod rank;

use std::time::Instant;

use crate::{
    Certificate, Cone, Error, Method, Options, Point, Primal, Sdp, Status, Watch,
    certificate::{self, Infeasible, Ray},
    diagonal::Structure,
};
use choose::Choice;
use engine::Run;
use gramfold_linalg::Mat;

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

/// Solves a program.
///
/// # Errors
/// If the method asked for does not apply, or the warm start does not fit.
pub fn solve(sdp: &Sdp, options: &Options, watch: &mut dyn Watch) -> Result<Solution, Error> {
    let clock = Instant::now();
    if let Some(point) = &options.warm {
        crate::certificate::check(sdp, point)?;
    }
    if let Some(ray) = Ray::evident(sdp) {
        return nothing_to_solve(sdp, ray);
    }
    let structure = Structure::detect(sdp);
    let mut choice = choose::first(sdp, structure.as_ref(), options.method)?;
    let mut best: Option<Solution> = None;
    let mut iterations = 0;
    let mut left = options.clone();
    loop {
        // A choice by estimate may be wrong: it gets a limit of its own, if there is another engine to turn to.
        let estimated = options.method == Method::Auto;
        let patience = estimated.then(|| choose::patience(sdp, choice.method)).flatten();
        let own = patience.is_some_and(|own| left.time_limit.is_none_or(|limit| own < limit));
        let asked =
            if own { Options { time_limit: patience, ..left.clone() } } else { left.clone() };
        let run = engine::run(choice.method, sdp, structure.as_ref(), &asked, watch)?;
        iterations += run.iterations;
        let mut found = judge(sdp, options.tolerance, &choice, run)?;
        left.time_limit = options.time_limit.map(|limit| limit.saturating_sub(clock.elapsed()));
        if found.status == Status::Stalled && found.method == Method::Interior {
            let Certificate { primal_objective, dual_objective, .. } = found.certificate;
            let shown = (primal_objective, dual_objective);
            if let Some(run) = engine::run_on_face(sdp, &left, shown, watch) {
                iterations += run.iterations;
                let why = format!("{}; the feasible set seems to have no interior", choice.why);
                let again = judge(sdp, options.tolerance, &Choice { why, ..choice.clone() }, run)?;
                found = if is_better(&again, &found) { again } else { found };
            }
        }
        if own && found.status == Status::TimeLimit {
            found.status = Status::Stalled; // The limit was not the user's.
        }
        let gave_up = matches!(found.status, Status::Stalled | Status::MaxIterations);
        let tried = found.method;
        best = Some(match best {
            Some(best) if !is_better(&found, &best) => best,
            _ => found,
        });
        left.time_limit = options.time_limit.map(|limit| limit.saturating_sub(clock.elapsed()));
        let timed_out = left.time_limit.is_some_and(|limit| limit.is_zero());
        let next = (gave_up && !timed_out && options.method == Method::Auto)
            .then(|| choose::next(sdp, tried, &choice))
            .flatten();
        match next {
            Some(next) => choice = next,
            None => break,
        }
    }
    let mut best = best.expect("invariant: one engine has run");
    best.iterations = iterations;
    Ok(best)
}

/// The engine that [`solve`] would begin with, and why.
///
/// # Errors
/// If the method asked for does not apply.
pub fn choose(sdp: &Sdp, asked: Method) -> Result<(Method, String), Error> {
    let Choice { method, why } = choose::first(sdp, Structure::detect(sdp).as_ref(), asked)?;
    Ok((method, why))
}

/// The certificate of what an engine found, the ray if there is one, and the status that follows.
fn judge(sdp: &Sdp, tolerance: f64, choice: &Choice, run: Run) -> Result<Solution, Error> {
    let Run { mut point, ended, iterations, ray_y, ray_z, gamma, threshold } = run;
    let mut certificate = Certificate::of(sdp, &point)?;
    // The bound stands without a feasible y, but a user who checks S finds it lacking.
    if certificate.proves(tolerance)
        && certificate.dimacs[3] > tolerance
        && let Some(dual) = certificate::repaired(sdp, &point.dual, &certificate)
    {
        let before = std::mem::replace(&mut point.dual, dual);
        let again = Certificate::of(sdp, &point)?;
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
        ray = Ray::primal(sdp, candidate);
        if ray.is_none()
            && let Some(z) = &ray_z
        {
            ray = Ray::dual(sdp, z);
        }
    }
    let status = match ray.as_ref().map(Ray::infeasible) {
        _ if solved => Status::Solved,
        Some(Infeasible::Primal) => Status::PrimalInfeasible,
        Some(Infeasible::Dual) => Status::DualInfeasible,
        // An engine that believes to have solved what is not proved has done what it can.
        None if ended == Status::Solved => Status::Stalled,
        None => ended,
    };
    let ranks = point.primal.iter().map(rank::of).collect();
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
fn is_better(a: &Solution, b: &Solution) -> bool {
    let error = |solution: &Solution| {
        let gap = solution.certificate.relative_gap.map_or(f64::INFINITY, f64::abs);
        gap.max(solution.certificate.dimacs[0])
    };
    (b.status.is_answer(), error(a)) < (a.status.is_answer(), error(b))
}

/// The answer to a program that one constraint makes infeasible.
fn nothing_to_solve(sdp: &Sdp, ray: Ray) -> Result<Solution, Error> {
    let primal: Vec<Primal> = sdp
        .cones()
        .iter()
        .map(|cone| match *cone {
            Cone::Semidefinite(n) => Primal::Factor(Mat::zeros(n, 1)),
            Cone::Nonnegative(n) => Primal::Diagonal(vec![0.0; n]),
        })
        .collect();
    let ranks = vec![0; primal.len()];
    let point = Point { primal, dual: vec![0.0; sdp.constraints()] };
    Ok(Solution {
        status: Status::PrimalInfeasible,
        certificate: Certificate::of(sdp, &point)?,
        point,
        ray: Some(ray),
        method: Method::Auto,
        why: "a single constraint cannot be met".into(),
        ranks,
        iterations: 0,
        gamma: None,
        threshold: None,
    })
}
