//! A run that is saved, or resumed, takes the same path, to the last bit.

use std::ops::ControlFlow;

use gramfold::{
    Checkpoint, Method, Observer, Problem, Record, Spec, Stop, factorise,
    linalg::Mat,
    loss::Quadratic,
    registry::{self, ALGORITHMS, RULES},
    resume, solve,
    start::{self, Start},
};

use crate::common::{Random, complete, dense, outer, regulariser, sum};

/// Keeps the trace, and one checkpoint on the way.
#[derive(Default)]
struct Keeper {
    at: Vec<usize>,
    trace: Vec<Record>,
    kept: Vec<Checkpoint>,
}

impl Observer for Keeper {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        self.trace.push(Record { seconds: 0.0, ..record.clone() });
        ControlFlow::Continue(())
    }

    fn wants_checkpoint(&mut self, record: &Record) -> bool {
        self.at.contains(&record.iteration)
    }

    fn checkpoint(&mut self, checkpoint: Checkpoint) {
        self.kept.push(checkpoint);
    }
}

#[test]
fn every_algorithm_and_rule_goes_on_from_a_checkpoint_to_the_same_bits() {
    let mut random = Random(31);
    let b = random.positive(40, 3);
    let a = sum(1.0, &outer(&b, &b), 0.3, &random.symmetric(40));
    let loss = Quadratic::new(dense(&a));
    for (algorithm, rule) in ALGORITHMS.iter().flat_map(|a| RULES.iter().map(move |r| (a, r))) {
        let h = regulariser(if algorithm.name == "lbfgs" { "zero" } else { "nonnegative" });
        let problem = Problem::new(&loss, &*h, 3).unwrap();
        let start = start::random(&problem, 1);
        let what = format!("{} {}", algorithm.name, rule.name);
        let method = || Method {
            algorithm: registry::algorithm(&complete(algorithm)).unwrap(),
            rule: registry::rule(&complete(rule)).unwrap(),
            stop: Stop::default().tolerance(1e-13).max_iterations(25),
        };
        let mut unsaved = Keeper::default();
        let expected = solve(&problem, method(), &start, &mut unsaved).unwrap();
        let mut whole = Keeper { at: vec![0, 7, 16], ..Keeper::default() };
        let saved = solve(&problem, method(), &start, &mut whole).unwrap();
        assert_eq!((&saved.x, &saved.y), (&expected.x, &expected.y), "{what}: saved");
        assert_eq!(whole.trace, unsaved.trace, "{what}: saved");
        for checkpoint in whole.kept {
            let at = checkpoint.iteration();
            let mut rest = Keeper { at: vec![16], ..Keeper::default() };
            let json = serde_json::to_string(&checkpoint).unwrap();
            let read = serde_json::from_str(&json).unwrap();
            let found = resume(&problem, method(), read, &mut rest).unwrap();
            assert_eq!(found.x, expected.x, "{what} from {at}");
            assert_eq!(found.y, expected.y, "{what} from {at}");
            assert_eq!(found.status, expected.status, "{what} from {at}");
            assert_eq!(rest.trace, whole.trace[at + 1..], "{what} from {at}");
        }
    }
}

/// A weak cluster has no column and two share another, so the default exchanges columns on the way.
#[test]
fn a_run_that_exchanges_columns_goes_on_from_anywhere_to_the_same_bits() {
    let mut random = Random(5);
    let of = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3];
    let noise = random.symmetric(20);
    let a = Mat::from_fn(20, 20, |i, j| f64::from(of[i] == of[j]) + 0.02 * noise[(i, j)].abs());
    let loss = Quadratic::new(dense(&a));
    let h = regulariser("nonnegative");
    let problem = Problem::new(&loss, &*h, 4).unwrap();
    let start =
        Mat::from_fn(20, 4, |i, j| if j == 3 { f64::from(i < 4) } else { f64::from(of[i] == j) });
    let spec = Spec { rank: 4, ..Spec::default() };
    let every: Vec<usize> = (0..1000).collect();
    let mut whole = Keeper { at: every.clone(), ..Keeper::default() };
    let expected = solve(&problem, spec.method().unwrap(), &start, &mut whole).unwrap();
    let stuck = whole.trace.windows(2).find(|pair| pair[1].loss > 0.999 * pair[0].loss);
    assert!(stuck.is_some_and(|pair| expected.last.loss < 0.5 * pair[0].loss));
    for checkpoint in whole.kept {
        let mut rest = Keeper { at: every.clone(), ..Keeper::default() };
        let found = resume(&problem, spec.method().unwrap(), checkpoint, &mut rest).unwrap();
        assert_eq!((found.x, found.y), (expected.x.clone(), expected.y.clone()));
    }
}

/// The start's products with A are scaled with it, which rounds otherwise than products with the scaled start.
#[test]
fn a_run_goes_on_from_its_spectral_start_to_the_same_bits() {
    let mut random = Random(8);
    let b = random.positive(30, 3);
    let a = sum(1.0, &outer(&b, &b), 0.3, &random.symmetric(30));
    let loss = Quadratic::new(dense(&a));
    let h = regulariser("nonnegative");
    let problem = Problem::new(&loss, &*h, 3).unwrap();
    let mut spec = Spec { rank: 3, start: Start::Spectral, ..Spec::default() };
    spec.stop = spec.stop.tolerance(1e-13).max_iterations(25);
    let expected = factorise(&problem, &spec, &mut ()).unwrap();
    let mut whole = Keeper { at: vec![0, 1, 2], ..Keeper::default() };
    let saved = factorise(&problem, &spec, &mut whole).unwrap();
    assert_eq!((&saved.x, &saved.y), (&expected.x, &expected.y));
    assert_eq!(whole.kept.len(), 3);
    for checkpoint in whole.kept {
        let mut rest = Keeper::default();
        let found = resume(&problem, spec.method().unwrap(), checkpoint, &mut rest).unwrap();
        assert_eq!((found.x, found.y), (expected.x.clone(), expected.y.clone()));
    }
}
