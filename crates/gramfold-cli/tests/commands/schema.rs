//! What every command prints and writes is what docs/schema/solution.json says.

use std::{fs, path::Path};

use crate::common::{KARATE, gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// z₁₁ = 1, z₂₂ = 1, 2z₁₂ = 3: a correlation beyond one.
const INFEASIBLE: &str = "3\n1\n2\n1 1 3\n0 1 1 1 1\n1 1 1 1 1\n2 1 2 2 1\n3 1 1 2 1\n";

/// max −y₁₁ − 2w₁ s.t. y₁₁ + w₁ = 1 and y₂₂ + w₂ = 1, w a diagonal block.
const MIXED: &str =
    "2\n2\n2 -2\n1 1\n0 1 1 1 -1\n0 2 1 1 -2\n1 1 1 1 1\n1 2 1 1 1\n2 1 2 2 1\n2 2 2 2 1\n";

/// What the learning problems read.
const PROBLEMS: [(&str, &str); 7] = [
    ("r.csv", ",a,b,c,d\na,1,.8,.6,.5\nb,.8,1,.5,.4\nc,.6,.5,1,.3\nd,.5,.4,.3,1\n"),
    ("t.csv", "0,1,a\n1,0,b\n0.1,2,a\n1.2,1,b\n0.2,0,a\n1.1,2,b\n0,3,a\n1,4,b\n"),
    ("v.csv", "1,0,1\n0,1,4\n1,1,9\n1,-1,1\n2,1,16\n"),
    ("pairs.txt", "0 23 -1\n0 8 1\n23 20 1\n"),
    ("e.csv", "0,1,1\n1,1,2\n0,0,1\n"),
    ("d.csv", "0,1,3\n1,2,4\n0,2,5\n2,3,2\n1,3,4.5\n0,3,5.5\n"),
    ("p.toml", "rank = 1\n[[term]]\nmap = \"entries\"\nfile = \"e.csv\"\nloss = \"square\"\n"),
];

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/solution.json");
    serde_json::from_slice(&fs::read(path).expect("readable")).expect("JSON")
}

#[test]
fn every_command_writes_and_prints_what_the_schema_says() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is one");
    let directory = TempDir::new().expect("a temporary directory");
    let at = |name: &str| directory.path().join(name);
    fs::write(at("p.dat-s"), MIXED).expect("written");
    fs::write(at("no.dat-s"), INFEASIBLE).expect("written");
    fs::write(at("truth.txt"), "0\n1\n".repeat(17)).expect("written");
    fs::copy(KARATE, at("k.mtx")).expect("copied");
    for (name, text) in PROBLEMS {
        fs::write(at(name), text).expect("written");
    }
    let commands: [&[&str]; 23] = [
        &["factor", "k.mtx", "-r", "2"],
        &["factor", "k.mtx", "-r", "2", "--ridge", "0.5", "--report", "o/page.html"],
        &["factor", "k.mtx", "-r", "2", "--rule", "fixed:gamma=1e-9", "--max-iter", "5"],
        &["cluster", "k.mtx", "-k", "2", "--truth", "truth.txt", "--overlap"],
        &["cluster", "k.mtx", "-k", "2..4"],
        &["cluster", "k.mtx", "-k", "2", "--restarts", "3"],
        &["complete", "d.csv", "--rank", "2", "--report", "o/page.html"],
        &["complete", "e.csv", "--rank", "1", "--ridge", "0.5", "--folds", "0"],
        &["locate", "d.csv", "--dim", "2"],
        &["solve", "p.dat-s"],
        &["solve", "p.dat-s", "--method", "split"],
        &["solve", "no.dat-s"],
        &["solve", "p.dat-s", "--time-limit", "1e-6"],
        &["maxcut", "k.mtx"],
        &["bisect", "k.mtx", "--time-limit", "1e-6"],
        &["theta", "k.mtx"],
        &["theta", "k.mtx", "--plus", "--tol", "1e-3"],
        &["factors", "r.csv", "-k", "1"],
        &["metric", "t.csv", "--label-column", "3"],
        &["correlation", "r.csv", "-r", "2"],
        &["recover", "v.csv"],
        &["kernel", "k.mtx", "--pairs", "pairs.txt"],
        &["fit", "p.toml"],
    ];
    for command in commands {
        let output = gramfold(directory.path(), &[command, &["--json", "-o", "o"]].concat());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text(&output.stderr));
        let mut printed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let written = fs::read(at("o").join("solution.json")).expect("readable");
        let written: Value = serde_json::from_slice(&written).expect("JSON");
        for object in [&printed, &written] {
            let faults: Vec<String> = validator
                .iter_errors(object)
                .map(|fault| format!("{}: {fault}", fault.instance_path()))
                .collect();
            assert!(faults.is_empty(), "{command:?}: {faults:#?}");
        }
        let fields = printed.as_object_mut().expect("an object");
        assert_eq!(fields.remove("directory"), Some("o".into()), "{command:?}");
        assert_eq!(printed, written, "{command:?}");
        let digest = written["input"]["sha256"].as_str().expect("a hash");
        assert_eq!(digest.len(), 64);
        assert_eq!(written["input"]["path"], command[1]);
    }
}

#[test]
fn the_schema_refuses_what_is_not_said_in_it() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is one");
    let directory = TempDir::new().expect("a temporary directory");
    gramfold(directory.path(), &["factor", KARATE, "-r", "2", "-o", "o"]);
    let written = fs::read(Path::new(directory.path()).join("o/solution.json")).expect("readable");
    let written: Value = serde_json::from_slice(&written).expect("JSON");
    assert!(validator.is_valid(&written));
    let changes: [(&str, Value); 7] = [
        ("status", "fine".into()),
        ("bound", 3.0.into()),
        ("rank", "two".into()),
        ("extra", 1.into()),
        ("command", "solve".into()),
        ("gamma", Value::Null),
        ("files", serde_json::json!({"A": "/etc/passwd"})),
    ];
    for (field, value) in changes {
        let mut changed = written.clone();
        changed[field] = value;
        assert!(!validator.is_valid(&changed), "{field}");
    }
    for field in written.as_object().expect("an object").keys() {
        let mut changed = written.clone();
        changed.as_object_mut().expect("an object").remove(field);
        assert!(!validator.is_valid(&changed), "{field} is required");
    }
}
