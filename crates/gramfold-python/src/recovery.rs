//! Phase retrieval and matrix sensing.

use std::sync::Arc;

use gramfold::{Loss, registry::Component, solve};
use gramfold_cli::memory::Recovery;
use gramfold_learn::{Measured, Measurements, leading_start, near_spec, recover_spec};
use pyo3::prelude::*;

use crate::{answer::Answer, arrays, errors::refused, spec::Keywords};

/// The run, the residual of the measurements relative to them, and a sentence where they are too few.
type Recovered = (Answer, f64, Option<String>);

/// Recovers a matrix from a table of measurements, of vectors or of matrices, whose last column is what came out.
#[pyfunction]
pub(crate) fn recover(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    vectors: bool,
    loss: &str,
    keywords: Keywords,
    callback: Option<Py<PyAny>>,
) -> PyResult<Recovered> {
    let table = arrays::matrix(table)?;
    let kind = if vectors { Measured::Vectors } else { Measured::Matrices };
    let measured = || Measurements::of(&table, kind).map_err(refused);
    let stated = measured()?;
    let (rank, n) = (keywords.rank, stated.map.dim());
    if rank > n {
        return Err(refused(format!("rank = {rank} is not allowed: the matrix has only {n} rows")));
    }
    let loss: Component = loss.parse().map_err(refused)?;
    let spec = recover_spec(loss, stated.map.name(), &keywords.spec()?);
    let warning = stated.warning(rank);
    let signal = if rank == 1 { stated.signal(spec.seed, &|| false) } else { None };
    let spec = if signal.is_some() { near_spec(&spec) } else { spec };
    let loss: Arc<dyn Loss> = stated.loss(&spec).map_err(refused)?.into();
    let again = measured()?;
    let regulariser = spec.regulariser().map_err(refused)?;
    let method = spec.method().map_err(refused)?;
    let seed = spec.seed;
    let question = Arc::new(Recovery { table, kind });
    let run = Answer::make(py, callback, loss, &*regulariser, question, spec, |problem, watch| {
        let start = match signal {
            Some(signal) => signal,
            None => leading_start(problem, seed, &|| false)?,
        };
        solve(problem, method, &start, watch)
    })?;
    let residual = again.relative_residual(run.factor());
    Ok((run, residual, warning))
}
