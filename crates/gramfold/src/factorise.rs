//! A run from its start on, as a [`Spec`] describes it.

use std::{ops::ControlFlow, time::Instant};

use gramfold_linalg::Mat;

use crate::{
    Error, Observer, Problem, Record, Solution, Spec,
    solve::{Progress, begin},
    start::{self, Start},
};

/// Makes the start that `spec` names and solves from it. Time and products of the start count, and a spectral one is
/// watched while it is made: record 0 is then shown twice, for the random factor that it is made from, which is
/// the answer of a run that is stopped this early, and for the start itself.
pub fn factorise(
    problem: &Problem<'_>,
    spec: &Spec,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    let clock = Instant::now();
    let method = spec.method()?;
    let (x, products) = match spec.start {
        Start::Random => (start::random(problem, spec.seed), 1.0),
        Start::Spectral => watched(problem, spec, clock, observer)?,
    };
    let past = Progress::after(products, clock.elapsed().as_secs_f64());
    begin(problem, method, x.clone(), x, past, observer)
}

/// The spectral start and its products; the random one that it is made from where the observer or the clock stops it.
fn watched(
    problem: &Problem<'_>,
    spec: &Spec,
    clock: Instant,
    observer: &mut dyn Observer,
) -> Result<(Mat, f64), Error> {
    let block = start::Block::draw(problem, spec.seed);
    let random = block.random(problem);
    let seconds = || clock.elapsed().as_secs_f64();
    if let Some((factor, loss)) = &random {
        let record = Record::of_start(*loss, factor.norm(), block.products(), seconds());
        if observer.observe(&record).is_break() {
            return Ok((factor.clone(), block.products()));
        }
    }
    let limit = spec.stop.time_limit.map_or(f64::INFINITY, |limit| limit.as_secs_f64());
    let mut products = block.products();
    let mut go_on = |share: f64, so_far: f64| {
        products = so_far;
        let now = seconds();
        if now >= limit { ControlFlow::Break(()) } else { observer.starting(share, now) }
    };
    match (block.leading(problem, &mut go_on)?, random) {
        (Some(factor), _) | (None, Some((factor, _))) => Ok((factor, products)),
        (None, None) => Ok((start::random(problem, spec.seed), products + 1.0)),
    }
}
