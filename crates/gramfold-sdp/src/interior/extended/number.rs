//! The kernels in double-double numbers: plain loops down the rows. A factor holds the diagonal of R inverted: divisions are
//! dear.

use std::borrow::Cow;

use gramfold_linalg::{Mat, Matrix, NoFactor, symmetric_eigen};

use super::{
    super::{
        Block, Face, Fill, Number, Program, Stepper, Variable,
        normal::Accuracy,
        symmetrise,
        variable::{multiply, transpose},
        zeros,
    },
    double::Double,
};
use crate::Stop;

const FACELESS: &str = "programs on faces are left to `f64`";

impl Number for Double {
    const ACCURACY: Accuracy = Accuracy {
        epsilon: f64::EPSILON * f64::EPSILON,
        added: 1e-29,
        most_added: 1e-12,
        enough_added: 1e-24,
        enough: 1e-29,
        good: 1e-16,
        // The digits that an iteration loses are not missed yet.
        refinements: 0,
    };
    type Schur = ();

    fn rounded(self) -> f64 {
        self.rounded()
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }

    fn widened(values: &[f64]) -> Cow<'_, [Self]> {
        values.iter().map(|&value| Self::from(value)).collect()
    }

    fn dot(a: &[Self], b: &[Self]) -> Self {
        a.iter().zip(b).fold(Self::ZERO, |sum, (a, b)| sum + *a * *b)
    }

    /// What is zero in b costs nothing.
    fn product(a: &Matrix<Self>, b: &Matrix<Self>, add: bool, out: &mut Matrix<Self>) {
        if !add {
            out.as_mut_slice().fill(Self::ZERO);
        }
        for j in 0..b.rows() {
            for (k, &weight) in b.row(j).iter().enumerate().filter(|(_, v)| **v != Self::ZERO) {
                axpy(weight, a.row(k), out.row_mut(j));
            }
        }
    }

    fn cholesky(matrix: &mut [Self], n: usize, _: Stop<'_>) -> Result<(), NoFactor> {
        for j in 0..n {
            let (above, below) = matrix.split_at_mut((j + 1) * n);
            let row = &mut above[j * n..];
            let pivot = row[j];
            if !(pivot.rounded() > 0.0 && pivot.rounded().is_finite()) {
                return Err(NoFactor::Indefinite);
            }
            let inverse = Self::ONE / pivot.sqrt();
            row[j] = inverse;
            row[j + 1..].iter_mut().for_each(|v| *v = *v * inverse);
            for (k, to) in (j + 1..).zip(below.chunks_exact_mut(n)) {
                axpy(-row[k], &row[k..], &mut to[k..]);
            }
        }
        Ok(())
    }

    fn cholesky_solve(factor: &[Self], x: &mut [Self]) {
        forward(factor, x);
        let n = x.len();
        for j in (0..n).rev() {
            let row = &factor[j * n..(j + 1) * n];
            x[j] = (x[j] - Self::dot(&row[j + 1..], &x[j + 1..])) * row[j];
        }
    }

    fn cholesky_inverse(factor: &Matrix<Self>, out: &mut Matrix<Self>) {
        out.as_mut_slice().fill(Self::ZERO);
        for j in 0..factor.rows() {
            out[(j, j)] = Self::ONE;
            Self::cholesky_solve(factor.as_slice(), out.row_mut(j));
        }
        symmetrise(out);
    }

    /// Only R⁻ᵀDR⁻¹ needs all the digits: its smallest eigenvalue does not.
    fn least(_: &mut Stepper, factor: &Matrix<Self>, direction: &Matrix<Self>) -> f64 {
        let mut scaled = direction.clone();
        scale(factor, &mut scaled);
        let near = Mat::from_fn(factor.rows(), factor.rows(), |i, j| scaled[(i, j)].rounded());
        symmetric_eigen(&near).map_or(f64::NEG_INFINITY, |eigen| eigen.values[0])
    }

    fn lift(_: &Face, _: &Block<Self>) -> Block<Self> {
        unreachable!("{FACELESS}")
    }

    fn compress(_: &Face, _: &Block<Self>, _: &mut Block<Self>) {
        unreachable!("{FACELESS}")
    }
}

/// Column by column from its definition, A(X A_j W).
impl Fill<Double> for () {
    fn new(_: &Program) {}

