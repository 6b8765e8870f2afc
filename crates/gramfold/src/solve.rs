//! Algorithm 1 of the paper: alternate over convex blocks, update γ, fold.

mod columns;
mod exchange;
mod run;

use std::time::Instant;

use gramfold_linalg::Mat;

use crate::{
    Algorithm, Certificate, Checkpoint, Error, Observer, PenaltyRule, Problem, Record, Split,
    Status, Stop, certificate::never, loss::PRECISE,
};

pub(crate) use run::Progress;
use run::Run;

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
        self.certify_until(problem, tolerance, stopped, &never)
    }

    /// The same, and [`Certificate::brief`] too where `stop` says so on the way.
    pub fn certify_until(
        &self,
        problem: &Problem<'_>,
        tolerance: f64,
        stopped: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Certificate, Error> {
        let (x, y, gamma) = (&self.x, &self.y, self.gamma);
        if stopped && problem.dim() > PRECISE {
            Certificate::brief(problem, x, y, gamma, tolerance)
        } else {
            Certificate::within(problem, x, y, gamma, tolerance, stop)
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
    Ok(drive(Run::new(split, method, progress, clock), observer))
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
    let Checkpoint { x, y, gamma, mut progress, evaluation, algorithm, rule, exchange } =
        checkpoint;
    let mut split = Split::new(problem, x, y, gamma)?;
    split.recall(&evaluation);
    method.algorithm.recall(&algorithm);
    method.rule.recall(&rule);
    // The new evaluation has multiplied both factors, which the run had already counted.
    progress.columns = progress.columns.wrapping_sub(split.columns_multiplied());
    Ok(drive(Run::new(split, method, progress, clock).resumed(&exchange), observer))
}

/// Runs, and where the algorithm asks for it, exchanges columns of runs that came to rest.
fn drive(mut run: Run<'_>, observer: &mut dyn Observer) -> Solution {
    loop {
        run.exchange();
        if let Some((status, record)) = iterate(&mut run, observer) {
            return run.end(status, record, observer); // lines 6 and 7
        }
    }
}

/// The loop, until the run ends or pauses for an exchange.
fn iterate(run: &mut Run<'_>, observer: &mut dyn Observer) -> Option<(Status, Record)> {
    loop {
        if !run.is_shown {
            let record = run.measure(); // line 2
            let status = run.status(&record, observer);
            run.is_shown = true;
            if !status.is_some_and(Status::is_an_end) && observer.wants_checkpoint(&record) {
                observer.checkpoint(run.remember(&record));
            }
            if let Some(status) = status {
                return Some((status, record));
            }
            if run.pauses() {
                return None;
            }
        }
        let compared = run.keep();
        run.method.algorithm.advance(&mut run.split); // lines 3 and 4
        run.progress.change = compared.then(|| run.change());
        let gamma = run.method.rule.update(&run.split); // line 5
        run.split.set_gamma(gamma);
        run.progress.iteration += 1;
        run.is_shown = false;
    }
}
