//! Sparse symmetric matrices in compressed rows, both triangles stored.
//!
//! Storing one triangle would halve the memory of A but makes a row-parallel product race on its
//! output; the full matrix is as fast on one core and scales.

use crate::{
    Mat, chunk,
    simd::{fma, multiversion, prefetch},
};

/// Rows whose products one task computes.
const ROWS: usize = 256;

/// A sparse n×n matrix with the same pattern and values as its transpose.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// Why entries do not make a symmetric matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CsrError {
    /// An index is not below the dimension.
    OutOfRange {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// The dimension does not fit 32-bit indices.
    TooLarge {
        /// The dimension asked for.
        dim: usize,
    },
    /// The entry with the largest |a_ij − a_ji|.
    Asymmetric {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// a_ij.
        value: f64,
        /// a_ji.
        mirrored: f64,
    },
}

impl Csr {
    /// A matrix from `(row, column, value)` entries of *both* triangles, in any order.
    ///
    /// Entries at the same place are added. The result must be symmetric to the last bit; use
    /// [`Csr::symmetrised`] to average a matrix with its transpose first.
    pub fn from_entries(dim: usize, entries: &[(u32, u32, f64)]) -> Result<Self, CsrError> {
        let matrix = Self::assemble(dim, entries.iter().copied())?;
        match matrix.worst_asymmetry() {
            Some(error) => Err(error),
            None => Ok(matrix),
        }
    }

    /// A matrix from the entries of *one* triangle, each mirrored: symmetric by construction.
    pub fn from_triangle(dim: usize, entries: &[(u32, u32, f64)]) -> Result<Self, CsrError> {
        let mirrored = entries.iter().filter(|(i, j, _)| i != j).map(|&(i, j, v)| (j, i, v));
        Self::assemble(dim, entries.iter().copied().chain(mirrored))
    }

    /// ½(B + Bᵀ) for the matrix B with the given entries.
    pub fn symmetrised(dim: usize, entries: &[(u32, u32, f64)]) -> Result<Self, CsrError> {
        let halves = entries.iter().map(|&(i, j, v)| (i, j, 0.5 * v));
        Self::assemble(dim, halves.clone().chain(halves.map(|(i, j, v)| (j, i, v))))
    }

    /// Counting sort by row, then each row by column: O(nnz + n) but for the short row sorts.
    fn assemble(
        dim: usize,
        entries: impl Iterator<Item = (u32, u32, f64)> + Clone,
    ) -> Result<Self, CsrError> {
        if u32::try_from(dim).is_err() {
            return Err(CsrError::TooLarge { dim });
        }
        let mut starts = vec![0_usize; dim + 1];
        for (i, j, _) in entries.clone() {
            let (row, column) = (i as usize, j as usize);
            if row >= dim || column >= dim {
                return Err(CsrError::OutOfRange { row, column });
            }
            starts[row + 1] += 1;
        }
        for row in 0..dim {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0_u32, 0.0); starts[dim]];
        for (i, j, value) in entries {
            sorted[next[i as usize]] = (j, value);
            next[i as usize] += 1;
        }
        let (mut columns, mut values) =
            (Vec::with_capacity(sorted.len()), Vec::with_capacity(sorted.len()));
        let mut begin = 0;
        for row in 0..dim {
            let end = starts[row + 1];
            // Stable, so that duplicates add up in the order given: the same file, the same bits.
            sorted[begin..end].sort_by_key(|&(column, _)| column);
            let first = columns.len();
            for &(column, value) in &sorted[begin..end] {
                if columns.len() > first && columns.last() == Some(&column) {
                    *values.last_mut().expect("invariant: one value a column") += value;
                } else {
                    columns.push(column);
                    values.push(value);
                }
            }
            begin = end;
            starts[row + 1] = columns.len();
        }
        Ok(Self { starts, columns, values })
    }

    fn worst_asymmetry(&self) -> Option<CsrError> {
        let mut worst: Option<(f64, CsrError)> = None;
        for row in 0..self.dim() {
            for (column, value) in self.row(row) {
                let mirrored = self.get(column, row);
                let difference = (value - mirrored).abs();
                if difference > worst.as_ref().map_or(0.0, |w| w.0) {
                    worst =
                        Some((difference, CsrError::Asymmetric { row, column, value, mirrored }));
                }
            }
        }
        worst.map(|w| w.1)
    }

    /// The dimension n.
    pub fn dim(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of stored entries, both triangles.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// The stored entries of row `i` as `(column, value)`, by increasing column.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[i]..self.starts[i + 1];
        self.columns[range.clone()]
            .iter()
            .map(|&j| j as usize)
            .zip(self.values[range].iter().copied())
    }

    /// The entry at (i, j), zero where nothing is stored.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let range = self.starts[i]..self.starts[i + 1];
        match self.columns[range.clone()].binary_search_by_key(&j, |&c| c as usize) {
            Ok(at) => self.values[range.start + at],
            Err(_) => 0.0,
        }
    }

    /// The stored values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Row starts, columns and values.
    pub(crate) fn parts(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.starts, &self.columns, &self.values)
    }

    /// Gives every stored entry, row by row, the value that its slot has: values[k] = `table`[`slots`[k]].
    /// A pattern that is kept while its values change has mirrored entries share a slot.
    ///
    /// # Panics
    /// If there is not one slot an entry, or a slot is outside the table.
    pub fn refill(&mut self, slots: &[u32], table: &[f64]) {
        assert_eq!(slots.len(), self.values.len(), "one slot an entry");
        self.values.iter_mut().zip(slots).for_each(|(value, &slot)| *value = table[slot as usize]);
    }

    /// out ← A·v.
    pub fn apply(&self, v: &Mat, out: &mut Mat) {
        // Columns of v go through registers, up to 32 at a time, each width with its own kernel.
        let mut from = 0;
        while from < v.cols() {
            let width = (v.cols() - from).min(32);
            self.apply_columns(v, out, from, KERNELS[width - 1]);
            from += width;
        }
    }

    /// Columns `from ..` of A·v, as many as the kernel is for.
    fn apply_columns(&self, v: &Mat, out: &mut Mat, from: usize, kernel: Kernel) {
        let width = v.cols();
        chunk::for_each(out.as_mut_slice(), ROWS * width, |index, rows| {
            let first = index * ROWS;
            let starts = &self.starts[first..=first + rows.len() / width];
            kernel(starts, &self.columns, &self.values, v.as_slice(), width, from, rows);
        });
    }
}

