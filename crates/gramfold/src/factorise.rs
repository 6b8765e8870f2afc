//! A run from its start on, as a [`Spec`] describes it.

use std::{ops::ControlFlow, time::Instant};

use gramfold_linalg::Mat;

use crate::{
    Error, Observer, Problem, Record, Solution, Spec, Split, homotopy,
    solve::{Progress, begin},
    start::{self, Start},
};

/// Makes the start that `spec` names and solves from it. Time and products of the start count, and a spectral one is
/// watched while it is made: record 0 is then shown twice, for the first eigenvector alone, which is the answer of a run
/// that is stopped this early, and for the start itself.
///
/// A loss whose kinks are rounded off is smoothed more at the start, and less run by run.
pub fn factorise(
    problem: &Problem<'_>,
    spec: &Spec,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    let clock = Instant::now();
    let Some(x) = homotopy::start(problem, spec, observer, plain)? else {
        return plain(problem, spec, observer);
    };
    let split = Split::new(problem, x.clone(), x, 0.0)?;
    begin(split, spec.method()?, Progress::after(0, clock.elapsed().as_secs_f64()), observer)
}

/// The same for the loss as it is.
fn plain(
    problem: &Problem<'_>,
    spec: &Spec,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    let clock = Instant::now();
    let method = spec.method()?;
    let (x, columns) = match spec.start {
        _ if vanishes(problem) => (Mat::zeros(problem.dim(), problem.rank), 0),
        Start::Random => (start::random(problem, spec.seed), problem.rank as u64),
        Start::Spectral => watched(problem, spec, clock, observer)?,
    };
    let mut split = Split::new(problem, x.clone(), x, 0.0)?;
    // A start from measurements has its scale already.
    if spec.start == Start::Spectral
        && problem.sees_all()
        && split.norms().0 > 0.0
        && !split.rescale()
    {
        let mut x = split.x().clone();
        start::fit(problem, &mut x);
        split.replace(x, None);
    }
    let past = Progress::after(columns, clock.elapsed().as_secs_f64());
    begin(split, method, past, observer)
}

/// Whether X = 0 is the answer at sight: Z = 0 minimises f, since it is convex and ∇f(0) = 0, and X = 0 minimises h. A run
/// would only shrink its factor for ever, to no size that relative measures could hold on to.
fn vanishes(problem: &Problem<'_>) -> bool {
    let zero = Mat::zeros(problem.dim(), 1);
    if !problem.sees_all() {
        // One product mostly tells, without room for all that is measured.
        let (ones, mut pull) = (Mat::from_fn(problem.dim(), 1, |_, _| 1.0), zero.clone());
        problem.loss.pull(&ones, &mut pull);
        if pull.max_abs() > 0.0 {
            return false;
        }
    }
    if problem.loss.evaluation(1).gradient_norm(&zero, &zero) != 0.0 {
        return false;
    }
    let h = problem.regulariser;
    let mut moved = Mat::zeros(problem.dim(), problem.rank);
    h.prox(moved.as_mut_slice(), problem.rank, 1.0_f64.min(0.5 * h.longest_step()));
    h.sigma() >= 0.0 && moved.max_abs() == 0.0
}

/// The spectral start, but for its scale where the first evaluation gives it, and the columns it multiplied; what was known by then
/// where the observer or the clock stops it.
fn watched(
    problem: &Problem<'_>,
    spec: &Spec,
    clock: Instant,
    observer: &mut dyn Observer,
) -> Result<(Mat, u64), Error> {
    let begun = start::Spectral::begin(problem, spec.seed);
    let mut columns = begun.columns_multiplied();
    let seconds = || clock.elapsed().as_secs_f64();
    let rough = begun.rough();
    let seen = rough.as_ref().map_or(ControlFlow::Continue(()), |rough| {
        let products = columns as f64 / problem.rank as f64;
        observer.observe(&Record::folded(rough.loss, rough.norm, products, seconds()))
    });
    let limit = spec.stop.time_limit.map_or(f64::INFINITY, |limit| limit.as_secs_f64());
    let mut go_on = |share: f64, more: u64| {
        columns += more;
        let now = seconds();
        if now >= limit { ControlFlow::Break(()) } else { observer.starting(share, now) }
    };
    let finished = if seen.is_break() { None } else { begun.finish(&mut go_on)? };
    match (finished, rough) {
        (Some(factor), _) => Ok((factor, columns)),
        (None, Some(rough)) => Ok((rough.factor(problem.rank), columns)),
        (None, None) => Ok((start::random(problem, spec.seed), columns + problem.rank as u64)),
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Dense;

    use super::*;
    use crate::{Stop, loss::Quadratic, registry::Component};

    /// The scale that the first evaluation gives is the one that a product of its own would have given.
    #[test]
    fn a_run_begins_at_the_start_of_its_seed() {
        let entry = |i: usize, j: usize| if i / 3 == j / 3 { 1.0 } else { 0.2 };
        for (sign, rank) in [(1.0, 3), (-1.0, 2)] {
            let a = Mat::from_fn(9, 9, |i, j| sign * entry(i, j));
            let loss = Quadratic::new(Dense::symmetrised(a));
            for start in [Start::Spectral, Start::Random] {
                let regulariser = Component::named("nonnegative");
                let stop = Stop { max_iterations: 0, ..Stop::default() };
                let spec = Spec { rank, regulariser, start, stop, seed: 3, ..Spec::default() };
                let regulariser = spec.regulariser().unwrap();
                let problem = Problem::new(&loss, &*regulariser, rank).unwrap();
                let mut watch = |_: &Record| ControlFlow::Continue(());
                let run = factorise(&problem, &spec, &mut watch).unwrap();
                let start = start.factor(&problem, 3).unwrap();
                assert!(run.factor.distance(&start) <= 1e-12 * start.norm());
            }
        }
    }
}
