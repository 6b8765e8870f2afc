//! Times single passes over the entries of a pattern, on one thread. Part of `cargo xtask bench learn`.
//!
//! `passes MILLIONS` stores so many million entries of a random symmetric pattern, mirror images included, and prints the least
//! CPU seconds of a half-sweep (each row by its own Cholesky factorisation) and of a gradient with 20 columns.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)] // A benchmark reports to the terminal.

use std::{env, error::Error};

use cpu_time::ThreadTime;
use gramfold::{
    Problem, Split,
    block::solver_for,
    linalg::Mat,
    loss::{
        Composite, Side,
        map::{Entries, Map},
        scalar::Square,
    },
    regulariser::Zero,
};
use serde_json::json;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RANK: usize = 20;
const REPEATS: usize = 3;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let millions: usize = env::args().nth(1).ok_or("usage: passes MILLIONS")?.parse()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| measure(millions))
}

fn measure(millions: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    // A thousand entries a row, at places that a generator draws.
    let n = 1000 * millions;
    let mut state = 88_172_645_463_325_252_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let places: Vec<(u32, u32)> =
        (0..500 * n as u64).map(|k| ((k % n as u64) as u32, (draw() % n as u64) as u32)).collect();
    let map = Entries::new(n, &places).map_err(|error| format!("{error:?}"))?;
    let entries = map.len();
    let targets: Vec<f64> = places.iter().map(|_| (draw() >> 11) as f64 / 2_f64.powi(52)).collect();
    drop(places);
    let loss = Composite::new(Box::new(map), Box::new(Square), &targets, None)?;
    let problem = Problem::new(&loss, &Zero, RANK)?;
    let x = Mat::from_fn(n, RANK, |_, _| (draw() >> 11) as f64 / 2_f64.powi(52));
    let mut split = Split::new(&problem, x.clone(), x, 1.0)?;
    let mut solver = solver_for(&problem, 1e-10);
    let (mut half_sweep, mut gradient) = (f64::INFINITY, f64::INFINITY);
    let mut out = Mat::zeros(n, RANK);
    for repeat in 0..REPEATS {
        let clock = ThreadTime::now();
        split.update_folded(|x| x.scale(1.0 + 1e-3 * repeat as f64));
        split.loss_gradient(Side::X, &mut out);
        gradient = gradient.min(clock.elapsed().as_secs_f64());
    }
    for _ in 0..REPEATS {
        let clock = ThreadTime::now();
        split.update(Side::X, None, |block, x| solver.minimise(block, x));
        half_sweep = half_sweep.min(clock.elapsed().as_secs_f64());
    }
    println!("{}", json!({ "entries": entries, "half_sweep": half_sweep, "gradient": gradient }));
    Ok(())
}
