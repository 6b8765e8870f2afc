//! Tables of numbers: a point a line, a coordinate a column.

mod columns;
mod header;
mod read;
mod select;

use gramfold_linalg::Mat;

use crate::{Labels, Notes};

pub use read::read_points;

/// What to do with a table before its rows are points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// The columns that are coordinates: names, numbers from one and ranges of them, between commas; all numbers if
    /// absent.
    pub columns: Option<String>,
    /// The column with the names of the points.
    pub id: Option<String>,
    /// The column with their known classes.
    pub label: Option<String>,
    /// What to do with holes.
    pub missing: Missing,
    /// Whether every column is to have mean 0 and variance 1.
    pub standardise: bool,
}

/// What to do with a field that is empty or says that nothing is known (`NA`, `NaN`, `null`, `None`, `?`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Refuse it, with its line.
    #[default]
    Refuse,
    /// Leave the row out.
    Drop,
    /// Take the mean of the others in the column.
    Mean,
}

/// Points, and what is known of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// A point a row.
    pub matrix: Mat,
    /// The name of each point, if the table has them.
    pub names: Option<Vec<String>>,
    /// The name of each coordinate, if the table has a header.
    pub columns: Option<Vec<String>>,
    /// The known class of each point, if a column of them was asked for.
    pub labels: Option<Labels>,
    /// What was read.
    pub notes: Notes,
}
