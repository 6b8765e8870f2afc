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

/// A number in [0, 1) that a hash decides.
fn number(i: usize, j: usize) -> f64 {
    let mixed = (i as u64 * 0x9e37_79b9 + j as u64 + 1).wrapping_mul(0x2545_f491_4f6c_dd1d);
    (mixed >> 40) as f64 / (1_u64 << 24) as f64
}

/// Rows of numbers.
fn table(rows: usize, columns: usize, of: impl Fn(usize, usize) -> f64) -> String {
    (0..rows).fold(String::new(), |text, i| {
        let row: Vec<String> = (0..columns).map(|j| of(i, j).to_string()).collect();
        text + &row.join(",") + "\n"
    })
}

/// Every command that learns, on data that take it far longer than the limits below: its choices, run, and proof.
const LEARNING: [&[&str]; 9] = [
    &["complete", "numbers.txt"],
    &["complete", "numbers.txt", "--loss", "huber", "-r", "20", "--ridge", "0", "--folds", "0"],
    &["locate", "numbers.txt", "--dim", "2"],
    &["factors", "square.csv", "-k", "40"],
    &["metric", "points.csv", "--labels", "labels.txt"],
    &["correlation", "square.csv", "--rank", "40"],
    &["recover", "points.csv", "-r", "3"],
    &["kernel", "graph.txt", "--pairs", "pairs.txt", "-r", "60"],
    &["fit", "problem.toml"],
];

fn learning_data() -> TempDir {
    let directory = TempDir::new().expect("a temporary directory");
    let write = |name: &str, text: String| {
        fs::write(directory.path().join(name), text).expect("written");
    };
    let (n, m) = (4000, 700);
    write("graph.txt", graph(n, 10));
    let lines = graph(n, 20);
    let numbered = lines.lines().enumerate();
    let numbers = numbered.map(|(k, line)| format!("{line} {}\n", 1.0 + number(k, 1)));
    write("numbers.txt", numbers.collect());
    let pairs = (0..500).map(|k| format!("{} {} {}\n", 7 * k, 7 * k + 3, [1, -1][k % 2]));
    write("pairs.txt", pairs.collect());
    write(
        "square.csv",
        table(m, m, |i, j| if i == j { 1.0 } else { 2.0 * number(i.min(j), i.max(j)) - 1.0 }),
    );
    write("points.csv", table(3000, 60, |i, j| number(i, j) + f64::from(j == 59)));
    write("labels.txt", "c0\nc1\nc2\n".repeat(1000));
    let problem = "rank = 40\nstart = \"spectral\"\n[[term]]\nmap = \"entries\"\nfile = \"numbers.txt\"\nloss = \"huber:delta=0.01\"\n";
    write("problem.toml", problem.into());
    directory
}

#[test]
fn time_limits_hold_for_every_command_that_learns() {
    let directory = learning_data();
    for command in LEARNING {
        let limit = ["--time-limit", "0.05", "--tol", "1e-12", "--json", "--out", "o"];
        let begun = Instant::now();
        let output = gramfold(directory.path(), &[command, &limit].concat());
        let spent = begun.elapsed();
        assert!(spent < STATED, "{command:?}: {spent:?}");
        assert_eq!(output.status.code(), Some(1), "{command:?}: {}", text(&output.stderr));
        let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(claims["status"], "time_limit", "{command:?}");
        let checked = gramfold(directory.path(), &["check", "o"]);
        assert_eq!(checked.status.code(), Some(0), "{command:?}: {}", text(&checked.stdout));
    }
}

/// What held-out data were to tell is missed, though the fit itself may have converged.
#[test]
fn what_was_not_measured_or_chosen_is_said() {
    let directory = TempDir::new().expect("a temporary directory");
    let data = |name: &str| format!("{}/../../data/{name}", env!("CARGO_MANIFEST_DIR"));
    let (wine, ratings) = (data("wine.csv"), data("ratings.csv"));
    let metric = ["metric", &wine, "--label-column", "cultivar", "--folds", "178"];
    let complete = ["complete", &ratings, "--biases", "none"];
    for (line, limit, expected) in [
        (&metric[..], "0.3", "stopped before the accuracy was measured"),
        (&complete, "1e-6", "stopped before rank and ridge were chosen"),
        (&[&complete[..], &["-r", "2"]].concat(), "1e-6", "stopped before the ridge was chosen"),
    ] {
        let limited = ["--time-limit", limit, "--threads", "1", "--json", "--out", "o"];
        let output = gramfold(directory.path(), &[line, &limited].concat());
        assert_eq!(output.status.code(), Some(1), "{line:?}: {}", text(&output.stderr));
        let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(claims["status"], "time_limit", "{line:?}");
        let warnings = claims["warnings"].as_array().expect("a list");
        assert!(warnings.contains(&expected.into()), "{line:?}: {warnings:?}");
        let checked = gramfold(directory.path(), &["check", "o"]);
        assert_eq!(checked.status.code(), Some(0), "{line:?}: {}", text(&checked.stdout));
    }
}

#[test]
fn ctrl_c_ends_every_command_that_learns() {
    let directory = learning_data();
    for command in LEARNING {
        let line = [command, &["--tol", "1e-14", "--out", "o"]].concat();
        let (code, claims) = interrupted(directory.path(), &line, Duration::from_secs(1));
        // A quick one may have come to its end before.
        let ended = claims["status"] == "interrupted" && code == Some(1);
        assert!(
            ended || matches!(claims["status"].as_str(), Some("converged" | "stalled")),
            "{command:?}: {code:?} {}",
            claims["status"]
        );
    }
}
