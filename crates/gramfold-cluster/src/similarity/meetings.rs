//! Where walks ended.

use std::ops::Range;

use gramfold_linalg::strip_width;
use rayon::prelude::*;

/// The ends of the walks from each node, sorted: a node has its place as often as walks met there, which is mostly once.
pub(super) struct Meetings {
    /// Rows of a strip; the last may have fewer.
    pub(super) width: usize,
    pub(super) strips: Vec<Strip>,
}

/// Consecutive rows.
pub(super) struct Strip {
    /// Where each row begins, and where the last ends.
    pub(super) starts: Vec<usize>,
    pub(super) ends: Vec<u32>,
}

impl Meetings {
    /// The ends of walks from node i.
    pub(super) fn row(&self, i: usize) -> &[u32] {
        let (strip, i) = (&self.strips[i / self.width], i % self.width);
        &strip.ends[strip.starts[i]..strip.starts[i + 1]]
    }

    /// Number of walks.
    pub(super) fn walks(&self) -> usize {
        self.strips.iter().map(|strip| strip.ends.len()).sum()
    }

    /// Walks to nodes before their own, from their ends: row j has the nodes i > j from which walks ended at j. Strips of
    /// columns become rows each on its own, so that threads share the work.
    pub(super) fn back(&self) -> Self {
        let n: usize = self.strips.iter().map(Strip::rows).sum();
        let width = strip_width(n);
        let strips = (0..n.div_ceil(width))
            .into_par_iter()
            .map(|strip| self.strip_back(n, strip * width, n.min((strip + 1) * width)))
            .collect();
        Self { width, strips }
    }

    /// Columns `first .. end`, left of the diagonal, as rows.
    fn strip_back(&self, n: usize, first: usize, end: usize) -> Strip {
        let mut starts = vec![0; end - first + 1];
        self.for_each_back(first..end, n, |_, j| starts[j - first + 1] += 1);
        for j in 0..end - first {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let mut ends = vec![0; starts[end - first]];
        self.for_each_back(first..end, n, |i, j| {
            let at = &mut next[j - first];
            ends[*at] = i;
            *at += 1;
        });
        Strip { starts, ends }
    }

    /// Calls `visit(i, j)` for each walk from i to j < i with j among `columns`, by increasing i.
    fn for_each_back(&self, columns: Range<usize>, n: usize, mut visit: impl FnMut(u32, usize)) {
        for i in columns.start + 1..n {
            let row = self.row(i);
            let from = if columns.start == 0 {
                0
            } else {
                row.partition_point(|&j| (j as usize) < columns.start)
            };
            for j in row[from..].iter().map(|&j| j as usize) {
                if j >= columns.end.min(i) {
                    break;
                }
                visit(i as u32, j);
            }
        }
    }
}

impl Strip {
    fn rows(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Calls `visit` with every node of two sorted rows and how often they have it.
pub(super) fn for_each_merged(left: &[u32], right: &[u32], mut visit: impl FnMut(u32, u32)) {
    let mut merged = vec![0; left.len() + right.len()];
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        // Without a branch: a guess which of them is less would often be wrong.
        let (a, b) = (left[i], right[j]);
        merged[i + j] = a.min(b);
        (i, j) = (i + usize::from(a <= b), j + usize::from(a > b));
    }
    let (rest, other) = merged[i + j..].split_at_mut(left.len() - i);
    rest.copy_from_slice(&left[i..]);
    other.copy_from_slice(&right[j..]);
    for same in merged.chunk_by(|a, b| a == b) {
        visit(same[0], same.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_back_are_those_below_the_diagonal() {
        for (n, width) in [(1, 1), (5, 2), (40, 64), (333, 64)] {
            let often = |i: usize, j: usize| (7 * i + j * j) % 5 / 2;
            let made = |rows: std::ops::Range<usize>| {
                let mut strip = Strip { starts: vec![0], ends: Vec::new() };
                for i in rows {
                    for j in 0..n {
                        strip.ends.extend(vec![j as u32; often(i, j)]);
                    }
                    strip.starts.push(strip.ends.len());
                }
                strip
            };
            let strips =
                (0..n).step_by(width).map(|from| made(from..n.min(from + width))).collect();
            let there = Meetings { width, strips };
            let back = there.back();
            for j in 0..n {
                let expected: Vec<u32> =
                    (j + 1..n).flat_map(|i| vec![i as u32; often(i, j)]).collect();
                assert_eq!(back.row(j), expected);
            }
            assert_eq!(there.walks(), (0..n).map(|i| there.row(i).len()).sum());
        }
    }

    #[test]
    fn rows_are_merged() {
        let seen = |left: &[u32], right: &[u32]| {
            let mut seen = Vec::new();
            for_each_merged(left, right, |node, count| seen.push((node, count)));
            seen
        };
        assert_eq!(seen(&[1, 1, 4], &[0, 1, 9, 9]), [(0, 1), (1, 3), (4, 1), (9, 2)]);
        assert_eq!(seen(&[], &[2]), [(2, 1)]);
        assert_eq!(seen(&[2, 3], &[]), [(2, 1), (3, 1)]);
        assert_eq!(seen(&[], &[]), []);
    }
}
