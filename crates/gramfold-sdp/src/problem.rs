//! min ⟨C, Z⟩ s.t. ⟨A_i, Z⟩ = b_i, Z ∈ K: the data, block by block.

use std::ops::Range;

use crate::Error;

/// One factor of K.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cone {
    /// Symmetric n×n matrices that are positive semidefinite.
    Semidefinite(usize),
    /// n nonnegative numbers, the diagonal of a diagonal block.
    Nonnegative(usize),
}

impl Cone {
    /// n.
    pub fn size(self) -> usize {
        match self {
            Self::Semidefinite(n) | Self::Nonnegative(n) => n,
        }
    }
}

/// One entry of the upper triangle of a symmetric matrix: row ≤ col, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The row.
    pub row: u32,
    /// The column.
    pub col: u32,
    /// The value, at (row, col) and at (col, row).
    pub value: f64,
}

/// An entry and the matrix it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// 0 for C, i for A_i (i = 1 … m).
    pub matrix: usize,
    /// The block, counted from 0.
    pub block: usize,
    /// The row, counted from 0.
    pub row: usize,
    /// The column, counted from 0.
    pub col: usize,
    /// The value, at (row, col) and at (col, row).
    pub value: f64,
}

/// `weight`·vvᵀ, added to one matrix in one block: what makes the all-ones matrix cost n numbers, not n².
#[derive(Clone, Debug, PartialEq)]
pub struct RankOne {
    /// 0 for C, i for A_i (i = 1 … m).
    pub matrix: usize,
    /// The block, counted from 0.
    pub block: usize,
    /// The weight.
    pub weight: f64,
    /// v, as long as the block.
    pub vector: Vec<f64>,
}

/// The entries of C and of the A_i in one block, matrix by matrix. What a block has no part in takes no room: there may be many
/// blocks and many constraints.
#[derive(Clone, Debug, Default)]
struct Stored {
    /// The matrices that have entries, in order, and where those of each begin; then where the last end.
    matrices: Vec<usize>,
    starts: Vec<usize>,
    entries: Vec<Entry>,
}

/// A linear semidefinite program.
#[derive(Clone, Debug)]
pub struct Sdp {
    cones: Vec<Cone>,
    rhs: Vec<f64>,
    blocks: Vec<Stored>,
    rank_ones: Vec<RankOne>,
}

impl Sdp {
    /// The program with right-hand side b and these matrices. Entries at one place are added up, entries of the
    /// lower triangle are read as their mirror images, and zeros are left out.
    pub fn new(
        cones: Vec<Cone>,
        rhs: Vec<f64>,
        terms: Vec<Term>,
        rank_ones: Vec<RankOne>,
    ) -> Result<Self, Error> {
        let m = rhs.len();
        if let Some(i) = rhs.iter().position(|b| !b.is_finite()) {
            return Err(Error::NotFinite(format!("the right-hand side of constraint {}", i + 1)));
        }
        let mut sorted: Vec<Vec<(usize, Entry)>> = vec![Vec::new(); cones.len()];
        for Term { matrix, block, row, col, value } in terms {
            let size = cones.get(block).map_or(0, |cone| cone.size());
            if matrix > m || row >= size || col >= size {
                return Err(Error::OutOfRange { matrix, block, row, col });
            }
            if row != col && matches!(cones[block], Cone::Nonnegative(_)) {
                return Err(Error::OffDiagonal { block, row, col });
            }
            if !value.is_finite() {
                return Err(Error::NotFinite(format!(
                    "matrix {matrix}, block {block} at ({row}, {col})"
                )));
            }
            let (row, col) = (row.min(col) as u32, row.max(col) as u32);
            sorted[block].push((matrix, Entry { row, col, value }));
        }
        for &RankOne { matrix, block, weight, ref vector } in &rank_ones {
            let n = vector.len();
            if matrix > m || block >= cones.len() || n != cones[block].size() {
                return Err(Error::OutOfRange { matrix, block, row: n, col: 0 });
            }
            if matches!(cones[block], Cone::Nonnegative(_)) {
                return Err(Error::OffDiagonal { block, row: 0, col: n });
            }
            if !weight.is_finite() || vector.iter().any(|v| !v.is_finite()) {
                return Err(Error::NotFinite(format!("the rank-one part of matrix {matrix}")));
            }
        }
        let blocks = sorted.into_iter().map(Stored::new).collect();
        Ok(Self { cones, rhs, blocks, rank_ones })
    }

