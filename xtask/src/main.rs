//! `cargo xtask check`: every check of the project. `cargo xtask bench`: what the claims of speed rest on.

#![forbid(unsafe_code)]

use std::{
    env,
    io::{Write, stderr},
    process::{Command, ExitCode},
};

/// Name and arguments of each check, in the order in which they are cheapest to fail.
const CHECKS: &[(&str, &[&str])] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("unit, law, property and snapshot tests", &["test", "--workspace", "--all-targets"]),
    ("documentation tests", &["test", "--workspace", "--doc"]),
    ("documentation", &["doc", "--workspace", "--no-deps", "--document-private-items"]),
    (
        "the paper, digit for digit",
        &["run", "--release", "--package", "gramfold-cli", "--", "paper"],
    ),
];

/// Name and arguments of each benchmark.
const BENCHMARKS: &[(&str, &[&str])] =
    &[("rule", &["bench", "--package", "gramfold", "--bench", "spectral"])];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let passed = match arguments[..] {
        ["check"] => CHECKS.iter().all(|(name, arguments)| cargo(name, arguments)),
        ["bench", name] => match BENCHMARKS.iter().find(|(known, _)| *known == name) {
            Some((name, arguments)) => cargo(name, arguments),
            None => usage(),
        },
        _ => usage(),
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn cargo(name: &str, arguments: &[&str]) -> bool {
    say(&format!("\n== {name}: cargo {}", arguments.join(" ")));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(arguments).env("RUSTDOCFLAGS", "-D warnings").status();
    let passed = status.is_ok_and(|status| status.success());
    if !passed {
        say(&format!("== {name}: FAILED"));
    }
    passed
}

fn usage() -> bool {
    let names: Vec<_> = BENCHMARKS.iter().map(|(name, _)| *name).collect();
    say(&format!("usage: cargo xtask check | cargo xtask bench {{{}}}", names.join(", ")));
    false
}

fn say(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}
