//! ⟨a_k·a_kᵀ, Z⟩ = a_kᵀZa_k: phase retrieval, and metrics from differences of points.

use gramfold_linalg::{Gram, Mat, dot, multiply};
use rayon::prelude::*;

use super::{Map, perron};

/// Multiplications that a sharp bound on the norm may take.
const SHARP: usize = 1 << 28;

/// Up to so many columns the a_k are read once for a product there and back, and beyond by blocked products.
const FEW: usize = 8;

/// Rows that one task handles; their sums are added in order.
const ROWS: usize = 512;

/// a_kᵀZa_k for the rows a_k of a matrix.
#[derive(Clone, Debug)]
pub struct RankOne {
    /// The a_k, m×n.
    vectors: Mat,
}

impl RankOne {
    /// Its name in specs and files.
    pub const NAME: &'static str = "rank-one";

    /// With the m×n matrix of the a_k.
    pub fn new(vectors: Mat) -> Self {
        Self { vectors }
    }

    /// Row k ← a_kᵀ·v.
    fn lift(&self, v: &Mat) -> Mat {
        let mut lifted = Mat::zeros(self.len(), v.cols());
        multiply(1.0, &self.vectors, v, &mut lifted);
        lifted
    }

    /// Σ_k a_k·w_kᵀ, with w_k what `weigh` makes of the numbers a_k·v over the columns v of the factors: their first `kept` ones. The
    /// a_k are read once.
    fn through(
        &self,
        factors: &[&Mat],
        kept: usize,
        weigh: impl Fn(usize, &mut [f64]) + Sync,
        out: &mut Mat,
    ) {
        let n = self.dim();
        let columns: Vec<Mat> = factors.iter().map(|factor| factor.transposed()).collect();
        let columns: Vec<&[f64]> =
            columns.iter().flat_map(|c| c.as_slice().chunks_exact(n.max(1))).collect();
        let part = |rows: &[f64], first: usize| {
            let (mut sums, mut numbers) = (vec![0.0; kept * n], vec![0.0; columns.len()]);
            for (k, a) in (first..).zip(rows.chunks_exact(n.max(1))) {
                numbers.iter_mut().zip(&columns).for_each(|(number, v)| *number = dot(a, v));
                weigh(k, &mut numbers);
                for (sum, weight) in sums.chunks_exact_mut(n.max(1)).zip(&numbers) {
                    sum.iter_mut().zip(a).for_each(|(sum, a)| *sum += weight * a);
                }
            }
            sums
        };
        let parts: Vec<Vec<f64>> = self
            .vectors
            .as_slice()
            .par_chunks(ROWS * n.max(1))
            .enumerate()
            .map(|(index, rows)| part(rows, index * ROWS))
            .collect();
        out.as_mut_slice().fill(0.0);
        for part in parts {
            for (j, sums) in part.chunks_exact(n.max(1)).enumerate() {
                sums.iter().enumerate().for_each(|(i, sum)| out[(i, j)] += sum);
            }
        }
    }

    /// Σ s_k·a_ka_kᵀ, all of it.
    fn dense(&self, s: &[f64]) -> Mat {
        let mut scaled = self.vectors.clone();
        scale_rows(s, &mut scaled);
        Gram::new(1).of(&scaled, &self.vectors).clone()
    }

    /// ‖a_k‖².
    fn squares(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.len()).map(|k| dot(self.vectors.row(k), self.vectors.row(k)))
    }

    /// Whether an n×n matrix for each of a few steps is affordable.
    fn is_small(&self) -> bool {
        self.dim() * self.dim() * self.len() <= SHARP / 32
    }
}

/// Row k ← s_k·(row k).
fn scale_rows(s: &[f64], rows: &mut Mat) {
    let cols = rows.cols().max(1);
    for (row, s) in rows.as_mut_slice().chunks_exact_mut(cols).zip(s) {
        for value in row.iter_mut() {
            *value *= s;
        }
    }
}

impl Map for RankOne {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn dim(&self) -> usize {
        self.vectors.cols()
    }