    /// m, the number of constraints.
    pub fn constraints(&self) -> usize {
        self.rhs.len()
    }

    /// K, factor by factor.
    pub fn cones(&self) -> &[Cone] {
        &self.cones
    }

    /// b.
    pub fn rhs(&self) -> &[f64] {
        &self.rhs
    }

    /// The entries of C (matrix 0) or A_i (matrix i) in a block, by row and then column; without rank-one parts.
    pub fn entries(&self, matrix: usize, block: usize) -> &[Entry] {
        let stored = &self.blocks[block];
        stored.matrices.binary_search(&matrix).map_or(&[], |at| stored.of(at))
    }

    /// The matrices that have entries in a block, C as 0 and A_i as i, in order, and those entries.
    pub fn matrices(&self, block: usize) -> impl Iterator<Item = (usize, &[Entry])> {
        let stored = &self.blocks[block];
        stored.matrices.iter().enumerate().map(|(at, matrix)| (*matrix, stored.of(at)))
    }

    /// The same over all blocks: each block, matrix and its entries there.
    pub(crate) fn all_matrices(&self) -> impl Iterator<Item = (usize, usize, &[Entry])> {
        let blocks = 0..self.cones.len();
        blocks.flat_map(|block| self.matrices(block).map(move |(at, of)| (block, at, of)))
    }

    /// What C and the A_i have beside their entries.
    pub fn rank_ones(&self) -> &[RankOne] {
        &self.rank_ones
    }

    /// Stored entries of all matrices.
    pub fn stored(&self) -> usize {
        self.blocks.iter().map(|block| block.entries.len()).sum()
    }
}

impl Stored {
    fn new(mut terms: Vec<(usize, Entry)>) -> Self {
        terms.sort_by_key(|(matrix, entry)| (*matrix, entry.row, entry.col));
        let mut merged: Vec<(usize, Entry)> = Vec::with_capacity(terms.len());
        for (matrix, entry) in terms {
            match merged.last_mut() {
                Some((last, sum))
                    if (*last, sum.row, sum.col) == (matrix, entry.row, entry.col) =>
                {
                    sum.value += entry.value;
                }
                _ => merged.push((matrix, entry)),
            }
        }
        merged.retain(|(_, entry)| entry.value != 0.0);
        let (mut matrices, mut starts) = (Vec::new(), Vec::new());
        for (at, (matrix, _)) in merged.iter().enumerate() {
            if matrices.last() != Some(matrix) {
                matrices.push(*matrix);
                starts.push(at);
            }
        }
        starts.push(merged.len());
        Self { matrices, starts, entries: merged.into_iter().map(|(_, entry)| entry).collect() }
    }

    /// The entries of the matrix at a place in the list.
    fn of(&self, at: usize) -> &[Entry] {
        &self.entries[Range { start: self.starts[at], end: self.starts[at + 1] }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_mirrored_and_added_up() {
        let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
        let terms =
            vec![term(1, 1, 0, 2.0), term(0, 1, 1, 5.0), term(1, 0, 1, 1.0), term(1, 0, 0, 0.0)];
        let sdp = Sdp::new(vec![Cone::Semidefinite(2)], vec![1.0], terms, Vec::new()).unwrap();
        assert_eq!(sdp.entries(0, 0), [Entry { row: 1, col: 1, value: 5.0 }]);
        assert_eq!(sdp.entries(1, 0), [Entry { row: 0, col: 1, value: 3.0 }]);
        let matrices: Vec<_> = sdp.matrices(0).map(|(matrix, of)| (matrix, of.len())).collect();
        assert_eq!(matrices, [(0, 1), (1, 1)]);
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let term = Term { matrix: 2, block: 0, row: 0, col: 0, value: 1.0 };
        let refused = Sdp::new(vec![Cone::Semidefinite(2)], vec![1.0], vec![term], Vec::new());
        assert!(matches!(refused, Err(Error::OutOfRange { matrix: 2, .. })));
        let term = Term { matrix: 1, block: 0, row: 0, col: 1, value: 1.0 };
        let refused = Sdp::new(vec![Cone::Nonnegative(2)], vec![1.0], vec![term], Vec::new());
        assert!(matches!(refused, Err(Error::OffDiagonal { .. })));
    }
}
