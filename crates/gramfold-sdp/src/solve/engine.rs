//! The engines behind one interface.

use crate::{
    Error, Method, Options, Point, Primal, Sdp, Status, Watch, certificate, diagonal, interior,
    lowrank,
};

/// What an engine found, before anything of it is proved.
pub(super) struct Run {
    pub(super) point: Point,
    /// How the engine believes to have ended.
    pub(super) ended: Status,
    pub(super) iterations: usize,
    /// What the engine believes to prove that no Z is feasible.
    pub(super) ray_y: Option<Vec<f64>>,
    /// What the engine believes to prove that no y is feasible.
    pub(super) ray_z: Option<Vec<Primal>>,
    pub(super) gamma: Option<f64>,
    pub(super) threshold: Option<f64>,
}

/// An interior-point method doubles its digits in an iteration or two: ask it for more than is needed, and the proof has room.
const MARGIN: f64 = 0.1;

/// Runs an engine.
pub(super) fn run(
    method: Method,
    sdp: &Sdp,
    structure: Option<&diagonal::Structure>,
    options: &Options,
    watch: &mut dyn Watch,
) -> Result<Run, Error> {
    let seconds = options.time_limit.map(|limit| limit.as_secs_f64());
    match (method, structure) {
        (Method::Diagonal, Some(structure)) => {
            let asked = diagonal::Options {
                tolerance: options.tolerance,
                rank: options.rank,
                seed: options.seed,
                time_limit: seconds,
                warm: options.warm.clone(),
                ..diagonal::Options::default()
            };
            let found = diagonal::solve(structure, &asked, watch);
            let ended = match found.status {
                diagonal::Status::Solved => Status::Solved,
                diagonal::Status::Stalled => Status::Stalled,
                diagonal::Status::TimeLimit => Status::TimeLimit,
                diagonal::Status::Interrupted => Status::Interrupted,
            };
            Ok(Run::of(found.point, ended, found.iterations))
        }
        (Method::LowRank | Method::Split, _) => {
            let split = method == Method::Split;
            let start = if split { lowrank::Start::Split } else { lowrank::Start::Folded };
            let asked = lowrank::Options {
                tolerance: options.tolerance,
                rank: options.rank,
                seed: options.seed,
                time_limit: seconds,
                warm: options.warm.clone(),
                start,
            };
            let found = lowrank::solve(sdp, &asked, watch)?;
            let ended = match found.status {
                lowrank::Status::Solved => Status::Solved,
                lowrank::Status::Stalled => Status::Stalled,
                lowrank::Status::TimeLimit => Status::TimeLimit,
                lowrank::Status::Interrupted => Status::Interrupted,
            };
            let run = Run::of(found.point, ended, found.iterations);
            Ok(Run { gamma: found.gamma, threshold: found.threshold, ..run })
        }
        _ => Ok(of_interior(interior::solve(sdp, &asked_of_interior(options), watch))),
    }
}

/// Solves on a face, where every feasible Z lies on one, and carries the multipliers over; none if there is no such
/// face. `shown` are the objectives to show while it is looked for.
pub(super) fn run_on_face(
    sdp: &Sdp,
    options: &Options,
    shown: (f64, f64),
    watch: &mut dyn Watch,
) -> Option<Run> {
    let asked = asked_of_interior(options);
    let found = interior::solve_on_face(sdp, &asked, shown, watch)?;
    let mut run = of_interior(found.outcome);
    run.point.dual = certificate::lift(sdp, &run.point.dual, &found.exposing);
    Some(run)
}

fn asked_of_interior(options: &Options) -> interior::Options {
    interior::Options {
        tolerance: (MARGIN * options.tolerance).max(1e-12),
        time_limit: options.time_limit,
        ..interior::Options::default()
    }
}

fn of_interior(found: interior::Outcome) -> Run {
    let (mut ray_y, mut ray_z) = (None, None);
    let ended = match found.status {
        interior::Status::Converged => Status::Solved,
        interior::Status::PrimalInfeasible(y) => {
            ray_y = Some(y);
            Status::Stalled
        }
        interior::Status::DualInfeasible(z) => {
            ray_z = Some(z);
            Status::Stalled
        }
        interior::Status::MaxIterations => Status::MaxIterations,
        interior::Status::TimeLimit => Status::TimeLimit,
        interior::Status::Interrupted => Status::Interrupted,
        _ => Status::Stalled,
    };
    Run { ray_y, ray_z, ..Run::of(found.point, ended, found.iterations) }
}

impl Run {
    fn of(point: Point, ended: Status, iterations: usize) -> Self {
        Self { point, ended, iterations, ray_y: None, ray_z: None, gamma: None, threshold: None }
    }
}
