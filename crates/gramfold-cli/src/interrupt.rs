//! Ctrl-C: the first asks the solver to stop with its best answer, the second ends the program.

use std::{
    io::{IsTerminal, stderr},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::output;

/// Raised by Ctrl-C. A process has one handler, whatever number of commands it runs.
static RAISED: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    // Without a handler Ctrl-C ends the program at once, which is the second-best behaviour.
    let _ = ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::Relaxed) {
            #[allow(clippy::exit)] // A handler has no other way to end the program.
            std::process::exit(130);
        }
        if stderr().is_terminal() {
            output::message("stopping with the best answer so far; Ctrl-C again ends at once");
        }
    });
    flag
});

/// From now on Ctrl-C raises the flag, which is down: before a file is read, so that none is lost.
pub(crate) fn begin() {
    RAISED.store(false, Ordering::Relaxed);
}

/// The flag that Ctrl-C raises.
pub(crate) fn flag() -> Arc<AtomicBool> {
    Arc::clone(&RAISED)
}
