//! Ctrl-C: the first asks the solver to stop with its best answer, the second ends the program.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that Ctrl-C raises.
pub(crate) fn flag() -> Arc<AtomicBool> {
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
}
