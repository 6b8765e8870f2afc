//! `gramfold factors` from end to end.

use std::fs;

use gramfold_io::read_npy;
use tempfile::TempDir;

use super::solution;
use crate::common::{gramfold, text};

/// Eight physical measurements of 305 girls (Harman 1976, from Mullen 1939).
const PHYSICAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/physical.csv");

/// The varimax loadings of the maximum likelihood solution that R's `factanal` prints for them.
const KNOWN: [[f64; 2]; 8] = [
    [0.865, 0.287],
    [0.927, 0.181],
    [0.895, 0.179],
    [0.859, 0.252],
    [0.233, 0.925],
    [0.194, 0.774],
    [0.134, 0.752],
    [0.278, 0.621],
];

#[test]
fn physical_measurements_have_two_factors_and_every_claim_is_checked() {
    let directory = TempDir::new().expect("a temporary directory");
    let run = |arguments: &[&str]| gramfold(directory.path(), arguments);
    let output = run(&["factors", PHYSICAL, "-k", "2", "-o", "o", "--report", "page.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("8 variables, 2 factors"), "{}", text(&output.stdout));
    let at = directory.path().join("o");
    let loadings = read_npy(&at.join("loadings.npy")).expect("an array");
    for (i, known) in KNOWN.iter().enumerate() {
        for (j, known) in known.iter().enumerate() {
            // Least squares and likelihood differ a little.
            assert!((loadings[(i, j)] - known).abs() < 0.04, "({i}, {j}): {}", loadings[(i, j)]);
        }
    }
    let claims = solution(&at);
    assert_eq!(claims["exact"], true);
    assert_eq!(claims["heywood"], serde_json::json!([]));
    assert_eq!(claims["degrees_of_freedom"], 13);
    let names = fs::read_to_string(at.join("names.txt")).expect("text");
    assert!(names.lines().count() == 8 && names.contains("\narm span\n"), "{names}");
    assert!(fs::read_to_string(at.join("loadings.csv")).expect("text").contains("arm span"));
    assert!(
        fs::read_to_string(directory.path().join("page.html"))
            .expect("a page")
            .contains("Loadings")
    );
    let checked = run(&["check", "o"]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));

    // A loading that was changed is found out.
    let path = at.join("solution.json");
    let mut changed = solution(&at);
    changed["communalities"][0] = 0.5.into();
    fs::write(&path, changed.to_string()).expect("written");
    let checked = run(&["check", "o"]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(text(&checked.stdout).contains("✗ communalities[0]"), "{}", text(&checked.stdout));
}

#[test]
fn rotations_keep_the_communalities_and_points_give_the_same_as_their_correlations() {
    let directory = TempDir::new().expect("a temporary directory");
    let rows: String = (0..60)
        .map(|i| {
            let (f, g) = ((f64::from(i) * 0.7).sin(), (f64::from(i) * 1.9).cos());
            let noise = |k: f64| 0.4 * (f64::from(i) * k).sin();
            let value = [
                f + noise(3.3),
                f + noise(5.1),
                g + noise(7.7),
                g + noise(2.3),
                f - g + noise(9.1),
            ];
            value.map(|v| v.to_string()).join(",") + "\n"
        })
        .collect();
    fs::write(directory.path().join("t.csv"), format!("a,b,c,d,e\n{rows}")).expect("written");
    let mut sums = Vec::new();
    for how in ["varimax", "promax", "none"] {
        let arguments = ["factors", "t.csv", "--points", "-k", "2", "--rotate", how, "-o", how];
        let output = gramfold(directory.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let claims = solution(&directory.path().join(how));
        sums.push(claims["communalities"].clone());
        let checked = gramfold(directory.path(), &["check", how]);
        assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
    }
    assert!(sums[0] == sums[1] && sums[1] == sums[2]);
    let named = fs::read_to_string(directory.path().join("none/loadings.csv")).expect("text");
    assert!(named.starts_with("variable,factor 1,factor 2\n\"a\","), "{named}");
}

#[test]
fn heywood_cases_and_bad_requests_are_named() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("r.csv"), ",a,b,c\na,1,.9,.9\nb,.9,1,.5\nc,.9,.5,1\n")
        .expect("written");
    let output = gramfold(directory.path(), &["factors", "r.csv", "-k", "1", "-o", "o"]);
    assert!(text(&output.stderr).contains("Heywood case"), "{}", text(&output.stderr));
    assert_eq!(solution(&directory.path().join("o"))["heywood"], serde_json::json!([0]));
    let output = gramfold(directory.path(), &["factors", "r.csv", "-k", "3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("only 3 variables"), "{}", text(&output.stderr));
}
