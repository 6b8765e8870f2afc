//! Double-double numbers against `f64`, and against optima that only they reach.

use std::ops::ControlFlow;

use gramfold_linalg::Mat;

use super::{
    super::{
        engine::Interior,
        face::Face,
        iteration::Iteration,
        number::{Fill, Number},
        program::Program,
        schur::Schur,
        step::Stepper,
        variable::{self, Factor},
    },
    double::Double,
    finish, is_affordable, rounded, widened,
};
use crate::{Allowance, Cone, Options, Progress, RankOne, Sdp, Status, Term};

fn term(matrix: usize, block: usize, row: usize, col: usize, value: f64) -> Term {
    Term { matrix, block, row, col, value }
}

/// Entries, rank-one parts and a diagonal block, of no particular meaning.
fn mixed() -> Sdp {
    let mut terms = Vec::new();
    for matrix in 0..=4 {
        for k in 0..5 {
            let wave = ((7 * matrix + 3 * k + 1) as f64).sin();
            terms.push(term(matrix, 0, (k + matrix) % 5, k, wave));
            terms.push(term(matrix, 1, k % 3, k % 3, wave - 0.3));
        }
    }
    let vector = (0..5).map(|i| f64::from(i).cos()).collect();
    let sparse = vec![0.0, 2.0, 0.0, -1.0, 0.0];
    let parts = vec![
        RankOne { matrix: 2, block: 0, weight: -0.7, vector },
        RankOne { matrix: 0, block: 0, weight: 1.5, vector: sparse },
    ];
    let cones = vec![Cone::Semidefinite(5), Cone::Nonnegative(3)];
    Sdp::new(cones, vec![1.0, -2.0, 0.5, 3.0], terms, parts).unwrap()
}

/// A positive definite point.
fn definite(seed: f64) -> variable::Variable {
    let b = Mat::from_fn(5, 5, |i, j| (seed * (5 * i + j) as f64).sin());
    let square = Mat::from_fn(5, 5, |i, j| {
        let sum: f64 = (0..5).map(|k| b[(i, k)] * b[(j, k)]).sum();
        sum + if i == j { 0.4 } else { 0.0 }
    });
    vec![variable::Block::Dense(square), variable::Block::Diagonal(vec![0.3, seed, 2.0])]
}

fn wide(x: &[variable::Block]) -> variable::Variable<Double> {
    x.iter().map(|block| block.map(Double::from)).collect()
}

#[test]
fn operators_agree_with_those_in_f64() {
    let sdp = mixed();
    let program = Program::new(&sdp);
    let (x, w) = (definite(1.3), definite(0.7));
    let (wide_x, wide_w) = (wide(&x), wide(&w));
    let m = program.constraints();

    let (mut image, mut near) = (vec![Double::ZERO; m], vec![0.0; m]);
    program.apply(&wide_x, &mut image);
    program.apply(&x, &mut near);
    let y: Vec<f64> = (0..m).map(|i| (i as f64 + 0.5).sin()).collect();
    let wide_y: Vec<Double> = y.iter().map(|&y| Double::from(y)).collect();
    let mut sum = variable::zeros(&program.cones);
    program.adjoint(&wide_y, &mut sum);
    let mut adjoint = variable::zeros(&program.cones);
    program.adjoint(&y, &mut adjoint);
    for (wide, near) in image.iter().zip(&near) {
        assert!((wide.rounded() - near).abs() < 1e-13);
    }
    for (wide, near) in rounded(&sum).iter().zip(&adjoint) {
        let pairs = wide.as_slice().iter().zip(near.as_slice());
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-14));
    }
    // ⟨A(x), y⟩ = ⟨x, A*(y)⟩, to the digits that f64 does not have.
    let difference = Double::dot(&image, &wide_y) - variable::inner(&wide_x, &sum);
    assert!(difference.rounded().abs() < 1e-29, "{difference:?}");

    let (mut near, mut matrix) = (vec![0.0; m * m], vec![Double::ZERO; m * m]);
    Schur::new(&program).assemble(&program, (&x, &w), &mut near, &|| false);
    Fill::<Double>::assemble(&mut (), &program, (&wide_x, &wide_w), &mut matrix, &|| false);
    for j in 0..m {
        for i in j..m {
            let (wide, near) = (matrix[j * m + i].rounded(), near[j * m + i]);
            assert!((wide - near).abs() < 1e-12 * (1.0 + near.abs()), "{wide} for {near}");
        }
    }
}

#[test]
fn the_longest_step_ends_at_the_boundary() {
    let cones = [Cone::Semidefinite(5), Cone::Nonnegative(3)];
    let x = wide(&definite(1.3));
    let mut factor = Factor::new(&cones);
    assert!(factor.compute(&x));
    let mut direction = wide(&definite(0.7));
    let mut stepper = Stepper::default();
    assert_eq!(stepper.longest(&x, &factor, &direction), f64::INFINITY);
    for block in &mut direction {
        *block = block.map(|v| -v);
    }
    let longest = stepper.longest(&x, &factor, &direction);
    for (share, inside) in [(1.0 - 1e-12, true), (1.0 + 1e-12, false)] {
        let mut trial = x.clone();
        variable::add_scaled(share * longest, &direction, &mut trial);
        assert_eq!(Factor::new(&cones).compute(&trial), inside);
    }
}

