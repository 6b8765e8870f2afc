//! A point of the space of K in double-double numbers.

use gramfold_linalg::symmetric_eigen;

use super::{
    super::variable,
    dense::{Square, dot},
    double::Double,
};
use crate::Cone;

/// One block. Dense blocks hold both triangles.
#[derive(Clone, Debug)]
pub(super) enum Block {
    Dense(Square),
    Diagonal(Vec<Double>),
}

/// One block for each cone.
pub(super) type Variable = Vec<Block>;

const MISMATCH: &str = "variables of one problem have the same blocks";

impl Block {
    fn values(&self) -> &[Double] {
        match self {
            Self::Dense(mat) => &mat.values,
            Self::Diagonal(values) => values,
        }
    }

    fn values_mut(&mut self) -> &mut [Double] {
        match self {
            Self::Dense(mat) => &mut mat.values,
            Self::Diagonal(values) => values,
        }
    }

    /// self ← f(self), number by number.
    pub(super) fn map(&mut self, f: impl Fn(Double) -> Double) {
        self.values_mut().iter_mut().for_each(|a| *a = f(*a));
    }

    /// self ← f(self, other), number by number.
    pub(super) fn zip(&mut self, other: &Self, f: impl Fn(Double, Double) -> Double) {
        self.values_mut().iter_mut().zip(other.values()).for_each(|(a, b)| *a = f(*a, *b));
    }

    /// (a + aᵀ)/2 in place of a.
    pub(super) fn symmetrise(&mut self) {
        if let Self::Dense(mat) = self {
            mat.symmetrise();
        }
    }
}

/// The zero of the space.
pub(super) fn zeros(cones: &[Cone]) -> Variable {
    let zero = |cone: &Cone| match *cone {
        Cone::Semidefinite(n) => Block::Dense(Square::zeros(n)),
        Cone::Nonnegative(n) => Block::Diagonal(vec![Double::ZERO; n]),
    };
    cones.iter().map(zero).collect()
}

/// x ← 0.
pub(super) fn clear(x: &mut [Block]) {
    for block in x {
        block.values_mut().fill(Double::ZERO);
    }
}

/// The same point in more digits.
pub(super) fn widened(cones: &[Cone], x: &[variable::Block]) -> Variable {
    let mut wide = zeros(cones);
    for (wide, x) in wide.iter_mut().zip(x) {
        // Symmetric: rows are columns.
        let both = wide.values_mut().iter_mut().zip(x.as_slice());
        both.for_each(|(wide, x)| *wide = Double::from(*x));
    }
    wide
}

/// The nearest point in `f64`.
pub(super) fn rounded(cones: &[Cone], x: &[Block]) -> variable::Variable {
    let mut near = variable::zeros(cones);
    for (near, x) in near.iter_mut().zip(x) {
        near.as_mut_slice().iter_mut().zip(x.values()).for_each(|(near, x)| *near = x.rounded());
    }
    near
}

/// to ← from.
pub(super) fn copy(from: &[Block], to: &mut [Block]) {
    from.iter().zip(to).for_each(|(from, to)| to.values_mut().copy_from_slice(from.values()));
}

/// to ← to + α·from.
pub(super) fn add_scaled(alpha: Double, from: &[Block], to: &mut [Block]) {
    from.iter().zip(to).for_each(|(from, to)| to.zip(from, |t, f| t + alpha * f));
}

/// ⟨a, b⟩.
pub(super) fn inner(a: &[Block], b: &[Block]) -> Double {
    a.iter().zip(b).fold(Double::ZERO, |sum, (a, b)| sum + dot(a.values(), b.values()))
}

/// out ← out + ab, block by block.
pub(super) fn add_product(a: &[Block], b: &[Block], out: &mut [Block]) {
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        match (a, b, out) {
            (Block::Dense(a), Block::Dense(b), Block::Dense(out)) => out.add_product(a, b),
            (Block::Diagonal(a), Block::Diagonal(b), Block::Diagonal(out)) => {
                out.iter_mut().zip(a).zip(b).for_each(|((o, a), b)| *o += *a * *b);
            }
            _ => unreachable!("{MISMATCH}"),
        }
    }
}

/// Cholesky factors of a variable; a diagonal block is its own.
pub(super) struct Factor {
    blocks: Variable,
    /// Room for L⁻¹DL⁻ᵀ.
    scaled: Variable,
}

impl Factor {
    pub(super) fn new(cones: &[Cone]) -> Self {
        Self { blocks: zeros(cones), scaled: zeros(cones) }
    }

    /// Factors `of`; false if it is not numerically positive definite.
    pub(super) fn compute(&mut self, of: &[Block]) -> bool {
        copy(of, &mut self.blocks);
        self.blocks.iter_mut().all(|block| match block {
            Block::Dense(mat) => mat.cholesky(),
            Block::Diagonal(values) => values.iter().all(|v| v.rounded() > 0.0 && v.is_finite()),
        })
    }

    /// out ← the inverse of what was factored.
    pub(super) fn invert(&self, out: &mut [Block]) {
        for (factor, out) in self.blocks.iter().zip(out) {
            match (factor, out) {
                (Block::Dense(factor), Block::Dense(out)) => factor.invert_into(out),
                (Block::Diagonal(of), Block::Diagonal(out)) => {
                    out.iter_mut().zip(of).for_each(|(o, v)| *o = Double::ONE / *v);
                }
                _ => unreachable!("{MISMATCH}"),
            }
        }
    }

    /// The largest α for which what was factored, plus α·direction, is in the cone; infinite if nothing bounds it.
    ///
    /// Only L⁻¹DL⁻ᵀ needs all the digits: its smallest eigenvalue does not.
    pub(super) fn longest(&mut self, direction: &[Block]) -> f64 {
        copy(direction, &mut self.scaled);
        let mut least = 0.0_f64;
        for (factor, scaled) in self.blocks.iter().zip(&mut self.scaled) {
            match (factor, scaled) {
                (Block::Dense(factor), Block::Dense(d)) => {
                    factor.scale(d);
                    let near = gramfold_linalg::Mat::from_fn(d.n, d.n, |i, j| d[(i, j)].rounded());
                    let low = symmetric_eigen(&near).map_or(f64::NEG_INFINITY, |e| e.values[0]);
                    least = least.min(low);
                }
                (Block::Diagonal(of), Block::Diagonal(d)) => {
                    let ratios = of.iter().zip(d).map(|(v, d)| (*d / *v).rounded());
                    least = ratios.fold(least, f64::min);
                }
                _ => unreachable!("{MISMATCH}"),
            }
        }
        if least < 0.0 { -1.0 / least } else { f64::INFINITY }
    }
}
