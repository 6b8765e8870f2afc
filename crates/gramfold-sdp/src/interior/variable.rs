//! A point of the space of K: symmetric matrices, stored in full, and vectors for the diagonal blocks.

use gramfold::stored;
use gramfold_linalg::Matrix;
use serde::{Deserialize, Serialize};

use super::Number;
use crate::Cone;

/// One block. Dense blocks hold both triangles, so that a row is a column and products need no care.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Block<T: Copy + Default = f64> {
    Dense(#[serde(with = "stored")] Matrix<T>),
    Diagonal(Vec<T>),
}

/// One block for each cone.
pub(super) type Variable<T = f64> = Vec<Block<T>>;

const MISMATCH: &str = "variables of one problem have the same blocks";

impl<T: Number> Block<T> {
    pub(super) fn zeros(cone: Cone) -> Self {
        match cone {
            Cone::Semidefinite(n) => Self::Dense(Matrix::zeros(n, n)),
            Cone::Nonnegative(n) => Self::Diagonal(vec![T::default(); n]),
        }
    }

    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            Self::Dense(mat) => mat.as_slice(),
            Self::Diagonal(values) => values,
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            Self::Dense(mat) => mat.as_mut_slice(),
            Self::Diagonal(values) => values,
        }
    }

    /// Adds `shift` to the diagonal.
    pub(super) fn add_identity(&mut self, shift: T) {
        match self {
            Self::Dense(mat) => {
                let n = mat.rows();
                mat.as_mut_slice().iter_mut().step_by(n + 1).for_each(|v| *v += shift);
            }
            Self::Diagonal(values) => values.iter_mut().for_each(|v| *v += shift),
        }
    }

    /// The matrix, if it is one.
    pub(super) fn as_mat(&mut self) -> Option<&mut Matrix<T>> {
        match self {
            Self::Dense(mat) => Some(mat),
            Self::Diagonal(_) => None,
        }
    }

    /// The same in other digits.
    pub(super) fn map<U: Number>(&self, f: impl Fn(T) -> U) -> Block<U> {
        let values = self.as_slice().iter().map(|&v| f(v)).collect();
        match self {
            Self::Dense(mat) => {
                Block::Dense(Matrix::from_row_major(mat.rows(), mat.cols(), values))
            }
            Self::Diagonal(_) => Block::Diagonal(values),
        }
    }
}

/// The zero of the space.
pub(super) fn zeros<T: Number>(cones: &[Cone]) -> Variable<T> {
    cones.iter().map(|&cone| Block::zeros(cone)).collect()
}

/// A multiple of the identity.
pub(super) fn identity(cones: &[Cone], times: f64) -> Variable {
    let mut identity = zeros(cones);
    for block in &mut identity {
        block.add_identity(times);
    }
    identity
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
pub(super) fn copy<T: Number>(from: &[Block<T>], to: &mut [Block<T>]) {
    for (from, to) in from.iter().zip(to) {
        to.as_mut_slice().copy_from_slice(from.as_slice());
    }
}

/// ⟨a, b⟩.
pub(super) fn inner<T: Number>(a: &[Block<T>], b: &[Block<T>]) -> T {
    let blocks = a.iter().zip(b).map(|(a, b)| T::dot(a.as_slice(), b.as_slice()));
    blocks.fold(T::default(), T::add)
}

/// ‖a‖_F.
pub(super) fn norm<T: Number>(a: &[Block<T>]) -> f64 {
    inner(a, a).rounded().sqrt()
}

/// to ← to + α·from.
pub(super) fn add_scaled<T: Number>(alpha: f64, from: &[Block<T>], to: &mut [Block<T>]) {
    let alpha = T::from(alpha);
    for (from, to) in from.iter().zip(to) {
        to.as_mut_slice().iter_mut().zip(from.as_slice()).for_each(|(t, f)| *t += alpha * *f);
    }
}

/// out ← ab or out + ab, block by block.
pub(super) fn multiply<T: Number>(a: &[Block<T>], b: &[Block<T>], add: bool, out: &mut [Block<T>]) {
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        match (a, b, out) {
            (Block::Dense(a), Block::Dense(b), Block::Dense(out)) => T::product(a, b, add, out),
            (Block::Diagonal(a), Block::Diagonal(b), Block::Diagonal(out)) => {
                let kept = T::from(f64::from(add));
                let both = a.iter().zip(b);
                out.iter_mut().zip(both).for_each(|(o, (a, b))| *o = kept * *o + *a * *b);
            }
            _ => unreachable!("{MISMATCH}"),
        }
    }
}

/// Copies the triangle below the diagonal (of the rows of `Mat`) from the one above it.
pub(super) fn mirror<T: Number>(mat: &mut Matrix<T>) {
    each_pair(mat, |_, above| [above, above]);
}

/// a ← (a + aᵀ)/2.
pub(super) fn symmetrise<T: Number>(mat: &mut Matrix<T>) {
    let half = T::from(0.5);
    each_pair(mat, |below, above| [half * (below + above); 2]);
}

/// a ← aᵀ.
pub(super) fn transpose<T: Number>(mat: &mut Matrix<T>) {
    each_pair(mat, |below, above| [above, below]);
}

/// Replaces every two entries below and above the diagonal by what `f` makes of them, tile by tile.
fn each_pair<T: Number>(mat: &mut Matrix<T>, f: impl Fn(T, T) -> [T; 2]) {
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
pub(super) struct Factor<T: Number = f64> {
    pub(super) blocks: Variable<T>,
}

impl<T: Number> Factor<T> {
    pub(super) fn new(cones: &[Cone]) -> Self {
        Self { blocks: zeros(cones) }
    }

    /// Factors `of`; false if it is not numerically positive definite.
    pub(super) fn compute(&mut self, of: &[Block<T>]) -> bool {
        for (of, into) in of.iter().zip(&mut self.blocks) {
            match (of, into) {
                (Block::Dense(of), Block::Dense(into)) => {
                    into.copy_from(of);
                    if T::cholesky(into.as_mut_slice(), of.rows(), &|| false).is_err() {
                        return false;
                    }
                    mirror(into);
                }
                (Block::Diagonal(of), Block::Diagonal(into)) => {
                    if !of.iter().all(|v| v.rounded() > 0.0 && v.rounded().is_finite()) {
                        return false;
                    }
                    into.iter_mut().zip(of).for_each(|(i, o)| *i = o.sqrt());
                }
                _ => unreachable!("{MISMATCH}"),
            }
        }
        true
    }

    /// out ← the inverse of what was factored.
    pub(super) fn invert(&self, out: &mut [Block<T>]) {
        for (factor, out) in self.blocks.iter().zip(out) {
            match (factor, out) {
                (Block::Dense(factor), Block::Dense(out)) => {
                    T::cholesky_inverse(factor, out);
                    mirror(out);
                }
                (Block::Diagonal(factor), Block::Diagonal(out)) => {
                    out.iter_mut().zip(factor).for_each(|(o, f)| *o = T::from(1.0) / (*f * *f));
                }
                _ => unreachable!("{MISMATCH}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Mat;

    use super::*;

    #[test]
    fn factor_and_inverse_match_their_definitions() {
        for n in [1, 2, 7, 40, 211] {
            let b = Mat::from_fn(n, n, |i, j| ((i * n + j) as f64).sin());
            let mut a = Mat::zeros(n, n);
            f64::product(&b.transposed(), &b, false, &mut a);
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
            f64::product(x, inv, false, &mut id);
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