    fn assemble(
        &mut self,
        program: &Program,
        (x, w): (&Variable<Double>, &Variable<Double>),
        matrix: &mut [Double],
        stop: Stop<'_>,
    ) -> bool {
        let m = program.constraints();
        let mut unit = vec![Double::ZERO; m];
        let (mut image, mut half) = (zeros(&program.cones), zeros(&program.cones));
        for (j, column) in matrix.chunks_exact_mut(m.max(1)).enumerate() {
            unit[j] = Double::ONE;
            program.adjoint(&unit, &mut image);
            unit[j] = Double::ZERO;
            // (W A_j)ᵀ has as many rows that are not zero as A_j.
            multiply(w, &image, false, &mut half);
            half.iter_mut().filter_map(Block::as_mat).for_each(transpose);
            multiply(x, &half, false, &mut image);
            image.iter_mut().filter_map(Block::as_mat).for_each(symmetrise);
            program.apply(&image, column);
        }
        !stop()
    }
}

/// to ← to + α·from.
#[inline]
fn axpy(alpha: Double, from: &[Double], to: &mut [Double]) {
    to.iter_mut().zip(from).for_each(|(t, f)| *t += alpha * *f);
}

/// v ← R⁻ᵀv.
fn forward(factor: &[Double], v: &mut [Double]) {
    let n = v.len();
    for j in 0..n {
        if v[j] != Double::ZERO {
            let row = &factor[j * n..(j + 1) * n];
            v[j] = v[j] * row[j];
            axpy(-v[j], &row[j + 1..], &mut v[j + 1..]);
        }
    }
}

/// d ← R⁻ᵀdR⁻¹, d symmetric.
fn scale(factor: &Matrix<Double>, d: &mut Matrix<Double>) {
    for _ in 0..2 {
        for i in 0..d.rows() {
            forward(factor.as_slice(), d.row_mut(i));
        }
        transpose(d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Hilbert matrix: exact in neither format, and of condition 1e16 at n = 12.
    fn hilbert(n: usize) -> Matrix<Double> {
        Matrix::from_fn(n, n, |i, j| Double::ONE / Double::from((i + j + 1) as f64))
    }

    fn factor(of: &Matrix<Double>) -> Result<Matrix<Double>, NoFactor> {
        let mut factor = of.clone();
        Double::cholesky(factor.as_mut_slice(), of.rows(), &|| false).map(|()| factor)
    }

    #[test]
    fn the_factor_has_the_digits_that_f64_lacks() {
        for n in [1, 2, 5, 12] {
            let h = hilbert(n);
            let mut inverse = Matrix::zeros(n, n);
            Double::cholesky_inverse(&factor(&h).unwrap(), &mut inverse);
            let mut identity = Matrix::zeros(n, n);
            Double::product(&h, &inverse, false, &mut identity);
            for j in 0..n {
                for i in 0..n {
                    let wanted = if i == j { 1.0 } else { 0.0 };
                    let error = (identity[(i, j)] - Double::from(wanted)).rounded().abs();
                    assert!(error < 1e-14, "{error:e} at ({i}, {j}) of {n}");
                }
            }
            // The entries of the inverse are integers; the first is n².
            let error = inverse[(0, 0)] - Double::from((n * n) as f64);
            assert!(error.rounded().abs() < 1e-13, "{error:?}");
        }
    }

    #[test]
    fn scaling_by_the_factor_of_a_multiple_is_that_multiple() {
        let n = 9;
        let mut d = hilbert(n);
        let factor = factor(&d).unwrap();
        d.as_mut_slice().iter_mut().for_each(|v| *v = Double::from(-3.0) * *v);
        scale(&factor, &mut d);
        for j in 0..n {
            for i in 0..n {
                let wanted = if i == j { -3.0 } else { 0.0 };
                assert!((d[(i, j)].rounded() - wanted).abs() < 1e-17, "{:?}", d[(i, j)]);
            }
        }
    }

    #[test]
    fn what_is_not_definite_has_no_factor() {
        let mut mat = hilbert(3);
        mat[(2, 2)] = Double::from(0.1);
        assert!(factor(&mat).is_err());
        mat[(0, 0)] = Double::from(f64::NAN);
        assert!(factor(&mat).is_err());
    }
}
