//! The threads, anew in every process: after a fork those of the parent are gone, and waiting for them would never end.

use std::{
    mem, process,
    sync::{Arc, Mutex},
};

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::refused;

/// Far more than there are cores: each takes memory.
const MOST: usize = 1024;

struct Threads {
    process: u32,
    pool: Arc<ThreadPool>,
}

struct State {
    wanted: usize,
    threads: Option<Threads>,
}

/// Locked only by who holds the interpreter's lock, so that no fork finds it locked.
static STATE: Mutex<State> = Mutex::new(State { wanted: 0, threads: None });

/// The threads of this process.
pub(crate) fn pool(_: Python<'_>) -> PyResult<Arc<ThreadPool>> {
    let mut state = STATE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let process = process::id();
    if let Some(threads) = &state.threads
        && threads.process == process
    {
        return Ok(Arc::clone(&threads.pool));
    }
    let built = ThreadPoolBuilder::new().num_threads(state.wanted).build();
    let pool = built
        .map(Arc::new)
        .map_err(|error| PyRuntimeError::new_err(format!("cannot start the threads: {error}")))?;
    let threads = Threads { process, pool: Arc::clone(&pool) };
    // A pool of the parent process cannot be taken down: its threads are not here.
    mem::forget(state.threads.replace(threads));
    Ok(pool)
}

/// The number of threads that runs use from now on; none for one a core. It changes no bit of any result.
#[pyfunction]
#[pyo3(signature = (number=None))]
pub(crate) fn set_threads(number: Option<i64>) -> PyResult<()> {
    let number = number.map(|n| match usize::try_from(n) {
        Ok(n) if (1..=MOST).contains(&n) => Ok(n),
        _ => {
            Err(refused(format!("{n} threads are not allowed: use at least 1, and at most {MOST}")))
        }
    });
    let number = number.transpose()?;
    let mut state = STATE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    state.wanted = number.unwrap_or(0);
    mem::forget(state.threads.take());
    Ok(())
}
