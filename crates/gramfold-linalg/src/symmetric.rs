//! The data matrix A (or C): symmetric, dense or sparse, used only through products.

use crate::{Csr, CsrError, Dense, Mat, dot};

/// A symmetric n×n matrix.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Symmetric {
    /// Every entry stored.
    Dense(Dense),
    /// Nonzeros stored.
    Sparse(Csr),
}

impl Symmetric {
    /// The dimension n.
    pub fn dim(&self) -> usize {
        match self {
            Self::Dense(a) => a.dim(),
            Self::Sparse(a) => a.dim(),
        }
    }

    /// The nonzeros off the diagonal.
    ///
    /// # Errors
    /// If there are more rows than 32-bit indices can count.
    pub fn without_diagonal(&self) -> Result<Csr, CsrError> {
        let mut entries = Vec::new();
        self.for_each_upper(|i, j, value| {
            if i < j && value != 0.0 {
                entries.push((i as u32, j as u32, value));
            }
        });
        Csr::from_triangle(self.dim(), &entries)
    }

    /// Calls `visit` with the row, the column and the value of each stored entry on and above the diagonal, row by row.
    pub fn for_each_upper(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for i in 0..self.dim() {
            match self {
                Self::Sparse(a) => {
                    a.row(i).filter(|&(j, _)| i <= j).for_each(|(j, value)| visit(i, j, value));
                }
                Self::Dense(_) => (i..self.dim()).for_each(|j| visit(i, j, self.get(i, j))),
            }
        }
    }

    /// Number of stored entries, both triangles.
    pub fn stored(&self) -> usize {
        match self {
            Self::Dense(a) => a.as_mat().as_slice().len(),
            Self::Sparse(a) => a.stored(),
        }
    }

    /// out ← A·v.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn apply(&self, v: &Mat, out: &mut Mat) {
        assert_eq!((v.rows(), v.cols()), (out.rows(), out.cols()), "A·v has the shape of v");
        assert_eq!(v.rows(), self.dim(), "v has a row for each column of A");
        match self {
            Self::Dense(a) => a.apply(v, out),
            Self::Sparse(a) => a.apply(v, out),
        }
    }

    /// The entry at (i, j).
    pub fn get(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Dense(a) => a.as_mat()[(i, j)],
            Self::Sparse(a) => a.get(i, j),
        }
    }

    /// The stored values, row by row.
    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let values = match self {
            Self::Dense(a) => a.as_mat().as_slice(),
            Self::Sparse(a) => a.values(),
        };
        values.iter().copied()
    }

    /// ‖A‖_F², which over- and underflows where the squares do.
    pub fn norm_squared(&self) -> f64 {
        match self {
            Self::Dense(a) => a.as_mat().norm_squared(),
            Self::Sparse(a) => dot(a.values(), a.values()),
        }
    }

    /// The largest |a_ij|.
    pub fn max_abs(&self) -> f64 {
        self.values().fold(0.0, |m: f64, v| m.max(v.abs()))
    }

    /// Rows `first ..` of A·v, as many as fit into `out`, on the calling thread.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn apply_rows(&self, v: &Mat, first: usize, out: &mut [f64]) {
        assert_eq!(v.rows(), self.dim(), "v has a row for each column of A");
        match self {
            Self::Dense(a) => a.apply_rows(v, first, out),
            Self::Sparse(a) => a.apply_rows(v.as_slice(), v.cols(), first, out),
        }
    }

    /// Adds row `i` of α·A to `row`.
    pub fn add_row(&self, i: usize, alpha: f64, row: &mut [f64]) {
        match self {
            Self::Dense(a) => {
                row.iter_mut().zip(a.as_mat().row(i)).for_each(|(out, a)| *out += alpha * a);
            }
            Self::Sparse(a) => a.row(i).for_each(|(j, a)| row[j] += alpha * a),
        }
    }

    /// All n² entries, for small matrices and certificates.
    pub fn to_dense(&self) -> Mat {
        let n = self.dim();
        let mut dense = Mat::zeros(n, n);
        for i in 0..n {
            self.add_row(i, 1.0, dense.row_mut(i));
        }
        dense
    }
}

impl From<Dense> for Symmetric {
    fn from(a: Dense) -> Self {
        Self::Dense(a)
    }
}

impl From<Csr> for Symmetric {
    fn from(a: Csr) -> Self {
        Self::Sparse(a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(n: usize) -> Mat {
        Mat::from_fn(
            n,
            n,
            |i, j| if (i + j) % 3 == 0 { ((i * j + i + j) as f64).sin() } else { 0.0 },
        )
    }

    fn sparse(dense: &Mat) -> Csr {
        let n = dense.rows();
        let entries: Vec<_> = (0..n * n)
            .map(|e| ((e / n) as u32, (e % n) as u32, dense[(e / n, e % n)]))
            .filter(|e| e.2 != 0.0)
            .collect();
        Csr::from_entries(n, &entries).unwrap()
    }

    #[test]
    fn without_its_diagonal_a_matrix_keeps_what_is_beside_it() {
        let matrix = wave(12);
        let stored = [Symmetric::from(Dense::symmetrised(matrix.clone())), sparse(&matrix).into()];
        for symmetric in stored {
            let hollow = symmetric.without_diagonal().unwrap();
            for i in 0..12 {
                for j in 0..12 {
                    let expected = if i == j { 0.0 } else { matrix[(i, j)] };
                    assert_eq!(hollow.get(i, j), expected);
                }
                assert!(hollow.row(i).all(|(j, value)| j != i && value != 0.0));
            }
        }
    }

    #[test]
    fn dense_and_sparse_products_match_a_naive_loop() {
        for (n, r) in [(1, 1), (5, 3), (70, 1), (70, 7), (300, 47), (600, 64)] {
            let matrix = wave(n);
            let v = Mat::from_fn(n, r, |i, j| ((i + 2 * j) as f64).cos());
            let naive = Mat::from_fn(n, r, |i, j| (0..n).map(|k| matrix[(i, k)] * v[(k, j)]).sum());
            for a in [Symmetric::from(Dense::symmetrised(matrix.clone())), sparse(&matrix).into()] {
                let mut out = Mat::from_fn(n, r, |_, _| f64::NAN);
                a.apply(&v, &mut out);
                assert!(out.distance(&naive) <= 1e-12 * (1.0 + naive.norm()), "n = {n}, r = {r}");
                assert!((a.norm_squared() - matrix.norm_squared()).abs() < 1e-9);
                assert_eq!(a.to_dense(), matrix);
            }
        }
    }

    #[test]
    fn products_have_the_same_bits_on_any_number_of_threads() {
        let (n, r) = (3000, 17);
        let entries: Vec<_> = (0..n as u32)
            .flat_map(|i| {
                let j = (i * 7 + 1) % n as u32;
                let v = f64::from(i % 13) - 6.3;
                [(i, j, v), (j, i, v)]
            })
            .collect();
        let a = Symmetric::from(Csr::from_entries(n, &entries).unwrap());
        let v = Mat::from_fn(n, r, |i, j| ((i * r + j) as f64).sin());
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut out = Mat::zeros(n, r);
                a.apply(&v, &mut out);
                let mut gram = crate::Gram::new(r);
                let gram = gram.of(&out, &v).clone();
                (out.dot(&v), out.distance(&v), gram, out)
            })
        };
        assert_eq!(run(1), run(4));
    }
}
