//! Completion of a symmetric matrix: the model chosen by held-out entries, then fitted.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use gramfold::{
    Error, Loss, Observer, Problem, Record, Solution, Spec,
    linalg::Mat,
    registry::{self, Component},
};
use gramfold_cli::memory::Completion;
use gramfold_learn::{
    Asked, Biases, Choice, Determined, Folds, Model, Observations, choose, with_scale,
};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{
    answer::{Answer, Watch},
    arrays::{self, Pairs},
    errors::refused,
    session::{self, Link},
    spec::Keywords,
    user::Failure,
};

/// The model, as far as it is given.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    loss: String,
    rank: Option<usize>,
    ridge: Option<f64>,
    shrinkages: Vec<Option<f64>>,
    folds: usize,
}

/// The run, the biases, the choice as JSON, and a sentence where the data do not determine the answer.
type Completed<'py> = (Answer, Bound<'py, PyArray1<f64>>, String, Option<String>);

/// Completes from the entries at (i, j), i ≤ j, in row order.
#[pyfunction]
pub(crate) fn complete<'py>(
    py: Python<'py>,
    dim: usize,
    places: Pairs<'py>,
    values: &Bound<'py, PyAny>,
    wanted: Wanted,
    keywords: Keywords,
    callback: Option<Py<PyAny>>,
) -> PyResult<Completed<'py>> {
    let (places, values) = (arrays::pairs(&places)?, arrays::numbers(values)?);
    let observed = Observations { dim, places, values };
    let Wanted { loss, rank, ridge, shrinkages, folds } = wanted;
    if observed.is_empty() {
        return Err(refused("no entry is known"));
    }
    let known = observed.len();
    if folds == 1 || folds > known || shrinkages.is_empty() {
        return Err(refused(format!(
            "folds = {folds} is not allowed: there are {known} entries, to be held out in at least 2 parts; 0 holds nothing out"
        )));
    }
    let base = keywords.spec()?;
    let loss: Component = loss.parse().map_err(refused)?;
    registry::scalar(&loss).map_err(refused)?;
    let (loss, first) =
        with_scale(&loss, &observed, rank, shrinkages[0], base.seed, &mut ()).map_err(refused)?;
    let (given_rank, given_ridge) = (rank.unwrap_or(1), ridge.unwrap_or(0.0));
    let model = Model { loss, rank: given_rank, ridge: given_ridge, shrinkage: shrinkages[0] };
    let (fitted, choice) = session::attempt(py, callback, |link| {
        let choice = if folds == 0 {
            Choice { model: model.clone(), score: None, trials: Vec::new(), cut_short: false }
        } else {
            let asked = Asked { rank, ridge, shrinkages };
            let folds = Folds::new(observed.len(), folds, base.seed);
            let end = base.stop.time_limit.map(|limit| Instant::now() + limit / 2);
            let mut searching = Searching { link, end };
            let mut free = base.clone();
            free.stop.time_limit = None;
            choose(&observed, &model, &asked, &free, &folds, &mut searching)?
        };
        let start = first.as_ref().filter(|_| choice.model == model);
        Ok::<_, Error>((fit(&observed, &choice.model, &base, start, link)?, choice))
    })?;
    let determined = Determined::of(&observed, choice.model.rank);
    let warning = determined.warning(choice.model.rank);
    let told = serde_json::to_string(&choice).map_err(refused)?;
    let Fit { loss, biases, spec, answer } = fitted;
    let numbers = PyArray1::from_slice(py, biases.values());
    let question = Arc::new(Completion { observed, biases, choice });
    Ok((Answer::new(loss, Some(question), spec, answer), numbers, told, warning))
}

/// A model with its parameters.
struct Fit {
    loss: Arc<dyn Loss>,
    biases: Biases,
    spec: Spec,
    answer: (Solution, Vec<Record>),
}

fn fit(
    observed: &Observations,
    model: &Model,
    base: &Spec,
    start: Option<&Mat>,
    link: &Link<'_>,
) -> Result<Fit, Error> {
    let (biases, loss) = model.prepare(observed)?;
    let loss: Arc<dyn Loss> = loss.into();
    let spec = model.spec(base);
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, spec.rank)?;
    let failure = Failure::default();
    let mut watch = Watch::new(link, &failure);
    let oversampling = Determined::of(observed, spec.rank).oversampling;
    let solution =
        gramfold_learn::fit(&problem, &spec, model.ridge, oversampling, start, &mut watch)?;
    Ok(Fit { loss, biases, spec, answer: (solution, watch.into_trace()) })
}

/// Watches the search: at most half of the time is for it.
struct Searching<'a> {
    link: &'a Link<'a>,
    end: Option<Instant>,
}

impl Searching<'_> {
    fn go_on(&self) -> ControlFlow<()> {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        if self.link.stops() || left == Some(Duration::ZERO) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl Observer for Searching<'_> {
    fn observe(&mut self, _: &Record) -> ControlFlow<()> {
        self.go_on()
    }

    fn starting(&mut self, _: f64, _: f64) -> ControlFlow<()> {
        self.go_on()
    }
}
