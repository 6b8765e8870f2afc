//! The end of the iteration in twice the digits of `f64`, for programs so small that it costs next to nothing.
//!
//! Where the feasible set hardly has an interior, the Schur complement loses the digits of `f64` before the gap has
//! closed, since its condition grows as 1/μ². The same predictor–corrector goes on in double-double arithmetic from the
//! last iterate, and the point that it ends with is rounded; whether that still proves anything is for the certificate
//! to say.

mod double;
mod number;
#[cfg(test)]
mod tests;

use double::Double;

use super::{
    iteration::{Iteration, Quality},
    program::{Coefficients, Program},
    variable::{Block, Variable},
};
use crate::{Allowance, Status};

/// Iterations without a better point after which there is none to come.
const PATIENCE: usize = 8;

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

/// The same iterate in more digits; none if it is not in the interior of the cones.
fn widened(program: &Program, from: &Iteration) -> Option<Iteration<Double>> {
    let variable = |x: &Variable| x.iter().map(|block| block.map(Double::from)).collect();
    let y = from.y.iter().map(|&y| Double::from(y)).collect();
    let point = (variable(&from.x), y, variable(&from.s));
    let mut wide = Iteration::new(program, point, from.tolerance);
    wide.begin().then_some(wide)
}

fn rounded(x: &[Block<Double>]) -> Variable {
    x.iter().map(|block| block.map(Double::rounded)).collect()
}

/// Goes on from an iterate in double-double arithmetic, for so many iterations; none if that leads nowhere.
/// It is over in no time, so that only its end is shown: a run that is resumed goes through all of it again.
pub(super) fn finish(
    program: &Program,
    from: &Iteration,
    max_iterations: usize,
    time: &Allowance<'_>,
) -> Option<Finish> {
    if !is_affordable(program) {
        return None;
    }
    let mut at = widened(program, from)?;
    let mut best: Option<(f64, Variable, Vec<f64>)> = None;
    let (mut moved, mut made) = (0, 0);
    let (status, quality) = loop {
        let (quality, _) = at.assess(program);
        if best.as_ref().is_none_or(|best| quality.worst() < best.0) {
            moved = made;
            let y = at.y.iter().map(|y| y.rounded()).collect();
            best = Some((quality.worst(), rounded(&at.x), y));
        }
        if quality.worst() <= from.tolerance {
            break (Status::Solved, quality);
        }
        let lost = made >= max_iterations || made > moved + PATIENCE;
        if lost || !at.advance(program, &|| time.is_over()) {
            break (Status::Stalled, quality);
        }
        made += 1;
    };
    Some(Finish { status, quality, best: best?, iterations: made })
}
