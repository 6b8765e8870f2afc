//! `gramfold fit`.

use std::fs;

use tempfile::TempDir;

use super::{checked, refused};

/// A matrix of rank 2 from entries of which two are grossly wrong.
const ROBUST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/robust.toml");

#[test]
fn a_description_is_fitted_and_checked_from_its_directory_alone() {
    let directory = TempDir::new().expect("a temporary directory");
    let claims = checked(directory.path(), &["fit", ROBUST, "--report", "page.html"]);
    assert_eq!((&claims["spec"]["loss"]["name"], &claims["terms"]), (&"huber".into(), &1.into()));
    assert_eq!(
        (&claims["exact"], &claims["rank"], &claims["nodes"]),
        (&true.into(), &2.into(), &12.into())
    );
    assert!(directory.path().join("o/term-1-entries.csv").exists());
    assert!(directory.path().join("page.html").exists());
}

/// Sixty sums of three entries of a matrix of rank 2.
const SUMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/sums.toml");

#[test]
fn sparse_measurements_are_fitted_and_the_constants_told() {
    let directory = TempDir::new().expect("a temporary directory");
    let claims = checked(directory.path(), &["fit", SUMS, "--report", "page.html"]);
    assert_eq!(
        (&claims["spec"]["data"], &claims["exact"], &claims["optimal"]),
        (&"matrices".into(), &true.into(), &true.into())
    );
    let constants = &claims["constants"];
    assert_eq!(
        (&constants["sigma_h"], &constants["h_is_least_at_zero"]),
        (&0.0.into(), &true.into())
    );
    assert_eq!((&constants["sigma_f"], &constants["infimum_f"]), (&0.0.into(), &0.0.into()));
    assert!(constants["l_f"].as_f64().expect("a number") > 1.0, "{constants}");
    assert!(directory.path().join("o/term-1-targets-sums-targets.csv").exists());
    let page = fs::read_to_string(directory.path().join("page.html")).expect("readable");
    assert!(
        page.contains("σ_h") && page.contains("T2") && page.contains("a loss with bounded slopes")
    );
}

/// Named nodes, weights, a second term and repeated places; one measurement is what the entry itself is.
#[test]
fn sparse_measurements_go_with_names_weights_and_other_terms() {
    let directory = TempDir::new().expect("a temporary directory");
    let write = |name: &str, text: &str| {
        fs::write(directory.path().join(name), text).expect("written");
    };
    let problem = |terms: &str| format!("rank = 1\nregulariser = \"ridge:lambda=0.1\"\n{terms}");
    let entries = "[[term]]\nmap = \"entries\"\nfile = \"e.csv\"\nloss = \"square\"\n";
    let sparse =
        "[[term]]\nmap = \"sparse\"\nfile = \"s.csv\"\ntargets = \"t.csv\"\nloss = \"square\"\n";
    write("e.csv", "a a 1\nb b 4\nc c 9\n");
    write("s.csv", "0 a b 1\n1 b c 0.5\n1 c b 0.5\n2 c c 1\n2 c c -1\n2 a c 1\n");
    write("t.csv", "2 1\n6 2\n3 1\n");
    write("p.toml", &problem(&format!("{entries}{sparse}")));
    let both = checked(directory.path(), &["fit", "p.toml"]);
    // The same by entries alone, where (i, j) stands for (j, i), and both of them count.
    write("e1.csv", "a a 1 1\nb b 4 1\nc c 9 1\na b 2 0.5\nb c 6 1\na c 3 0.5\n");
    write("p.toml", &problem(&entries.replace("e.csv", "e1.csv")));
    let alone = checked(directory.path(), &["fit", "p.toml"]);
    let objective = |claims: &serde_json::Value| claims["objective"].as_f64().expect("a number");
    assert!((objective(&both) - objective(&alone)).abs() < 1e-9, "{both} {alone}");
    assert!(directory.path().join("o/names.txt").exists());

    write("p.toml", &problem(sparse));
    for (s, t, expected) in [
        ("0 a b 1\n1 b c x\n", "1\n2\n", "s.csv:2: `x` is no number"),
        ("0 a b 1\nz b c 1\n", "1\n2\n", "s.csv:2: the measurement `z` is no whole number from 0"),
        (
            "0 a b 1\n2 b c 1\n",
            "1\n2\n",
            "measurement 2 has no target: there are 2, numbered from 0",
        ),
        ("0 a b 1\n2 b c 1\n", "1\n2\n3\n", "measurement 1 has a target, but no entries"),
        (
            "0 a b 1\n0 b c 1 7\n",
            "1\n",
            "s.csv:2: expected a measurement, a row, a column and a value, found 5",
        ),
        (
            "0 a b 1\n1 b c 1\n",
            "1\n2 3\n",
            "t.csv:2: expected a target and perhaps a weight, on every line",
        ),
        ("0 a b 1\n", "inf\n", "t.csv:1: `inf` is no number"),
        ("0 a b\n", "1\n", "s.csv:1: expected a measurement, a row, a column and a value"),
    ] {
        write("s.csv", s);
        write("t.csv", t);
        let words = refused(directory.path(), &["fit", "p.toml"]);
        assert!(words.contains(expected), "{s:?} {t:?}: {words}");
    }
    write("p.toml", &problem(&sparse.replace("targets = \"t.csv\"\n", "")));
    let words = refused(directory.path(), &["fit", "p.toml"]);
    assert!(words.contains("p.toml:4: map = \"sparse\" needs targets"), "{words}");
    write("p.toml", &problem(&sparse.replace("sparse", "entries")));
    let words = refused(directory.path(), &["fit", "p.toml"]);
    assert!(words.contains("p.toml:6: targets are for map = \"sparse\""), "{words}");
}

