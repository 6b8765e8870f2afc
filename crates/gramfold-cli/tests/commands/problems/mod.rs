//! The commands for learning problems from end to end.

mod correlation;
mod factors;
mod fit;
mod kernel;
mod metric;
mod recover;
mod refusals;

use std::{fs, path::Path};

use crate::common::{gramfold, text};
use serde_json::Value;

/// What a directory claims.
fn solution(directory: &Path) -> Value {
    let text = fs::read(directory.join("solution.json")).expect("readable");
    serde_json::from_slice(&text).expect("JSON")
}

/// Runs a command that must succeed and whose directory `o` must pass `check`; what it claims.
fn checked(directory: &Path, arguments: &[&str]) -> Value {
    let output = gramfold(directory, &[arguments, &["-o", "o"]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    let check = gramfold(directory, &["check", "o"]);
    assert_eq!(check.status.code(), Some(0), "{arguments:?}: {}", text(&check.stdout));
    solution(&directory.join("o"))
}

/// A command that must be refused; what it says.
fn refused(directory: &Path, arguments: &[&str]) -> String {
    let output = gramfold(directory, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stdout));
    text(&output.stderr)
}
