//! Nearest correlation matrices.

use std::sync::Arc;

use gramfold::{Error, Observer};
use gramfold_cli::memory;
use gramfold_learn::{Correlation, SphereState};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{
    answer::{Answer, Watch},
    errors::refused,
    matrix::Matrix,
    session,
    spec::Keywords,
    user::Failure,
};

/// The run, ½‖XXᵀ − A‖², what is proved that it cannot be below, and the multipliers that prove it.
type Nearest<'py> = (Answer, f64, Option<f64>, Bound<'py, PyArray1<f64>>);

/// Finds the nearest correlation matrix of a rank.
#[pyfunction]
pub(crate) fn nearest_correlation<'py>(
    py: Python<'py>,
    matrix: &Matrix,
    keywords: Keywords,
    callback: Option<Py<PyAny>>,
) -> PyResult<Nearest<'py>> {
    let spec = keywords.spec()?;
    let matrix = matrix.0.to_dense();
    let question = Correlation::new(&matrix, spec.rank).map_err(refused)?;
    let (answer, certificate) = session::attempt(py, callback, |link| {
        let failure = Failure::default();
        let mut watch = Watch::new(link, &failure);
        let from = SphereState::at(question.start(spec.seed)?);
        let solution = question.solve(from, &spec.stop, &mut |record, _| watch.observe(record));
        let certificate = question.certify(&solution.factor, spec.stop.stationarity, &|| false)?;
        Ok::<_, Error>(((solution, watch.into_trace()), certificate))
    })?;
    let x = &answer.0.factor;
    let (objective, bound) = (question.objective(x), question.lower_bound(x, &certificate));
    let multipliers = PyArray1::from_vec(py, question.multipliers(x));
    let loss = Arc::new(question.shifted(x));
    let asked = Arc::new(memory::Correlation { matrix });
    let run = Answer::new(loss, Some(asked), spec, answer).certified(certificate);
    Ok((run, objective, bound, multipliers))
}
