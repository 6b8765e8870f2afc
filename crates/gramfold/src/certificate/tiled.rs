//! The measures of a certificate for ½‖A − XYᵀ‖², by tiles of rows: beside A, X and Y only what a proximal
//! step reaches is stored, where a [`Split`](crate::Split) stores products and gradients too.

use gramfold_linalg::{Gram, Mat, Symmetric, accumulate};

use super::{Operator, Spectrum};
use crate::{
    Problem, loss,
    split::{larger, relative, size},
    tiles::{Tile, Tiles, quadratic_form, square, step_size, sum_over_tiles},
};

/// (X, Y) and γ.
pub(super) struct Tiled<'a> {
    problem: &'a Problem<'a>,
    a: &'a Symmetric,
    x: &'a Mat,
    y: &'a Mat,
    gamma: f64,
    square_x: Mat,
    square_y: Mat,
}

impl<'a> Tiled<'a> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        a: &'a Symmetric,
        x: &'a Mat,
        y: &'a Mat,
        gamma: f64,
    ) -> Self {
        Self { problem, a, x, y, gamma, square_x: square(x), square_y: square(y) }
    }

    /// The blocks of X and of Y.
    fn blocks(&self) -> [Tiles<'_>; 2] {
        let slope = self.problem.loss.constants().slope;
        let block = |factor, other, gram| Tiles {
            a: self.a,
            regulariser: self.problem.regulariser,
            gamma: self.gamma,
            step: step_size(gram, slope),
            factor,
            other,
            gram,
        };
        [block(self.x, self.y, &self.square_y), block(self.y, self.x, &self.square_x)]
    }

    fn size(&self) -> f64 {
        size(self.x.norm().max(self.y.norm()), self.problem.loss.constants().scale)
    }

    /// As [`Split::stationarity`](crate::Split::stationarity).
    pub(super) fn stationarity(&self) -> f64 {
        let [x, y] = self.blocks();
        let of_x = x.length();
        let of_y = if self.x == self.y { of_x } else { y.length() };
        relative(larger(of_x, of_y), self.size())
    }

    /// ‖X − Y‖/‖X‖.
    pub(super) fn asymmetry(&self) -> f64 {
        relative(self.x.distance(self.y), self.size())
    }

    /// Bounds the spectrum of sym ∇f(XYᵀ).
    pub(super) fn spectrum(
        &self,
        stop: &dyn Fn() -> bool,
        bound: impl FnOnce(&mut Operator<'_>) -> Spectrum,
    ) -> Spectrum {
        let (x, y) = (self.x, self.y);
        let folded = x == y;
        let mut apply = |v: &Mat, out: &mut Mat| {
            self.a.apply(v, out);
            out.scale(-1.0);
            let mut gram = Gram::new(x.cols());
            if folded {
                return accumulate(1.0, x, gram.of(x, v), out);
            }
            accumulate(0.5, x, gram.of(y, v), out);
            accumulate(0.5, y, gram.of(x, v), out);
        };
        let norm = self.problem.loss.constants().scale;
        let rounding = loss::rounding_of_gradient(x.cols(), x.norm() * y.norm(), norm);
        bound(&mut Operator { dim: x.rows(), apply: &mut apply, rounding, stop })
    }

    /// f(XYᵀ) at X = Y.
    pub(super) fn value(&self) -> f64 {
        self.problem.loss.at_zero() - quadratic_form(self.a, self.x)
            + 0.5 * self.square_x.norm_squared()
    }

    /// As `Split::proximity`.
    pub(super) fn proximity(&self, margin: f64) -> Option<f64> {
        let [x, y] = self.blocks();
        let (n, r) = (self.x.rows(), self.x.cols());
        let (mut x_next, mut y_next) = (Mat::zeros(n, r), Mat::zeros(n, r));
        let (moved_x, moved_y) = (x.step_into(&mut x_next), y.step_into(&mut y_next));
        let shift = moved_x * y_next.norm() + self.x.norm() * moved_y;
        if !shift.is_finite() {
            return None;
        }
        let margin = margin - 0.5 * self.problem.loss.constants().smoothness * shift;
        if margin <= 0.0 {
            return None;
        }
        let there = Tiled::new(self.problem, self.a, &x_next, &y_next, self.gamma);
        let [x_there, y_there] = there.blocks();
        // e₁ − e₂, each the gradient there less the subgradient of ½h that the step found.
        let error = sum_over_tiles(
            n,
            || [(); 4].map(|()| Tile::default()),
            |[here_x, here_y, next_x, next_y], first, count| {
                x.fill(first, count, here_x);
                y.fill(first, count, here_y);
                x_there.fill(first, count, next_x);
                y_there.fill(first, count, next_y);
                let residual = |here: &Tile, next: &Tile, step: f64, k: usize| {
                    next.gradient[k] - here.gradient[k] + (here.rows[k] - next.rows[k]) / step
                };
                (0..count * r)
                    .map(|k| {
                        let of_x = residual(here_x, next_x, x.step, k);
                        (of_x - residual(here_y, next_y, y.step, k)).powi(2)
                    })
                    .sum()
            },
        );
        Some(error.sqrt() / (2.0 * margin) + moved_x + moved_y)
    }
}
