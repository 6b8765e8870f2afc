//! The paper's way into a program: the augmented Lagrangian is a loss, Z = XYᵀ is split, and γ follows Theorem 1's
//! threshold. It never diverges, whatever β is; it is the careful start, not the fast finish.

use std::ops::ControlFlow;

use gramfold::{
    Method, Observer, Record, Status, Stop as Limits, algorithm::Alternating, penalty::Spectral,
    solve,
};

use super::{Factor, Lagrangian};
use crate::Stop;

/// Updates of the multipliers, alternations between two of them, and the relative tolerance of a block.
const ROUNDS: usize = 4;
const ALTERNATIONS: usize = 25;
const BLOCK: f64 = 1e-3;
/// δ of the spectral rule, and its floor.
const MARGIN: f64 = 0.1;
const FLOOR: f64 = 0.0;

/// How the split opened a run.
#[derive(Clone, Copy)]
pub(super) struct Opening {
    pub(super) iterations: usize,
    pub(super) gamma: f64,
    pub(super) threshold: Option<f64>,
}

/// Moves L, its multipliers included, to where the split leaves it. None where it ends in numbers that are not finite, and L is
/// as it was. Once `stop` says so, it ends with what it has.
pub(super) fn run(l: &mut Lagrangian, stop: Stop<'_>) -> Option<Opening> {
    let (mut iterations, mut last) = (0, None);
    for _ in 0..ROUNDS {
        let method = Method {
            algorithm: Box::new(Alternating::am(BLOCK)),
            rule: Box::new(Spectral::new(MARGIN, FLOOR)),
            stop: Limits::default().tolerance(1e-3).max_iterations(ALTERNATIONS),
        };
        let Ok(solution) = solve(&l.problem(), method, &l.factor.rows, &mut Asks(stop)) else {
            break;
        };
        if matches!(solution.status, Status::Diverged(_)) || !solution.factor.is_finite() {
            break;
        }
        iterations += solution.last.iteration;
        let (gamma, threshold) = (solution.gamma, solution.last.threshold);
        last = Some(Opening { iterations, gamma, threshold });
        let ranks = l.factor.ranks.clone();
        l.set_factor(Factor { rows: solution.factor, ranks });
        l.set_multipliers(l.estimate.clone(), l.beta);
        if stop() {
            break;
        }
    }
    last
}

/// Ends a run when asked to.
struct Asks<'a>(Stop<'a>);

impl Observer for Asks<'_> {
    fn observe(&mut self, _: &Record) -> ControlFlow<()> {
        if (self.0)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