    fn len(&self) -> usize {
        self.vectors.rows()
    }

    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]) {
        let left = self.lift(x);
        let other = (!std::ptr::eq(x, y)).then(|| self.lift(y));
        let right = other.as_ref().unwrap_or(&left);
        for (k, out) in out.iter_mut().enumerate() {
            *out = left.row(k).iter().zip(right.row(k)).map(|(a, b)| a * b).sum();
        }
    }

    fn apply(&self, s: &[f64], _: &[f64], v: &Mat, out: &mut Mat) {
        if v.cols() > FEW {
            let mut lifted = self.lift(v);
            scale_rows(s, &mut lifted);
            out.copy_from(Gram::new(1).of(&self.vectors, &lifted));
            return;
        }
        let scale = |k: usize, numbers: &mut [f64]| numbers.iter_mut().for_each(|a| *a *= s[k]);
        self.through(&[v], v.cols(), scale, out);
    }

    fn curvature_product(&self, c: &[f64], x: &Mat, v: &Mat, out: &mut Mat) -> bool {
        let r = x.cols();
        if r > FEW {
            return false;
        }
        let weigh = |k: usize, numbers: &mut [f64]| {
            let (own, other) = numbers.split_at_mut(r);
            let along = 2.0 * c[k] * dot(own, other);
            for a in own.iter_mut() {
                *a *= along;
            }
        };
        self.through(&[x, v], r, weigh, out);
        true
    }

    fn line(&self, x: &Mat, p: &Mat, first: &mut [f64], second: &mut [f64]) {
        let r = x.cols();
        let both =
            Mat::from_fn(x.rows(), 2 * r, |i, j| if j < r { x[(i, j)] } else { p[(i, j - r)] });
        let lifted = self.lift(&both);
        for (k, (first, second)) in first.iter_mut().zip(second).enumerate() {
            let (x, p) = lifted.row(k).split_at(r);
            (*first, *second) = (2.0 * dot(x, p), dot(p, p));
        }
    }

    fn absolute(&self, s: &[f64], v: &Mat, out: &mut Mat) {
        // Σ s_k|a_k|·(|a_k|ᵀv).
        out.as_mut_slice().fill(0.0);
        for (k, s) in s.iter().enumerate() {
            let a = self.vectors.row(k);
            let along: f64 = a.iter().zip(v.as_slice()).map(|(a, v)| a.abs() * v).sum();
            let pairs = out.as_mut_slice().iter_mut().zip(a);
            pairs.for_each(|(out, a)| *out += s * along * a.abs());
        }
    }

    fn norm_squared(&self, c: &[f64]) -> f64 {
        if self.is_small() {
            // ⟨A_k, A_l⟩ = (a_k·a_l)² is not negative.
            return perron(self.len(), |v, out| {
                let sum = self.dense(v.as_slice());
                let image = self.lift(&sum);
                for (k, out) in out.as_mut_slice().iter_mut().enumerate() {
                    *out = c[k] * dot(image.row(k), self.vectors.row(k)).max(0.0);
                }
            });
        }
        // |aᵀZa| ≤ ‖a‖·‖Za‖, and ‖ZAᵀ‖² ≤ λmax(AᵀA)·‖Z‖².
        let largest = self.squares().zip(c).map(|(square, c)| c * square).fold(0.0, f64::max);
        let rows = (0..self.len()).map(|k| self.vectors.row(k).iter().map(|a| a.abs()).sum());
        let longest: f64 = rows.fold(0.0, f64::max);
        let mut columns = vec![0.0; self.dim()];
        for k in 0..self.len() {
            columns.iter_mut().zip(self.vectors.row(k)).for_each(|(sum, a)| *sum += a.abs());
        }
        let product = longest * columns.into_iter().fold(0.0, f64::max);
        largest * product.min(self.vectors.norm_squared()) * (1.0 + 1e-12)
    }

    fn size(&self, s: &[f64]) -> f64 {
        if self.is_small() {
            return self.dense(s).norm() * (1.0 + 1e-10);
        }
        self.squares().zip(s).map(|(square, s)| square * s.abs()).sum::<f64>() * (1.0 + 1e-12)
    }

    fn temper(&self, slopes: &[f64]) -> Option<Vec<f64>> {
        // Squares have heavy tails, and few large ones would decide. With y = b/mean, (y − 1)/(y + √(m/n) − 1) is
        // bounded and nearly the best there is (Luo, Alghamdi and Lu).
        if slopes.iter().any(|s| *s > 0.0) {
            return None;
        }
        let mean = -slopes.iter().sum::<f64>() / slopes.len() as f64;
        let excess = (self.len() as f64 / self.dim() as f64).sqrt() - 1.0;
        if !(mean > 0.0 && excess > 0.0) {
            return None;
        }
        let temper = |s: &f64| {
            let y = -s / mean;
            -(y - 1.0) / (y + excess)
        };
        Some(slopes.iter().map(temper).collect())
    }

    fn rounding(&self, rank: usize) -> f64 {
        let total: f64 = self.squares().map(|square| square * square).sum();
        2.0 * (self.dim() + rank + 4) as f64 * f64::EPSILON * total.sqrt()
    }
}
