//! `gramfold theta` as a user meets it.

use std::fs;

use crate::common::{KARATE, gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// Runs `theta --json` on an edge list and returns the object.
fn theta(edges: &str, arguments: &[&str]) -> Value {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("graph.txt"), edges).expect("written");
    let output =
        gramfold(directory.path(), &[&["theta", "graph.txt", "--json"][..], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let saved = fs::read(directory.path().join("graph.theta/solution.json")).expect("written");
    let saved: Value = serde_json::from_slice(&saved).expect("JSON");
    let mut printed = claims.clone();
    assert_eq!(printed.as_object_mut().unwrap().remove("directory"), Some("graph.theta".into()));
    assert_eq!(saved, printed);
    claims
}

/// The number, checked against its bound.
#[track_caller]
fn number(claims: &Value, expected: f64) {
    let (found, bound) =
        (claims["objective"].as_f64().unwrap(), claims["bound"]["value"].as_f64().unwrap());
    assert!((found - expected).abs() < 3e-6 * (1.0 + expected), "{found} for {expected}");
    assert!(bound >= expected - 1e-9 && bound < expected + 5e-6 * (1.0 + expected), "{bound}");
    assert_eq!(claims["status"], "solved");
    assert_eq!(claims["independent_at_most"].as_u64().unwrap(), bound.floor() as u64);
}

fn cycle(n: usize) -> String {
    (0..n).fold(String::new(), |text, i| text + &format!("{i} {}\n", (i + 1) % n))
}

/// Binary words of a length, joined when they differ in at most so many places.
fn near_words(length: u32, distance: u32) -> String {
    let mut edges = String::new();
    for i in 0_u32..1 << length {
        for j in 0..i {
            if (i ^ j).count_ones() <= distance {
                edges += &format!("{i} {j}\n");
            }
        }
    }
    edges
}

#[test]
fn the_pentagon_is_root_five_and_long_cycles_follow_the_formula() {
    number(&theta(&cycle(5), &[]), 5.0_f64.sqrt());
    for n in [31, 61] {
        let cos = (std::f64::consts::PI / n as f64).cos();
        let claims = theta(&cycle(n), &["--seed", "3", "--threads", "1"]);
        number(&claims, n as f64 * cos / (1.0 + cos));
        assert_eq!(claims["independent_at_most"], n / 2);
        let method = if n > 40 { "low_rank" } else { "interior" };
        assert_eq!(claims["method"], method);
    }
}

#[test]
fn schrijvers_number_is_smaller_where_it_is_known_to_be() {
    // Words of length 6 at distance at least 4: at most 4 of them; θ = 16/3 but θ′ = 4 (Schrijver 1979).
    let edges = near_words(6, 3);
    number(&theta(&edges, &[]), 16.0 / 3.0);
    let plus = theta(&edges, &["--plus"]);
    number(&plus, 4.0);
    assert_eq!(plus["spec"]["plus"], true);
}

#[test]
fn loops_are_left_out_and_counted() {
    let claims = theta(&(cycle(7) + "2 2\n"), &[]);
    assert_eq!((claims["loops"].as_u64(), claims["edges"].as_u64()), (Some(1), Some(7)));
    let cos = (std::f64::consts::PI / 7.0).cos();
    number(&claims, 7.0 * cos / (1.0 + cos));
}

#[test]
fn the_summary_says_what_is_proved_and_the_report_shows_it() {
    let directory = TempDir::new().expect("a temporary directory");
    let arguments = ["theta", KARATE, "--out", "o", "--report", "page.html", "--tol", "1e-7"];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary = text(&output.stdout);
    // The club's ties leave 20 members of whom no two know each other, and θ proves that no 21 do.
    assert!(summary.contains("34 nodes, 78 edges"), "{summary}");
    assert!(summary.contains("no independent set has more than 20 nodes"), "{summary}");
    let page = fs::read_to_string(directory.path().join("page.html")).expect("written");
    assert!(page.contains("θ of ") && page.contains("proved upper bound"));
    for name in ["dual.npy", "trace.jsonl", "graph.mtx", "solution.json"] {
        assert!(directory.path().join("o").join(name).exists(), "{name}");
    }
}

#[test]
fn what_is_no_graph_is_refused_in_one_sentence() {
    let directory = TempDir::new().expect("a temporary directory");
    let output = gramfold(directory.path(), &["theta", "missing.txt"]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.starts_with("error: ") && message.contains("missing.txt"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn time_that_runs_out_is_said_and_exits_with_one() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("words.txt"), near_words(7, 3)).expect("written");
    let arguments = ["theta", "words.txt", "--plus", "--json", "--time-limit", "0.001"];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_ne!(claims["status"], "solved");
}

#[test]
fn check_confirms_what_was_claimed_and_finds_what_was_changed() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("graph.txt"), cycle(5)).expect("written");
    assert_eq!(gramfold(directory.path(), &["theta", "graph.txt"]).status.code(), Some(0));
    let output = gramfold(directory.path(), &["check", "graph.theta"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let solution = directory.path().join("graph.theta/solution.json");
    let claims = fs::read_to_string(&solution).expect("readable");
    let changed = claims.replace("\"independent_at_most\": 2", "\"independent_at_most\": 1");
    assert_ne!(changed, claims);
    fs::write(&solution, changed).expect("written");
    let output = gramfold(directory.path(), &["check", "graph.theta"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}
