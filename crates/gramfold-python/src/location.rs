//! Localisation: positions of points from some of the distances between them.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use gramfold::{
    Loss, Observer, Problem, Record, Regulariser, Spec, Status, Stop, registry::Component,
    regulariser::Zero,
};
use gramfold_learn::{
    Observations,
    locate::{self, Anchors, Task},
};
use pyo3::prelude::*;

use crate::{
    arrays,
    errors::refused,
    factorisation::{Run, Watch},
    session,
    spec::time_limit,
    user::Failure,
};

/// Steps are to fall this far below the tolerance, as on the command line.
const FINER: f64 = 1e-4;

/// How to place the points.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    dim: usize,
    tol: f64,
    max_iter: usize,
    time_limit: Option<f64>,
    seed: u64,
}

/// The run, whether the anchors fix the frame, and the points that are not determined, with the reasons.
type Located = (Run, bool, Vec<(usize, String)>);

/// Places points by the distances of the pairs (i, j), i < j, in row order; anchors are points and where they are.
#[pyfunction]
pub(crate) fn place<'py>(
    py: Python<'py>,
    points: usize,
    pairs: (Bound<'py, PyAny>, Bound<'py, PyAny>),
    distances: &Bound<'py, PyAny>,
    anchors: Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    wanted: Wanted,
    callback: Option<Py<PyAny>>,
) -> PyResult<Located> {
    let Wanted { dim, tol, max_iter, time_limit: seconds, seed } = wanted;
    if !(tol > 0.0 && tol < 1.0) {
        return Err(refused(format!(
            "tol = {tol} is not allowed: expected a number between 0 and 1"
        )));
    }
    let limit = time_limit(seconds)?;
    let rows: Vec<u32> = arrays::indices(&pairs.0)?;
    let places = rows.into_iter().zip(arrays::indices(&pairs.1)?).collect();
    let distances = Observations { dim: points, places, values: arrays::numbers(distances)? };
    let anchors = match anchors {
        Some((rows, positions)) => {
            Anchors::new(arrays::indices(&rows)?, arrays::matrix(&positions)?).map_err(refused)?
        }
        None => Anchors::none(dim),
    };
    let tolerance = FINER * tol;
    session::run(py, callback, |link| {
        let (distances, anchors) = (&distances, &anchors);
        let task = Task { distances, dim, anchors, tolerance, max_iterations: max_iter, seed };
        let framed = task.is_framed();
        let loss: Arc<dyn Loss> = locate::loss(distances)?.into();
        let regulariser: &dyn Regulariser = if framed { anchors } else { &Zero };
        let problem = Problem::new(&*loss, regulariser, dim)?;
        let failure = Failure::default();
        let mut limited = Limited {
            watch: Watch::new(link, &failure),
            end: limit.and_then(|limit| Instant::now().checked_add(limit)),
        };
        let mut solution = locate::locate(&task, &mut limited);
        if solution.status == Status::Interrupted && limited.is_over() {
            solution.status = Status::TimeLimit;
        }
        let certificate =
            solution.certify_in_time(&problem, tol, solution.status.is_cut_short())?;
        let free = locate::undetermined(distances, anchors, dim, &solution.factor);
        let free = free.into_iter().map(|(point, reason)| (point, reason.to_string())).collect();
        let mut stop = Stop::default().tolerance(tol).max_iterations(max_iter);
        stop.time_limit = limit;
        let spec = Spec {
            rank: dim,
            loss: Component::named("square"),
            data: "distances".into(),
            regulariser: Component::named(if framed { "anchors" } else { "zero" }),
            algorithm: Component::named("gauss-newton"),
            stop,
            seed,
            ..Spec::default()
        };
        let run = Run::certified(loss, spec, solution, limited.watch.into_trace(), certificate);
        Ok((run, framed, free))
    })?
    .map_err(|error: gramfold::Error| refused(error))
}

/// Stops a run at its deadline.
struct Limited<'a> {
    watch: Watch<'a>,
    end: Option<Instant>,
}

impl Limited<'_> {
    fn is_over(&self) -> bool {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        left == Some(Duration::ZERO)
    }
}

impl Observer for Limited<'_> {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        let flow = self.watch.observe(record);
        if self.is_over() { ControlFlow::Break(()) } else { flow }
    }
}
