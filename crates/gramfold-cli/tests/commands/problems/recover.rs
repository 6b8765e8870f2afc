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

#[test]
fn sparse_matrices_are_sensed() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/");
    let (sums, targets) = (format!("{data}sums.csv"), format!("{data}sums-targets.csv"));
    let directory = TempDir::new().expect("a temporary directory");
    let words = ["recover", &sums, "--of", "sparse", "--targets", &targets, "--rank", "2"];
    let claims = checked(directory.path(), &words);
    assert_eq!((&claims["measured"], &claims["measurements"]), (&"sparse".into(), &60.into()));
    assert!(claims["relative_residual"].as_f64().expect("a number") < 1e-6, "{claims}");
    assert_eq!(claims["optimal"], true);
    // A changed target is found out, by its hash and by the claims.
    let path = directory.path().join("o/targets.csv");
    let changed = fs::read_to_string(&path).expect("readable").replacen("-5.5", "-5.25", 1);
    fs::write(&path, changed).expect("written");
    let output = gramfold(directory.path(), &["check", "o"]);
    assert_eq!(output.status.code(), Some(1));
    let said = crate::common::text(&output.stdout);
    assert!(said.contains("relative_residual"), "{said}");

    let said = refused(directory.path(), &["recover", &sums, "--of", "sparse"]);
    assert!(said.contains("--of sparse needs --targets"), "{said}");
    let said = refused(directory.path(), &["recover", INTENSITIES, "--targets", &targets]);
    assert!(said.contains("--targets is for --of sparse"), "{said}");
    fs::write(directory.path().join("far.csv"), "0 0 40000000 1\n").expect("written");
    fs::write(directory.path().join("one.csv"), "1\n").expect("written");
    let words = ["recover", "far.csv", "--of", "sparse", "--targets", "one.csv"];
    assert!(refused(directory.path(), &words).contains("rows are too many"));
}

/// Numbers whose squares leave the range are refused in a sentence; before, the answer was NaN, or X = 0 with residual 0.
#[test]
fn numbers_out_of_range_are_refused() {
    let directory = TempDir::new().expect("a temporary directory");
    let given = fs::read_to_string(INTENSITIES).expect("readable");
    let rows: Vec<Vec<f64>> = given
        .lines()
        .filter_map(|line| line.split(',').map(|field| field.parse().ok()).collect())
        .collect();
    for (of_a, of_b) in [(1.0, 1e300), (1e300, 1.0), (1.0, 1e-300), (1e-300, 1.0), (1.0, 1e200)] {
        let mut text = String::new();
        for row in &rows {
            let last = row.len() - 1;
            let scaled = row.iter().enumerate();
            let fields: Vec<String> = scaled
                .map(|(j, v)| format!("{:e}", v * if j == last { of_b } else { of_a }))
                .collect();
            text += &(fields.join(",") + "\n");
        }
        fs::write(directory.path().join("scaled.csv"), text).expect("written");
        let said = refused(directory.path(), &["recover", "scaled.csv"]);
        assert!(said.contains("too far from 1 to compute with"), "{of_a:e} {of_b:e}: {said}");
    }
}
