//! Algorithm 1 of the paper: alternate over convex blocks, update γ, fold.

use std::time::Instant;

use gramfold_linalg::Mat;

use crate::{
    Algorithm, Certificate, Error, Observer, PenaltyRule, Problem, Record, Split, Status, Stop,
    split::relative, stop::Divergence,
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
    let Method { mut algorithm, mut rule, stop } = method;
    algorithm.check(problem)?;
    rule.check(problem)?;

    let clock = Instant::now();
    let mut split = Split::new(problem, x, y, 0.0)?; // line 1
    let gamma = rule.initial(&split);
    split.set_gamma(gamma);
    let reference = split.size();
    let mut previous = (split.x().clone(), split.y().clone());
    let mut change = None;

    for iteration in 0.. {
        // line 2
        let record = measure(&mut split, &stop, iteration, change, rule.threshold(), clock);
        let size = split.x().norm().max(split.y().norm());
        let interrupted = observer.observe(&record).is_break();
        let status =
            stop.check(&record, size, reference).or(interrupted.then_some(Status::Interrupted));
        if let Some(status) = status {
            return Ok(finish(&split, &previous, status, record)); // lines 6 and 7
        }

        previous.0.copy_from(split.x());
        previous.1.copy_from(split.y());
        algorithm.advance(&mut split); // lines 3 and 4
        let moved = split.x().distance(&previous.0).max(split.y().distance(&previous.1));
        change = Some(relative(moved, split.size()));
        let gamma = rule.update(&split); // line 5
        split.set_gamma(gamma);
    }
    unreachable!("invariant: the iteration limit ends the loop")
}

fn measure(
    split: &mut Split<'_>,
    stop: &Stop,
    iteration: usize,
    change: Option<f64>,
    threshold: Option<f64>,
    clock: Instant,
) -> Record {
    let (loss, distance) = (split.loss(), split.x().distance(split.y()));
    let asymmetry = relative(distance, split.size());
    let still = change.is_some_and(|change| change <= 10.0 * stop.stationarity);
    let near = asymmetry <= stop.asymmetry && still;
    let due = near || iteration.is_multiple_of(MEASURE_EVERY);
    let wanted = due && stop.stationarity < f64::INFINITY;
    Record {
        iteration,
        loss,
        split_objective: split.objective_with(loss, distance),
        gamma: split.gamma(),
        threshold,
        norm: split.x().norm(),
        distance,
        asymmetry,
        stationarity: wanted.then(|| split.stationarity()),
        change,
        products: split.products(),
        seconds: clock.elapsed().as_secs_f64(),
    }
}

fn finish(split: &Split<'_>, previous: &(Mat, Mat), status: Status, last: Record) -> Solution {
    let finite = status != Status::Diverged(Divergence::NotFinite);
    let (x, y) = if finite { (split.x().clone(), split.y().clone()) } else { previous.clone() };
    let mut factor = x.clone();
    factor.zip(&y, |x, y| 0.5 * (x + y));
    Solution { factor, x, y, gamma: split.gamma(), status, last }
}
