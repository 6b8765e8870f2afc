//! An upper bound on the largest eigenvalue from a Chebyshev polynomial of a few random vectors.
//!
//! T, the polynomial of degree m for an interval, is at most 1 on it and grows fast beyond. For a unit eigenvector u with
//! eigenvalue λ and Gaussian vectors z_j, ‖T(S)z_j‖ ≥ |T(λ)|·|⟨z_j, u⟩|, and all of b independent ⟨z_j, u⟩ are below δ in size
//! with probability at most (δ√(2/π))^b. So |T(λ)| ≤ max_j ‖T(S)z_j‖/δ but for that probability: whatever the interval,
//! which should be where the spectrum is. Several vectors are multiplied in little more time than one, need a third of the
//! steps that Lanczos takes from one vector, and need not be orthogonalised.

use gramfold_linalg::{BESIDE, Beside, Csr, Mat};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::spectrum::{FAILURE, Means, Operator, Proof};
use crate::split::larger;

/// b, and the largest m.
const VECTORS: usize = BESIDE;
pub(super) const DEGREE: usize = 36;

/// What is known where products are not finite.
const NOTHING: (f64, Proof) = (f64::INFINITY, Proof::Estimate);

/// Gaussian vectors, for [`largest_at_most`].
pub(super) fn draw(n: usize, seed: u64) -> Mat {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    Mat::from_fn(n, VECTORS, |_, _| StandardNormal.sample(&mut random))
}

/// δ.
fn delta() -> f64 {
    (0.5 * std::f64::consts::PI).sqrt() * FAILURE.powf(1.0 / VECTORS as f64)
}

/// The degree that should bring the bound on n×n matrices whose spectrum ends with the interval down to `enough`.
pub(super) fn degree(n: usize, (low, high): (f64, f64), enough: f64) -> usize {
    let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low));
    // The longest of several vectors is a little longer than is expected of one.
    let growth = 1.5 * (n as f64).sqrt() / delta();
    let needed = growth.acosh() / ((enough - centre) / radius).max(1.0).acosh();
    needed.ceil().clamp(2.0, DEGREE as f64) as usize
}

/// A bound on the largest eigenvalue, and how it is proved, from vectors that were drawn without a look at the matrix or at the
/// interval, which only decides how good the bound is. Of an operator on a subspace the vectors must be projected onto
/// it. Once the operator says stop, the degree is what it was by then: what says so knows nothing of what was drawn. Infinity, and no
/// proof, where products are not finite.
pub(super) fn largest_at_most(
    operator: &mut Operator<'_>,
    (low, high): (f64, f64),
    drawn: Mat,
    degree: usize,
) -> (f64, Proof) {
    let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low));
    if !(radius > 0.0 && radius.is_finite()) {
        return NOTHING;
    }
    let n = operator.dim;
    let mut before = drawn;
    let sizes = norms(&before);
    let (mut now, mut image) = (Mat::zeros(n, VECTORS), Mat::zeros(n, VECTORS));
    (operator.apply)(&before, &mut now);
    now.zip(&before, |image, v| (image - centre * v) / radius);
    let (scale, shift) = (2.0 / radius, 2.0 * centre / radius);
    let mut made = 1;
    while made < degree && !(operator.stop)() {
        made += 1;
        (operator.apply)(&now, &mut image);
        before.zip2(&image, &now, |before, image, now| scale * image - shift * now - before);
        std::mem::swap(&mut before, &mut now);
    }
    let growth = Growth { start: largest(sizes), end: largest(norms(&now)), steps: made };
    growth.bound((centre, radius), operator.rounding, 8.0 * f64::EPSILON)
}

/// [`largest_at_most`] for what a sparse matrix is beside orthonormal vectors, given about its norm, in half the time: vectors are
/// stored in single precision, and the bound is raised by what that may change.
pub(super) fn largest_beside(
    (a, size): (&Csr, f64),
    vectors: &Mat,
    rounding: f64,
    (low, high): (f64, f64),
    drawn: &Mat,
    degree: usize,
    stop: &dyn Fn() -> bool,
) -> (f64, Proof) {
    let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low));
    if !(radius > 0.0 && radius.is_finite()) {
        return NOTHING;
    }
    let mut beside = Beside::new(a, vectors, drawn);
    let start = largest(beside.norms());
    beside.step(1.0 / radius, centre / radius);
    let (scale, shift) = (2.0 / radius, 2.0 * centre / radius);
    let mut steps = 1;
    while steps < degree && !stop() {
        steps += 1;
        beside.step(scale, shift);
    }
    // A step is rounded before what it has along the vectors is taken out of it, and after.
    let longest = scale * size + shift.abs() + 2.0;
    let growth = Growth { start, end: largest(beside.norms()), steps };
    growth.bound((centre, radius), rounding, 2.0 * longest * f64::from(f32::EPSILON))
}

