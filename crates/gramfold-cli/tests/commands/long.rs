//! Long runs of the commands that solve programs: killed at any moment they go on to the same bits.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::common::{gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// Edges by linear congruential noise, the same on any machine.
fn edges(n: usize, keep: u64) -> Vec<(usize, usize)> {
    let mut state = 7_u64;
    let mut edges = Vec::new();
    for i in 1..=n {
        for j in 1..i {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
            if (state >> 33) % 1000 < keep {
                edges.push((j, i));
            }
        }
    }
    edges
}

fn edge_list(n: usize, keep: u64) -> String {
    let edges = edges(n, keep);
    let mut text = format!("{n} {}\n", edges.len());
    for (i, j) in edges {
        text += &format!("{i} {j} 1\n");
    }
    text
}

/// The Lovász number of a random graph.
fn theta(n: usize, keep: u64) -> String {
    let edges = edges(n, keep);
    let m = edges.len() + 1;
    let mut text = format!("{m}\n1\n{n}\n1{}\n", " 0".repeat(m - 1));
    for i in 1..=n {
        (i..=n).for_each(|j| text += &format!("0 1 {i} {j} 1\n"));
        text += &format!("1 1 {i} {i} 1\n");
    }
    for (k, (i, j)) in edges.iter().enumerate() {
        text += &format!("{} 1 {i} {j} 1\n", k + 2);
    }
    text
}

/// Max-Cut of a random graph.
fn max_cut(n: usize, keep: u64) -> String {
    let mut text = format!("{n}\n1\n{n}\n{}\n", vec!["1"; n].join(" "));
    (1..=n).for_each(|i| text += &format!("{i} 1 {i} {i} 1\n"));
    for (i, j) in edges(n, keep) {
        text += &format!("0 1 {i} {j} -1\n");
    }
    text
}

/// Everything that a directory holds, without times.
fn content(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let timeless = |line: &str| {
        let mut object: Value = serde_json::from_str(line).expect("JSON");
        let fields = object.as_object_mut().expect("an object");
        // The hashes of files are those of their bytes, times included; the files are compared one by one.
        for key in ["seconds", "cpu_seconds", "peak_memory_bytes", "sha256"] {
            fields.remove(key);
        }
        object.to_string()
    };
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let bytes = fs::read(&path).expect("readable");
            let bytes = match name.as_str() {
                "solution.json" => timeless(&text(&bytes)).into_bytes(),
                "trace.jsonl" => {
                    text(&bytes).lines().map(timeless).collect::<String>().into_bytes()
                }
                _ => bytes,
            };
            (name, bytes)
        })
        .collect();
    files.sort();
    files
}

/// Kills a command again and again until it ends, and compares what it wrote with what an undisturbed run without a
/// checkpoint writes. How often it was killed.
fn killed(name: &str, input: &str, arguments: &[&str]) -> u64 {
    let place = || {
        let directory = TempDir::new().expect("a temporary directory");
        fs::write(directory.path().join(name), input).expect("written");
        directory
    };
    let (whole, broken) = (place(), place());
    let whole_run = gramfold(whole.path(), &[arguments, &["--out", "out"]].concat());
    assert!(matches!(whole_run.status.code(), Some(0 | 1)), "{}", text(&whole_run.stderr));
    let mut kills = 0;
    loop {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gramfold"))
            .current_dir(broken.path())
            .args(arguments)
            .args(["--out", "out", "--checkpoint", "state", "--resume"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        // Different moments: reading, iterating, writing the checkpoint, certifying. Later ones, too, for machines so
        // busy that the first kills come before any checkpoint.
        thread::sleep(Duration::from_millis(5 + 11 * kills % 45 + 10 * kills));
        child.kill().expect("killed, or already gone");
        let ended = child.wait().expect("it ends").code().is_some();
        if ended && broken.path().join("out/solution.json").exists() {
            break;
        }
        kills += 1;
        assert!(kills < 400, "killed {kills} times");
    }
    let (whole, broken) = (content(&whole.path().join("out")), content(&broken.path().join("out")));
    // A kill may leave an unfinished file beside the others.
    for (name, bytes) in &whole {
        let found = broken.iter().find(|(other, _)| other == name).map(|(_, bytes)| bytes);
        assert!(found == Some(bytes), "{arguments:?}: {name} differs after {kills} kills");
    }
    kills
}

#[cfg(unix)]
#[test]
fn a_run_killed_at_any_moment_resumes_to_the_same_bits() {
    let (cut, lovasz) = (max_cut(700, 12), theta(70, 300));
    let solve = |method| ["solve", "a.dat-s", "--seed", "2", "--method", method];
    let narrow = ["--rank", "2", "--tol", "1e-9"];
    let kills = [
        killed("a.dat-s", &cut, &[&solve("diagonal")[..], &narrow].concat()),
        killed("a.dat-s", &lovasz, &[&solve("lowrank")[..], &narrow].concat()),
        killed("a.dat-s", &lovasz, &[&solve("interior")[..], &["--tol", "1e-9"]].concat()),
    ];
    assert!(kills.iter().all(|kills| *kills > 2), "killed only {kills:?} times");
}

#[cfg(unix)]
#[test]
fn graphs_are_gone_on_with_as_well() {
    let graph = edge_list(300, 40);
    let few = ["--planes", "2", "--sweeps", "0", "--rank", "2"];
    killed("a.txt", &graph, &[&["maxcut", "a.txt"][..], &few].concat());
    killed("a.txt", &graph, &[&["bisect", "a.txt"][..], &few].concat());
    // So tight that low rank comes to no proof and interior points follow.
    killed("a.txt", &edge_list(42, 200), &["theta", "a.txt", "--tol", "1e-12"]);
}

#[test]
fn a_finished_run_is_only_certified_again_and_another_one_is_refused() {
    let directory = TempDir::new().expect("a temporary directory");
    let place = |content: String| fs::write(directory.path().join("a.dat-s"), content);
    place(max_cut(40, 200)).expect("written");
    let run = |more: &[&str]| {
        let arguments = ["solve", "a.dat-s", "--json", "--checkpoint", "state", "--resume"];
        gramfold(directory.path(), &[&arguments[..], more].concat())
    };
    let first = run(&["--seed", "3"]);
    assert!(text(&first.stderr).contains("no checkpoint at state yet"), "{}", text(&first.stderr));
    let again = run(&["--seed", "3"]);
    assert!(again.stderr.is_empty(), "{}", text(&again.stderr));
    let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
    let (first, again) = (read(&first.stdout), read(&again.stdout));
    for key in ["status", "objective", "bound", "iterations", "certificate"] {
        assert_eq!(first[key], again[key], "{key}");
    }
    let refused = |more: &[&str], message: &str| {
        let output = run(more);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    };
    refused(&["--seed", "4"], "belongs to another run");
    refused(&["--seed", "3", "--tol", "1e-7"], "belongs to another run");
    place(max_cut(42, 200)).expect("written");
    refused(&["--seed", "3"], "belongs to another run");
    fs::write(directory.path().join("state"), "rubbish").expect("written");
    refused(&["--seed", "3"], "is not a checkpoint");
}
