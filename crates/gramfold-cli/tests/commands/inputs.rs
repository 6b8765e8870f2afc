//! Files as people have them, and the pages that show what came of them.

use std::{fs, path::Path};

use crate::common::{gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// Two triangles with a bridge, in a list with names.
const FRIENDS: &str = "ann bob\nbob cat\ncat ann\ndan eve\neve fay\nfay dan\ncat dan\n";

fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().expect("a temporary directory");
    for (name, content) in files {
        fs::write(directory.path().join(name), content).expect("written");
    }
    directory
}

/// Runs a command that must succeed; what it says on stderr.
fn runs(directory: &Path, arguments: &[&str]) -> String {
    let output = gramfold(directory, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stderr)
}

fn solution(directory: &Path, name: &str) -> Value {
    let claims = fs::read_to_string(directory.join(name).join("solution.json")).expect("readable");
    serde_json::from_str(&claims).expect("JSON")
}

/// A frame that pandas wrote, with header, index, strings and holes: three bunches of ten.
fn frame() -> String {
    let mut text = String::from(",height,\"the \"\"kind\"\"\",width,species\n");
    for i in 0..30 {
        let (bunch, step) = (i / 10, f64::from(i % 10));
        let width = if i == 4 {
            String::new()
        } else {
            (f64::from(bunch) * 90.0 + (step * 1.7).sin()).to_string()
        };
        let species = ["setosa", "versicolor", "virginica"][bunch as usize];
        text += &format!("{i},{},red,{width},{species}\n", f64::from(bunch) * 100.0 + step);
    }
    text
}

#[test]
fn a_frame_of_pandas_is_clustered_and_compared() {
    let directory = directory(&[("frame.csv", &frame())]);
    let arguments = ["cluster", "frame.csv", "--points", "-k", "3"];
    let refused = gramfold(directory.path(), &arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("frame.csv:6: expected a finite number"),
        "{}",
        text(&refused.stderr)
    );
    let more = [
        "--missing",
        "drop",
        "--label-column",
        "species",
        "--standardise",
        "--report",
        "page.html",
    ];
    let said = runs(directory.path(), &[&arguments[..], &more].concat());
    assert!(said.contains("29 points of 2 columns; header skipped"), "{said}");
    assert!(said.contains("1 row with holes left out"), "{said}");
    assert!(said.contains("warning: frame.csv: column `the \"kind\"` is text"), "{said}");
    let claims = solution(directory.path(), "frame.cluster");
    assert_eq!(claims["accuracy"], 1.0);
    let labels =
        fs::read_to_string(directory.path().join("frame.cluster/labels.txt")).expect("labels");
    assert!(labels.starts_with("0\t") && labels.lines().count() == 29, "{labels}");
    let page = fs::read_to_string(directory.path().join("page.html")).expect("a report");
    for part in [
        "3 clusters of 10, 10, 9 nodes",
        "virginica",
        "Given classes against clusters",
        "class=\"network\"",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn classes_are_joined_by_name_and_may_be_words() {
    // In another order than the nodes, with a header and quotation marks.
    let truth = "name,team\nfay,blue\nann,\"the \"\"reds\"\"\"\nbob,\"the \"\"reds\"\"\"\ncat,\"the \"\"reds\"\"\"\ndan,blue\neve,blue\n";
    let directory = directory(&[
        ("friends.txt", FRIENDS),
        ("truth.csv", truth),
        ("order.txt", "red\nred\nred\nblue\nblue\nblue\n"),
        ("few.csv", "ann,red\neve,blue\n"),
    ]);
    let arguments = ["cluster", "friends.txt", "-k", "2", "--truth"];
    let said = runs(directory.path(), &[&arguments[..], &["truth.csv"]].concat());
    assert!(!said.contains("warning"), "{said}");
    assert_eq!(solution(directory.path(), "friends.cluster")["accuracy"], 1.0);
    let said = runs(directory.path(), &[&arguments[..], &["order.txt"]].concat());
    assert!(said.contains("warning: order.txt: this file has no names"), "{said}");
    assert_eq!(solution(directory.path(), "friends.cluster")["accuracy"], 1.0);
    let said = runs(directory.path(), &[&arguments[..], &["few.csv"]].concat());
    assert!(said.contains("4 of the 6 nodes have no class here"), "{said}");
    assert!(!said.contains("not in the graph"), "{said}");
    // One node more than the graph has is no header.
    let more = "ann,red\nbob,red\ncat,red\ndan,blue\neve,blue\nfay,blue\nzoe,blue\n";
    fs::write(directory.path().join("more.csv"), more).unwrap();
    let said = runs(directory.path(), &[&arguments[..], &["more.csv"]].concat());
    assert!(said.contains("more.csv: 1 name is not in the graph\n"), "{said}");
    assert_eq!(solution(directory.path(), "friends.cluster")["accuracy"], 1.0);
}

#[test]
fn names_of_points_that_come_again_are_left_out_or_refused() {
    let points = "name,u,v\na,0,0\na,0,1\nb,5,6\nb,5,5\n";
    let directory = directory(&[("p.csv", points)]);
    let said = runs(directory.path(), &["cluster", "p.csv", "--points", "-k", "2"]);
    assert!(said.contains("two rows are called `a`: rows are numbered instead"), "{said}");
    assert_eq!(solution(directory.path(), "p.cluster")["sizes"], serde_json::json!([2, 2]));
    let asked =
        ["cluster", "p.csv", "--points", "-k", "2", "--id-column", "name", "--out", "named"];
    let refused = gramfold(directory.path(), &asked);
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(said.contains("error: p.csv: two points are called `a`: choose"), "{said}");
    assert!(!directory.path().join("named").exists());
}

#[test]
fn points_read_as_edges_are_warned_of() {
    let points = "0.5 1.5\n0.25 2\n3 1.125\n4.5 2\n";
    let directory = directory(&[("points.txt", points), ("edges.txt", "1 2\n2 3\n")]);
    let said = runs(directory.path(), &["cluster", "points.txt", "-k", "2"]);
    assert!(said.contains("if these lines are points, read them with --points"), "{said}");
    let said = runs(directory.path(), &["cluster", "points.txt", "-k", "2", "--points"]);
    assert!(!said.contains("warning"), "{said}");
    let said = runs(directory.path(), &["cluster", "edges.txt", "-k", "2"]);
    assert!(!said.contains("warning"), "{said}");
}

#[test]
fn every_command_on_graphs_reads_every_format() {
    let json = r#"{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "edges": [{"source": "a", "target": "b"},
                   {"source": "b", "target": "c"}, {"source": "c", "target": "a"}]}"#;
    let directory = directory(&[("triangle.json", json)]);
    for arguments in [
        &["factor", "triangle.json", "--rank", "1"][..],
        &["bounds", "triangle.json", "--rank", "1"],
        &["cluster", "triangle.json", "-k", "1"],
        &["maxcut", "triangle.json"],
        &["bisect", "triangle.json"],
        &["theta", "triangle.json"],
    ] {
        runs(directory.path(), arguments);
    }
    assert_eq!(solution(directory.path(), "triangle.maxcut")["objective"], 2.0);
    let partition = fs::read_to_string(directory.path().join("triangle.maxcut/partition.txt"));
    assert!(partition.expect("a partition").starts_with("a\t"));
}

