//! `gramfold metric` from end to end.

use std::fs;

use gramfold_io::read_npy;
use tempfile::TempDir;

use super::{checked, solution};
use crate::common::{gramfold, text};

/// Wines of three cultivars by thirteen measurements (UCI).
const WINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/wine.csv");

#[test]
fn wines_are_told_apart_better_and_every_claim_is_checked() {
    let directory = TempDir::new().expect("a temporary directory");
    let run = |arguments: &[&str]| gramfold(directory.path(), arguments);
    let output =
        run(&["metric", WINE, "--label-column", "cultivar", "-o", "o", "--report", "page.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let at = directory.path().join("o");
    let claims = solution(&at);
    let accuracy = |when: &str| claims["accuracy"][when].as_f64().expect("a number");
    assert!(accuracy("after") >= 0.98 && accuracy("after") > accuracy("before"), "{claims}");
    let (points, l, seen) = (
        read_npy(&at.join("points.npy")).expect("an array"),
        read_npy(&at.join("factor.npy")).expect("an array"),
        read_npy(&at.join("transformed.npy")).expect("an array"),
    );
    assert_eq!((points.rows(), points.cols(), l.rows(), l.cols()), (178, 13, 13, 13));
    for i in 0..178 {
        for j in 0..13 {
            let image: f64 = (0..13).map(|k| points[(i, k)] * l[(k, j)]).sum();
            assert!((image - seen[(i, j)]).abs() < 1e-12 * (1.0 + image.abs()));
        }
    }
    // What counts is told in units of deviations: proline, in the hundreds, is the second of thirteen.
    let page = fs::read_to_string(directory.path().join("page.html")).expect("a page");
    let rows = page.split("What counts").nth(1).expect("a table").split("<tr>").skip(2);
    let first: Vec<&str> = rows.take(2).collect();
    assert!(first[0].contains("flavanoids") && first[1].contains("proline"), "{first:?}");
    assert!(page.contains("Before the metric, each feature is taken in units of its deviation"));
    let checked = run(&["check", "o"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
    assert!(text(&checked.stdout).contains("not checked: accuracy"), "{}", text(&checked.stdout));
}

#[test]
fn the_names_of_points_are_kept() {
    let directory = TempDir::new().expect("a temporary directory");
    let row = |i: usize| format!("p{i},{},{},{}\n", i % 2, (7 * i) % 5, ["u", "v"][i % 2]);
    let table = "id,x,y,class\n".to_owned() + &(0..12).map(row).collect::<String>();
    fs::write(directory.path().join("t.csv"), table).expect("written");
    checked(directory.path(), &["metric", "t.csv", "--id-column", "id", "--label-column", "class"]);
    let names = fs::read_to_string(directory.path().join("o/names.txt")).expect("text");
    assert!(names.lines().eq((0..12).map(|i| format!("p{i}"))), "{names}");
}

#[test]
fn a_negative_weight_is_refused_in_our_words() {
    let directory = TempDir::new().expect("a temporary directory");
    for flag in ["--stay", "--pull"] {
        let output =
            gramfold(directory.path(), &["metric", WINE, "--label-column", "cultivar", flag, "-1"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("expected a number from 0"), "{flag}");
    }
}

/// Classes differ in x alone, and y is noise.
fn table(n: usize) -> String {
    let row = |i: usize| format!("{},{}\n", i % 2, ((i * 7919 + 13) % 101) as f64 / 20.0);
    (0..n).map(row).collect()
}

#[test]
fn pairs_and_triplets_teach_the_same() {
    let directory = TempDir::new().expect("a temporary directory");
    let write = |name: &str, text: String| {
        fs::write(directory.path().join(name), text).expect("written");
    };
    write("t.csv", table(30));
    write("labels.txt", (0..30).map(|i| ["0\n", "1\n"][i % 2]).collect());
    let pair = |i: usize, j: usize| format!("{i} {j} {}\n", if i % 2 == j % 2 { 1 } else { -1 });
    write("pairs.txt", (0..27).flat_map(|i| [pair(i, i + 1), pair(i, i + 2)]).collect());
    write(
        "triplets.txt",
        (0..27).map(|i| format!("{i} {} {}", i + 2, i + 1)).collect::<Vec<_>>().join("\n"),
    );
    for (flag, file) in
        [("--labels", "labels.txt"), ("--pairs", "pairs.txt"), ("--triplets", "triplets.txt")]
    {
        let output = gramfold(directory.path(), &["metric", "t.csv", flag, file, "-o", "o"]);
        assert_eq!(output.status.code(), Some(0), "{flag}: {}", text(&output.stderr));
        let l = read_npy(&directory.path().join("o/factor.npy")).expect("an array");
        let weight = |i: usize| (0..2).map(|j| l[(i, j)].powi(2)).sum::<f64>();
        assert!(weight(0) > 20.0 * weight(1), "{flag}: {} {}", weight(0), weight(1));
        let checked = gramfold(directory.path(), &["check", "o"]);
        assert_eq!(checked.status.code(), Some(0), "{flag}: {}", text(&checked.stdout));
    }
    let output = gramfold(directory.path(), &["metric", "t.csv"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--triplets"), "{}", text(&output.stderr));
}
