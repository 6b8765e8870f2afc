//! `gramfold cluster` as a user meets it.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::common::{KARATE, gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// Which of the two sides each member of the karate club took after the split (Zachary, 1977).
const SIDES: &str = "0000000010000000111111011111111111";

/// Runs `cluster --json` on a file with the given content and returns the object.
pub(crate) fn clusters(name: &str, content: &[u8], arguments: &[&str]) -> Value {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join(name), content).expect("written");
    let output =
        gramfold(directory.path(), &[&["cluster", name, "--json"][..], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The one-sentence error of a run that must be refused.
fn refusal(name: &str, content: &[u8], arguments: &[&str]) -> String {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join(name), content).expect("written");
    let output = gramfold(directory.path(), &[&["cluster", name][..], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert_eq!(fs::read_dir(directory.path()).expect("readable").count(), 1, "nothing written");
    text(&output.stderr)
}

/// Cliques of the given sizes, as an edge list from node 0, without any edge between them.
pub(crate) fn cliques(sizes: &[usize]) -> String {
    let mut edges = String::new();
    let mut first = 0;
    for size in sizes {
        for i in first..first + size {
            (first..i).for_each(|j| edges += &format!("{i} {j}\n"));
        }
        first += size;
    }
    edges
}

#[test]
fn the_karate_club_falls_apart_as_it_did() {
    let directory = TempDir::new().expect("a temporary directory");
    let truth: Vec<String> = SIDES.chars().map(String::from).collect();
    fs::write(directory.path().join("sides.txt"), truth.join("\n")).expect("written");
    let arguments = ["cluster", KARATE, "-k", "2", "--truth", "sides.txt", "--labels", "mine.txt"];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary = text(&output.stdout);
    assert!(summary.contains("clusters: 2 of sizes"), "{summary}");
    assert!(summary.contains("exact: γ"), "{summary}");

    let solved = directory.path().join("karate.cluster");
    let claims = fs::read_to_string(solved.join("solution.json")).expect("readable");
    let claims: Value = serde_json::from_str(&claims).expect("JSON");
    assert!(claims["accuracy"].as_f64().expect("a number") >= 33.0 / 34.0, "{claims}");
    let labels = fs::read_to_string(solved.join("labels.txt")).expect("readable");
    assert_eq!(labels, fs::read_to_string(directory.path().join("mine.txt")).expect("readable"));
    assert_eq!(labels.lines().count(), 34);
    assert_eq!(gramfold(directory.path(), &["check", "karate.cluster"]).status.code(), Some(0));
}

#[test]
fn names_are_kept_and_components_are_counted() {
    let directory = TempDir::new().expect("a temporary directory");
    let edges = "ann bob\nbob cat\ncat ann\n# the others\ndan eve\neve fay\nfay dan\n";
    fs::write(directory.path().join("friends.txt"), edges).expect("written");
    let output = gramfold(directory.path(), &["cluster", "friends.txt", "-k", "2", "--json"]);
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["components"], 2);
    assert_eq!(object["sizes"], serde_json::json!([3, 3]));
    let labels = directory.path().join("friends.cluster/labels.txt");
    let labels = fs::read_to_string(labels).expect("readable");
    let label = |name: &str| labels.lines().find_map(|line| line.strip_prefix(name)).expect(name);
    assert_eq!(label("ann\t"), label("cat\t"));
    assert_ne!(label("ann\t"), label("eve\t"));
}

#[test]
fn the_scale_of_the_weights_does_not_matter() {
    let weighted = |unit: f64| {
        let edges = cliques(&[5, 6, 7]) + "0 5\n5 11\n";
        let lines = edges.lines().enumerate();
        let lines: Vec<String> =
            lines.map(|(i, line)| format!("{line} {}", unit * (1.0 + (i % 7) as f64))).collect();
        clusters("a.txt", lines.join("\n").as_bytes(), &["-k", "3"])
    };
    let (small, large) = (weighted(1e-3), weighted(1e3));
    assert_eq!(small["sizes"], large["sizes"]);
    let (a, b) = (&small["objective"], &large["objective"]);
    let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
    assert!((a - b).abs() < 1e-6 * a, "the normalised matrix is the same: {a} {b}");
}

#[test]
fn the_similarity_is_chosen_by_the_graph_and_can_be_told() {
    // Clustered and uneven.
    let graph = cliques(&[3, 6, 12]) + "0 5\n5 11\n";
    let run = |arguments: &[&str]| {
        clusters("a.txt", graph.as_bytes(), &[&["-k", "3"], arguments].concat())
    };
    let default = run(&[]);
    assert_eq!(default["similarity"], "walks:window=5,measure=root");
    assert_eq!(
        (&default["normalise"], &default["sizes"]),
        (&"none".into(), &serde_json::json!([12, 6, 3]))
    );
    for similarity in ["weights", "mixed:window=2,measure=logarithm,samples=3"] {
        let told = run(&["--similarity", similarity]);
        assert_eq!(told["similarity"], similarity);
        assert_eq!(
            (&told["normalise"], &told["sizes"]),
            (&"regularised".into(), &serde_json::json!([12, 6, 3]))
        );
        assert_ne!(told["objective"], default["objective"]);
    }
    let even = cliques(&[5, 6, 7]) + "0 5\n5 11\n";
    assert_eq!(clusters("a.txt", even.as_bytes(), &["-k", "3"])["similarity"], "weights");
}

/// Two cliques of eight that share two nodes.
#[test]
fn overlaps_are_written_claimed_shown_and_checked() {
    let directory = TempDir::new().unwrap();
    let mut edges = String::new();
    for clique in [0..8, 6..14] {
        for i in clique.clone() {
            (clique.start..i).for_each(|j| edges += &format!("n{i} n{j}\n"));
        }
    }
    fs::write(directory.path().join("g.txt"), edges).unwrap();
    let asked = ["cluster", "g.txt", "-k", "2", "--overlap", "--verbose", "--report", "page.html"];
    let output = gramfold(directory.path(), &asked);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary = text(&output.stdout);
    assert!(summary.contains("overlap: 2 of 14 nodes (14"), "{summary}");
    assert!(summary.contains("read 0.") && summary.contains(", certificate 0."), "{summary}");
    let out = directory.path().join("g.cluster");
    let table = fs::read_to_string(out.join("overlap.csv")).unwrap();
    let of =
        |name: &str| table.lines().filter(|line| line.starts_with(&format!("{name},"))).count();
    assert_eq!((of("n6"), of("n7"), of("n0"), of("n13")), (2, 2, 1, 1), "{table}");
    let page = fs::read_to_string(directory.path().join("page.html")).unwrap();
    assert!(page.contains("Nodes the most between clusters") && page.contains("0 and 1"));
    let claims: Value =
        serde_json::from_slice(&fs::read(out.join("solution.json")).unwrap()).unwrap();
    assert_eq!(claims["overlap"]["sizes"], serde_json::json!([8, 8]));
    for part in ["read", "similarity", "start", "run", "certificate", "write"] {
        assert!(claims["timings"][part]["cpu_seconds"].as_f64().unwrap() >= 0.0, "{part}");
    }
    let checked = gramfold(directory.path(), &["check", "g.cluster"]);
    let words = text(&checked.stdout);
    assert!(
        checked.status.success() && words.contains("✓ overlap is that of the factor"),
        "{words}"
    );
    assert!(words.contains("timings"), "{words}");
}

#[test]
fn empty_clusters_and_isolated_nodes_are_said() {
    let directory = TempDir::new().unwrap();
    let graph = r#"{"nodes":[{"id":"x"},{"id":"y"},{"id":"z"},{"id":"u"}],"links":[{"source":"x","target":"y"},{"source":"y","target":"z"}]}"#;
    fs::write(directory.path().join("g.json"), graph).unwrap();
    let asked = ["cluster", "g.json", "-k", "2", "--report", "page.html"];
    let summary = text(&gramfold(directory.path(), &asked).stdout);
    assert!(
        summary.contains("sizes 4, 0; 1 cluster is empty: no more than 1 found\n"),
        "{summary}"
    );
    assert!(summary.contains(", 2 components (1 single node);"), "{summary}");
    let page = fs::read_to_string(directory.path().join("page.html")).unwrap();
    for said in [
        "1 cluster is empty: no more than 1 found.",
        "What was factorised: similarity weights, normalised: regularised.",
        "The graph has 2 components, 1 of a single node; 1 node has no weight.",
    ] {
        assert!(page.contains(said), "{said}");
    }
    let stopped = ["cluster", "g.json", "-k", "2", "--max-iter", "1"];
    let stopped = text(&gramfold(directory.path(), &stopped).stdout);
    assert!(
        stopped.contains("sizes 4, 0; 1 cluster is empty: the run has not converged\n"),
        "{stopped}"
    );
    let full = text(&gramfold(directory.path(), &["cluster", KARATE, "-k", "2"]).stdout);
    assert!(!full.contains("empty"), "{full}");
}

#[test]
fn a_page_shortens_long_names() {
    let directory = TempDir::new().unwrap();
    let long = "n".repeat(500);
    let edges = format!("{long} b\nb c\nc {long}\nd e\ne f\nf d\nc d\n");
    fs::write(directory.path().join("g.txt"), edges).unwrap();
    gramfold(directory.path(), &["cluster", "g.txt", "-k", "2", "--report", "page.html"]);
    let page = fs::read_to_string(directory.path().join("page.html")).unwrap();
    assert!(page.contains(&format!("{}…", &long[..39])), "{page}");
}

#[test]
fn the_default_takes_what_the_weights_take() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("pair.txt"), "0 1 0.4879783994493351\n").unwrap();
    let asked =
        ["cluster", "pair.txt", "-k", "2", "--diagonal", "degree", "--tol", "1e-8", "--json"];
    let output = gramfold(directory.path(), &asked);
    let claims: Value = serde_json::from_slice(&output.stdout).expect("claims");
    assert_eq!(claims["similarity"], "weights");
    assert_eq!(gramfold(directory.path(), &["check", "pair.cluster"]).status.code(), Some(0));
}

