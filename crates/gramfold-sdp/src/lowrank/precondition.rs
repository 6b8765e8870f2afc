//! The diagonal blocks of ∇²L, one r×r matrix a row of R, inverted.
//!
//! ∇²L = 2S⊗I + 4β Σ_k vec(A_kR)vec(A_kR)ᵀ. A row sees 4β Σ_k (A_kR)_i(A_kR)_iᵀ: stiff along what its
//! constraints pull, soft elsewhere. That is what β makes worse and what this takes away.

use gramfold_linalg::{Mat, multiply_rows};

use super::{Factors, lagrangian::Lagrangian};

/// Entries of a block's inverses above which a row is given one number, the mean of its matrix's diagonal: reading
/// more than the cache holds would cost more than it saves.
const ROOM: usize = 1 << 22;

/// What is inverted of one block.
enum Rows {
    Matrices(Vec<f64>),
    Numbers(Vec<f64>),
}

/// Inverted diagonal blocks.
pub(super) struct Preconditioner {
    blocks: Vec<Rows>,
}

impl Preconditioner {
    pub(super) fn new(l: &Lagrangian) -> Self {
        let blocks = l.factors.0.iter().enumerate();
        Self { blocks: blocks.map(|(block, factor)| Self::block(l, block, factor)).collect() }
    }

    fn block(l: &Lagrangian, block: usize, factor: &Mat) -> Rows {
        let (n, r) = (factor.rows(), factor.cols());
        let diagonal = l.operator.slack_diagonal(block);
        let mean = diagonal.iter().map(|d| d.abs()).sum::<f64>() / n.max(1) as f64;
        let shift = |slack: f64| 2.0 * slack.max(0.1 * mean).max(1e-12);
        if n * r * r > ROOM {
            let mut numbers = vec![0.0; n];
            l.operator.row_squares(block, factor, &mut numbers);
            for (number, slack) in numbers.iter_mut().zip(diagonal) {
                *number = 1.0 / (4.0 * l.beta * *number / r as f64 + shift(slack));
            }
            return Rows::Numbers(numbers);
        }
        let mut matrices = vec![0.0; n * r * r];
        l.operator.row_grams(block, factor, &mut matrices);
        for (matrix, slack) in matrices.chunks_exact_mut(r * r).zip(diagonal) {
            for value in matrix.iter_mut() {
                *value *= 4.0 * l.beta;
            }
            invert(matrix, r, shift(slack));
        }
        Rows::Matrices(matrices)
    }

    /// out ← P⁻¹V.
    pub(super) fn apply(&self, v: &Factors, out: &mut Factors) {
        for ((rows, v), out) in self.blocks.iter().zip(&v.0).zip(&mut out.0) {
            match rows {
                Rows::Matrices(matrices) => multiply_rows(matrices, v, out),
                Rows::Numbers(numbers) => {
                    let r = v.cols();
                    let both =
                        out.as_mut_slice().chunks_exact_mut(r).zip(v.as_slice().chunks_exact(r));
                    for ((out, v), number) in both.zip(numbers) {
                        out.iter_mut().zip(v).for_each(|(out, v)| *out = number * v);
                    }
                }
            }
        }
    }
}

/// matrix ← (matrix + shift·I)⁻¹ for a symmetric positive semidefinite matrix, by Gauss and Jordan without
/// pivoting: every pivot is at least the shift.
fn invert(matrix: &mut [f64], r: usize, shift: f64) {
    for i in 0..r {
        matrix[i * r + i] += shift;
    }
    for p in 0..r {
        let pivot = 1.0 / matrix[p * r + p];
        let row: Vec<f64> = matrix[p * r..(p + 1) * r].to_vec();
        for i in 0..r {
            if i == p {
                continue;
            }
            let factor = matrix[i * r + p] * pivot;
            let target = &mut matrix[i * r..(i + 1) * r];
            target.iter_mut().zip(&row).for_each(|(t, s)| *t -= factor * s);
            target[p] = -factor;
        }
        let target = &mut matrix[p * r..(p + 1) * r];
        for t in target.iter_mut() {
            *t *= pivot;
        }
        target[p] = pivot;
    }
    // Rounding must not break the symmetry that conjugate directions rely on.
    for i in 0..r {
        for j in 0..i {
            let mean = 0.5 * (matrix[i * r + j] + matrix[j * r + i]);
            matrix[i * r + j] = mean;
            matrix[j * r + i] = mean;
        }
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::symmetric_eigen;

    use super::*;
    use crate::lowrank::{
        operator::Operator,
        tests::{random_sdp, wave},
    };

    #[test]
    fn inverses_invert() {
        let r = 5;
        let b = Mat::from_fn(r, r, |i, j| ((i * r + j) as f64).sin());
        let gram: Vec<f64> =
            (0..r * r).map(|at| (0..r).map(|k| b[(at / r, k)] * b[(at % r, k)]).sum()).collect();
        let mut inverse = gram.clone();
        invert(&mut inverse, r, 0.3);
        for i in 0..r {
            for j in 0..r {
                let product: f64 = (0..r)
                    .map(|k| (gram[i * r + k] + 0.3 * f64::from(i == k)) * inverse[k * r + j])
                    .sum();
                assert!((product - f64::from(i == j)).abs() < 1e-12);
            }
        }
        assert!(symmetric_eigen(&Mat::from_row_major(r, r, inverse)).unwrap().values[0] > 0.0);
    }

    #[test]
    fn blocks_are_those_of_the_hessian_without_the_slack() {
        let operator = Operator::new(&random_sdp(3)).unwrap();
        let factors = wave(&operator, 3, 0.4);
        let mut l = Lagrangian::new(operator, factors.clone(), 2.0);
        let (mut out, mut work) = (factors.zeros_like(), factors.zeros_like());
        for block in 0..factors.0.len() {
            let (n, r) = (factors.0[block].rows(), factors.0[block].cols());
            let mut grams = vec![0.0; n * r * r];
            l.operator.row_grams(block, &factors.0[block], &mut grams);
            let dense = l.operator.dense_slack(block, l.kappa, &l.estimate);
            for i in 0..n {
                for a in 0..r {
                    let mut unit = factors.zeros_like();
                    unit.0[block][(i, a)] = 1.0;
                    l.hessian(&unit, &mut out, &mut work);
                    for b in 0..r {
                        let slack = if a == b { 2.0 * dense[(i, i)] } else { 0.0 };
                        let expected = out.0[block][(i, b)] - slack;
                        let found = 4.0 * l.beta * grams[(i * r + a) * r + b];
                        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
                    }
                }
            }
        }
    }
}
