//! Ctrl-C and time limits as a user meets them: every command that solves programs ends in time, with what it has.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// Within which a command must end after Ctrl-C or its limit, on a busy machine; alone it takes two or three.
const STATED: Duration = Duration::from_secs(30);

/// A sparse graph that a hash decides.
fn graph(n: usize, degree: usize) -> String {
    let place =
        |i: usize, k: usize| (i * 7919 + k * 104_729).wrapping_mul(2_654_435_761) % 1_000_003 % i;
    let edges: BTreeSet<_> =
        (1..n).flat_map(|i| (0..degree).map(move |k| (i, place(i, k)))).collect();
    edges.iter().fold(String::new(), |text, (i, j)| text + &format!("{i} {j}\n"))
}

/// Runs a command that would take minutes, and interrupts it.
fn interrupted(directory: &Path, arguments: &[&str], patience: Duration) -> (Option<i32>, Value) {
    let child = Command::new(env!("CARGO_BIN_EXE_gramfold"))
        .current_dir(directory)
        .args(arguments)
        .arg("--json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    thread::sleep(patience);
    let asked = Instant::now();
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert!(asked.elapsed() < STATED, "{arguments:?} ended after {:?}", asked.elapsed());
    let claims = serde_json::from_slice(&output.stdout);
    (output.status.code(), claims.unwrap_or_else(|_| panic!("{}", text(&output.stderr))))
}

#[test]
fn ctrl_c_ends_the_rounding_of_cuts() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("g.txt"), graph(3000, 4)).expect("written");
    // The relaxation takes a second or two, the sweeps of annealing hours.
    for command in ["maxcut", "bisect"] {
        let arguments = [command, "g.txt", "--sweeps", "100000000", "--tol", "1e-3"];
        let (code, claims) = interrupted(directory.path(), &arguments, Duration::from_secs(4));
        assert!(matches!(code, Some(0 | 1)), "{code:?}");
        let cut = claims["objective"].as_f64().expect("a cut");
        let bound = claims["bound"]["value"].as_f64().expect("a bound");
        assert!(if command == "maxcut" { cut <= bound } else { cut >= bound });
    }
}

#[test]
fn time_limits_hold_for_the_rounding_of_cuts() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("g.txt"), graph(3000, 4)).expect("written");
    let begun = Instant::now();
    let arguments = ["maxcut", "g.txt", "--sweeps", "100000000", "--time-limit", "1", "--json"];
    let output = gramfold(directory.path(), &arguments);
    assert!(begun.elapsed() < STATED, "{:?}", begun.elapsed());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text(&output.stderr));
}

#[test]
fn what_is_claimed_of_a_run_cut_short_is_never_worse_than_what_is_evident() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("g.txt"), graph(500, 3)).expect("written");
    let run = |command: &str| {
        let arguments = [command, "g.txt", "--time-limit", "0.001", "--json"];
        let output = gramfold(directory.path(), &arguments);
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    let claims = run("theta");
    let (nodes, edges) = (claims["nodes"].as_u64().unwrap(), claims["edges"].as_f64().unwrap());
    assert!(claims["independent_at_most"].as_u64().unwrap() < nodes);
    assert!(claims["bound"]["value"].as_f64().unwrap() <= claims["clique_cover"].as_f64().unwrap());
    assert!(run("maxcut")["bound"]["value"].as_f64().unwrap() <= edges);
    assert!(run("bisect")["bound"]["value"].as_f64().unwrap() >= 0.0);
}
