//! Metrics of low rank.

use std::sync::Arc;

use gramfold::{Error, Loss, Spec, linalg::Mat, registry::Component, regulariser::Zero, solve};
use gramfold_cli::memory::Metric;
use gramfold_learn::{
    MetricModel, Supervision, comparisons, folded_spec, spread, standardised as divided,
};
use numpy::PyArray2;
use pyo3::prelude::*;

use crate::{
    answer::Answer,
    arrays::{self, to_numpy},
    errors::refused,
    session,
    spec::stop,
};

/// The model, as far as it is given, and how to fit it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    rank: Option<usize>,
    targets: Option<usize>,
    impostors: Option<usize>,
    margin: Option<f64>,
    pull: Option<f64>,
    stay: Option<f64>,
    standardise: bool,
    tol: f64,
    max_iter: usize,
    time_limit: Option<f64>,
}

impl Wanted {
    /// What suits the points, with what is given.
    fn model(&self, points: &Mat, classes: &[usize]) -> MetricModel {
        let count = classes.iter().max().map_or(0, |most| most + 1);
        let suited = MetricModel::suited(points.rows(), points.cols(), count);
        MetricModel {
            rank: self.rank.unwrap_or(suited.rank),
            targets: self.targets.unwrap_or(suited.targets),
            impostors: self.impostors.unwrap_or(suited.impostors),
            margin: self.margin.unwrap_or(suited.margin),
            pull: self.pull.unwrap_or(suited.pull),
            stay: self.stay.unwrap_or(suited.stay),
        }
    }

    fn spec(&self, rank: usize) -> PyResult<Spec> {
        let stop = stop(self.tol, self.max_iter, self.time_limit)?;
        let loss = Component::named("logistic");
        Ok(folded_spec(rank, loss, "lifted", &Spec { stop, ..Spec::default() }))
    }
}

/// The run, L for the points as they are, the model as JSON, and how many comparisons it is fitted to.
type Learnt<'py> = (Answer, Bound<'py, PyArray2<f64>>, String, usize);

/// Learns a metric from the classes of points, which are numbered from zero.
#[pyfunction]
pub(crate) fn learn_metric<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    classes: &Bound<'py, PyAny>,
    wanted: Wanted,
    callback: Option<Py<PyAny>>,
) -> PyResult<Learnt<'py>> {
    let points = arrays::matrix(points)?;
    let classes: Vec<usize> = arrays::indices(classes)?;
    if classes.len() != points.rows() {
        let (found, rows) = (classes.len(), points.rows());
        let fault = format!("expected a class for each of the {rows} points, found {found}");
        return Err(refused(fault));
    }
    if classes.iter().all(|class| *class == classes[0]) {
        return Err(refused("there is only one class: a metric needs at least two"));
    }
    let model = wanted.model(&points, &classes);
    let spec = wanted.spec(model.rank)?;
    let deviations = if wanted.standardise { spread(&points).1 } else { vec![1.0; points.cols()] };
    let units = divided(&points, (&vec![0.0; points.cols()], &deviations));
    let (compared, loss, start) = session::attempt(py, None, |_| {
        let known = comparisons(&units, &classes, model.targets, model.impostors);
        let compared = known.len();
        if compared == 0 {
            let message =
                "no class has two points: there is nothing that a point should be near to";
            return Err(Error::Data { message: message.into() });
        }
        let known = Supervision::Comparisons(known);
        let loss: Arc<dyn Loss> = Arc::new(model.loss(&units, &known)?);
        Ok((compared, loss, model.start(&units, &known)))
    })?;
    let told = serde_json::to_string(&model).map_err(refused)?;
    let standardised = wanted.standardise;
    let question = Arc::new(Metric { points, classes, model, standardised });
    let method = spec.method().map_err(refused)?;
    let run = Answer::make(py, callback, loss, &Zero, question, spec, |problem, watch| {
        solve(problem, method, &start, watch)
    })?;
    let l = run.factor();
    let l = Mat::from_fn(l.rows(), l.cols(), |i, j| l[(i, j)] / deviations[i]);
    Ok((run, to_numpy(py, &l)?, told, compared))
}
