//! Every check of the project.

use std::process::Command;

use crate::{
    browser,
    command::{cargo, program, run as execute},
    python,
};

/// Name and arguments of each check, in the order in which they are cheapest to fail.
const CHECKS: &[(&str, &[&str])] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    (
        "unit, law, property and snapshot tests",
        &["test", "--workspace", "--lib", "--bins", "--tests"],
    ),
    ("documentation tests", &["test", "--workspace", "--doc"]),
    ("documentation", &["doc", "--workspace", "--no-deps", "--document-private-items"]),
];

/// Runs them until one fails.
pub(crate) fn run() -> bool {
    CHECKS.iter().all(|(name, arguments)| cargo(name, arguments))
        && execute("the paper, digit for digit", Command::new(program()).arg("paper"))
        && python::check()
        && browser::check()
}
