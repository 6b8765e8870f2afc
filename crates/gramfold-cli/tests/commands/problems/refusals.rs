//! What the learning commands say of data and flags that they do not take: what, where, and what to do.

use std::fs;

use tempfile::TempDir;

use super::refused;
use crate::common::{gramfold, text};

/// What they read.
const FILES: [(&str, &str); 13] = [
    ("empty.txt", ""),
    ("few.txt", "a b 1\nb c 2\na c 3\n"),
    ("half.txt", "a b 0.5\nb c 1\n"),
    ("zeros.txt", "a b 1\nb c 0\na c 1\n"),
    ("far.txt", "0 1 -1\n1 2 1\n"),
    ("nan.txt", "0 1 2\n1 2 nan\n"),
    ("huge.csv", "1e200,1e200,1\n1e200,2e200,2\n2e200,1e200,3\n"),
    ("table.csv", "1,2,3,4\n5,6,7,9\n"),
    ("row.csv", "x,y,z\n1,2,3\n"),
    ("cov.csv", ",a,b,c\na,0,1,1\nb,1,2,1\nc,1,1,2\n"),
    ("graph.txt", "a b\nb c\nc d\n"),
    ("pairs.txt", "a b 1\nc d -1\n"),
    ("p.toml", "rank = 1\nseed = -1\n"),
];

fn place(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().expect("a temporary directory");
    for (name, text) in files {
        fs::write(directory.path().join(name), text).expect("written");
    }
    directory
}

