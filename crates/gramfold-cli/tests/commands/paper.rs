//! `gramfold paper`, from the outside.

use std::{fs, path::Path};

use assert_cmd::Command;
use serde_json::Value;

fn gramfold() -> Command {
    Command::new(env!("CARGO_BIN_EXE_gramfold"))
}

/// The examples of the repository alone: the further experiments take their time.
fn examples(directory: &Path) {
    let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../paper");
    for name in ["01-example-1.toml", "02-example-2.toml"] {
        fs::copy(paper.join(name), directory.join(name)).unwrap();
    }
}

#[test]
fn every_printed_digit_and_every_experiment() {
    let directory = tempfile::tempdir().unwrap();
    let (json, html) = (directory.path().join("paper.json"), directory.path().join("paper.html"));
    let run = gramfold().arg("paper").arg("--out").arg(&json).arg("--report").arg(&html).assert();
    let output = String::from_utf8(run.success().get_output().stdout.clone()).unwrap();
    assert!(output.contains("1.2420e16") && output.contains("passed"), "{output}");

    let value: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(value["passed"], true);
    let limits = value["limits"].as_array().unwrap();
    let find = |example: u64, rule: &str, reading: &str| {
        limits
            .iter()
            .find(|l| l["example"] == example && l["rule"] == rule && l["reading"] == reading)
            .unwrap()
    };
    for example in [1, 2] {
        for rule in ["agd", "adp", "pca", "ours"] {
            assert_eq!(find(example, rule, "run")["matches"], true);
            assert_eq!(find(example, rule, "printed")["as_expected"], true);
        }
    }
    assert_eq!(limits.len(), 16);
    assert_eq!(find(1, "pca", "run")["x"], "-inf");
    assert_eq!(find(1, "pca", "run")["y"], "inf");
    assert_eq!(find(2, "pca", "printed")["matches"], false);
    let as_printed = find(2, "pca", "printed")["x"].as_f64().unwrap();
    assert!((as_printed + 5.1631e-12).abs() < 5e-17);

    let experiments = value["experiments"].as_array().unwrap();
    assert_eq!(experiments.len(), 8);
    for arm in experiments.iter().flat_map(|e| e["arms"].as_array().unwrap()) {
        assert_ne!(arm["as_expected"], false, "{arm}");
    }

    let html = fs::read_to_string(html).unwrap();
    for panel in [
        "Penalty parameter",
        "Difference between the factors",
        "Difference from the solution",
        "Objective",
    ] {
        let title = format!("{panel}</figcaption>");
        assert_eq!(html.matches(&title).count(), 2, "{panel}");
    }
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"));
}

#[test]
fn a_wrong_digit_fails_and_is_named() {
    let directory = tempfile::tempdir().unwrap();
    examples(directory.path());
    let file = directory.path().join("01-example-1.toml");
    let text = fs::read_to_string(&file).unwrap().replacen("1.2420e16", "1.2421e16", 1);
    fs::write(&file, text).unwrap();
    let run = gramfold().args(["paper", "--experiments"]).arg(directory.path()).assert().code(1);
    let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let failure =
        "01-example-1.toml: rule agd, reading run: gamma is 1.2420e16, expected 1.2421e16";
    assert!(output.contains(failure), "{output}");
}

#[test]
fn a_share_outside_its_interval_fails_and_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let text = r#"
        kind = "share"
        title = "t"
        explanation = ""
        matrix = { rows = [[0.0, 1.0], [1.0, 0.0]] }
        rank = 2
        algorithm = { name = "am" }
        start = "random"
        tolerance = 1e-9
        iterations = 1000
        [[arm]]
        gamma = { bound = "T3", ratio = 0.5 }
        expect = { asymmetric = [0.0, 0.0] }
    "#;
    fs::write(directory.path().join("mine.toml"), text).unwrap();
    let run = gramfold().args(["paper", "--experiments"]).arg(directory.path()).assert().code(1);
    let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let failure = "mine.toml: γ = 0.5 × T3: asymmetric is 1, expected in [0, 0]";
    assert!(output.contains(failure), "{output}");
}

#[test]
fn broken_files_are_refused_by_name() {
    let broken = [
        ("kind = ", "TOML"),
        ("kind = \"shares\"", "shares"),
        ("kind = \"limits\"\nexample = 1", "missing field"),
    ];
    let fields = [
        ("loss = \"linear\"", "loss = \"cubic\"", "`cubic`"),
        ("matrix = [[1.0]]", "matrix = [[1.0, 2.0]]", "not symmetric"),
        ("x0 = [[100.0]]", "x0 = [[100.0], [1.0]]", "the factor X is 2x1"),
        ("name = \"agd\", gamma0", "name = \"agb\", gamma0", "`agb`"),
        ("\"1.2420e16\"", "\"1.2420f16\"", "1.2420f16"),
    ];
    let paper = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../paper/01-example-1.toml");
    let good = fs::read_to_string(paper).unwrap();
    let texts = broken.map(|(text, expected)| (text.to_owned(), expected)).into_iter();
    let changed = fields.map(|(from, to, expected)| {
        assert!(good.contains(from), "{from}");
        (good.replacen(from, to, 1), expected)
    });
    for (text, expected) in texts.chain(changed) {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("mine.toml"), text).unwrap();
        let run = gramfold().args(["paper", "--experiments"]).arg(directory.path()).assert();
        let output = String::from_utf8(run.code(2).get_output().stderr.clone()).unwrap();
        assert!(output.contains("mine.toml") && output.contains(expected), "{output}");
    }
    let empty = tempfile::tempdir().unwrap();
    gramfold().args(["paper", "--experiments"]).arg(empty.path()).assert().code(2);
}
