//! What comes before and after a factorisation.

use gramfold_cluster as cluster;
use pyo3::prelude::*;

use crate::{arrays, errors::refused, matrix::Matrix, session};

/// A self-tuning graph of nearest neighbours of the rows of a table.
#[pyfunction]
#[pyo3(signature = (points, neighbours=None))]
pub(crate) fn self_tuning(
    py: Python<'_>,
    points: &Bound<'_, PyAny>,
    neighbours: Option<usize>,
) -> PyResult<Matrix> {
    let points = arrays::matrix(points)?;
    let graph = session::run(py, None, |_| cluster::self_tuning(&points, neighbours))?;
    Ok(Matrix(graph.map_err(refused)?.into()))
}

/// The mean adjusted Rand index of pairs of labellings.
#[pyfunction]
pub(crate) fn agreement(labellings: Vec<Vec<usize>>) -> PyResult<f64> {
    cluster::agreement(&labellings).map_err(refused)
}

/// The number of clusters of a curve of (k, agreement, objective).
#[pyfunction]
pub(crate) fn recommend(curve: Vec<(usize, f64, f64)>) -> usize {
    cluster::recommend(&curve)
}
