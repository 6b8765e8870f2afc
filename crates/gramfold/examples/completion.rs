//! How long matrix completion takes on one thread: `cargo run --release -p gramfold --example completion [ALGORITHM]`.
//!
//! A random XXᵀ is measured at a share of its entries, without noise or with gross errors in a tenth of them, and learnt back;
//! the error is over the whole matrix.

#![allow(clippy::print_stdout, reason = "it is a program")]

use cpu_time::ProcessTime;
use gramfold::{
    Error, Problem, Spec, factorise,
    linalg::{Gram, Mat},
    loss::{Composite, map::Entries},
    registry::{self, Component},
    regulariser::Zero,
    start::Start,
};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A problem: n, r, the share of pairs that is seen, the condition number, the share of gross errors.
struct Case(usize, usize, f64, f64, f64);

fn main() -> Result<(), Error> {
    let algorithm = std::env::args().nth(1).unwrap_or_else(|| "auto".into());
    let algorithm: Component = algorithm.parse().map_err(|message| Error::Data { message })?;
    let large = std::env::args().nth(2).is_some();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| Error::Data { message: error.to_string() })?;
    let mut cases = vec![
        Case(1000, 5, 0.1, 1.0, 0.0),
        Case(1000, 10, 0.2, 100.0, 0.0),
        Case(1000, 5, 0.1, 1.0, 0.1),
        Case(5000, 10, 0.05, 1.0, 0.0),
    ];
    if large {
        cases.push(Case(20_000, 20, 0.02, 1.0, 0.0));
    }
    println!(
        "     n   r     pairs  kappa  errors   build s   solve s  steps  products     error  status"
    );
    pool.install(|| cases.iter().try_for_each(|case| run(case, &algorithm)))
}

fn run(case: &Case, algorithm: &Component) -> Result<(), Error> {
    let &Case(n, r, share, kappa, wild) = case;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let size = |j: usize| kappa.powf(-0.5 * j as f64 / (r.max(2) - 1) as f64);
    let truth = Mat::from_fn(n, r, |_, j| {
        let value: f64 = StandardNormal.sample(&mut random);
        size(j) * value
    });
    let (mut places, mut targets) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in i..n {
            if random.random::<f64>() < share {
                places.push((i as u32, j as u32));
                let z: f64 = truth.row(i).iter().zip(truth.row(j)).map(|(a, b)| a * b).sum();
                let error: f64 = StandardNormal.sample(&mut random);
                let is_wild = random.random::<f64>() < wild;
                targets.push(if is_wild { z + 10.0 * (r as f64).sqrt() * error } else { z });
            }
        }
    }
    let pairs = places.len();
    let clock = ProcessTime::now();
    let map = Entries::new(n, &places).map_err(|e| Error::Data { message: format!("{e:?}") })?;
    let scalar = if wild > 0.0 { "huber:delta=0.1" } else { "square" };
    let scalar = scalar.parse().map_err(|message| Error::Data { message })?;
    let loss = Composite::new(Box::new(map), registry::scalar(&scalar)?, &targets, None)?;
    let build = clock.elapsed().as_secs_f64();
    let clock = ProcessTime::now();
    let problem = Problem::new(&loss, &Zero, r)?;
    let mut spec =
        Spec { rank: r, algorithm: algorithm.clone(), start: Start::Spectral, ..Spec::default() };
    spec.stop = spec.stop.tolerance(1e-7).max_iterations(500);
    let solution = factorise(&problem, &spec, &mut ())?;
    let solve = clock.elapsed().as_secs_f64();
    let x = &solution.factor;
    let mut gram = Gram::new(r);
    let (own, true_one) = (gram.of(x, x).norm_squared(), gram.of(&truth, &truth).norm_squared());
    let square = own + true_one - 2.0 * gram.of(x, &truth).norm_squared();
    println!(
        "{n:6} {r:3} {pairs:9} {kappa:6.0} {wild:7.2} {build:9.3} {solve:9.3} {:6} {:9.1} {:9.1e}  {}",
        solution.last.iteration,
        solution.last.products,
        (square.max(0.0) / true_one).sqrt(),
        solution.status
    );
    Ok(())
}
