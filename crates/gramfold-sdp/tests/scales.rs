//! The verdict on a program does not depend on the units of its cost or of its right-hand side.

mod common;

use common::random;
use gramfold_sdp::{Cone, Method, Options, RankOne, Sdp, Status, Term, solve};

#[test]
fn numbers_whose_squares_underflow_are_solved_all_the_same() {
    let term = |matrix| Term { matrix, block: 0, row: 0, col: 0, value: 1e-300 };
    let terms = vec![Term { value: -1e-300, ..term(0) }, term(1)];
    for method in [Method::Auto, Method::Interior, Method::LowRank] {
        let sdp = Sdp::new(vec![Cone::Nonnegative(1)], vec![1e-300], terms.clone(), Vec::new());
        let options = Options { method, ..Options::default() };
        let found = solve(&sdp.unwrap(), &options, &mut ()).unwrap();
        let objective = found.certificate.primal_objective;
        assert_eq!(found.status, Status::Solved, "{method}: {}", found.certificate);
        assert!((objective / -1e-300 - 1.0).abs() < 1e-5, "{method}: {objective:e}");
    }
}

/// The program with C multiplied by `cost` and b by `rhs`.
fn scaled(sdp: &Sdp, cost: f64, rhs: f64) -> Sdp {
    let factor = |matrix: usize| if matrix == 0 { cost } else { 1.0 };
    let mut terms = Vec::new();
    for block in 0..sdp.cones().len() {
        for (matrix, entries) in sdp.matrices(block) {
            terms.extend(entries.iter().map(|entry| Term {
                matrix,
                block,
                row: entry.row as usize,
                col: entry.col as usize,
                value: factor(matrix) * entry.value,
            }));
        }
    }
    let part =
        |part: &RankOne| RankOne { weight: factor(part.matrix) * part.weight, ..part.clone() };
    let parts = sdp.rank_ones().iter().map(part).collect();
    let rhs = sdp.rhs().iter().map(|b| rhs * b).collect();
    Sdp::new(sdp.cones().to_vec(), rhs, terms, parts).unwrap()
}

const SCALES: [f64; 7] = [1e-9, 1e-7, 1e-3, 1.0, 1e3, 1e6, 1e9];

#[test]
fn every_scale_of_cost_and_right_hand_side_gets_the_same_verdict() {
    for method in [Method::Auto, Method::Interior, Method::LowRank, Method::Split] {
        for seed in 0..6 {
            let known = random(seed, true);
            let options = Options { method, ..Options::default() };
            for scale in SCALES {
                for (cost, rhs) in [(scale, 1.0), (1.0, scale), (scale, scale)] {
                    let sdp = scaled(&known.sdp, cost, rhs);
                    let found = solve(&sdp, &options, &mut ()).unwrap();
                    let name = format!("{method}, seed {seed}, C × {cost:e}, b × {rhs:e}");
                    assert_eq!(found.status, Status::Solved, "{name}: {}", found.certificate);
                    // The answer is as good as at scale 1: relative to the terms that the optimum is the sum of.
                    let unit = cost * rhs;
                    let error = found.certificate.primal_objective / unit - known.optimum;
                    assert!(error.abs() < 2e-5 * known.size, "{name}: off by {error:e}");
                }
            }
        }
    }
}

#[test]
fn a_tiny_program_is_not_called_optimal_before_it_is() {
    // max 1·Y_11 + 2·Y_22 + Y_12 s.t. tr Y = t: the optimum is t(3 + √2)/2.
    let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
    let terms = vec![
        term(0, 0, 0, -1.0),
        term(0, 1, 1, -2.0),
        term(0, 0, 1, -0.5),
        term(1, 0, 0, 1.0),
        term(1, 1, 1, 1.0),
    ];
    for method in [Method::Interior, Method::LowRank] {
        for t in [1e-200, 1e-30, 1e-7, 1.0, 1e30] {
            let sdp = Sdp::new(vec![Cone::Semidefinite(2)], vec![t], terms.clone(), Vec::new());
            let options = Options { method, ..Options::default() };
            let found = solve(&sdp.unwrap(), &options, &mut ()).unwrap();
            let certificate = &found.certificate;
            assert_eq!(found.status, Status::Solved, "{method} {t:e}: {certificate}");
            let optimum = -t * (3.0 + 2.0_f64.sqrt()) / 2.0;
            let near = |value: f64| (value - optimum).abs() < 1e-5 * optimum.abs();
            assert!(near(certificate.primal_objective), "{method} {t:e}: {certificate}");
            assert!(near(certificate.dual_bound.unwrap().value), "{method} {t:e}: {certificate}");
        }
    }
}
