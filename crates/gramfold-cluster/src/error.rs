//! What can be wrong with a graph, with points or with labels.

use crate::Diagonal;

/// Why an input was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A weight that a normalisation cannot use; rows and columns count from 1 in the message.
    #[error(
        "entry ({}, {}) is {value}: a normalised graph needs weights that are not negative; \
         with similarity weights and normalise none they may be",
        row + 1, column + 1
    )]
    Negative {
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// A value that is NaN or infinite; rows and columns count from 1 in the message.
    #[error("entry ({}, {}) of the {what} is {value}, which is not finite", row + 1, column + 1)]
    NotFinite {
        /// Which input.
        what: &'static str,
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// A node whose weights add up beyond the largest number.
    #[error("the weights of node {} add up to infinity: scale the matrix down", node + 1)]
    Overflow {
        /// The node, from 0.
        node: usize,
    },
    /// A graph without an edge.
    #[error("the {dim}x{dim} matrix has no nonzero entry to cluster by (diagonal: {diagonal})")]
    NoWeight {
        /// Number of nodes.
        dim: usize,
        /// What was done to the diagonal.
        diagonal: Diagonal,
    },
    /// A matrix too large for 32-bit indices.
    #[error("{dim} nodes are too many: at most {} are supported", u32::MAX)]
    TooLarge {
        /// Number of nodes.
        dim: usize,
    },
    /// Fewer things than a comparison needs.
    #[error("expected at least {needed} {what}, found {given}")]
    TooFew {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many it takes.
        needed: usize,
    },
    /// A number of neighbours that the points do not have.
    #[error("{neighbours} neighbours are not possible: it must be between 1 and {}", points - 1)]
    Neighbours {
        /// The number asked for.
        neighbours: usize,
        /// Number of points.
        points: usize,
    },
    /// Two labellings of different sets of nodes.
    #[error("one labelling has {left} nodes and the other {right}")]
    Lengths {
        /// Nodes of the first.
        left: usize,
        /// Nodes of the second.
        right: usize,
    },
    /// A setting with a value that it cannot have.
    #[error("`{setting}` is not possible: expected {expected}")]
    Setting {
        /// The setting as it was given.
        setting: String,
        /// What it could be.
        expected: &'static str,
    },
    /// A name that no choice has.
    #[error("there is no {kind} `{name}`; choose from {known}")]
    Unknown {
        /// What was looked up.
        kind: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: &'static str,
    },
}
