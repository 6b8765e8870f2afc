//! How often walks met: a sparse matrix of counts.

use rayon::prelude::*;

/// Strips that a transposition is cut into at least, and the most rows of one: what is written stays near.
const STRIPS: usize = 8;
const WIDEST: usize = 1 << 16;

/// How often walks from each row ended at each node: a sparse matrix of counts, rows sorted.
pub(super) struct Meetings {
    /// Rows of a strip; the last may have fewer.
    pub(super) width: usize,
    pub(super) strips: Vec<Strip>,
    /// Number of walks.
    pub(super) walks: u64,
}

/// Consecutive rows.
pub(super) struct Strip {
    starts: Vec<usize>,
    columns: Vec<u32>,
    counts: Vec<u32>,
}

/// The columns of a row and their counts.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) columns: &'a [u32],
    pub(super) counts: &'a [u32],
}

impl Default for Strip {
    fn default() -> Self {
        Self { starts: vec![0], columns: Vec::new(), counts: Vec::new() }
    }
}

impl Strip {
    /// Appends a count to the row that is being made.
    pub(super) fn push(&mut self, column: u32, count: u32) {
        self.columns.push(column);
        self.counts.push(count);
    }

    /// The row is complete.
    pub(super) fn end_row(&mut self) {
        self.starts.push(self.columns.len());
    }

    /// Without room to grow.
    pub(super) fn shrunk(mut self) -> Self {
        self.columns.shrink_to_fit();
        self.counts.shrink_to_fit();
        self
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.starts.windows(2).map(|range| Row {
            columns: &self.columns[range[0]..range[1]],
            counts: &self.counts[range[0]..range[1]],
        })
    }
}

impl Meetings {
    pub(super) fn row(&self, i: usize) -> Row<'_> {
        let (strip, i) = (&self.strips[i / self.width], i % self.width);
        let range = strip.starts[i]..strip.starts[i + 1];
        Row { columns: &strip.columns[range.clone()], counts: &strip.counts[range] }
    }

    /// Strips of columns become rows each on its own, so that threads share the work. The matrix is square.
    pub(super) fn transposed(&self) -> Self {
        let n: usize = self.strips.iter().map(|strip| strip.starts.len() - 1).sum();
        let width = n.div_ceil(STRIPS).clamp(1, WIDEST);
        let strips = (0..n.div_ceil(width))
            .into_par_iter()
            .map(|strip| self.transposed_strip(strip * width, n.min((strip + 1) * width)))
            .collect();
        Self { width, strips, walks: self.walks }
    }

    /// Columns `first .. end` as rows.
    fn transposed_strip(&self, first: usize, end: usize) -> Strip {
        let within = |row: Row<'_>| {
            let from = row.columns.partition_point(|&j| (j as usize) < first);
            from..from + row.columns[from..].partition_point(|&j| (j as usize) < end)
        };
        let rows = || self.strips.iter().flat_map(Strip::rows);
        let mut starts = vec![0; end - first + 1];
        for row in rows() {
            for &j in &row.columns[within(row)] {
                starts[j as usize - first + 1] += 1;
            }
        }
        for j in 0..end - first {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let kept = starts[end - first];
        let (mut columns, mut counts) = (vec![0; kept], vec![0; kept]);
        for (i, row) in rows().enumerate() {
            for place in within(row) {
                let at = &mut next[row.columns[place] as usize - first];
                (columns[*at], counts[*at]) = (i as u32, row.counts[place]);
                *at += 1;
            }
        }
        Strip { starts, columns, counts }
    }
}

/// Calls `visit` with every column of two sorted rows and the sum of its counts.
pub(super) fn merged(left: Row<'_>, right: Row<'_>, mut visit: impl FnMut(u32, u32)) {
    let (mut i, mut j) = (0, 0);
    while i < left.columns.len() && j < right.columns.len() {
        let (a, b) = (left.columns[i], right.columns[j]);
        let of_left = if a <= b { left.counts[i] } else { 0 };
        let of_right = if b <= a { right.counts[j] } else { 0 };
        visit(a.min(b), of_left + of_right);
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
    for (row, from) in [(left, i), (right, j)] {
        row.columns[from..].iter().zip(&row.counts[from..]).for_each(|(&c, &n)| visit(c, n));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_row_is_a_column() {
        for (n, width) in [(1, 1), (5, 2), (40, 64), (333, 64)] {
            let entries = |i: usize| (0..n).filter(move |j| (7 * i + j * j).is_multiple_of(5));
            let made = |rows: std::ops::Range<usize>| {
                let mut strip = Strip::default();
                for i in rows {
                    entries(i).for_each(|j| strip.push(j as u32, (i * n + j) as u32));
                    strip.end_row();
                }
                strip
            };
            let strips =
                (0..n).step_by(width).map(|from| made(from..n.min(from + width))).collect();
            let back = Meetings { width, strips, walks: 9 }.transposed();
            assert_eq!(back.walks, 9);
            for j in 0..n {
                let column: Vec<usize> = (0..n).filter(|&i| entries(i).any(|k| k == j)).collect();
                let counts = column.iter().map(|i| (i * n + j) as u32);
                assert!(back.row(j).counts.iter().copied().eq(counts));
                assert!(back.row(j).columns.iter().map(|&i| i as usize).eq(column));
            }
        }
    }

    #[test]
    fn rows_are_merged() {
        let mut seen = Vec::new();
        let left = Row { columns: &[1, 4], counts: &[2, 1] };
        let right = Row { columns: &[0, 1, 9], counts: &[3, 5, 1] };
        merged(left, right, |column, count| seen.push((column, count)));
        assert_eq!(seen, [(0, 3), (1, 7), (4, 1), (9, 1)]);
    }
}
