//! Errors of every crate as Python exceptions, with the same sentences.

use pyo3::{PyErr, exceptions::PyValueError};

/// A refused input.
pub(crate) fn refused(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The same with its causes.
pub(crate) fn refused_in_full(error: impl std::fmt::Display) -> PyErr {
    refused(format!("{error:#}"))
}
