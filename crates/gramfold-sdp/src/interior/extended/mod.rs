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

use super::{
    engine::Quality,
    program::{Coefficients, Program},
    variable::Variable,
};
use crate::{Allowance, Status};
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
    /// How good the last point is, before rounding.
    pub(super) quality: Quality,
    /// The best point, with the largest of its gap and infeasibilities before rounding.
    pub(super) best: (f64, Variable, Vec<f64>),
    pub(super) iterations: usize,
}

/// Goes on from a point in double-double arithmetic, to a tolerance and for so many iterations; none if that leads nowhere.
/// It is over in no time, so that only its end is shown: a run that is resumed goes through all of it again.
pub(super) fn finish(
    program: &Program,
    from: &Iterate,
    (tolerance, max_iterations): (f64, usize),
    time: &Allowance<'_>,
) -> Option<Finish> {
    if !is_affordable(program) {
        return None;
    }
    let mut engine = Extended::new(program, from)?;
    let mut best: Option<(f64, Variable, Vec<f64>)> = None;
    let (mut moved, mut made) = (0, 0);
    let (status, quality) = loop {
        let quality = engine.assess();
        if best.as_ref().is_none_or(|best| quality.worst() < best.0) {
            moved = made;
            let (x, y) = engine.point();
            best = Some((quality.worst(), x, y));
        }
        if quality.worst() <= tolerance {
            break (Status::Solved, quality);
        }
        let lost = made >= max_iterations || made > moved + PATIENCE;
        if lost || time.is_over() || !engine.advance() {
            break (Status::Stalled, quality);
        }
        made += 1;
    };
    Some(Finish { status, quality, best: best?, iterations: made })
}
