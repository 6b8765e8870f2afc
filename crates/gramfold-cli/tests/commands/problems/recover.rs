//! `gramfold recover`.

use std::fs;

use gramfold_io::read_npy;
use tempfile::TempDir;

use super::{checked, refused};
use crate::common::gramfold;

/// Fifty intensities of a signal of ten numbers.
const INTENSITIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/intensities.csv");

/// The signal.
const SIGNAL: [f64; 10] = [0.0, 0.813, 1.034, 0.517, -0.323, -0.828, -0.593, 0.227, 1.034, 1.24];

#[test]
fn a_signal_is_recovered_up_to_its_sign() {
    let directory = TempDir::new().expect("a temporary directory");
    let claims = checked(directory.path(), &["recover", INTENSITIES, "--report", "page.html"]);
    assert!(claims["relative_residual"].as_f64().expect("a number") < 1e-5, "{claims}");
    let x = read_npy(&directory.path().join("o/factor.npy")).expect("an array");
    let sign = x[(1, 0)].signum();
    for (i, known) in SIGNAL.iter().enumerate() {
        assert!((sign * x[(i, 0)] - known).abs() < 1e-5, "{i}: {}", x[(i, 0)]);
    }
    assert!(directory.path().join("page.html").exists());
}

#[test]
fn matrices_are_sensed_and_other_shapes_refused() {
    let directory = TempDir::new().expect("a temporary directory");
    // Every entry of a 3×3 matrix of rank 1, once: E_ij and b = z_ij.
    let x = [1.0, -2.0, 0.5];
    let mut text = String::new();
    for i in 0..3 {
        for j in i..3 {
            let row: Vec<String> =
                (0..9).map(|k| usize::from(k == 3 * i + j).to_string()).collect();
            text += &format!("{},{}\n", row.join(","), x[i] * x[j]);
        }
    }
    fs::write(directory.path().join("m.csv"), text).expect("written");
    checked(directory.path(), &["recover", "m.csv", "--of", "matrices"]);
    let found = read_npy(&directory.path().join("o/factor.npy")).expect("an array");
    let sign = found[(0, 0)].signum();
    for (i, known) in x.iter().enumerate() {
        assert!((sign * found[(i, 0)] - known).abs() < 1e-5);
    }
    fs::write(directory.path().join("bad.csv"), "1,2,3\n4,5,6\n").expect("written");
    let said = refused(directory.path(), &["recover", "bad.csv", "--of", "matrices"]);
    assert!(said.contains("n² entries"), "{said}");
    let output = gramfold(directory.path(), &["recover", "bad.csv", "-r", "2", "-o", "b"]);
    let said = crate::common::text(&output.stderr);
    assert!(said.contains("do not determine"), "{said}");
}