/// A logistic loss of signs that are all met only falls as X grows; a ridge holds it.
#[test]
fn a_loss_without_a_minimum_is_warned_of() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("e.csv"), "0 1 1\n1 2 -1\n0 0 1\n2 2 1\n").expect("written");
    let problem = "[[term]]\nmap = \"entries\"\nfile = \"e.csv\"\nloss = \"logistic\"\n";
    for (regulariser, warned) in [("zero", true), ("ridge:lambda=0.1", false)] {
        let text = format!("rank = 2\nregulariser = \"{regulariser}\"\n{problem}");
        fs::write(directory.path().join("p.toml"), text).expect("written");
        let claims = checked(directory.path(), &["fit", "p.toml"]);
        let words = claims["warnings"].to_string();
        assert_eq!(words.contains("no minimum"), warned, "{regulariser}: {words}");
    }
}

#[test]
fn every_map_and_sums_of_terms_are_fitted() {
    let directory = TempDir::new().expect("a temporary directory");
    let write = |name: &str, text: &str| {
        fs::write(directory.path().join(name), text).expect("written");
    };
    write("e.csv", "a b 1.0\nb c 0.5 \na c 0.2\nc c 1\na a 1\nb b 1\n");
    write("d.csv", "i,j,distance\n0,1,1\n1,2,1\n0,2,1.4142135\n");
    write("v.csv", "1,0,0,1\n0,1,0,4\n1,1,0,9\n0,0,1,1\n1,0,1,4\n0,1,1,9\n");
    write("g.txt", "0 1\n1 2\n");
    write("a.csv", "2,1,0\n1,2,1\n0,1,2\n");
    let term = |map: &str, file: &str, loss: &str| {
        format!("[[term]]\nmap = \"{map}\"\nfile = \"{file}\"\nloss = \"{loss}\"\n")
    };
    let linear = "[linear]\nfile = \"g.txt\"\nlaplacian = true\nscale = 0.1\n";
    let cases = [
        term("entries", "e.csv", "square"),
        term("distances", "d.csv", "huber:delta=0.5"),
        term("rank-one", "v.csv", "square"),
        term("matrix", "a.csv", "quadratic"),
        term("matrix", "a.csv", "off-diagonal"),
        format!(
            "{}scale = 2.0\n{}",
            term("distances", "d.csv", "square"),
            term("rank-one", "v.csv", "square")
        ),
        format!("{}{linear}", term("distances", "d.csv", "square")),
    ];
    for case in cases {
        let text = format!("rank = 2\nregulariser = \"ridge:lambda=0.05\"\n{case}");
        write("p.toml", &text);
        checked(directory.path(), &["fit", "p.toml"]);
    }
}

