//! A thousand random problems whose optimum is known, at every stage of a run.

use gramfold::{
    Certificate, Problem, Spec, Stop,
    bounds::exactness,
    certificate::{Method, OPTIMAL_RELATIVE},
    linalg::{Mat, symmetric_eigen},
    loss::{Composite, Quadratic, map::Entries},
    registry, solve, start,
};

use crate::common::{
    Random, assert_close, component, dense, eigenvalues, outer, regulariser, stationarity, sum,
};

/// How often each claim was made.
#[derive(Debug, Default)]
struct Claims {
    optimal: usize,
    exact: usize,
    refused: usize,
}

/// Every claim of a certificate that the true optimum can judge.
fn judge(problem: &Problem<'_>, certificate: &Certificate, optimum: f64, claims: &mut Claims) {
    let at_zero = problem.loss.at_zero();
    let objective = certificate.loss + certificate.regularisation;
    let bound = certificate.lower_bound.expect("a quadratic loss has a bound");
    assert!(bound.proof.holds());
    assert!(
        bound.value <= optimum + 1e-9 * at_zero,
        "{:?} above the optimum {optimum}",
        certificate.lower_bound
    );
    assert!(objective >= optimum - 1e-9 * at_zero, "{objective} below the optimum {optimum}");
    if certificate.optimal {
        let allowed = OPTIMAL_RELATIVE * objective.abs() + 1e-9 * at_zero;
        assert!(objective - optimum <= allowed, "not optimal by {:e}", objective - optimum);
        claims.optimal += 1;
    }
    if certificate.exact {
        assert!(certificate.asymmetry <= certificate.tolerance);
        assert!(certificate.split_stationarity <= certificate.tolerance);
        claims.exact += 1;
    } else {
        claims.refused += 1;
    }
}

/// Runs `iterations` of the default method and certifies where that leads.
fn certify(
    problem: &Problem<'_>,
    rule: &str,
    iterations: usize,
    seed: u64,
) -> (Certificate, Mat, Mat) {
    let spec = Spec {
        rule: component(rule),
        stop: Stop::default().tolerance(1e-9).max_iterations(iterations),
        ..Spec::default()
    };
    let start = start::random(problem, seed);
    let solution = solve(problem, spec.method().unwrap(), &start, &mut ()).unwrap();
    let certificate = solution.certify(problem, 1e-6).unwrap();
    if let Ok(threshold) = exactness(&certificate.spectrum, problem.regulariser.sigma()) {
        assert_eq!(threshold, certificate.threshold);
    } else {
        assert!(certificate.proximity.is_none());
    }
    (certificate, solution.x, solution.y)
}

/// The end of a run, or a random stage of it.
fn stage(random: &mut Random) -> usize {
    if random.uniform() < 0.5 { 3000 } else { random.whole(0, 40) }
}

#[test]
fn ridge_bounds_never_exceed_the_optimum() {
    let mut random = Random(81);
    let mut claims = Claims::default();
    for trial in 0..700 {
        let n = random.whole(1, 10);
        let r = random.whole(1, n);
        let a = match trial % 3 {
            0 => random.symmetric(n),
            1 => {
                let b = random.mat(n, r);
                outer(&b, &b)
            }
            _ => sum(1e4, &random.symmetric(n), 3e4, &Mat::identity(n)),
        };
        let lambda = if trial % 2 == 0 { 0.0 } else { 2.0 * random.uniform() * a.norm() / 3.0 };
        let h = regulariser(&format!("ridge:lambda={lambda}"));
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let captured: f64 = eigenvalues(&a)
            .iter()
            .rev()
            .take(r)
            .map(|value| (value - 0.5 * lambda).max(0.0).powi(2))
            .sum();
        let optimum = 0.5 * a.norm_squared() - 0.5 * captured;
        let rule = ["spectral", "safe", "dynamic", "pca"][trial % 4];
        let (certificate, x, y) = certify(&problem, rule, stage(&mut random), trial as u64);
        judge(&problem, &certificate, optimum, &mut claims);

        // Shaken by a thousandth, neither one factor nor both are called critical. What a γ far
        // above the data's scale may hide is a claim of its own: see `claims`.
        if certificate.exact && x.norm() > 1e-3 * a.norm().sqrt() {
            let direction = random.mat(n, r);
            let shaken = sum(1.0, &x, 1e-3 * x.norm() / direction.norm(), &direction);
            let gamma = certificate.gamma.min(a.norm());
            for (x, y) in [(&shaken, &y), (&x, &shaken), (&shaken, &shaken)] {
                let again = Certificate::of(&problem, x, y, gamma, 1e-6).unwrap();
                assert!(!again.exact, "accepted a shaken point: {rule}, {again}");
                judge(&problem, &again, optimum, &mut claims);
            }
        }
    }
    assert!(claims.optimal > 150 && claims.exact > 150 && claims.refused > 200, "{claims:?}");
}

#[test]
fn nonnegative_bounds_never_exceed_a_planted_optimum() {
    let mut random = Random(82);
    let mut claims = Claims::default();
    let h = regulariser("nonnegative");
    for trial in 0..300 {
        let n = random.whole(1, 3);
        let r = random.whole(1, n);
        let b = random.positive(n, r);
        let loss = Quadratic::new(dense(&outer(&b, &b)));
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let (certificate, ..) = certify(&problem, "spectral", stage(&mut random), trial);
        judge(&problem, &certificate, 0.0, &mut claims);
    }
    assert!(claims.optimal > 50 && claims.exact > 50 && claims.refused > 50, "{claims:?}");
}

