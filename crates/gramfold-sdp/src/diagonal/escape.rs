//! Negative curvature at a critical point: columns along it, and on.

use gramfold_linalg::Mat;

use super::{Iterate, Workspace, rank};

/// Lanczos steps of a first look, and of a thorough one.
const LOOKS: [usize; 2] = [200, 5000];
/// Columns come in multiples of what a vector register holds.
const LANES: usize = 4;
/// The share of ‖X‖² below which an axis of X is dropped before new ones come.
const VANISHED: f64 = 1e-12;
/// Lengths to try.
const HALVINGS: usize = 40;

/// Where an escape led.
pub(super) enum Escape {
    /// To a lower objective.
    Down,
    /// Nowhere; a lower estimate of λmin.
    Nowhere(f64),
}

impl Workspace<'_> {
    /// Appends directions of negative curvature as columns and slides along them.
    pub(super) fn escape(
        &mut self,
        at: &mut Iterate,
        needed: f64,
        stop: &dyn Fn() -> bool,
    ) -> Escape {
        let accuracy = 0.2 * needed / at.y.len() as f64;
        let mut lambda = -2.0 * self.width;
        for steps in LOOKS {
            let slacks = self.manifold.slacks();
            let mut x = rank::compress(&at.x, slacks, VANISHED).unwrap_or_else(|| at.x.clone());
            let opened = self.open_slacks(&mut x, &at.y);
            let Some(found) = self.curvature(&at.y, accuracy, steps, stop) else { break };
            lambda = found.below;
            let down = found.values.iter().take_while(|value| **value < -accuracy).count();
            if down == 0 && !opened {
                continue;
            }
            let r = x.cols() - slacks;
            let columns = (r + down.max(1)).next_multiple_of(LANES) - r;
            let wide = rank::widen(&x, slacks, columns);
            let along = |k: usize, i: usize| {
                (found.values[k] / found.values[0]).sqrt() * found.vectors[(k, i)]
            };
            let step = Mat::from_fn(wide.rows(), wide.cols(), |i, j| {
                if (r..r + down).contains(&j) { along(j - r, i) } else { 0.0 }
            });
            if let Some(lower) = self.slide(&wide, step, at.objective) {
                self.escapes += 1;
                *at = lower;
                return Escape::Down;
            }
        }
        Escape::Nowhere(lambda)
    }

    /// The first point on the way back to x from a long step that has a lower objective.
    fn slide(&mut self, x: &Mat, mut step: Mat, objective: f64) -> Option<Iterate> {
        step.scale(0.5 * (x.rows() as f64).sqrt());
        let mut out = Mat::zeros(x.rows(), x.cols());
        for _ in 0..HALVINGS {
            if self.manifold.retract(x, &step, &mut out) {
                let trial = Iterate::at(&mut self.manifold, out.clone());
                if trial.objective < objective - 1e-15 * objective.abs() {
                    return Some(trial);
                }
            }
            step.scale(0.5);
        }
        None
    }
}