#[test]
fn faults_have_their_line_and_refusals_their_reason() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("e.csv"), "0,1,1\n1,1,2\n").expect("written");
    let said = |text: &str| {
        fs::write(directory.path().join("p.toml"), text).expect("written");
        refused(directory.path(), &["fit", "p.toml"])
    };
    let term = "[[term]]\nmap = \"entries\"\nfile = \"e.csv\"\nloss = ";
    for (text, expected) in [
        (format!("rank = 1\n{term}\"hinge\"\n"), vec!["p.toml:5:", "smoothed-hinge"]),
        (format!("rank = 1\n{term}\"squre\"\n"), vec!["p.toml:5:", "squre", "huber"]),
        (
            format!("rank = 1\n\nregulariser = \"sphere\"\n{term}\"square\"\n"),
            vec!["p.toml:3:", "row-ball"],
        ),
        (
            format!("rank = 1\nregulariser = \"orthogonal\"\n{term}\"square\"\n"),
            vec!["p.toml:2:", "column-group"],
        ),
        (
            format!("rank = 1\nalgorithm = \"newton\"\n{term}\"square\"\n"),
            vec!["p.toml:2:", "gauss-newton"],
        ),
        (format!("rank = 1\nrnk = 2\n{term}\"square\"\n"), vec!["p.toml:2:", "rnk"]),
        ("rank = 1\n".into(), vec!["no [[term]]"]),
        (format!("{term}\"square\"\n"), vec!["p.toml:1:", "there is no `rank`"]),
        (
            format!("rank = 1\n{term}\"square\"\n[stop]\ntime_limit = -1\n"),
            vec!["p.toml:7: time_limit = -1 is not allowed: it must be at least 0"],
        ),
        (
            format!("rank = 1\n{term}\"square\"\n[linear]\nfile = \"e.csv\"\nscale = nan\n"),
            vec!["p.toml:8: scale = NaN is not allowed: it must be finite"],
        ),
        (format!("rank = 1\n{term}\"quadratic\"\n"), vec!["p.toml:5:", "map = \"matrix\""]),
    ] {
        let found = said(&text);
        assert!(expected.iter().all(|part| found.contains(part)), "{text}: {found}");
    }
}

/// The data that a description names are inputs like the description itself.
#[test]
fn data_files_are_not_overwritten() {
    let directory = TempDir::new().expect("a temporary directory");
    let description =
        "rank = 1\n[[term]]\nmap = \"entries\"\nfile = \"e.csv\"\nloss = \"square\"\n";
    fs::write(directory.path().join("p.toml"), description).expect("written");
    let data = "0 1 1.0\n1 2 0.5\n0 0 1\n";
    fs::write(directory.path().join("e.csv"), data).expect("written");
    for flags in [["--report", "e.csv"], ["--checkpoint", "./e.csv"], ["-o", "e.csv"]] {
        let words = refused(directory.path(), &[&["fit", "p.toml"][..], &flags].concat());
        assert!(words.contains("e.csv"), "{words}");
        let left = fs::read_to_string(directory.path().join("e.csv")).expect("readable");
        assert_eq!(left, data, "{flags:?}");
    }
    // Data that lie in an answer are not replaced by the next one.
    checked(directory.path(), &["fit", "p.toml"]);
    let inside = description.replace("e.csv", "o/term-1-e.csv");
    fs::write(directory.path().join("q.toml"), inside).expect("written");
    let words = refused(directory.path(), &["fit", "q.toml", "-o", "o"]);
    assert!(words.contains("would replace"), "{words}");
}

/// A few bytes do not take gigabytes.
#[test]
fn more_nodes_than_data_can_speak_of_are_refused() {
    let directory = TempDir::new().expect("a temporary directory");
    let write = |name: &str, text: &str| {
        fs::write(directory.path().join(name), text).expect("written");
    };
    let problem = |nodes: &str, file: &str| {
        format!(
            "rank = 2\n{nodes}\n[[term]]\nmap = \"entries\"\nfile = \"{file}\"\nloss = \"square\"\n"
        )
    };
    write("e.csv", "0 1 1\n1 2 2\n");
    write("far.csv", "0 16000000 1\n1 2 2\n");
    write("named.csv", "a b 1\nb c 2\n");
    for (nodes, file) in [
        ("nodes = 16000000", "e.csv"),
        ("nodes = 4000000000000", "e.csv"),
        ("nodes = 16000000", "named.csv"),
        ("", "far.csv"),
    ] {
        write("p.toml", &problem(nodes, file));
        let words = refused(directory.path(), &["fit", "p.toml"]);
        assert!(words.contains("nodes are too many"), "{words}");
    }
}
