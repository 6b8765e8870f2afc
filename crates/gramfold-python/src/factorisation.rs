//! min f(XXᵀ) + h(X): the problem.

use std::sync::Arc;

use gramfold::{
    Error, Loss, Problem as Stated, Spec, bounds, factorise,
    linalg::{Mat, Symmetric},
    loss::{Linear, Quadratic},
    registry::{self, Component},
    start::random,
};
use gramfold_cli::memory::Question;
use pyo3::prelude::*;

use crate::{
    answer::{Answer, Watch, matrix},
    arrays,
    errors::refused,
    matrix::Matrix,
    measured::{self, Judged, Measured},
    session,
    spec::Keywords,
    user::Failure,
};

/// f, and what is known of where it came from.
#[pyclass(frozen, module = "gramfold._gramfold")]
pub(crate) struct Problem {
    loss: Arc<dyn Loss>,
    /// f and its data, as specs write them.
    name: Component,
    data: String,
    /// What is asked, to be written with an answer; none of a matrix, which the loss has, or where no file can hold it.
    question: Option<Arc<dyn Question>>,
    failure: Failure,
}

impl Problem {
    fn of(loss: Arc<dyn Loss>, name: Component, data: &str) -> Self {
        Self { loss, name, data: data.into(), question: None, failure: Failure::default() }
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
        let question = measured.question(dim, &judged, &targets, weights.as_deref());
        let loss = session::run(py, None, |_| {
            measured::loss(dim, measured, judged, &targets, weights.as_deref())
        })?;
        failure.raise()?;
        Ok(Self { question, failure, ..Self::of(loss.map_err(refused)?.into(), name, kind) })
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
    ) -> PyResult<Answer> {
        let spec = Spec { loss: self.name.clone(), data: self.data.clone(), ..keywords.spec()? };
        let regulariser = spec.regulariser().map_err(refused)?;
        let problem = Stated::new(&*self.loss, &*regulariser, spec.rank).map_err(refused)?;
        let solved = session::run(py, callback, |link| {
            let mut watch = Watch::new(link, &self.failure);
            factorise(&problem, &spec, &mut watch).map(|solution| (solution, watch.into_trace()))
        })?;
        self.failure.raise()?;
        let answer = solved.map_err(refused)?;
        let run = Answer::new(Arc::clone(&self.loss), self.question.clone(), spec, answer);
        Ok(run.with(self.failure.clone()))
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
        let component: Component = regulariser.parse().map_err(refused)?;
        let regulariser = registry::regulariser(&component).map_err(refused)?;
        let given = start.map(arrays::matrix).transpose()?;
        let rank = given.as_ref().map_or(rank, Mat::cols);
        let problem = Stated::new(&*self.loss, &*regulariser, rank).map_err(refused)?;
        session::attempt(py, None, |_| {
            let start = given.unwrap_or_else(|| random(&problem, seed));
            let list = bounds::all(&problem, &start)?;
            let needed = bounds::needed(&problem, &start, component)?;
            let found = serde_json::json!({"rank": rank, "needed": needed, "bounds": list});
            Ok::<_, Error>(found.to_string())
        })
    }
}
