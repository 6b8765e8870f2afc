//! Every check of the project.

use crate::{browser, command::cargo, python};

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

/// Runs them until one fails. The last writes the reports of every command, that of the paper's numbers among them, digit for
/// digit.
pub(crate) fn run() -> bool {
    CHECKS.iter().all(|(name, arguments)| cargo(name, arguments))
        && python::check()
        && browser::check()
}
