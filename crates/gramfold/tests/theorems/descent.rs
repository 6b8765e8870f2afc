//! What descends at a fixed γ, and what does not.

use gramfold::{Problem, Record, Stop, linalg::Mat, loss::Quadratic, solve_from};

use crate::common::{Random, dense, method, outer, regulariser, regularisers, scaled, sum};

/// F after each iteration at a fixed γ.
fn objectives(problem: &Problem<'_>, algorithm: &str, gamma: f64, x: &Mat, y: &Mat) -> Vec<f64> {
    let mut trace: Vec<Record> = Vec::new();
    let stop = Stop { stationarity: 0.0, ..Stop::default().max_iterations(100) };
    let run = method(algorithm, &format!("fixed:gamma={gamma}"), stop);
    solve_from(problem, run, x.clone(), y.clone(), &mut trace).unwrap();
    trace.iter().map(|record| record.split_objective).collect()
}

/// The largest relative increase from one iteration to the next.
fn ascent(values: &[f64]) -> f64 {
    values.windows(2).map(|w| (w[1] - w[0]) / (1e-300 + w[0].abs())).fold(0.0, f64::max)
}

#[test]
fn am_and_ham_never_ascend() {
    let mut random = Random(61);
    for trial in 0..60 {
        let n = random.whole(1, 12);
        let r = random.whole(1, n);
        let a = random.symmetric(n);
        let h = regularisers().swap_remove(trial % regularisers().len());
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let (x, y) = (random.feasible(&*h, n, r), random.feasible(&*h, n, r));
        // Blocks are convex from −σ_h/2 on.
        let gamma = (0.02 + 2.0 * random.uniform()).max(-h.sigma());
        let sweeps = h.shape().is_separable();
        for algorithm in ["am:tolerance=1e-13", "ham", "ham:passes=3"] {
            if algorithm.starts_with("ham") && !sweeps {
                continue;
            }
            let values = objectives(&problem, algorithm, gamma, &x, &y);
            // f is ½‖A‖² − ⟨A, Z⟩ + …: its rounding is relative to f(0), not to f.
            let slack = 1e-13 * (values[0] + a.norm_squared());
            assert!(values.windows(2).all(|w| w[1] <= w[0] + slack), "{algorithm} {}", h.name());
            assert!(values.last() < values.first());
        }
    }
}

#[test]
fn an_am_step_descends_by_its_length() {
    // F(·, Y) is (γ + σ_h/2)-strongly convex: an exact step of length s lowers F by half of that·s².
    let mut random = Random(62);
    for h in regularisers() {
        for _ in 0..10 {
            let n = random.whole(2, 8);
            let loss = Quadratic::new(dense(&random.symmetric(n)));
            let problem = Problem::new(&loss, &*h, 2).unwrap();
            let (x, y) = (random.feasible(&*h, n, 2), random.feasible(&*h, n, 2));
            let gamma = 0.7;
            let stop = Stop { stationarity: 0.0, ..Stop::default().max_iterations(1) };
            let run = method("am:tolerance=1e-14", &format!("fixed:gamma={gamma}"), stop);
            let mut trace: Vec<Record> = Vec::new();
            let end = solve_from(&problem, run, x.clone(), y.clone(), &mut trace).unwrap();
            let moved = end.x.distance(&x).powi(2) + end.y.distance(&y).powi(2);
            let fall = trace[0].split_objective - trace[1].split_objective;
            assert!(fall >= 0.5 * (gamma + 0.5 * h.sigma()) * moved - 1e-9, "{}", h.name());
        }
    }
}

#[test]
fn ham_as_printed_ascends_where_gauss_seidel_descends() {
    let mut random = Random(63);
    for text in ["zero", "nonnegative"] {
        let h = regulariser(text);
        // Strongly correlated columns: Jacobi corrects the same error once for each of them.
        let b = sum(1.0, &Mat::from_fn(10, 1, |_, _| 1.0), 0.1, &random.positive(10, 1));
        let loss = Quadratic::new(dense(&outer(&b, &b)));
        let problem = Problem::new(&loss, &*h, 4).unwrap();
        let start = scaled(0.4, &Mat::from_fn(10, 4, |_, _| 1.0 + 0.1 * random.uniform()));
        let seidel = objectives(&problem, "ham", 0.1, &start, &start);
        let jacobi = objectives(&problem, "ham-jacobi", 0.1, &start, &start);
        assert!(ascent(&seidel) <= 1e-9, "{text}");
        assert!(ascent(&jacobi) > 0.5, "{text}: {}", ascent(&jacobi));
        assert!(jacobi.iter().skip(1).all(|value| *value > 2.0 * seidel[seidel.len() - 1]));
    }
}
