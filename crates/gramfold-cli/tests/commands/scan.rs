//! A number of clusters chosen from a range.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    cluster::{cliques, clusters, planted},
    common::{gramfold, text},
};

#[test]
fn a_range_of_k_finds_the_planted_number() {
    let edges = cliques(&[8, 8, 8, 8]) + "0 8\n8 16\n16 24\n24 0\n";
    let object = clusters("a.txt", edges.as_bytes(), &["-k", "2..6"]);
    assert_eq!(object["scan"]["recommended"], 4);
    assert_eq!(object["scan"]["k"], serde_json::json!([2, 3, 4, 5, 6]));
    assert_eq!(object["scan"]["not_tried"], serde_json::json!([]));
    assert_eq!(object["clusters"], 4);
    assert_eq!(object["restarts"]["runs"], 2);
    let reason = object["scan"]["reason"].as_str().expect("words");
    assert!(reason.contains("the largest modularity is at 4"), "{reason}");
    assert!(object["scan"]["weights"].as_array().expect("eigenvalues").len() >= 7);
}

#[test]
fn a_scan_ends_with_no_worse_an_answer_than_the_chosen_k_by_itself() {
    let edges = cliques(&[9, 4, 7, 5]) + "0 9\n9 13\n13 20\n20 0\n1 14\n10 21\n";
    let scan = clusters("a.txt", edges.as_bytes(), &["-k", "2..6"]);
    let k = scan["scan"]["recommended"].as_u64().expect("a k").to_string();
    let alone = clusters("a.txt", edges.as_bytes(), &["-k", &k]);
    let objective = |object: &Value| object["objective"].as_f64().expect("a number");
    assert!(objective(&scan) <= objective(&alone) * (1.0 + 1e-9), "{scan} {alone}");
}

#[test]
fn a_scan_that_runs_out_of_time_recommends_nothing_and_says_what_it_did_not_try() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("a.txt"), planted()).expect("written");
    let arguments = ["cluster", "a.txt", "-k", "2..40", "--tol", "1e-12", "--time-limit", "0.3"];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let summary = text(&output.stdout);
    assert!(summary.contains("no k is recommended: there was no time for k = "), "{summary}");
    assert!(summary.contains("stopped at the time limit") && !summary.contains("converged"));
    let claims = fs::read(directory.path().join("a.cluster/solution.json")).expect("readable");
    let claims: Value = serde_json::from_slice(&claims).expect("JSON");
    assert_eq!(claims["status"], "time_limit");
    let scan = &claims["scan"];
    assert!(scan["recommended"].is_null());
    let count = |key: &str| scan[key].as_array().expect("a list").len();
    assert!(count("k") > 0 && count("not_tried") > 0 && count("k") + count("not_tried") == 39);
    // What would choose among them takes time, too.
    assert_eq!((count("weights"), count("walks"), count("separation")), (0, 0, 0));
    let checked = gramfold(directory.path(), &["check", "a.cluster"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
    // The same for restarts of one k.
    let arguments =
        ["cluster", "a.txt", "-k", "9", "--restarts", "1000000", "--time-limit", "0.3", "--json"];
    let output = gramfold(directory.path(), &arguments);
    let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &claims["status"]), (Some(1), &"time_limit".into()));
}

#[test]
fn a_k_that_leaves_a_cluster_empty_is_not_recommended() {
    let directory = TempDir::new().expect("a temporary directory");
    for n in 3..7 {
        fs::write(directory.path().join("k.txt"), cliques(&[n])).expect("written");
        let range = format!("2..{}", n - 1);
        let range = if n == 3 { "2..3" } else { &range };
        let output = gramfold(directory.path(), &["cluster", "k.txt", "-k", range, "--json"]);
        let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        if let Some(k) = claims["scan"]["recommended"].as_u64() {
            let sizes = claims["sizes"].as_array().expect("sizes");
            assert_eq!(sizes.len() as u64, k, "{claims}");
            assert!(sizes.iter().all(|size| size.as_u64() > Some(0)), "{claims}");
        }
    }
    let one = gramfold(directory.path(), &["cluster", "k.txt", "-k", "2..3", "--restarts", "1"]);
    assert!(matches!(one.status.code(), Some(0 | 1)), "{}", text(&one.stderr));
}

/// Runs that were cut off have X ≠ Y: it is the answer ½(X + Y) that counts.
#[test]
fn a_scan_of_short_runs_is_judged_by_their_answers() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("a.txt"), "1 0\n2 0\n3 1\n3 2\n4 0\n4 2\n5 0\n5 3\n")
        .expect("written");
    let run = |k: &str| -> Value {
        let line = ["cluster", "a.txt", "-k", k, "--max-iter", "3", "--json", "-o", "o"];
        serde_json::from_slice(&gramfold(directory.path(), &line).stdout).expect("JSON")
    };
    let scan = run("2..4");
    let alone = run(&scan["rank"].to_string());
    let number = |value: &Value| value.as_f64().expect("a number");
    let (objective, best) = (number(&scan["objective"]), number(&scan["restarts"]["best"]));
    assert!(objective <= number(&alone["objective"]) * (1.0 + 1e-9), "{scan} {alone}");
    assert!(objective <= best * (1.0 + 1e-9), "{scan}");
}

/// From this start the run of k = 5 diverges: its objective is no number.
#[test]
fn a_scan_with_a_run_that_diverged_checks_out() {
    let directory = TempDir::new().expect("a temporary directory");
    let graph = "%%MatrixMarket matrix coordinate real symmetric\n5 5 2\n2 1 3.6370323134520214e-3\n\
                 3 2 7.629048875034774e-3\n";
    fs::write(directory.path().join("g.mtx"), graph).expect("written");
    let command = "cluster g.mtx -k 3..5 --diagonal degree --restarts 3 --algorithm gauss-newton --start random \
                   --tol 1e-8 -o out";
    let words: Vec<&str> = command.split_whitespace().collect();
    let output = gramfold(directory.path(), &words);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text(&output.stderr));
    let checked = gramfold(directory.path(), &["check", "out"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
}
