//! How often walks met: a sparse matrix of counts.

use std::ops::Range;

use rayon::prelude::*;

/// Strips that a transposition is cut into.
const STRIPS: usize = 8;

/// How often walks from each row ended at each node: a sparse matrix of counts, rows sorted.
pub(super) struct Meetings {
    pub(super) starts: Vec<usize>,
    pub(super) columns: Vec<u32>,
    pub(super) counts: Vec<u32>,
    /// Number of walks.
    pub(super) walks: u64,
}

impl Meetings {
    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.starts[i]..self.starts[i + 1];
        self.columns[range.clone()].iter().copied().zip(self.counts[range].iter().copied())
    }

    /// Strips of columns become rows each on its own, so that threads share the work and what is written stays near.
    pub(super) fn transposed(&self) -> Self {
        let n = self.starts.len() - 1;
        let width = n.div_ceil(STRIPS).max(1);
        let strips: Vec<Self> = (0..n.div_ceil(width))
            .into_par_iter()
            .map(|strip| self.transposed_strip(strip * width, n.min((strip + 1) * width)))
            .collect();
        let mut all =
            Self { starts: vec![0], columns: Vec::new(), counts: Vec::new(), walks: self.walks };
        all.starts.reserve_exact(n);
        all.columns.reserve_exact(self.columns.len());
        all.counts.reserve_exact(self.columns.len());
        for strip in strips {
            let before = all.columns.len();
            all.starts.extend(strip.starts[1..].iter().map(|end| before + end));
            all.columns.extend_from_slice(&strip.columns);
            all.counts.extend_from_slice(&strip.counts);
        }
        all
    }

    /// Columns `first .. end` as rows.
    fn transposed_strip(&self, first: usize, end: usize) -> Self {
        let n = self.starts.len() - 1;
        let within = |i: usize| {
            let (at, row) = (self.starts[i], &self.columns[self.starts[i]..self.starts[i + 1]]);
            let from = row.partition_point(|&j| (j as usize) < first);
            at + from..at + from + row[from..].partition_point(|&j| (j as usize) < end)
        };
        let ranges: Vec<Range<usize>> = (0..n).map(within).collect();
        let mut starts = vec![0; end - first + 1];
        for range in &ranges {
            for &j in &self.columns[range.clone()] {
                starts[j as usize - first + 1] += 1;
            }
        }
        for j in 0..end - first {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let kept = starts[end - first];
        let (mut columns, mut counts) = (vec![0; kept], vec![0; kept]);
        for (i, range) in ranges.into_iter().enumerate() {
            for place in range {
                let at = &mut next[self.columns[place] as usize - first];
                (columns[*at], counts[*at]) = (i as u32, self.counts[place]);
                *at += 1;
            }
        }
        Self { starts, columns, counts, walks: self.walks }
    }
}

/// Calls `visit` with every column of two sorted rows and the sum of its counts.
pub(super) fn merged(
    left: impl Iterator<Item = (u32, u32)>,
    right: impl Iterator<Item = (u32, u32)>,
    mut visit: impl FnMut(u32, u32),
) {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    loop {
        match (left.peek().copied(), right.peek().copied()) {
            (Some((i, a)), Some((j, b))) => {
                visit(i.min(j), if i <= j { a } else { 0 } + if j <= i { b } else { 0 });
                left.next_if(|_| i <= j);
                right.next_if(|_| j <= i);
            }
            (Some((i, a)), None) => {
                visit(i, a);
                left.next();
            }
            (None, Some((j, b))) => {
                visit(j, b);
                right.next();
            }
            (None, None) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_row_is_a_column() {
        for n in [1_usize, 5, 40, 333] {
            let mut counts =
                Meetings { starts: vec![0], columns: Vec::new(), counts: Vec::new(), walks: 9 };
            for i in 0..n {
                for j in (0..n).filter(|j| (7 * i + j * j) % 5 == 0) {
                    counts.columns.push(j as u32);
                    counts.counts.push((i * n + j) as u32);
                }
                counts.starts.push(counts.columns.len());
            }
            let back = counts.transposed();
            assert_eq!((back.columns.len(), back.walks), (counts.columns.len(), 9));
            for j in 0..n {
                let column = (0..n).flat_map(|i| {
                    let here = counts.row(i).filter(move |entry| entry.0 as usize == j);
                    here.map(move |(_, count)| (i as u32, count))
                });
                assert!(back.row(j).eq(column));
            }
        }
    }

    #[test]
    fn rows_are_merged() {
        let mut seen = Vec::new();
        let (left, right) = ([(1, 2), (4, 1)], [(0, 3), (1, 5), (9, 1)]);
        merged(left.into_iter(), right.into_iter(), |column, count| seen.push((column, count)));
        assert_eq!(seen, [(0, 3), (1, 7), (4, 1), (9, 1)]);
    }
}
