//! Certificates of programs with a known optimum: bounds on the right side, claims never beyond what is true.

mod common;

use common::{Known, random};
use gramfold_linalg::Mat;
use gramfold_sdp::{Certificate, Cone, Point, Primal, RankOne, Sdp, Term, certificate::Proof};

/// The optimum itself is rounded by about this.
fn slack(known: &Known) -> f64 {
    1e-13 * known.size
}

#[test]
fn a_thousand_bounds_are_on_the_right_side_and_tight_at_the_optimum() {
    for seed in 0..1000 {
        let known = random(seed, true);
        let certificate = Certificate::of(&known.sdp, &known.point).unwrap();
        let bound = certificate.dual_bound.expect("bounded traces give a bound");
        assert_eq!(bound.proof, Proof::Rigorous);
        assert!(
            bound.value <= known.optimum + slack(&known),
            "{seed}: {bound:?} {}",
            known.optimum
        );
        assert!(
            known.optimum - bound.value < 1e-9 * known.size,
            "{seed}: {bound:?} {}",
            known.optimum
        );
        assert!(
            (certificate.primal_objective - known.optimum).abs() < 1e-11 * known.size,
            "{seed}"
        );
        assert!(
            certificate.dimacs.iter().all(|e| e.abs() < 1e-11),
            "{seed}: {:?}",
            certificate.dimacs
        );
        assert!(certificate.proves(1e-8), "{seed}: {certificate:?}");
    }
}

#[test]
fn perturbed_and_infeasible_multipliers_never_over_claim() {
    let mut with_bound = 0;
    for seed in 0..1000 {
        let mut known = random(seed, seed % 2 == 0);
        let scale = [1e-12, 1e-8, 1e-4, 1.0, 100.0][seed as usize % 5];
        for (i, y) in known.point.dual.iter_mut().enumerate() {
            *y += scale * ((seed as f64 + 7.3 * i as f64).sin());
        }
        let certificate = Certificate::of(&known.sdp, &known.point).unwrap();
        if let Some(bound) = certificate.dual_bound {
            with_bound += 1;
            assert!(
                bound.value <= known.optimum + slack(&known),
                "{seed}: {bound:?} {}",
                known.optimum
            );
        } else {
            assert!(seed % 2 == 1, "{seed}: a bounded trace always gives a bound");
        }
        if certificate.proves(1e-6) {
            let error = (certificate.primal_objective - known.optimum).abs();
            assert!(error < 1e-4 * known.size, "{seed}: claims {error}");
        }
    }
    assert!(with_bound >= 500, "{with_bound}");
}

#[test]
fn a_wrong_z_is_not_called_a_solution() {
    for seed in 0..200 {
        let mut known = random(seed, true);
        let Primal::Dense(z) = &mut known.point.primal[0] else { panic!("a dense block") };
        // Twice Z violates the constraints, and pulling it below zero leaves the cone.
        if seed % 2 == 0 {
            z.scale(2.0);
        } else {
            z[(0, 0)] -= 10.0;
        }
        let certificate = Certificate::of(&known.sdp, &known.point).unwrap();
        assert!(!certificate.proves(1e-6), "{seed}");
        let worst = certificate.dimacs[0].max(certificate.dimacs[1]);
        assert!(worst > 1e-6, "{seed}: {:?}", certificate.dimacs);
    }
}

/// Max-Cut on a ring of n nodes: min ⟨−L/4, Z⟩ with diag Z = 1. For even n the optimum is −n.
fn ring(n: usize) -> (Sdp, Point) {
    let mut terms = Vec::new();
    for i in 0..n {
        terms.push(Term { matrix: 0, block: 0, row: i, col: i, value: -0.5 });
        terms.push(Term { matrix: 0, block: 0, row: i, col: (i + 1) % n, value: 0.25 });
        terms.push(Term { matrix: i + 1, block: 0, row: i, col: i, value: 1.0 });
    }
    let sdp = Sdp::new(vec![Cone::Semidefinite(n)], vec![1.0; n], terms, Vec::new()).unwrap();
    let factor = Mat::from_fn(n, 1, |i, _| if i % 2 == 0 { 1.0 } else { -1.0 });
    (sdp, Point { primal: vec![Primal::Factor(factor)], dual: vec![-1.0; n] })
}

#[test]
fn a_ring_is_cut_completely_and_proved_so() {
    for n in [4, 50, 400] {
        let (sdp, point) = ring(n);
        let certificate = Certificate::of(&sdp, &point).unwrap();
        let bound = certificate.dual_bound.unwrap();
        assert_eq!((certificate.primal_objective, bound.proof), (-(n as f64), Proof::Rigorous));
        assert!(bound.value <= -(n as f64) && certificate.proves(1e-8), "{n}: {certificate:?}");
        let words = certificate.to_string();
        assert!(
            words.contains("no feasible Z is below -") && words.contains("rigorous"),
            "{words}"
        );
    }
}

#[test]
fn without_a_trace_bound_only_a_feasible_slack_gives_a_bound() {
    // min z11 + z22 s.t. 2·z12 = 2: the optimum is 2 at y = 1, where S is singular.
    let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
    let terms = vec![term(0, 0, 0, 1.0), term(0, 1, 1, 1.0), term(1, 0, 1, 1.0)];
    let sdp = Sdp::new(vec![Cone::Semidefinite(2)], vec![2.0], terms, Vec::new()).unwrap();
    let at = |y: f64| {
        let primal = vec![Primal::Factor(Mat::from_fn(2, 1, |_, _| 1.0))];
        Certificate::of(&sdp, &Point { primal, dual: vec![y] }).unwrap()
    };
    let inside = at(1.0 - 1e-9);
    assert!(inside.dual_bound.unwrap().value <= 2.0 && inside.proves(1e-8));
    let outside = at(1.0 + 1e-6);
    assert_eq!(outside.dual_bound, None);
    assert!(!outside.proves(1e-2) && outside.to_string().contains("no bound follows"));
}

