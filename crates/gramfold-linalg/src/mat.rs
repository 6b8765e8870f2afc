//! The one dense matrix type: row-major.

use std::ops::{Index, IndexMut};

use faer::MatRef;

use crate::{chunk, fma, multiversion};

/// Entries that one task of a reduction adds up; also the leaf of its summation tree.
const LEAF: usize = 8192;

/// A row-major matrix: a tall factor (n×r), a vector (n×1) or a small Gram matrix (r×r).
#[derive(Clone, Default, Debug, PartialEq)]
pub struct Matrix<T> {
    rows: usize,
    cols: usize,
    data: Vec<T>,
}

/// A row-major matrix of `f64`, which all kernels work on.
pub type Mat = Matrix<f64>;

impl<T: Copy + Default> Matrix<T> {
    /// The zero matrix.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![T::default(); rows * cols] }
    }

    /// The matrix with entries `entry(i, j)`, filled row by row.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> T) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            data.extend((0..cols).map(|j| entry(i, j)));
        }
        Self { rows, cols, data }
    }

    /// The matrix whose rows are stored one after the other in `data`.
    ///
    /// # Panics
    /// If `data` does not hold rows × cols entries.
    pub fn from_row_major(rows: usize, cols: usize, data: Vec<T>) -> Self {
        assert_eq!(data.len(), rows * cols, "a {rows}x{cols} matrix has {} entries", rows * cols);
        Self { rows, cols, data }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All entries, row by row.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All entries, row by row.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Column `j`, from top to bottom.
    pub fn column(&self, j: usize) -> impl Iterator<Item = T> + '_ {
        self.data.iter().skip(j).step_by(self.cols.max(1)).copied()
    }

    /// The transpose.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// Overwrites with `other`, which has the same shape.
    pub fn copy_from(&mut self, other: &Self) {
        self.data.copy_from_slice(&other.data);
    }
}

impl Mat {
    /// The identity matrix.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| f64::from(i == j))
    }

    /// self ← α·self.
    pub fn scale(&mut self, alpha: f64) {
        chunk::for_each(&mut self.data, LEAF, |_, part| part.iter_mut().for_each(|v| *v *= alpha));
    }

    /// self ← self + α·other.
    pub fn axpy(&mut self, alpha: f64, other: &Self) {
        self.zip(other, |a, b| a + alpha * b);
    }

    /// self ← combine(self, other), entry by entry.
    pub fn zip(&mut self, other: &Self, combine: impl Fn(f64, f64) -> f64 + Sync) {
        chunk::for_each(&mut self.data, LEAF, |i, part| {
            let other = &other.data[i * LEAF..];
            part.iter_mut().zip(other).for_each(|(a, &b)| *a = combine(*a, b));
        });
    }

    /// self ← combine(self, one, two), entry by entry.
    pub fn zip2(&mut self, one: &Self, two: &Self, combine: impl Fn(f64, f64, f64) -> f64 + Sync) {
        chunk::for_each(&mut self.data, LEAF, |i, part| {
            let others = one.data[i * LEAF..].iter().zip(&two.data[i * LEAF..]);
            part.iter_mut().zip(others).for_each(|(a, (&b, &c))| *a = combine(*a, b, c));
        });
    }

    /// self ← ½(self + selfᵀ).
    pub fn symmetrise(&mut self) {
        let transposed = self.transposed();
        self.zip(&transposed, |a, b| 0.5 * (a + b));
    }

    /// ⟨self, other⟩, the Frobenius inner product.
    pub fn dot(&self, other: &Self) -> f64 {
        dot(&self.data, &other.data)
    }

    /// ‖self‖_F².
    pub fn norm_squared(&self) -> f64 {
        dot(&self.data, &self.data)
    }

    /// ‖self‖_F.
    pub fn norm(&self) -> f64 {
        norm(&self.data)
    }

    /// ‖self − other‖_F, without forming the difference.
    pub fn distance(&self, other: &Self) -> f64 {
        tree(self.data.len(), &|at, len| {
            distance_leaf::<32>(&self.data[at..at + len], &other.data[at..at + len])
        })
        .sqrt()
    }

    /// The largest absolute entry; NaN if any entry is.
    pub fn max_abs(&self) -> f64 {
        self.data.iter().fold(0.0, |m: f64, v| if v.is_nan() || v.abs() > m { v.abs() } else { m })
    }

    /// Whether every entry is finite.
    pub fn is_finite(&self) -> bool {
        self.data.iter().all(|v| v.is_finite())
    }

    pub(crate) fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.data, self.rows, self.cols)
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[i * self.cols + j]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[i * self.cols + j]
    }
}

