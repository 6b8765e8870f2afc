//! A short run of every target, on the same inputs each time: no panic, no hang, and never more memory than the allocator's cap.

use std::{
    io::{Write, stderr},
    process::abort,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use gramfold_fuzz::{Mutator, SECONDS, Scratch, targets};

/// What is at work, for the watch to tell.
struct Current {
    target: &'static str,
    number: usize,
    input: Vec<u8>,
    since: Instant,
}

static CURRENT: Mutex<Option<Current>> = Mutex::new(None);
static DONE: AtomicBool = AtomicBool::new(false);

#[test]
fn every_target_takes_whatever_it_is_given() {
    let watch = thread::spawn(watch);
    for target in targets() {
        let scratch = Scratch::new();
        let seeds = (target.seeds)();
        let mut mutator = Mutator::new(seeds.clone(), target.words, 1);
        let drawn = (0..target.few).map(|_| mutator.draw());
        for (number, input) in seeds.iter().cloned().chain(drawn).enumerate() {
            let since = Instant::now();
            *CURRENT.lock().unwrap() =
                Some(Current { target: target.name, number, input: input.clone(), since });
            let outcome = std::panic::catch_unwind(|| (target.run)(&input, scratch.path()));
            assert!(
                outcome.is_ok(),
                "{} panicked on input {number}: {}",
                target.name,
                input.escape_ascii()
            );
        }
    }
    DONE.store(true, Ordering::Relaxed);
    watch.join().unwrap();
}

/// Ends the process if an input takes too long: nothing else stops a loop.
fn watch() {
    while !DONE.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(100));
        if let Some(current) = CURRENT.lock().unwrap().as_ref()
            && current.since.elapsed() > Duration::from_secs(SECONDS)
        {
            let Current { target, number, input, .. } = current;
            let _ =
                writeln!(stderr(), "{target} hangs on input {number}: {}", input.escape_ascii());
            abort();
        }
    }
}
