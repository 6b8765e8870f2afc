//! The end of the iteration in twice the digits of `f64`, for programs so small that it costs next to nothing.
//!
//! Where the feasible set hardly has an interior, the Schur complement loses the digits of `f64` before the gap has
//! closed, since its condition grows as 1/μ². The same predictor–corrector goes on in double-double arithmetic from the
//! last iterate, and the point that it ends with is rounded; whether that still proves anything is for the certificate
//! to say.

mod dense;
mod double;
mod engine;
mod linear;
mod normal;
mod space;
#[cfg(test)]
mod tests;

use std::time::Instant;

use super::{
    program::{Coefficients, Program},
    variable::Variable,
};
use crate::{Options, Progress, Status, Watch};
use engine::Extended;

/// Iterations without a better point after which there is none to come.
const PATIENCE: usize = 8;

/// A point.
pub(super) struct Iterate<'a> {
    pub(super) x: &'a Variable,
    pub(super) y: &'a [f64],
    pub(super) s: &'a Variable,
}

/// Operations of an iteration up to which the extended end is worth its time: some four milliseconds.
const AFFORDABLE: f64 = 4e5;

/// Whether an iteration in double-double arithmetic costs next to nothing.
pub(super) fn is_affordable(program: &Program) -> bool {
    let m = program.constraints() as f64;
    let mut cost = m.powi(3) / 3.0;
    for block in &program.blocks {
        if let Coefficients::Dense(a) = block {
            let (n, members) = (a.n as f64, a.members.len() as f64);
            let parts: f64 = a.parts.len() as f64 * n * n;
            let entries = a.entries.len() as f64;
            cost += (members + 20.0) * n.powi(3) + members * (entries + parts);
        }
    }
    cost <= AFFORDABLE && !program.is_on_face()
}

/// What the extended end came to.
pub(super) struct Finish {
    pub(super) status: Status,
    /// The largest of gap and infeasibilities of the best point, before rounding.
    pub(super) worst: f64,
    pub(super) x: Variable,
    pub(super) y: Vec<f64>,
    pub(super) iterations: usize,
}

/// Goes on from a point in double-double arithmetic, after so many iterations; none if that leads nowhere.
pub(super) fn finish(
    program: &Program,
    from: &Iterate,
    (options, before, begun): (&Options, usize, Instant),
    watch: &mut dyn Watch,
) -> Option<Finish> {
    if !is_affordable(program) {
        return None;
    }
    let mut engine = Extended::new(program, from)?;
    let mut best: Option<(f64, Variable, Vec<f64>)> = None;
    let mut moved = 0;
    let mut made = 0;
    // It is over in no time, so that only its end is shown: a run that is resumed goes through all of it again.
    let (status, last) = loop {
        let quality = engine.assess();
        if best.as_ref().is_none_or(|best| quality.worst() < best.0) {
            moved = made;
            let (x, y) = engine.point();
            best = Some((quality.worst(), x, y));
        }
        let status = if quality.worst() <= options.tolerance {
            Status::Solved
        } else if watch.stops() {
            Status::Interrupted
        } else if options.time_limit.is_some_and(|limit| begun.elapsed() >= limit) {
            Status::TimeLimit
        } else if made >= options.max_iterations || made > moved + PATIENCE || !engine.advance() {
            Status::Stalled
        } else {
            made += 1;
            continue;
        };
        break (status, quality);
    };
    let progress = Progress {
        iteration: before + made,
        primal_objective: last.primal_objective,
        dual_objective: last.dual_objective,
        primal_infeasibility: last.primal_infeasibility,
        dual_infeasibility: Some(last.dual_infeasibility),
        relative_gap: last.gap,
        rank: None,
        gamma: None,
        threshold: None,
        seconds: begun.elapsed().as_secs_f64(),
    };
    // The point it begins with has been shown already.
    if made > 0 {
        let _ = watch.step(&progress);
    }
    let (worst, x, y) = best?;
    Some(Finish { status, worst, x, y, iterations: before + made })
}
