//! A primal–dual interior-point method, for problems with small blocks or many constraints.
//!
//! Mehrotra's predictor–corrector on the HKM direction, from an infeasible start. As soon as a full dual step has been
//! made, S is C − A*(y) itself, recomputed from y, so the dual bound bᵀy of the point that is returned can be proved by
//! one Cholesky factorisation. The work of an iteration is that of the Schur complement, an m×m matrix, and of a
//! few products of n×n matrices: it suits n up to about a thousand and m up to several thousand.

mod coefficients;
mod direction;
mod engine;
mod extended;
mod face;
mod iteration;
mod normal;
mod number;
mod program;
mod ray;
mod schur;
mod state;
mod step;
mod terms;
mod variable;

// What the parts call each other.
use direction::Direction;
use engine::Interior;
use face::Face;
use iteration::{Iteration, Quality};
use normal::Normal;
use number::{Fill, Number};
use program::Program;
use schur::Schur;
use step::Stepper;
use variable::{Block, Factor, Variable, add_scaled, copy, identity, inner, symmetrise, zeros};

use std::time::Instant;

pub(crate) use state::{FaceState, State};

use crate::{Aside, Error, Options, Outcome, Sdp, Status, Watch};

/// Solves a program. Every block of the point is [`crate::Primal::Dense`] or [`crate::Primal::Diagonal`].
pub fn solve(sdp: &Sdp, options: &Options, watch: &mut dyn Watch) -> Outcome {
    engine::Interior::new(sdp).run(options, watch)
}

/// As [`solve`], from where a run stood.
pub(crate) fn resume(
    sdp: &Sdp,
    options: &Options,
    state: Option<State>,
    watch: &mut dyn Watch,
) -> Result<Outcome, Error> {
    Ok(engine::Interior::new(sdp).recalling(state)?.run(options, watch))
}

/// How the search for a face ended.
pub(crate) enum Faced {
    /// With what was found on it.
    Solved(OnFace),
    /// There is none, as far as can be told.
    Nowhere,
    /// Before it could be told.
    CutShort,
}

/// What was found on a face of the cone.
#[derive(Clone, Debug)]
pub(crate) struct OnFace {
    /// The outcome. C − A*(y) is positive semidefinite on the face only.
    pub(crate) outcome: Outcome,
    /// w with A*(w) ⪰ 0 and bᵀw = 0, whose kernel is the face: y − tw is as good as y, and feasible in the limit.
    pub(crate) exposing: Vec<f64>,
}

/// Solves a program without strictly feasible Z on the smallest face that one combination of its constraints exposes,
/// if there is such a combination. `shown` are the objectives that the watch sees while the face is looked for.
pub(crate) fn solve_on_face(
    sdp: &Sdp,
    options: &Options,
    shown: (f64, f64),
    state: Option<FaceState>,
    watch: &mut dyn Watch,
) -> Result<Faced, Error> {
    let begun = Instant::now();
    let (exposing, on_face) = match state {
        None => (None, None),
        Some(FaceState::Exposing(state)) => (Some(state), None),
        Some(FaceState::On(dual, state)) => (None, Some((dual, state))),
    };
    let (dual, on_face) = match on_face {
        Some((dual, state)) if dual.len() == sdp.constraints() => (dual, Some(state)),
        Some(_) => return Err(crate::state::misfit()),
        None => {
            let found = face::exposing(sdp, options, shown, exposing, watch)?;
            match found.status {
                Status::Solved | Status::Stalled => (found.point.dual, None),
                Status::TimeLimit | Status::Interrupted => return Ok(Faced::CutShort),
                _ => return Ok(Faced::Nowhere),
            }
        }
    };
    let late = || options.time_limit.is_some_and(|limit| begun.elapsed() >= limit);
    let stop = || late() || watch.stops();
    let Some(face::Exposed { faces, w }) = face::exposed(sdp, &dual, &stop) else {
        return Ok(if stop() { Faced::CutShort } else { Faced::Nowhere });
    };
    let left = options.time_limit.map(|limit| limit.saturating_sub(begun.elapsed()));
    let options = &Options { time_limit: left, ..options.clone() };
    let program = program::Program::on_faces(sdp, faces.clone());
    let engine = engine::Interior::of(program).recalling(on_face)?;
    let on_face = |state| FaceState::On(dual.clone(), state);
    let state = &|state: crate::State| state.on_face(on_face);
    let mut outcome = engine.run(options, &mut Aside { shown: None, state, watch });
    let stop = || late() || watch.stops();
    let settled = face::settle(sdp, &faces, &outcome.point, &stop);
    let cut_short = stop() || matches!(outcome.status, Status::TimeLimit | Status::Interrupted);
    match settled {
        Some(settled) => outcome.point.dual = settled,
        None if cut_short => return Ok(Faced::CutShort),
        None => return Ok(Faced::Nowhere),
    }
    Ok(Faced::Solved(OnFace { outcome, exposing: w }))
}
