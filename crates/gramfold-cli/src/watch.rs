//! What watches a run, whatever the engine: the line on the terminal, the trace, the checkpoint, Ctrl-C.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    checkpoint::{Checkpoint, Kept},
    interrupt,
    line::{Left, Line},
    resources::Moment,
    step::Step,
    store::Status,
};

/// What the proofs of a run that was cut short may take: those of a small matrix take less.
const GRACE: Duration = Duration::from_secs(1);

/// When the whole command is to end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    start: Instant,
    limit: Option<Duration>,
}

impl Deadline {
    /// So much time from now; never, if none is given.
    pub(crate) fn after(limit: Option<Duration>) -> Self {
        Self { start: Instant::now(), limit }
    }

    /// The time left; none where there is no limit.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_sub(self.start.elapsed()))
    }

    /// Whether it has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }

    pub(crate) fn elapsed(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// Watches the runs of a command, one after the other.
pub(crate) struct Watch<T, S> {
    /// Of the run at work.
    pub(crate) trace: Vec<T>,
    pub(crate) deadline: Deadline,
    /// When the start of the run at work was made, where its engine says so.
    pub(crate) started: Option<Moment>,
    pub(crate) checkpoint: Option<Checkpoint<S, T>>,
    interrupted: Arc<AtomicBool>,
    line: Line,
    /// The run at work, and how many there are to be.
    run: usize,
    runs: usize,
    /// What is said of the run before all else.
    label: String,
    /// When the run began, and how long the ones before it took.
    began: Instant,
    finished: f64,
    /// Seconds of the command before it was resumed.
    before: f64,
    /// What the residuals are to fall below, and the most iterations that this may take.
    tolerance: f64,
    most: Option<usize>,
    /// Seconds that the run at work was expected to take in all when that could last be told.
    expected: Option<f64>,
    /// −1 where the question is a maximum: what is shown is in its signs.
    sign: f64,
}

impl<T: Step, S: Serialize + DeserializeOwned> Watch<T, S> {
    /// For a command that ends at a deadline or when its residuals are below a tolerance.
    pub(crate) fn new(
        deadline: Deadline,
        tolerance: f64,
        quiet: bool,
        checkpoint: Option<Checkpoint<S, T>>,
    ) -> Self {
        let before = checkpoint.as_ref().map_or(0.0, Checkpoint::seconds);
        Self {
            trace: Vec::new(),
            deadline,
            started: None,
            checkpoint,
            interrupted: interrupt::flag(),
            line: Line::new(quiet),
            run: 0,
            runs: 1,
            label: String::new(),
            began: Instant::now(),
            finished: 0.0,
            before,
            tolerance,
            most: None,
            expected: None,
            sign: 1.0,
        }
    }

    /// Ends runs after so many iterations.
    pub(crate) fn at_most(mut self, iterations: usize) -> Self {
        self.most = Some(iterations);
        self
    }

    /// Shows objectives with the other sign.
    pub(crate) fn signed(mut self, sign: f64) -> Self {
        self.sign = sign;
        self
    }

    /// Begins a run of so many, and returns where the checkpoint says that it stands.
    pub(crate) fn begin(&mut self, run: usize, runs: usize, label: String) -> Option<Kept<S, T>>
    where
        S: Clone,
    {
        if run > self.run {
            self.finished += self.began.elapsed().as_secs_f64();
        }
        (self.run, self.runs, self.label) = (run, runs, label);
        (self.began, self.expected) = (Instant::now(), None);
        let kept = self.checkpoint.as_ref().and_then(|checkpoint| checkpoint.run(run)).cloned();
        self.trace = kept.as_ref().map_or(Vec::new(), |kept| kept.trace.clone());
        kept
    }

    /// Keeps where the run at work stands, unless that would cost too much of the time.
    pub(crate) fn keep(&mut self, state: impl FnOnce() -> S) {
        let seconds = self.seconds();
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.keep(self.run, state, &self.trace, seconds);
        }
    }

    /// Keeps how the run at work ended.
    pub(crate) fn end(&mut self, state: impl FnOnce() -> S) {
        let seconds = self.seconds();
        if let Some(checkpoint) = &mut self.checkpoint {
            checkpoint.write(self.run, state(), &self.trace, seconds);
        }
    }

    /// Seconds of the whole command, those before it was resumed among them.
    pub(crate) fn seconds(&self) -> f64 {
        self.before + self.deadline.elapsed()
    }

    /// Whether Ctrl-C was pressed.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Whether Ctrl-C was pressed or the time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.is_interrupted() || self.deadline.is_over()
    }

    /// What says the same from anywhere.
    pub(crate) fn stopper(&self) -> impl Fn() -> bool + Sync + use<T, S> {
        let (interrupted, deadline) = (Arc::clone(&self.interrupted), self.deadline);
        move || interrupted.load(Ordering::Relaxed) || deadline.is_over()
    }

    /// What ended a command that was cut short.
    pub(crate) fn ended_by(&self) -> Status {
        if self.is_interrupted() { Status::Interrupted } else { Status::TimeLimit }
    }

    /// What says when a proof is to end: when the time is over, or where the run was cut short a moment from now.
    pub(crate) fn proof_stopper(&self, cut_short: bool) -> impl Fn() -> bool + Sync + use<T, S> {
        let (began, is_over) = (Instant::now(), self.stopper());
        let cut_short = cut_short || self.is_over();
        move || if cut_short { began.elapsed() >= GRACE } else { is_over() }
    }

    /// The time left, of which at least a little is always given; none where there is no limit.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.deadline.left().map(|left| left.max(Duration::from_millis(1)))
    }

    /// Replaces the line by what is done next; by nothing where that is empty.
    pub(crate) fn say(&self, next: &str) {
        self.line.say(next);
    }

    /// Takes a step of the run at work.
    pub(crate) fn step(&mut self, step: T) -> ControlFlow<()> {
        let seconds = self.deadline.elapsed();
        if self.line.is_due(seconds) {
            let mut pieces = vec![self.label.clone()];
            pieces.extend(step.pieces(self.sign));
            // After the number of the iteration, before everything else.
            pieces.insert(2, self.left(&step).words());
            self.line.draw(seconds, &pieces);
        }
        self.trace.push(step);
        self.go_on()
    }

    /// Shows that a run is being prepared.
    pub(crate) fn preparing(&mut self, share: f64) -> ControlFlow<()> {
        self.busy(&format!("making the start, {:.0} %", 100.0 * share))
    }

    /// Shows what is done that is no step of a run.
    pub(crate) fn busy(&mut self, what: &str) -> ControlFlow<()> {
        let seconds = self.deadline.elapsed();
        if self.line.is_due(seconds) {
            self.line.draw(seconds, &[self.label.clone(), what.to_owned()]);
        }
        self.go_on()
    }

    fn go_on(&self) -> ControlFlow<()> {
        if self.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Of the whole command: the smaller of what the limit allows, and of what the decay of the error promises for this run
    /// and the runs so far for those to come.
    fn left(&mut self, now: &T) -> Left {
        let run = self.began.elapsed().as_secs_f64();
        let steps = self.trace.len().max(1) as f64;
        let most = self.most.map(|most| (most as f64 - steps).max(0.0) * run / steps);
        // Over the later half of the run: the beginning is not typical.
        let measured: Vec<(f64, f64)> = self.trace[self.trace.len() / 2..]
            .iter()
            .chain([now])
            .filter_map(|step| Some((step.seconds(), step.residual()?)))
            .collect();
        let decay = measured.first().zip(measured.last()).and_then(|(then, last)| {
            let rate = (then.1 / last.1).ln() / (last.0 - then.0);
            let left = (last.1 / self.tolerance).ln() / rate;
            (rate > 0.0 && left.is_finite()).then(|| left.max(0.0))
        });
        // The most iterations are no estimate: hardly any run takes them.
        if let Some(decay) = decay {
            self.expected = Some(run + most.map_or(decay, |most| most.min(decay)));
        }
        let to_come = (self.runs - self.run - 1) as f64;
        let whole = self.expected.map(|expected| {
            let this = (expected - run).max(0.0);
            this + to_come * (self.finished + run + this) / (self.run + 1) as f64
        });
        let limit = self.deadline.left().map(|left| left.as_secs_f64());
        match (whole, limit) {
            (Some(whole), Some(limit)) => Left::About(whole.min(limit)),
            (Some(whole), None) => Left::About(whole),
            (None, Some(limit)) => Left::AtMost(limit),
            (None, None) => Left::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convergence::{Drawing, Names};

    /// A step of a run whose residual is 10^−second, where it was measured.
    #[derive(Clone, Copy, Serialize, serde::Deserialize)]
    struct Decay {
        second: f64,
        measured: bool,
    }

    impl Step for Decay {
        fn iteration(&self) -> usize {
            0
        }

        fn seconds(&self) -> f64 {
            self.second
        }

        fn residual(&self) -> Option<f64> {
            self.measured.then(|| 10_f64.powf(-self.second))
        }

        fn pieces(&self, _: f64) -> Vec<String> {
            Vec::new()
        }

        fn drawn(&self, _: Drawing, _: &Names) -> Vec<(&'static str, Option<f64>)> {
            Vec::new()
        }
    }

    #[test]
    fn the_time_left_is_an_estimate_only_where_the_error_decays() {
        let deadline = Deadline::after(Some(Duration::from_secs(1000)));
        let mut watch: Watch<Decay, ()> = Watch::new(deadline, 1e-6, true, None).at_most(1 << 30);
        let first = Decay { second: 1.0, measured: true };
        assert!(matches!(watch.left(&first), Left::AtMost(s) if (999.0..=1000.0).contains(&s)));
        watch.trace.push(first);
        // From 1e-2 to 1e-6 in four more seconds.
        let second = Decay { second: 2.0, measured: true };
        let about = |left| matches!(left, Left::About(s) if (3.9..=4.0).contains(&s));
        assert!(about(watch.left(&second)));
        watch.trace.push(second);
        // What was expected stays where a step measures nothing.
        assert!(about(watch.left(&Decay { second: 2.1, measured: false })));
        assert_eq!(Left::About(3.96).words(), "about 4 s left");
        assert_eq!(Left::AtMost(7200.0).words(), "at most 2.0 h left");
    }
}
