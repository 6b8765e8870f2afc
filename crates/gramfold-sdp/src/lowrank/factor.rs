//! The unknown of the engine: one tall factor, the blocks one below the other.

use gramfold::stored;
use gramfold_linalg::Mat;
use serde::{Deserialize, Serialize};

use super::Program;

/// R with Z_b = R_bR_bᵀ for the rows R_b of each block. A block may have fewer columns than R has: the others are zero in its
/// rows, and stay so, since every step multiplies rows from the right or adds rows of its own block. A nonnegative block
/// has one column, z = u∘u.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Factor {
    #[serde(with = "stored")]
    pub(super) rows: Mat,
    /// The columns of each block.
    pub(super) ranks: Vec<usize>,
}

impl Factor {
    /// One matrix a block, of any number of columns.
    pub(super) fn stacked(blocks: &[Mat]) -> Self {
        let ranks: Vec<usize> = blocks.iter().map(Mat::cols).collect();
        let n = blocks.iter().map(Mat::rows).sum();
        let mut rows = Mat::zeros(n, ranks.iter().copied().max().unwrap_or(0));
        let of_blocks = blocks.iter().flat_map(|block| (0..block.rows()).map(|i| block.row(i)));
        for (i, row) in of_blocks.enumerate() {
            rows.row_mut(i)[..row.len()].copy_from_slice(row);
        }
        Self { rows, ranks }
    }

    /// The factor of one block.
    pub(super) fn block(&self, program: &Program, block: usize) -> Mat {
        let range = &program.blocks[block].range;
        Mat::from_fn(range.len(), self.ranks[block], |i, j| self.rows[(range.start + i, j)])
    }

    /// tr Z_b.
    pub(super) fn trace(&self, program: &Program, block: usize) -> f64 {
        let (range, r) = (&program.blocks[block].range, self.rows.cols());
        let rows = &self.rows.as_slice()[range.start * r..range.end * r];
        gramfold_linalg::dot(rows, rows)
    }

    /// The largest number of columns.
    pub(super) fn rank(&self) -> usize {
        self.rows.cols()
    }

    /// Whether it is of this program.
    pub(super) fn fits(&self, program: &Program) -> bool {
        let blocks = program.blocks.iter().zip(&self.ranks);
        let most = self.ranks.iter().copied().max();
        self.ranks.len() == program.blocks.len()
            && program.blocks.last().is_some_and(|last| last.range.end == self.rows.rows())
            && most.is_some_and(|most| most == self.rows.cols())
            && blocks
                .into_iter()
                .all(|(block, &rank)| rank > 0 && (!block.nonnegative || rank == 1))
    }
}
