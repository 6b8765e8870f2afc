//! Clusters of graphs.

use gramfold::{Problem, Spec, factorise};
use gramfold_cli::memory::{Clustered, Clustering};
use gramfold_cluster::{self_tuning as neighbours_of, soft};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::{
    answer::{Answer, Watch},
    arrays::{self, to_numpy},
    errors::{refused, refused_in_full},
    matrix::Matrix,
    session,
    spec::Keywords,
    user::Failure,
};

/// A self-tuning graph of nearest neighbours of the rows of a table.
#[pyfunction]
#[pyo3(signature = (points, neighbours=None))]
pub(crate) fn self_tuning(
    py: Python<'_>,
    points: &Bound<'_, PyAny>,
    neighbours: Option<usize>,
) -> PyResult<Matrix> {
    let points = arrays::matrix(points)?;
    let graph = session::attempt(py, None, |_| neighbours_of(&points, neighbours))?;
    Ok(Matrix(graph.into()))
}

/// What is clustered, and into how many.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    first: usize,
    last: usize,
    restarts: Option<usize>,
    similarity: Option<String>,
    normalise: Option<String>,
    diagonal: String,
}

/// The run, labels and memberships, and of a range the numbers that were tried, with the agreement of their runs, and why one was
/// chosen.
type Found<'py> = (
    Answer,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray2<f64>>,
    Vec<(usize, Option<f64>)>,
    Option<String>,
);

/// Clusters a graph.
#[pyfunction]
pub(crate) fn cluster<'py>(
    py: Python<'py>,
    graph: &Matrix,
    wanted: Wanted,
    keywords: Keywords,
) -> PyResult<Found<'py>> {
    let Wanted { first, last, restarts, similarity, normalise, diagonal } = wanted;
    let clustering = Clustering {
        k: first..=last,
        restarts,
        similarity: similarity.map(|how| how.parse()).transpose().map_err(refused)?,
        normalise: normalise.map(|how| how.parse()).transpose().map_err(refused)?,
        diagonal: diagonal.parse().map_err(refused)?,
        base: keywords.spec()?,
    };
    let failure = Failure::default();
    let clustered = session::run(py, None, |link| {
        let run = |problem: &Problem<'_>, spec: &Spec| {
            let mut watch = Watch::new(link, &failure);
            factorise(problem, spec, &mut watch).map(|solution| (solution, watch.into_trace()))
        };
        clustering.of(&graph.0, run, || link.stops())
    })?
    .map_err(refused_in_full)?;
    let Clustered { loss, spec, solution, trace, clusters } = clustered;
    let labels = PyArray1::from_iter(py, clusters.labels().iter().map(|&label| label as i64));
    let memberships = to_numpy(py, &soft(&solution.factor))?;
    let (tried, reason) = (clusters.agreements(), clusters.reason().map(str::to_owned));
    let run = Answer::new(loss, Some(clusters), spec, (solution, trace));
    Ok((run, labels, memberships, tried, reason))
}
