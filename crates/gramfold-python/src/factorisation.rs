//! min f(XXᵀ) + h(X): the problem, a run, its certificate.

use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use gramfold::{
    Certificate, Loss, Observer, Problem as Question, Record, Solution, Spec, Status, factorise,
    linalg::Symmetric,
    loss::{Linear, Quadratic, Structure},
    registry::Component,
};
use gramfold_cli::memory::{self, Origin, To};
use gramfold_cluster::{
    Components, components, hard, permute_columns, relabel, similar_or_default, soft,
};
use numpy::{PyArray1, PyArray2};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
};

use crate::{
    arrays::{self, to_numpy},
    errors::refused,
    matrix::Matrix,
    measured::{self, Judged, Measured},
    session::{self, Link},
    spec::Keywords,
    thresholds,
    user::Failure,
};

/// f, and what is known of where it came from.
#[pyclass(frozen, module = "gramfold._gramfold")]
pub(crate) struct Problem {
    loss: Arc<dyn Loss>,
    /// f and its data, as specs write them.
    name: Component,
    data: String,
    components: Option<Arc<Components>>,
    isolated: usize,
    failure: Failure,
}

impl Problem {
    fn of(loss: Arc<dyn Loss>, name: Component, data: &str) -> Self {
        let failure = Failure::default();
        Self { loss, name, data: data.into(), components: None, isolated: 0, failure }
    }
}

#[pymethods]
impl Problem {
    /// The matrix as it is.
    #[staticmethod]
    fn of_matrix(matrix: &Matrix) -> Self {
        let loss = Arc::new(Quadratic::new(matrix.0.clone()));
        Self::of(loss, Component::named("quadratic"), "matrix")
    }

    /// ⟨C, Z⟩.
    #[staticmethod]
    fn of_cost(matrix: &Matrix) -> Self {
        let loss = Arc::new(Linear::new(matrix.0.clone()));
        Self::of(loss, Component::named("linear"), "matrix")
    }

    /// Σ w·φ(⟨A_k, Z⟩, b): a kind of measurements and what it needs, φ by name or as an object, targets and weights.
    #[staticmethod]
    #[pyo3(signature = (dim, kind, given, scalar, targets, weights=None))]
    fn of_measurements(
        py: Python<'_>,
        dim: usize,
        kind: &str,
        given: &Bound<'_, PyAny>,
        scalar: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let failure = Failure::default();
        let targets = arrays::numbers(targets)?;
        let weights = weights.map(arrays::numbers).transpose()?;
        let measured = Measured::new(kind, dim, given, targets.len(), &failure)?;
        let judged = Judged::new(scalar, &failure)?;
        let name = judged.component();
        let loss = session::run(py, None, |_| {
            measured::loss(dim, measured, judged, &targets, weights.as_deref())
        })?;
        failure.raise()?;
        Ok(Self { failure, ..Self::of(loss.map_err(refused)?.into(), name, kind) })
    }

    /// The similarities of a graph's nodes, normalised; none of a choice leaves it to the graph.
    #[staticmethod]
    fn of_graph(
        py: Python<'_>,
        matrix: &Matrix,
        similarity: Option<&str>,
        normalise: Option<&str>,
        diagonal: &str,
        seed: u64,
    ) -> PyResult<Self> {
        let similarity = similarity.map(str::parse).transpose().map_err(refused)?;
        let normalise = normalise.map(str::parse).transpose().map_err(refused)?;
        let diagonal = diagonal.parse().map_err(refused)?;
        session::run(py, None, |_| {
            let prepared =
                similar_or_default(&matrix.0, similarity, normalise, diagonal, seed)?.prepared;
            let components = Some(Arc::new(components(&matrix.0)));
            let loss = Arc::new(Quadratic::new(prepared.matrix));
            let isolated = prepared.isolated;
            Ok(Self {
                components,
                isolated,
                ..Self::of(loss, Component::named("quadratic"), "matrix")
            })
        })?
        .map_err(|error: gramfold_cluster::Error| refused(error))
    }

    /// Nodes without any weight.
    #[getter]
    fn isolated(&self) -> usize {
        self.isolated
    }

    /// ‖A‖² of the matrix that is factorised, if one is.
    #[getter]
    fn norm_squared(&self) -> Option<f64> {
        matrix(&*self.loss).map(Symmetric::norm_squared)
    }

