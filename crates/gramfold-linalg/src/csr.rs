//! Sparse symmetric matrices in compressed rows, both triangles stored.
//!
//! Storing one triangle would halve the memory of A but makes a row-parallel product race on its
//! output; the full matrix is as fast on one core and scales.

mod above;
mod mirrored;
mod reordered;

use std::{fmt, sync::Arc};

pub use above::Above;

use crate::{Mat, chunk, gather::gather};

/// Rows whose products one task computes.
const ROWS: usize = 256;

/// A row, a column and a value.
type Entry = (u32, u32, f64);

/// A sparse n×n matrix with the same pattern and values as its transpose.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    /// Shared by matrices with the same pattern, as the columns are.
    starts: Arc<Vec<usize>>,
    columns: Arc<Vec<u32>>,
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

impl fmt::Display for CsrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { row, column } => {
                write!(f, "the entry ({row}, {column}) is not in the matrix")
            }
            Self::TooLarge { dim } => {
                write!(f, "a matrix of {dim} rows is too large: at most {} are possible", u32::MAX)
            }
            Self::Asymmetric { row, column, value, mirrored } => write!(
                f,
                "the matrix is not symmetric: {value} at ({row}, {column}), but {mirrored} at ({column}, {row})"
            ),
        }
    }
}

impl std::error::Error for CsrError {}

impl Csr {
    /// A matrix from `(row, column, value)` entries of *both* triangles, in any order.
    ///
    /// Entries at the same place are added. The result must be symmetric to the last bit; use
    /// [`Csr::symmetrised`] to average a matrix with its transpose first.
    pub fn from_entries(dim: usize, entries: &[(u32, u32, f64)]) -> Result<Self, CsrError> {
        let matrix = Self::assemble(dim, entries.iter().map(|&entry| (entry, None)))?;
        if matrix.is_mirrored() {
            return Ok(matrix);
        }
        // A zero need not be stored twice.
        matrix.worst_asymmetry().map_or(Ok(matrix), Err)
    }

    /// A matrix from the entries of *one* triangle, each mirrored: symmetric by construction.
    pub fn from_triangle(dim: usize, entries: &[(u32, u32, f64)]) -> Result<Self, CsrError> {
        let mirrored = |(i, j, v)| (i != j).then_some((j, i, v));
        Self::assemble(dim, entries.iter().map(|&entry| (entry, mirrored(entry))))
    }

    /// ½(B + Bᵀ) for the matrix B with the given entries.
    pub fn symmetrised(dim: usize, entries: &[(u32, u32, f64)]) -> Result<Self, CsrError> {
        let halves = |&(i, j, v): &(u32, u32, f64)| ((i, j, 0.5 * v), Some((j, i, 0.5 * v)));
        Self::assemble(dim, entries.iter().map(halves))
    }

