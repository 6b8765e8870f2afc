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
