//! Runs on scarce data: near as many observations as unknowns, factors of the rank itself get stuck.

use gramfold::{
    Error, Loss, Observer, Problem, Quiet, Solution, Spec, factorise,
    linalg::{Gram, Mat, symmetric_eigen},
    registry::Component,
    regulariser::Ridge,
    solve,
    start::Start,
};

use crate::largest_ridge;

/// Observations for each unknown from which a run needs no help. Four were enough in all of 18 problems of three shapes, three in
/// half of six.
const ENOUGH: f64 = 4.5;

/// Columns that are added.
const WIDER: usize = 3;

/// The ridge of the wider factor, as a share of the least one whose answer is X = 0.
const SHARE: f64 = 1e-3;

/// The wider factor is found to this tolerance …
const ROUGH: f64 = 1e-5;

/// … in at most so many steps: where the data have an answer, a few dozen do.
const STEPS: usize = 100;

/// Runs what a spec describes, from `start` where there is one, unless the spec asks for another. Where observations are scarce and
/// no ridge makes up for that, a wider factor with a small ridge is found first, and the run starts from its leading directions.
pub fn fit(
    problem: &Problem<'_>,
    spec: &Spec,
    ridge: f64,
    oversampling: f64,
    start: Option<&Mat>,
    observer: &mut dyn Observer,
) -> Result<Solution, Error> {
    if let Some(start) = start.filter(|_| spec.start == Start::Spectral) {
        return solve(problem, spec.method()?, start, observer);
    }
    if oversampling >= ENOUGH || spec.start != Start::Spectral {
        return factorise(problem, spec, observer);
    }
    let small = SHARE * largest_ridge(problem.loss);
    if ridge >= small {
        return factorise(problem, spec, observer);
    }
    match wider(problem.loss, spec, small, observer)? {
        Some(start) => solve(problem, spec.method()?, &start, observer),
        None => factorise(problem, spec, observer),
    }
}

/// The leading directions of a wider factor; none if it was stopped.
fn wider(
    loss: &dyn Loss,
    spec: &Spec,
    lambda: f64,
    observer: &mut dyn Observer,
) -> Result<Option<Mat>, Error> {
    let ridge = Ridge::new(lambda)?;
    let rank = (spec.rank + WIDER).min(loss.dim());
    let mut wide = Spec { rank, algorithm: Component::named("gauss-newton"), ..spec.clone() };
    wide.stop = wide.stop.tolerance(ROUGH).max_iterations(STEPS);
    let problem = Problem::new(loss, &ridge, rank)?;
    let mut quiet = Quiet::new(observer, STEPS);
    let found = factorise(&problem, &wide, &mut quiet)?.factor;
    if quiet.stopped() {
        return Ok(None);
    }
    Ok(leading(&found, spec.rank))
}

/// The best factor with fewer columns, on its principal axes.
fn leading(x: &Mat, rank: usize) -> Option<Mat> {
    let wide = x.cols();
    let eigen = symmetric_eigen(Gram::new(wide).of(x, x))?;
    Some(Mat::from_fn(x.rows(), rank, |i, j| {
        let axis = eigen.vectors.row(wide - 1 - j);
        x.row(i).iter().zip(axis).map(|(x, axis)| x * axis).sum()
    }))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use crate::{Completion, Model, Observations};

    use super::*;

    /// Three times, and twice, as many entries as unknowns are enough.
    #[test]
    fn scarce_entries_are_enough() {
        let (n, rank) = (150, 3);
        for (times, seed) in [(3.0, 0_u64), (3.0, 1), (3.0, 2), (2.2, 3), (2.2, 4)] {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let truth = Mat::from_fn(n, rank, |_, _| 2.0 * random.random::<f64>() - 1.0);
            let entry = |i: usize, j: usize| {
                truth.row(i).iter().zip(truth.row(j)).map(|(a, b)| a * b).sum::<f64>()
            };
            let unknowns = (n * rank - rank * (rank - 1) / 2) as f64;
            let share = times * unknowns / (n * (n + 1) / 2) as f64;
            let places: Vec<(u32, u32)> = (0..n as u32)
                .flat_map(|i| (i..n as u32).map(move |j| (i, j)))
                .filter(|_| random.random::<f64>() < share)
                .collect();
            let values = places.iter().map(|&(i, j)| entry(i as usize, j as usize)).collect();
            let observed = Observations { dim: n, places, values };
            let counts = observed.counts();
            let loss = Component::named("square");
            let model = Model { loss, rank, ridge: 0.0, shrinkage: None };
            let base = Spec { start: Start::Spectral, ..Spec::default() };
            let fit = Completion::fit(&observed, &model, &base, &mut ()).unwrap();
            let (mut off, mut all) = (0.0, 0.0);
            // Nodes with hardly more entries than unknowns may have two answers.
            let sure: Vec<usize> = (0..n).filter(|&i| counts[i] > rank + 1).collect();
            for &i in &sure {
                for &j in &sure {
                    off += (fit.predict(i, j) - entry(i, j)).powi(2);
                    all += entry(i, j).powi(2);
                }
            }
            assert!(off < 1e-6 * all, "{times} times, seed {seed}: {}", (off / all).sqrt());
        }
    }
}
