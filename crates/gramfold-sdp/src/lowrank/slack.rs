//! The certificate that steers the engine: λmin of the slack, block by block.
//!
//! It decides between going on, raising the rank and returning. What is claimed of the point in the end is
//! recomputed by whoever judges it.

use gramfold_linalg::{Krylov, KrylovOptions, Mat, proves_positive_definite, symmetric_eigen};

use super::SlackBlock;
use crate::{Stop, lowest::Lowest};

/// Sizes up to which all eigenvalues are computed.
const DENSE: usize = 160;
/// Sizes up to which a Cholesky factorisation answers whether S ⪰ −μI.
const FACTORISED: usize = 4000;

/// The least eigenvalue of the slack in one block, as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Least {
    /// No eigenvalue is below this; from Lanczos, none was found below it.
    pub(super) value: f64,
    /// Unit vectors with negative curvature, most negative first, one a row.
    pub(super) directions: Mat,
    /// In a nonnegative block the places of its negative numbers, most negative first, instead.
    pub(super) places: Vec<usize>,
    /// Their Rayleigh quotients, or the numbers.
    pub(super) curvatures: Vec<f64>,
}

impl Least {
    fn none(value: f64, n: usize) -> Self {
        Self { value, directions: Mat::zeros(0, n), places: Vec::new(), curvatures: Vec::new() }
    }

    /// With the negative ones of these eigenvalues, smallest first, and their vectors.
    fn of(value: f64, values: &[f64], vectors: &Mat) -> Self {
        let negative = values.iter().take_while(|value| **value < 0.0).count();
        let directions = Mat::from_fn(negative, vectors.cols(), |i, j| vectors[(i, j)]);
        Self { value, directions, places: Vec::new(), curvatures: values[..negative].to_vec() }
    }
}

/// Remembers a Krylov basis a block.
pub(super) struct SlackSpectrum {
    krylov: Vec<Option<Krylov>>,
    seed: u64,
    /// Lanczos runs so far: each draws its start from its own seed, so that a resumed run draws what this one draws.
    pub(super) looks: u64,
}

impl SlackSpectrum {
    pub(super) fn new(blocks: usize, seed: u64) -> Self {
        Self { krylov: (0..blocks).map(|_| None).collect(), seed, looks: 0 }
    }

    /// λmin of a block, or −`allowed` where it is no less than that.
    pub(super) fn least(&mut self, slack: SlackBlock<'_>, allowed: f64, stop: Stop<'_>) -> Least {
        let n = slack.rows().range.len();
        if slack.rows().nonnegative {
            return nonnegative(&slack.diagonal());
        }
        if n <= FACTORISED {
            let dense = slack.dense();
            if n <= DENSE {
                return of_dense(&dense);
            }
            if proves_positive_definite(&dense, 1.0, allowed, 0.0, stop) {
                return Least::none(-allowed, n);
            }
        }
        self.lanczos(slack, (1, 400), stop)
    }

    /// A first look, by few products: nothing is proved, and nothing found proves nothing.
    pub(super) fn glance(&mut self, slack: SlackBlock<'_>, wanted: usize, stop: Stop<'_>) -> Least {
        if slack.rows().nonnegative {
            return nonnegative(&slack.diagonal());
        }
        self.lanczos(slack, (wanted, 24 + wanted), stop)
    }

    fn lanczos(&mut self, slack: SlackBlock<'_>, most: (usize, usize), stop: Stop<'_>) -> Least {
        let ((wanted, steps), block) = (most, slack.block);
        let n = slack.rows().range.len();
        let seed = self.seed ^ block as u64;
        let krylov = self.krylov[block].get_or_insert_with(|| Krylov::new(n, seed));
        krylov.reseed(seed.wrapping_add(self.looks << 32));
        self.looks += 1;
        let mut apply = |v: &Mat, out: &mut Mat| slack.apply(v, out);
        let basis = (wanted + 40).min(steps).min(n);
        let options = KrylovOptions { wanted, basis, ..KrylovOptions::largest(steps, 1e-5) };
        match Lowest::of(krylov, &mut apply, options, stop) {
            Some(found) => Least::of(found.below, &found.values, &found.vectors),
            None => Least::none(f64::NEG_INFINITY, n),
        }
    }
}

fn nonnegative(diagonal: &[f64]) -> Least {
    let n = diagonal.len();
    let mut negative: Vec<usize> = (0..n).filter(|&i| diagonal[i] < 0.0).collect();
    negative.sort_by(|&a, &b| diagonal[a].total_cmp(&diagonal[b]));
    Least {
        value: diagonal.iter().copied().fold(f64::INFINITY, f64::min),
        directions: Mat::zeros(0, n),
        curvatures: negative.iter().map(|&i| diagonal[i]).collect(),
        places: negative,
    }
}

fn of_dense(dense: &Mat) -> Least {
    let n = dense.rows();
    let Some(eigen) = symmetric_eigen(dense) else {
        return Least::none(f64::NEG_INFINITY, n);
    };
    // Backward error of the eigenvalues, so that the value is a bound.
    let size = eigen.values.iter().fold(0.0_f64, |m, value| m.max(value.abs()));
    let error = 16.0 * n as f64 * f64::EPSILON * size;
    Least::of(eigen.values[0] - error, &eigen.values, &eigen.vectors)
}
