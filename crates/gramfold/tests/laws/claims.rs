//! No run is called converged or exact where the problem itself, looked at without a split and without γ, is not
//! stationary: every loss, regulariser, algorithm and γ rule, on data of any scale.

use gramfold::{
    Certificate, Loss, Method, Problem, Regulariser, Status, Stop,
    linalg::Mat,
    loss::Quadratic,
    registry::{self, ALGORITHMS, Component, LOSSES, RULES},
    solve,
    start::{self, Start},
};

use crate::common::{
    Random, complete, component, dense, method, outer, product, regulariser, regularisers, scaled,
    sum, symmetric_part, top,
};

const TOLERANCE: f64 = 1e-6;

/// The length of a proximal gradient step of ½f(XXᵀ) + ½h(X), relative to X, from the formula: G = ∇f(XXᵀ) as a dense
/// matrix, and a step of 1/(‖X‖₂² + ‖∇f(0)‖₂).
fn residual(loss: &dyn Loss, h: &dyn Regulariser, x: &Mat) -> f64 {
    let (n, r) = (x.rows(), x.cols());
    let gradient = |at: &Mat| {
        let mut evaluation = loss.evaluation(r);
        evaluation.folded(at);
        let mut columns = Mat::zeros(n, n);
        evaluation.apply(at, at, &Mat::identity(n), &mut columns);
        columns
    };
    let norm = |m: &Mat| top(&product(&m.transposed(), m)).max(0.0).sqrt();
    let curvature = norm(x).powi(2) + norm(&gradient(&Mat::zeros(n, r)));
    let step = 1.0 / curvature.max(1e-200);
    let mut trial = sum(1.0, x, -step, &product(&gradient(x), x));
    h.prox(trial.as_mut_slice(), r, 0.5 * step);
    let moved = sum(1.0, &trial, -1.0, x).norm();
    // What vanished against the data, or where they are zero against the numbers there are, is zero.
    let size = x.norm().max(1e-8 * loss.constants().scale.sqrt()).max(1e-65);
    if moved == 0.0 { 0.0 } else { moved / size }
}

/// Judges a run and its certificate; says what was claimed.
fn judge(problem: &Problem<'_>, method: Method, start: &Mat, what: &str) -> (bool, bool) {
    let tolerance = method.stop.stationarity;
    let Ok(run) = solve(problem, method, start, &mut ()) else { return (false, false) };
    if matches!(run.status, Status::Diverged(_)) {
        return (false, false);
    }
    let certificate = Certificate::of(problem, &run.x, &run.y, run.gamma, tolerance).unwrap();
    let converged = run.status == Status::Converged;
    if converged || certificate.exact {
        let truth = residual(problem.loss, problem.regulariser, &run.factor);
        let claims = format!("{what}: {:?}, exact: {}", run.status, certificate.exact);
        assert!(truth <= 2.0 * tolerance, "{claims}, but the residual is {truth:e}");
        let larger = certificate.stationarity.max(certificate.split_stationarity);
        assert!(!converged || larger <= 1.01 * tolerance, "{claims}: {certificate:?}");
    }
    (converged, certificate.exact)
}

fn rules() -> Vec<Component> {
    let extreme = ["fixed:gamma=1e20", "fixed:gamma=1e-20", "lorads:gamma0=1e15"];
    RULES.iter().map(complete).chain(extreme.map(component)).collect()
}

#[test]
fn nothing_is_claimed_of_a_point_that_is_not_stationary() {
    let mut random = Random(77);
    let b = random.positive(8, 3);
    let plain = sum(1.0, &outer(&b, &b), 0.2, &random.symmetric(8));
    let (mut converged, mut exact) = (0, 0);
    for scale in [1e-30, 1e-25, 1e-8, 1.0, 1e10, 1e20, 1e30] {
        let a = dense(&scaled(scale, &plain));
        for (entry, h) in
            LOSSES.iter().flat_map(|e| regularisers().into_iter().map(move |h| (e, h)))
        {
            let loss = (entry.build)(a.clone());
            let problem = Problem::new(&*loss, &*h, 2).unwrap();
            let start = start::random(&problem, 3);
            for (algorithm, rule) in
                ALGORITHMS.iter().flat_map(|a| rules().into_iter().map(move |r| (a, r)))
            {
                let method = Method {
                    algorithm: registry::algorithm(&complete(algorithm)).unwrap(),
                    rule: registry::rule(&rule).unwrap(),
                    stop: Stop::default().tolerance(TOLERANCE).max_iterations(60),
                };
                let what =
                    format!("{scale:e} {} {} {} {rule}", entry.name, h.name(), algorithm.name);
                let claims = judge(&problem, method, &start, &what);
                converged += usize::from(claims.0);
                exact += usize::from(claims.1);
            }
        }
    }
    // Teeth: claims are made.
    assert!(converged > 500 && exact > 500, "{converged} {exact}");
}

/// γ of 10²⁰ holds X = Y wherever they are, and says nothing of the loss.
#[test]
fn a_gamma_out_of_proportion_converges_to_nothing() {
    let mut random = Random(78);
    let loss = Quadratic::new(dense(&symmetric_part(&random.positive(10, 10))));
    for name in ["zero", "ridge", "nonnegative"] {
        let h = regulariser(name);
        let problem = Problem::new(&loss, &*h, 2).unwrap();
        let start = start::random(&problem, 1);
        for algorithm in ["ham", "am", "ham-extrapolated", "admm"] {
            let run = method(algorithm, "fixed:gamma=1e20", Stop::default().max_iterations(50));
            let claims = judge(&problem, run, &start, algorithm);
            assert_eq!(claims, (false, false), "{name} {algorithm}");
            let run = method(algorithm, "spectral", Stop::default());
            let claims = judge(&problem, run, &start, algorithm);
            assert_eq!(claims, (true, true), "{name} {algorithm}");
        }
        // X = Y to the last bit, far from stationary.
        for gamma in [1e10, 1e20, 1e300] {
            let certificate = Certificate::of(&problem, &start, &start, gamma, 1e-6).unwrap();
            assert!(!certificate.exact && certificate.stationarity > 1e-3, "{certificate:?}");
        }
    }
}

/// Where A is zero the factor vanishes, and what was only updated along lines is all rounding.
#[test]
fn a_vanishing_factor_is_judged_afresh() {
    let loss = Quadratic::new(dense(&Mat::zeros(4, 4)));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 2).unwrap();
    for seed in 40..60 {
        for start in [Start::Spectral, Start::Random] {
            let start = start.factor(&problem, seed).unwrap();
            for algorithm in ["gauss-newton", "direct"] {
                let run = method(algorithm, "spectral", Stop::default().tolerance(1e-9));
                let claims = judge(&problem, run, &start, &format!("{algorithm} {seed}"));
                assert_eq!(claims, (true, true), "{algorithm} {seed}");
            }
        }
    }
}
