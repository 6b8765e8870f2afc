//! Thick-restart Lanczos with full orthogonalisation, for extreme eigenvalues of implicit matrices.
//!
//! The basis is kept orthogonal to working precision by two Gram–Schmidt passes, and the projected
//! matrix H = VᵀAV is taken from the inner products themselves, so a restart with Ritz vectors,
//! a warm start and a breakdown need no special cases.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{Eigen, Mat, add_scaled, add_scaled4, chunk, dot, multiversion, norm, symmetric_eigen};

/// Which Ritz values decide convergence and survive a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The `wanted` largest.
    Largest,
    /// The smallest and the largest; no restart, so that [`failure_gap`] applies to both.
    Ends,
}

/// What to compute and when to stop.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Which Ritz values matter.
    pub which: Which,
    /// How many of them, for [`Which::Largest`].
    pub wanted: usize,
    /// The most basis vectors held: memory is basis × n.
    pub basis: usize,
    /// The most products with the matrix.
    pub steps: usize,
    /// Stop when every residual that matters is below this share of the largest |Ritz value|.
    pub tolerance: f64,
}

impl Options {
    /// Both ends of the spectrum, by so many steps.
    pub fn ends(steps: usize, tolerance: f64) -> Self {
        Self { which: Which::Ends, wanted: 1, basis: steps, steps, tolerance }
    }

    /// The largest eigenvalue, by so many steps.
    pub fn largest(steps: usize, tolerance: f64) -> Self {
        Self { which: Which::Largest, ..Self::ends(steps, tolerance) }
    }
}

