//! What the spectral rule costs: its share of the run time on a dense random 2000×2000 matrix,
//! rank 20, nonnegative. Run with `cargo bench -p gramfold --bench spectral`; fails above 5 %.

#![allow(clippy::print_stdout)] // A benchmark reports to the terminal.

use std::{
    process::ExitCode,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use gramfold::{
    Method, PenaltyRule, Problem, Split, Stop,
    algorithm::Alternating,
    linalg::{Dense, Mat},
    loss::Quadratic,
    penalty::Spectral,
    regulariser::Nonnegative,
    solve, start,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A rule whose time is added up.
struct Timed {
    rule: Spectral,
    spent: Arc<Mutex<Duration>>,
}

impl Timed {
    fn time(&mut self, work: impl FnOnce(&mut Spectral) -> f64) -> f64 {
        let clock = Instant::now();
        let gamma = work(&mut self.rule);
        *self.spent.lock().expect("invariant: one thread") += clock.elapsed();
        gamma
    }
}

impl PenaltyRule for Timed {
    fn name(&self) -> &'static str {
        "timed"
    }

    fn initial(&mut self, split: &Split<'_>) -> f64 {
        self.time(|rule| rule.initial(split))
    }

    fn update(&mut self, split: &Split<'_>) -> f64 {
        self.time(|rule| rule.update(split))
    }
}

fn main() -> ExitCode {
    let (n, rank, iterations) = (2000, 20, 200);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let matrix = Dense::symmetrised(Mat::from_fn(n, n, |_, _| random.random()));
    let loss = Quadratic::new(matrix);
    let problem = Problem::new(&loss, &Nonnegative, rank).expect("the rank fits");
    let start = start::random(&problem, 1);
    let mut worst = 0.0_f64;
    for _ in 0..3 {
        let spent = Arc::new(Mutex::new(Duration::ZERO));
        let rule = Timed { rule: Spectral::new(0.1, 0.3), spent: Arc::clone(&spent) };
        let stop = Stop::default().tolerance(1e-12).max_iterations(iterations);
        let method =
            Method { algorithm: Box::new(Alternating::ham(1)), rule: Box::new(rule), stop };
        let clock = Instant::now();
        let solution = solve(&problem, method, &start, &mut ()).expect("the problem is sound");
        let total = clock.elapsed();
        let spent = *spent.lock().expect("invariant: one thread");
        let share = spent.as_secs_f64() / total.as_secs_f64();
        worst = worst.max(share);
        println!(
            "{} iterations in {total:.2?}, of which the spectral rule {spent:.2?}: {:.1} %",
            solution.last.iteration,
            100.0 * share
        );
    }
    ExitCode::from(u8::from(worst > 0.05))
}
