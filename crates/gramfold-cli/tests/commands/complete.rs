//! `gramfold complete`, from end to end.

use std::{fs, path::Path};

use crate::common::{gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

const RATINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/ratings.csv");

/// Numbers in (−1, 1).
fn numbers(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// XXᵀ of rank 2 for n nodes, at about `share` of its places, as lines `i,j,value`; and its entries.
fn entries(n: usize, share: f64, of: impl Fn(f64) -> f64) -> (String, Vec<Vec<f64>>) {
    let mut number = numbers(7);
    let x: Vec<[f64; 2]> = (0..n).map(|_| [number(), number()]).collect();
    let z = |i: usize, j: usize| x[i][0] * x[j][0] + x[i][1] * x[j][1];
    let table = (0..n).map(|i| (0..n).map(|j| z(i, j)).collect()).collect();
    let mut lines = String::from("i,j,value\n");
    for i in 0..n {
        for j in i..n {
            if number() < 2.0 * share - 1.0 || j == i + 1 {
                lines += &format!("{i},{j},{:?}\n", of(z(i, j)));
            }
        }
    }
    (lines, table)
}

fn json(directory: &Path, arguments: &[&str]) -> Value {
    let output = gramfold(directory, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The factor and the biases as files say them, by the .npy format: a header of a length, then numbers.
fn array(path: &Path) -> Vec<f64> {
    let bytes = fs::read(path).expect("readable");
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[10 + header..]
        .chunks_exact(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

#[test]
fn missing_entries_come_out_and_the_claims_hold() {
    let directory = TempDir::new().unwrap();
    let (lines, table) = entries(40, 0.5, |z| z);
    fs::write(directory.path().join("e.csv"), lines).unwrap();
    fs::write(directory.path().join("pairs.txt"), "3 17\n17 3\n39 0\n").unwrap();
    let claims =
        json(directory.path(), &["complete", "e.csv", "--predict", "pairs.txt", "--tol", "1e-8"]);
    assert_eq!((&claims["rank"], &claims["status"]), (&2.into(), &"converged".into()), "{claims}");
    assert_eq!(claims["shrinkage"], Value::Null, "without noise biases do harm");
    assert!(claims["held_out"]["rmse"]["value"].as_f64().unwrap() < 1e-3, "{claims}");
    let out = directory.path().join("e.complete");
    let x = array(&out.join("factor.npy"));
    for i in 0..40 {
        for j in 0..40 {
            let found = x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
            assert!((found - table[i][j]).abs() < 1e-5, "({i}, {j}): {found} {}", table[i][j]);
        }
    }
    let predictions = fs::read_to_string(out.join("predictions.csv")).unwrap();
    let rows: Vec<Vec<&str>> = predictions.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["i", "j", "prediction"]);
    for (row, (i, j)) in rows[1..].iter().zip([(3, 17), (17, 3), (39, 0)]) {
        let value: f64 = row[2].parse().unwrap();
        assert!(
            (row[0], row[1]) == (&*i.to_string(), &*j.to_string())
                && (value - table[i][j]).abs() < 1e-5
        );
    }
    let check = gramfold(directory.path(), &["check", "e.complete"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
    // A prediction that was changed is found, also where its hash is changed with it.
    let forged = predictions.replace(rows[1][2], "0.123");
    fs::write(out.join("predictions.csv"), forged).unwrap();
    let check = gramfold(directory.path(), &["check", "e.complete"]);
    assert_eq!(check.status.code(), Some(1));
    assert!(text(&check.stdout).contains("✗ predictions are those of the factor"));
}

#[test]
fn names_and_biases_are_written_and_checked() {
    let directory = TempDir::new().unwrap();
    let claims = json(directory.path(), &["complete", RATINGS, "--report", "r.html"]);
    let rmse = &claims["held_out"]["rmse"];
    assert!(claims["shrinkage"].is_number(), "biases are chosen: {claims}");
    assert!(rmse["low"].as_f64() < rmse["value"].as_f64());
    assert!(rmse["value"].as_f64().unwrap() < 1.0, "the ratings spread by 2: {rmse}");
    let out = directory.path().join("ratings.complete");
    let names = fs::read_to_string(out.join("names.txt")).unwrap();
    let names: Vec<&str> = names.lines().collect();
    let (x, a) = (array(&out.join("factor.npy")), array(&out.join("biases.npy")));
    let rank = x.len() / names.len();
    let predictions = fs::read_to_string(out.join("predictions.csv")).unwrap();
    assert_eq!(predictions.lines().count(), 21);
    for line in predictions.lines().skip(1) {
        let [i, j, value] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let place = |name: &str| names.iter().position(|other| *other == name).unwrap();
        let (i, j) = (place(i), place(j));
        let dot: f64 = (0..rank).map(|k| x[rank * i + k] * x[rank * j + k]).sum();
        assert!((a[i] + a[j] + dot - value.parse::<f64>().unwrap()).abs() < 1e-9, "{line}");
    }
    let check = gramfold(directory.path(), &["check", "ratings.complete"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
    assert!(
        fs::read_to_string(directory.path().join("r.html")).unwrap().contains("Held-out entries")
    );
}

#[test]
fn other_losses_take_their_targets_and_no_others() {
    let directory = TempDir::new().unwrap();
    let sign = |z: f64| if z < 0.0 { -1.0 } else { 1.0 };
    fs::write(directory.path().join("signs.csv"), entries(40, 0.6, sign).0).unwrap();
    let count = |z: f64| (3.0 + 2.0 * z).round().max(0.0);
    fs::write(directory.path().join("counts.csv"), entries(40, 0.6, count).0).unwrap();
    let rank = ["--rank", "2"];
    let logistic = ["complete", "signs.csv", "--loss", "logistic"];
    let claims = json(directory.path(), &[&logistic[..], &rank].concat());
    assert!(claims["held_out"]["accuracy"]["value"].as_f64().unwrap() > 0.75, "{claims}");
    assert!(claims["held_out"]["loss"].as_f64().unwrap() < std::f64::consts::LN_2, "{claims}");
    for loss in ["poisson", "huber"] {
        let claims =
            json(directory.path(), &["complete", "counts.csv", "--loss", loss, "--rank", "3"]);
        assert!(claims["held_out"]["rmse"]["value"].as_f64().unwrap() < 1.5, "{claims}");
        let check = gramfold(directory.path(), &["check", "counts.complete"]);
        assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
    }
    let refused = gramfold(directory.path(), &["complete", "counts.csv", "--loss", "logistic"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("`logistic` takes"), "{}", text(&refused.stderr));
    let refused = gramfold(directory.path(), &["complete", "signs.csv", "--loss", "hinge"]);
    assert!(text(&refused.stderr).contains("smoothed-hinge"), "{}", text(&refused.stderr));
}

/// A matrix with holes says the same as a list of what it has.
#[test]
fn a_matrix_with_holes_is_a_list_of_entries() {
    let directory = TempDir::new().unwrap();
    let (list, truth) = entries(12, 0.7, |z| z);
    fs::write(directory.path().join("list.csv"), &list).unwrap();
    let mut table = vec![vec![String::new(); truth.len()]; truth.len()];
    for line in list.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (i, j): (usize, usize) = (fields[0].parse().unwrap(), fields[1].parse().unwrap());
        table[i][j] = fields[2].into();
    }
    let table: String = table.iter().map(|row| row.join(",") + "\n").collect();
    fs::write(directory.path().join("table.csv"), table).unwrap();
    let found = ["list", "table"].map(|name| {
        let file = format!("{name}.csv");
        let line = ["complete", &file, "--rank", "2", "--ridge", "0", "--folds", "0"];
        let claims = json(directory.path(), &line);
        let factor = array(&directory.path().join(format!("{name}.complete/factor.npy")));
        (claims["observations"].clone(), factor)
    });
    assert!(found[0].0.as_u64().unwrap() > 30 && found[0] == found[1]);
}

/// Sizes of predictions are no errors where the entries are signs.
#[test]
fn signs_are_judged_as_signs_and_have_probabilities() {
    let directory = TempDir::new().unwrap();
    let sign = |z: f64| if z < 0.0 { -1.0 } else { 1.0 };
    fs::write(directory.path().join("s.csv"), entries(40, 0.6, sign).0).unwrap();
    let page = || fs::read_to_string(directory.path().join("r.html")).unwrap();
    for loss in ["squared-hinge", "smoothed-hinge", "logistic"] {
        let line = ["complete", "s.csv", "--loss", loss, "--rank", "2", "--ridge", "1", "-o", "o"];
        let output = gramfold(directory.path(), &[&line[..], &["--report", "r.html"]].concat());
        let said = text(&output.stdout);
        assert!(said.contains(" % of held-out signs right (95 %: "), "{said}");
        assert!(said.contains(" entries, mean loss 0.") && !said.contains("error"), "{said}");
        assert!(page().contains("of held-out signs are predicted right") && !page().contains('±'));
        assert!(!page().contains("held-out error") && !page().contains("Residuals of"));
    }
    let path = directory.path().join("o/predictions.csv");
    let predictions = fs::read_to_string(&path).unwrap();
    let mut lines = predictions.lines();
    assert_eq!(lines.next(), Some("i,j,prediction,probability"));
    for line in lines {
        let numbers: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        assert!(
            (numbers[3] / (1.0 - numbers[3]) - numbers[2].exp()).abs() < 1e-9 * numbers[2].exp()
        );
    }
    let check = gramfold(directory.path(), &["check", "o"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
    let probability = predictions.trim_end().rsplit(',').next().unwrap();
    fs::write(&path, predictions.replace(probability, "0.25")).unwrap();
    let check = gramfold(directory.path(), &["check", "o"]);
    assert!(text(&check.stdout).contains("✗ predictions are those of the factor"));
}

/// One entry in eleven is wrong by ten: no model can predict that.
#[test]
fn gross_errors_are_not_held_against_a_robust_fit() {
    let directory = TempDir::new().unwrap();
    let (lines, _) = entries(40, 0.6, |z| z);
    let wrong = |(k, line): (usize, &str)| match line.rsplit_once(',') {
        Some((pair, value)) if k > 0 && k % 11 == 0 => {
            format!("{pair},{:?}\n", value.parse::<f64>().unwrap() + 10.0)
        }
        _ => format!("{line}\n"),
    };
    let lines: String = lines.lines().enumerate().map(wrong).collect();
    fs::write(directory.path().join("e.csv"), lines).unwrap();
    let line = ["complete", "e.csv", "--loss", "huber", "--rank", "2", "--ridge", "0"];
    let output = gramfold(directory.path(), &[&line[..], &["--report", "r.html"]].concat());
    assert!(text(&output.stdout).contains(" (median) over "), "{}", text(&output.stdout));
    let claims = fs::read(directory.path().join("e.complete/solution.json")).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    let error = |name: &str| claims["held_out"][name].as_f64().unwrap();
    assert!(error("median_absolute") < 0.3, "{}", claims["held_out"]);
    assert!(claims["held_out"]["rmse"]["value"].as_f64().unwrap() > 2.0, "{}", claims["held_out"]);
    let page = fs::read_to_string(directory.path().join("r.html")).unwrap();
    assert!(page.contains("Half of the held-out entries are predicted to ±0."));
}

#[test]
fn what_is_not_determined_is_warned_of() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("e.txt"), "a b 1\nb c 0\nc a 0.5\nd e 0\nd d 2\n").unwrap();
    let fixed = ["--rank", "1", "--ridge", "0.1", "--folds", "0"];
    let output = gramfold(directory.path(), &[&["complete", "e.txt"], &fixed[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("2 separate groups"), "{}", text(&output.stderr));
    let claims = fs::read(directory.path().join("e.complete/solution.json")).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    assert_eq!(claims["observations"], 5, "an entry that is zero is known");
    let open = gramfold(directory.path(), &["complete", "e.txt", "--folds", "0"]);
    assert!(text(&open.stderr).contains("give --rank and --ridge"), "{}", text(&open.stderr));
    let many = gramfold(directory.path(), &["complete", "e.txt", "--folds", "9"]);
    assert!(text(&many.stderr).contains("there are 5 entries"), "{}", text(&many.stderr));
    fs::write(directory.path().join("p.txt"), "a z\n").unwrap();
    let unknown = gramfold(directory.path(), &["complete", "e.txt", "--predict", "p.txt"]);
    assert!(
        text(&unknown.stderr).contains("p.txt:1: there is no node `z`"),
        "{}",
        text(&unknown.stderr)
    );
}

/// A run that stopped at once, or had ended, goes on to the bits of one that did not stop.
#[test]
fn a_resumed_run_has_the_same_bits() {
    let directory = TempDir::new().unwrap();
    let fixed = ["complete", RATINGS, "--rank", "3", "--ridge", "0.3", "--biases", "3"];
    json(directory.path(), &[&fixed[..], &["-o", "whole"]].concat());
    let kept = ["--checkpoint", "c"];
    let cut = [&fixed[..], &["-o", "cut", "--time-limit", "1e-6"], &kept].concat();
    assert_eq!(gramfold(directory.path(), &cut).status.code(), Some(1));
    let check = gramfold(directory.path(), &["check", "cut"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
    let factor = |name: &str| array(&directory.path().join(name).join("factor.npy"));
    for name in ["again", "once more"] {
        json(directory.path(), &[&fixed[..], &["-o", name], &kept, &["--resume"]].concat());
        assert_eq!(factor("whole"), factor(name));
    }
}

/// Where nothing is left for a factor, X = 0 is the answer, and found at once.
#[test]
fn what_needs_no_factor_gets_none() {
    let directory = TempDir::new().expect("a temporary directory");
    let file = |name: &str, value: &dyn Fn(usize, usize) -> f64| {
        let pairs = (0..12).flat_map(|i| (0..i).map(move |j| (i, j)));
        let known = pairs.filter(|(i, j)| (7 * i + j) % 3 > 0);
        let lines: Vec<String> =
            known.map(|(i, j)| format!("{i},{j},{:?}\n", value(i, j))).collect();
        fs::write(directory.path().join(name), lines.concat()).expect("written");
    };
    file("equal.csv", &|_, _| 3.0);
    file("tenths.csv", &|i, j| 0.1 * i as f64 + 0.1 * j as f64);
    file("zero.csv", &|_, _| 0.0);
    for (name, flags) in [
        ("equal.csv", &["--biases", "0", "--ridge", "0"][..]),
        ("equal.csv", &["--biases", "1", "--ridge", "0.1"]),
        ("equal.csv", &["--biases", "0", "--ridge", "5", "--loss", "huber"]),
        ("equal.csv", &["--biases", "none", "--ridge", "1e6"]),
        ("tenths.csv", &["--biases", "0", "--ridge", "0.1"]),
        ("zero.csv", &["--biases", "none", "--ridge", "0"]),
        ("zero.csv", &["--biases", "none", "--ridge", "1"]),
    ] {
        let line = ["complete", name, "--rank", "2", "-o", "o"];
        let claims = json(directory.path(), &[&line, flags].concat());
        assert_eq!(claims["status"], "converged", "{name} {flags:?}");
        assert_eq!(claims["exact"], true, "{name} {flags:?}");
        assert!(claims["iterations"].as_u64().expect("a number") < 30, "{name} {flags:?}");
        let check = gramfold(directory.path(), &["check", "o"]);
        assert_eq!(check.status.code(), Some(0), "{name} {flags:?}: {}", text(&check.stdout));
    }
}
