//! Flags mean the same everywhere, and a run says what it should and no more.

#[allow(dead_code)] // Summaries are not compared here.
mod common;

use std::{fs, process::Stdio};

use common::{KARATE, gramfold, text};
use tempfile::TempDir;

/// The commands that solve something, with what they need.
const COMMANDS: [(&str, &[&str]); 6] = [
    ("factor", &["-r", "2"]),
    ("cluster", &["-k", "2"]),
    ("solve", &[]),
    ("maxcut", &[]),
    ("bisect", &[]),
    ("theta", &[]),
];

const PROGRAM: &str = "2\n1\n2\n1 1\n0 1 1 2 1\n1 1 1 1 1\n2 1 2 2 1\n";

#[test]
fn every_command_has_the_flags_of_a_run_in_groups_with_the_common_ones_first() {
    let directory = TempDir::new().expect("a temporary directory");
    for (command, _) in COMMANDS {
        let help = text(&gramfold(directory.path(), &[command, "-h"]).stdout);
        for flag in [
            "--tol",
            "--time-limit",
            "--seed",
            "--threads",
            "--checkpoint",
            "--resume",
            "--out",
            "--report",
            "--json",
            "--quiet",
        ] {
            assert!(help.contains(flag), "{command} has no {flag}");
        }
        let headings: Vec<usize> = ["Input:", "Model:", "Run:", "Output:", "Advanced:"]
            .iter()
            .filter_map(|heading| help.find(&format!("\n{heading}\n")))
            .collect();
        assert!(headings.len() >= 2 && headings.is_sorted(), "{command}: {help}");
        assert!(!help.contains("--json <"), "{command}: --json takes no file");
    }
    let paper = text(&gramfold(directory.path(), &["paper", "-h"]).stdout);
    assert!(paper.contains("--out <FILE>") && !paper.contains("--json <"), "{paper}");
}

#[test]
fn american_spellings_are_taken() {
    let directory = TempDir::new().expect("a temporary directory");
    let fixed = ["cluster", KARATE, "-k", "2", "--json", "--symmetrize"];
    let run = |how: &[&str]| {
        let output = gramfold(directory.path(), &[&fixed[..], how].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let claims: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        claims["normalise"].clone()
    };
    assert_eq!(run(&["--normalize", "regularized"]), "regularised");
    assert_eq!(run(&["--normalize", "none"]), "none");
    let points: Vec<String> =
        (0..20).map(|i| format!("{},{}\n", i % 10 + 90 * (i / 10), i)).collect();
    fs::write(directory.path().join("p.csv"), points.concat()).expect("written");
    let points = ["cluster", "p.csv", "--points", "--neighbors", "3", "-k", "2"];
    assert_eq!(gramfold(directory.path(), &points).status.code(), Some(0));
}

#[test]
fn a_dash_is_the_standard_input() {
    let directory = TempDir::new().expect("a temporary directory");
    let graph = fs::read(KARATE).expect("readable");
    for (command, more) in COMMANDS {
        let input = if command == "solve" { PROGRAM.as_bytes() } else { &graph };
        let output = assert_cmd::Command::cargo_bin("gramfold")
            .expect("the program is built")
            .current_dir(directory.path())
            .args([&[command, "-", "--json"][..], more].concat())
            .write_stdin(input)
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
        let claims: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(claims["input"]["path"], "-");
        assert_eq!(claims["input"]["bytes"], input.len());
        assert_eq!(claims["directory"], format!("stdin.{command}"));
    }
    // A file that comes by the standard input is an input like any other.
    fs::write(directory.path().join("k.mtx"), &graph).expect("written");
    let file = fs::File::open(directory.path().join("k.mtx")).expect("opened");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_gramfold"))
        .current_dir(directory.path())
        .args(["cluster", "-", "-k", "2", "--labels", "k.mtx"])
        .stdin(Stdio::from(file))
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert_eq!(fs::read(directory.path().join("k.mtx")).expect("readable"), graph);
}

#[test]
fn quiet_says_nothing_and_whole_weights_are_whole() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("p.dat-s"), PROGRAM).expect("written");
    for (command, more) in COMMANDS {
        let input = if command == "solve" { "p.dat-s" } else { KARATE };
        let output = gramfold(directory.path(), &[&[command, input, "--quiet"][..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{command}");
        let output =
            gramfold(directory.path(), &[&[command, input, "-q", "--json"][..], more].concat());
        assert!(output.stdout.starts_with(b"{"), "{command}: --json is asked for");
    }
    let summary = text(&gramfold(directory.path(), &["maxcut", KARATE]).stdout);
    assert!(summary.contains("cut 61, ") && summary.contains("no cut is above 63 ("), "{summary}");
}
