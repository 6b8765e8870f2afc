//! Small dense matrices of double-double numbers, and their kernels: plain loops down the columns.

use std::ops::{Index, IndexMut};

use super::double::Double;

/// A square matrix, column by column.
#[derive(Clone, Debug)]
pub(super) struct Square {
    pub(super) n: usize,
    pub(super) values: Vec<Double>,
}

impl Index<(usize, usize)> for Square {
    type Output = Double;

    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &Double {
        &self.values[j * self.n + i]
    }
}

impl IndexMut<(usize, usize)> for Square {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Double {
        &mut self.values[j * self.n + i]
    }
}

/// to ← to + α·from.
#[inline]
pub(super) fn axpy(alpha: Double, from: &[Double], to: &mut [Double]) {
    to.iter_mut().zip(from).for_each(|(t, f)| *t += alpha * *f);
}

/// Σ a_i b_i.
pub(super) fn dot(a: &[Double], b: &[Double]) -> Double {
    a.iter().zip(b).fold(Double::ZERO, |sum, (a, b)| sum + *a * *b)
}

impl Square {
    pub(super) fn zeros(n: usize) -> Self {
        Self { n, values: vec![Double::ZERO; n * n] }
    }

    pub(super) fn column(&self, j: usize) -> &[Double] {
        &self.values[j * self.n..(j + 1) * self.n]
    }

    pub(super) fn column_mut(&mut self, j: usize) -> &mut [Double] {
        &mut self.values[j * self.n..(j + 1) * self.n]
    }

    /// self ← self + ab.
    pub(super) fn add_product(&mut self, a: &Self, b: &Self) {
        for j in 0..self.n {
            for k in 0..self.n {
                axpy(b[(k, j)], a.column(k), self.column_mut(j));
            }
        }
    }

    /// self ← (self + selfᵀ)/2.
    pub(super) fn symmetrise(&mut self) {
        let half = Double::from(0.5);
        for j in 0..self.n {
            for i in 0..j {
                let mean = half * (self[(i, j)] + self[(j, i)]);
                self[(i, j)] = mean;
                self[(j, i)] = mean;
            }
        }
    }

    /// The lower triangle ← L with LLᵀ the matrix it held, but for the diagonal, which becomes that of L inverted:
    /// divisions are dear. False if the matrix is not numerically positive definite. What is above the diagonal is
    /// neither read nor written.
    pub(super) fn cholesky(&mut self) -> bool {
        let n = self.n;
        for j in 0..n {
            let pivot = self[(j, j)];
            if !(pivot.rounded() > 0.0 && pivot.is_finite()) {
                return false;
            }
            let inverse = Double::ONE / pivot.sqrt();
            self[(j, j)] = inverse;
            let (left, right) = self.values.split_at_mut((j + 1) * n);
            let column = &mut left[j * n..];
            column[j + 1..].iter_mut().for_each(|v| *v = *v * inverse);
            for (k, to) in right.chunks_exact_mut(n).enumerate() {
                let k = j + 1 + k;
                axpy(-column[k], &column[k..], &mut to[k..]);
            }
        }
        true
    }

    /// v ← L⁻¹v for the L of [`Self::cholesky`].
    pub(super) fn forward(&self, v: &mut [Double]) {
        for j in 0..self.n {
            if v[j] != Double::ZERO {
                v[j] = v[j] * self[(j, j)];
                let pivot = -v[j];
                axpy(pivot, &self.column(j)[j + 1..], &mut v[j + 1..]);
            }
        }
    }

    /// v ← L⁻ᵀv.
    pub(super) fn backward(&self, v: &mut [Double]) {
        for j in (0..self.n).rev() {
            let sum = dot(&self.column(j)[j + 1..], &v[j + 1..]);
            v[j] = (v[j] - sum) * self[(j, j)];
        }
    }

    /// out ← (LLᵀ)⁻¹.
    pub(super) fn invert_into(&self, out: &mut Self) {
        out.values.fill(Double::ZERO);
        for j in 0..self.n {
            out[(j, j)] = Double::ONE;
            self.forward(out.column_mut(j));
            self.backward(out.column_mut(j));
        }
        out.symmetrise();
    }

    /// d ← L⁻¹dL⁻ᵀ, d symmetric.
    pub(super) fn scale(&self, d: &mut Self) {
        for j in 0..self.n {
            self.forward(d.column_mut(j));
        }
        d.transpose();
        for j in 0..self.n {
            self.forward(d.column_mut(j));
        }
    }

    fn transpose(&mut self) {
        for j in 0..self.n {
            for i in 0..j {
                self.values.swap(j * self.n + i, i * self.n + j);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Hilbert matrix: exact in neither format, and of condition 1e16 at n = 12.
    fn hilbert(n: usize) -> Square {
        let mut mat = Square::zeros(n);
        for j in 0..n {
            for i in 0..n {
                mat[(i, j)] = Double::ONE / Double::from((i + j + 1) as f64);
            }
        }
        mat
    }

    #[test]
    fn the_factor_has_the_digits_that_f64_lacks() {
        for n in [1, 2, 5, 12] {
            let h = hilbert(n);
            let mut l = h.clone();
            assert!(l.cholesky());
            let mut inverse = Square::zeros(n);
            l.invert_into(&mut inverse);
            let mut identity = Square::zeros(n);
            identity.add_product(&h, &inverse);
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
        let mut l = hilbert(n);
        assert!(l.cholesky());
        let mut d = hilbert(n);
        d.values.iter_mut().for_each(|v| *v = Double::from(-3.0) * *v);
        l.scale(&mut d);
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
        assert!(!mat.cholesky());
        mat[(0, 0)] = Double::from(f64::NAN);
        assert!(!mat.cholesky());
    }
}
