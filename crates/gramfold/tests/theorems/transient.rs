//! The paper's dynamic rule ends at asymmetric critical points because of its min; sound rules do not.

use gramfold::{Problem, Solution, Stop, linalg::Mat, loss::Quadratic, solve, start};

use crate::common::{Random, dense, method, regulariser, stationarity};

/// The adjacency matrix of G(20, ¼).
fn graph(seed: u64) -> Mat {
    let mut random = Random(seed);
    let mut a = Mat::zeros(20, 20);
    for i in 0..20 {
        for j in 0..i {
            let edge = f64::from(random.uniform() < 0.25);
            a[(i, j)] = edge;
            a[(j, i)] = edge;
        }
    }
    a
}

fn run(seed: u64, rule: &str, stop: Stop) -> (Solution, f64) {
    let loss = Quadratic::new(dense(&graph(seed)));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 4).unwrap();
    let start = start::random(&problem, seed);
    let solution = solve(&problem, method("am", rule, stop), &start, &mut ()).expect("compatible");
    let residual = stationarity(&problem, &solution.x, &solution.y, solution.gamma);
    (solution, residual)
}

#[test]
fn the_min_leads_to_asymmetric_critical_points() {
    let mut failures = 0;
    for seed in 0..10 {
        // Stationary and done, symmetric or not.
        let stop = Stop { asymmetry: f64::INFINITY, ..Stop::default() };
        let stop = Stop { stationarity: 1e-10, ..stop.max_iterations(20_000) };
        let (solution, residual) = run(seed, "dynamic", stop);
        failures += usize::from(solution.last.asymmetry > 0.1 && residual < 1e-8);
    }
    assert!(failures >= 8, "{failures} of 10 runs ended asymmetric and critical");
}

#[test]
fn without_the_min_and_with_sound_rules_the_factors_meet() {
    for rule in ["dynamic-max", "spectral", "safe"] {
        for seed in 0..10 {
            let stop = Stop::default().tolerance(1e-7).max_iterations(20_000);
            let (solution, residual) = run(seed, rule, stop);
            let asymmetry = solution.last.asymmetry;
            assert!(asymmetry < 1e-6, "{rule}, seed {seed}: {asymmetry:e}");
            assert!(residual < 1e-6, "{rule}, seed {seed}: {residual:e}");
        }
    }
}
