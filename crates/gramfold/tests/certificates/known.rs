//! Problems whose answers are known in closed form or from the literature.

use gramfold::{
    Certificate, Problem, Spec, Split, Status, Stop,
    certificate::{Method, Proof, gradient_spectrum},
    linalg::Mat,
    loss::{Composite, Linear, Quadratic, map::Entries},
    registry,
    regulariser::Zero,
    solve, start,
};

use crate::common::{Random, assert_close, component, dense, eigenvalues, outer, regulariser, sum};

/// The best certificate of symmetric NMF over some seeds.
fn best_nmf(a: &Mat, rank: usize, seeds: u64) -> Certificate {
    let loss = Quadratic::new(dense(a));
    let spec = Spec {
        rank,
        regulariser: component("nonnegative"),
        stop: Stop::default().tolerance(1e-8).max_iterations(20_000),
        ..Spec::default()
    };
    let h = spec.regulariser().unwrap();
    let problem = Problem::new(&loss, &*h, rank).unwrap();
    (0..seeds)
        .map(|seed| {
            let start = start::random(&problem, seed);
            let solution = solve(&problem, spec.method().unwrap(), &start, &mut ()).unwrap();
            solution.certify(&problem, 1e-6).unwrap()
        })
        .min_by(|a, b| a.loss.total_cmp(&b.loss))
        .expect("a seed")
}

#[test]
fn two_by_two_exchange_matrix() {
    // A = [[0, 1], [1, 0]]: the optimum is ½, and the doubly nonnegative bound is tight.
    let certificate = best_nmf(&Mat::from_row_major(2, 2, vec![0.0, 1.0, 1.0, 0.0]), 2, 6);
    assert_close(certificate.loss, 0.5, 1e-7, "optimum");
    let bound = certificate.lower_bound.unwrap();
    assert_close(bound.value, 0.5, 1e-7, "bound");
    assert!(certificate.optimal && certificate.exact, "{certificate}");
    assert!(matches!(bound.method, Method::DoublyNonnegative | Method::Rank));
}

#[test]
fn circulant_that_is_doubly_nonnegative_but_not_completely_positive() {
    // ⟨A, Horn⟩ < 0 proves that the optimum is 0.027613; doubly nonnegative bounds cannot see it.
    let row = [1.0, 0.6175, 0.0, 0.0, 0.6175];
    let a = Mat::from_fn(5, 5, |i, j| row[(5 + j - i) % 5]);
    let horn = Mat::from_fn(5, 5, |i, j| [1.0, -1.0, 1.0, 1.0, -1.0][(5 + j - i) % 5]);
    let along = a.dot(&horn);
    assert_close(along, -1.175, 1e-12, "⟨A, Horn⟩");
    let copositive = along * along / (2.0 * horn.norm_squared());
    assert_close(copositive, 0.027613, 1e-6, "the copositive bound");

    let certificate = best_nmf(&a, 5, 20);
    assert_close(certificate.loss, copositive, 1e-5, "optimum");
    assert!(certificate.loss >= copositive - 1e-9);
    let bound = certificate.lower_bound.unwrap().value;
    assert!((-1e-9..=copositive).contains(&bound), "{bound}");
    // Not knowing the Horn matrix, it must not claim what it cannot prove.
    assert!(!certificate.optimal);
}

#[test]
fn the_rank_bound_is_tight_for_blocks() {
    // Blocks of ones: the top eigenvectors are nonnegative, so sNMF attains Eckart and Young's bound.
    let a = Mat::from_fn(7, 7, |i, j| match (i < 4, j < 4) {
        (true, true) => 2.0,
        (false, false) => 1.0,
        _ => 0.0,
    });
    let certificate = best_nmf(&a, 1, 6);
    assert_close(certificate.loss, 4.5, 1e-7, "½·3²: the smaller block is lost");
    let bound = certificate.lower_bound.unwrap();
    assert_close(bound.value, 4.5, 1e-7, "bound");
    assert!(certificate.optimal, "{certificate}");
}

#[test]
fn nearest_low_rank_matrix() {
    let mut random = Random(121);
    let b = random.mat(9, 4);
    let a = sum(1.0, &outer(&b, &b), 0.3, &random.symmetric(9));
    let values = eigenvalues(&a);
    for lambda in [0.0, 0.5] {
        let h = regulariser(&format!("ridge:lambda={lambda}"));
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, 3).unwrap();
        let spec = Spec { stop: Stop::default().tolerance(1e-9), ..Spec::default() };
        let start = start::random(&problem, 3);
        let solution = solve(&problem, spec.method().unwrap(), &start, &mut ()).unwrap();
        assert_eq!(solution.status, Status::Converged);
        let certificate = solution.certify(&problem, 1e-6).unwrap();
        let tops = values.iter().rev().take(3);
        let captured: f64 = tops.map(|v| (v - 0.5 * lambda).max(0.0).powi(2)).sum();
        let optimum = 0.5 * (a.norm_squared() - captured);
        let objective = certificate.loss + certificate.regularisation;
        assert_close(objective, optimum, 1e-9, "objective");
        assert_close(certificate.lower_bound.unwrap().value, optimum, 1e-9, "bound");
        assert!(certificate.exact && certificate.optimal, "{certificate}");
    }
}

