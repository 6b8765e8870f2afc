//! w₀C + Σ wᵢAᵢ, block by block, with a bound on the rounding of its entries.

use gramfold_linalg::{Csr, Dense, Gram, Mat, Symmetric, accumulate, counting_sort};

use crate::{Cone, Sdp};

/// A block of w₀C + Σ wᵢAᵢ.
#[derive(Clone, Debug)]
pub(crate) enum Combination {
    /// A block of a semidefinite cone.
    Semidefinite(SymmetricSum),
    /// The diagonal of a nonnegative block, and how wrong each number may be.
    Nonnegative { values: Vec<f64>, errors: Vec<f64> },
}

/// A symmetric matrix: sparse entries and rank-one parts, never n×n unless it is small or full.
#[derive(Clone, Debug)]
pub(crate) struct SymmetricSum {
    /// The entries.
    pub(crate) entries: Symmetric,
    /// weight·vvᵀ, beside the entries.
    pub(crate) rank_ones: Vec<(f64, Vec<f64>)>,
    /// ‖computed − exact‖₂ is at most this.
    pub(crate) error: f64,
    /// |computed − exact| of each entry of the upper triangle, without the rank-one parts, is at most this.
    pub(crate) errors: Vec<(u32, u32, f64)>,
    /// The same of a rank-one part, relative to its entry.
    pub(crate) unit: f64,
    /// ‖exact‖₂ is at most about this: the largest row sum of absolute values before cancellation.
    pub(crate) size: f64,
}

impl Combination {
    /// Block `block` of `cost`·C + Σ `weights`ᵢAᵢ; `sign` multiplies every weight.
    pub(crate) fn of(sdp: &Sdp, block: usize, cost: f64, sign: f64, weights: &[f64]) -> Self {
        let weights = std::iter::once(cost).chain(weights.iter().map(|weight| sign * weight));
        let weights = weights.enumerate().filter(|&(_, weight)| weight != 0.0);
        match sdp.cones()[block] {
            Cone::Nonnegative(n) => {
                let (mut values, mut sizes, mut counts) =
                    (vec![0.0; n], vec![0.0; n], vec![2.0; n]);
                for (matrix, weight) in weights {
                    for entry in sdp.entries(matrix, block) {
                        let at = entry.row as usize;
                        let product = weight * entry.value;
                        values[at] += product;
                        sizes[at] += product.abs();
                        counts[at] += 1.0;
                    }
                }
                let errors =
                    sizes.iter().zip(&counts).map(|(size, k)| k * f64::EPSILON * size).collect();
                Self::Nonnegative { values, errors }
            }
            Cone::Semidefinite(n) => Self::Semidefinite(SymmetricSum::of(sdp, block, n, weights)),
        }
    }
}

impl SymmetricSum {
    fn of(sdp: &Sdp, block: usize, n: usize, weights: impl Iterator<Item = (usize, f64)>) -> Self {
        let mut entries: Vec<Summed> = Vec::new();
        let mut sums = vec![0.0; n];
        let mut used = vec![0.0; sdp.constraints() + 1];
        for (matrix, weight) in weights {
            used[matrix] = weight;
            for entry in sdp.entries(matrix, block) {
                let product = weight * entry.value;
                entries.push((entry.row, entry.col, product, product.abs()));
                sums[entry.row as usize] += product.abs();
                if entry.row != entry.col {
                    sums[entry.col as usize] += product.abs();
                }
            }
        }
        let most = merge(&mut entries, n);
        let mut rank_ones = Vec::new();
        let mut parts = 0;
        for part in sdp.rank_ones().iter().filter(|part| part.block == block) {
            let weight = used[part.matrix] * part.weight;
            if weight == 0.0 {
                continue;
            }
            parts += 1;
            let length: f64 = part.vector.iter().map(|v| v.abs()).sum();
            for (sum, v) in sums.iter_mut().zip(&part.vector) {
                *sum += (weight * v).abs() * length;
            }
            // The same vector under several matrices, as the J of a bisection, is one part.
            match rank_ones.iter_mut().find(|(_, vector)| *vector == part.vector) {
                Some((total, _)) => *total += weight,
                None => rank_ones.push((weight, part.vector.clone())),
            }
        }
        // A sum of k products is wrong by at most γ_k times the sum of their sizes, and the spectral norm of the
        // errors is at most their largest row sum. A rank-one part
        // takes four roundings: its weight, their sum, and two products.
        let terms = (most + 4 * parts + 2) as f64;
        let size = sums.iter().fold(0.0_f64, |m, &s| if s.is_nan() { f64::NAN } else { m.max(s) });
        let full = entries.len() > n * (n + 1) / 4 && n <= 4096;
        let unit = terms * f64::EPSILON;
        let errors = entries.iter().map(|&(i, j, _, size)| (i, j, unit * size)).collect();
        let entries: Vec<_> = entries.iter().map(|&(i, j, value, _)| (i, j, value)).collect();
        let sparse = Csr::from_triangle(n, &entries)
            .expect("invariant: a program's entries lie within its blocks");
        let entries = if full {
            Dense::symmetrised(Symmetric::from(sparse).to_dense()).into()
        } else {
            sparse.into()
        };
        Self { entries, rank_ones, error: unit * size, errors, unit, size }
    }

    /// n.
    pub(crate) fn dim(&self) -> usize {
        self.entries.dim()
    }