    /// Solves, from the start that the keywords name.
    fn factorise(
        &self,
        py: Python<'_>,
        keywords: Keywords,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Run> {
        let spec = Spec { loss: self.name.clone(), data: self.data.clone(), ..keywords.spec()? };
        let regulariser = spec.regulariser().map_err(refused)?;
        let problem = Question::new(&*self.loss, &*regulariser, spec.rank).map_err(refused)?;
        let solved = session::run(py, callback, |link| {
            let mut watch = Watch::new(link, &self.failure);
            factorise(&problem, &spec, &mut watch).map(|solution| (solution, watch.into_trace()))
        })?;
        self.failure.raise()?;
        let (solution, trace) = solved.map_err(refused)?;
        let labels = hard(&solution.factor, self.components.as_deref());
        let (loss, components) = (Arc::clone(&self.loss), self.components.clone());
        let certificate = OnceLock::new();
        let failure = self.failure.clone();
        Ok(Run { loss, components, spec, solution, certificate, trace, labels, failure })
    }

    /// Every threshold on γ as JSON, and the one that is needed.
    #[pyo3(signature = (regulariser, rank, seed, start=None))]
    fn bounds(
        &self,
        py: Python<'_>,
        regulariser: &str,
        rank: usize,
        seed: u64,
        start: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        thresholds::list(py, &*self.loss, regulariser, rank, seed, start)
    }
}

/// An answer.
#[pyclass(frozen, module = "gramfold._gramfold")]
pub(crate) struct Run {
    loss: Arc<dyn Loss>,
    components: Option<Arc<Components>>,
    spec: Spec,
    solution: Solution,
    certificate: OnceLock<Certificate>,
    trace: Vec<Record>,
    labels: Vec<usize>,
    failure: Failure,
}

#[pymethods]
impl Run {
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

    /// ½(X + Y), X and Y.
    fn factors<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray2<f64>>; 3]> {
        let Solution { factor, x, y, .. } = &self.solution;
        Ok([to_numpy(py, factor)?, to_numpy(py, x)?, to_numpy(py, y)?])
    }

    /// The cluster of each node, before they are numbered by size.
    fn raw_labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.labels.iter().map(|&label| label as i64))
    }

    /// What is proved, as JSON and in words. A run that was cut short is only measured.
    fn certify(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let certificate = self.certificate(py)?;
        let json = serde_json::to_string(certificate).map_err(refused)?;
        Ok((json, certificate.to_string()))
    }

    /// The run with clusters, and the columns of every factor, in the order of their sizes.
    fn by_size(&self, py: Python<'_>) -> PyResult<Self> {
        let certificate = OnceLock::from(self.certificate(py)?.clone());
        let relabelling = relabel(&self.labels, self.spec.rank);
        let mut solution = self.solution.clone();
        for factor in [&mut solution.factor, &mut solution.x, &mut solution.y] {
            *factor = permute_columns(factor, &relabelling.permutation);
        }
        Ok(Self {
            loss: Arc::clone(&self.loss),
            components: self.components.clone(),
            spec: self.spec.clone(),
            solution,
            certificate,
            trace: self.trace.clone(),
            labels: relabelling.labels,
            failure: self.failure.clone(),
        })
    }

    /// The rows of X, each divided by its sum.
    fn memberships<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_numpy(py, &soft(&self.solution.factor))
    }

    /// Writes the directory of `gramfold factor`, or its report.
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        report: bool,
        name: String,
        line: String,
    ) -> PyResult<()> {
        let Some(matrix) = matrix(&*self.loss) else {
            return Err(PyValueError::new_err(
                "only factorisations of a matrix have a directory and a report",
            ));
        };
        let certificate = self.certificate(py)?;
        let origin = Origin { name, line, seconds: self.solution.last.seconds };
        let to = if report { To::Report(&path) } else { To::Directory(&path) };
        let Self { spec, solution, trace, .. } = self;
        py.detach(|| {
            memory::factorisation(&origin, matrix, spec, solution, certificate, trace, &to)
        })
        .map_err(|error| refused(format!("{error:#}")))
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

impl Run {
    /// The answer of a run that was made elsewhere.
    pub(crate) fn new(
        loss: Arc<dyn Loss>,
        spec: Spec,
        solution: Solution,
        trace: Vec<Record>,
    ) -> Self {
        let labels = hard(&solution.factor, None);
        let (certificate, failure) = (OnceLock::new(), Failure::default());
        Self { loss, components: None, spec, solution, certificate, trace, labels, failure }
    }

    /// The same with what is proved of it.
    pub(crate) fn certified(
        loss: Arc<dyn Loss>,
        spec: Spec,
        solution: Solution,
        trace: Vec<Record>,
        certificate: Certificate,
    ) -> Self {
        let certificate = OnceLock::from(certificate);
        Self { certificate, ..Self::new(loss, spec, solution, trace) }
    }

    pub(crate) fn certificate(&self, py: Python<'_>) -> PyResult<&Certificate> {
        if self.certificate.get().is_none() {
            let regulariser = self.spec.regulariser().map_err(refused)?;
            let certified = session::run(py, None, |_| {
                let problem = Question::new(&*self.loss, &*regulariser, self.spec.rank)?;
                let stopped = self.solution.status.is_cut_short();
                self.solution.certify_in_time(&problem, self.spec.stop.stationarity, stopped)
            })?;
            self.failure.raise()?;
            let _ = self.certificate.set(certified.map_err(refused)?); // Another thread came to the same.
        }
        self.certificate.get().ok_or_else(|| PyRuntimeError::new_err("invariant: just certified"))
    }
}

/// A of ½‖A − Z‖².
fn matrix(loss: &dyn Loss) -> Option<&Symmetric> {
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
