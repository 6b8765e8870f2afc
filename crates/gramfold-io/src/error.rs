//! What can be wrong with a file, each as one sentence that says where, what, and what to do.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use gramfold_linalg::CsrError;
use thiserror::Error;

/// Why a file was not read or not written.
///
/// The message holds the cause, so that printing an error without its chain loses nothing and
/// printing it with its chain repeats nothing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system did not let the file be read.
    #[error("{}: cannot read the file: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
    /// The operating system did not let the file be written.
    #[error("{}: cannot write the file: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
    /// The file does not hold what its format requires.
    #[error("{place}: expected {expected}, found {found}{}", hint.map_or(String::new(), |hint| format!("; {hint}")))]
    Malformed {
        /// Where the fault is.
        place: Place,
        /// What the format requires there.
        expected: String,
        /// What is there instead.
        found: String,
        /// What the user can do, where that is not obvious.
        hint: Option<&'static str>,
    },
    /// The matrix differs from its transpose; rows and columns count from one.
    #[error(
        "{}: expected a symmetric matrix, found {value:?} at ({row}, {column}) but {mirrored:?} at \
         ({column}, {row}), the largest difference ({:?}); pass `--symmetrise` to use ½(A + Aᵀ)",
        path.display(),
        (value - mirrored).abs()
    )]
    Asymmetric {
        /// The file.
        path: PathBuf,
        /// Row i of the entry with the largest |a_ij − a_ji|.
        row: usize,
        /// Its column j.
        column: usize,
        /// a_ij.
        value: f64,
        /// a_ji.
        mirrored: f64,
    },
}

/// A file, or one line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from one; none in files without lines.
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}

impl Error {
    /// `path:line: expected …, found …`.
    pub(crate) fn at_line(
        path: &Path,
        line: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::malformed(path, Some(line), expected.into(), found.into())
    }

    /// `path: expected …, found …`, for faults without a line.
    pub(crate) fn in_file(
        path: &Path,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self::malformed(path, None, expected.into(), found.into())
    }

    /// Adds what the user can do about it.
    pub(crate) fn with_hint(mut self, advice: &'static str) -> Self {
        if let Self::Malformed { hint, .. } = &mut self {
            *hint = Some(advice);
        }
        self
    }

    /// Why the entries of a file do not make a symmetric matrix.
    pub(crate) fn not_symmetric(path: &Path, error: CsrError) -> Self {
        match error {
            CsrError::Asymmetric { row, column, value, mirrored } => Self::Asymmetric {
                path: path.to_owned(),
                row: row + 1,
                column: column + 1,
                value,
                mirrored,
            },
            other => Self::in_file(path, "a symmetric matrix", format!("{other:?}")),
        }
    }

    // Out of line, so that building messages does not weigh on the loops that may fail.
    #[cold]
    fn malformed(path: &Path, line: Option<usize>, expected: String, found: String) -> Self {
        let place = Place { path: path.to_owned(), line };
        Self::Malformed { place, expected, found, hint: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_where_what_and_what_to_do() {
        let path = Path::new("data/a.mtx");
        assert_eq!(
            Error::at_line(path, 3, "a row", "`x`").to_string(),
            "data/a.mtx:3: expected a row, found `x`"
        );
        assert_eq!(
            Error::in_file(path, "a row", "`x`").with_hint("remove it").to_string(),
            "data/a.mtx: expected a row, found `x`; remove it"
        );
        let error = Error::Asymmetric {
            path: path.to_owned(),
            row: 1,
            column: 3,
            value: 2.5,
            mirrored: -1e300,
        };
        assert_eq!(
            error.to_string(),
            "data/a.mtx: expected a symmetric matrix, found 2.5 at (1, 3) but -1e300 at (3, 1), \
             the largest difference (1e300); pass `--symmetrise` to use ½(A + Aᵀ)"
        );
    }
}
