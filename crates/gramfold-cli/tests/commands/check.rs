//! `gramfold check`: true of whatever a command wrote, and of nothing in which one claim or one file was changed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::{KARATE, gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// A program with an optimum, one without a feasible Y and one without a bound.
const SOLVED: &str =
    "2\n2\n2 -1\n1 2\n0 1 1 1 1\n0 1 2 2 3\n0 1 1 2 0.5\n1 1 1 1 1\n1 1 2 2 1\n2 2 1 1 1\n";
const NO_Y: &str = "1\n1\n2\n-1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 1\n";
const NO_X: &str = "1\n1\n2\n0\n0 1 1 1 1\n0 1 2 2 1\n1 1 1 1 1\n1 1 2 2 -1\n";

/// A ring of five with a chord, a tail and names.
const GRAPH: &str = "a b 1\nb c 2\nc d 1\nd e 1\ne a 1\na c 1\ne f 3\n";

/// A run in a directory of its own.
fn run(directory: &Path, arguments: &[&str]) -> PathBuf {
    for (name, content) in [
        ("solved.dat-s", SOLVED),
        ("no-y.dat-s", NO_Y),
        ("no-x.dat-s", NO_X),
        ("graph.txt", GRAPH),
        ("classes.txt", "0\n0\n0\n1\n1\n1\n"),
        ("points.csv", "0,0\n0,1\n1,0\n5,5\n5,6\n6,5\n0.5,0.5\n5.5,5.5\n"),
        ("swap.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n"),
        ("pair.txt", "0 1 0.4879783994493351\n"),
        ("entries.csv", "a,b,0.5\na,a,1\nb,b,2\nb,c,-1\nc,c,1.5\na,d,0.25\nd,d,1\nc,d,0.75\n"),
        ("distances.csv", "a,b,3\nb,c,4\na,c,5\nc,d,2\nb,d,4.5\na,d,5.5\n"),
        ("correlations.csv", "1,0.5,0.4,0.1\n0.5,1,0.3,0.2\n0.4,0.3,1,0.15\n0.1,0.2,0.15,1\n"),
        (
            "classes.csv",
            "s,t,class\n0,1,a\n0.5,1.5,a\n3,0,b\n3.5,0.5,b\n0.2,0.9,a\n2.8,0.1,b\n0.1,1.2,a\n3.1,0.3,b\n",
        ),
        (
            "intensities.csv",
            "1,0,0,1\n0,1,0,4\n0,0,1,0.2\n1,1,0,9\n1,0,1,2.2\n0,1,1,6\n1,-1,0,1\n0.5,0.5,0.5,3\n",
        ),
        ("pairs.txt", "a b 1\nc f -1\nd e 1\n"),
        (
            "problem.toml",
            "rank = 2\nregulariser = \"ridge:lambda=0.1\"\n[[term]]\nmap = \"entries\"\nfile = \"entries.csv\"\n\
             loss = \"huber:delta=0.5\"\n",
        ),
    ] {
        fs::write(directory.join(name), content).expect("written");
    }
    let output = gramfold(directory, &[arguments, &["--out", "out"]].concat());
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{arguments:?}: {code:?} {}", text(&output.stderr));
    directory.join("out")
}