    /// out ← S·v.
    pub(crate) fn apply(&self, v: &Mat, out: &mut Mat) {
        self.entries.apply(v, out);
        for (weight, vector) in &self.rank_ones {
            let column = Mat::from_row_major(vector.len(), 1, vector.clone());
            let along = Gram::new(1).of(&column, v).clone();
            accumulate(*weight, &column, &along, out);
        }
    }

    /// DSD with its diagonal between ½ and 2, D of powers of two, and a bound on the rounding of S in it: what is
    /// definite but badly scaled can be proved so only here. None unless the diagonal is positive.
    pub(crate) fn scaled(&self, dense: &Mat) -> Option<(Mat, f64)> {
        let n = self.dim();
        let powers: Vec<f64> =
            (0..n).map(|i| (-0.5 * dense[(i, i)].log2()).round().exp2()).collect();
        if !powers.iter().all(|d| d.is_normal()) {
            return None;
        }
        let scaled = Mat::from_fn(n, n, |i, j| powers[i] * dense[(i, j)] * powers[j]);
        let mut sums = vec![0.0; n];
        for &(i, j, error) in &self.errors {
            let (i, j) = (i as usize, j as usize);
            let error = powers[i] * error * powers[j];
            sums[i] += error;
            if i != j {
                sums[j] += error;
            }
        }
        for (weight, vector) in &self.rank_ones {
            let length: f64 = vector.iter().zip(&powers).map(|(v, d)| (v * d).abs()).sum();
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum += self.unit * (weight * vector[i] * powers[i]).abs() * length;
            }
        }
        let error = sums.iter().copied().fold(0.0, f64::max);
        Some((scaled, error * (1.0 + (n as f64 + 8.0) * f64::EPSILON)))
    }

    /// All n² entries.
    pub(crate) fn to_dense(&self) -> Mat {
        let mut dense = self.entries.to_dense();
        for (weight, vector) in &self.rank_ones {
            for (i, vi) in vector.iter().enumerate() {
                let scaled = weight * vi;
                dense.row_mut(i).iter_mut().zip(vector).for_each(|(e, vj)| *e += scaled * vj);
            }
        }
        dense
    }
}

/// Row, column, a sum, and the sum of the sizes of its terms.
type Summed = (u32, u32, f64, f64);

/// Adds up entries at one place, in their order, and says how many there were at most.
fn merge(entries: &mut Vec<Summed>, n: usize) -> usize {
    // Counting sorts by column and then by row: linear, and stable, so that the same program gives the same bits.
    for key in [|e: &Summed| e.1, |e: &Summed| e.0] {
        *entries = counting_sort(n, entries.iter().copied(), key).0;
    }
    let (mut most, mut run, mut kept) = (1, 0, 0_usize);
    for at in 0..entries.len() {
        let entry = entries[at];
        if kept > 0 && (entries[kept - 1].0, entries[kept - 1].1) == (entry.0, entry.1) {
            entries[kept - 1].2 += entry.2;
            entries[kept - 1].3 += entry.3;
            run += 1;
        } else {
            entries[kept] = entry;
            kept += 1;
            run = 1;
        }
        most = most.max(run);
    }
    entries.truncate(kept);
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RankOne, Term};

    fn program() -> Sdp {
        let term = |matrix, block, row, col, value| Term { matrix, block, row, col, value };
        let terms = vec![
            term(0, 0, 0, 1, 2.0),
            term(1, 0, 0, 1, 0.5),
            term(1, 0, 2, 2, 3.0),
            term(2, 0, 1, 0, -1.0),
            term(2, 1, 1, 1, 4.0),
            term(0, 1, 0, 0, 1.0),
        ];
        let rank_ones = vec![
            RankOne { matrix: 0, block: 0, weight: -1.0, vector: vec![1.0, 2.0, 0.0] },
            RankOne { matrix: 2, block: 0, weight: 2.0, vector: vec![1.0, 2.0, 0.0] },
        ];
        let cones = vec![Cone::Semidefinite(3), Cone::Nonnegative(2)];
        Sdp::new(cones, vec![0.0; 2], terms, rank_ones).unwrap()
    }

    #[test]
    fn blocks_match_a_sum_by_hand() {
        let y = [2.0, 0.25];
        let Combination::Semidefinite(slack) = Combination::of(&program(), 0, 1.0, -1.0, &y) else {
            panic!("a semidefinite block");
        };
        // Off the diagonal: 2 − 2·½ + ¼ and the rank-one part (−1 − ½)vvᵀ.
        let expected = [[-1.5, 1.25 - 3.0, 0.0], [1.25 - 3.0, -6.0, 0.0], [0.0, 0.0, -6.0]];
        let expected = Mat::from_fn(3, 3, |i, j| expected[i][j]);
        assert!(slack.to_dense().distance(&expected) < 1e-15);
        let mut product = Mat::zeros(3, 3);
        slack.apply(&Mat::identity(3), &mut product);
        assert!(product.distance(&expected) < 1e-14);
        assert!(slack.error > 0.0 && slack.error < 1e-13 && slack.size >= 6.0);
        let Combination::Nonnegative { values, errors } =
            Combination::of(&program(), 1, 1.0, -1.0, &y)
        else {
            panic!("a nonnegative block");
        };
        assert_eq!(values, [1.0, -1.0]);
        assert!(errors.iter().all(|e| *e < 1e-14));
    }
}
