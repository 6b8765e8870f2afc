//! Ctrl-C: the first asks the solver to stop with its best answer, the second ends the program.

use std::sync::{
    Arc, LazyLock,
    atomic::{AtomicBool, Ordering},
};

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
    });
    flag
});

/// A flag that Ctrl-C raises, lowered for a new command.
pub(crate) fn flag() -> Arc<AtomicBool> {
    RAISED.store(false, Ordering::Relaxed);
    Arc::clone(&RAISED)
}
