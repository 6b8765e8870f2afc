//! Every algorithm with every γ rule, on every loss and regulariser: an answer or a clear refusal.

use gramfold::{
    Error, Method, Problem, Status, Stop,
    linalg::Mat,
    registry::{self, ALGORITHMS, LOSSES, RULES},
    regulariser::Shape,
    solve, start,
};

use crate::common::{
    Random, complete, component, custom::Decline, dense, method, regulariser, regularisers,
};

fn data() -> Mat {
    let mut random = Random(14);
    let b = random.positive(8, 3);
    Mat::from_fn(8, 8, |i, j| (0..3).map(|k| b[(i, k)] * b[(j, k)]).sum())
}

#[test]
fn every_combination_runs_or_is_refused() {
    let mut refused = Vec::new();
    for (loss, h) in
        LOSSES.iter().flat_map(|entry| regularisers().into_iter().map(move |h| (entry, h)))
    {
        let built = (loss.build)(dense(&data()));
        let problem = Problem::new(&*built, &*h, 3).unwrap();
        for (algorithm, rule) in ALGORITHMS.iter().flat_map(|a| RULES.iter().map(move |r| (a, r))) {
            let what = format!("{} {} {} {}", loss.name, h.name(), algorithm.name, rule.name);
            let method = Method {
                algorithm: registry::algorithm(&complete(algorithm)).unwrap(),
                rule: registry::rule(&complete(rule)).unwrap(),
                stop: Stop::default().max_iterations(30),
            };
            assert_eq!(method.algorithm.name(), algorithm.name);
            assert_eq!(method.rule.name(), rule.name);
            match solve(&problem, method, &start::random(&problem, 1), &mut ()) {
                Ok(solution) => {
                    // The factors are finite even after divergence: the last finite iterate.
                    assert!(solution.x.is_finite() && solution.y.is_finite(), "{what}");
                    let diverged = matches!(solution.status, Status::Diverged(_));
                    assert!(diverged || solution.last.split_objective.is_finite(), "{what}");
                    assert!(diverged || solution.gamma > 0.0, "{what}: γ = {}", solution.gamma);
                }
                Err(error) => {
                    let text = error.to_string();
                    let part = text.contains(rule.name) || text.contains(algorithm.name);
                    let cause = text.contains(loss.name) || text.contains(h.name());
                    assert!(part && cause, "{what}: {text}");
                    refused.push((loss.name, algorithm.name, rule.name, h.shape()));
                }
            }
        }
    }
    // A linear loss is unbounded below, has no curvature and no A; sweeps need a separable h, second-order methods one that
    // they know; all else goes together.
    let named = |loss, algorithm, rule| {
        refused.iter().any(|(l, a, r, _)| (*l, *a, *r) == (loss, algorithm, rule))
    };
    assert!(
        named("linear", "am", "safe") && named("quadratic", "lbfgs", "spectral"),
        "{refused:?}"
    );
    let expected = |(loss, algorithm, rule, shape): &(&str, &str, &str, Shape)| {
        let second_order = ["gauss-newton", "conjugate", "lbfgs"].contains(algorithm);
        let known = match *algorithm {
            "gauss-newton" | "conjugate" => {
                matches!(shape, Shape::Ridge { .. } | Shape::Nonnegative)
            }
            "lbfgs" => matches!(shape, Shape::Ridge { .. }),
            name => !name.starts_with("ham") || shape.is_separable(),
        };
        let linear = *loss == "linear" && (["safe", "zhu", "kuang"].contains(rule) || second_order);
        // Two rules of the literature are made from A itself, and two sweeps need one Gram for all rows.
        let partial = *loss == "off-diagonal"
            && (["zhu", "kuang"].contains(rule)
                || ["ham-jacobi", "ham-extrapolated"].contains(algorithm));
        linear || partial || !known
    };
    assert!(refused.iter().all(expected), "{refused:?}");
}

#[test]
fn a_refusal_names_both_parts() {
    let loss = (LOSSES.iter().find(|l| l.name == "linear").unwrap().build)(dense(&data()));
    let h = regulariser("zero");
    let problem = Problem::new(&*loss, &*h, 2).unwrap();
    let run = method("am", "safe", Stop::default());
    let error = solve(&problem, run, &Mat::zeros(8, 2), &mut ()).err();
    let Some(Error::Incompatible { .. }) = error else { panic!("{error:?}") };
    let text = error.unwrap().to_string();
    assert!(text.contains("`safe`") && text.contains("`linear`"), "{text}");
    assert!(text.contains("bounded below"), "{text}");
}

#[test]
fn unknown_names_and_bad_values_are_refused_by_name() {
    let cases = [
        ("spectrl", vec!["spectrl", "spectral", "safe"]),
        ("spectral:delt=1", vec!["delt", "delta", "floor"]),
        ("fixed", vec!["gamma", "fixed:gamma="]),
        ("fixed:gamma=0", vec!["gamma", "positive"]),
        ("spectral:delta=-1", vec!["delta", "-1"]),
        ("spectral:delta=inf", vec!["delta", "inf"]),
    ];
    for (text, words) in cases {
        let message = registry::rule(&component(text)).err().expect(text).to_string();
        for word in words {
            assert!(message.contains(word), "{text}: {message}");
        }
    }
}

#[test]
fn the_start_must_fit_the_problem() {
    let loss = (LOSSES[0].build)(dense(&data()));
    let h = regulariser("zero");
    let problem = Problem::new(&*loss, &*h, 2).unwrap();
    let run = |start: &Mat| {
        solve(&problem, method("am", "spectral", Stop::default()), start, &mut ()).err()
    };
    assert!(matches!(run(&Mat::zeros(8, 3)), Some(Error::Shape { cols: 3, rank: 2, .. })));
    let nan = Mat::from_fn(8, 2, |_, _| f64::NAN);
    assert!(matches!(run(&nan), Some(Error::NotFinite { .. })));
    assert!(matches!(Problem::new(&*loss, &*h, 9).err(), Some(Error::Rank { rank: 9, dim: 8 })));
}

#[test]
fn a_run_may_start_at_zero() {
    // h pulls away from 0, and the data have no scale: growing from nothing is not divergence.
    let loss = (LOSSES[0].build)(dense(&Mat::zeros(1, 1)));
    let h = Decline { mu: 1.0, end: 3.0 };
    let problem = Problem::new(&*loss, &h, 1).unwrap();
    let run = method("am", "fixed:gamma=1.23", Stop::default());
    let solution = solve(&problem, run, &Mat::zeros(1, 1), &mut ()).unwrap();
    assert_eq!(solution.status, Status::Converged);
    assert!((solution.factor[(0, 0)] - 0.5_f64.cbrt()).abs() < 1e-5);
}
