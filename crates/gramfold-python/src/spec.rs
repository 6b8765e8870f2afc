//! The run that keyword arguments describe: the same [`Spec`] that flags describe.

use std::time::Duration;

use gramfold::{Spec, Stop, registry::Component, start::Start};
use pyo3::prelude::*;

use crate::errors::refused;

/// How to factorise.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Keywords {
    pub(crate) rank: usize,
    regulariser: String,
    algorithm: String,
    rule: String,
    tol: f64,
    max_iter: usize,
    time_limit: Option<f64>,
    start: String,
    seed: u64,
}

impl Keywords {
    /// Checks every name and number.
    pub(crate) fn spec(self) -> PyResult<Spec> {
        let component = |text: String| text.parse::<Component>().map_err(refused);
        let stop = stop(self.tol, self.max_iter, self.time_limit)?;
        let start = match self.start.as_str() {
            "spectral" => Start::Spectral,
            "random" => Start::Random,
            other => {
                let choices = "choose from `spectral`, `random`";
                return Err(refused(format!("there is no start `{other}`; {choices}")));
            }
        };
        let spec = Spec {
            rank: self.rank,
            regulariser: component(self.regulariser)?,
            algorithm: component(self.algorithm)?,
            rule: component(self.rule)?,
            stop,
            start,
            seed: self.seed,
            ..Spec::default()
        };
        spec.method().map_err(refused)?;
        spec.regulariser().map_err(refused)?;
        Ok(spec)
    }
}

/// When a run is to stop.
pub(crate) fn stop(tol: f64, max_iter: usize, seconds: Option<f64>) -> PyResult<Stop> {
    let stop = Stop::default().tolerance(tolerance(tol)?).max_iterations(max_iter);
    Ok(Stop { time_limit: time_limit(seconds)?, ..stop })
}

/// A tolerance.
pub(crate) fn tolerance(tol: f64) -> PyResult<f64> {
    if tol > 0.0 && tol < 1.0 {
        return Ok(tol);
    }
    Err(refused(format!("tol = {tol} is not allowed: expected a number between 0 and 1")))
}

/// A limit in seconds; one beyond the clock's end is none.
pub(crate) fn time_limit(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    match seconds {
        Some(seconds) if seconds.is_nan() || seconds <= 0.0 => Err(refused(format!(
            "time_limit = {seconds} is not allowed: expected a positive number"
        ))),
        seconds => Ok(seconds.and_then(|s| Duration::try_from_secs_f64(s).ok())),
    }
}