#[test]
fn edges_that_come_again_follow_one_rule() {
    let directory = directory(&[("g.txt", "0 1 2\n1 0 3\n1 2 1\n0 2 1\n")]);
    for (rule, weight) in [("first", 3.0), ("sum", 6.0)] {
        let said = runs(directory.path(), &["maxcut", "g.txt", "--duplicates", rule]);
        assert!(said.contains("1 repeated mention of edges"), "{said}");
        assert_eq!(solution(directory.path(), "g.maxcut")["objective"], weight, "{rule}");
    }
    let refused = gramfold(directory.path(), &["maxcut", "g.txt", "--duplicates", "refuse"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("g.txt:2: expected each edge once"));
}

#[test]
fn names_in_a_page_are_text() {
    let hostile = "\"<script>alert(1)</script>\",\"a\u{202e}b\"\n\"a\u{202e}b\",\"\"\"q\"\"\"\n\
                   \"\"\"q\"\"\",\"<script>alert(1)</script>\"\n";
    let directory = directory(&[("<b>&.csv", hostile)]);
    for command in [
        &["cluster", "<b>&.csv", "-k", "1"][..],
        &["factor", "<b>&.csv", "--rank", "1"],
        &["maxcut", "<b>&.csv"],
    ] {
        runs(directory.path(), &[command, &["--report", "page.html"]].concat());
        let page = fs::read_to_string(directory.path().join("page.html")).expect("a report");
        assert!(
            !page.contains("<script>alert")
                && !page.contains("<b>&.csv")
                && !page.contains('\u{202e}')
        );
        assert!(
            page.contains("&lt;script&gt;alert(1)&lt;/script&gt;")
                && page.contains("class=\"headline\"")
        );
    }
}

#[test]
fn a_pair_without_a_value_is_no_measurement() {
    let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n";
    let files = [
        ("p.csv", "a,b\nb,c\n"),
        ("p.mtx", pattern),
        ("p.gml", "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"),
        ("p.edgelist", "a b {}\nb c {'weight': 2}\n"),
        ("p.json", r#"{"nodes":[{"id":"a"},{"id":"b"}],"links":[{"source":"a","target":"b"}]}"#),
        ("p.adjlist", "a b c\n"),
    ];
    let directory = directory(&files);
    for (name, _) in files {
        for command in [
            &["complete", name][..],
            &["locate", name, "--dim", "1"],
            &["correlation", name, "--rank", "1"],
            &["factors", name, "-k", "1"],
        ] {
            let output = gramfold(directory.path(), command);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
            assert!(said.contains("for every pair, found pairs without"), "{command:?}: {said}");
        }
        runs(directory.path(), &["cluster", name, "-k", "1"]);
    }
}
