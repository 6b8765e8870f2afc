//! Rays: infeasible programs are proved so, feasible ones never are.

mod common;

use common::random;
use gramfold_linalg::Mat;
use gramfold_sdp::{
    Cone, Method, Options, Primal, Sdp, Status, Term,
    certificate::{Infeasible, Ray},
    solve,
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
    let negative = negative.unwrap();
    let ray = Ray::evident(&negative).unwrap();
    assert!(matches!(ray, Ray::Primal { y, .. } if y == [0.0, -1.0]));
    // What is evident is proved again by its y, though nothing bounds the trace; what is not is not.
    assert!(Ray::primal(&negative, &[0.0, -2.0]).is_some());
    assert!(Ray::primal(&negative, &[0.0, 1.0]).is_none());
    assert!(Ray::primal(&negative, &[1.0, 0.0]).is_none());
    let empty = Sdp::new(cones, vec![3.0], vec![], vec![]).unwrap();
    assert!(matches!(Ray::evident(&empty), Some(Ray::Primal { y, .. }) if y == [1.0]));
    assert!(Ray::primal(&empty, &[1.0]).is_some());
    assert!(Ray::primal(&empty, &[-1.0]).is_none());
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

/// min ⟨C, Z⟩ without constraints: a block of 2 rows with this diagonal, and a nonnegative number of this cost.
fn unconstrained(diagonal: [f64; 2], number: f64) -> Sdp {
    let mut terms = vec![term(0, 0, 0, diagonal[0]), term(0, 1, 1, diagonal[1])];
    terms.push(Term { matrix: 0, block: 1, row: 0, col: 0, value: number });
    let cones = vec![Cone::Semidefinite(2), Cone::Nonnegative(1)];
    Sdp::new(cones, Vec::new(), terms, Vec::new()).unwrap()
}

#[test]
fn without_constraints_the_minimum_is_zero_or_has_no_bound() {
    for method in [Method::Auto, Method::Interior, Method::LowRank] {
        let options = Options { method, ..Options::default() };
        let run = |sdp: &Sdp| solve(sdp, &options, &mut ()).unwrap();
        for costs in [[1.0, 2.0], [1e-300, 1e300]] {
            let solution = run(&unconstrained(costs, 3.0));
            assert_eq!(solution.status, Status::Solved, "{costs:?}");
            assert_eq!(solution.certificate.primal_objective, 0.0);
            assert!(solution.certificate.dual_bound.unwrap().value <= 0.0);
        }
        for (diagonal, number) in [([1.0, -2.0], 1.0), ([1.0, 2.0], -1e-3), ([-1.0, -1.0], -1.0)] {
            let sdp = unconstrained(diagonal, number);
            let solution = run(&sdp);
            assert_eq!(solution.status, Status::DualInfeasible, "{diagonal:?}, {number}");
            let Some(Ray::Dual { z }) = &solution.ray else { panic!("a ray is claimed") };
            let (Primal::Dense(z), Primal::Diagonal(x)) = (&z[0], &z[1]) else {
                panic!("the blocks are expanded")
            };
            let cost = diagonal[0] * z[(0, 0)] + diagonal[1] * z[(1, 1)] + number * x[0];
            assert!(cost < 0.0 && z[(0, 0)] * z[(1, 1)] > z[(0, 1)] * z[(0, 1)] && x[0] > 0.0);
        }
        // Nothing is below 0 here either, yet no factorisation proves it of a singular C.
        let singular = run(&unconstrained([1.0, 0.0], 0.0));
        assert!(matches!(singular.status, Status::Solved | Status::Stalled));
    }
}
