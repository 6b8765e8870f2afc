//! One loop for every engine: it looks at the clock, at who asks to stop, at checkpoints and at progress.

use std::time::{Duration, Instant};

use crate::{Allowance, Outcome, Progress, State, Status, Watch, state};

/// How a step ended.
pub(crate) enum Turn {
    /// At a place where the run can be gone on with, but with nothing to show.
    Paused,
    /// With something to show.
    Made,
    /// At a solution, as the engine believes.
    Solved,
    /// With nothing to show, and nothing that could follow.
    Ended(Status),
}

/// What an engine is: a step, a state and a point.
pub(crate) trait Engine {
    /// One step; once the time is over it ends as soon as it can.
    fn step(&mut self, time: &Allowance<'_>) -> Turn;

    /// What follows from the step that was made: the status of the end, or none and the next step can be made. Whoever finds
    /// the time over may say [`Status::Stalled`].
    fn follow(&mut self, time: &Allowance<'_>) -> Option<Status>;

    /// What the last step came to; the seconds are filled in.
    fn progress(&self) -> Progress;

    /// All that the next step starts from.
    fn state(&self) -> state::EngineState;

    /// The point, with what is known of it.
    fn finish(self, status: Status, time: &Allowance<'_>) -> Outcome;
}

/// When a run began, and when it is to end.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    begun: Instant,
    until: Option<Instant>,
}

impl Clock {
    pub(crate) fn new(limit: Option<Duration>) -> Self {
        let begun = Instant::now();
        Self { begun, until: limit.and_then(|limit| begun.checked_add(limit)) }
    }

    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// Runs an engine to its end.
pub(crate) fn run(mut engine: impl Engine, clock: Clock, watch: &mut dyn Watch) -> Outcome {
    let show = |progress: Progress, watch: &mut dyn Watch| {
        let seconds = clock.begun.elapsed().as_secs_f64();
        watch.step(&Progress { seconds, ..progress }).is_break()
    };
    let mut shown = None;
    let status = loop {
        watch.save(&|| State::of(engine.state()));
        let turn = engine.step(&Allowance::new(clock.until, &|| watch.stops()));
        match turn {
            Turn::Paused => continue,
            Turn::Ended(status) => break status,
            Turn::Made | Turn::Solved => {}
        }
        let progress = engine.progress();
        shown = Some(progress.iteration);
        let interrupted = show(progress, watch) || watch.stops();
        if matches!(turn, Turn::Solved) {
            break Status::Solved;
        }
        if interrupted {
            break Status::Interrupted;
        }
        if clock.is_over() {
            break Status::TimeLimit;
        }
        if let Some(status) = engine.follow(&Allowance::new(clock.until, &|| watch.stops())) {
            break status;
        }
    };
    let status = match status {
        Status::Stalled if clock.is_over() => Status::TimeLimit,
        Status::Stalled if watch.stops() => Status::Interrupted,
        status => status,
    };
    let last = engine.progress();
    if shown.is_some_and(|shown| shown < last.iteration) {
        show(last, watch);
    }
    engine.finish(status, &Allowance::new(clock.until, &|| watch.stops()))
}
