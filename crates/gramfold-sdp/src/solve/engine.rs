//! The engines behind one interface.

use std::time::Instant;

use super::stages::Ended;
use crate::{
    Allowance, Error, Method, Options, Outcome, Sdp, Status, Watch, certificate, diagonal,
    interior::{self, Faced},
    lowrank, state,
};

/// An interior-point method doubles its digits in an iteration or two: ask it for more than is needed, and the proof has room.
const MARGIN: f64 = 0.1;

/// Runs the engine of `options.method`, or goes on with it.
pub(super) fn run(
    sdp: &Sdp,
    structure: Option<&diagonal::DiagonalProgram>,
    options: &Options,
    state: Option<state::EngineState>,
    watch: &mut dyn Watch,
) -> Result<Ended, Error> {
    let found = match (options.method, structure) {
        (Method::Diagonal, Some(structure)) => {
            let state = state.map(state::EngineState::diagonal).transpose()?;
            diagonal::resume(structure, options, state, watch)?
        }
        (Method::LowRank | Method::Split, _) => {
            let state = state.map(state::EngineState::low_rank).transpose()?;
            lowrank::resume(sdp, options, state, watch)?
        }
        _ => {
            let state = state.map(state::EngineState::interior).transpose()?;
            interior::resume(sdp, &with_margin(options), state, watch)?
        }
    };
    Ok(ended(found))
}

/// Solves on a face, where every feasible Z lies on one, and carries the multipliers over, if there is such a face.
/// `shown` are the objectives to show while it is looked for.
pub(super) fn run_on_face(
    sdp: &Sdp,
    options: &Options,
    shown: (f64, f64),
    until: Option<Instant>,
    state: Option<state::EngineState>,
    watch: &mut dyn Watch,
) -> Result<Ended, Error> {
    let state = state.map(state::EngineState::face).transpose()?;
    let found = interior::solve_on_face(sdp, &with_margin(options), shown, state, watch)?;
    let found = match found {
        Faced::Solved(found) => found,
        Faced::Nowhere => return Ok(Ended::Whole(None)),
        Faced::CutShort => return Ok(Ended::CutShort(None)),
    };
    let mut outcome = found.outcome;
    let stop = || watch.stops();
    let time = Allowance::new(until, &stop);
    outcome.point.dual = certificate::lift(sdp, &outcome.point.dual, &found.exposing, &time);
    Ok(if time.is_over() { Ended::CutShort(Some(outcome)) } else { ended(outcome) })
}

fn with_margin(options: &Options) -> Options {
    Options { tolerance: (MARGIN * options.tolerance).max(1e-12), ..options.clone() }
}

fn ended(found: Outcome) -> Ended {
    match found.status {
        Status::TimeLimit | Status::Interrupted => Ended::CutShort(Some(found)),
        _ => Ended::Whole(Some(found)),
    }
}
