//! `gramfold solve` as a user meets it.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::common::{gramfold, text, without_numbers};
use insta::assert_snapshot;
use serde_json::Value;
use tempfile::TempDir;

/// Max-Cut on a ring of n nodes; for even n everything can be cut.
fn ring(n: usize) -> String {
    let ones = vec!["1"; n].join(" ");
    let mut text = format!("\"Max-Cut on a ring\"\n{n} = m\n1 = blocks\n({n})\n{{{ones}}}\n");
    for i in 1..=n {
        let next = i % n + 1;
        text += &format!(
            "0 1 {i} {i} 0.5\n0 1 {} {} -0.25\n{i} 1 {i} {i} 1\n",
            i.min(next),
            i.max(next)
        );
    }
    text
}

/// The Lovász number of the cycle of five nodes: √5 (Lovász, 1979).
fn pentagon() -> String {
    let mut text = String::from("6\n1\n5\n1 0 0 0 0 0\n");
    for i in 1..=5 {
        (i..=5).for_each(|j| text += &format!("0 1 {i} {j} 1\n"));
        text += &format!("1 1 {i} {i} 1\n");
        let (a, b) = (i.min(i % 5 + 1), i.max(i % 5 + 1));
        text += &format!("{} 1 {a} {b} 1\n", i + 1);
    }
    text
}

/// max −y₁₁ − 2w₁ s.t. y₁₁ + w₁ = 1 and y₂₂ + w₂ = 1, w a diagonal block; the optimum is −1.
const MIXED: &str =
    "2\n2\n2 -2\n1 1\n0 1 1 1 -1\n0 2 1 1 -2\n1 1 1 1 1\n1 2 1 1 1\n2 1 2 2 1\n2 2 2 2 1\n";

/// z₁₁ = 1, z₂₂ = 1, 2z₁₂ = 3: a correlation beyond one.
const INFEASIBLE: &str = "3\n1\n2\n1 1 3\n0 1 1 1 1\n1 1 1 1 1\n2 1 2 2 1\n3 1 1 2 1\n";

/// max y₂₂ s.t. y₁₁ − y₂₂ = 1: it grows without end.
const UNBOUNDED: &str = "1\n1\n2\n1\n0 1 2 2 1\n1 1 1 1 1\n1 1 2 2 -1\n";

fn written(content: &str) -> TempDir {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("a.dat-s"), content).expect("written");
    directory
}

