//! What may not be claimed: by an estimate, at a point that is not critical, under any γ.

use std::cell::Cell;

use gramfold::{
    Certificate, Problem,
    certificate::{DENSE, Means, Method, Proof},
    linalg::Mat,
    loss::{Linear, Quadratic},
};

use crate::common::{Random, custom::PseudoHuber, dense, outer, regulariser, scaled, sum};

#[test]
fn an_estimate_never_claims() {
    // Infinite rounding leaves Lanczos alone, and five steps of it prove nothing.
    let mut random = Random(91);
    let mut loss = PseudoHuber::new(random.symmetric(5), 1.0);
    loss.rounding = f64::INFINITY;
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 2).unwrap();
    // Nearly zero is nearly critical, and γ is large enough: only the proof is missing.
    let x = scaled(1e-13, &random.mat(5, 2));
    let y = sum(1.0, &x, 1e-17, &random.mat(5, 2));
    let certificate = Certificate::of(&problem, &x, &y, 10.0, 1e-3).unwrap();
    assert_eq!(certificate.spectrum.proof, Proof::Estimate);
    assert!(certificate.margin > 0.0);
    assert!(!certificate.exact && !certificate.optimal);
    assert!(certificate.proximity.is_none());
    // What the loss itself says of its values needs no eigenvalue.
    assert_eq!(certificate.lower_bound.map(|bound| bound.method), Some(Method::Infimum));
    loss.rounding = 1e-13;
    let problem = Problem::new(&loss, &*h, 2).unwrap();
    assert!(Certificate::of(&problem, &x, &y, 10.0, 1e-3).unwrap().exact);
}

#[test]
fn proofs_that_are_stopped_leave_what_a_few_products_tell() {
    let mut random = Random(93);
    let h = regulariser("nonnegative");
    for n in [40, 600] {
        let loss = Quadratic::new(dense(&random.symmetric(n)));
        let problem = Problem::new(&loss, &*h, 2).unwrap();
        let mut x = random.mat(n, 2);
        x.as_mut_slice().iter_mut().for_each(|v| *v = v.abs());
        let within = |products: usize| {
            let asked = Cell::new(0);
            let stop = || asked.replace(asked.get() + 1) >= products;
            Certificate::within(&problem, &x, &x, 3.0, 1e-6, &stop).unwrap()
        };
        let whole = Certificate::of(&problem, &x, &x, 3.0, 1e-6).unwrap();
        assert_eq!(within(usize::MAX), whole);
        assert!(whole.lower_bound.is_some() && !whole.brief);
        let brief = Certificate::brief(&problem, &x, &x, 3.0, 1e-6).unwrap();
        assert!(brief.brief && brief.lower_bound.is_none());
        assert_eq!(within(0), brief);
        if n > DENSE {
            assert_eq!(within(5), brief);
            assert_eq!(within(15), brief);
        }
    }
}

#[test]
fn a_loose_tolerance_proves_nothing() {
    let mut random = Random(92);
    let loss = Quadratic::new(dense(&random.symmetric(5)));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 2).unwrap();
    let (x, y) = (random.mat(5, 2), random.mat(5, 2));
    let certificate = Certificate::of(&problem, &x, &y, 1e3, f64::INFINITY).unwrap();
    assert!(!certificate.exact && certificate.tolerance <= 1e-3);
}

#[test]
fn optimal_is_relative_to_what_can_be_gained() {
    // f(0) − min is ½ here, against an objective of 5·10⁷.
    let a = Mat::from_fn(3, 3, |i, j| if i == j { [-1e4, 1.0, 0.5][i] } else { 0.0 });
    let loss = Quadratic::new(dense(&a));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let zero = Mat::zeros(3, 1);
    assert!(!Certificate::of(&problem, &zero, &zero, 1e5, 1e-6).unwrap().optimal);
    let best = Mat::from_row_major(3, 1, vec![0.0, 1.0, 0.0]);
    assert!(Certificate::of(&problem, &best, &best, 1e5, 1e-6).unwrap().optimal);
}

