//! An upper bound on the largest eigenvalue from a Chebyshev polynomial of a few random vectors.
//!
//! T, the polynomial of degree m for an interval, is at most 1 on it and grows fast beyond. For a unit eigenvector u with
//! eigenvalue λ and random vectors z_j, ‖T(S)z_j‖ ≥ |T(λ)|·|⟨z_j, u⟩|. For z_j uniform in the cube of side s the density of ⟨z_j, u⟩ is at
//! most √2/s (Ball, "Cube slicing in Rⁿ", 1986), so that all of b independent ones are below δ in size with probability at most
//! (2√2·δ/s)^b. So |T(λ)| ≤ max_j ‖T(S)z_j‖/δ but for that probability: whatever the interval, which should be where the spectrum is.
//! Numbers are drawn from a grid, the nearest to one that is uniform: that moves ⟨z_j, u⟩ by at most half a step times √n.
//!
//! Rounding adds e_j to the vector of degree j, and U_{m−j}(S)e_j to the last one, for the polynomials of the second kind. Above the interval
//! U_k ≤ (k+1)T_k and T_k·T_j ≤ T_{k+j}, so that |T(λ)|·(δ − Σ_j (m−j+1)‖e_j‖/T_j(λ)) is at most the length that was computed.
//! Several vectors are multiplied in little more time than one, need a third of the
//! steps that Lanczos takes from one vector, and need not be orthogonalised.

use gramfold_linalg::{BESIDE, Beside, Csr, Mat};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::spectrum::{FAILURE, Means, Operator, Proof};
use crate::split::larger;

/// b, and the largest m.
const VECTORS: usize = BESIDE;
pub(super) const DEGREE: usize = 36;

/// The largest logarithm of an eigenvalue, relative to the interval, that is looked for, and how often the place of the bound is halved.
const MOST: f64 = 100.0;
const HALVINGS: usize = 40;

/// See [`end`]. On ten graphs half was as good as any share for each of them.
const SHARE: f64 = 0.5;

/// What is known where products are not finite.
const NOTHING: (f64, Proof) = (f64::INFINITY, Proof::Estimate);

/// b random vectors, a row a place.
pub(super) type Drawn = Vec<[f32; VECTORS]>;

/// s, and half of one of the 2²⁴ steps into which it is divided.
const SIDE: f64 = 4.0;
const HALF_STEP: f64 = f32::EPSILON as f64;

/// Uniform numbers between −s/2 and s/2, for [`largest_at_most`].
pub(super) fn draw(n: usize, seed: u64) -> Drawn {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    // The middle of a step: an odd multiple of its half, which single precision holds exactly.
    let entry = |bits: u32| f32::EPSILON * (2 * (bits >> 8).cast_signed() + 1 - (1 << 24)) as f32;
    let mut row = || {
        let mut row = [0.0; VECTORS];
        for [first, second] in row.as_chunks_mut().0 {
            let bits = random.next_u64();
            (*first, *second) = (entry((bits >> 32) as u32), entry(bits as u32));
        }
        row
    };
    (0..n).map(|_| row()).collect()
}

/// The vectors in double precision.
pub(super) fn widened(drawn: &Drawn) -> Mat {
    Mat::from_fn(drawn.len(), VECTORS, |i, j| f64::from(drawn[i][j]))
}

/// δ for vectors of length n, less what the grid may hide of it.
fn delta(n: usize) -> f64 {
    SIDE / 8.0_f64.sqrt() * FAILURE.powf(1.0 / VECTORS as f64) - HALF_STEP * (n as f64).sqrt()
}

/// The degree that should bring the bound on n×n matrices whose spectrum ends with the interval down to `enough`.
pub(super) fn degree(n: usize, (low, high): (f64, f64), enough: f64) -> usize {
    let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low));
    // The longest of several vectors is a little longer than is expected of one, s·√(n/12).
    let growth = 1.5 * SIDE * (n as f64 / 12.0).sqrt() / delta(n);
    let needed = growth.acosh() / ((enough - centre) / radius).max(1.0).acosh();
    if needed.is_finite() { needed.ceil().max(2.0) as usize } else { usize::MAX }
}

