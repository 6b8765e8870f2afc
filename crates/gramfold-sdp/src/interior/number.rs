//! The numbers that the iteration is written in: `f64`, and where that has too few digits more of them. Each brings the kernels
//! that are worth writing for it.

use std::{
    borrow::Cow,
    fmt::Debug,
    ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign},
};

use gramfold_linalg::{Mat, Matrix, NoFactor, Operand, cholesky, cholesky_inverse, cholesky_solve};

use super::{Block, Face, Program, Schur, Stepper, Variable, normal::Accuracy};
use crate::Stop;

/// A number, and the kernels for matrices of them. A symmetric matrix has a triangle that counts, above the diagonal row by row;
/// so has its Cholesky factor R, M = RᵀR.
pub(super) trait Number:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + From<f64>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + SubAssign
{
    /// What can be asked of M·dy = r.
    const ACCURACY: Accuracy;
    /// What is kept to fill the Schur complement.
    type Schur: Fill<Self>;

    /// The nearest `f64`.
    fn rounded(self) -> f64;

    fn sqrt(self) -> Self;

    /// The same numbers in these digits.
    fn widened(values: &[f64]) -> Cow<'_, [Self]>;

    /// Σ a_i b_i.
    fn dot(a: &[Self], b: &[Self]) -> Self;

    /// out ← ab, or out + ab, with matrices held by columns, which of symmetric ones makes no difference.
    fn product(a: &Matrix<Self>, b: &Matrix<Self>, add: bool, out: &mut Matrix<Self>);

    /// Replaces an n×n matrix by its factor.
    fn cholesky(matrix: &mut [Self], n: usize, stop: Stop<'_>) -> Result<(), NoFactor>;

    /// x ← M⁻¹x.
    fn cholesky_solve(factor: &[Self], x: &mut [Self]);

    /// out ← M⁻¹.
    fn cholesky_inverse(factor: &Matrix<Self>, out: &mut Matrix<Self>);

    /// A lower estimate of the smallest eigenvalue of R⁻ᵀDR⁻¹, of a factor with both triangles.
    fn least(room: &mut Stepper, factor: &Matrix<Self>, direction: &Matrix<Self>) -> f64;

    /// Z of an X on a face.
    fn lift(face: &Face, x: &Block<Self>) -> Block<Self>;

    /// What a face sees of a matrix.
    fn compress(face: &Face, full: &Block<Self>, out: &mut Block<Self>);
}

/// What fills the Schur complement.
pub(super) trait Fill<T: Number> {
    fn new(program: &Program) -> Self;

    /// Fills the lower triangle, held column by column; false if `stop` says so before it is filled.
    fn assemble(
        &mut self,
        program: &Program,
        at: (&Variable<T>, &Variable<T>),
        matrix: &mut [T],
        stop: Stop<'_>,
    ) -> bool;
}

impl Number for f64 {
    const ACCURACY: Accuracy = Accuracy {
        epsilon: f64::EPSILON,
        added: 1e-14,
        most_added: 1e-7,
        enough_added: 1e-10,
        enough: 1e-14,
        good: 1e-11,
        refinements: 3,
    };
    type Schur = Schur;

    fn rounded(self) -> f64 {
        self
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }

    fn widened(values: &[f64]) -> Cow<'_, [Self]> {
        Cow::Borrowed(values)
    }

    fn dot(a: &[Self], b: &[Self]) -> Self {
        gramfold_linalg::dot(a, b)
    }

    fn product(a: &Mat, b: &Mat, add: bool, out: &mut Mat) {
        gramfold_linalg::product(1.0, Operand::Plain(b), Operand::Plain(a), add, out);
    }

    fn cholesky(matrix: &mut [Self], n: usize, stop: Stop<'_>) -> Result<(), NoFactor> {
        cholesky(matrix, n, stop)
    }

    fn cholesky_solve(factor: &[Self], x: &mut [Self]) {
        cholesky_solve(factor, x);
    }

    fn cholesky_inverse(factor: &Mat, out: &mut Mat) {
        cholesky_inverse(factor, out);
    }

    fn least(room: &mut Stepper, factor: &Mat, direction: &Mat) -> f64 {
        room.least_eigenvalue(factor, direction)
    }

    fn lift(face: &Face, x: &Block) -> Block {
        face.lift(x)
    }

    fn compress(face: &Face, full: &Block, out: &mut Block) {
        face.compress(full, out);
    }
}
