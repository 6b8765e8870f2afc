//! A run that was made, what is proved of it, and how it is watched on its way.

use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use gramfold::{
    Certificate, Error, Loss, Observer, Problem, Record, Regulariser, Solution, Spec, Status,
    linalg::{Mat, Symmetric},
    loss::{Side, Structure},
};
use gramfold_cli::memory::{Fitted, Origin, Question, To};
use numpy::PyArray2;
use pyo3::{exceptions::PyRuntimeError, prelude::*};

use crate::{
    arrays::to_numpy,
    errors::{refused, refused_in_full},
    session::{self, Link},
    user::Failure,
};

/// An answer.
#[pyclass(frozen, module = "gramfold._gramfold")]
pub(crate) struct Answer {
    loss: Arc<dyn Loss>,
    /// What was asked; none of a matrix, which the loss has, or where no file can hold it.
    question: Option<Arc<dyn Question>>,
    spec: Spec,
    solution: Solution,
    certificate: OnceLock<Certificate>,
    trace: Vec<Record>,
    failure: Failure,
}

#[pymethods]
impl Answer {
    /// How it ended, in words.
    #[getter]
    fn status(&self) -> String {
        self.solution.status.to_string()
    }

    #[getter]
    fn converged(&self) -> bool {
        self.solution.status == Status::Converged
    }

    #[getter]
    fn iterations(&self) -> usize {
        self.solution.last.iteration
    }

    /// f(XYᵀ) at the end.
    #[getter]
    fn objective(&self) -> f64 {
        self.solution.last.loss
    }

    #[getter]
    fn gamma(&self) -> f64 {
        self.solution.gamma
    }

    /// f(XXᵀ) at ½(X + Y).
    fn loss(&self, py: Python<'_>) -> PyResult<f64> {
        session::run(py, None, |_| {
            let x = &self.solution.factor;
            let mut evaluation = self.loss.evaluation(x.cols());
            evaluation.moved(Side::X, x);
            evaluation.moved(Side::Y, x);
            evaluation.value(x, x)
        })
    }

    /// ½(X + Y), X and Y.
    fn factors<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray2<f64>>; 3]> {
        let Solution { factor, x, y, .. } = &self.solution;
        Ok([to_numpy(py, factor)?, to_numpy(py, x)?, to_numpy(py, y)?])
    }

    /// What is proved, as JSON and in words. A run that was cut short is only measured.
    fn certify(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let certificate = self.certificate(py)?;
        let json = serde_json::to_string(certificate).map_err(refused)?;
        Ok((json, certificate.to_string()))
    }

    /// Writes the directory of the command, or its report.
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        report: bool,
        name: String,
        line: String,
    ) -> PyResult<()> {
        let matrix = matrix(&*self.loss).map(|matrix| matrix as &dyn Question);
        let Some(question) = self.question.as_deref().or(matrix) else {
            return Err(refused(
                "a loss with functions or maps of your own cannot be written: no file can hold them",
            ));
        };
        let certificate = self.certificate(py)?;
        let Self { spec, solution, trace, .. } = self;
        let origin = Origin { name, line, seconds: solution.last.seconds };
        let to = if report { To::Report(&path) } else { To::Directory(&path) };
        let fitted = Fitted { spec, solution, certificate, trace };
        py.detach(|| question.write(&origin, fitted, &to)).map_err(refused_in_full)
    }

    /// What was seen of each iteration, as JSON.
    fn trace(&self) -> PyResult<String> {
        serde_json::to_string(&self.trace).map_err(refused)
    }

    /// All that the run depends on but the data, as JSON.
    fn spec(&self) -> PyResult<String> {
        serde_json::to_string(&self.spec).map_err(refused)
    }
}

impl Answer {
    /// An answer, and what was asked.
    pub(crate) fn new(
        loss: Arc<dyn Loss>,
        question: Option<Arc<dyn Question>>,
        spec: Spec,
        (solution, trace): (Solution, Vec<Record>),
    ) -> Self {
        let (certificate, failure) = (OnceLock::new(), Failure::default());
        Self { loss, question, spec, solution, certificate, trace, failure }
    }

    /// The same with what is proved of it.
    pub(crate) fn certified(self, certificate: Certificate) -> Self {
        Self { certificate: OnceLock::from(certificate), ..self }
    }

    /// Solves and certifies while the callback is served.
    pub(crate) fn make(
        py: Python<'_>,
        callback: Option<Py<PyAny>>,
        loss: Arc<dyn Loss>,
        regulariser: &dyn Regulariser,
        question: Arc<dyn Question>,
        spec: Spec,
        solve: impl FnOnce(&Problem<'_>, &mut Watch<'_>) -> Result<Solution, Error> + Send,
    ) -> PyResult<Self> {
        let (certificate, answer) = session::attempt(py, callback, |link| {
            let problem = Problem::new(&*loss, regulariser, spec.rank)?;
            let failure = Failure::default();
            let mut watch = Watch::new(link, &failure);
            let solution = solve(&problem, &mut watch)?;
            let (tolerance, stopped) = (spec.stop.stationarity, solution.status.is_cut_short());
            let stops = || link.stops();
            let certificate = solution.certify_until(&problem, tolerance, stopped, &stops)?;
            Ok::<_, Error>((certificate, (solution, watch.trace)))
        })?;
        Ok(Self::new(loss, Some(question), spec, answer).certified(certificate))
    }

    /// The same of what a user's functions made.
    pub(crate) fn with(self, failure: Failure) -> Self {
        Self { failure, ..self }
    }

    /// The factor X.
    pub(crate) fn factor(&self) -> &Mat {
        &self.solution.factor
    }

    pub(crate) fn certificate(&self, py: Python<'_>) -> PyResult<&Certificate> {
        if self.certificate.get().is_none() {
            let regulariser = self.spec.regulariser().map_err(refused)?;
            let certified = session::run(py, None, |link| {
                let problem = Problem::new(&*self.loss, &*regulariser, self.spec.rank)?;
                let stopped = self.solution.status.is_cut_short();
                let tolerance = self.spec.stop.stationarity;
                self.solution.certify_until(&problem, tolerance, stopped, &|| link.stops())
            })?;
            self.failure.raise()?;
            let _ = self.certificate.set(certified.map_err(refused)?); // Another thread came to the same.
        }
        self.certificate.get().ok_or_else(|| PyRuntimeError::new_err("invariant: just certified"))
    }
}

/// A of ½‖A − Z‖².
pub(crate) fn matrix(loss: &dyn Loss) -> Option<&Symmetric> {
    match loss.structure() {
        Structure::Frobenius(matrix) => Some(matrix),
        _ => None,
    }
}

/// Keeps the trace and serves the callback.
pub(crate) struct Watch<'a> {
    link: &'a Link<'a>,
    failure: &'a Failure,
    trace: Vec<Record>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(link: &'a Link<'a>, failure: &'a Failure) -> Self {
        Self { link, failure, trace: Vec::new() }
    }

    /// What was seen.
    pub(crate) fn into_trace(self) -> Vec<Record> {
        self.trace
    }
}

impl Observer for Watch<'_> {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        self.trace.push(record.clone());
        if self.failure.is_there() {
            return ControlFlow::Break(());
        }
        self.link.show(record)
    }

    fn starting(&mut self, _: f64, _: f64) -> ControlFlow<()> {
        if self.link.stops() || self.failure.is_there() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
