//! One progress line on a terminal, with an estimate of the time left.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use gramfold::{Checkpoint, Observer, Record, Stop};

use crate::line::{Line, left};

/// Keeps the trace, draws the line, and stops the run on Ctrl-C.
pub(crate) struct Watch {
    pub(crate) trace: Vec<Record>,
    stop: Stop,
    interrupted: Arc<AtomicBool>,
    label: String,
    line: Line,
    residuals: Vec<(f64, f64)>,
    save: Option<Save>,
    before: f64,
}

/// Takes a checkpoint and the trace that led to it.
type Save = Box<dyn FnMut(Checkpoint, &[Record])>;

/// Iterations between checkpoints. Not seconds: taking one may refresh caches, and a resumed run must
/// do so at the same places.
const CHECKPOINT_EVERY: usize = 20;

impl Watch {
    pub(crate) fn new(stop: Stop, interrupted: Arc<AtomicBool>) -> Self {
        let line = Line::new();
        let (trace, residuals, label) = (Vec::new(), Vec::new(), String::new());
        Self { trace, stop, interrupted, label, line, residuals, save: None, before: 0.0 }
    }

    /// Hands every checkpoint to `save`.
    pub(crate) fn saving(mut self, save: impl FnMut(Checkpoint, &[Record]) + 'static) -> Self {
        self.save = Some(Box::new(save));
        self
    }

    /// Goes on with the trace of a run that is resumed.
    pub(crate) fn after(mut self, trace: Vec<Record>) -> Self {
        self.trace = trace;
        self
    }

    /// Counts the seconds that the start took as part of the run.
    pub(crate) fn started(mut self, seconds: f64) -> Self {
        self.before = seconds;
        self
    }

    /// Puts a label before the line, as where one run of several is shown.
    pub(crate) fn labelled(mut self, label: String) -> Self {
        self.label = label;
        self
    }

    /// Replaces the line by what is done next; by nothing where that is empty.
    pub(crate) fn say(&self, next: &str) {
        self.line.say(next);
    }

    fn draw(&mut self, record: &Record) {
        let rate = record.iteration as f64 / record.seconds;
        let residual = self.residuals.last().map_or(f64::NAN, |r| r.1);
        let text = format!(
            "{}iteration {}  F {:.6e}  residual {residual:.1e}  ‖X−Y‖/‖X‖ {:.1e}  γ {:.3e}  {rate:.0}/s  {}",
            self.label,
            record.iteration,
            record.split_objective,
            record.asymmetry,
            record.gamma,
            left(self.seconds_left(record)),
        );
        self.line.draw(record.seconds, &text);
    }

    /// The smaller of what the limits allow and what the decay of the residual promises.
    fn seconds_left(&self, now: &Record) -> Option<f64> {
        let per_iteration = now.seconds / now.iteration.max(1) as f64;
        let iterations =
            self.stop.max_iterations.saturating_sub(now.iteration) as f64 * per_iteration;
        let time = self.stop.time_limit.map(|limit| limit.as_secs_f64() - now.seconds);
        // Decay over the later half of the run: the beginning is not typical.
        let decay = self.residuals.get(self.residuals.len() / 2).zip(self.residuals.last());
        let decay = decay.and_then(|(then, last)| {
            let rate = (then.1 / last.1).ln() / (last.0 - then.0);
            let left = (last.1 / self.stop.stationarity).ln() / rate;
            (rate > 0.0 && left.is_finite()).then(|| left.max(0.0))
        });
        [Some(iterations), time, decay].into_iter().flatten().min_by(f64::total_cmp)
    }
}

impl Observer for Watch {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        let record = Record { seconds: record.seconds + self.before, ..record.clone() };
        if let Some(stationarity) = record.stationarity {
            let scaled = record.asymmetry * self.stop.stationarity / self.stop.asymmetry;
            self.residuals.push((record.seconds, stationarity.max(scaled)));
        }
        if self.line.is_due(record.seconds) {
            self.draw(&record);
        }
        self.trace.push(record);
        if self.interrupted.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn starting(&mut self, share: f64, seconds: f64) -> ControlFlow<()> {
        if self.line.is_due(seconds) {
            let text = format!(
                "{}making the start, {:.0} %  {}",
                self.label,
                100.0 * share,
                left(Some(seconds / share - seconds)),
            );
            self.line.draw(seconds, &text);
        }
        if self.interrupted.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn wants_checkpoint(&mut self, record: &Record) -> bool {
        let due = record.iteration > 0 && record.iteration.is_multiple_of(CHECKPOINT_EVERY);
        due && self.save.is_some()
    }

    fn checkpoint(&mut self, checkpoint: Checkpoint) {
        if let Some(save) = &mut self.save {
            save(checkpoint, &self.trace);
        }
    }
}
