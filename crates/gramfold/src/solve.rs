//! Algorithm 1 of the paper: alternate over convex blocks, update γ, fold.

use std::time::Instant;

use gramfold_linalg::Mat;

use crate::{
    Algorithm, Certificate, Checkpoint, Error, Memory, Observer, PenaltyRule, Problem, Record,
    Split, Status, Stop,
    loss::PRECISE,
    split::{larger, mean, relative},
    stop::Divergence,
};

/// Stationarity costs about as much as a sweep: far from convergence measure it this often.
const MEASURE_EVERY: usize = 10;

/// How to solve: who moves the factors, who sets γ, and when to stop.
pub struct Method {
    /// Lines 3 and 4 of Algorithm 1.
    pub algorithm: Box<dyn Algorithm>,
    /// Line 5.
    pub rule: Box<dyn PenaltyRule>,
    /// Line 6.
    pub stop: Stop,
}

/// What a run returns.
#[derive(Clone, Debug)]
pub struct Solution {
    /// ½(X + Y), the answer.
    pub factor: Mat,
    /// The last X.
    pub x: Mat,
    /// The last Y.
    pub y: Mat,
    /// The last γ.
    pub gamma: f64,
    /// How the run ended.
    pub status: Status,
    /// The record of the last iteration.
    pub last: Record,
}

impl Solution {
    /// Proves what can be proved of this solution, from its factors and γ alone.
    pub fn certify(&self, problem: &Problem<'_>, tolerance: f64) -> Result<Certificate, Error> {
        Certificate::of(problem, &self.x, &self.y, self.gamma, tolerance)
    }

    /// The same in reasonable time: where the clock or the user `stopped` a large run, a [`Certificate::brief`] one.
    pub fn certify_in_time(
        &self,
        problem: &Problem<'_>,
        tolerance: f64,
        stopped: bool,
    ) -> Result<Certificate, Error> {
        if stopped && problem.dim() > PRECISE {
            Certificate::brief(problem, &self.x, &self.y, self.gamma, tolerance)
        } else {
            self.certify(problem, tolerance)
        }
    }
}

/// Solves from X₀ = Y₀ = `start`.
pub fn solve(
    problem: &Problem<'_>,
    method: Method,
    start: &Mat,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    solve_from(problem, method, start.clone(), start.clone(), observer)
}

/// Solves from any X₀ and Y₀.
pub fn solve_from(
    problem: &Problem<'_>,
    method: Method,
    x: Mat,
    y: Mat,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    let clock = Instant::now();
    let split = Split::new(problem, x, y, 0.0)?;
    begin(split, method, Progress::after(0, clock.elapsed().as_secs_f64()), observer)
}

/// The same for a run that has a past: the making of its start.
pub(crate) fn begin(
    mut split: Split<'_>,
    mut method: Method,
    past: Progress,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    let clock = Instant::now();
    method.algorithm.check(split.problem())?;
    method.rule.check(split.problem())?;
    let gamma = method.rule.initial(&split); // line 1
    split.set_gamma(gamma);
    let progress = Progress { reference: split.size(), ..past };
    Ok(run(split, method, progress, clock, false, observer))
}

/// Goes on from a checkpoint as if the run had not stopped; the method must be the same.
pub fn resume(
    problem: &Problem<'_>,
    mut method: Method,
    checkpoint: Checkpoint,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    let clock = Instant::now();
    method.algorithm.check(problem)?;
    method.rule.check(problem)?;
    let Checkpoint { iteration, change, reference, columns, seconds, .. } = checkpoint;
    let mut split = Split::new(problem, checkpoint.x, checkpoint.y, checkpoint.gamma)?;
    split.recall(&checkpoint.evaluation);
    method.algorithm.recall(&checkpoint.algorithm);
    method.rule.recall(&checkpoint.rule);
    // The new evaluation has multiplied both factors, which the run had already counted.
    let columns = columns.wrapping_sub(split.columns_multiplied());
    let progress = Progress { iteration, change, reference, columns, seconds };
    Ok(run(split, method, progress, clock, true, observer))
}

/// What a run knows of its past.
#[derive(Clone, Copy, Default)]
pub(crate) struct Progress {
    iteration: usize,
    change: Option<f64>,
    reference: f64,
    /// Columns multiplied by the data matrix before the present evaluation, which counts its own; modulo 2⁶⁴.
    columns: u64,
    seconds: f64,
}

impl Progress {
    /// A run that has not begun, but whose start took something to make.
    pub(crate) fn after(columns: u64, seconds: f64) -> Self {
        Self { columns, seconds, ..Self::default() }
    }

    /// Columns multiplied in all.
    fn columns(&self, split: &Split<'_>) -> u64 {
        self.columns.wrapping_add(split.columns_multiplied())
    }
}

