//! `cargo xtask fuzz`: the targets of `fuzz/` under libFuzzer, one after the other, on stable Rust.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Instant,
};

use crate::command::{root, say};

/// Set where this program stands in for the compiler, see [`compile`].
const INSTRUMENT: &str = "GRAMFOLD_INSTRUMENT";

/// What makes the compiler count the edges of the control flow that are taken. All of it is stable.
const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Rounds in which every target gets its share of the time, so that a short run reaches all.
const ROUNDS: u32 = 2;

/// Runs every target, or those named, for so many minutes in all; false if an input was found that one cannot take.
pub(crate) fn run(minutes: f64, named: &[&str]) -> bool {
    let Some(binary) = build() else { return false };
    let targets: Vec<String> = match named {
        [] => list(&binary),
        named => named.iter().map(|name| (*name).to_owned()).collect(),
    };
    let place = root().join("target/fuzz");
    let clock = Instant::now();
    let share = (minutes * 60.0 / f64::from(ROUNDS) / targets.len().max(1) as f64).max(1.0);
    let mut inputs = 0;
    let mut failed = Vec::new();
    for _ in 0..ROUNDS {
        for target in &targets {
            if failed.contains(target) {
                continue;
            }
            let Some(outcome) = fuzz(&binary, &place, target, share) else { return false };
            inputs += outcome.inputs;
            say(&format!("{target}: {} inputs, {} in the corpus", outcome.inputs, outcome.corpus));
            if !outcome.passed {
                failed.push(target.clone());
            }
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    say(&format!(
        "{inputs} inputs in {seconds:.0} s; {} of {} targets failed",
        failed.len(),
        targets.len()
    ));
    for target in &failed {
        let inputs = place.join("found").join(target);
        say(&format!(
            "{target}: see {}; again with GRAMFOLD_FUZZ={target} {} FILE",
            inputs.display(),
            binary.display()
        ));
    }
    failed.is_empty()
}

/// What a run of one target came to.
struct Outcome {
    passed: bool,
    inputs: u64,
    corpus: usize,
}

fn fuzz(binary: &Path, place: &Path, target: &str, seconds: f64) -> Option<Outcome> {
    let (corpus, found) = (place.join("corpus").join(target), place.join("found").join(target));
    let log = place.join(format!("{target}.log"));
    for directory in [&corpus, &found] {
        if let Err(error) = fs::create_dir_all(directory) {
            say(&format!("cannot create {}: {error}", directory.display()));
            return None;
        }
    }
    let words = place.join(format!("{target}.words"));
    let set_up = Command::new(binary)
        .env("GRAMFOLD_FUZZ", target)
        .env("GRAMFOLD_FUZZ_SEEDS", &corpus)
        .env("GRAMFOLD_FUZZ_WORDS", &words)
        .output();
    if !set_up.is_ok_and(|output| output.status.success()) {
        say(&format!("the seeds of {target} cannot be written; is there such a target?"));
        return None;
    }
    let mut command = Command::new(binary);
    command
        .env("GRAMFOLD_FUZZ", target)
        .env("RAYON_NUM_THREADS", "1")
        .arg(&corpus)
        .arg(format!("-artifact_prefix={}/", found.display()))
        .arg(format!("-max_total_time={}", seconds.ceil()))
        .args([
            "-timeout=30",
            "-rss_limit_mb=2048",
            "-max_len=4096",
            "-close_fd_mask=1",
            "-print_final_stats=1",
        ]);
    // libFuzzer refuses a dictionary without words.
    if fs::metadata(&words).is_ok_and(|file| file.len() > 0) {
        command.arg(format!("-dict={}", words.display()));
    }
    // In memory where the system has such a place: each input is a file.
    if Path::new("/dev/shm").is_dir() {
        command.env("TMPDIR", "/dev/shm");
    }
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let _ = fs::write(&log, text.as_bytes());
    let counted =
        |line: &str| line.strip_prefix("stat::number_of_executed_units:").map(|n| n.trim().parse());
    let inputs = text.lines().find_map(counted).and_then(Result::ok);
    // After a crash the last line of progress tells: `#1234 NEW cov: …`.
    let shown = |line: &str| line.strip_prefix('#')?.split_whitespace().next()?.parse().ok();
    let inputs = inputs.or_else(|| text.lines().rev().find_map(shown)).unwrap_or(0);
    let passed = output.status.success();
    if !passed {
        let last: Vec<&str> = text.lines().rev().take(30).collect();
        last.iter().rev().for_each(|line| say(line));
    }
    let corpus = fs::read_dir(&corpus).map_or(0, Iterator::count);
    Some(Outcome { passed, inputs, corpus })
}

/// Builds the targets, our own crates instrumented and all others as they are; says why where that fails.
fn build() -> Option<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(root())
        .args([
            "build",
            "--quiet",
            "--package",
            "gramfold-fuzz",
            "--features",
            "libfuzzer",
            "--bin",
            "fuzz",
        ])
        .env("RUSTC_WORKSPACE_WRAPPER", env::current_exe().ok()?)
        .env(INSTRUMENT, "1")
        .status();
    if !status.is_ok_and(|status| status.success()) {
        say("the targets cannot be built; libFuzzer needs a C++ compiler");
        return None;
    }
    Some(root().join("target/debug/fuzz"))
}

fn list(binary: &Path) -> Vec<String> {
    let output = Command::new(binary).env("GRAMFOLD_FUZZ", "list").output();
    let text = output
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    text.lines().filter_map(|line| line.strip_prefix("target ")).map(str::to_owned).collect()
}

/// Cargo hands us the compiler and its arguments for each crate of the workspace: adds what counts coverage.
pub(crate) fn compile() -> Option<ExitCode> {
    env::var_os(INSTRUMENT)?;
    let mut arguments = env::args_os().skip(1);
    let compiler = arguments.next().filter(is_compiler)?;
    let status = Command::new(compiler).args(arguments).args(COVERAGE).status().ok()?;
    Some(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn is_compiler(path: &OsString) -> bool {
    Path::new(path).file_stem().is_some_and(|name| name == "rustc")
}
