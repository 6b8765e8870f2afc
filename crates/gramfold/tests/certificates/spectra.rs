//! Bounds on spectra contain the spectra, as dense eigenvalues show.

use gramfold::{
    Problem, Split,
    certificate::{DENSE, Operator, Proof, Spectrum, gradient_spectrum, never},
    linalg::{Mat, multiply},
    loss::{Linear, Quadratic},
};

use crate::common::{
    Random, custom::PseudoHuber, dense, eigenvalues, outer, regulariser, sparse, sum,
    symmetric_part,
};

/// low ≤ λmin ≤ ritz ≤ λmax ≤ high, tightly.
#[track_caller]
fn assert_encloses(spectrum: &Spectrum, matrix: &Mat) {
    let values = eigenvalues(matrix);
    let (low, high) = (values[0], values[values.len() - 1]);
    // Both sides are computed: allow the rounding of the reference, nothing of the bound's slack.
    let rounding = 4e-15 * (1.0 + matrix.norm());
    assert_eq!(spectrum.proof, Proof::Rigorous);
    assert!(spectrum.low <= low + rounding && high <= spectrum.high + rounding, "{spectrum:?}");
    assert!(spectrum.ritz_low >= low - 1e-12 * (1.0 + matrix.norm()));
    assert!(spectrum.ritz_high <= high + 1e-12 * (1.0 + matrix.norm()));
    let slack = 1e-5 * (1.0 + matrix.norm());
    assert!(low - spectrum.low < slack && spectrum.high - high < slack, "{spectrum:?}");
}

#[test]
fn rigorous_bounds_enclose_the_spectrum_of_the_gradient() {
    let mut random = Random(111);
    let h = regulariser("zero");
    for trial in 0..120 {
        let n = random.whole(1, 20);
        let r = random.whole(1, n);
        let a = match trial % 3 {
            0 => random.symmetric(n),
            // Repeated and zero eigenvalues.
            1 => Mat::from_fn(n, n, |i, j| f64::from(i == j && i % 2 == 0)),
            _ => Mat::zeros(n, n),
        };
        let (x, y) = (random.mat(n, r), random.mat(n, r));
        let z = symmetric_part(&outer(&x, &y));
        for matrix in [dense(&a), sparse(&a)] {
            let loss = Quadratic::new(matrix.clone());
            let problem = Problem::new(&loss, &*h, r).unwrap();
            let split = Split::new(&problem, x.clone(), y.clone(), 1.0).unwrap();
            assert_encloses(&gradient_spectrum(&split), &sum(1.0, &z, -1.0, &a));
            let loss = Linear::new(matrix);
            let problem = Problem::new(&loss, &*h, r).unwrap();
            let split = Split::new(&problem, x.clone(), y.clone(), 1.0).unwrap();
            assert_encloses(&gradient_spectrum(&split), &a);
        }
    }
}

#[test]
fn rigorous_bounds_enclose_at_any_scale() {
    let mut random = Random(112);
    let h = regulariser("zero");
    let m = random.symmetric(9);
    for scale in [1e-12, 1e-3, 1e6, 1e12] {
        let a = sum(scale, &m, 0.0, &m);
        let loss = Linear::new(dense(&a));
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        let zero = Mat::zeros(9, 1);
        let split = Split::new(&problem, zero.clone(), zero, 1.0).unwrap();
        let spectrum = gradient_spectrum(&split);
        let values = eigenvalues(&a);
        assert_eq!(spectrum.proof, Proof::Rigorous);
        assert!(spectrum.low <= values[0] && values[8] <= spectrum.high, "{scale:e}");
        assert!(spectrum.high - spectrum.low <= (values[8] - values[0]) * (1.0 + 1e-6));
    }
}

#[test]
fn the_declared_rounding_is_paid_for() {
    // A bound must hold for every matrix within the declared error of the one seen.
    let mut random = Random(113);
    let m = random.symmetric(8);
    let values = eigenvalues(&m);
    for rounding in [1e-6, 1e-3, 0.05] {
        let mut apply = |v: &Mat, out: &mut Mat| multiply(1.0, &m, v, out);
        let spectrum =
            Spectrum::of(&mut Operator { dim: 8, apply: &mut apply, rounding, stop: &never }, 1);
        assert!(spectrum.proof.holds());
        assert!(spectrum.low <= values[0] - rounding && values[7] + rounding <= spectrum.high);
    }
}

#[test]
fn probabilistic_bounds_enclose_too() {
    // Too large to factorise: a diagonal matrix, whose spectrum is known.
    let n = DENSE + 100;
    let diagonal = |i: usize| (3.0 * i as f64).sin();
    let extremes = (0..n).map(diagonal).fold((1.0_f64, -1.0_f64), |e, d| (e.0.min(d), e.1.max(d)));
    for seed in 0..5 {
        let mut apply = |v: &Mat, out: &mut Mat| {
            (0..n).for_each(|i| out[(i, 0)] = diagonal(i) * v[(i, 0)]);
        };
        let mut operator = Operator { dim: n, apply: &mut apply, rounding: 1e-14, stop: &never };
        let spectrum = Spectrum::of(&mut operator, seed);
        assert!(matches!(spectrum.proof, Proof::Probabilistic { failure, .. } if failure <= 1e-9));
        assert!(spectrum.low <= extremes.0 && extremes.1 <= spectrum.high);
    }
}

#[test]
fn a_bounded_gradient_is_bounded() {
    let mut random = Random(114);
    let h = regulariser("zero");
    for _ in 0..40 {
        let n = random.whole(1, 8);
        let loss = PseudoHuber::new(random.symmetric(n), 0.6);
        let problem = Problem::new(&loss, &*h, 1).unwrap();
        let (x, y) = (sum(9.0, &random.mat(n, 1), 0.0, &random.mat(n, 1)), random.mat(n, 1));
        let split = Split::new(&problem, x, y, 1.0).unwrap();
        assert!(gradient_spectrum(&split).ritz_high <= 0.6 * n as f64);
    }
}
