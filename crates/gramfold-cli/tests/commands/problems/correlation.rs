//! `gramfold correlation`.

use std::fs;

use gramfold_io::read_npy;
use tempfile::TempDir;

use super::{checked, refused, solution};
use crate::common::{gramfold, text};

/// Opinions that contradict each other: no correlation matrix has them.
const OPINIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/opinions.csv");

#[test]
fn the_nearest_correlation_matrix_is_proved_and_checked() {
    let directory = TempDir::new().expect("a temporary directory");
    let mut objectives = Vec::new();
    for rank in ["2", "3", "5"] {
        let claims = checked(directory.path(), &["correlation", OPINIONS, "--rank", rank]);
        let objective = claims["objective"].as_f64().expect("a number");
        let bound = claims["bound"]["value"].as_f64().expect("a number");
        assert!(bound <= objective + 1e-9 && bound >= 0.0, "{rank}: {bound} {objective}");
        objectives.push(objective);
        if rank == "5" {
            assert_eq!(claims["optimal"], true, "{claims}");
        }
        let x = read_npy(&directory.path().join("o/factor.npy")).expect("an array");
        for i in 0..5 {
            let length: f64 = x.row(i).iter().map(|v| v * v).sum();
            assert!((length - 1.0).abs() < 1e-12);
        }
    }
    let names = fs::read_to_string(directory.path().join("o/names.txt")).expect("text");
    let header = fs::read_to_string(OPINIONS).expect("text");
    let header = header.lines().next().expect("a header").split(',').skip(1);
    assert!(names.lines().eq(header), "{names}");
    assert!(objectives.is_sorted_by(|a, b| *a >= *b - 1e-9), "{objectives:?}");
}

#[test]
fn a_run_that_was_cut_short_goes_on_to_the_same_bits() {
    let directory = TempDir::new().expect("a temporary directory");
    let run = |more: &[&str]| {
        let arguments = [&["correlation", OPINIONS, "-r", "2", "--tol", "1e-9"], more].concat();
        gramfold(directory.path(), &arguments)
    };
    assert_eq!(run(&["-o", "whole"]).status.code(), Some(0));
    let cut = run(&["-o", "cut", "--checkpoint", "c", "--max-iter", "21"]);
    assert!(matches!(cut.status.code(), Some(0 | 1)), "{}", text(&cut.stderr));
    let other = run(&["-o", "cut", "--checkpoint", "c", "--resume", "--max-iter", "21"]);
    assert!(matches!(other.status.code(), Some(0 | 1)), "{}", text(&other.stderr));
    let first = run(&["-o", "kept", "--checkpoint", "d"]);
    assert_eq!(first.status.code(), Some(0));
    let again = run(&["-o", "again", "--checkpoint", "d", "--resume"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    let bytes =
        |name: &str| fs::read(directory.path().join(name).join("factor.npy")).expect("bytes");
    assert_eq!(bytes("whole"), bytes("again"));
    let count = |name: &str| solution(&directory.path().join(name))["iterations"].clone();
    assert_eq!(count("whole"), count("again"));
}

#[test]
fn a_rank_beyond_the_matrix_is_refused() {
    let directory = TempDir::new().expect("a temporary directory");
    let said = refused(directory.path(), &["correlation", OPINIONS, "-r", "6"]);
    assert!(said.contains("between 1 and 5"), "{said}");
}
