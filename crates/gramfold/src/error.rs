//! What can be wrong with a request. Not converging is a [`Status`](crate::Status), never an error.

use gramfold_linalg::CsrError;

impl Error {
    /// Of data that do not make a loss.
    pub fn data(message: impl Into<String>) -> Self {
        Self::Data { message: message.into() }
    }

    /// Names the component that a user asked for, where one of its parts refused.
    #[must_use]
    pub(crate) fn of(self, component: &'static str) -> Self {
        match self {
            Self::Incompatible { needs, problem, .. } => {
                Self::Incompatible { component, needs, problem }
            }
            other => other,
        }
    }
}

impl From<CsrError> for Error {
    fn from(error: CsrError) -> Self {
        Self::data(error.to_string())
    }
}

/// Why a problem, a method or a start was refused, before any work was done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A factor does not have the shape of the problem.
    #[error("the {what} is {rows}x{cols}, but the problem needs {dim}x{rank}")]
    Shape {
        /// Which factor.
        what: &'static str,
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
        /// The rows needed.
        dim: usize,
        /// The columns needed.
        rank: usize,
    },
    /// Data so large or small that their squares leave the range of double precision.
    #[error(
        "the largest number of the data is {size:e}, too far from 1 to compute with: multiply them by a constant first"
    )]
    Scale {
        /// The largest absolute entry.
        size: f64,
    },
    /// The rank is not between 1 and n.
    #[error("rank {rank} is not allowed: it must be between 1 and {dim}, the size of the matrix")]
    Rank {
        /// The rank asked for.
        rank: usize,
        /// The dimension n.
        dim: usize,
    },
    /// A value that is NaN or infinite.
    #[error("the {what} has an entry that is not finite")]
    NotFinite {
        /// Which input.
        what: &'static str,
    },
    /// Data so large that the first step from them overflows.
    #[error(
        "the loss at zero or its gradient is not finite: the numbers are too large to compute with, divide them by a constant first"
    )]
    Overflow,
    /// Data that do not make a loss.
    #[error("{message}")]
    Data {
        /// What is wrong with them.
        message: String,
    },
    /// A parameter outside its range.
    #[error("{name} = {value} is not allowed: it must be {range}")]
    Parameter {
        /// The parameter.
        name: String,
        /// The value given.
        value: f64,
        /// The values allowed.
        range: &'static str,
    },
    /// A parameter that has no default.
    #[error("`{component}` needs a value for {parameter}: write `{component}:{parameter}=NUMBER`")]
    Missing {
        /// The component.
        component: &'static str,
        /// Its parameter.
        parameter: &'static str,
    },
    /// A name that no component has.
    #[error("there is no {kind} `{name}`; choose from {known}")]
    Unknown {
        /// What was looked up.
        kind: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A component that the theorems do not cover.
    #[error("`{name}` is refused: {reason}")]
    Refused {
        /// Its name.
        name: String,
        /// Why, and what to take instead.
        reason: &'static str,
    },
    /// Two components that do not go together.
    #[error("{component} needs {needs}, which {problem} does not have")]
    Incompatible {
        /// The component that cannot run.
        component: &'static str,
        /// What it needs.
        needs: &'static str,
        /// What lacks it.
        problem: String,
    },
}