#[test]
fn certificates_survive_json() {
    let (sdp, point) = ring(6);
    let certificate = Certificate::of(&sdp, &point).unwrap();
    let text = serde_json::to_string(&certificate).unwrap();
    assert_eq!(serde_json::from_str::<Certificate>(&text).unwrap(), certificate);
}

#[test]
fn a_fixed_trace_makes_up_for_a_slack_that_is_too_positive() {
    for n in [10, 300] {
        let (sdp, mut point) = ring(n);
        // y lowered by ½ everywhere is feasible with bᵀy = −1.5n, but every Z has tr Z = n and λmin(S) = ½.
        point.dual.iter_mut().for_each(|y| *y -= 0.5);
        let certificate = Certificate::of(&sdp, &point).unwrap();
        assert_eq!(certificate.dual_objective, -1.5 * n as f64);
        let bound = certificate.dual_bound.unwrap().value;
        assert!(bound <= -(n as f64) && bound > -1.01 * n as f64, "{n}: {bound}");
    }
}

#[test]
fn a_bisection_is_bounded_however_large_the_multiplier_of_its_plane() {
    // The ring as a bisection: min ⟨L/4, Z⟩ with diag Z = 1, 1ᵀZ1 = 0. Z is free on 1⊥, where λmin(L/4) = ½(1 − cos(2π/n)).
    let n = 40;
    let (ring, _) = ring(n);
    let mut terms: Vec<Term> = Vec::new();
    for matrix in 0..=n {
        for entry in ring.entries(matrix, 0) {
            let value = if matrix == 0 { -entry.value } else { entry.value };
            let (row, col) = (entry.row as usize, entry.col as usize);
            terms.push(Term { matrix, block: 0, row, col, value });
        }
    }
    let plane = RankOne { matrix: n + 1, block: 0, weight: 1.0, vector: vec![1.0; n] };
    let mut rhs = vec![1.0; n];
    rhs.push(0.0);
    let sdp = Sdp::new(vec![Cone::Semidefinite(n)], rhs, terms, vec![plane]).unwrap();
    let angle = std::f64::consts::TAU / n as f64;
    let low = 0.5 * (1.0 - angle.cos());
    let factor = Mat::from_fn(n, 2, |i, j| {
        let at = angle * i as f64;
        if j == 0 { at.cos() } else { at.sin() }
    });
    for multiplier in [-1e3, -1e8, -1e12] {
        let mut dual = vec![low; n];
        dual.push(multiplier);
        let point = Point { primal: vec![Primal::Factor(factor.clone())], dual };
        let certificate = Certificate::of(&sdp, &point).unwrap();
        let bound = certificate.dual_bound.unwrap().value;
        let optimum = n as f64 * low;
        assert!(
            bound <= optimum * (1.0 + 1e-12) && certificate.proves(1e-9),
            "{multiplier}: {bound} {optimum}"
        );
    }
}

/// min Z_11 with a diagonal of ones: objective and bound are 1 for each of these, but only the first is feasible.
#[test]
fn the_right_objective_of_an_infeasible_z_proves_nothing() {
    let term = |matrix, at, value| Term { matrix, block: 0, row: at, col: at, value };
    let terms = vec![term(0, 0, 1.0), term(1, 0, 1.0), term(2, 1, 1.0)];
    let sdp = Sdp::new(vec![Cone::Semidefinite(2)], vec![1.0, 1.0], terms, Vec::new()).unwrap();
    let certificate = |entries: [f64; 4]| {
        let primal = vec![Primal::Dense(Mat::from_row_major(2, 2, entries.to_vec()))];
        Certificate::of(&sdp, &Point { primal, dual: vec![1.0, 0.0] }).unwrap()
    };
    let right = certificate([1.0, 0.5, 0.5, 1.0]);
    assert!(right.proves(1e-6), "{right:?}");
    for wrong in [[1.0, 0.0, 0.0, 1.1], [1.0, 1.1, 1.1, 1.0]] {
        let wrong = certificate(wrong);
        assert!(wrong.relative_gap.is_some_and(|gap| gap.abs() < 1e-9), "{wrong:?}");
        assert!(!wrong.proves(1e-6), "{wrong:?}");
    }
}

/// A program without a bound may lead an engine to points whose inner products are beyond the range of numbers.
#[test]
fn a_point_that_ran_away_has_a_certificate_that_reads_back() {
    let terms = vec![
        Term { matrix: 0, block: 0, row: 0, col: 0, value: -6.0 },
        Term { matrix: 1, block: 0, row: 1, col: 1, value: 3.0 },
    ];
    let sdp = Sdp::new(vec![Cone::Nonnegative(2)], vec![1.0], terms, Vec::new()).unwrap();
    for (z, y) in [(1e305, 1e176), (1e308, -1e308), (1.7e308, 1.7e308)] {
        let point = Point { primal: vec![Primal::Diagonal(vec![z, z])], dual: vec![y] };
        let certificate = Certificate::of(&sdp, &point).unwrap();
        assert!(!certificate.proves(1e-2), "{certificate:?}");
        let text = serde_json::to_string(&certificate).unwrap();
        let again: Certificate = serde_json::from_str(&text).expect(&text);
        assert_eq!(again.dimacs, certificate.dimacs);
    }
}
