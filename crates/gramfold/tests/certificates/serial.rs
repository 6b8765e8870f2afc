//! What is written as JSON reads back as it was.

use std::time::Duration;

use gramfold::{
    Certificate, Problem, Record, Spec, Status, Stop, linalg::Mat, loss::Quadratic, registry,
    solve, start,
};

use crate::common::{Random, complete, component, dense, regulariser};

fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn certificates_read_back() {
    let a = Random(131).symmetric(5);
    let loss = Quadratic::new(dense(&a));
    for text in ["zero", "ridge", "nonnegative"] {
        let h = regulariser(text);
        let problem = Problem::new(&loss, &*h, 2).unwrap();
        let x = Random(132).feasible(&*h, 5, 2);
        for gamma in [0.01, 10.0] {
            let certificate = Certificate::of(&problem, &x, &x, gamma, 1e-6).unwrap();
            assert_eq!(round_trip(&certificate), certificate);
        }
    }
}

#[test]
fn specs_read_back() {
    let mut spec = Spec { rank: 7, seed: u64::MAX, ..Spec::default() };
    assert_eq!(round_trip(&spec), spec);
    for entry in registry::RULES {
        spec.rule = complete(entry).with("epsilon", 0.1);
        assert_eq!(round_trip(&spec), spec);
    }
    spec.stop.time_limit = Some(Duration::from_millis(1500));
    spec.regulariser = component("ridge:lambda=0.25");
    assert_eq!(round_trip(&spec), spec);
    // Absent fields are defaults, and whole numbers are numbers.
    let short: Spec =
        serde_json::from_str(r#"{"rank": 3, "rule": {"name": "fixed", "gamma": 2}}"#).unwrap();
    assert_eq!(short, Spec { rank: 3, rule: component("fixed:gamma=2"), ..Spec::default() });
}

#[test]
fn a_spec_that_asks_for_no_stationarity_reads_back() {
    // An infinite tolerance is how `Stop` says that stationarity need not be measured.
    let stop = Stop { stationarity: f64::INFINITY, ..Stop::default() };
    let spec = Spec { stop, ..Spec::default() };
    assert_eq!(round_trip(&spec), spec);
}

#[test]
fn a_trace_reads_back_from_its_first_record() {
    let loss = Quadratic::new(dense(&Mat::identity(3)));
    let h = regulariser("zero");
    let problem = Problem::new(&loss, &*h, 1).unwrap();
    let spec = Spec { stop: Stop::default().max_iterations(3), ..Spec::default() };
    let mut trace: Vec<Record> = Vec::new();
    let start = start::random(&problem, 0);
    solve(&problem, spec.method().unwrap(), &start, &mut trace).unwrap();
    assert_eq!(round_trip(&trace), trace);
}

#[test]
fn components_read_back_from_their_text() {
    for text in ["ham", "fixed:gamma=0.125", "lorads:cap=20,every=3,factor=1.5"] {
        let component = component(text);
        assert_eq!(component.to_string(), text);
        assert_eq!(round_trip(&component), component);
    }
    let status = Status::Diverged(gramfold::Divergence::BlowUp);
    assert_eq!(round_trip(&status), status);
}
