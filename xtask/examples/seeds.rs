//! Factorises one matrix from several seeds in one process, as the rivals do. Part of `cargo xtask bench cluster`.
//!
//! `seeds FILE K SEEDS THREADS CAP` takes the matrix as it is. Prints one JSON object a seed, whose trace has the
//! time since before the start was made: CPU time of the one thread, or wall time where there are several.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)] // A benchmark reports to the terminal.

use std::{
    env,
    error::Error,
    ops::ControlFlow,
    path::Path,
    time::{Duration, Instant},
};

use cpu_time::ThreadTime;
use gramfold::{
    Problem, Record, Spec, factorise, loss::Quadratic, registry::Component, start::Start,
};
use gramfold_io::{Asymmetry, GraphOptions, read_graph};
use serde_json::{Value, json};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [file, k, seeds, threads, cap] = arguments.as_slice() else {
        return Err("usage: seeds FILE K SEEDS THREADS CAP".into());
    };
    let (k, seeds, threads) = (k.parse()?, seeds.parse::<u64>()?, threads.parse()?);
    let cap = Duration::from_secs_f64(cap.parse()?);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| {
        let options = GraphOptions { asymmetry: Asymmetry::Average, ..GraphOptions::default() };
        let loss = Quadratic::new(read_graph(Path::new(file), options)?.matrix);
        for seed in 0..seeds {
            println!("{}", run(&loss, k, seed, threads, cap)?);
        }
        Ok(())
    })
}

fn run(
    loss: &Quadratic,
    k: usize,
    seed: u64,
    threads: usize,
    cap: Duration,
) -> Result<Value, gramfold::Error> {
    let regulariser = Component::named("nonnegative");
    let mut spec = Spec { rank: k, regulariser, start: Start::Spectral, seed, ..Spec::default() };
    spec.algorithm = Component::named("auto");
    spec.stop.time_limit = Some(cap);
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(loss, &*regulariser, k)?;
    let (cpu, wall) = (ThreadTime::now(), Instant::now());
    let seconds = || if threads == 1 { cpu.elapsed() } else { wall.elapsed() }.as_secs_f64();
    let mut trace = Vec::new();
    let mut watch = |record: &Record| {
        trace.push((seconds(), record.loss, record.distance, record.threshold));
        ControlFlow::Continue(())
    };
    let solution = factorise(&problem, &spec, &mut watch)?;
    let seconds = seconds();
    // f at ½(X + Y), which the last record has only where X = Y.
    let mut evaluation = problem.loss.evaluation(k);
    evaluation.folded(&solution.factor);
    Ok(json!({
        "trace": trace,
        "seconds": seconds,
        "objective": evaluation.value(&solution.factor, &solution.factor),
        "products": solution.last.products,
        "asymmetry": solution.last.asymmetry,
        "iterations": solution.last.iteration,
    }))
}
