//! Localisation: positions of points from some of the distances between them.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

use gramfold::{
    Loss, Observer, Record, Regulariser, Spec, Status, registry::Component, regulariser::Zero,
};
use gramfold_cli::memory::Location;
use gramfold_learn::{
    Observations,
    locate::{self, Anchors, Task},
};
use pyo3::prelude::*;

use crate::{
    answer::{Answer, Watch},
    arrays::{self, Pairs},
    errors::refused,
    spec::stop,
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
type Located = (Answer, bool, Vec<(usize, String)>);

/// Places points by the distances of the pairs (i, j), i < j, in row order; anchors are points and where they are.
#[pyfunction]
pub(crate) fn place<'py>(
    py: Python<'py>,
    points: usize,
    pairs: Pairs<'py>,
    distances: &Bound<'py, PyAny>,
    anchors: Option<Pairs<'py>>,
    wanted: Wanted,
    callback: Option<Py<PyAny>>,
) -> PyResult<Located> {
    let Wanted { dim, tol, max_iter, time_limit: seconds, seed } = wanted;
    let stop = stop(tol, max_iter, seconds)?;
    let limit = stop.time_limit;
    let (places, values) = (arrays::pairs(&pairs)?, arrays::numbers(distances)?);
    let distances = Observations { dim: points, places, values };
    let anchors = match anchors {
        Some((rows, positions)) => {
            Anchors::new(arrays::indices(&rows)?, arrays::matrix(&positions)?).map_err(refused)?
        }
        None => Anchors::none(dim),
    };
    let framed = anchors.len() > dim;
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
    let loss: Arc<dyn Loss> = locate::loss(&distances).map_err(refused)?.into();
    let question = Arc::new(Location { distances, anchors });
    let Location { distances, anchors } = &*question;
    let regulariser: &dyn Regulariser = if framed { anchors } else { &Zero };
    let asked = Arc::clone(&question);
    let run = Answer::make(py, callback, loss, regulariser, asked, spec, |_, watch| {
        let tolerance = FINER * tol;
        let task = Task { distances, dim, anchors, tolerance, max_iterations: max_iter, seed };
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut limited = Limited { watch, end };
        let mut solution = locate::locate(&task, &mut limited);
        if solution.status == Status::Interrupted && limited.interrupts() {
            solution.status = Status::TimeLimit;
        }
        Ok(solution)
    })?;
    let free = py.detach(|| locate::undetermined(distances, anchors, dim, run.factor()));
    let free = free.into_iter().map(|(point, reason)| (point, reason.to_string())).collect();
    Ok((run, framed, free))
}

/// Stops a run at its deadline.
struct Limited<'a, 'b> {
    watch: &'a mut Watch<'b>,
    end: Option<Instant>,
}

impl Observer for Limited<'_, '_> {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        let flow = self.watch.observe(record);
        if self.interrupts() { ControlFlow::Break(()) } else { flow }
    }

    fn interrupts(&mut self) -> bool {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        left == Some(Duration::ZERO)
    }
}