/// Of the longest vector.
struct Growth {
    start: f64,
    end: f64,
    steps: usize,
}

impl Growth {
    /// The bound for an interval given by its centre and radius. Every step may be wrong by the rounding of a product and its own,
    /// relative to the largest vector that there was, and later steps make at most m times as much of it.
    fn bound(&self, (centre, radius): (f64, f64), rounding: f64, own: f64) -> (f64, Proof) {
        let steps = self.steps as f64;
        let relative = steps * steps * (2.0 * rounding / radius + own);
        let growth = (self.end + relative * larger(self.end, self.start)) / delta();
        if !growth.is_finite() {
            return NOTHING;
        }
        let bound = centre + radius * (growth.max(1.0).acosh() / steps).cosh();
        let proof = Proof::Probabilistic { failure: FAILURE, means: Means::Chebyshev };
        (bound + rounding, proof)
    }
}

/// The longest vector. A NaN must stay one: `max` would drop it.
fn largest(norms: [f64; VECTORS]) -> f64 {
    norms.into_iter().fold(0.0, larger)
}

/// The length of each column.
fn norms(m: &Mat) -> [f64; VECTORS] {
    let mut squares = [0.0; VECTORS];
    for row in m.as_slice().chunks_exact(VECTORS) {
        squares.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * value);
    }
    squares.map(f64::sqrt)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::certificate::never;

    /// Diagonal matrices with one eigenvalue above the others, seen through intervals that are right, too short and too long.
    #[test]
    fn the_bound_is_above_the_largest_eigenvalue_and_not_by_much() {
        let n = 2000;
        for (top, interval, slack) in [
            (1.0, (-1.0, 1.0), 0.05),
            (1.3, (-1.0, 1.0), 0.2),
            (1.0, (-0.9, 0.8), 0.3),
            (1.0, (-3.0, 2.0), 1.3),
        ] {
            for seed in 0..20 {
                let value = |i: usize| if i == 7 { top } else { (i as f64).sin() };
                let mut apply = |v: &Mat, out: &mut Mat| {
                    for i in 0..n {
                        (0..v.cols()).for_each(|j| out[(i, j)] = value(i) * v[(i, j)]);
                    }
                };
                let mut operator =
                    Operator { dim: n, apply: &mut apply, rounding: 1e-15, stop: &never };
                let (bound, proof) =
                    largest_at_most(&mut operator, interval, draw(n, seed), DEGREE);
                assert!(proof.holds());
                assert!(bound >= top && bound <= top + slack, "{top} {interval:?} {bound}");
            }
        }
    }

    #[test]
    fn the_bound_holds_where_it_is_stopped_early() {
        let n = 2000;
        let mut looser = f64::INFINITY;
        for most in [1, 5, 20] {
            let products = Cell::new(0);
            let mut apply = |v: &Mat, out: &mut Mat| {
                products.set(products.get() + 1);
                out.copy_from(v);
                (0..n).for_each(|i| out.row_mut(i).iter_mut().for_each(|o| *o *= (i as f64).sin()));
            };
            let stop = || products.get() >= most;
            let mut operator = Operator { dim: n, apply: &mut apply, rounding: 1e-15, stop: &stop };
            let (bound, proof) = largest_at_most(&mut operator, (-1.0, 1.0), draw(n, 1), DEGREE);
            assert_eq!(products.get(), most);
            assert!(proof.holds() && bound >= 1.0 && bound < looser, "{most} {bound}");
            looser = bound;
        }
    }

    #[test]
    fn nothing_is_proved_of_products_that_are_not_finite() {
        let mut apply = |_: &Mat, out: &mut Mat| out.as_mut_slice().fill(f64::NAN);
        let mut operator = Operator { dim: 600, apply: &mut apply, rounding: 1e-15, stop: &never };
        assert!(!largest_at_most(&mut operator, (-1.0, 1.0), draw(600, 1), 9).1.holds());
    }
}