/// aᵀb, summed over a fixed tree.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    tree(a.len(), &|at, len| dot_leaf::<32>(&a[at..at + len], &b[at..at + len]))
}

/// aᵀb of a part that one task handles.
pub(crate) fn dot_of_part(a: &[f64], b: &[f64]) -> f64 {
    dot_leaf::<32>(a, b)
}

/// ‖a‖, summed over a fixed tree.
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// a ← a/‖a‖; returns ‖a‖.
pub fn normalise(a: &mut [f64]) -> f64 {
    let length = norm(a);
    for v in a.iter_mut() {
        *v /= length;
    }
    length
}

multiversion! {
    /// Running sums, one a vector lane, let the compiler use registers fully; their order is fixed.
    fn dot_leaf<const LANES: usize>(a: &[f64], b: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        let (a_full, a_tail) = a.as_chunks::<LANES>();
        let (b_full, b_tail) = b.as_chunks::<LANES>();
        for (a, b) in a_full.iter().zip(b_full) {
            for l in 0..LANES {
                sums[l] = fma::<FUSED, _>(a[l], b[l], sums[l]);
            }
        }
        let tail: f64 = a_tail.iter().zip(b_tail).map(|(a, b)| a * b).sum();
        sums.iter().sum::<f64>() + tail
    }
}

multiversion! {
    /// ‖a − b‖², in the same order as [`dot_leaf`].
    fn distance_leaf<const LANES: usize>(a: &[f64], b: &[f64]) -> f64 {
        let mut sums = [0.0; LANES];
        let (a_full, a_tail) = a.as_chunks::<LANES>();
        let (b_full, b_tail) = b.as_chunks::<LANES>();
        for (a, b) in a_full.iter().zip(b_full) {
            for l in 0..LANES {
                let difference = a[l] - b[l];
                sums[l] = fma::<FUSED, _>(difference, difference, sums[l]);
            }
        }
        let tail: f64 = a_tail.iter().zip(b_tail).map(|(a, b)| (a - b) * (a - b)).sum();
        sums.iter().sum::<f64>() + tail
    }
}

/// Sums leaves over a binary tree whose shape depends on `len` alone.
fn tree(len: usize, leaf: &(impl Fn(usize, usize) -> f64 + Sync)) -> f64 {
    fn node(at: usize, len: usize, leaf: &(impl Fn(usize, usize) -> f64 + Sync)) -> f64 {
        if len <= LEAF {
            return leaf(at, len);
        }
        let half = (len / LEAF).div_ceil(2) * LEAF;
        let (left, right) =
            rayon::join(|| node(at, half, leaf), || node(at + half, len - half, leaf));
        left + right
    }
    node(0, len, leaf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_match_a_plain_loop() {
        for len in [0, 1, 7, 8, LEAF, LEAF + 1, 3 * LEAF + 5] {
            let a: Vec<f64> = (0..len).map(|i| (i as f64 * 0.37).sin()).collect();
            let b: Vec<f64> = (0..len).map(|i| (i as f64 * 0.11).cos()).collect();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((dot(&a, &b) - plain).abs() <= 1e-10 * (1.0 + len as f64));
            let apart: f64 = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum();
            let (a, b) = (Mat::from_row_major(len, 1, a), Mat::from_row_major(len, 1, b));
            assert!((a.distance(&b) - apart.sqrt()).abs() <= 1e-10 * (1.0 + apart));
        }
    }

    #[test]
    fn max_abs_sees_nan() {
        let m = Mat::from_row_major(1, 3, vec![1.0, f64::NAN, 2.0]);
        assert!(m.max_abs().is_nan());
        assert!(!m.is_finite());
    }
}
