//! The engines behind one interface.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::stages::Ended;
use crate::{
    Error, Method, Options, Point, Primal, Sdp, Status, Watch,
    certificate::{self, Allowance},
    diagonal,
    interior::{self, Faced},
    lowrank,
    state::{Engine, misfit},
};

/// What an engine found, before anything of it is proved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) point: Point,
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

/// What an engine is asked for.
pub(super) struct Asked<'a> {
    pub(super) options: &'a Options,
    /// What is left of the user's time.
    pub(super) time_limit: Option<Duration>,
    /// Operations after which the low-rank engine gives up.
    pub(super) work_limit: Option<f64>,
}

/// An interior-point method doubles its digits in an iteration or two: ask it for more than is needed, and the proof has room.
const MARGIN: f64 = 0.1;

/// Runs an engine, or goes on with it.
pub(super) fn run(
    method: Method,
    sdp: &Sdp,
    structure: Option<&diagonal::Structure>,
    asked: &Asked<'_>,
    state: Option<Engine>,
    watch: &mut dyn Watch,
) -> Result<Ended, Error> {
    let Asked { options, time_limit, work_limit } = *asked;
    let seconds = time_limit.map(|limit| limit.as_secs_f64());
    let run = match (method, structure) {
        (Method::Diagonal, Some(structure)) => {
            let asked = diagonal::Options {
                tolerance: options.tolerance,
                rank: options.rank,
                seed: options.seed,
                time_limit: seconds,
                warm: options.warm.clone(),
                ..diagonal::Options::default()
            };
            let state = match state {
                None => None,
                Some(Engine::Diagonal(state)) => Some(state),
                Some(_) => return Err(misfit()),
            };
            let found = diagonal::resume(structure, &asked, state, watch)?;
            let ended = match found.status {
                diagonal::Status::Solved => Status::Solved,
                diagonal::Status::Stalled => Status::Stalled,
                diagonal::Status::TimeLimit => Status::TimeLimit,
                diagonal::Status::Interrupted => Status::Interrupted,
            };
            Run::of(found.point, ended, found.iterations)
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
                work_limit,
            };
            let state = match state {
                None => None,
                Some(Engine::LowRank(state)) => Some(state),
                Some(_) => return Err(misfit()),
            };
            let found = lowrank::resume(sdp, &asked, state, watch)?;
            let ended = match found.status {
                lowrank::Status::Solved => Status::Solved,
                lowrank::Status::Stalled => Status::Stalled,
                lowrank::Status::TimeLimit => Status::TimeLimit,
                lowrank::Status::Interrupted => Status::Interrupted,
            };
            let run = Run::of(found.point, ended, found.iterations);
            Run { gamma: found.gamma, threshold: found.threshold, ..run }
        }
        _ => {
            let state = match state {
                None => None,
                Some(Engine::Interior(state)) => Some(state),
                Some(_) => return Err(misfit()),
            };
            of_interior(interior::resume(sdp, &asked_of_interior(asked), state, watch)?)
        }
    };
    Ok(run.ended())
}

/// Solves on a face, where every feasible Z lies on one, and carries the multipliers over, if there is such a face.
/// `shown` are the objectives to show while it is looked for.
pub(super) fn run_on_face(
    sdp: &Sdp,
    asked: &Asked<'_>,
    shown: (f64, f64),
    until: Option<Instant>,
    state: Option<Engine>,
    watch: &mut dyn Watch,
) -> Result<Ended, Error> {
    let state = match state {
        None => None,
        Some(Engine::Face(state)) => Some(state),
        Some(_) => return Err(misfit()),
    };
    let found = interior::solve_on_face(sdp, &asked_of_interior(asked), shown, state, watch)?;
    let found = match found {
        Faced::Solved(found) => found,
        Faced::Nowhere => return Ok(Ended::Whole(None)),
        Faced::CutShort => return Ok(Ended::CutShort(None)),
    };
    let mut run = of_interior(found.outcome);
    let stop = || watch.stops();
    let time = Allowance::new(until, &stop);
    run.point.dual = certificate::lift(sdp, &run.point.dual, &found.exposing, &time);
    Ok(if time.is_over() { Ended::CutShort(Some(run)) } else { run.ended() })
}

fn asked_of_interior(asked: &Asked<'_>) -> interior::Options {
    interior::Options {
        tolerance: (MARGIN * asked.options.tolerance).max(1e-12),
        time_limit: asked.time_limit,
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

    fn ended(self) -> Ended {
        match self.ended {
            Status::TimeLimit | Status::Interrupted => Ended::CutShort(Some(self)),
            _ => Ended::Whole(Some(self)),
        }
    }
}