fn solved_in(directory: &Path, arguments: &[&str]) -> Value {
    let output = gramfold(directory, &[&["solve", "a.dat-s", "--json"][..], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{} {}", text(&output.stdout), text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn solved(content: &str, arguments: &[&str]) -> Value {
    solved_in(written(content).path(), arguments)
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn every_method_finds_the_same_optimum_and_proves_it() {
    let cases = [
        (ring(20), 20.0, &["auto", "interior", "lowrank", "diagonal"][..]),
        (pentagon(), 5_f64.sqrt(), &["auto", "interior", "lowrank"]),
        (MIXED.into(), -1.0, &["auto", "interior", "lowrank"]),
    ];
    for (content, optimum, methods) in cases {
        for method in methods {
            let object = solved(&content, &["--method", method]);
            let (value, bound) = (number(&object["objective"]), number(&object["bound"]["value"]));
            assert_eq!(object["status"], "solved");
            assert!((value - optimum).abs() < 1e-5, "{method}: {value} for {optimum}");
            assert!(bound >= optimum - 1e-12 && bound < optimum + 1e-4, "{method}: {bound}");
            assert_eq!(object["bound"]["kind"], "rigorous");
            let errors = object["dimacs"].as_array().expect("a list");
            assert!(errors.iter().all(|e| number(e).abs() < 1e-5), "{method}: {errors:?}");
        }
    }
}

#[test]
fn json_is_one_object_with_every_field_and_the_directory_holds_it_all() {
    let directory = written(&pentagon());
    let object = solved_in(directory.path(), &["--out", "solved", "--report", "page.html"]);
    for key in [
        "status",
        "objective",
        "dual_objective",
        "bound",
        "gap",
        "relative_gap",
        "dimacs",
        "ranks",
        "gamma",
        "threshold",
        "exact",
        "method",
        "why",
        "iterations",
        "seconds",
        "cpu_seconds",
        "words",
    ] {
        assert!(object.get(key).is_some(), "{key} is missing");
    }
    assert_eq!(object["dimacs"].as_array().expect("a list").len(), 6);
    assert_eq!(object["ranks"].as_array().expect("a list").len(), 1);
    let solved = directory.path().join("solved");
    let saved: Value =
        serde_json::from_slice(&fs::read(solved.join("solution.json")).expect("readable"))
            .expect("JSON");
    assert_eq!(saved["objective"], object["objective"]);
    for name in ["dual.npy", "trace.jsonl", "program.dat-s"] {
        assert!(solved.join(name).is_file(), "{name}");
    }
    let files = object["files"].as_object().expect("names");
    assert!(files.keys().any(|role| role.starts_with("block-1-")), "{files:?}");
    let mut names: Vec<_> = files.values().map(|name| name.as_str().expect("a name")).collect();
    names.sort_unstable();
    let mut found: Vec<_> = fs::read_dir(&solved)
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8"))
        .collect();
    found.sort_unstable();
    assert_eq!(found, names, "every file is named, and nothing else is there");
    assert_eq!(object["directory"], "solved");
    let page = fs::read_to_string(directory.path().join("page.html")).expect("a page");
    for part in [
        "<!doctype html>",
        "Convergence",
        "Spectrum of Z",
        "no feasible Y is above",
        "gramfold solve a.dat-s",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_summary_says_which_method_why_and_what_is_proved() {
    let directory = written(&ring(12));
    let output = gramfold(directory.path(), &["solve", "a.dat-s"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "no progress line when piped: {}", text(&output.stderr));
    assert_snapshot!(without_numbers(&text(&output.stdout)), @r"
    # constraints, a block of # rows, # stored entries
    solved by diagonal after # iterations, # s: the constraints fix the diagonal of a block of # rows
    objective #, bound #, ranks #
    optimal: Y meets the constraints to #, and no feasible Y is above # (rigorous, by factorisation); relative gap #
    written to a.solve
    ");
}

#[test]
fn infeasible_and_unbounded_programs_are_proved_so() {
    let object = solved(INFEASIBLE, &[]);
    // SDPA's names: its dual is the problem in Y.
    assert_eq!(object["status"], "dual_infeasible");
    assert!(object["words"].as_str().expect("words").contains("no Y ⪰ 0 meets the constraints"));
    let object = solved(UNBOUNDED, &[]);
    assert_eq!(object["status"], "primal_infeasible");
    assert!(object["words"].as_str().expect("words").contains("no x makes"));
    // A negative trace is hopeless without any iteration.
    let object = solved("1\n1\n2\n-1\n1 1 1 1 1\n1 1 2 2 1\n", &[]);
    assert_eq!(
        (object["status"].as_str(), object["iterations"].as_u64()),
        (Some("dual_infeasible"), Some(0))
    );
}

/// max ⟨F₀, Y⟩ over Y ⪰ 0 alone is 0 where −F₀ is definite, and has no bound where F₀ has a positive direction.
#[test]
fn programs_without_constraints_are_answered() {
    for content in ["0\n1\n2\n0 1 1 1 -1\n0 1 2 2 -2\n", "0\n1\n2\n\n0 1 1 1 -1\n0 1 2 2 -2\n"] {
        let directory = written(content);
        let object = solved_in(directory.path(), &[]);
        assert_eq!(
            (object["status"].as_str(), object["objective"].as_f64()),
            (Some("solved"), Some(0.0))
        );
        let checked = gramfold(directory.path(), &["check", "a.solve"]);
        assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
    }
    let directory = written("0\n1\n2\n0 1 1 1 1\n0 1 2 2 -2\n");
    assert_eq!(solved_in(directory.path(), &[])["status"], "primal_infeasible");
    let checked = gramfold(directory.path(), &["check", "a.solve"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
}

#[test]
fn a_solution_is_a_start_for_the_next_run() {
    let directory = written(&ring(30));
    let cold = solved_in(directory.path(), &["--out", "first", "--method", "lowrank"]);
    fs::rename(directory.path().join("first"), directory.path().join("moved")).expect("renamed");
    let warm = solved_in(directory.path(), &["--warm", "moved", "--method", "lowrank"]);
    assert!(number(&warm["iterations"]) <= number(&cold["iterations"]), "{warm} {cold}");
    let other = written(&ring(31));
    let moved = directory.path().join("moved");
    let output =
        gramfold(other.path(), &["solve", "a.dat-s", "--warm", moved.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("does not fit block 1"), "{}", text(&output.stderr));
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    for (content, method) in
        [(ring(60), "diagonal"), (pentagon(), "interior"), (ring(40), "lowrank")]
    {
        let objective = |threads| {
            solved(&content, &["--method", method, "--threads", threads])["objective"].clone()
        };
        assert_eq!(objective("1"), objective("3"), "{method}");
    }
}

#[test]
fn a_time_limit_or_ctrl_c_returns_the_best_point_with_exit_code_1() {
    let directory = written(&pentagon());
    let arguments = [
        "solve",
        "a.dat-s",
        "--tol",
        "1e-15",
        "--method",
        "lowrank",
        "--time-limit",
        "0.2",
        "--json",
    ];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_ne!(object["status"], "solved");
    assert!(directory.path().join("a.solve/solution.json").is_file());
}

/// A random Max-Cut problem that takes long enough to be interrupted.
fn long_running() -> String {
    let n = 6000;
    let ones = vec!["1"; n].join(" ");
    let mut text = format!("{n}\n1\n{n}\n{ones}\n");
    for i in 1..=n {
        text += &format!("{i} 1 {i} {i} 1\n");
        let mut seen = vec![i];
        for k in 1..12_usize {
            let j = (i * 7919 + k * k * 104_729 + i * i * k) % n + 1;
            if j > i && !seen.contains(&j) {
                seen.push(j);
                text += &format!("0 1 {i} {j} {}\n", if (i + k) % 2 == 0 { 1 } else { -1 });
            }
        }
    }
    text
}

#[cfg(unix)]
#[test]
fn ctrl_c_returns_the_best_point() {
    let directory = written(&long_running());
    let child = Command::new(env!("CARGO_BIN_EXE_gramfold"))
        .current_dir(directory.path())
        .args(["solve", "a.dat-s", "--tol", "1e-13", "--method", "lowrank", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    thread::sleep(Duration::from_millis(2500));
    let interrupted =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(interrupted.success());
    let output = child.wait_with_output().expect("ends");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["status"], "interrupted");
    assert!(directory.path().join("a.solve/solution.json").is_file());
}

/// The one-sentence error of a run that must be refused.
fn refusal(content: &str, arguments: &[&str]) -> String {
    let directory = written(content);
    let output = gramfold(directory.path(), &[&["solve", "a.dat-s"][..], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{content:?}: {}", text(&output.stdout));
    assert!(output.stdout.is_empty());
    let files = fs::read_dir(directory.path()).expect("readable").count();
    assert_eq!(files, 1, "nothing may be written");
    text(&output.stderr)
}

#[test]
fn bad_programs_are_refused_with_file_and_line() {
    let head = "1\n1\n2\n1\n";
    let cases = [
        ("empty", String::new()),
        ("a title without mark", format!("My problem\n{head}")),
        ("a huge promise", "1000000000000\n1\n2\n1\n".into()),
        ("a huge block", "1\n1\n1000000000000\n1\n1 1 1 1 1\n".into()),
        ("too few right-hand sides", "3\n1\n2\n1 2\n".into()),
        ("no such matrix", format!("{head}2 1 1 1 1\n")),
        ("no such block", format!("{head}1 2 1 1 1\n")),
        ("no such row", format!("{head}1 1 3 1 1\n")),
        ("not a number", format!("{head}1 1 1 1 one\n")),
        ("nan", format!("{head}1 1 1 1 nan\n")),
        ("twice", format!("{head}1 1 1 2 1\n1 1 2 1 1\n")),
        ("off the diagonal", "1\n1\n-2\n1\n1 1 1 2 1\n".into()),
    ];
    let messages: Vec<String> =
        cases.iter().map(|(name, content)| format!("{name}: {}", refusal(content, &[]))).collect();
    assert_snapshot!(messages.concat());
}

#[test]
fn bad_usage_is_one_clear_sentence() {
    for (arguments, message) in [
        (&["--method", "simplex"][..], "there is no method `simplex`"),
        (&["--method", "diagonal"], "needs constraints that fix or bound the diagonal"),
        (&["--rank", "0"], "expected `auto` or a number from 1"),
        (&["--tol", "0"], "expected a number between 0 and 1"),
        (&["--threads", "0"], "--threads 0 is not allowed"),
        (&["--warm", "nowhere"], "is this a directory of gramfold?"),
        (&["--resume"], "--checkpoint"),
        (&["--out", "a.dat-s/below"], "cannot create the directory"),
    ] {
        let found = refusal(&pentagon(), arguments);
        assert!(found.contains(message), "{arguments:?}: {found}");
    }
}
