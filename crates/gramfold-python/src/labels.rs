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

/// The number of clusters that the evidence speaks for, and why; none without any. Labels are those of the best run for each
/// number that was tried, none where a cluster is empty.
#[pyfunction]
pub(crate) fn choose(
    py: Python<'_>,
    graph: &Matrix,
    diagonal: &str,
    seed: u64,
    tried: Vec<(usize, Option<Vec<usize>>)>,
) -> PyResult<Option<(usize, String)>> {
    let diagonal = diagonal.parse().map_err(refused)?;
    let most = tried.iter().map(|(k, _)| *k).max().unwrap_or(1);
    session::run(py, None, |_| {
        let (weights, walks) = cluster::spectra(&graph.0, diagonal, most, seed);
        let modular = |labels: &Vec<usize>| cluster::modularity(&graph.0, labels);
        let modularity = tried.iter().map(|(_, labels)| labels.as_ref().map(modular)).collect();
        let k = tried.iter().map(|(k, _)| *k).collect();
        let choice = cluster::Evidence { k, modularity, weights, walks }.choose();
        choice.map(|choice| (choice.k, choice.reason()))
    })
}
