//! A run on the threads, watched from Python: its callback and Ctrl-C are served by the thread that asked for the run,
//! and the interpreter's lock is held only for them.

use std::{
    fmt::Display,
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use pyo3::{
    exceptions::{PyRuntimeError, PyStopIteration},
    prelude::*,
};
use serde::Serialize;

use crate::{errors::refused, threads};

/// How often Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// What a run on the threads has of the thread that asked for it.
pub(crate) struct Link<'a> {
    /// Steps to the callback and its answers; none without a callback.
    calls: Option<Mutex<(Sender<String>, Receiver<bool>)>>,
    stopped: &'a AtomicBool,
    /// Keeps the channel open until the run has ended.
    _alive: Sender<String>,
}

impl Link<'_> {
    /// Shows a step; `Break` if the run is to end.
    pub(crate) fn show(&self, step: &impl Serialize) -> ControlFlow<()> {
        if self.stops() {
            return ControlFlow::Break(());
        }
        let Some(calls) = &self.calls else { return ControlFlow::Continue(()) };
        let (steps, answers) = &*calls.lock().unwrap_or_else(PoisonError::into_inner);
        let told = serde_json::to_string(step).ok().and_then(|step| steps.send(step).ok());
        match told.and_then(|()| answers.recv().ok()) {
            Some(true) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    /// Whether the run is to end at once.
    pub(crate) fn stops(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Runs `work` on the threads. The callback receives every step as JSON; the run ends early where it returns True or
/// raises. Whatever it raises is raised here, but for StopIteration.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(&Link<'_>) -> T + Send,
) -> PyResult<T> {
    let pool = threads::pool(py)?;
    let stopped = AtomicBool::new(false);
    let (steps, shown) = channel();
    let (answer, answers) = channel();
    let calls = callback.is_some().then(|| Mutex::new((steps.clone(), answers)));
    let link = Link { calls, stopped: &stopped, _alive: steps };
    let mut outcome = None;
    let mut failure = None;
    let (place, trouble, stop) = (&mut outcome, &mut failure, &stopped);
    py.detach(move || {
        pool.in_place_scope(move |scope| {
            scope.spawn(move |_| {
                *place = Some(work(&link));
                drop(link);
            });
            let mut checked = Instant::now();
            loop {
                match shown.recv_timeout(PATIENCE) {
                    Ok(step) => {
                        let goes_on = match (&callback, &trouble) {
                            (Some(callback), None) => call(callback, step, trouble),
                            _ => false,
                        };
                        let _ = answer.send(goes_on); // A run that has ended needs none.
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if checked.elapsed() >= PATIENCE {
                    checked = Instant::now();
                    Python::attach(|py| {
                        if let Err(error) = py.check_signals() {
                            trouble.get_or_insert(error);
                        }
                    });
                }
                if trouble.is_some() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        });
    });
    match failure {
        Some(error) => Err(error),
        None => outcome.ok_or_else(|| PyRuntimeError::new_err("the run ended without an answer")),
    }
}

/// The same of work that may be refused.
pub(crate) fn attempt<T: Send, E: Display + Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(&Link<'_>) -> Result<T, E> + Send,
) -> PyResult<T> {
    run(py, callback, work)?.map_err(refused)
}

/// Whether the run goes on.
fn call(callback: &Py<PyAny>, step: String, failure: &mut Option<PyErr>) -> bool {
    Python::attach(|py| match callback.call1(py, (step,)).and_then(|said| said.is_truthy(py)) {
        Ok(stop) => !stop,
        Err(error) if error.is_instance_of::<PyStopIteration>(py) => false,
        Err(error) => {
            *failure = Some(error);
            false
        }
    })
}
