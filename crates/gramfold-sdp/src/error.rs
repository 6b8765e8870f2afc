//! What can be wrong with a semidefinite program, in one sentence each.

/// A problem that cannot be stated or solved as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A term names a matrix, block, row or column that does not exist.
    #[error(
        "the entry of matrix {matrix}, block {block}, at ({row}, {col}) is outside the problem"
    )]
    OutOfRange {
        /// 0 for the cost, i for constraint i.
        matrix: usize,
        /// Counted from 0.
        block: usize,
        /// Counted from 0.
        row: usize,
        /// Counted from 0.
        col: usize,
    },
    /// An off-diagonal entry of a nonnegative (diagonal) block.
    #[error("block {block} is diagonal and cannot have an entry at ({row}, {col})")]
    OffDiagonal {
        /// Counted from 0.
        block: usize,
        /// Counted from 0.
        row: usize,
        /// Counted from 0.
        col: usize,
    },
    /// A point that does not fit the problem.
    #[error("the point does not fit the problem: {0}")]
    Shape(String),
    /// A method that cannot solve this problem.
    #[error("{0}")]
    NotApplicable(String),
    /// A NaN or an infinity.
    #[error("{0} is not finite")]
    NotFinite(String),
}
