//! What a loss without the diagonal takes off the whole one: f(Z) = ½‖Z − A‖² − ½Σ Z_ii² for an A with zeros there.

use gramfold_linalg::{Dense, Mat, Symmetric, dot};

use super::{RowModels, affine::Cached};

/// The matrix with zeros on its diagonal.
pub(super) fn hollow(a: Symmetric) -> Symmetric {
    let n = a.dim();
    if let Symmetric::Dense(dense) = a {
        let mut matrix = dense.as_mat().clone();
        (0..n).for_each(|i| matrix[(i, i)] = 0.0);
        return Dense::symmetrised(matrix).into();
    }
    a.without_diagonal().expect("invariant: as many rows as before").into()
}

/// x_i·y_i for each i.
pub(super) fn diagonal<'a>(x: &'a Mat, y: &'a Mat) -> impl Iterator<Item = f64> + 'a {
    (0..x.rows()).map(|i| dot(x.row(i), y.row(i)))
}

/// Row i of `out` less `weight(i)` times row i of `of`.
pub(super) fn subtract(weights: impl Iterator<Item = f64>, of: &Mat, out: &mut Mat) {
    for (i, weight) in weights.enumerate() {
        out.row_mut(i).iter_mut().zip(of.row(i)).for_each(|(out, value)| *out -= weight * value);
    }
}

/// Takes ½Σ Z_ii² along X + tP off a quartic in t.
pub(super) fn subtract_along(x: &Mat, p: &Mat, quartic: &mut [f64; 5]) {
    for i in 0..x.rows() {
        let (x, p) = (x.row(i), p.row(i));
        let (q0, q1, q2) = (dot(x, x), 2.0 * dot(x, p), dot(p, p));
        quartic[0] -= 0.5 * q0 * q0;
        quartic[1] -= q0 * q1;
        quartic[2] -= 0.5 * q1 * q1 + q0 * q2;
        quartic[3] -= q1 * q2;
        quartic[4] -= 0.5 * q2 * q2;
    }
}

/// The rows of the other factor's block: ½xᵀ(gram − yyᵀ)x − linear·x for the row y of this one.
impl RowModels for Cached {
    fn is_quadratic(&self) -> bool {
        true
    }

    fn models(
        &self,
        first: usize,
        rows: &[f64],
        values: &mut [f64],
        gradients: &mut [f64],
        grams: &mut [f64],
    ) {
        let r = self.gram.cols();
        for (k, row) in rows.chunks_exact(r).enumerate() {
            let (y, linear) = (self.factor.row(first + k), self.linear.row(first + k));
            let gram = &mut grams[k * r * r..(k + 1) * r * r];
            for (i, line) in gram.chunks_exact_mut(r).enumerate() {
                let shared = self.gram.row(i);
                for (j, entry) in line.iter_mut().enumerate() {
                    *entry = shared[j] - y[i] * y[j];
                }
            }
            let gradient = &mut gradients[k * r..(k + 1) * r];
            for (i, gradient) in gradient.iter_mut().enumerate() {
                *gradient = dot(&gram[i * r..(i + 1) * r], row) - linear[i];
            }
            values[k] = 0.5 * (dot(gradient, row) - dot(linear, row));
        }
    }

    fn values(&self, first: usize, rows: &[f64], values: &mut [f64]) {
        let r = self.gram.cols();
        for (k, row) in rows.chunks_exact(r).enumerate() {
            let (y, linear) = (self.factor.row(first + k), self.linear.row(first + k));
            let square: f64 = (0..r).map(|i| row[i] * dot(self.gram.row(i), row)).sum();
            let own = dot(y, row);
            values[k] = 0.5 * (square - own * own) - dot(linear, row);
        }
    }
}