#[test]
fn refusals_say_what_where_and_what_to_do() {
    let directory = place(&FILES);
    let fixed = ["--rank", "1", "--ridge", "0.1", "--folds", "0"];
    for (arguments, expected) in [
        (&["complete", "empty.txt"][..], "empty.txt: expected at least one entry"),
        (&["locate", "empty.txt", "-d", "2"], "empty.txt: expected at least one distance"),
        (&["complete", "nan.txt"], "nan.txt:2: expected a finite weight"),
        (&["locate", "nan.txt", "-d", "2"], "; leave out what is not known"),
        (&["locate", "far.txt", "-d", "1"], "far.txt: the distance between 0 and 1 is -1"),
        (
            &["complete", "half.txt", "--loss", "logistic"],
            "half.txt: the entry of a and b is 0.5, but the loss `logistic` takes 1 or -1",
        ),
        (
            &["complete", "zeros.txt", "--loss", "logistic"],
            "the entry of b and c is 0, but the loss `logistic` takes 1 or -1: write -1 for 0",
        ),
        (
            &["complete", "few.txt"],
            "3 entries are too few to hold some out: give --rank, --ridge and --folds 0",
        ),
        (
            &["recover", "huge.csv", "-r", "2"],
            "huge.csv: the largest number of the data is 2e200, too far from 1",
        ),
        (&["recover", "table.csv", "--of", "matrices"], "table.csv: 3 columns before b"),
        (&["factors", "row.csv", "--points", "-k", "1"], "row.csv: there is only one row"),
        (&["factors", "cov.csv", "-k", "1"], "cov.csv: the variance of variable 0 is 0"),
        (&["fit", "p.toml"], "p.toml:2: invalid value: integer `-1`, expected a whole number"),
    ] {
        let said = refused(directory.path(), arguments);
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
    let entries = "0 1 1e300\n1 2 1e300\n0 2 2e300\n0 0 1e300\n";
    fs::write(directory.path().join("e.txt"), entries).expect("written");
    let said = refused(directory.path(), &[&["complete", "e.txt"], &fixed[..]].concat());
    assert!(said.contains("2e300, too far from 1 to compute with"), "{said}");
    let term = "rank = 1\n[[term]]\nmap = \"entries\"\nfile = \"few.txt\"\nloss = \"square\"\n";
    fs::write(directory.path().join("s.toml"), format!("{term}scale = -1\n")).expect("written");
    let said = refused(directory.path(), &["fit", "s.toml"]);
    assert!(said.contains("s.toml:6: scale = -1 is not allowed: it must be positive"), "{said}");
}

#[test]
fn what_nothing_can_be_learnt_from_is_refused() {
    let directory = place(&[
        ("t.csv", "0,1\n1,0\n2,2\n3,1\n"),
        ("same.csv", "1,2\n1,2\n1,2\n"),
        ("own.txt", "a\nb\nc\nd\n"),
        ("two.txt", "a\na\nb\n"),
        ("self.txt", "0 1 1\n2 2 1\n"),
        ("apart.txt", "0 1 1\n2 2 -1\n"),
        ("wide.txt", "0 1 1\n1 2 -1 0.5\n"),
        ("twice.txt", "0 1 2\n0 3 3\n"),
        ("long.txt", "0 1 2 3\n"),
        ("graph.txt", "0 1\n1 2\n2 3\n"),
        ("e.txt", "0 9 1\n1 2 2\n3 4 1\n5 6 1\n7 8 1\n"),
        (
            "p.toml",
            "rank = 1\nnodes = 3\n[[term]]\nmap = \"entries\"\nfile = \"e.txt\"\nloss = \"square\"\n",
        ),
    ]);
    for (line, expected) in [
        ("metric t.csv --labels own.txt", "every point has a class of its own"),
        ("metric same.csv --labels two.txt", "same.csv: all points are equal"),
        ("metric t.csv --labels own.txt --folds 1", "--folds 1 is not allowed"),
        ("metric t.csv --pairs self.txt", "self.txt:2: 2 is paired with itself"),
        ("metric t.csv --pairs wide.txt", "wide.txt:2: expected two points, and 1 or -1, found 4"),
        ("metric t.csv --triplets twice.txt", "twice.txt:2: a point stands twice"),
        ("metric t.csv --triplets long.txt", "long.txt:1: expected three points"),
        ("kernel graph.txt --pairs apart.txt", "apart.txt:2: 2 cannot be apart from itself"),
        ("kernel graph.txt --pairs wide.txt", "wide.txt:2: expected two nodes, and 1 or -1"),
        ("fit p.toml", "p.toml:2: nodes = 3, but the data speak of 10"),
    ] {
        let said = refused(directory.path(), &line.split(' ').collect::<Vec<_>>());
        assert!(said.contains(expected), "{line}: {said}");
    }
}

#[test]
fn what_contradicts_itself_is_warned_of() {
    let directory = place(&[
        ("t.csv", "0,1\n1,0\n2,2\n3,1\n"),
        ("graph.txt", "0 1\n1 2\n2 3\n"),
        ("pairs.txt", "0 1 1\n2 3 -1\n1 0 -1\n"),
        ("r.csv", ",a,b,c,d\na,1,.8,.6,.5\nb,.8,1,.5,1.4\nc,.6,.5,1,.3\nd,.5,1.4,.3,1\n"),
    ]);
    let pairs = "pairs.txt:3: 1 and 0 are said to belong together and apart, here and on line 1";
    for (line, expected) in [
        ("metric t.csv --pairs pairs.txt", pairs),
        ("kernel graph.txt --pairs pairs.txt", pairs),
        ("factors r.csv -k 1", "r.csv: the correlation of b and d is 1.4"),
    ] {
        let arguments: Vec<&str> = line.split(' ').chain(["-o", "o"]).collect();
        let output = gramfold(directory.path(), &arguments);
        let said = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}: {said}");
        assert!(said.contains(expected), "{line}: {said}");
        let checked = gramfold(directory.path(), &["check", "o"]);
        assert_eq!(checked.status.code(), Some(0), "{line}: {}", text(&checked.stdout));
    }
}

#[test]
fn negative_numbers_are_refused_in_our_words() {
    let directory = place(&FILES);
    let kernel = ["kernel", "graph.txt", "--pairs", "pairs.txt"];
    for (arguments, expected) in [
        (&["complete", "few.txt", "--time-limit", "-1"][..], "expected a positive number"),
        (&["complete", "few.txt", "--top", "-1"], "expected a whole number from 0"),
        (&["complete", "few.txt", "--folds", "-1"], "expected a whole number from 0"),
        (&["locate", "few.txt", "--dim", "-1"], "expected a number from 1"),
        (&[&kernel[..], &["--smoothness", "-1"]].concat(), "expected a number from 0"),
    ] {
        let said = refused(directory.path(), arguments);
        assert!(said.contains(expected) && !said.contains("tip:"), "{arguments:?}: {said}");
    }
}