#[test]
fn the_bound_has_the_same_bits_on_any_number_of_threads() {
    // Large enough for Lanczos on several tasks.
    for arguments in [&["-k", "3"][..], &["-k", "4", "--similarity", "weights"]] {
        let of = |threads: &str| {
            let arguments: Vec<&str> =
                arguments.iter().copied().chain(["--threads", threads]).collect();
            let claims = clusters("g.txt", planted().as_bytes(), &arguments);
            (claims["bound"].clone(), claims["certificate"].clone(), claims["objective"].clone())
        };
        let one = of("1");
        assert!(one.0["value"].is_number());
        assert_eq!(one, of("2"));
        assert_eq!(one, of("3"));
    }
}

#[test]
fn points_make_a_graph_of_their_own() {
    // Three bunches of ten points on a line of slope one.
    let rows = (0..30).map(|i| {
        let (bunch, i) = (f64::from(i / 10) * 100.0, f64::from(i % 10));
        format!("{},{}", bunch + i, bunch + (i * 1.7).sin())
    });
    let table: Vec<String> = rows.collect();
    let object = clusters("points.csv", table.join("\n").as_bytes(), &["-k", "3", "--points"]);
    assert_eq!(object["sizes"], serde_json::json!([10, 10, 10]));
}

#[test]
fn odd_graphs_give_a_clear_answer() {
    // One giant and many singletons: nodes 6 to 9 have no edge at all.
    let giant = "%%MatrixMarket matrix coordinate pattern symmetric\n10 10 7\n\
                 2 1\n3 1\n3 2\n5 4\n6 4\n6 5\n4 3\n";
    let object = clusters("a.mtx", giant.as_bytes(), &["-k", "2"]);
    assert_eq!((&object["singletons"], &object["isolated"]), (&4.into(), &4.into()));
    assert_eq!(object["sizes"].as_array().expect("sizes").len(), 2);

    let loops = "0 0 5\n0 1 1\n1 2 1\n0 2 1\n3 4 1\n4 5 1\n3 5 1\n2 3 0.1\n";
    let object = clusters("a.txt", loops.as_bytes(), &["-k", "2"]);
    assert_eq!(object["self_loops"], 1);

    let one = clusters("a.txt", cliques(&[4]).as_bytes(), &["-k", "1"]);
    assert_eq!(one["sizes"], serde_json::json!([4]));
}

