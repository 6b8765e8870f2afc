//! Rays: infeasible programs are proved so, feasible ones never are.

mod common;

use common::random;
use gramfold_linalg::Mat;
use gramfold_sdp::{
    Cone, Primal, Sdp, Term,
    certificate::{Infeasible, Ray},
};

fn term(matrix: usize, row: usize, col: usize, value: f64) -> Term {
    Term { matrix, block: 0, row, col, value }
}

/// z11 = 1, z22 = 1, 2·z12 = `twice`: feasible exactly if |twice| ≤ 2.
fn correlated(twice: f64) -> Sdp {
    let terms = vec![term(1, 0, 0, 1.0), term(2, 1, 1, 1.0), term(3, 0, 1, 1.0)];
    Sdp::new(vec![Cone::Semidefinite(2)], vec![1.0, 1.0, twice], terms, Vec::new()).unwrap()
}

#[test]
fn a_correlation_beyond_one_is_infeasible_and_one_below_is_not() {
    // −A*(y) = [[1, −1], [−1, 1]] is on the boundary of the cone: bounded traces, or mixing, must help.
    let y = [-1.0, -1.0, 1.0];
    let ray = Ray::primal(&correlated(2.1), &y).expect("infeasible");
    assert_eq!(ray.infeasible(), Infeasible::Primal);
    assert!(ray.to_string().contains("rigorous"));
    assert!(Ray::primal(&correlated(2.0 + 1e-9), &y).is_some());
    assert!(Ray::primal(&correlated(2.0), &y).is_none());
    assert!(Ray::primal(&correlated(1.9), &y).is_none());
    assert!(Ray::primal(&correlated(2.1), &[1.0, 1.0, -1.0]).is_none());
    assert!(Ray::primal(&correlated(2.1), &[f64::NAN, 1.0, 1.0]).is_none());
}

#[test]
fn a_single_constraint_may_be_enough() {
    let cones = vec![Cone::Semidefinite(2)];
    let negative = Sdp::new(
        cones.clone(),
        vec![1.0, -1.0],
        vec![term(1, 0, 1, 1.0), term(2, 1, 1, 2.0)],
        vec![],
    );
    let ray = Ray::evident(&negative.unwrap()).unwrap();
    assert!(matches!(ray, Ray::Primal { y, .. } if y == [0.0, -1.0]));
    let empty = Sdp::new(cones, vec![3.0], vec![], vec![]).unwrap();
    assert!(matches!(Ray::evident(&empty), Some(Ray::Primal { y, .. }) if y == [1.0]));
    assert!(Ray::evident(&correlated(2.1)).is_none());
}

/// min −z22 (or z22) s.t. z11 = 1: z22 grows without bound.
fn growing(cost: f64) -> Sdp {
    let terms = vec![term(0, 1, 1, cost), term(1, 0, 0, 1.0)];
    Sdp::new(vec![Cone::Semidefinite(2)], vec![1.0], terms, Vec::new()).unwrap()
}

#[test]
fn a_direction_without_end_leaves_no_y() {
    let direction = |a: f64| {
        vec![Primal::Dense(Mat::from_fn(2, 2, |i, j| if (i, j) == (1, 1) { 1.0 } else { a }))]
    };
    // A(Z) = 0 forces z11 = 0: the cone of rays has no inside, and nothing rigorous can be said of a Z near it.
    assert!(Ray::dual(&growing(-1.0), &direction(0.0)).is_none());
    assert!(Ray::dual(&growing(1.0), &direction(0.0)).is_none());
    // With z11 = z22 + 1 the direction I is inside, and an approximate one is good enough.
    let terms = vec![term(0, 1, 1, -1.0), term(1, 0, 0, 1.0), term(1, 1, 1, -1.0)];
    let sdp = Sdp::new(vec![Cone::Semidefinite(2)], vec![1.0], terms, Vec::new()).unwrap();
    let z = |noise: f64| {
        vec![Primal::Dense(Mat::from_fn(2, 2, |i, j| f64::from(i == j) + noise * i as f64))]
    };
    for noise in [0.0, 1e-9, 1e-3] {
        let ray = Ray::dual(&sdp, &z(noise)).expect("unbounded");
        assert_eq!(ray.infeasible(), Infeasible::Dual);
    }
    let factor = vec![Primal::Factor(Mat::identity(2))];
    assert!(Ray::dual(&sdp, &factor).is_some());
    assert!(Ray::dual(&sdp, &[Primal::Dense(Mat::zeros(3, 3))]).is_none());
}

#[test]
fn solvable_programs_have_no_rays() {
    for seed in 0..300 {
        let known = random(seed, seed % 2 == 0);
        assert!(Ray::evident(&known.sdp).is_none());
        for sign in [1.0, -1.0] {
            let y: Vec<f64> = known.point.dual.iter().map(|y| sign * y).collect();
            assert!(Ray::primal(&known.sdp, &y).is_none(), "{seed}");
        }
        assert!(Ray::dual(&known.sdp, &known.point.primal).is_none(), "{seed}");
    }
}
