//! The state of a run, and what the loop asks of it.

use std::time::Instant;

use gramfold_linalg::Mat;
use serde::{Deserialize, Serialize};

use super::{Method, Solution, exchange::Exchange};
use crate::{
    Checkpoint, Memory, Observer, Record, Split, Status,
    split::{larger, mean, relative},
    stop::Divergence,
};

/// Stationarity costs about as much as a sweep: far from convergence measure it this often.
const MEASURE_EVERY: usize = 10;

/// What a run knows of its past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    /// Completed iterations.
    pub(crate) iteration: usize,
    /// By how much the last iteration moved the factors, relative to their size, where it was compared.
    pub(super) change: Option<f64>,
    /// The size of the first factors.
    pub(super) reference: f64,
    /// Columns multiplied by the data matrix before the present evaluation, which counts its own; modulo 2⁶⁴.
    pub(super) columns: u64,
    pub(super) seconds: f64,
}

impl Progress {
    /// A run that has not begun, but whose start took something to make.
    pub(crate) fn after(columns: u64, seconds: f64) -> Self {
        Self { columns, seconds, ..Self::default() }
    }
}

/// A run under way.
pub(super) struct Run<'p> {
    pub(super) split: Split<'p>,
    pub(super) method: Method,
    pub(super) progress: Progress,
    /// The factors that the last comparison began with; no Y where it was X.
    previous: (Mat, Option<Mat>),
    /// Whether the algorithm says how far it goes, so that they were not kept.
    told: bool,
    /// Whether the present point has been measured and shown.
    pub(super) is_shown: bool,
    exchange: Option<Exchange>,
    clock: Instant,
}

impl<'p> Run<'p> {
    pub(super) fn new(
        split: Split<'p>,
        method: Method,
        progress: Progress,
        clock: Instant,
    ) -> Self {
        let previous = (split.x().clone(), (!split.is_folded()).then(|| split.y().clone()));
        let exchange = method.algorithm.exchanges().then(Exchange::new);
        Self { split, method, progress, previous, told: false, is_shown: false, exchange, clock }
    }

    /// A run that is gone on with has measured and shown its first point before.
    pub(super) fn resumed(mut self, exchange: &Memory) -> Self {
        self.is_shown = true;
        self.exchange = self.exchange.map(|_| Exchange::recall(exchange));
        self
    }

    /// Whether an exchange is to be looked for here.
    pub(super) fn pauses(&self) -> bool {
        self.exchange.as_ref().is_some_and(|exchange| exchange.is_due(self.progress.iteration))
    }

    /// Exchanges columns, or takes that back, where it is time to.
    pub(super) fn exchange(&mut self) {
        let iteration = self.progress.iteration;
        if self.pauses()
            && let Some(exchange) = &mut self.exchange
            && exchange.look(&mut self.split, iteration)
        {
            self.method.algorithm.forget(self.split.problem());
        }
    }

    /// Columns multiplied in all.
    fn columns(&self) -> u64 {
        self.progress.columns.wrapping_add(self.split.columns_multiplied())
    }

    /// Keeps the factors where they are to be compared with the next ones, and says whether they are. That costs four
    /// passes over them: worth it near the end, now and then, and where a run that runs away needs its last
    /// finite iterate.
    pub(super) fn keep(&mut self) -> bool {
        let compared = self.split.asymmetry() <= 10.0 * self.method.stop.asymmetry
            || self.split.size() > 10.0 * self.progress.reference
            || (self.progress.iteration + 1).is_multiple_of(MEASURE_EVERY);
        self.told = self.split.is_folded() && self.method.algorithm.step().is_some();
        if compared && !self.told {
            self.keep_factors();
        }
        compared
    }

    fn keep_factors(&mut self) {
        self.previous.0.copy_from(self.split.x());
        if self.split.is_folded() {
            self.previous.1 = None;
        } else if let Some(y) = &mut self.previous.1 {
            y.copy_from(self.split.y());
        } else {
            self.previous.1 = Some(self.split.y().clone());
        }
    }

    /// How far the factors have moved from those that were kept, relative to their size.
    pub(super) fn change(&self) -> f64 {
        if let Some(step) = self.method.algorithm.step().filter(|_| self.told) {
            return relative(step, self.split.size());
        }
        let (x, y) = &self.previous;
        let of_x = self.split.x().distance(x);
        let folded = y.is_none() && self.split.is_folded();
        let y = y.as_ref().unwrap_or(x);
        let of_y = if folded { of_x } else { self.split.y().distance(y) };
        relative(of_x.max(of_y), self.split.size())
    }

