//! The program as a user meets it: summaries, JSON, exit codes, errors.

use std::fs;

use crate::common::{KARATE, gramfold, text, without_numbers};
use insta::assert_snapshot;
use serde_json::Value;
use tempfile::TempDir;

/// Writes a matrix, factorises it, and returns stderr after checking exit code 2 and no output.
fn refusal(content: &[u8], arguments: &[&str]) -> String {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("a.mtx"), content).expect("the file is written");
    let mut all = vec!["factor", "a.mtx"];
    all.extend_from_slice(arguments);
    let output = gramfold(directory.path(), &all);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let names: Vec<_> = fs::read_dir(directory.path()).expect("readable").collect();
    assert_eq!(names.len(), 1, "nothing may be written: {names:?}");
    text(&output.stderr)
}

#[test]
fn factor_prints_a_summary_that_ends_with_the_certificate() {
    let directory = TempDir::new().expect("a temporary directory");
    let output = gramfold(directory.path(), &["factor", KARATE, "--rank", "2", "--nonnegative"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "no progress line when piped");
    assert_snapshot!(without_numbers(&text(&output.stdout)), @r"
    A: #x#, sparse, # entries; X: #x#, nonnegative
    converged after # iterations, # products with A, # s
    ½‖A−XXᵀ‖² = #, relative error #
    exact: γ = # is above the threshold # (rigorous, by factorisation), so X = Y; measured ‖X−Y‖/‖X‖ = #
    not proved optimal: the minimum is at least # (best rank-r matrix; rigorous, by factorisation), gap #
    written to karate.factor
    ");
    let plain = text(&gramfold(directory.path(), &["factor", KARATE, "-r", "3"]).stdout);
    assert!(plain.starts_with("A: 34x34, sparse, 156 entries; X: 34x3\n"), "{plain}");
    for name in ["factor.npy", "X.npy", "Y.npy", "A.mtx", "trace.jsonl", "solution.json"] {
        assert!(directory.path().join("karate.factor").join(name).is_file(), "{name}");
    }
}

#[test]
fn json_is_one_object_with_every_field() {
    let directory = TempDir::new().expect("a temporary directory");
    let output =
        gramfold(directory.path(), &["factor", KARATE, "-r", "3", "--json", "--out", "solved"]);
    assert_eq!(output.status.code(), Some(0));
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for key in [
        "status",
        "objective",
        "relative_error",
        "iterations",
        "products",
        "gamma",
        "threshold",
        "asymmetry",
        "exact",
        "optimal",
        "bound",
        "gap",
        "seconds",
        "cpu_seconds",
        "peak_memory_bytes",
        "files",
    ] {
        assert!(object.get(key).is_some(), "{key} is missing");
    }
    assert_eq!(object["status"], "converged");
    assert_eq!(object["exact"], true);
    assert_eq!(object["optimal"], true, "h = 0 has a known global minimum");
    // ½(‖A‖² − Σ λ_i²) for the three largest eigenvalues of the karate club's adjacency matrix.
    let eigenvalues = [6.7256977, 4.9770787, 2.9165067];
    let best = 0.5 * (156.0 - eigenvalues.iter().map(|l: &f64| l * l).sum::<f64>());
    let objective = object["objective"].as_f64().expect("a number");
    assert!((objective - best).abs() < 1e-4, "{objective} against {best}");
    let trace = fs::read_to_string(directory.path().join("solved/trace.jsonl")).expect("a trace");
    let iterations = object["iterations"].as_u64().expect("a count") as usize;
    assert_eq!(trace.lines().count(), iterations + 1);
    assert!(trace.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn a_run_that_stops_early_exits_1_and_claims_nothing() {
    let directory = TempDir::new().expect("a temporary directory");
    let arguments = ["factor", KARATE, "-r", "3", "--nonnegative", "--max-iter", "3", "--json"];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["status"], "max_iterations");
    assert_eq!(object["exact"], false);
}

#[test]
fn every_algorithm_and_rule_runs_by_name() {
    let directory = TempDir::new().expect("a temporary directory");
    for algorithm in ["am", "ham", "ham-jacobi", "admm", "direct"] {
        let arguments = ["factor", KARATE, "-r", "2", "--ridge", "0.5", "--algorithm", algorithm];
        let output = gramfold(directory.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{algorithm}: {}", text(&output.stdout));
    }
    for rule in ["spectral:delta=0.2", "fixed:gamma=3", "safe", "dynamic-max", "adp", "lorads"] {
        let arguments = ["factor", KARATE, "-r", "2", "--rule", rule, "--max-iter", "500"];
        let output = gramfold(directory.path(), &arguments);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{rule}: {}", text(&output.stderr));
    }
}

#[test]
fn bounds_lists_what_applies_and_what_does_not() {
    let directory = TempDir::new().expect("a temporary directory");
    let output = gramfold(directory.path(), &["bounds", KARATE, "--rank", "2"]);
    assert_eq!(output.status.code(), Some(0));
    let text = text(&output.stdout);
    // −λmin/2 of the karate club's adjacency matrix.
    assert!(text.starts_with("γ needed: 2.24361"), "{text}");
    assert!(text.contains("T3") && text.contains("T5                    needs a loss"), "{text}");

    let output = gramfold(directory.path(), &["bounds", KARATE, "--nonnegative", "--json"]);
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(object["needed"]["value"].as_f64().expect("a number") > 2.0);
    assert!(object["bounds"].as_array().expect("a list").len() >= 14);
    assert_eq!(object["constants"]["sigma_f"], 1.0);
}

#[test]
fn bounds_of_a_described_problem_are_those_of_its_constants() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("e.csv"), "0 0 1\n0 1 -1\n1 1 1\n").expect("written");
    let problem = |regulariser: &str, loss: &str| {
        let content = format!(
            "rank = 1\nregulariser = \"{regulariser}\"\n[[term]]\nmap = \"entries\"\nfile = \"e.csv\"\nloss = \"{loss}\"\n"
        );
        fs::write(directory.path().join("p.toml"), content).expect("written");
        let output = gramfold(directory.path(), &["bounds", "p.toml", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let bounds = object["bounds"].as_array().expect("a list").clone();
        let find = move |name: &str| {
            let found = bounds.iter().find(|bound| bound["name"] == name).expect("listed").clone();
            (found["value"].as_f64(), found["fails"].clone())
        };
        (object["constants"].clone(), find)
    };
    // |φ′| ≤ 1 on all four entries, of which the matrix of ones has the radius 2: T5 is ½·2 − λ/4.
    let (constants, find) = problem("ridge:lambda=0.4", "logistic");
    assert!((find("T5").0.expect("it applies") - 0.9).abs() < 1e-9);
    assert_eq!(
        (&constants["sigma_h"], &constants["h_is_least_at_zero"]),
        (&0.4.into(), &true.into())
    );
    // T2: √(l₁(f(0) − inf f)/2) − λ/4 with l₁ = ¼ and f(0) = 4·log 2.
    let l_1 = constants["l_1"].as_f64().expect("a number");
    let expected = (0.5 * l_1 * 4.0 * 2_f64.ln()).sqrt() - 0.1;
    assert!((find("T2").0.expect("it applies") - expected).abs() < 1e-9);
    assert!(find("T3").1 == "the quadratic loss" && find("T6").1 == "a linear part");

    let (constants, find) = problem("mcp:mu=0.1,theta=2", "square");
    assert_eq!(constants["sigma_h"], -0.5);
    assert_eq!(find("T2").1, "h convex");
    let (constants, find) = problem("simplex-rows", "square");
    assert_eq!(constants["h_is_least_at_zero"], false);
    assert_eq!(find("T2").1, "h least at 0");
    assert_eq!(find("T5").1, "a loss with bounded slopes");

    let output = gramfold(directory.path(), &["bounds", "p.toml"]);
    let said = text(&output.stdout);
    assert!(said.contains("σ_h, strong convexity of h") && said.contains("h(0) = min h"), "{said}");
    let output = gramfold(directory.path(), &["bounds", "p.toml", "--ridge", "1"]);
    assert!(text(&output.stderr).contains("are for a matrix"));
}

#[test]
fn bad_matrices_are_refused_with_file_and_line() {
    let head = "%%MatrixMarket matrix coordinate real symmetric\n";
    let general = "%%MatrixMarket matrix coordinate real general\n";
    let cases: &[(&str, String)] = &[
        ("empty", String::new()),
        ("no banner", "1 1 1\n1 1 2\n".into()),
        ("promises more", format!("{head}2 2 3\n1 1 1\n2 1 1\n")),
        ("huge", format!("{head}999999999999 999999999999 1\n1 1 1\n")),
        ("nan", format!("{head}2 2 1\n1 1 nan\n")),
        ("duplicate", format!("{head}2 2 2\n2 1 1\n2 1 3\n")),
        ("out of range", format!("{head}2 2 1\n3 1 1\n")),
        ("malformed", format!("{head}2 2 1\n1 1 x\n")),
        ("nonsquare", format!("{head}2 3 1\n1 1 1\n")),
        ("asymmetric", format!("{general}2 2 2\n1 2 1\n2 1 5\n")),
    ];
    let messages: Vec<String> = cases
        .iter()
        .map(|(name, content)| format!("{name}: {}", refusal(content.as_bytes(), &["-r", "1"])))
        .collect();
    assert_snapshot!(messages.concat());
}

#[test]
fn symmetrise_takes_the_mean() {
    let directory = TempDir::new().expect("a temporary directory");
    let content = "%%MatrixMarket matrix array real general\n2 2\n1\n0\n1\n1\n";
    fs::write(directory.path().join("a.mtx"), content).expect("written");
    let arguments = ["factor", "a.mtx", "-r", "2", "--symmetrise", "--json"];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // ½(A + Aᵀ) = [1 ½; ½ 1] is positive definite, so rank 2 is exact.
    assert!(object["objective"].as_f64().expect("a number") < 1e-10);
    assert_eq!(gramfold(directory.path(), &["check", "a.factor"]).status.code(), Some(0));
}

#[test]
fn bad_usage_is_one_clear_sentence() {
    let good = "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n".as_bytes();
    let cases: &[&[&str]] = &[
        &["-r", "3"],
        &["-r", "0"],
        &["-r", "1", "--rule", "magic"],
        &["-r", "1", "--rule", "fixed"],
        &["-r", "1", "--rule", "fixed:gamma=0"],
        &["-r", "1", "--rule", "spectral:speed=9"],
        &["-r", "1", "--algorithm", "newton"],
        &["-r", "1", "--ridge", "-1"],
        &["-r", "1", "--threads", "0"],
        &["-r", "1", "--out", "a.mtx/below"],
    ];
    let messages: Vec<String> =
        cases.iter().map(|case| format!("{}: {}", case.join(" "), refusal(good, case))).collect();
    assert_snapshot!(messages.concat());
    let directory = TempDir::new().expect("a temporary directory");
    let output = gramfold(directory.path(), &["factor", "missing.mtx", "-r", "1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("missing.mtx"));
}

#[test]
fn help_man_and_completions_come_from_one_definition() {
    let directory = TempDir::new().expect("a temporary directory");
    let help = gramfold(directory.path(), &["factor", "--help"]);
    assert!(text(&help.stdout).contains("--nonnegative"));
    assert!(text(&help.stdout).contains("dynamic-max"), "every rule is listed");
    let man = gramfold(directory.path(), &["man", "factor"]);
    assert!(text(&man.stdout).contains("\\-\\-nonnegative"));
    for shell in ["bash", "zsh", "fish"] {
        let script = gramfold(directory.path(), &["completions", shell]);
        assert!(text(&script.stdout).contains("nonnegative"), "{shell}");
    }
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let directory = TempDir::new().expect("a temporary directory");
    for threads in ["1", "3"] {
        let arguments = ["factor", KARATE, "-r", "4", "--nonnegative", "--threads", threads];
        gramfold(directory.path(), &[&arguments[..], &["--out", threads]].concat());
    }
    let read = |name: &str| fs::read(directory.path().join(name)).expect("readable");
    assert_eq!(read("1/factor.npy"), read("3/factor.npy"));
}