/// Where an interval should end for a spectrum of which only a few eigenvalues are near the upper end: what is above the interval grows
/// with the degree, and may grow until it is as long as what all others leave of n numbers. This share of that, since a few are more than
/// one.
pub(super) fn end(n: usize, (low, high): (f64, f64), degree: usize) -> f64 {
    let growth = SHARE * (n as f64).sqrt().ln() / degree as f64;
    low + 2.0 * (high - low) / (1.0 + growth.cosh())
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
    let mut growth = Growth::from(n, largest(norms(&before)), 0.0);
    let (mut now, mut image) = (Mat::zeros(n, VECTORS), Mat::zeros(n, VECTORS));
    (operator.apply)(&before, &mut now);
    now.zip(&before, |image, v| (image - centre * v) / radius);
    let (scale, shift) = (2.0 / radius, 2.0 * centre / radius);
    let rounding = Rounding { product: scale * operator.rounding, shift, stored: 0.0 };
    growth.step(&rounding, largest(norms(&now)));
    while growth.degree() < degree && !(operator.stop)() {
        (operator.apply)(&now, &mut image);
        before.zip2(&image, &now, |before, image, now| scale * image - shift * now - before);
        std::mem::swap(&mut before, &mut now);
        growth.step(&rounding, largest(norms(&now)));
    }
    growth.bound((centre, radius), operator.rounding, growth.now)
}

/// [`largest_at_most`] for what a sparse matrix is beside orthonormal vectors V, given ‖AV − VΘ‖, in half the time: vectors are stored in
/// single precision, and the bound is raised by what that may change.
pub(super) fn largest_beside(
    (a, residual): (&Csr, f64),
    vectors: &Mat,
    rounding: f64,
    (low, high): (f64, f64),
    drawn: Drawn,
    degree: usize,
    stop: &dyn Fn() -> bool,
) -> (f64, Proof) {
    let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low));
    if !(radius > 0.0 && radius.is_finite()) {
        return NOTHING;
    }
    let mut beside = Beside::new(a, vectors, drawn);
    let (scale, shift) = (2.0 / radius, 2.0 * centre / radius);
    // Every entry is rounded twice, to half of ε. What this leaves along V the next product turns into residuals.
    let stored = f64::from(f32::EPSILON) * (1.0 + scale * residual);
    let rounded = Rounding { product: scale * rounding, shift, stored };
    let mut growth = Growth::from(vectors.rows(), largest(beside.unprojected_norms()), stored);
    beside.step(0.5 * scale, 0.5 * shift);
    growth.step(&rounded, largest(beside.unprojected_norms()));
    while growth.degree() < degree && !stop() {
        beside.step(scale, shift);
        growth.step(&rounded, largest(beside.unprojected_norms()));
    }
    growth.bound((centre, radius), rounding, largest(beside.norms()))
}

/// What a step rounds, relative to the longest vectors.
struct Rounding {
    /// In the product with the vectors.
    product: f64,
    /// How much of the vectors is taken from the product.
    shift: f64,
    /// Where the next vectors are stored, beyond double precision.
    stored: f64,
}

/// The longest vectors, and how far rounding may have moved them.
struct Growth {
    delta: f64,
    now: f64,
    before: f64,
    /// ‖e_j‖.
    errors: Vec<f64>,
}

impl Growth {
    /// Of vectors of n numbers that were drawn.
    fn from(n: usize, now: f64, stored: f64) -> Self {
        Self { delta: delta(n), now, before: 0.0, errors: vec![stored * now] }
    }

    /// m, so far.
    fn degree(&self) -> usize {
        self.errors.len() - 1
    }

    /// A step to vectors that are at most so long.
    fn step(&mut self, rounding: &Rounding, next: f64) {
        let terms = 2.0 * rounding.shift.abs() * self.now + 2.0 * self.before + next;
        let own = 8.0 * f64::EPSILON * terms + rounding.stored * next;
        self.errors.push(rounding.product * self.now + own);
        (self.before, self.now) = (self.now, next);
    }

