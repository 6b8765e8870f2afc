//! Random matrices and cones.

use gramfold_linalg::{Mat, symmetric_eigen};
use gramfold_sdp::Cone;

/// Random numbers, the same everywhere.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Uniform in [−1, 1].
    pub(crate) fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 20) as usize % n
    }
}

/// A symmetric matrix with given eigenvalues; diagonal cones have no choice of eigenvectors.
pub(crate) fn with_eigenvalues(basis: &Mat, values: &[f64]) -> Mat {
    let n = basis.rows();
    Mat::from_fn(n, n, |i, j| (0..n).map(|k| values[k] * basis[(k, i)] * basis[(k, j)]).sum())
}

pub(crate) fn random_basis(cone: Cone, dice: &mut Dice) -> Mat {
    let n = cone.size();
    match cone {
        Cone::Semidefinite(_) => {
            let a = Mat::from_fn(n, n, |_, _| dice.number());
            let symmetric = Mat::from_fn(n, n, |i, j| a[(i, j)] + a[(j, i)]);
            symmetric_eigen(&symmetric).unwrap().vectors
        }
        Cone::Nonnegative(_) => Mat::identity(n),
    }
}

/// Random sparse coefficients of one matrix, written out block by block.
pub(crate) fn random_matrix(cones: &[Cone], density: f64, dice: &mut Dice) -> Vec<Mat> {
    let mut blocks: Vec<Mat> = cones.iter().map(|c| Mat::zeros(c.size(), c.size())).collect();
    for (block, cone) in blocks.iter_mut().zip(cones) {
        let n = cone.size();
        for i in 0..n {
            for j in i..n {
                let allowed = i == j || matches!(cone, Cone::Semidefinite(_));
                if allowed && dice.number().abs() < density {
                    let value = dice.number();
                    block[(i, j)] = value;
                    block[(j, i)] = value;
                }
            }
        }
    }
    // Never empty.
    let block = dice.below(cones.len());
    let i = dice.below(cones[block].size());
    blocks[block][(i, i)] += 1.0 + dice.number().abs();
    blocks
}

pub(crate) fn random_cones(dice: &mut Dice) -> Vec<Cone> {
    (0..=dice.below(3))
        .map(|_| match dice.below(3) {
            0 => Cone::Nonnegative(1 + dice.below(6)),
            _ => Cone::Semidefinite(1 + dice.below(9)),
        })
        .collect()
}