    /// Measures the present point.
    pub(super) fn measure(&mut self) -> Record {
        let Self { split, method, progress, .. } = self;
        let stop = &method.stop;
        let Progress { iteration, change, .. } = *progress;
        let asymmetry = split.asymmetry();
        let still = change.is_some_and(|change| change <= 10.0 * stop.stationarity);
        let near = asymmetry <= stop.asymmetry && still;
        // The start is judged only where it is also the end.
        let last = iteration == 0 && stop.max_iterations == 0;
        let due = near || last || iteration > 0 && iteration.is_multiple_of(MEASURE_EVERY);
        let wanted = due && stop.stationarity < f64::INFINITY;
        let mut stationarity = wanted.then(|| split.stationarity());
        // Who asks for X = Y asks for a critical point of the problem itself.
        let asked = stop.asymmetry < f64::INFINITY && asymmetry <= stop.asymmetry;
        if let Some(of_split) =
            stationarity.filter(|of_split| asked && *of_split <= stop.stationarity)
        {
            stationarity = Some(larger(of_split, split.unsplit_stationarity()));
        }
        Record {
            iteration,
            loss: split.loss(),
            split_objective: split.objective(),
            gamma: split.gamma(),
            threshold: method.rule.threshold(),
            norm: split.norms().0,
            distance: split.distance(),
            asymmetry,
            stationarity,
            change,
            products: self.columns() as f64 / self.split.problem().rank as f64,
            seconds: self.progress.seconds + self.clock.elapsed().as_secs_f64(),
        }
    }

    /// Shows the record and says whether the run ends here. A run at rest that has something left to try is still
    /// bound by its limits.
    pub(super) fn status(
        &mut self,
        record: &Record,
        observer: &mut dyn Observer,
    ) -> Option<Status> {
        let interrupted = observer.observe(record).is_break();
        let (x, y) = self.split.norms();
        let stop = &self.method.stop;
        let limit = stop.limit(record);
        stop.check(record, x.max(y), self.progress.reference)
            .filter(|status| !self.goes_on(*status))
            .or(limit)
            .or(interrupted.then_some(Status::Interrupted))
    }

    /// Whether a run that has come to rest has something left to try: an exchange, or a γ that is found to be too small
    /// after all.
    fn goes_on(&mut self, status: Status) -> bool {
        let Self { split, method, exchange, progress, .. } = self;
        let mut rested = || exchange.as_mut().is_some_and(|e| e.rested(progress.iteration));
        match status {
            Status::Converged | Status::Stalled if rested() => true,
            Status::Converged => {
                let larger = method.rule.confirm(split);
                larger.inspect(|gamma| split.set_gamma(*gamma)).is_some()
            }
            _ => false,
        }
    }

    /// All that the run needs to go on.
    pub(super) fn remember(&self, record: &Record) -> Checkpoint {
        let Self { split, method, .. } = self;
        let columns = self.columns();
        let mut checkpoint = Checkpoint {
            x: split.x().clone(),
            y: split.y().clone(),
            gamma: split.gamma(),
            progress: Progress { columns, seconds: record.seconds, ..self.progress },
            evaluation: Memory::default(),
            algorithm: Memory::default(),
            rule: Memory::default(),
            exchange: Memory::default(),
        };
        split.remember(&mut checkpoint.evaluation);
        method.algorithm.remember(&mut checkpoint.algorithm);
        method.rule.remember(&mut checkpoint.rule);
        if let Some(exchange) = &self.exchange {
            exchange.remember(&mut checkpoint.exchange);
        }
        checkpoint
    }

    /// The answer, after an exchange that was being tried has been taken back.
    pub(super) fn end(
        mut self,
        status: Status,
        mut last: Record,
        observer: &mut dyn Observer,
    ) -> Solution {
        let (trial, iteration) = (self.exchange.as_mut(), self.progress.iteration);
        if trial.is_some_and(|exchange| exchange.retreat(&mut self.split, iteration)) {
            self.keep_factors(); // To a finite point, whatever the trial came to.
            last = self.measure();
            let _ = observer.observe(&last); // It ends either way.
        }
        let Self { split, method, previous, .. } = self;
        drop(method); // And the room of its algorithm: factors are copied here.
        let (x, y) = if status == Status::Diverged(Divergence::NotFinite) {
            let (x, y) = previous;
            let y = y.unwrap_or_else(|| x.clone());
            (x, y)
        } else {
            drop(previous);
            split.into_factors()
        };
        Solution { factor: mean(&x, &y), x, y, gamma: last.gamma, status, last }
    }
}