    /// From entries, some with another that comes with them: counting sort by row, then each row by column: O(nnz + n) but for the
    /// short row sorts.
    fn assemble(
        dim: usize,
        entries: impl Iterator<Item = (Entry, Option<Entry>)> + Clone,
    ) -> Result<Self, CsrError> {
        if u32::try_from(dim).is_err() {
            return Err(CsrError::TooLarge { dim });
        }
        let mut starts = vec![0_usize; dim + 1];
        for ((i, j, _), other) in entries.clone() {
            let (row, column) = (i as usize, j as usize);
            if row >= dim || column >= dim {
                return Err(CsrError::OutOfRange { row, column });
            }
            starts[row + 1] += 1;
            if let Some((row, ..)) = other {
                starts[row as usize + 1] += 1;
            }
        }
        for row in 0..dim {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0_u32; starts[dim]], vec![0.0; starts[dim]]);
        let mut put = |(i, j, value): Entry| {
            let at = &mut next[i as usize];
            (columns[*at], values[*at]) = (j, value);
            *at += 1;
        };
        for (entry, other) in entries {
            put(entry);
            other.into_iter().for_each(&mut put);
        }
        drop(next);
        // Rows are sorted one at a time and move up over what duplicates left: no second copy.
        let mut sorted: Vec<(u32, f64)> = Vec::new();
        let (mut begin, mut kept) = (0, 0);
        for row in 0..dim {
            let given = begin..starts[row + 1];
            begin = given.end;
            // Rows of most files come sorted.
            if columns[given.clone()].is_sorted_by(|a, b| a < b) {
                if kept < given.start {
                    columns.copy_within(given.clone(), kept);
                    values.copy_within(given.clone(), kept);
                }
                kept += given.len();
                starts[row + 1] = kept;
                continue;
            }
            sorted.clear();
            sorted
                .extend(columns[given.clone()].iter().copied().zip(values[given].iter().copied()));
            // Stable, so that duplicates add up in the order given: the same file, the same bits.
            sorted.sort_by_key(|&(column, _)| column);
            let first = kept;
            for &(column, value) in &sorted {
                if kept > first && columns[kept - 1] == column {
                    values[kept - 1] += value;
                } else {
                    (columns[kept], values[kept]) = (column, value);
                    kept += 1;
                }
            }
            starts[row + 1] = kept;
        }
        columns.truncate(kept);
        values.truncate(kept);
        Ok(Self { starts: starts.into(), columns: columns.into(), values })
    }

    /// From compressed rows: row i has the columns and values at `starts[i]..starts[i + 1]`, sorted. `None` if that
    /// is not so, or if the matrix is not symmetric to the last bit.
    pub fn from_rows(starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64>) -> Option<Self> {
        let dim = starts.len().checked_sub(1)?;
        let fits = starts[0] == 0 && starts[dim] == columns.len() && values.len() == columns.len();
        if !fits || !starts.is_sorted() || u32::try_from(dim).is_err() {
            return None;
        }
        for row in starts.windows(2).map(|range| &columns[range[0]..range[1]]) {
            if !row.is_sorted_by(|a, b| a < b) || row.last().is_some_and(|&c| c as usize >= dim) {
                return None;
            }
        }
        let matrix = Self { starts: starts.into(), columns: columns.into(), values };
        matrix.is_mirrored().then_some(matrix)
    }

    /// From compressed rows that are sorted and symmetric to the last bit by the way they were made, which only a debug
    /// build checks: it costs about as much as making them.
    ///
    /// # Panics
    /// In a debug build, if they are not.
    pub fn from_symmetric_rows(starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64>) -> Self {
        if cfg!(debug_assertions) {
            return Self::from_rows(starts, columns, values)
                .expect("invariant: sorted and symmetric rows");
        }
        Self { starts: starts.into(), columns: columns.into(), values }
    }

    /// The matrix with `diagonal` instead of its own, and then `entry(i, j, a_ij)` for each nonzero a_ij, which
    /// must be the same for (i, j) and (j, i). Zeros are not stored; where the pattern stays it is shared.
    ///
    /// # Panics
    /// If the diagonal has not one entry a row.
    #[must_use]
    pub fn rebuilt(&self, diagonal: &[f64], entry: impl Fn(usize, usize, f64) -> f64) -> Self {
        assert_eq!(diagonal.len(), self.dim(), "a diagonal has an entry for each row");
        if diagonal.iter().all(|d| *d == 0.0) {
            // The values, as long as nothing is met that must not be stored.
            let (mut values, mut fits) = (Vec::with_capacity(self.stored()), true);
            for i in 0..self.dim() {
                values.extend(self.row(i).map(|(j, value)| {
                    fits &= i != j && value != 0.0;
                    entry(i, j, value)
                }));
                if !fits {
                    break;
                }
            }
            if fits {
                return Self { starts: self.starts.clone(), columns: self.columns.clone(), values };
            }
        }
        let own = (0..self.dim()).filter(|&i| self.place(i, i).is_some()).count();
        let capacity = self.stored() - own + diagonal.iter().filter(|d| **d != 0.0).count();
        let mut starts = Vec::with_capacity(self.starts.len());
        let mut columns = Vec::with_capacity(capacity);
        let mut values = Vec::with_capacity(capacity);
        starts.push(0);
        for (i, &own) in diagonal.iter().enumerate() {
            let before = self.row(i).take_while(|&(j, _)| j < i);
            let after = self.row(i).skip_while(|&(j, _)| j <= i);
            let own = (own != 0.0).then_some((i, own));
            for (j, value) in before.chain(own).chain(after).filter(|entry| entry.1 != 0.0) {
                columns.push(j as u32);
                values.push(entry(i, j, value));
            }
            starts.push(columns.len());
        }
        Self { starts: starts.into(), columns: columns.into(), values }
    }

    /// The stored values, row by row.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Where each row begins, and the columns and values.
    #[inline]
    pub fn parts(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.starts, &self.columns, &self.values)
    }

    /// out ← A·v.
    pub fn apply(&self, v: &Mat, out: &mut Mat) {
        let width = v.cols();
        chunk::for_each(out.as_mut_slice(), ROWS * width, |index, rows| {
            self.apply_rows(v.as_slice(), width, index * ROWS, rows);
        });
    }

    /// The dimension n.
    #[inline]
    pub fn dim(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of stored entries, both triangles.
    #[inline]
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// The stored entries of row `i` as `(column, value)`, by increasing column.
    #[inline]
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[i]..self.starts[i + 1];
        self.columns[range.clone()]
            .iter()
            .map(|&j| j as usize)
            .zip(self.values[range].iter().copied())
    }

    /// The entry at (i, j), zero where nothing is stored.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.place(i, j).map_or(0.0, |at| self.values[at])
    }

    /// Where the entry at (i, j) is stored.
    fn place(&self, i: usize, j: usize) -> Option<usize> {
        let range = self.starts[i]..self.starts[i + 1];
        let found = self.columns[range.clone()].binary_search_by_key(&j, |&c| c as usize);
        found.ok().map(|at| range.start + at)
    }
}

