//! Factor analysis.

use std::sync::Arc;

use gramfold::{Loss, factorise, loss::Quadratic};
use gramfold_cli::memory::Factors;
use gramfold_learn::{FactorSummary, Rotated, Rotation, factors_spec, normalised, turn_to_axes};
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::{
    answer::Answer,
    arrays::{self, to_numpy},
    errors::refused,
    matrix::Matrix,
    session,
    spec::Keywords,
};

/// The correlations of the columns of a table.
#[pyfunction]
pub(crate) fn correlations(py: Python<'_>, points: &Bound<'_, PyAny>) -> PyResult<Matrix> {
    let points = arrays::matrix(points)?;
    let found = session::attempt(py, None, |_| gramfold_learn::correlations(&points))?;
    Ok(Matrix(found.into()))
}

/// The run, the loadings as they were turned, the correlations of the factors, and what they say of the variables as JSON.
type Explained<'py> = (Answer, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>, String);

/// Explains correlations, or those of covariances, by common factors.
#[pyfunction]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    matrix: &Matrix,
    rotation: &str,
    keywords: Keywords,
    callback: Option<Py<PyAny>>,
) -> PyResult<Explained<'py>> {
    let rotation = match rotation {
        "none" => Rotation::None,
        "varimax" => Rotation::Varimax,
        "promax" => Rotation::Promax,
        other => {
            let choices = "choose from `varimax`, `promax`, `none`";
            return Err(refused(format!("there is no rotation `{other}`; {choices}")));
        }
    };
    let base = keywords.spec()?;
    let spec = factors_spec(base.rank, &base);
    let (correlations, _) = normalised(&matrix.0).map_err(refused)?;
    let variables = correlations.dim();
    if spec.rank >= variables {
        let factors = spec.rank;
        return Err(refused(format!(
            "{factors} factors are not allowed: there are only {variables} variables"
        )));
    }
    let loss: Arc<dyn Loss> = Arc::new(Quadratic::off_diagonal(correlations.clone()));
    let question = Arc::new(Factors { correlations, rotation });
    let asked = Arc::clone(&question);
    let regulariser = spec.regulariser().map_err(refused)?;
    let described = spec.clone();
    let run = Answer::make(py, callback, loss, &*regulariser, asked, spec, |problem, watch| {
        let mut solution = factorise(problem, &described, watch)?;
        turn_to_axes(&mut solution);
        Ok(solution)
    })?;
    let Rotated { loadings, correlations } = rotation.of(run.factor());
    let summary = FactorSummary::of(&question.correlations, run.factor());
    let told = serde_json::to_string(&summary).map_err(refused)?;
    Ok((run, to_numpy(py, &loadings)?, to_numpy(py, &correlations)?, told))
}
