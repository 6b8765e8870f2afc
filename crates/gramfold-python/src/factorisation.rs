//! A ≈ XXᵀ: the problem, a run, its certificate.

use std::{
    ops::ControlFlow,
    sync::{Arc, OnceLock},
};

use gramfold::{
    Certificate, Observer, Problem as Question, Record, Solution, Spec, Status, factorise,
    loss::Quadratic,
};
use gramfold_cluster::{
    Components, Similarity, components, hard, permute_columns, relabel, similar, soft,
};
use numpy::{PyArray1, PyArray2};
use pyo3::{exceptions::PyRuntimeError, prelude::*};

use crate::{
    arrays::to_numpy,
    errors::refused,
    matrix::Matrix,
    session::{self, Link},
    spec::Keywords,
    thresholds,
};

/// ½‖A − XXᵀ‖² for a matrix, or for the normalised weights of a graph.
#[pyclass(frozen, module = "gramfold._gramfold")]
pub(crate) struct Problem {
    loss: Arc<Quadratic>,
    components: Option<Arc<Components>>,
    isolated: usize,
}

#[pymethods]
impl Problem {
    /// The matrix as it is.
    #[staticmethod]
    fn of_matrix(matrix: &Matrix) -> Self {
        let loss = Arc::new(Quadratic::new(matrix.0.clone()));
        Self { loss, components: None, isolated: 0 }
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
            let similarity = similarity.unwrap_or_else(|| Similarity::of(&matrix.0));
            let normalise = normalise.unwrap_or(similarity.normalise());
            let prepared = similar(&matrix.0, similarity, normalise, diagonal, seed)?;
            let components = Some(Arc::new(components(&matrix.0)));
            let loss = Arc::new(Quadratic::new(prepared.matrix));
            Ok(Self { loss, components, isolated: prepared.isolated })
        })?
        .map_err(|error: gramfold_cluster::Error| refused(error))
    }

    /// Nodes without any weight.
    #[getter]
    fn isolated(&self) -> usize {
        self.isolated
    }

    /// ‖A‖² of the matrix that is factorised.
    #[getter]
    fn norm_squared(&self) -> f64 {
        self.loss.matrix().norm_squared()
    }

    /// Solves, from the start that the keywords name.
    fn factorise(
        &self,
        py: Python<'_>,
        keywords: Keywords,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Run> {
        let spec = keywords.spec()?;
        let regulariser = spec.regulariser().map_err(refused)?;
        let problem = Question::new(&*self.loss, &*regulariser, spec.rank).map_err(refused)?;
        let (solution, trace) = session::run(py, callback, |link| {
            let mut watch = Watch { link, trace: Vec::new() };
            factorise(&problem, &spec, &mut watch).map(|solution| (solution, watch.trace))
        })?
        .map_err(refused)?;
        let labels = hard(&solution.factor, self.components.as_deref());
        let (loss, components) = (Arc::clone(&self.loss), self.components.clone());
        let certificate = OnceLock::new();
        Ok(Run { loss, components, spec, solution, certificate, trace, labels })
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
        thresholds::list(py, &self.loss, regulariser, rank, seed, start)
    }
}

/// An answer.
#[pyclass(frozen, module = "gramfold._gramfold")]
pub(crate) struct Run {
    pub(crate) loss: Arc<Quadratic>,
    components: Option<Arc<Components>>,
    pub(crate) spec: Spec,
    pub(crate) solution: Solution,
    pub(crate) certificate: OnceLock<Certificate>,
    pub(crate) trace: Vec<Record>,
    labels: Vec<usize>,
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
        })
    }

    /// The rows of X, each divided by its sum.
    fn memberships<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_numpy(py, &soft(&self.solution.factor))
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
    pub(crate) fn certificate(&self, py: Python<'_>) -> PyResult<&Certificate> {
        if self.certificate.get().is_none() {
            let regulariser = self.spec.regulariser().map_err(refused)?;
            let certified = session::run(py, None, |_| {
                let problem = Question::new(&*self.loss, &*regulariser, self.spec.rank)?;
                let stopped = self.solution.status.is_cut_short();
                self.solution.certify_in_time(&problem, self.spec.stop.stationarity, stopped)
            })?;
            let _ = self.certificate.set(certified.map_err(refused)?); // Another thread came to the same.
        }
        self.certificate.get().ok_or_else(|| PyRuntimeError::new_err("invariant: just certified"))
    }
}

/// Keeps the trace and serves the callback.
struct Watch<'a> {
    link: &'a Link<'a>,
    trace: Vec<Record>,
}

impl Observer for Watch<'_> {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        self.trace.push(record.clone());
        self.link.show(record)
    }

    fn starting(&mut self, _: f64, _: f64) -> ControlFlow<()> {
        if self.link.stops() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
