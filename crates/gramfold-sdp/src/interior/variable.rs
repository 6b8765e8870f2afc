//! A point of the space of K: symmetric matrices, stored in full, and vectors for the diagonal blocks.

use gramfold::stored;
use gramfold_linalg::{Mat, Operand, cholesky, cholesky_inverse, dot};
use serde::{Deserialize, Serialize};

use crate::Cone;

/// One block. Dense blocks hold both triangles, so that a row is a column and products need no care.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Block {
    Dense(#[serde(with = "stored")] Mat),
    Diagonal(Vec<f64>),
}

/// One block for each cone.
pub(super) type Variable = Vec<Block>;

impl Block {
    pub(super) fn zeros(cone: Cone) -> Self {
        match cone {
            Cone::Semidefinite(n) => Self::Dense(Mat::zeros(n, n)),
            Cone::Nonnegative(n) => Self::Diagonal(vec![0.0; n]),
        }
    }

    pub(super) fn as_slice(&self) -> &[f64] {
        match self {
            Self::Dense(mat) => mat.as_slice(),
            Self::Diagonal(values) => values,
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [f64] {
        match self {
            Self::Dense(mat) => mat.as_mut_slice(),
            Self::Diagonal(values) => values,
        }
    }

    /// Adds `shift` to the diagonal.
    pub(super) fn add_identity(&mut self, shift: f64) {
        match self {
            Self::Dense(mat) => {
                let n = mat.rows();
                mat.as_mut_slice().iter_mut().step_by(n + 1).for_each(|v| *v += shift);
            }
            Self::Diagonal(values) => values.iter_mut().for_each(|v| *v += shift),
        }
    }
}

/// The zero of the space.
pub(super) fn zeros(cones: &[Cone]) -> Variable {
    cones.iter().map(|&cone| Block::zeros(cone)).collect()
}

/// Whether blocks are as the cones.
pub(super) fn fits(blocks: &[Block], cones: &[Cone]) -> bool {
    let fits = |(block, cone): (&Block, &Cone)| match (block, *cone) {
        (Block::Dense(mat), Cone::Semidefinite(n)) => (mat.rows(), mat.cols()) == (n, n),
        (Block::Diagonal(values), Cone::Nonnegative(n)) => values.len() == n,
        _ => false,
    };
    blocks.len() == cones.len() && blocks.iter().zip(cones).all(fits)
}

/// to ← from.
pub(super) fn copy(from: &[Block], to: &mut [Block]) {
    for (from, to) in from.iter().zip(to) {
        to.as_mut_slice().copy_from_slice(from.as_slice());
    }
}

/// ⟨a, b⟩.
pub(super) fn inner(a: &[Block], b: &[Block]) -> f64 {
    a.iter().zip(b).map(|(a, b)| dot(a.as_slice(), b.as_slice())).sum()
}

/// ‖a‖_F.
pub(super) fn norm(a: &[Block]) -> f64 {
    inner(a, a).sqrt()
}

/// to ← to + α·from.
pub(super) fn add_scaled(alpha: f64, from: &[Block], to: &mut [Block]) {
    for (from, to) in from.iter().zip(to) {
        to.as_mut_slice().iter_mut().zip(from.as_slice()).for_each(|(t, f)| *t += alpha * f);
    }
}

/// out ← ab, or out + ab, with matrices held by columns, which of symmetric ones makes no difference.
pub(super) fn product(a: &Mat, b: &Mat, add: bool, out: &mut Mat) {
    gramfold_linalg::product(1.0, Operand::Plain(b), Operand::Plain(a), add, out);
}

/// Copies the triangle below the diagonal (of the rows of `Mat`) from the one above it.
pub(super) fn mirror(mat: &mut Mat) {
    each_pair(mat, |_, above| [above, above]);
}

/// a ← (a + aᵀ)/2.
pub(super) fn symmetrise(mat: &mut Mat) {
    each_pair(mat, |below, above| [0.5 * (below + above); 2]);
}

/// Replaces every two entries below and above the diagonal by what `f` makes of them, tile by tile.
fn each_pair(mat: &mut Mat, f: impl Fn(f64, f64) -> [f64; 2]) {
    const TILE: usize = 32;
    let n = mat.rows();
    let data = mat.as_mut_slice();
    for top in (0..n).step_by(TILE) {
        for left in (0..=top).step_by(TILE) {
            for i in top..(top + TILE).min(n) {
                for j in left..(left + TILE).min(i) {
                    [data[i * n + j], data[j * n + i]] = f(data[i * n + j], data[j * n + i]);
                }
            }
        }
    }
}

/// Cholesky factors of a variable.
///
/// A dense factor L is held twice, mirrored in one square: whether a substitution runs through rows or through
/// columns of L, it reads contiguous memory.
pub(super) struct Factor {
    pub(super) blocks: Variable,
}

impl Factor {
    pub(super) fn new(cones: &[Cone]) -> Self {
        Self { blocks: zeros(cones) }
    }

    /// Factors `of`; false if it is not numerically positive definite.
    pub(super) fn compute(&mut self, of: &[Block]) -> bool {
        for (of, into) in of.iter().zip(&mut self.blocks) {
            match (of, into) {
                (Block::Dense(of), Block::Dense(into)) => {
                    into.copy_from(of);
                    if cholesky(into.as_mut_slice(), of.rows(), &|| false).is_err() {
                        return false;
                    }
                    mirror(into);
                }
                (Block::Diagonal(of), Block::Diagonal(into)) => {
                    if !of.iter().all(|&v| v > 0.0 && v.is_finite()) {
                        return false;
                    }
                    into.iter_mut().zip(of).for_each(|(i, o)| *i = o.sqrt());
                }
                _ => unreachable!("variables of one problem have the same blocks"),
            }
        }
        true
    }

    /// out ← the inverse of what was factored.
    pub(super) fn invert(&self, out: &mut [Block]) {
        for (factor, out) in self.blocks.iter().zip(out) {
            match (factor, out) {
                (Block::Dense(factor), Block::Dense(out)) => {
                    cholesky_inverse(factor, out);
                    mirror(out);
                }
                (Block::Diagonal(factor), Block::Diagonal(out)) => {
                    out.iter_mut().zip(factor).for_each(|(o, f)| *o = 1.0 / (f * f));
                }
                _ => unreachable!("variables of one problem have the same blocks"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_and_inverse_match_their_definitions() {
        for n in [1, 2, 7, 40, 211] {
            let b = Mat::from_fn(n, n, |i, j| ((i * n + j) as f64).sin());
            let mut a = Mat::zeros(n, n);
            product(&b.transposed(), &b, false, &mut a);
            symmetrise(&mut a);
            let mut block = Block::Dense(a.clone());
            block.add_identity(0.5);
            let of = vec![block, Block::Diagonal(vec![4.0, 0.25])];
            let cones = [Cone::Semidefinite(n), Cone::Nonnegative(2)];
            let mut factor = Factor::new(&cones);
            assert!(factor.compute(&of));
            let mut inverse = zeros(&cones);
            factor.invert(&mut inverse);
            let (Block::Dense(x), Block::Dense(inv)) = (&of[0], &inverse[0]) else { panic!() };
            let Block::Dense(l) = &factor.blocks[0] else { panic!() };
            let mut id = Mat::zeros(n, n);
            product(x, inv, false, &mut id);
            assert!(id.distance(&Mat::identity(n)) < 1e-9 * n as f64);
            for i in 0..n {
                for j in 0..=i {
                    let sum: f64 = (0..=j).map(|k| l[(i, k)] * l[(j, k)]).sum();
                    assert!((sum - x[(i, j)]).abs() < 1e-10 * n as f64);
                    assert_eq!(l[(i, j)], l[(j, i)]);
                }
            }
            assert_eq!(inverse[1].as_slice(), [0.25, 4.0]);
        }
    }

    #[test]
    fn what_is_not_definite_has_no_factor() {
        let cones = [Cone::Semidefinite(2)];
        let mut factor = Factor::new(&cones);
        let indefinite = Mat::from_row_major(2, 2, vec![1.0, 2.0, 2.0, 1.0]);
        assert!(!factor.compute(&[Block::Dense(indefinite)]));
        let nan = Mat::from_row_major(2, 2, vec![f64::NAN; 4]);
        assert!(!factor.compute(&[Block::Dense(nan)]));
        let mut orthant = Factor::new(&[Cone::Nonnegative(2)]);
        assert!(!orthant.compute(&[Block::Diagonal(vec![1.0, 0.0])]));
    }
}
