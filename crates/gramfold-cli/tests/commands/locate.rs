//! `gramfold locate`, from end to end.

use std::{fs, path::Path};

use crate::common::{gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

const CITIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/cities.csv");
const ANCHORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/cities-anchors.csv");

fn json(directory: &Path, arguments: &[&str]) -> Value {
    let output = gramfold(directory, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The rows of a .npy file of doubles: a header of a length, then numbers.
fn rows(path: &Path, width: usize) -> Vec<Vec<f64>> {
    let bytes = fs::read(path).expect("readable");
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let numbers: Vec<f64> = bytes[10 + header..]
        .chunks_exact(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect();
    numbers.chunks_exact(width).map(<[f64]>::to_vec).collect()
}

/// Points in a square whose distances below a radius are known, as lines; the points.
fn points(n: usize, radius: f64) -> (Vec<[f64; 2]>, String) {
    let mut state = 5_u64;
    let mut number = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let points: Vec<[f64; 2]> = (0..n).map(|_| [number(), number()]).collect();
    let mut lines = String::new();
    for i in 0..n {
        for j in i + 1..n {
            let distance = (points[i][0] - points[j][0]).hypot(points[i][1] - points[j][1]);
            if distance < radius {
                lines += &format!("{i} {j} {distance:?}\n");
            }
        }
    }
    (points, lines)
}

#[test]
fn points_are_found_in_the_frame_of_their_anchors() {
    let directory = TempDir::new().unwrap();
    let (points, lines) = points(80, 0.32);
    fs::write(directory.path().join("d.txt"), lines).unwrap();
    let anchors: Vec<String> =
        (0..4).map(|i| format!("{i},{:?},{:?}\n", points[i][0], points[i][1])).collect();
    fs::write(directory.path().join("a.csv"), anchors.concat()).unwrap();
    let line = ["locate", "d.txt", "--dim", "2", "--anchors", "a.csv", "--report", "r.html"];
    let claims = json(directory.path(), &line);
    assert_eq!((&claims["status"], &claims["framed"]), (&"converged".into(), &true.into()));
    let page = fs::read_to_string(directory.path().join("r.html")).unwrap();
    assert!(!page.contains("edges strained") && !page.contains("stand out"), "all are met");
    assert_eq!(claims["undetermined"], 0, "{claims}");
    let found = rows(&directory.path().join("d.locate/positions.npy"), 2);
    for (found, point) in found.iter().zip(&points) {
        assert!((found[0] - point[0]).hypot(found[1] - point[1]) < 1e-7, "{found:?} {point:?}");
    }
    let check = gramfold(directory.path(), &["check", "d.locate"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
    // A position that was moved is found, whatever its hash says.
    let path = directory.path().join("d.locate/positions.npy");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.len() - 8;
    bytes[at..].copy_from_slice(&9.0_f64.to_le_bytes());
    fs::write(&path, bytes).unwrap();
    let check = gramfold(directory.path(), &["check", "d.locate"]);
    assert_eq!(check.status.code(), Some(1));
    assert!(text(&check.stdout).contains("✗ residuals are those of the positions"));
}

#[test]
fn cities_come_out_on_a_map() {
    let directory = TempDir::new().unwrap();
    let arguments = ["locate", CITIES, "--dim", "2", "--anchors", ANCHORS, "--report", "r.html"];
    let claims = json(directory.path(), &arguments);
    // The globe is not flat: a few parts in a thousand.
    assert!(claims["relative_error"].as_f64().unwrap() < 0.01, "{claims}");
    let out = directory.path().join("cities.locate");
    let names = fs::read_to_string(out.join("names.txt")).unwrap();
    let place = names.lines().position(|name| name == "Paris").unwrap();
    let paris = &rows(&out.join("positions.npy"), 2)[place];
    // 48.86° N, 2.35° E is about 267 km west and 98 km north of 48° N, 6° E.
    assert!((paris[0] + 267.0).hypot(paris[1] - 98.0) < 30.0, "{paris:?}");
    assert!(fs::read_to_string(directory.path().join("r.html")).unwrap().contains("The layout"));
    let check = gramfold(directory.path(), &["check", "cities.locate"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
}

#[test]
fn free_nodes_are_named_and_bad_input_is_refused() {
    let directory = TempDir::new().unwrap();
    let (_, mut lines) = points(40, 0.45);
    lines += "0 x 0.3\n1 x 0.4\ny z 1\n";
    fs::write(directory.path().join("d.txt"), &lines).unwrap();
    let output = gramfold(directory.path(), &["locate", "d.txt", "--dim", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let free = fs::read_to_string(directory.path().join("d.locate/undetermined.csv")).unwrap();
    assert_eq!(free, "node,reason\nx,too few distances\ny,not connected\nz,not connected\n");
    assert!(
        text(&output.stdout).contains("3 nodes are not determined"),
        "{}",
        text(&output.stdout)
    );
    let check = gramfold(directory.path(), &["check", "d.locate"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check.stdout));
    for (file, message) in [
        ("a b -1\n", "the distance between a and b is -1: expected a positive number"),
        (
            "a b 1e-300\n",
            "the distance between a and b is 1e-300, which cannot be squared: use another unit",
        ),
        (
            "a b 1e200\n",
            "the distance between a and b is 1e200, which cannot be squared: use another unit",
        ),
        ("a b 1\na a 2\n", "the distance of a from itself is 2, not 0"),
    ] {
        fs::write(directory.path().join("bad.txt"), file).unwrap();
        let refused = gramfold(directory.path(), &["locate", "bad.txt", "--dim", "2"]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(message), "{}", text(&refused.stderr));
    }
    fs::write(directory.path().join("a.txt"), "x 1\n").unwrap();
    let refused =
        gramfold(directory.path(), &["locate", "d.txt", "--dim", "2", "--anchors", "a.txt"]);
    assert!(
        text(&refused.stderr).contains("a.txt:1: expected a node and 2 coordinates"),
        "{}",
        text(&refused.stderr)
    );
}

/// After three steps the stress is four times that of the end: no residual may say that it is over.
#[test]
fn a_layout_on_its_way_is_not_exact() {
    let directory = TempDir::new().expect("a temporary directory");
    for (most, exact) in [("3", false), ("4", false), ("50", true)] {
        let line = ["locate", CITIES, "--dim", "2", "--max-iter", most, "-o", "o", "--json"];
        let output = gramfold(directory.path(), &line);
        let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(claims["exact"], exact, "{most}: {}", claims["certificate"]);
        assert_eq!(claims["status"] == "converged", exact, "{most}");
    }
}

/// Distances that leave directions free: steps once drifted far away, where they passed for short ones.
#[test]
fn what_is_called_converged_is_critical_where_nodes_are_free() {
    let directory = TempDir::new().unwrap();
    for (name, distances, dim) in [
        ("two.csv", "0,1,8.194194097904124e-1\n0,2,6.634464586550681e-2\n", "3"),
        (
            "line.csv",
            "0,1,2.511556237935428e-1\n0,2,1.614241908239412\n1,2,1.363086284445869\n",
            "2",
        ),
    ] {
        fs::write(directory.path().join(name), distances).unwrap();
        let claims =
            json(directory.path(), &["locate", name, "--dim", dim, "--tol", "1e-4", "-o", "out"]);
        assert_eq!(claims["status"], "converged", "{name}");
        assert!(claims["objective"].as_f64().unwrap() < 1e-12, "{name}: {}", claims["objective"]);
        assert_eq!(gramfold(directory.path(), &["check", "out"]).status.code(), Some(0), "{name}");
    }
}