/// The exit code of `check`, and what it says.
fn check(out: &Path) -> (Option<i32>, String) {
    let name = out.file_name().expect("a name").to_str().expect("UTF-8");
    let output = gramfold(out.parent().expect("a parent"), &["check", name]);
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn every_genuine_directory_checks_out_wherever_it_is_moved() {
    let runs: &[&[&str]] = &[
        &["factor", KARATE, "-r", "2", "--nonnegative"],
        &["factor", KARATE, "-r", "3", "--ridge", "0.5"],
        &["factor", KARATE, "-r", "2", "--max-iter", "3"],
        &["factor", KARATE, "-r", "2", "--algorithm", "ham-jacobi", "--max-iter", "200"],
        // A tolerance above the loosest that `exact` is judged by.
        &["factor", "swap.mtx", "-r", "2", "--ridge", "10", "--algorithm", "ham", "--tol", "1e-2"],
        // An objective that is all rounding.
        &[
            "cluster",
            "pair.txt",
            "-k",
            "2",
            "--diagonal",
            "degree",
            "--tol",
            "1e-8",
            "--seed",
            "1362",
        ],
        &["cluster", KARATE, "-k", "2..3", "--restarts", "2"],
        &["cluster", KARATE, "-k", "3", "--normalise", "none", "--diagonal", "zero"],
        &["cluster", "graph.txt", "-k", "2", "--truth", "classes.txt", "--overlap"],
        &["cluster", KARATE, "-k", "4", "--overlap=0.2"],
        &["cluster", "points.csv", "--points", "-k", "2"],
        &["solve", "solved.dat-s"],
        &["solve", "solved.dat-s", "--method", "interior"],
        &["solve", "solved.dat-s", "--method", "lowrank"],
        &["solve", "no-y.dat-s"],
        &["solve", "no-x.dat-s"],
        &["maxcut", "graph.txt"],
        &["maxcut", KARATE],
        &["bisect", "graph.txt"],
        &["theta", "graph.txt"],
        &["theta", "graph.txt", "--plus"],
        &["theta", KARATE, "--time-limit", "0.001"],
    ];
    for arguments in runs {
        let directory = TempDir::new().expect("a temporary directory");
        let out = run(directory.path(), arguments);
        let moved = directory.path().join("moved");
        fs::rename(out, &moved).expect("renamed");
        for name in ["graph.txt", "solved.dat-s", "classes.txt"] {
            fs::remove_file(directory.path().join(name)).expect("removed");
        }
        let (code, words) = check(&moved);
        assert_eq!(code, Some(0), "{arguments:?}: {words}");
        assert!(words.contains("every claim holds"), "{words}");
    }
}

/// Runs whose claims are changed one by one.
const TAMPERED: &[&[&str]] = &[
    &["factor", KARATE, "-r", "2", "--nonnegative"],
    &["cluster", "graph.txt", "-k", "2", "--truth", "classes.txt", "--overlap"],
    &["cluster", "graph.txt", "-k", "2..3", "--restarts", "2"],
    &["solve", "solved.dat-s"],
    &["solve", "no-y.dat-s"],
    &["solve", "no-x.dat-s"],
    &["maxcut", "graph.txt"],
    &["bisect", "graph.txt"],
    &["theta", "graph.txt"],
    &["complete", "entries.csv", "--rank", "2", "--biases", "1", "--folds", "2"],
    &["locate", "distances.csv", "--dim", "2"],
    &["factors", "correlations.csv", "-k", "1", "--rotate", "promax"],
    &["metric", "classes.csv", "--label-column", "class", "--folds", "2"],
    &["correlation", "correlations.csv", "--rank", "2"],
    &["recover", "intensities.csv", "--rank", "2"],
    &["kernel", "graph.txt", "--pairs", "pairs.txt"],
    &["fit", "problem.toml"],
];

/// What `check` says of claims that were changed, whatever they are.
const SEAL: &str = "✗ the claims of solution.json are as they were written";

#[test]
fn every_changed_claim_is_found_and_named_unless_it_is_said_not_to_be_checked() {
    for (number, arguments) in TAMPERED.iter().enumerate() {
        // One kind of lie for each claim is enough where the claims are of the same kinds.
        let enough = if number < 9 { 2 } else { 1 };
        let directory = TempDir::new().expect("a temporary directory");
        let out = run(directory.path(), arguments);
        let solution = out.join("solution.json");
        let honest = fs::read_to_string(&solution).expect("readable");
        let claims: Value = serde_json::from_str(&honest).expect("JSON");
        let (code, words) = check(&out);
        assert_eq!(code, Some(0), "{arguments:?}: {words}");
        let line = words.lines().find_map(|line| line.strip_prefix("– not checked: "));
        let unchecked: Vec<&str> = line.unwrap_or_default().split(", ").collect();
        for pointer in leaves(&claims) {
            let path = pointer[1..].replace('/', ".");
            // Which limit ended a run that might have ended well, no file says.
            let made_again = !["status", "sha256.solution"].contains(&path.as_str())
                && !unchecked
                    .iter()
                    .any(|name| path == *name || path.starts_with(&format!("{name}.")));
            for lie in lies(claims.pointer(&pointer).expect("a leaf")).into_iter().take(enough) {
                let mut changed = claims.clone();
                *changed.pointer_mut(&pointer).expect("a leaf") = lie.clone();
                fs::write(&solution, changed.to_string()).expect("written");
                let (code, words) = check(&out);
                assert_eq!(code, Some(1), "{arguments:?}: {path} as {lie}: {words}");
                let faults: Vec<&str> =
                    words.lines().filter(|line| line.starts_with('✗')).collect();
                let named = faults.iter().any(|fault| *fault != SEAL);
                assert!(named || !made_again, "{arguments:?}: {path} as {lie}: {words}");
                if !made_again {
                    break; // One is as good as another.
                }
            }
        }
    }
}

/// The JSON pointers of everything that is neither an object nor a list.
fn leaves(value: &Value) -> Vec<String> {
    let below = |key: &str, value: &Value| {
        leaves(value).into_iter().map(|rest| format!("/{key}{rest}")).collect::<Vec<_>>()
    };
    match value {
        Value::Object(fields) => fields.iter().flat_map(|(key, value)| below(key, value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(i, value)| below(&i.to_string(), value)).collect()
        }
        _ => vec![String::new()],
    }
}

/// Other values of the same kind.
fn lies(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(value) => vec![(!value).into()],
        Value::Number(number) if number.is_u64() => {
            vec![(number.as_u64().expect("whole") + 1).into()]
        }
        Value::Number(number) => {
            let value = number.as_f64().expect("a number");
            vec![(value * 1.0001 + 1e-3 * value.abs().max(1e-3)).into(), (-value - 1e-4).into()]
        }
        Value::String(text) if text == "converged" => vec!["stalled".into(), "solved".into()],
        Value::String(text) => vec![format!("{text}x").into()],
        _ => vec![0.5.into()],
    }
}

