//! Every threshold on γ.

use gramfold::{Loss, Problem, bounds, linalg::Mat, registry::Component, start};
use pyo3::prelude::*;

use crate::{arrays, errors::refused, session};

/// The bounds of a problem and what is needed, as JSON.
pub(crate) fn list(
    py: Python<'_>,
    loss: &dyn Loss,
    regulariser: &str,
    rank: usize,
    seed: u64,
    given: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let component: Component = regulariser.parse().map_err(refused)?;
    let regulariser = gramfold::registry::regulariser(&component).map_err(refused)?;
    let given = given.map(arrays::matrix).transpose()?;
    let rank = given.as_ref().map_or(rank, Mat::cols);
    let problem = Problem::new(loss, &*regulariser, rank).map_err(refused)?;
    session::run(py, None, |_| {
        let start = given.unwrap_or_else(|| start::random(&problem, seed));
        let list = bounds::all(&problem, &start)?;
        let needed = bounds::needed(&problem, &start, component)?;
        Ok(serde_json::json!({"rank": rank, "needed": needed, "bounds": list}).to_string())
    })?
    .map_err(|error: gramfold::Error| refused(error))
}