#[test]
fn wrong_graphs_and_flags_are_refused_in_one_sentence() {
    let triangle = cliques(&[3]);
    let cases: &[(&str, &str, &[&str], &str)] = &[
        ("a.txt", &triangle, &["-k", "4"], "the graph has only 3 nodes"),
        ("a.txt", "0 1 -2\n1 2 1\n", &["-k", "2"], "negative"),
        ("a.txt", "0 1\n0 1\n", &["-k", "2", "--duplicates", "refuse"], "a duplicate edge: line 1"),
        ("a.txt", "0 1 x\n", &["-k", "2"], "a.txt:1"),
        ("a.xyz", "0 1 2 3 4\n", &["-k", "2"], "a square matrix (5 lines"),
        ("a.txt", "", &["-k", "2"], "a.txt"),
        ("a.txt", &triangle, &["-k", "0"], "expected a number from 1"),
        ("a.txt", &triangle, &["-k", "5..2"], "a range such as 2..9"),
        ("a.txt", &triangle, &["-k", "2", "--normalise", "wild"], "symmetric"),
        ("a.txt", &triangle, &["-k", "2", "--similarity", "walk"], "weights, walks, mixed"),
        ("a.txt", &triangle, &["-k", "2", "--similarity", "walks:window=0"], "from 1 to 1000"),
        ("a.txt", "0 1 -2\n1 2 1\n", &["-k", "2", "--similarity", "walks"], "negative"),
        ("a.txt", &triangle, &["-k", "2", "--truth", "missing.txt"], "missing.txt"),
        ("a.txt", &triangle, &["-k", "2", "--preset", "magic"], "symhals"),
    ];
    for (name, content, arguments, expected) in cases {
        let message = refusal(name, content.as_bytes(), arguments);
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(message.starts_with("error: "), "{message}");
    }
}

