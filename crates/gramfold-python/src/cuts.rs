//! Cuts of graphs from factors of their relaxations.

use gramfold::linalg::{Csr, Mat, Symmetric, symmetric_eigen};
use gramfold_sdp::{Primal, rounding};
use numpy::PyArray1;
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{errors::refused, matrix::Matrix, program::Outcome, session};

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
    let factor = factor(&relaxation.solution.point.primal)?;
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
        return Err(PyValueError::new_err(format!(
            "the graph has {n} nodes: there is nothing to cut"
        )));
    }
    let graph = matrix
        .without_diagonal()
        .map_err(|_| refused(format!("the graph has {n} nodes, more than can be numbered")))?;
    let total = 0.5 * graph.values().iter().map(|weight| weight.abs()).sum::<f64>();
    if total.is_nan() || total > LARGEST {
        return Err(refused(format!(
            "the weights of the graph add up to {total:e}: scale them down"
        )));
    }
    Ok(graph)
}

/// R with Z = RRᵀ, whatever form the engine left Z in.
fn factor(primal: &[Primal]) -> PyResult<Mat> {
    match primal.first() {
        Some(Primal::Factor(factor)) => Ok(factor.clone()),
        Some(Primal::Dense(z)) => {
            let eigen = symmetric_eigen(z).ok_or_else(|| refused("Z is not finite"))?;
            let n = z.rows();
            Ok(Mat::from_fn(n, n, |i, k| eigen.vectors[(k, i)] * eigen.values[k].max(0.0).sqrt()))
        }
        _ => Err(refused("the program has no semidefinite block")),
    }
}