/// max y₀ with [[1 − y₀, 1], [1, y₁]] ⪰ 0 and [[1, y_k], [y_k, y_{k+1}]] ⪰ 0 for k = 1, 2, …: the optimum is 1, but a gap
/// of ε takes y₁ = 1/ε, y₂ = 1/ε², y₃ = 1/ε⁴. Its dual, which [`Program`] calls primal, has no interior at any level.
fn unattained(levels: usize) -> Sdp {
    let mut terms = vec![term(0, 0, 0, 0, 1.0), term(1, 0, 0, 0, 1.0), term(0, 0, 0, 1, 1.0)];
    for level in 0..levels {
        terms.push(term(level + 2, level, 1, 1, -1.0));
        if level > 0 {
            terms.push(term(0, level, 0, 0, 1.0));
            terms.push(term(level + 1, level, 0, 1, -1.0));
        }
    }
    let mut rhs = vec![0.0; levels + 1];
    rhs[0] = 1.0;
    Sdp::new(vec![Cone::Semidefinite(2); levels], rhs, terms, Vec::new()).unwrap()
}

/// Runs the extended engine from the start of the other one.
fn from_the_start(sdp: &Sdp, tolerance: f64) -> (Status, f64, f64) {
    let program = Program::new(sdp);
    let at = Iteration::new(&program, program.start(), tolerance);
    let most = Options::default().max_iterations;
    let found = finish(&program, &at, most, &Allowance::UNLIMITED).unwrap();
    let (_, x, y) = found.best;
    let point = program.point(&x, &y);
    let dual: f64 = sdp.rhs().iter().zip(&point.dual).map(|(b, y)| b * y).sum();
    (found.status, program.cost(&x) * program.cost_scale * program.primal_scale, dual)
}

#[test]
fn gaps_close_far_below_the_digits_of_f64() {
    // min ⟨C, Z⟩ with Z_11 = Z_22 = Z_33 = 1 and C the all-ones matrix less the identity: −3 at Z = vectors 120° apart.
    let mut terms = Vec::new();
    for i in 0..3 {
        terms.push(term(i + 1, 0, i, i, 1.0));
        terms.extend((i + 1..3).map(|j| term(0, 0, i, j, 1.0)));
    }
    let sdp = Sdp::new(vec![Cone::Semidefinite(3)], vec![1.0; 3], terms, Vec::new()).unwrap();
    let (status, primal, dual) = from_the_start(&sdp, 1e-25);
    assert!(matches!(status, Status::Solved), "{status:?}");
    assert!((primal + 3.0).abs() < 1e-15 && (dual + 3.0).abs() < 1e-15, "{primal} {dual}");
}

#[test]
fn an_unattained_optimum_is_approached_where_f64_gives_up() {
    for (levels, tolerance) in [(1, 1e-10), (2, 1e-9), (3, 1e-7)] {
        let sdp = unattained(levels);
        let options = Options { tolerance, ..Options::default() };
        // A program on faces is left to f64, even where they are the whole cones.
        let whole = Program::on_faces(&sdp, vec![Face::Whole; levels]);
        let alone = Interior::of(whole).run(&options, &mut ());
        assert!(matches!(alone.status, Status::Stalled), "{levels} levels: {:?}", alone.status);
        let found = Interior::new(&sdp).run(&options, &mut ());
        assert!(matches!(found.status, Status::Solved), "{levels} levels: {:?}", found.status);
        let (before, after) = (1.0 - alone.point.dual[0], 1.0 - found.point.dual[0]);
        assert!(after > 0.0 && after < 0.1 * before, "{levels} levels: {after:e} from {before:e}");
    }
}

#[test]
fn what_was_found_in_more_digits_is_proved_after_rounding() {
    let sdp = unattained(2);
    let solution = crate::solve(&sdp, &crate::Options::default(), &mut ()).unwrap();
    assert_eq!(solution.status, crate::Status::Solved);
    let bound = solution.certificate.dual_bound.unwrap().value;
    assert!(bound < 1.0 && bound > 1.0 - 1e-4, "{bound}");
    assert!(solution.certificate.proves(1e-6));
}

#[test]
fn its_end_is_shown_after_the_iterates_before_it() {
    let sdp = unattained(2);
    let options = Options { tolerance: 1e-9, ..Options::default() };
    let mut seen = Vec::new();
    let mut watch = |progress: &Progress| {
        seen.push(progress.iteration);
        ControlFlow::Continue(())
    };
    let found = Interior::new(&sdp).run(&options, &mut watch);
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");
    assert_eq!(seen.last(), Some(&found.iterations));
    assert!(seen.len() < found.iterations, "{seen:?}");
}

#[test]
fn large_programs_are_left_alone() {
    let sdp = |n: usize| {
        let terms = (0..n).map(|i| term(i + 1, 0, i, i, 1.0)).collect();
        Sdp::new(vec![Cone::Semidefinite(n)], vec![1.0; n], terms, Vec::new()).unwrap()
    };
    assert!(is_affordable(&Program::new(&sdp(20))));
    assert!(!is_affordable(&Program::new(&sdp(60))));
}

#[test]
fn a_point_outside_the_cone_is_no_beginning() {
    let sdp = mixed();
    let program = Program::new(&sdp);
    let mut at = Iteration::new(&program, program.start(), 1e-6);
    at.s[1].as_mut_slice()[2] = -1.0;
    assert!(widened(&program, &at).is_none());
}
