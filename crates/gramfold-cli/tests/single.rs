//! `gramfold cluster --precision f32` as a user meets it.

mod common;

use std::fs;

use common::{KARATE, gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// Four rings of twenty nodes with chords, joined by single edges.
fn rings() -> String {
    let mut edges = String::new();
    for ring in 0..4 {
        for i in 0..20 {
            for step in 1..=5 {
                edges += &format!("{} {}\n", 20 * ring + i, 20 * ring + (i + step) % 20);
            }
        }
        edges += &format!("{} {}\n", 20 * ring, (20 * ring + 27) % 80);
    }
    edges
}

/// Clusters the rings into a directory of its own and returns the claims and the labels.
fn clusters(directory: &TempDir, precision: &str, threads: &str) -> (Value, Vec<String>) {
    fs::write(directory.path().join("rings.txt"), rings()).expect("written");
    let out = format!("{precision}-{threads}");
    let arguments =
        ["cluster", "rings.txt", "-k", "4", "--json", "--precision", precision, "--out", &out];
    let output = assert_cmd::Command::cargo_bin("gramfold")
        .expect("the program is built")
        .current_dir(directory.path())
        .env("RAYON_NUM_THREADS", threads)
        .args(arguments)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let claims = serde_json::from_slice(&output.stdout).expect("JSON");
    let labels = fs::read_to_string(directory.path().join(&out).join("labels.txt"));
    (claims, labels.expect("readable").lines().map(str::to_owned).collect())
}

#[test]
fn single_precision_finds_the_same_clusters_and_its_claims_hold() {
    let directory = TempDir::new().expect("a temporary directory");
    let (single, labels) = clusters(&directory, "f32", "2");
    let (double, expected) = clusters(&directory, "f64", "2");
    assert_eq!((&single["precision"], &double["precision"]), (&"f32".into(), &"f64".into()));
    assert_eq!(single["status"], "converged");
    assert_eq!(single["exact"], true);
    assert_eq!(single["exact"], single["certificate"]["exact"]);
    assert_eq!(single["loss"], single["certificate"]["loss"]);
    let objective = |claims: &Value| claims["objective"].as_f64().expect("a number");
    let (f, g) = (objective(&single), objective(&double));
    assert!((f - g).abs() < 1e-4 * g, "{f} {g}");
    let mut pairs: Vec<_> = labels.iter().zip(&expected).collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), 4, "{pairs:?}");

    let check = gramfold(directory.path(), &["check", "f32-2"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
    let saved = fs::read_to_string(directory.path().join("f32-2/solution.json")).expect("readable");
    let saved: Value = serde_json::from_str(&saved).expect("JSON");
    assert_eq!(saved["precision"], "f32");
    assert_eq!(saved["spec"]["algorithm"]["name"], "ham-extrapolated");

    // The threads do not change a bit.
    clusters(&directory, "f32", "1");
    for file in ["X.npy", "Y.npy", "factor.npy", "labels.txt"] {
        let read = |run: &str| fs::read(directory.path().join(run).join(file)).expect("readable");
        assert_eq!(read("f32-1"), read("f32-2"), "{file}");
    }
}

#[test]
fn what_single_precision_has_not_is_refused_in_one_sentence() {
    let directory = TempDir::new().expect("a temporary directory");
    let refusals = [
        (&["--checkpoint", "state"][..], "--checkpoint"),
        (&["--checkpoint", "state", "--resume"][..], "--checkpoint"),
        (&["--preset", "symhals"][..], "--preset"),
        (&["--algorithm", "ham"][..], "--algorithm"),
        (&["--rule", "spectral:delta=0.2"][..], "--rule"),
    ];
    for (flags, named) in refusals {
        let arguments = [&["cluster", KARATE, "-k", "2", "--precision", "f32"][..], flags].concat();
        let output = gramfold(directory.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        let message = text(&output.stderr);
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.contains("--precision f32") && message.contains(named), "{message}");
    }
    let dense = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n0.5\n1\n";
    fs::write(directory.path().join("dense.mtx"), dense).expect("written");
    let arguments = ["cluster", "dense.mtx", "-k", "1", "--precision", "f32"];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("dense.mtx is dense"), "{}", text(&output.stderr));
    let written = fs::read_dir(directory.path()).expect("readable").count();
    assert_eq!(written, 1, "nothing but the input");
}

#[test]
fn the_help_says_what_rounding_allows() {
    let directory = TempDir::new().expect("a temporary directory");
    let help = text(&gramfold(directory.path(), &["cluster", "--help"]).stdout);
    let words: Vec<&str> = help.split_whitespace().collect();
    let help = words.join(" ");
    assert!(help.contains("--precision <TYPE>"), "{help}");
    assert!(help.contains("Rounding may end a run as stalled"), "{help}");
}
