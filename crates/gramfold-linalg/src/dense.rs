//! Dense symmetric matrices.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};

use crate::{Mat, chunk, mat::dot};

/// Rows of A that one task multiplies: big enough for the GEMM kernel, small enough to share out.
const ROWS: usize = 64;

/// A dense symmetric n×n matrix, both triangles stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense(Mat);

impl Dense {
    /// Takes ½(M + Mᵀ); a symmetric M is kept to the last bit.
    ///
    /// # Panics
    /// If the matrix is not square.
    pub fn symmetrised(mut matrix: Mat) -> Self {
        let n = matrix.rows();
        assert_eq!(n, matrix.cols(), "a symmetric matrix is square");
        for i in 0..n {
            for j in 0..i {
                let (a, b) = (matrix[(i, j)], matrix[(j, i)]);
                if a != b {
                    let mean = 0.5 * a + 0.5 * b;
                    matrix[(i, j)] = mean;
                    matrix[(j, i)] = mean;
                }
            }
        }
        Self(matrix)
    }

    /// The matrix itself.
    pub fn as_mat(&self) -> &Mat {
        &self.0
    }

    /// The dimension n.
    pub fn dim(&self) -> usize {
        self.0.rows()
    }

    /// out ← A·v.
    pub(crate) fn apply(&self, v: &Mat, out: &mut Mat) {
        let r = v.cols();
        chunk::for_each(out.as_mut_slice(), ROWS * r, |index, part| {
            self.apply_rows(v, index * ROWS, part);
        });
    }

    /// Rows `first ..` of A·v, as many as fit into `out`.
    pub(crate) fn apply_rows(&self, v: &Mat, first: usize, out: &mut [f64]) {
        let (n, r) = (self.dim(), v.cols());
        if r == 1 {
            // A matrix-vector product reads A once: dot products reach the memory's speed.
            for (i, out) in out.iter_mut().enumerate() {
                *out = dot(self.0.row(first + i), v.as_slice());
            }
            return;
        }
        let rows = out.len() / r;
        let a = &self.0.as_slice()[first * n..(first + rows) * n];
        let a = MatRef::from_row_major_slice(a, rows, n);
        let out = MatMut::from_row_major_slice_mut(out, rows, r);
        matmul(out, Accum::Replace, a, v.view(), 1.0, Par::Seq);
    }
}