impl Csr {
    /// Rows `first ..` of A·v, as many as fit into `out`; v has `width` columns.
    pub(crate) fn apply_rows(&self, v: &[f64], width: usize, first: usize, out: &mut [f64]) {
        let starts = &self.starts[first..=first + out.len() / width];
        gather(starts, &self.columns, &self.values, v, width, out);
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
    fn compressed_rows_must_be_sorted_and_symmetric() {
        let a =
            Csr::from_triangle(4, &[(0, 1, 2.0), (0, 3, 0.5), (2, 2, 1.0), (1, 3, 4.0)]).unwrap();
        let parts = || (a.starts.to_vec(), a.columns.to_vec(), a.values.clone());
        let (starts, columns, values) = parts();
        assert_eq!(Csr::from_rows(starts, columns, values), Some(a.clone()));
        for at in 0..a.stored() {
            let (starts, columns, mut values) = parts();
            values[at] += 1.0;
            // Only the diagonal has no mirror.
            assert_eq!(Csr::from_rows(starts, columns, values).is_some(), a.columns[at] == 2);
            for other in 0..5 {
                let (starts, mut columns, values) = parts();
                columns[at] = other;
                assert_eq!(
                    Csr::from_rows(starts, columns, values).is_some(),
                    other == a.columns[at]
                );
            }
            let (mut starts, mut columns, mut values) = parts();
            columns.remove(at);
            values.remove(at);
            for start in &mut starts {
                *start -= usize::from(*start > at);
            }
            assert_eq!(Csr::from_rows(starts, columns, values).is_some(), a.columns[at] == 2);
        }
        assert_eq!(Csr::from_rows(Vec::new(), Vec::new(), Vec::new()), None);
        assert_eq!(Csr::from_rows(vec![0, 1], Vec::new(), Vec::new()), None);
    }

    #[test]
    fn a_rebuilt_matrix_shares_a_pattern_that_stays() {
        let a = Csr::from_triangle(3, &[(0, 1, 2.0), (1, 2, 4.0)]).unwrap();
        let half = a.rebuilt(&[0.0; 3], |_, _, value| 0.5 * value);
        assert!(std::sync::Arc::ptr_eq(&a.columns, &half.columns));
        assert_eq!(half, Csr::from_triangle(3, &[(0, 1, 1.0), (1, 2, 2.0)]).unwrap());
        let with_diagonal = a.rebuilt(&[0.0, 3.0, 0.0], |_, _, value| value);
        assert_eq!((with_diagonal.get(1, 1), with_diagonal.stored()), (3.0, 5));
        assert_eq!(with_diagonal.rebuilt(&[0.0; 3], |_, _, value| value), a);
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
    fn an_index_out_of_range_is_refused() {
        assert_eq!(
            Csr::from_entries(2, &[(0, 2, 1.0)]),
            Err(CsrError::OutOfRange { row: 0, column: 2 })
        );
    }
}