/// Ritz values and vectors.
#[derive(Clone, Debug)]
pub struct Ritz {
    /// Ritz values, largest first: the wanted ones, or the two ends.
    pub values: Vec<f64>,
    /// ‖A·v − θ·v‖ of each.
    pub residuals: Vec<f64>,
    /// Row i is the unit Ritz vector of `values[i]`; none of [`Which::Ends`].
    pub vectors: Mat,
    /// The smallest Ritz value of all, not below λmin.
    pub lowest: f64,
    /// Products with the matrix.
    pub steps: usize,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// A Krylov basis, kept between calls to save its memory.
#[derive(Clone, Debug)]
pub struct Krylov {
    basis: Mat,
    projected: Mat,
    vector: Mat,
    image: Mat,
    coefficients: Vec<f64>,
    random: Xoshiro256PlusPlus,
}

impl Krylov {
    /// For n×n matrices; `seed` draws the start (where none is given) and breaks breakdowns.
    pub fn new(n: usize, seed: u64) -> Self {
        Self {
            basis: Mat::zeros(0, n),
            projected: Mat::zeros(0, 0),
            vector: Mat::zeros(n, 1),
            image: Mat::zeros(n, 1),
            coefficients: Vec::new(),
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Draws from another seed from now on.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Xoshiro256PlusPlus::seed_from_u64(seed);
    }

    /// Runs Lanczos on the symmetric matrix that `apply(v, out)` multiplies by.
    ///
    /// Starts from `start`, or from a uniformly random direction. None if the matrix produced a
    /// value that is not finite.
    pub fn run(
        &mut self,
        apply: &mut dyn FnMut(&Mat, &mut Mat),
        start: Option<&[f64]>,
        options: Options,
    ) -> Option<Ritz> {
        self.run_until(&|| false, apply, start, options)
    }

    /// As [`Krylov::run`], but ends as if the steps were used up as soon as `stop` says so, which is asked after every
    /// product.
    pub fn run_until(
        &mut self,
        stop: &dyn Fn() -> bool,
        apply: &mut dyn FnMut(&Mat, &mut Mat),
        start: Option<&[f64]>,
        options: Options,
    ) -> Option<Ritz> {
        let n = self.vector.rows();
        let capacity = options.basis.clamp(1, n);
        if self.basis.rows() < capacity {
            self.basis = Mat::zeros(capacity, n);
            self.projected = Mat::zeros(capacity, capacity);
        }
        self.set_start(start);
        let (mut done, mut steps, mut lowest) = (0, 0, f64::INFINITY);
        loop {
            self.basis.row_mut(done).copy_from_slice(self.vector.as_slice());
            apply(&self.vector, &mut self.image);
            steps += 1;
            let residual = self.orthogonalise(done)?;
            done += 1;
            let last = steps >= options.steps || stop();
            let full = done == capacity || last;
            if full || done <= 12 || done % 10 == 0 {
                let (mut ritz, eigen, chosen) = self.ritz(done, residual, steps, options)?;
                lowest = ritz.lowest.min(lowest); // A restart forgets it.
                ritz.lowest = lowest;
                // A breakdown only says that the subspace is invariant, not that the largest
                // eigenvalues are in it: go on from a random direction while there is room.
                ritz.converged &= full || !self.vanished(done, residual);
                let exhausted = full && (options.which == Which::Ends || done == n);
                if ritz.converged || exhausted || last {
                    if options.which == Which::Largest {
                        ritz.vectors = self.combine(&eigen.vectors, &chosen, done);
                    }
                    return Some(ritz);
                }
                if full {
                    done = self.restart(&eigen, done, options);
                }
            }
            self.advance(done, residual);
        }
    }

    fn set_start(&mut self, start: Option<&[f64]>) {
        let given = start.map_or(0.0, norm);
        if let (Some(start), true) = (start, given > 0.0 && given.is_finite()) {
            let scaled = self.vector.as_mut_slice().iter_mut().zip(start);
            scaled.for_each(|(v, s)| *v = s / given);
        } else {
            self.randomise(0);
        }
    }

    /// A random unit vector orthogonal to the first `len` basis vectors.
    fn randomise(&mut self, len: usize) {
        for v in self.vector.as_mut_slice() {
            *v = StandardNormal.sample(&mut self.random);
        }
        for _ in 0..2 {
            project_out(&self.basis, len, &mut self.vector, &mut self.coefficients);
        }
        let length = self.vector.norm();
        self.vector.scale(1.0 / length);
    }

    /// Makes `image` orthogonal to basis vectors 0..=`last`, filling column `last` of H.
    fn orthogonalise(&mut self, last: usize) -> Option<f64> {
        let before = self.image.norm();
        for i in 0..=last {
            self.projected[(i, last)] = 0.0;
        }
        let mut residual = before;
        // Twice is enough, and once where little was taken away (Daniel, Gragg, Kaufman, Stewart).
        for _ in 0..2 {
            let whole = residual;
            project_out(&self.basis, last + 1, &mut self.image, &mut self.coefficients);
            for (i, along) in self.coefficients[..=last].iter().enumerate() {
                self.projected[(i, last)] += along;
                self.projected[(last, i)] = self.projected[(i, last)];
            }
            residual = self.image.norm();
            if residual > LITTLE * whole {
                break;
            }
        }
        residual.is_finite().then_some(residual)
    }

    /// Takes the residual direction as the next vector, or a random one when it vanished.
    fn advance(&mut self, len: usize, residual: f64) {
        if self.vanished(len, residual) {
            self.randomise(len);
        } else {
            let next = self.vector.as_mut_slice().iter_mut().zip(self.image.as_slice());
            next.for_each(|(v, w)| *v = w / residual);
        }
    }

    /// Whether a residual is rounding noise against H, whose Frobenius norm bounds its entries.
    fn vanished(&self, len: usize, residual: f64) -> bool {
        let scale = (0..len).fold(0.0_f64, |m, i| m.max(norm(&self.projected.row(i)[..len])));
        residual <= 1e-13 * scale || residual <= f64::MIN_POSITIVE
    }

    /// Ritz values and residuals, without the vectors, which only the last call needs.
    fn ritz(
        &self,
        done: usize,
        residual: f64,
        steps: usize,
        options: Options,
    ) -> Option<(Ritz, Eigen, Vec<usize>)> {
        let eigen = symmetric_eigen(&self.leading(done))?;
        let chosen: Vec<usize> = match options.which {
            Which::Largest => (0..options.wanted.min(done)).map(|i| done - 1 - i).collect(),
            Which::Ends => vec![done - 1, 0],
        };
        let values: Vec<f64> = chosen.iter().map(|&i| eigen.values[i]).collect();
        let residuals: Vec<f64> =
            chosen.iter().map(|&i| residual * eigen.vectors[(i, done - 1)].abs()).collect();
        let scale = eigen.values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let enough = options.which == Which::Ends || done >= options.wanted;
        let converged = enough && residuals.iter().all(|&r| r <= options.tolerance * scale);
        let (vectors, lowest) = (Mat::zeros(0, 0), eigen.values[0]);
        Some((Ritz { values, residuals, vectors, lowest, steps, converged }, eigen, chosen))
    }

    fn leading(&self, done: usize) -> Mat {
        Mat::from_fn(done, done, |i, j| self.projected[(i, j)])
    }

    /// Rows: the Ritz vectors for the chosen rows of `weights`.
    fn combine(&self, weights: &Mat, chosen: &[usize], done: usize) -> Mat {
        let n = self.vector.rows();
        let mut vectors = Mat::zeros(chosen.len(), n);
        for (row, &which) in chosen.iter().enumerate() {
            chunk::for_each(vectors.row_mut(row), SEGMENT, |index, out| {
                let weights = &weights.row(which)[..done];
                add_rows::<4>(1.0, weights, self.basis.as_slice(), (n, index * SEGMENT), out);
            });
        }
        vectors
    }

    /// Keeps the best Ritz vectors as the new basis; returns how many. `eigen` is that of H.
    fn restart(&mut self, eigen: &Eigen, done: usize, options: Options) -> usize {
        let keep = (options.wanted + (done - options.wanted.min(done)) / 2).clamp(1, done - 1);
        let chosen: Vec<usize> = (0..keep).map(|i| done - 1 - i).collect();
        let kept = self.combine(&eigen.vectors, &chosen, done);
        self.projected.as_mut_slice().fill(0.0);
        for (row, &which) in chosen.iter().enumerate() {
            self.basis.row_mut(row).copy_from_slice(kept.row(row));
            self.projected[(row, row)] = eigen.values[which];
        }
        keep
    }
}

/// The share of a vector that must be left for one pass to be enough: what it misses is larger by 1/share at most.
const LITTLE: f64 = 0.5;

/// Entries of a vector that stay in cache while every basis vector passes over them.
const SEGMENT: usize = 2048;

/// w ← w − VVᵀw for the first `len` rows of V; their inner products are left in `coefficients`.
fn project_out(basis: &Mat, len: usize, w: &mut Mat, coefficients: &mut Vec<f64>) {
    if len == 0 {
        return;
    }
    let segments = w.rows().div_ceil(SEGMENT);
    coefficients.resize(len * segments, 0.0);
    let part = |i: usize, index: usize| {
        let row = basis.row(i);
        &row[index * SEGMENT..row.len().min((index + 1) * SEGMENT)]
    };
    let entries = w.as_slice();
    chunk::for_each(coefficients, len, |index, partial| {
        let segment = &entries[index * SEGMENT..entries.len().min((index + 1) * SEGMENT)];
        for (i, sum) in partial.iter_mut().enumerate() {
            *sum = dot(part(i, index), segment);
        }
    });
    // Added in order, whoever computed them.
    let (total, rest) = coefficients.split_at_mut(len);
    for partial in rest.chunks_exact(len) {
        total.iter_mut().zip(partial).for_each(|(sum, p)| *sum += p);
    }
    let total = &coefficients[..len];
    chunk::for_each(w.as_mut_slice(), SEGMENT, |index, segment| {
        add_rows::<4>(-1.0, total, basis.as_slice(), (basis.cols(), index * SEGMENT), segment);
    });
}

multiversion! {
    /// sum ← sum + sign·Σ weights_i·row_i, four rows at a time; `place` are the columns of the matrix and the one to
    /// begin with.
    fn add_rows<const FOUR: usize>(
        sign: f64,
        weights: &[f64],
        rows: &[f64],
        place: (usize, usize),
        sum: &mut [f64],
    ) {
        let (cols, mut begin) = place;
        let len = sum.len();
        let (fours, rest) = weights.as_chunks::<4>();
        for weights in fours {
            let (a, b) = (&rows[begin..begin + len], &rows[begin + cols..begin + cols + len]);
            begin += 2 * cols;
            let (c, d) = (&rows[begin..begin + len], &rows[begin + cols..begin + cols + len]);
            begin += 2 * cols;
            add_scaled4::<FUSED, _>(weights.map(|w| sign * w), [a, b, c, d], sum);
        }
        for weight in rest {
            add_scaled::<FUSED, _>(sign * weight, &rows[begin..begin + len], sum);
            begin += cols;
        }
    }
}

/// The share ε of the spectrum's width λmax − λmin by which an extreme Ritz value misses its
/// eigenvalue with probability at most `failure`, after `steps` steps from a uniformly random start:
/// P ≤ 1.648·√n·exp(−√ε·(2q − 1))  (Kuczyński and Woźniakowski, SIMAX 1992).
pub fn failure_gap(n: usize, steps: usize, failure: f64) -> f64 {
    let exponent = (1.648 * (n as f64).sqrt() / failure).ln();
    (exponent / (2.0 * steps as f64 - 1.0)).powi(2)
}

#[cfg(test)]
mod tests;
