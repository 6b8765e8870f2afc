//! Cuts of graphs from factors of their relaxations.

use gramfold::linalg::{Csr, Symmetric};
use gramfold_cli::memory::cut_factor;
use gramfold_sdp::rounding;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{
    errors::{refused, refused_in_full},
    matrix::Matrix,
    program::Outcome,
    session,
};

/// What weights may add up to: squares of it can be computed with.
const LARGEST: f64 = 1e150;

/// The side of each node, the weight between the sides, and whether every weight is a whole number.
#[pyfunction]
pub(crate) fn round_cut<'py>(
    py: Python<'py>,
    graph: &Matrix,
    relaxation: &Outcome,
    halves: bool,
    planes: usize,
    sweeps: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyArray1<bool>>, f64, bool)> {
    let graph = sparse(&graph.0)?;
    let factor = cut_factor(&relaxation.solution.point.primal).map_err(refused_in_full)?;
    let options = rounding::Options { planes, sweeps, seed };
    let round = if halves { rounding::light_bisection } else { rounding::heavy_cut };
    let cut = session::run(py, None, |link| round(&graph, &factor, options, &|| link.stops()))?;
    let whole = graph.values().iter().all(|weight| weight.fract() == 0.0);
    Ok((PyArray1::from_slice(py, &cut.side), cut.weight, whole))
}

/// The weights without the loops, which no cut sees.
pub(crate) fn sparse(matrix: &Symmetric) -> PyResult<Csr> {
    let n = matrix.dim();
    if n < 2 {
        return Err(refused(format!("the graph has {n} nodes: there is nothing to cut")));
    }
    let graph = matrix
        .without_diagonal()
        .map_err(|_| refused(format!("the graph has {n} nodes, more than can be numbered")))?;
    let total = 0.5 * graph.values().iter().map(|weight| weight.abs()).sum::<f64>();
    if total.is_nan() || total > LARGEST {
        let fault = format!("the weights of the graph add up to {total:e}: scale them down");
        return Err(refused(fault));
    }
    Ok(graph)
}