#[test]
fn a_linear_objective_is_bounded_only_where_it_is() {
    // min ⟨C, XXᵀ⟩ is 0 for C ⪰ 0 and −∞ otherwise.
    let h = regulariser("zero");
    let x = Random(122).mat(3, 1);
    for (low, bounded) in [(0.5, true), (-0.5, false)] {
        let c = Mat::from_fn(3, 3, |i, j| if i == j { low + i as f64 } else { 0.0 });
        let loss = Linear::new(dense(&c));
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        let certificate = Certificate::of(&problem, &x, &x, 1.0, 1e-6).unwrap();
        assert!(!certificate.optimal);
        match certificate.lower_bound {
            Some(bound) => assert!(bounded && bound.value.abs() < 1e-9),
            None => assert!(!bounded),
        }
    }
}

#[test]
fn measurements_that_are_met_are_met_best() {
    // Entries of a matrix of rank one, without noise: nothing is below zero, and X reaches it.
    let truth = Mat::from_fn(6, 1, |i, _| 1.0 + i as f64);
    let places: Vec<(u32, u32)> = (0..6).flat_map(|i| (i..6).map(move |j| (i, j))).collect();
    let targets: Vec<f64> =
        places.iter().map(|&(i, j)| truth[(i as usize, 0)] * truth[(j as usize, 0)]).collect();
    for name in ["square", "huber:delta=0.5"] {
        let scalar = registry::scalar(&component(name)).unwrap();
        let map = Entries::new(6, &places).unwrap();
        let loss = Composite::new(Box::new(map), scalar, &targets, None).unwrap();
        let problem = Problem::new(&loss, &Zero, 1).unwrap();
        let met = Certificate::of(&problem, &truth, &truth, 0.0, 1e-6).unwrap();
        assert!(met.optimal && met.exact, "{name}: {met}");
        assert!(met.to_string().contains("lower bound 0 (no loss is below it)"), "{name}: {met}");
        // A point that misses them is not called optimal, and the bound stays below the truth.
        let missed = Mat::from_fn(6, 1, |i, _| 0.9 * truth[(i, 0)]);
        let missed = Certificate::of(&problem, &missed, &missed, 0.0, 1e-6).unwrap();
        assert!(!missed.optimal, "{name}: {missed}");
        let bound = missed.lower_bound.expect("a bound");
        assert!((0.0..=0.0).contains(&bound.value), "{name}: {bound:?}");
    }
}

#[test]
fn many_measurements_that_are_met_are_proved_by_the_norm_of_what_is_left() {
    let n = 600;
    let truth = Mat::from_fn(n, 1, |i, _| 1.0 + (i as f64).sin().abs());
    let places: Vec<(u32, u32)> =
        (0..n as u32).flat_map(|i| (i..(i + 4).min(n as u32)).map(move |j| (i, j))).collect();
    let targets: Vec<f64> =
        places.iter().map(|&(i, j)| truth[(i as usize, 0)] * truth[(j as usize, 0)]).collect();
    let map = Entries::new(n, &places).unwrap();
    let square = registry::scalar(&component("square")).unwrap();
    let loss = Composite::new(Box::new(map), square, &targets, None).unwrap();
    let problem = Problem::new(&loss, &Zero, 1).unwrap();
    let certified = |off: f64, gamma: f64| {
        let x = Mat::from_fn(n, 1, |i, _| truth[(i, 0)] * (1.0 + off * (i as f64).cos()));
        let split = Split::new(&problem, x.clone(), x.clone(), gamma).unwrap();
        let spectrum = gradient_spectrum(&split);
        (Certificate::of(&problem, &x, &x, gamma, 1e-6).unwrap(), spectrum)
    };
    let (met, spectrum) = certified(1e-9, 1.0);
    assert!(met.optimal && met.exact && met.spectrum.proof == Proof::Rigorous, "{met}");
    assert!(met.spectrum.low <= spectrum.ritz_low && spectrum.ritz_high <= met.spectrum.high);
    // A γ that the norm does not prove to be enough, and measurements that are missed: the ends are looked for.
    let (close, _) = certified(1e-9, 0.51 * spectrum.high);
    assert!(close.margin > 0.0 && close.spectrum.proof != Proof::Rigorous, "{close}");
    let (missed, _) = certified(1e-3, 1.0);
    assert!(!missed.optimal && missed.spectrum.proof != Proof::Rigorous, "{missed}");
}

/// ‖XXᵀ − A‖² by what its parts add up to is nothing but rounding here: it bounds no norm.
#[test]
fn a_matrix_of_low_rank_that_is_met_has_bounds_that_hold() {
    let n = 600;
    let truth = Mat::from_fn(n, 2, |i, j| 1.0 + ((i + 7 * j) as f64).sin());
    let loss = Quadratic::new(dense(&outer(&truth, &truth)));
    let problem = Problem::new(&loss, &Zero, 2).unwrap();
    let slack = 1e-13 * outer(&truth, &truth).norm();
    for seed in 0..12 {
        let off = |i: usize, j: usize| 1e-10 * ((i * (j + 1) + 31 * seed) as f64).cos();
        let x = Mat::from_fn(n, 2, |i, j| truth[(i, j)] * (1.0 + off(i, j)));
        let met = Certificate::of(&problem, &x, &x, 1.0, 1e-6).unwrap();
        assert!(met.exact && met.optimal && met.spectrum.proof.holds(), "{met}");
        // ∇f = XXᵀ − A.
        let values = eigenvalues(&sum(1.0, &outer(&x, &x), -1.0, &outer(&truth, &truth)));
        assert!(values[n - 1] > 1e-9, "the gradient is not zero");
        assert!(met.spectrum.low <= values[0] + slack, "{seed}: {:?}", met.spectrum);
        assert!(met.spectrum.high >= values[n - 1] - slack, "{seed}: {:?}", met.spectrum);
    }
}