#[test]
fn nonnegative_bounds_never_exceed_any_point_found() {
    // The optimum is unknown here, but no bound may exceed the best of many starts.
    let mut random = Random(83);
    let h = regulariser("nonnegative");
    for trial in 0..40 {
        let (n, r) = (random.whole(2, 5), 2);
        let loss = Quadratic::new(dense(&random.symmetric(n)));
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let certificates: Vec<_> =
            (0..6).map(|seed| certify(&problem, "spectral", 400, 6 * trial + seed).0).collect();
        let best = certificates.iter().map(|c| c.loss).fold(f64::INFINITY, f64::min);
        for certificate in &certificates {
            let bound = certificate.lower_bound.unwrap().value;
            assert!(bound <= best + 1e-9 * problem.loss.at_zero(), "{bound} above {best}");
        }
    }
}

#[test]
fn an_asymmetric_critical_point_is_not_exact() {
    // (t·v, −t·v) at γ below T3's bound is critical; nothing may call it exact.
    let a = Mat::from_fn(3, 3, |i, j| if i == j { -1.0 - i as f64 } else { 0.0 });
    let loss = Quadratic::new(dense(&a));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    for gamma in [0.3, 1.0, 1.4] {
        let t = (3.0_f64 - 2.0 * gamma).sqrt();
        let x = Mat::from_row_major(3, 1, vec![0.0, 0.0, t]);
        let y = Mat::from_row_major(3, 1, vec![0.0, 0.0, -t]);
        assert!(stationarity(&problem, &x, &y, gamma) < 1e-14);
        // Not even to someone who tolerates any asymmetry: the margin is not positive.
        for tolerance in [1e-6, 10.0] {
            let certificate = Certificate::of(&problem, &x, &y, gamma, tolerance).unwrap();
            assert!(!certificate.exact && certificate.margin <= 0.0, "{certificate}");
        }
    }
}

#[test]
fn both_ends_of_the_spectrum_prove_exact_and_optimal() {
    // C8 and T8 at the best XXᵀ: S within [−λ/2, 2γ + λ/2]. A point that misses one end loses the claim of that end only.
    let mut random = Random(84);
    for _ in 0..60 {
        let n = random.whole(2, 9);
        let r = random.whole(1, n - 1);
        // r eigenvalues above λ/2, and the others below, the last one negative.
        let lambda = 0.1 + random.uniform();
        let basis = symmetric_eigen(&random.symmetric(n)).unwrap().vectors;
        let mut values: Vec<f64> = (0..r).map(|_| 0.5 * lambda + 0.5 + random.uniform()).collect();
        values.extend((r..n).map(|_| 0.4 * lambda - random.uniform()));
        values[n - 1] = -1.2;
        let entry = |i: usize, j: usize| -> f64 {
            (0..n).map(|k| values[k] * basis[(k, i)] * basis[(k, j)]).sum()
        };
        let a = Mat::from_fn(n, n, entry);
        let gained = |k: usize| 0.5 * (values[k] - 0.5 * lambda).powi(2);
        let optimum = 0.5 * a.norm_squared() - (0..r).map(gained).sum::<f64>();
        let x = Mat::from_fn(n, r, |i, k| (values[k] - 0.5 * lambda).sqrt() * basis[(k, i)]);
        // Not the same bits, so that only the spectrum can prove that they agree.
        let mut y = x.clone();
        y.as_mut_slice()[0] += 1e-10;

        // ½‖Z − A‖² as measurements of all entries: then the eigenvalues of A prove nothing.
        let places: Vec<_> =
            (0..n as u32).flat_map(|i| (i..n as u32).map(move |j| (i, j))).collect();
        let targets: Vec<f64> = places.iter().map(|&(i, j)| a[(i as usize, j as usize)]).collect();
        let map = Box::new(Entries::new(n, &places).unwrap());
        let square = registry::scalar(&component("square")).unwrap();
        let loss = Composite::new(map, square, &targets, None).unwrap();
        let h = regulariser(&format!("ridge:lambda={lambda}"));
        let problem = Problem::new(&loss, &*h, r).unwrap();

        let gradient = eigenvalues(&sum(1.0, &outer(&x, &x), -1.0, &a));
        let (bottom, top) = (gradient[0], gradient[n - 1]);
        let threshold = 0.5 * top - 0.25 * lambda;
        let gamma = 1.01 * threshold;
        assert!(bottom >= -0.5 * lambda - 1e-12 && top < 2.0 * gamma + 0.5 * lambda);
        let found = Certificate::of(&problem, &x, &y, gamma, 1e-6).unwrap();
        assert!(found.exact && found.optimal && found.spectrum.proof.holds(), "{found}");
        assert_close(found.spectrum.low, bottom, 1e-6, "the lower end");
        assert_close(found.spectrum.high, top, 1e-6, "the upper end");
        assert_close(found.threshold, threshold, 1e-6, "the threshold");
        assert_close(found.loss + found.regularisation, optimum, 1e-7, "the objective");
        let bound = found.lower_bound.unwrap();
        assert!(matches!(bound.method, Method::Dual | Method::StrongConvexity), "{bound:?}");
        assert!(bound.value <= optimum + 1e-12 * (1.0 + optimum), "{bound:?}");

        // γ below the upper end: optimal, but not proved exact.
        let below = Certificate::of(&problem, &x, &y, 0.99 * threshold, 1e-6).unwrap();
        assert!(below.optimal && !below.exact, "{below}");
        // Without a column the point is critical and exact, but S reaches below −λ/2: not optimal.
        let less = Mat::from_fn(n, r, |i, k| if k == 0 { 0.0 } else { x[(i, k)] });
        let missed = Certificate::of(&problem, &less, &less, gamma, 1e-6).unwrap();
        assert!(missed.exact && !missed.optimal && missed.margin > 0.0, "{missed}");
        assert!(missed.spectrum.ritz_low < -0.5 * lambda - 0.4, "{missed}");
    }
}