#[test]
fn presets_of_the_literature_run() {
    let directory = TempDir::new().expect("a temporary directory");
    for preset in ["symanls", "symhals", "kuang", "adaptive"] {
        let arguments = ["cluster", KARATE, "-k", "2", "--preset", preset, "--max-iter", "300"];
        let output = gramfold(directory.path(), &arguments);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{preset}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains("clusters: 2"), "{preset}");
    }
}

/// A planted partition of 600 nodes into 6 groups: linear congruential noise, the same on any machine.
pub(crate) fn planted() -> String {
    let mut state = 7_u64;
    let mut edges = String::new();
    for i in 0..600_u32 {
        for j in 0..i {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let odds = if i % 6 == j % 6 { 10 } else { 1 };
            if (state >> 33) % 100 < odds {
                edges += &format!("{i} {j}\n");
            }
        }
    }
    edges
}

#[test]
fn a_run_killed_at_any_moment_resumes_to_the_same_bits() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("a.txt"), planted()).expect("written");
    let run = |checkpoint: &str, out: &str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("gramfold"));
        command
            .current_dir(directory.path())
            .args(["cluster", "a.txt", "-k", "9", "--restarts", "10", "--tol", "1e-13"])
            .args(["--max-iter", "1000", "--checkpoint", checkpoint, "--resume", "--out", out])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    run("whole.checkpoint", "whole").status().expect("it runs");
    let mut kills = 0;
    loop {
        let mut child = run("killed.checkpoint", "killed").spawn().expect("it starts");
        // Different moments: reading, iterating, writing the checkpoint, certifying. Later ones, too,
        // for machines so busy that the first kills come before any checkpoint.
        thread::sleep(Duration::from_millis(10 + 37 * kills % 160 + 2 * kills));
        child.kill().expect("killed, or already gone");
        let ended = child.wait().expect("it ends").code().is_some();
        if ended && directory.path().join("killed/solution.json").exists() {
            break;
        }
        kills += 1;
        // Without progress between kills this would go on for ever.
        assert!(kills < 400, "killed {kills} times");
    }
    assert!(kills > 3, "killed only {kills} times");
    let read = |name: &str| fs::read(directory.path().join(name)).expect("readable");
    for name in ["factor.npy", "X.npy", "Y.npy", "labels.txt"] {
        assert_eq!(read(&format!("whole/{name}")), read(&format!("killed/{name}")), "{name}");
    }
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let directory = TempDir::new().expect("a temporary directory");
    let arguments = |k| ["cluster", KARATE, "-k", k, "--checkpoint", "c", "--resume"];
    let first = gramfold(directory.path(), &arguments("2"));
    assert_eq!(first.status.code(), Some(0));
    assert!(text(&first.stderr).contains("no checkpoint at c yet"));
    let other = gramfold(directory.path(), &arguments("3"));
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("belongs to another run"), "{}", text(&other.stderr));
    fs::write(directory.path().join("c"), "rubbish").expect("written");
    let rubbish = gramfold(directory.path(), &arguments("2"));
    assert_eq!(rubbish.status.code(), Some(2));
    assert!(text(&rubbish.stderr).contains("is not a checkpoint"), "{}", text(&rubbish.stderr));
}

/// A stopped run of a large graph does not spend on proofs the time that it was not given; `check` makes up for it.
#[test]
fn a_large_run_that_is_stopped_is_measured_and_not_proved() {
    let directory = TempDir::new().unwrap();
    let mut ring = String::new();
    for i in 0..9000 {
        ring += &format!("{i} {}\n{i} {}\n", (i + 1) % 9000, (i * 7) % 9000);
    }
    fs::write(directory.path().join("ring.txt"), ring).unwrap();
    let arguments =
        ["cluster", "ring.txt", "-k", "3", "--time-limit", "0.001", "--json", "--out", "out"];
    let output = gramfold(directory.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let claims: Value = serde_json::from_slice(&output.stdout).unwrap();
    let certificate = &claims["certificate"];
    assert!(claims["status"] == "time_limit" && certificate["brief"] == true, "{claims}");
    assert_eq!(certificate["spectrum"]["proof"]["kind"], "estimate");
    assert!(certificate["lower_bound"].is_null() && claims["exact"] == false);
    let output = gramfold(directory.path(), &["check", "out"]);
    let words = text(&output.stdout);
    assert!(output.status.success() && words.contains("every claim holds"), "{words}");
    assert!(words.contains("the minimum is at least"), "{words}");
}
