//! `gramfold kernel`.

use std::fs;

use gramfold_io::read_npy;
use tempfile::TempDir;

use super::{checked, refused};
use crate::common::KARATE;

const PAIRS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/karate-pairs.txt");

/// The instructor and the officer, and the members on their sides when the club split (Zachary 1977) that no pair names.
const HEADS: [usize; 2] = [0, 23];
const SIDES: [&[usize]; 2] =
    [&[2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15], &[16, 17, 19, 24, 26, 28, 29, 30, 31, 32]];

#[test]
fn a_few_pairs_tell_the_clubs_apart_and_the_answer_is_proved_optimal() {
    let directory = TempDir::new().expect("a temporary directory");
    for loss in ["squared-hinge", "logistic"] {
        let arguments = ["kernel", KARATE, "--pairs", PAIRS, "--loss", loss];
        let claims =
            checked(directory.path(), &[&arguments[..], &["--report", "page.html"]].concat());
        assert_eq!((&claims["together"], &claims["apart"]), (&6.into(), &4.into()));
        assert_eq!(claims["optimal"], true, "{claims}");
        assert!(claims["kept"].as_f64().expect("a number") > 0.9, "{claims}");
        let x = read_npy(&directory.path().join("o/factor.npy")).expect("an array");
        let entry =
            |i: usize, j: usize| -> f64 { x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum() };
        let right = |side: usize| {
            let nearer = |i: &&usize| entry(**i, HEADS[side]) > entry(**i, HEADS[1 - side]);
            SIDES[side].iter().filter(nearer).count()
        };
        assert!(right(0) + right(1) >= 19, "{loss}: {} and {}", right(0), right(1));
    }
    let page = fs::read_to_string(directory.path().join("page.html")).expect("a page");
    let (_, axes) = page.split_once("Nodes on the first axes").expect("a picture");
    assert!(axes.contains("class=\"edges strained\""), "pairs that are apart are drawn");
    assert!(axes.contains("data-name=\"32\" data-group=\"in no pair\""), "nodes have names");
}

/// Where nothing is gained over X = 0, what is left of the gap is rounding.
#[test]
fn zero_is_proved_optimal_where_the_ridge_is_too_strong() {
    let directory = TempDir::new().expect("a temporary directory");
    for loss in ["squared-hinge", "logistic"] {
        let arguments = ["kernel", KARATE, "--pairs", PAIRS, "--loss", loss, "--ridge", "10"];
        let claims = checked(directory.path(), &arguments);
        assert_eq!(claims["optimal"], true, "{claims}");
        assert!(claims["gap"].as_f64().expect("a number").abs() < 1e-12, "{claims}");
    }
}

#[test]
fn pairs_without_a_sign_and_a_raw_hinge_are_refused() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("p.txt"), "0 1 1\n2 3\n").expect("written");
    let said = refused(directory.path(), &["kernel", KARATE, "--pairs", "p.txt"]);
    assert!(said.contains("p.txt:2: expected 1 or -1"), "{said}");
    let said = refused(directory.path(), &["kernel", KARATE, "--pairs", PAIRS, "--loss", "hinge"]);
    assert!(said.contains("smoothed-hinge"), "{said}");
}