/// Adds up R columns of the rows between consecutive `starts`.
type Kernel = fn(&[usize], &[u32], &[f64], &[f64], usize, usize, &mut [f64]);

/// The kernel for each width from 1 to 32.
#[rustfmt::skip]
const KERNELS: [Kernel; 32] = [
    rows::<1>, rows::<2>, rows::<3>, rows::<4>, rows::<5>, rows::<6>, rows::<7>, rows::<8>,
    rows::<9>, rows::<10>, rows::<11>, rows::<12>, rows::<13>, rows::<14>, rows::<15>, rows::<16>,
    rows::<17>, rows::<18>, rows::<19>, rows::<20>, rows::<21>, rows::<22>, rows::<23>, rows::<24>,
    rows::<25>, rows::<26>, rows::<27>, rows::<28>, rows::<29>, rows::<30>, rows::<31>, rows::<32>,
];

/// Nonzeros between asking for a row of v and using it.
const AHEAD: usize = 8;

multiversion! {
    fn rows<const R: usize>(
        starts: &[usize],
        columns: &[u32],
        values: &[f64],
        v: &[f64],
        width: usize,
        from: usize,
        out: &mut [f64],
    ) {
        for (out, range) in out.chunks_exact_mut(width).zip(starts.windows(2)) {
            let mut sums = [0.0; R];
            for k in range[0]..range[1] {
                if let Some(&ahead) = columns.get(k + AHEAD) {
                    let at = ahead as usize * width + from;
                    prefetch(v, at);
                    if R > 8 {
                        prefetch(v, at + 8);
                    }
                    if R > 16 {
                        prefetch(v, at + 16);
                    }
                    if R > 24 {
                        prefetch(v, at + 24);
                    }
                }
                let at = columns[k] as usize * width + from;
                let gathered: &[f64; R] =
                    v[at..at + R].try_into().expect("invariant: R entries");
                for l in 0..R {
                    sums[l] = fma::<FUSED>(values[k], gathered[l], sums[l]);
                }
            }
            out[from..from + R].copy_from_slice(&sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_add_up_and_rows_are_sorted() {
        let entries = [(1, 0, 2.0), (0, 1, 2.0), (0, 0, 1.0), (0, 0, 0.5)];
        let a = Csr::from_entries(2, &entries).unwrap();
        assert_eq!(a.row(0).collect::<Vec<_>>(), [(0, 1.5), (1, 2.0)]);
        assert_eq!(a.get(1, 1), 0.0);
        assert_eq!(a.stored(), 3);
    }

    #[test]
    fn an_asymmetric_matrix_is_refused_with_its_worst_entry() {
        let entries = [(0, 1, 2.0), (1, 0, 1.5), (1, 2, 3.0), (2, 1, 0.0)];
        let error = Csr::from_entries(3, &entries).unwrap_err();
        assert_eq!(error, CsrError::Asymmetric { row: 1, column: 2, value: 3.0, mirrored: 0.0 });
        let symmetrised = Csr::symmetrised(3, &entries).unwrap();
        assert_eq!(symmetrised.get(0, 1), 1.75);
        assert_eq!(symmetrised.get(2, 1), 1.5);
    }

    #[test]
    fn a_pattern_takes_new_values() {
        let mut a = Csr::from_triangle(3, &[(0, 0, 0.0), (0, 2, 1.0), (1, 1, 2.0)]).unwrap();
        let slots: Vec<u32> = a.values().iter().map(|&slot| slot as u32).collect();
        a.refill(&slots, &[5.0, 6.0, 7.0]);
        assert_eq!((a.get(0, 0), a.get(0, 2), a.get(2, 0), a.get(1, 1)), (5.0, 6.0, 6.0, 7.0));
    }

    #[test]
    fn an_index_out_of_range_is_refused() {
        assert_eq!(
            Csr::from_entries(2, &[(0, 2, 1.0)]),
            Err(CsrError::OutOfRange { row: 0, column: 2 })
        );
    }
}