#[test]
fn every_changed_file_is_named() {
    for arguments in TAMPERED {
        let directory = TempDir::new().expect("a temporary directory");
        let out = run(directory.path(), arguments);
        let names = fs::read_dir(&out).expect("readable");
        for name in names.map(|entry| entry.expect("an entry").file_name()) {
            let (path, name) = (out.join(&name), name.to_string_lossy());
            if name == "solution.json" {
                continue;
            }
            let honest = fs::read(&path).expect("readable");
            let mut flipped = honest.clone();
            if let Some(byte) = flipped.iter_mut().nth_back(1) {
                *byte ^= 1;
            }
            let mut undefined = honest.clone();
            if let Some(number) = undefined.last_chunk_mut() {
                *number = f64::NAN.to_le_bytes();
            }
            let longer = [&honest[..], b"1\n"].concat();
            let changes = [Some(flipped), Some(undefined), Some(Vec::new()), Some(longer), None];
            for changed in changes.into_iter().filter(|changed| changed.as_ref() != Some(&honest)) {
                match changed {
                    Some(bytes) => fs::write(&path, bytes).expect("written"),
                    None => fs::remove_file(&path).expect("removed"),
                }
                let (code, words) = check(&out);
                assert_eq!(code, Some(1), "{arguments:?}: {name}: {words}");
                let named = words.lines().any(|l| l.starts_with('✗') && l.contains(&*name));
                assert!(named, "{arguments:?}: {name}: {words}");
            }
            fs::write(&path, honest).expect("written");
        }
        assert_eq!(check(&out).0, Some(0));
    }
}

/// A file that was changed together with its hash is found by what follows from it.
#[test]
fn a_changed_file_with_a_new_hash_is_found() {
    let directory = TempDir::new().expect("a temporary directory");
    let out = run(directory.path(), &["cluster", "graph.txt", "-k", "2"]);
    let solution = out.join("solution.json");
    let honest = fs::read_to_string(&solution).expect("readable");
    let labels = fs::read_to_string(out.join("labels.txt")).expect("readable");
    let swap = |c: char| match c {
        '0' => '1',
        '1' => '0',
        other => other,
    };
    fs::write(out.join("labels.txt"), labels.chars().map(swap).collect::<String>())
        .expect("written");
    let (_, hash) = gramfold_cli::store::sha256_of_file(&out.join("labels.txt")).expect("readable");
    let claims: Value = serde_json::from_str(&honest).expect("JSON");
    let old = claims["sha256"]["labels"].as_str().expect("a hash");
    fs::write(&solution, honest.replace(old, &hash)).expect("written");
    let (code, words) = check(&out);
    assert!(code == Some(1) && words.contains("✗ labels are those of the factor"), "{words}");
}

#[test]
fn what_is_no_directory_of_gramfold_is_refused() {
    let directory = TempDir::new().expect("a temporary directory");
    let (code, words) = check(&directory.path().join("nothing"));
    assert!(code == Some(2) && words.contains("is this a directory of gramfold?"), "{words}");
}

#[test]
fn a_file_that_is_not_part_of_the_answer_is_named() {
    let directory = TempDir::new().unwrap();
    let out = run(directory.path(), &["factor", KARATE, "-r", "2"]);
    fs::write(out.join("notes.txt"), "mine").unwrap();
    let (code, said) = check(&out);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("notes.txt (not part of the answer)"), "{said}");
}
