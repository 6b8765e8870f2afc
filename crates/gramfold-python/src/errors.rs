//! Errors of every crate as Python exceptions, with the same sentences.

use pyo3::{PyErr, exceptions::PyValueError};

/// A refused input.
pub(crate) fn refused(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