/// The loop. A resumed run has already measured and shown its first point.
fn run(
    mut split: Split<'_>,
    method: Method,
    mut progress: Progress,
    clock: Instant,
    resumed: bool,
    observer: &mut dyn Observer,
) -> Solution {
    let Method { mut algorithm, mut rule, stop } = method;
    let mut previous = (split.x().clone(), split.y().clone());
    let mut known = resumed;
    loop {
        // line 2
        if !known {
            let record = measure(&mut split, &stop, &progress, rule.threshold(), clock);
            let (x, y) = split.norms();
            let size = x.max(y);
            let interrupted = observer.observe(&record).is_break();
            // A run at rest that has something left to try is still bound by its limits.
            let status = stop
                .check(&record, size, progress.reference)
                .filter(|status| !goes_on(*status, &mut split, &*algorithm, &mut *rule))
                .or_else(|| stop.limit(&record))
                .or(interrupted.then_some(Status::Interrupted));
            let ended = status.is_some_and(Status::is_an_end);
            if !ended && observer.wants_checkpoint(&record) {
                observer.checkpoint(remember(&split, &*algorithm, &*rule, &progress, &record));
            }
            if let Some(status) = status {
                let last = if algorithm.retreat(&mut split) {
                    // To a finite point, whatever the trial came to.
                    previous.0.copy_from(split.x());
                    previous.1.copy_from(split.y());
                    let last = measure(&mut split, &stop, &progress, rule.threshold(), clock);
                    let _ = observer.observe(&last); // It ends either way.
                    last
                } else {
                    record
                };
                return finish(&split, &previous, status, last); // lines 6 and 7
            }
        }
        known = false;

        // Comparing costs four passes over the factors: worth it near the end, now and then, and
        // where a run that runs away needs its last finite iterate.
        let compare = split.asymmetry() <= 10.0 * stop.asymmetry
            || split.size() > 10.0 * progress.reference
            || (progress.iteration + 1).is_multiple_of(MEASURE_EVERY);
        if compare {
            previous.0.copy_from(split.x());
            previous.1.copy_from(split.y());
        }
        algorithm.advance(&mut split); // lines 3 and 4
        progress.change = compare.then(|| {
            let moved = split.x().distance(&previous.0).max(split.y().distance(&previous.1));
            relative(moved, split.size())
        });
        let gamma = rule.update(&split); // line 5
        split.set_gamma(gamma);
        progress.iteration += 1;
    }
}

/// Whether a run that has come to rest has something left to try: an algorithm that is not settled, or a γ that is
/// found to be too small after all.
fn goes_on(
    status: Status,
    split: &mut Split<'_>,
    algorithm: &dyn Algorithm,
    rule: &mut dyn PenaltyRule,
) -> bool {
    if !matches!(status, Status::Converged | Status::Stalled) {
        return false;
    }
    if !algorithm.is_settled() {
        return true;
    }
    let larger = if status == Status::Converged { rule.confirm(split) } else { None };
    larger.inspect(|gamma| split.set_gamma(*gamma)).is_some()
}

fn remember(
    split: &Split<'_>,
    algorithm: &dyn Algorithm,
    rule: &dyn PenaltyRule,
    progress: &Progress,
    record: &Record,
) -> Checkpoint {
    let mut checkpoint = Checkpoint {
        iteration: progress.iteration,
        x: split.x().clone(),
        y: split.y().clone(),
        gamma: split.gamma(),
        change: progress.change,
        reference: progress.reference,
        columns: progress.columns(split),
        seconds: record.seconds,
        evaluation: Memory::default(),
        algorithm: Memory::default(),
        rule: Memory::default(),
    };
    split.remember(&mut checkpoint.evaluation);
    algorithm.remember(&mut checkpoint.algorithm);
    rule.remember(&mut checkpoint.rule);
    checkpoint
}

fn measure(
    split: &mut Split<'_>,
    stop: &Stop,
    progress: &Progress,
    threshold: Option<f64>,
    clock: Instant,
) -> Record {
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
    if let Some(of_split) = stationarity.filter(|of_split| asked && *of_split <= stop.stationarity)
    {
        stationarity = Some(larger(of_split, split.unsplit_stationarity()));
    }
    Record {
        iteration,
        loss: split.loss(),
        split_objective: split.objective(),
        gamma: split.gamma(),
        threshold,
        norm: split.norms().0,
        distance: split.distance(),
        asymmetry,
        stationarity,
        change,
        products: progress.columns(split) as f64 / split.problem().rank as f64,
        seconds: progress.seconds + clock.elapsed().as_secs_f64(),
    }
}

fn finish(split: &Split<'_>, previous: &(Mat, Mat), status: Status, last: Record) -> Solution {
    let finite = status != Status::Diverged(Divergence::NotFinite);
    let (x, y) = if finite { (split.x().clone(), split.y().clone()) } else { previous.clone() };
    Solution { factor: mean(&x, &y), x, y, gamma: last.gamma, status, last }
}
