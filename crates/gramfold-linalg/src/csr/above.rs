//! A matrix of which only what is right of the diagonal was made.

use rayon::prelude::*;

use super::Csr;
use crate::chunk::strip_width;

/// Consecutive rows, of which only what is right of the diagonal is held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Above {
    /// Entries of each row.
    pub lengths: Vec<usize>,
    /// Columns, row by row, sorted within each.
    pub columns: Vec<u32>,
    /// The value of each of them.
    pub values: Vec<f64>,
}

impl Csr {
    /// The symmetric matrix whose first rows are those of `parts`, one after the other; the others have nothing right of the
    /// diagonal. That all of it is right of the diagonal and sorted, only a debug build checks.
    ///
    /// # Panics
    /// If a part has not as many values or columns as its lengths say, or if there are more rows or columns than `dim`.
    pub fn from_above(dim: usize, parts: &[Above]) -> Self {
        for part in parts {
            let entries = part.lengths.iter().sum::<usize>();
            let is = (part.columns.len(), part.values.len());
            assert_eq!(is, (entries, entries), "as many columns and values as the lengths say");
        }
        let rows = parts.iter().map(|part| part.lengths.len()).sum::<usize>();
        assert!(rows <= dim, "no more rows than the matrix has");
        let mut left = vec![0; dim];
        for &column in parts.iter().flat_map(|part| &part.columns) {
            left[column as usize] += 1;
        }
        let lengths = parts.iter().flat_map(|part| part.lengths.iter().copied());
        let mut starts = Vec::with_capacity(dim + 1);
        starts.push(0);
        let mut stored = 0;
        starts.extend(left.iter().zip(lengths.chain(std::iter::repeat(0))).map(|(left, right)| {
            stored += left + right;
            stored
        }));
        let (mut columns, mut values) = (vec![0; stored], vec![0.0; stored]);
        // Strips of rows, which are also strips of the columns that are mirrored, so that threads share the work.
        let width = strip_width(dim);
        let mut strips = Vec::with_capacity(dim.div_ceil(width));
        let (mut columns_left, mut values_left) = (&mut columns[..], &mut values[..]);
        for first in (0..dim).step_by(width) {
            let end = dim.min(first + width);
            let length = starts[end] - starts[first];
            let enough = "invariant: as long as all rows";
            strips.push(Strip {
                first,
                end,
                // Where the next entry of each row goes: first what is mirrored, then what is given.
                next: starts[first..end].iter().map(|start| start - starts[first]).collect(),
                columns: columns_left.split_off_mut(..length).expect(enough),
                values: values_left.split_off_mut(..length).expect(enough),
            });
        }
        strips.into_par_iter().for_each(|mut strip| strip.fill(parts));
        Self::from_symmetric_rows(starts, columns, values)
    }
}

/// Rows `first .. end`, as they are filled.
struct Strip<'a> {
    first: usize,
    end: usize,
    next: Vec<usize>,
    columns: &'a mut [u32],
    values: &'a mut [f64],
}

impl Strip<'_> {
    fn fill(&mut self, parts: &[Above]) {
        let mut i = 0;
        for part in parts {
            let (mut columns, mut values) = (&part.columns[..], &part.values[..]);
            for &length in &part.lengths {
                if i == self.end {
                    return;
                }
                let (here, row) = (columns, values);
                (columns, values) = (&here[length..], &row[length..]);
                self.row(i, &here[..length], &row[..length]);
                i += 1;
            }
        }
    }

    /// What is right of the diagonal in row i, and all that is mirrored of it into rows of the strip.
    fn row(&mut self, i: usize, columns: &[u32], values: &[f64]) {
        let mut from = 0;
        if i >= self.first {
            // All columns before it were mirrored: what is left of the diagonal is complete.
            let at = self.next[i - self.first];
            self.columns[at..at + columns.len()].copy_from_slice(columns);
            self.values[at..at + columns.len()].copy_from_slice(values);
        } else {
            from = columns.partition_point(|&j| (j as usize) < self.first);
        }
        for (&j, &value) in columns[from..].iter().zip(&values[from..]) {
            if j as usize >= self.end {
                break;
            }
            let at = &mut self.next[j as usize - self.first];
            (self.columns[*at], self.values[*at]) = (i as u32, value);
            *at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_above_is_mirrored(n in 1_usize..300, step in 1_usize..50, threads in 1_usize..5) {
            let row = |i: usize| {
                (i + 1..n)
                    .filter(move |j| (i * step + j * j).is_multiple_of(7))
                    .map(move |j| (j as u32, (i * n + j) as f64))
            };
            // Parts of changing lengths; what comes after the last has no rows.
            let filled = n - n / 5;
            let mut parts = Vec::new();
            let mut first = 0;
            while first < filled {
                let rows = first..filled.min(first + 1 + first * step % 90);
                first = rows.end;
                let (columns, values) = rows.clone().flat_map(row).unzip();
                let lengths = rows.map(|i| row(i).count()).collect();
                parts.push(Above { lengths, columns, values });
            }
            let triangle: Vec<_> =
                (0..filled).flat_map(|i| row(i).map(move |(j, v)| (i as u32, j, v))).collect();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let made = pool.install(|| Csr::from_above(n, &parts));
            prop_assert_eq!(made, Csr::from_triangle(n, &triangle).unwrap());
        }
    }

    #[test]
    #[should_panic(expected = "as the lengths say")]
    fn more_columns_than_the_lengths_say_are_refused() {
        let part = Above { lengths: vec![1], columns: vec![1, 2], values: vec![1.0, 1.0] };
        Csr::from_above(4, &[part]);
    }

    #[test]
    #[should_panic(expected = "no more rows")]
    fn more_rows_than_there_are_are_refused() {
        Csr::from_above(1, &[Above { lengths: vec![0, 0], ..Above::default() }]);
    }

    #[test]
    fn no_rows_make_an_empty_matrix() {
        assert_eq!(Csr::from_above(0, &[]), Csr::from_triangle(0, &[]).unwrap());
        assert_eq!(Csr::from_above(4, &[]), Csr::from_triangle(4, &[]).unwrap());
    }
}
