//! The engine's own bound: p + n·min(0, λmin(S)) with λmin by Lanczos, or by Cholesky where that is cheaper.

use gramfold_linalg::{KrylovOptions, Mat, SparseCholesky, dot, normalise};

use super::{Manifold, Reflected, Workspace, plane::slack};
use crate::lowest::Lowest;

/// Ritz vectors to ask for: the directions of an escape.
const DIRECTIONS: usize = 4;

impl Workspace<'_> {
    /// The most negative curvature of S = C − Diag(y), in the plane where there is one, by so many steps of Lanczos at most
    /// from a random start, to an absolute accuracy.
    pub(super) fn curvature(
        &mut self,
        y: &[f64],
        accuracy: f64,
        steps: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<Lowest> {
        // What was drawn before does not count: a resumed run must draw what this one draws.
        self.krylov.reseed((self.options.seed ^ 0x5eed).wrapping_add(self.looks));
        self.looks += 1;
        let width = self.width + y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
        let unit = self.structure.normal().map(|normal| {
            let mut unit = normal.to_vec();
            normalise(&mut unit);
            unit
        });
        let mut inside = Mat::zeros(y.len(), 1);
        let mut apply = |v: &Mat, out: &mut Mat| {
            inside.copy_from(v);
            out_of(unit.as_deref(), &mut inside);
            slack(self.structure.cost(), y, &inside, out);
            out_of(unit.as_deref(), out);
            if let Some(unit) = &unit {
                // The normal itself is pushed to the other end of the spectrum.
                let along = dot(unit, v.as_slice());
                let out = out.as_mut_slice().iter_mut().zip(unit);
                out.for_each(|(out, u)| *out += width * along * u);
            }
        };
        let options = KrylovOptions {
            wanted: DIRECTIONS,
            basis: 96,
            ..KrylovOptions::largest(steps, accuracy / width.max(f64::MIN_POSITIVE))
        };
        Lowest::of(&mut self.krylov, &mut apply, options, stop)
    }
}

fn out_of(unit: Option<&[f64]>, v: &mut Mat) {
    if let Some(unit) = unit {
        let along = dot(unit, v.as_slice());
        v.as_mut_slice().iter_mut().zip(unit).for_each(|(v, u)| *v -= along * u);
    }
}

/// The slacks' part of S: d_i − y_i, smallest.
pub(super) fn slack_curvature(manifold: &Manifold<'_>, y: &[f64]) -> f64 {
    let costs = manifold.structure.slack_costs().unwrap_or_default();
    costs.iter().zip(y).filter_map(|(d, y)| d.map(|d| d - y)).fold(f64::INFINITY, f64::min)
}

/// λmin(S) from below by Cholesky: where S + εI has a factor, λmin ≥ −ε up to rounding.
pub(super) enum Proof {
    /// S is sparse, and its factor, too.
    Sparse(Box<SparseCholesky>),
    /// On a plane, as a dense matrix.
    Plane(Reflected),
}

impl Proof {
    /// A lower bound of λmin(C − Diag(y)) that is at least −`most`, if there is one; `own` is the diagonal of C.
    pub(super) fn lower(&mut self, own: &[f64], y: &[f64], most: f64) -> Option<f64> {
        let proved = match self {
            Self::Sparse(cholesky) => {
                let shift = |i: usize| most - y[i];
                let trace: f64 =
                    own.iter().enumerate().map(|(i, own)| own.abs() + shift(i).abs()).sum();
                // S is singular at an answer: a factorisation that loses more than `most` to rounding would be in vain, and
                // nothing can cut it short.
                most > cholesky.unit() * trace && cholesky.proves_positive_definite(shift, 0.0)
            }
            Self::Plane(reflected) => most > 0.0 && reflected.is_above(y, most),
        };
        proved.then_some(-most)
    }
}