#[test]
fn data_out_of_range_are_refused_by_name() {
    for size in [1e-170, 1e200] {
        let loss = Quadratic::new(dense(&Mat::from_fn(2, 2, |_, _| size)));
        let h = regulariser("zero");
        let error = Problem::new(&loss, &*h, 1).err().unwrap();
        assert!(
            error.to_string().contains("too far from 1 to compute with: multiply them"),
            "{error}"
        );
    }
}

#[test]
fn proofs_combine_to_the_weaker() {
    let half = Proof::Probabilistic { failure: 0.5, means: Means::Lanczos };
    let quarter = Proof::Probabilistic { failure: 0.25, means: Means::Lanczos };
    assert_eq!(Proof::Rigorous.and(Proof::Rigorous), Proof::Rigorous);
    assert_eq!(Proof::Rigorous.and(half), half);
    assert_eq!(half.and(quarter), Proof::Probabilistic { failure: 0.75, means: Means::Lanczos });
    assert_eq!(quarter.and(Proof::Estimate), Proof::Estimate);
    assert!(!Proof::Estimate.holds() && half.holds() && Proof::Rigorous.holds());
}

#[test]
fn a_large_gamma_does_not_make_a_point_critical() {
    // X = Y is not critical here, and stays so whatever γ is.
    let mut random = Random(92);
    let a = random.symmetric(6);
    let loss = Quadratic::new(dense(&a));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 2).unwrap();
    let x = random.mat(6, 2);
    for gamma in [1.0, 1e3, 1e6, 1e9] {
        let certificate = Certificate::of(&problem, &x, &x, gamma, 1e-6).unwrap();
        assert!(!certificate.exact, "γ = {gamma:e}: {certificate}");
    }
}

#[test]
fn a_linear_loss_without_coupling_is_not_critical_everywhere() {
    // ∇f = C ≠ 0 and γ = 0: no X with CX ≠ 0 is critical.
    let loss = Linear::new(dense(&scaled(-1.0, &Mat::identity(3))));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let x = Random(93).mat(3, 1);
    let certificate = Certificate::of(&problem, &x, &x, 0.0, 1e-6).unwrap();
    assert!(!certificate.exact, "{certificate}");
}

#[test]
fn an_infeasible_answer_is_never_optimal() {
    let a = Mat::from_row_major(2, 2, vec![1.0, -1.0, -1.0, 1.0]);
    let loss = Quadratic::new(dense(&a));
    let h = regulariser("nonnegative");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    // The best rank-one matrix, which has a negative entry.
    let x = Mat::from_row_major(2, 1, vec![1.0, -1.0]);
    let certificate = Certificate::of(&problem, &x, &x, 1.0, 1e-6).unwrap();
    assert!(!certificate.optimal && !certificate.exact, "{certificate}");
}

#[test]
fn a_certificate_refuses_what_does_not_fit() {
    let loss = Quadratic::new(dense(&Mat::identity(3)));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let (x, wrong) = (Mat::zeros(3, 1), Mat::zeros(2, 1));
    assert!(Certificate::of(&problem, &x, &wrong, 1.0, 1e-6).is_err());
    let nan = Mat::from_fn(3, 1, |_, _| f64::NAN);
    assert!(Certificate::of(&problem, &nan, &x, 1.0, 1e-6).is_err());
}

#[test]
fn a_perfect_fit_is_proved() {
    // Where A = BBᵀ is fitted the gradient is rounding alone; that bounds λmax as well as any.
    let mut random = Random(94);
    let h = regulariser("zero");
    for n in 1..=10 {
        let b = random.mat(n, n.min(2));
        let loss = Quadratic::new(dense(&outer(&b, &b)));
        let problem = Problem::new(&loss, &*h, b.cols()).unwrap();
        // One bit apart, so that the claim rests on the threshold and not on X = Y.
        let mut y = b.clone();
        y[(0, 0)] = y[(0, 0)].next_up();
        let certificate = Certificate::of(&problem, &b, &y, 0.5, 1e-6).unwrap();
        assert!(certificate.spectrum.proof.holds(), "n = {n}: {certificate}");
        assert!(certificate.exact && certificate.optimal, "n = {n}: {certificate}");
    }
}
