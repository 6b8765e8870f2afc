//! `gramfold maxcut` and `gramfold bisect` as a user meets them.

use std::fs;

use crate::common::{KARATE, gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// Runs a command with `--json` on a file with the given content; returns the object and the partition.
fn cut(command: &str, name: &str, content: &str, arguments: &[&str]) -> (Value, Vec<usize>) {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join(name), content).expect("written");
    let fixed = [command, name, "--json", "--partition", "sides.txt"];
    let output = gramfold(directory.path(), &[&fixed[..], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let sides = fs::read_to_string(directory.path().join("sides.txt")).expect("a partition");
    // After the name of the node, where it has one.
    let side = |line: &str| line.rsplit('\t').next().and_then(|side| side.parse().ok());
    let sides = sides.lines().map(|line| side(line).expect("an integer")).collect();
    (serde_json::from_slice(&output.stdout).expect("JSON"), sides)
}

/// A rudy file of a graph that a hash decides, with weights from −2 to 3, and its edges.
fn random_graph(n: usize, seed: usize) -> (String, Vec<(usize, usize, i64)>) {
    let mut edges = Vec::new();
    for i in 0..n {
        for j in 0..i {
            let hash = (i * 7919 + j * 104_729 + seed * 1_299_709).wrapping_mul(2_654_435_761) >> 7;
            if hash.is_multiple_of(2) {
                edges.push((i, j, i64::try_from(hash / 2 % 6).expect("small") - 2));
            }
        }
    }
    let lines: Vec<_> =
        edges.iter().map(|(i, j, w)| format!("{} {} {w}\n", i + 1, j + 1)).collect();
    (format!("{n} {}\n{}", edges.len(), lines.concat()), edges)
}

fn weight(edges: &[(usize, usize, i64)], side: impl Fn(usize) -> usize) -> i64 {
    edges.iter().filter(|(i, j, _)| side(*i) != side(*j)).map(|(_, _, w)| w).sum()
}

#[test]
fn cuts_of_small_graphs_are_bounded_by_brute_force_on_both_sides() {
    for seed in 0..6 {
        let n = 11;
        let (content, edges) = random_graph(n, seed);
        let (claims, sides) = cut("maxcut", "g.txt", &content, &[]);
        let best = (0_usize..1 << n).map(|s| weight(&edges, |i| s >> i & 1)).max().unwrap();
        let found = weight(&edges, |i| sides[i]);
        assert_eq!(
            claims["objective"].as_f64(),
            Some(found as f64),
            "the partition is what it says"
        );
        assert!(found <= best && claims["bound"]["value"].as_f64().unwrap() >= best as f64);
        // With every node of eleven moved in chains from a hundred planes, nothing is left to find.
        assert_eq!(found, best, "seed {seed}");
        assert_eq!(claims["status"], "solved");
        assert!(claims["certificate"]["relative_gap"].as_f64().unwrap().abs() <= 1e-6);
    }
}

#[test]
fn halves_are_halves_and_bounded_by_brute_force() {
    for (n, seed) in [(10, 1), (11, 2), (10, 3), (9, 4)] {
        let (content, edges) = random_graph(n, seed);
        let (claims, sides) = cut("bisect", "g.txt", &content, &[]);
        let halves = (0_usize..1 << n).filter(|s| s.count_ones() as usize == n / 2);
        let best = halves.map(|s| weight(&edges, |i| s >> i & 1)).min().unwrap();
        let found = weight(&edges, |i| sides[i]);
        assert_eq!(claims["objective"].as_f64(), Some(found as f64));
        assert_eq!(sides.iter().sum::<usize>(), n / 2);
        assert_eq!(found, best, "{n} nodes, seed {seed}");
        let bound = claims["bound"]["value"].as_f64().expect("a bound is proved");
        assert!(bound <= best as f64, "{n} nodes, seed {seed}: {bound} above {best}");
        assert_eq!(claims["status"], "solved");
    }
}

#[test]
fn every_format_gives_the_same_cut() {
    let rudy = "4 4\n1 2 1\n2 3 1\n3 4 1\n4 1 1\n";
    let list = "1 2 1\n2 3 1\n3 4 1\n4 1 1\n";
    let market =
        "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n2 1 1\n3 2 1\n4 3 1\n4 1 1\n";
    for (name, content) in [("g.txt", rudy), ("h.txt", list), ("g.mtx", market)] {
        let (claims, sides) = cut("maxcut", name, content, &[]);
        assert_eq!(
            (claims["objective"].as_f64(), claims["bound"]["value"].as_f64()),
            (Some(4.0), Some(4.0))
        );
        assert_eq!(claims["optimal"], true);
        assert!(sides == [0, 1, 0, 1] || sides == [1, 0, 1, 0]);
    }
}

#[test]
fn the_directory_holds_what_the_summary_says() {
    let directory = TempDir::new().expect("a temporary directory");
    let arguments = ["maxcut", KARATE, "--out", "cut", "--report", "cut.html", "--threads", "1"];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary = text(&output.stdout);
    assert!(summary.starts_with("34 nodes, 78 edges\ncut 61"), "{summary}");
    assert!(summary.contains("no cut is above"), "{summary}");
    for name in
        ["partition.txt", "factor.npy", "dual.npy", "trace.jsonl", "graph.mtx", "solution.json"]
    {
        assert!(directory.path().join("cut").join(name).exists(), "{name}");
    }
    let page = fs::read_to_string(directory.path().join("cut.html")).expect("a report");
    assert!(page.starts_with("<!doctype html>") && page.contains("no cut is above"));
    let again = gramfold(directory.path(), &["maxcut", KARATE, "--out", "two", "--threads", "2"]);
    assert_eq!(again.status.code(), Some(0));
    let read = |name: &str| fs::read(directory.path().join(name)).expect("readable");
    assert_eq!(read("cut/partition.txt"), read("two/partition.txt"));
    assert_eq!(read("cut/factor.npy"), read("two/factor.npy"));
}

#[test]
fn graphs_without_edges_and_without_nodes() {
    let (claims, _) = cut("maxcut", "g.txt", "3 1\n1 2 0\n", &[]);
    assert_eq!((claims["objective"].as_f64(), claims["ratio"].as_f64()), (Some(0.0), Some(1.0)));
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("g.txt"), "1 1 2\n").expect("written");
    let output = gramfold(directory.path(), &["maxcut", "g.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "error: g.txt has only one node: there is nothing to cut\n");
}

#[test]
fn what_is_no_graph_is_refused_in_one_sentence() {
    let directory = TempDir::new().expect("a temporary directory");
    let at = |name: &str, content: &str| {
        fs::write(directory.path().join(name), content).expect("written");
    };
    at("p.dat-s", "1\n1\n2\n1\n1 1 1 1 1\n");
    at("huge.txt", "2 1\n1 2 1e308\n");
    fs::create_dir(directory.path().join("folder")).expect("made");
    for (name, message) in [
        (
            "p.dat-s",
            "error: p.dat-s is a semidefinite program, not a graph: use `gramfold solve`\n",
        ),
        ("folder", "error: folder: cannot read the file: is a directory\n"),
        ("huge.txt", "error: the weights of huge.txt add up to inf: scale them down\n"),
    ] {
        for command in ["maxcut", "bisect"] {
            let output = gramfold(directory.path(), &[command, name]);
            assert_eq!((output.status.code(), &*text(&output.stderr)), (Some(2), message));
            assert!(
                output.stdout.is_empty() && !directory.path().join(format!("p.{command}")).exists()
            );
        }
    }
}

#[test]
fn graphs_of_negative_weights_and_of_no_edges_have_whole_answers() {
    let negative = "3 3\n1 2 -1\n2 3 -2\n1 3 -1\n";
    let (claims, _) = cut("maxcut", "g.txt", negative, &[]);
    assert_eq!(claims["objective"].to_string(), "0.0", "not a negative zero");
    let (claims, _) = cut("bisect", "g.txt", negative, &[]);
    assert_eq!(
        (claims["objective"].as_f64(), claims["optimal"].as_bool()),
        (Some(-3.0), Some(true))
    );
    let (claims, sides) = cut("maxcut", "g.txt", "3 0\n", &[]);
    assert_eq!((claims["nodes"].as_u64(), claims["edges"].as_u64()), (Some(3), Some(0)));
    assert_eq!(sides.len(), 3);
}

/// A torus of k×k nodes with weights ±1 that a hash decides.
fn torus(k: usize) -> String {
    let mut text = format!("{} {}\n", k * k, 2 * k * k);
    for i in 0..k {
        for j in 0..k {
            for (a, b) in [((i + 1) % k, j), (i, (j + 1) % k)] {
                let hash = (i * 7919 + j * 104_729 + a * 31 + b).wrapping_mul(2_654_435_761) >> 11;
                let weight = if hash.is_multiple_of(2) { 1 } else { -1 };
                text += &format!("{} {} {weight}\n", i * k + j + 1, a * k + b + 1);
            }
        }
    }
    text
}

#[test]
fn a_time_limit_leaves_a_cut_and_a_true_bound() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("t.txt"), torus(40)).expect("written");
    for command in ["maxcut", "bisect"] {
        let arguments = [command, "t.txt", "--json", "--time-limit", "0.001", "--out", command];
        let output = gramfold(directory.path(), &arguments);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(claims["status"], "time_limit");
        let (found, bound) =
            (claims["objective"].as_f64().unwrap(), claims["bound"]["value"].as_f64().unwrap());
        assert!(if command == "maxcut" { found <= bound } else { found >= bound });
        for name in
            ["partition.txt", "factor.npy", "dual.npy", "trace.jsonl", "graph.mtx", "solution.json"]
        {
            assert!(directory.path().join(command).join(name).is_file(), "{command}: {name}");
        }
    }
}

#[test]
fn annealing_does_not_make_a_cut_lighter_and_is_reproducible() {
    let content = torus(20);
    let weight = |arguments: &[&str]| {
        let (claims, sides) = cut("maxcut", "t.txt", &content, arguments);
        (claims["objective"].as_f64().expect("a weight"), sides)
    };
    let (without, _) = weight(&["--sweeps", "0", "--planes", "10"]);
    let (with, sides) = weight(&["--planes", "10", "--threads", "1"]);
    assert!(with >= without, "{with} for {without}");
    assert_eq!((with, sides), weight(&["--planes", "10", "--threads", "3"]));
}
