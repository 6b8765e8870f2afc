//! Two writers of one directory, and one that is killed.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    common::{gramfold, text},
    store::{names, place, ring, whole},
};

/// A run that takes long.
fn endless(directory: &Path) -> Child {
    fs::write(directory.join("long.txt"), ring(900)).expect("written");
    Command::new(env!("CARGO_BIN_EXE_gramfold"))
        .current_dir(directory)
        .args([
            "cluster",
            "long.txt",
            "-k",
            "9",
            "--restarts",
            "1000",
            "--tol",
            "1e-15",
            "-o",
            "out",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

#[test]
fn a_second_writer_is_told_and_a_killed_one_locks_nobody_out() {
    let directory = place();
    let mut first = endless(directory.path());
    let lock = directory.path().join(".out.gramfold-lock");
    let clock = Instant::now();
    while !fs::read_to_string(&lock).is_ok_and(|owner| !owner.is_empty()) {
        assert!(clock.elapsed() < Duration::from_secs(60), "it never began");
        thread::sleep(Duration::from_millis(10));
    }
    let second = ["factor", "karate.mtx", "-r", "2", "-o", "./out"];
    let output = gramfold(directory.path(), &second);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains(&format!("another gramfold (process {}) is writing", first.id())),
        "{errors}"
    );
    first.kill().expect("killed");
    first.wait().expect("it ends");
    assert!(lock.exists(), "the killed one could not remove it");
    assert_eq!(gramfold(directory.path(), &second).status.code(), Some(0));
    whole(&directory.path().join("out"));
    assert!(!lock.exists());
}

#[test]
fn a_writer_killed_at_any_moment_leaves_the_old_directory_or_the_new_one() {
    let directory = place();
    // Much to write and little to compute: the kills meet the writing.
    let n = 260;
    let mut dense = format!("%%MatrixMarket matrix array real symmetric\n{n} {n}\n");
    for j in 0..n {
        (j..n).for_each(|i| dense += &format!("{}\n", f64::from((i * 7 + j * 3) % 11) / 11.0));
    }
    fs::write(directory.path().join("dense.mtx"), dense).expect("written");
    let run = |rank: usize| {
        Command::new(env!("CARGO_BIN_EXE_gramfold"))
            .current_dir(directory.path())
            .args(["factor", "dense.mtx", "-r", &rank.to_string(), "--max-iter", "2", "-o", "out"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts")
    };
    // One that replaces another waits for the disk, and so takes longer than the first.
    run(1).wait().expect("it ends");
    let clock = Instant::now();
    run(1).wait().expect("it ends");
    let whole_run = clock.elapsed();
    let mut seen = [0; 3];
    for turn in 0..60_u32 {
        let rank = 1 + (turn % 2) as usize;
        let mut child = run(rank);
        // The later half of a run, and as much beyond it: other runs may be slower.
        thread::sleep(whole_run / 2 + whole_run * (turn * 37 % 60) / 60);
        child.kill().expect("killed, or already gone");
        child.wait().expect("it ends");
        let out = directory.path().join("out");
        let claims = whole(&out);
        let found = claims["rank"].as_u64().expect("a rank") as usize;
        seen[found] += 1;
        let columns = format!("'shape': ({n}, {found})");
        for name in ["factor.npy", "X.npy", "Y.npy"] {
            let bytes = fs::read(out.join(name)).expect("readable");
            let head = String::from_utf8_lossy(&bytes[..128]).into_owned();
            assert!(head.contains(&columns), "{name}: {head}");
        }
    }
    assert!(seen[1] > 0 && seen[2] > 0, "{seen:?}");
    // What the kills left is cleared away by the next one that ends.
    run(1).wait().expect("it ends");
    assert_eq!(names(directory.path()), ["a.dat-s", "a.txt", "dense.mtx", "karate.mtx", "out"]);
}
