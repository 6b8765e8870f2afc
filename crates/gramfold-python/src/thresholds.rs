//! Every threshold on γ.

use gramfold::{
    Loss, Problem, Spec, Status, Stop, bounds, linalg::Mat, registry::Component, solve, start,
};
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
        let (needed, why) = needed(&problem, &start, component)?;
        let needed = serde_json::json!({"value": needed, "why": why});
        Ok(serde_json::json!({"rank": rank, "needed": needed, "bounds": list}).to_string())
    })?
    .map_err(|error: gramfold::Error| refused(error))
}

/// T3 where it applies, for it is sharp; else Theorem 1 at the critical point found from the start.
fn needed(
    problem: &Problem<'_>,
    start: &Mat,
    regulariser: Component,
) -> Result<(f64, &'static str), gramfold::Error> {
    if let Ok(value) = bounds::frobenius(problem) {
        return Ok((value, "T3, necessary and sufficient"));
    }
    let stop = Stop::default().max_iterations(2000);
    let spec = Spec { rank: problem.rank, regulariser, stop, ..Spec::default() };
    let solution = solve(problem, spec.method()?, start, &mut ())?;
    let certificate = solution.certify(problem, spec.stop.stationarity)?;
    let why = if solution.status == Status::Converged {
        "Theorem 1 at the critical point that the spectral rule reaches from the start"
    } else {
        "Theorem 1 where the spectral rule is after 2000 iterations, not yet a critical point"
    };
    Ok((certificate.threshold.max(0.0), why))
}
