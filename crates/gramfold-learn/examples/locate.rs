//! How long localisation takes on one thread: `cargo run --release -p gramfold-learn --example locate [N] [DEGREE] [SEEDS] [NOISE]`.
//!
//! Points in the unit square, of which ten are anchors, are found from the distances below a radius; the error is over the nodes
//! that the distances determine.

#![allow(clippy::print_stdout, reason = "it is a program")]

use cpu_time::ProcessTime;
use gramfold::{Error, linalg::Mat};
use gramfold_learn::{
    Observations,
    locate::{Anchors, Task, locate, undetermined},
};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

fn main() -> Result<(), Error> {
    let argument = |place: usize, default: f64| {
        std::env::args().nth(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (n, degree) = (argument(1, 500.0) as usize, argument(2, 12.0));
    let (seeds, noise) = (argument(3, 20.0) as u64, argument(4, 0.0));
    println!("  seed   pairs  free   solve s  check s  steps  passes      rmsd  status");
    let mut good = 0;
    for seed in 0..seeds {
        good += u64::from(run(n, degree, seed, noise)?);
    }
    println!("{good} of {seeds} to 1e-6");
    Ok(())
}

fn run(n: usize, degree: f64, seed: u64, noise: f64) -> Result<bool, Error> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let points = Mat::from_fn(n, 2, |_, _| random.random::<f64>());
    let radius = (degree / (std::f64::consts::PI * n as f64)).sqrt();
    let (mut places, mut values) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in i + 1..n {
            let (x, y) = (points[(i, 0)] - points[(j, 0)], points[(i, 1)] - points[(j, 1)]);
            if x.hypot(y) < radius {
                let error: f64 = StandardNormal.sample(&mut random);
                places.push((i as u32, j as u32));
                values.push(x.hypot(y) * (1.0 + noise * error));
            }
        }
    }
    let distances = Observations { dim: n, places, values };
    let rows: Vec<u32> = (0..10).collect();
    let anchors = Anchors::new(rows, Mat::from_fn(10, 2, |i, j| points[(i, j)]))?;
    let task = Task {
        distances: &distances,
        dim: 2,
        anchors: &anchors,
        tolerance: 1e-10,
        max_iterations: 1000,
        seed: 0,
    };
    let clock = ProcessTime::now();
    let found = locate(&task, &mut ());
    let solve = clock.elapsed().as_secs_f64();
    let clock = ProcessTime::now();
    let free = undetermined(&distances, &anchors, 2, &found.factor);
    let check = clock.elapsed().as_secs_f64();
    let mut is_free = vec![false; n];
    for (node, _) in &free {
        is_free[*node] = true;
    }
    let off = |i: usize| {
        let (x, y) = (found.factor[(i, 0)] - points[(i, 0)], found.factor[(i, 1)] - points[(i, 1)]);
        x * x + y * y
    };
    let kept: Vec<usize> = (0..n).filter(|&i| !is_free[i]).collect();
    let rmsd = (kept.iter().map(|&i| off(i)).sum::<f64>() / kept.len() as f64).sqrt();
    println!(
        "{seed:6} {:7} {:5} {solve:9.3} {check:8.3} {:6} {:7.0} {rmsd:9.1e}  {}",
        distances.len(),
        free.len(),
        found.last.iteration,
        found.last.products,
        found.status
    );
    Ok(rmsd < 1e-6)
}