    /// The bound for an interval given by its centre and radius, where the longest of the last vectors has this length.
    fn bound(&self, (centre, radius): (f64, f64), rounding: f64, last: f64) -> (f64, Proof) {
        let degree = self.degree() as f64;
        if !(last.is_finite() && self.errors.iter().all(|error| error.is_finite())) {
            return NOTHING;
        }
        // Whether λ = cosh s, relative to the interval, would have made a longer vector. Once it would, every larger one would.
        let longer = |s: f64| {
            let hidden = self.errors.iter().zip(0..).map(|(error, j)| {
                let j = f64::from(j);
                (degree - j + 1.0) * error / (j * s).cosh()
            });
            (degree * s).cosh() * (self.delta - 1.01 * hidden.sum::<f64>()) > last
        };
        let (mut low, mut high) = (0.0, 1.0 / degree);
        while !longer(high) {
            (low, high) = (high, 2.0 * high);
            if high > MOST {
                return NOTHING;
            }
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if longer(middle) { high = middle } else { low = middle }
        }
        let proof = Proof::Probabilistic { failure: FAILURE, means: Means::Chebyshev };
        (centre + radius * high.cosh() + rounding, proof)
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
                    largest_at_most(&mut operator, interval, widened(&draw(n, seed)), DEGREE);
                assert!(proof.holds());
                assert!(bound >= top && bound <= top + slack, "{top} {interval:?} {bound}");
            }
        }
    }

    /// For directions of few and of many entries; along (1, 1)/√2 it is so as often as the bound allows.
    #[test]
    fn what_is_drawn_is_small_along_a_direction_no_more_often_than_the_bound() {
        let n = 40_000;
        for terms in [1, 2, 3, 50] {
            for small in [0.01, 0.1, 0.5] {
                let drawn = widened(&draw(n, terms as u64));
                let mut below = 0;
                for rows in drawn.as_slice().chunks_exact(VECTORS * terms) {
                    for j in 0..VECTORS {
                        let along: f64 = rows.iter().skip(j).step_by(VECTORS).sum();
                        below += usize::from(along.abs() < small * (terms as f64).sqrt());
                    }
                }
                let tries = n / terms * VECTORS;
                let (found, most) = (below as f64 / tries as f64, 8.0_f64.sqrt() / SIDE * small);
                let noise = 4.0 * (most / tries as f64).sqrt();
                assert!(found <= most + noise, "{terms} {small}: {found} {most}");
                // There it is sharp, and a larger bound would be too cautious.
                assert!(small != 0.1 || terms != 2 || found >= 0.97 * most - noise);
            }
        }
        let drawn = widened(&draw(n, 0));
        let (count, variance) = ((n * VECTORS) as f64, SIDE * SIDE / 12.0);
        assert!(drawn.as_slice().iter().sum::<f64>().abs() < 5.0 * (variance * count).sqrt());
        assert!((drawn.norm_squared() / count - variance).abs() < 0.01);
        // The middles of steps, and none is rounded.
        for &value in drawn.as_slice() {
            assert_eq!((value / HALF_STEP) as i64 % 2, value.signum() as i64);
            assert!((value / HALF_STEP).fract() == 0.0 && value.abs() < 0.5 * SIDE);
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
            let (bound, proof) =
                largest_at_most(&mut operator, (-1.0, 1.0), widened(&draw(n, 1)), DEGREE);
            assert_eq!(products.get(), most);
            assert!(proof.holds() && bound >= 1.0 && bound < looser, "{most} {bound}");
            looser = bound;
        }
    }

    /// The component along the leading vector is δ at first, and every error is taken from it: what remains must tell the eigenvalue.
    #[test]
    fn errors_that_hide_the_leading_vector_do_not_break_the_bound() {
        let (n, bulk, steps) = (10_000, 100.0, 20);
        for stored in [1e-8, 1e-7, 1e-6] {
            for top in [1.0001, 1.01, 1.1, 2.0] {
                // The other components pass through zero in the last step.
                let others =
                    |j: usize| bulk * (std::f64::consts::FRAC_PI_2 * j as f64 / steps as f64).cos();
                let rounding = Rounding { product: 0.0, shift: 0.0, stored };
                let mut growth = Growth::from(n, bulk, stored);
                let (mut before, mut now) = (0.0, delta(n) - stored * bulk);
                for step in 1..=steps {
                    let exact = if step == 1 { top * now } else { 2.0 * top * now - before };
                    let length = others(step).hypot(exact);
                    (before, now) = (now, exact - stored * length);
                    growth.step(&rounding, length);
                }
                let (bound, proof) = growth.bound((0.0, 1.0), 0.0, now.abs());
                assert!(proof.holds() && bound >= top, "{stored} {top}: {bound}");
                assert!(bound <= top + 0.03, "{stored} {top}: {bound}");
            }
        }
    }

    #[test]
    fn nothing_is_proved_of_products_that_are_not_finite() {
        let mut apply = |_: &Mat, out: &mut Mat| out.as_mut_slice().fill(f64::NAN);
        let mut operator = Operator { dim: 600, apply: &mut apply, rounding: 1e-15, stop: &never };
        let drawn = widened(&draw(600, 1));
        assert!(!largest_at_most(&mut operator, (-1.0, 1.0), drawn, 9).1.holds());
    }
}
