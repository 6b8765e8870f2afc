//! The program, run in a directory.

use std::{path::Path, process::Output};

use assert_cmd::Command;

/// The karate club's ties.
pub(crate) const KARATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/karate.mtx");

/// Runs `gramfold` in a directory.
pub(crate) fn gramfold(directory: &Path, arguments: &[&str]) -> Output {
    Command::cargo_bin("gramfold")
        .expect("the program is built")
        .current_dir(directory)
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// Output as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// Replaces every number by `#`: digits differ in their last places between processors.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut in_number = false;
    for c in text.chars() {
        let part = c.is_ascii_digit() || (in_number && matches!(c, '.' | 'e' | '-'));
        if part && !in_number {
            out.push('#');
        } else if !part {
            out.push(c);
        }
        in_number = part;
    }
    out
}
