//! Flags mean the same everywhere, and a run says what it should and no more.

use std::{fs, process::Stdio};

use crate::common::{KARATE, gramfold, text};
use tempfile::TempDir;

/// The commands that solve something, with what they read and what they need.
const COMMANDS: [(&str, &str, &[&str]); 14] = [
    ("factor", KARATE, &["-r", "2"]),
    ("cluster", KARATE, &["-k", "2"]),
    ("complete", "e.csv", &["-r", "1", "--ridge", "1", "--folds", "0"]),
    ("locate", "d.csv", &["-d", "2"]),
    ("factors", "r.csv", &["-k", "1"]),
    ("metric", "t.csv", &["--label-column", "class", "--folds", "0"]),
    ("correlation", "r.csv", &["-r", "2"]),
    ("recover", "v.csv", &[]),
    ("kernel", KARATE, &["--pairs", "pairs.txt"]),
    ("fit", "p.toml", &[]),
    ("solve", "p.dat-s", &[]),
    ("maxcut", KARATE, &[]),
    ("bisect", KARATE, &[]),
    ("theta", KARATE, &[]),
];

/// What they read.
const FILES: [(&str, &str); 8] = [
    ("r.csv", ",a,b,c,d\na,1,.8,.6,.5\nb,.8,1,.5,.4\nc,.6,.5,1,.3\nd,.5,.4,.3,1\n"),
    ("t.csv", "x,y,class\n0,1,a\n1,0,b\n0.1,2,a\n1.2,1,b\n0.2,0,a\n1.1,2,b\n0,3,a\n1,4,b\n"),
    ("v.csv", "1,0,1\n0,1,4\n1,1,9\n1,-1,1\n2,1,16\n"),
    ("pairs.txt", "0 23 -1\n0 8 1\n23 20 1\n"),
    ("e.csv", "0,1,1\n1,1,2\n0,0,1\n"),
    ("d.csv", "0,1,3\n1,2,4\n0,2,5\n2,3,2\n1,3,4.5\n0,3,5.5\n"),
    ("p.toml", "rank = 1\n[[term]]\nmap = \"entries\"\nfile = \"e.csv\"\nloss = \"square\"\n"),
    ("p.dat-s", "2\n1\n2\n1 1\n0 1 1 2 1\n1 1 1 1 1\n2 1 2 2 1\n"),
];

fn place() -> TempDir {
    let directory = TempDir::new().expect("a temporary directory");
    for (name, text) in FILES {
        fs::write(directory.path().join(name), text).expect("written");
    }
    directory
}

#[test]
fn every_command_has_the_flags_of_a_run_in_groups_with_the_common_ones_first() {
    let directory = place();
    for (command, ..) in COMMANDS {
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
        let common = help.find("\nAdvanced:\n").expect("a group of what few need");
        assert!(help.find("--any-ratio").is_some_and(|at| at > common), "{command}: {help}");
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
    let directory = place();
    let graph = fs::read(KARATE).expect("readable");
    // What a problem file names stands beside it, and the standard input is nowhere.
    for (command, input, more) in COMMANDS.into_iter().filter(|(command, ..)| *command != "fit") {
        let input = &fs::read(directory.path().join(input)).expect("readable")[..];
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
        let said = text(&output.stderr) + &claims["notes"].to_string();
        assert!(!said.contains("stdin."), "{command} names the file that it keeps: {said}");
    }
    let output = assert_cmd::Command::cargo_bin("gramfold")
        .expect("the program is built")
        .current_dir(directory.path())
        .args(["factor", "-", "-r", "1"])
        .write_stdin("a b x\na b 1\nb c y\n")
        .output()
        .expect("it runs");
    assert_eq!(
        text(&output.stderr),
        "error: standard input:3: expected a finite weight, found `y`\n"
    );
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
    let directory = place();
    for (command, input, more) in COMMANDS {
        let output = gramfold(directory.path(), &[&[command, input, "--quiet"][..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{command}");
        let errors = text(&output.stderr);
        assert!(errors.lines().all(|line| line.starts_with("warning: ")), "{command}: {errors}");
        let output =
            gramfold(directory.path(), &[&[command, input, "-q", "--json"][..], more].concat());
        let claims: serde_json::Value = serde_json::from_slice(&output.stdout).expect("only JSON");
        let warned: Vec<String> = errors.lines().map(|line| line[9..].to_owned()).collect();
        assert_eq!(claims["warnings"], serde_json::json!(warned), "{command}");
    }
    let summary = text(&gramfold(directory.path(), &["maxcut", KARATE]).stdout);
    assert!(summary.contains("cut 61, ") && summary.contains("no cut is above 63 ("), "{summary}");
}

/// What was read is said, kept with the answer, and under `--quiet` only kept; warnings are always said.
#[test]
fn notes_on_what_was_read_are_in_the_answer() {
    let directory = TempDir::new().expect("a temporary directory");
    let table = "id,x,y,species,note\na,1,2,s,k\nb,,3,t,k\nc,3,1,s,l\nd,4,5,t,l\ne,2,2,s,k\n";
    fs::write(directory.path().join("t.csv"), table).expect("written");
    let read = "t.csv: 4 points of 2 columns; header skipped; names of the points in column `id`; 1 row with holes left out";
    let warned = "t.csv: column `note` is text and was left out";
    let fixed = [
        "cluster",
        "t.csv",
        "--points",
        "-k",
        "2",
        "--missing",
        "drop",
        "--label-column",
        "species",
    ];
    for quiet in [false, true] {
        let flags = if quiet { &["--json", "--quiet"][..] } else { &["--json"] };
        let output = gramfold(directory.path(), &[&fixed[..], flags].concat());
        let claims: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(claims["notes"], serde_json::json!([read]));
        assert_eq!(claims["warnings"], serde_json::json!([warned]));
        let said = if quiet { String::new() } else { format!("{read}\n") };
        assert_eq!(text(&output.stderr), format!("{said}warning: {warned}\n"));
    }
}

#[test]
fn numbers_that_a_flag_cannot_have_are_refused_by_its_name() {
    let directory = place();
    for (flag, value, expected) in [
        ("-k", "-2", "expected a number from 1, or a range such as 2..9"),
        ("--restarts", "-1", "expected a number from 1"),
        ("--seed", "-1", "expected a whole number from 0"),
        ("--seed", "1.5", "expected a whole number from 0"),
        ("--threads", "many", "expected a whole number from 0"),
        ("--threads", "0", "use at least 1, and at most 1024"),
        ("--threads", "100000", "use at least 1, and at most 1024"),
        ("--max-iter", "-1", "expected a whole number from 0"),
    ] {
        let k = if flag == "-k" { &[][..] } else { &["-k", "2"] };
        let output = gramfold(directory.path(), &[&["cluster", KARATE, flag, value], k].concat());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flag} {value}: {error}");
        assert!(error.contains(expected) && error.contains(flag), "{flag} {value}: {error}");
    }
    for passes in ["ham:passes=0", "ham:passes=1.5", "ham-extrapolated:passes=0"] {
        let arguments = ["cluster", KARATE, "-k", "2", "--algorithm", passes];
        let error = text(&gramfold(directory.path(), &arguments).stderr);
        assert!(error.contains("is not allowed: it must be a whole number from 1"), "{error}");
    }
}
