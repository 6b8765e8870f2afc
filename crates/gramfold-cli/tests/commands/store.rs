//! What is written where: whole directories, nothing of the user's overwritten, no answer lost.

use std::{fs, path::Path, process::Command};

use crate::common::{KARATE, gramfold, text};
use serde_json::Value;
use tempfile::TempDir;

/// A ring of nodes with chords, as an edge list.
pub(crate) fn ring(n: usize) -> String {
    (0..n).fold(String::new(), |text, i| {
        text + &format!("{i} {}\n{i} {}\n", (i + 1) % n, (i + n / 2 - 1) % n)
    })
}

/// Max-Cut on a ring, as a program.
fn program(n: usize) -> String {
    let mut text = format!("{n}\n1\n{n}\n{}\n", vec!["1"; n].join(" "));
    for i in 1..=n {
        let next = i % n + 1;
        text += &format!("0 1 {} {} -1\n{i} 1 {i} {i} 1\n", i.min(next), i.max(next));
    }
    text
}

/// A directory with a graph, a program and an empty checkpoint to be.
pub(crate) fn place() -> TempDir {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("a.txt"), ring(12)).expect("written");
    fs::write(directory.path().join("a.dat-s"), program(12)).expect("written");
    fs::copy(KARATE, directory.path().join("karate.mtx")).expect("copied");
    directory
}

/// The names in a directory, hidden ones among them.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("readable");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("readable").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// The claims of a directory, all of whose files are there, and no others.
pub(crate) fn whole(directory: &Path) -> Value {
    let claims = fs::read(directory.join("solution.json")).expect("the claims are there");
    let claims: Value = serde_json::from_slice(&claims).expect("the claims are whole");
    let files = claims["files"].as_object().expect("names").values();
    let mut files: Vec<_> = files.map(|name| name.as_str().expect("a name").to_owned()).collect();
    files.sort();
    assert_eq!(names(directory), files);
    claims
}

/// What the six commands run on.
const COMMANDS: [(&str, &[&str]); 6] = [
    ("factor", &["karate.mtx", "-r", "2"]),
    ("cluster", &["karate.mtx", "-k", "2"]),
    ("solve", &["a.dat-s"]),
    ("maxcut", &["a.txt"]),
    ("bisect", &["a.txt"]),
    ("theta", &["a.txt"]),
];

#[test]
fn each_command_has_a_directory_of_its_own_and_replaces_it_as_a_whole() {
    let directory = place();
    for (command, arguments) in COMMANDS {
        let stem = arguments[0].split('.').next().expect("a stem");
        let out = directory.path().join(format!("{stem}.{command}"));
        for _ in 0..2 {
            let output = gramfold(directory.path(), &[&[command][..], arguments].concat());
            assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
            assert_eq!(whole(&out)["command"], command);
        }
    }
    let directories =
        ["a.bisect", "a.maxcut", "a.solve", "a.theta", "karate.cluster", "karate.factor"];
    let mut expected: Vec<&str> = directories.into();
    expected.extend(["a.dat-s", "a.txt", "karate.mtx"]);
    expected.sort_unstable();
    assert_eq!(names(directory.path()), expected, "no lock, nothing half written");
    // Nothing of another command stays where the same place is asked for.
    for (command, arguments) in COMMANDS {
        let arguments = [&[command][..], arguments, &["-o", "out"]].concat();
        assert_eq!(gramfold(directory.path(), &arguments).status.code(), Some(0), "{command}");
        assert_eq!(whole(&directory.path().join("out"))["command"], command);
    }
}

#[test]
fn names_do_not_depend_on_case() {
    let directory = place();
    for (command, arguments) in COMMANDS {
        gramfold(directory.path(), &[&[command][..], arguments, &["-o", command]].concat());
        let mut lower: Vec<String> =
            names(&directory.path().join(command)).iter().map(|n| n.to_lowercase()).collect();
        let count = lower.len();
        lower.dedup();
        assert_eq!(lower.len(), count, "{command}: {lower:?}");
        assert!(!lower.contains(&"y.npy".into()) || command == "factor" || command == "cluster");
    }
}

#[test]
fn what_gramfold_did_not_write_is_never_replaced() {
    let directory = place();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("mine")).expect("made");
    fs::write(at("mine/notes.txt"), "mine").expect("written");
    fs::create_dir(at("empty")).expect("made");
    let refused = |out: &str, message: &str| {
        for (command, arguments) in COMMANDS {
            let arguments = [&[command][..], arguments, &["-o", out]].concat();
            let output = gramfold(directory.path(), &arguments);
            assert_eq!(output.status.code(), Some(2), "{command}");
            assert!(output.stdout.is_empty());
            let error = text(&output.stderr);
            assert!(error.contains(message) && error.lines().count() == 1, "{command}: {error}");
        }
    };
    refused("mine", "mine holds notes.txt and is not a directory of gramfold");
    refused(".", "choose another place with --out");
    refused("..", "choose another place with --out");
    refused("karate.mtx", "karate.mtx");
    // Nor what somebody put beside an answer.
    let factor = ["factor", "karate.mtx", "-r", "2", "-o", "empty"];
    assert_eq!(gramfold(directory.path(), &factor).status.code(), Some(0));
    fs::write(at("empty/notes.txt"), "mine").expect("written");
    refused("empty", "empty holds notes.txt, which gramfold did not write");
    assert_eq!(fs::read_to_string(at("empty/notes.txt")).expect("readable"), "mine");
    assert_eq!(fs::read_to_string(at("mine/notes.txt")).expect("readable"), "mine");
}

/// Runs a command that must be refused before the work, naming both flags, and must change nothing.
#[track_caller]
fn overwrites(directory: &Path, arguments: &[&str], named: &[&str]) {
    let files = ["a.txt", "a.dat-s", "karate.mtx", "truth.txt"];
    let before = files.map(|name| fs::read(directory.join(name)).ok());
    let output = gramfold(directory, arguments);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stdout));
    assert!(error.starts_with("error: ") && error.lines().count() == 1, "{error}");
    assert!(named.iter().all(|name| error.contains(name)), "{arguments:?}: {error}");
    assert!(before == files.map(|name| fs::read(directory.join(name)).ok()), "{arguments:?}");
}

#[test]
fn inputs_are_not_overwritten_whatever_they_are_called() {
    let directory = place();
    let here = directory.path();
    let at = |name: &str| here.join(name);
    fs::write(at("truth.txt"), "0\n1\n".repeat(17)).expect("written");
    let absolute = at("a.txt").display().to_string();
    for spelling in ["a.txt", "./a.txt", absolute.as_str(), "../GONE/a.txt"] {
        let name = here.file_name().expect("a name").to_string_lossy().into_owned();
        let spelling = spelling.replace("GONE", &name);
        for flag in ["--partition", "--report", "--checkpoint"] {
            overwrites(here, &["maxcut", "a.txt", flag, &spelling], &[flag, "the input a.txt"]);
        }
        overwrites(here, &["theta", "a.txt", "--report", &spelling], &["--report"]);
    }
    overwrites(here, &["solve", "a.dat-s", "--checkpoint", "a.dat-s"], &["--checkpoint"]);
    overwrites(here, &["factor", "karate.mtx", "-r", "2", "--report", "karate.mtx"], &["--report"]);
    let cluster = ["cluster", "karate.mtx", "-k", "2", "--truth", "truth.txt"];
    for (flag, path) in
        [("--labels", "karate.mtx"), ("--labels", "truth.txt"), ("--report", "truth.txt")]
    {
        overwrites(here, &[&cluster[..], &[flag, path]].concat(), &[flag, path]);
    }
    overwrites(
        here,
        &[&cluster[..], &["--labels", "x", "--report", "./x"]].concat(),
        &["--labels and --report"],
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.txt", at("soft")).expect("linked");
        fs::hard_link(at("a.txt"), at("hard")).expect("linked");
        for link in ["soft", "hard"] {
            overwrites(here, &["maxcut", "a.txt", "--partition", link], &["--partition", link]);
            overwrites(
                here,
                &["maxcut", link, "--sweeps", "0", "--report", "a.txt"],
                &["--report"],
            );
        }
    }
    // An earlier answer that is read from.
    assert_eq!(
        gramfold(here, &["factor", "karate.mtx", "-r", "2", "-o", "od"]).status.code(),
        Some(0)
    );
    let before = fs::read(at("od/A.mtx")).expect("readable");
    for out in ["od", "./od/", "od/../od"] {
        overwrites(here, &["cluster", "od/A.mtx", "-k", "2", "-o", out], &["od/A.mtx"]);
    }
    assert_eq!(fs::read(at("od/A.mtx")).expect("readable"), before);
    // Nor a file that is no checkpoint.
    fs::write(at("thesis.tex"), "years of work").expect("written");
    overwrites(here, &["solve", "a.dat-s", "--checkpoint", "thesis.tex"], &["is not a checkpoint"]);
    assert_eq!(fs::read_to_string(at("thesis.tex")).expect("readable"), "years of work");
}

#[test]
fn an_answer_is_written_where_its_checkpoint_cannot_be() {
    let directory = place();
    fs::create_dir(directory.path().join("folder")).expect("made");
    for (command, arguments) in COMMANDS {
        for checkpoint in ["missing/state", "folder", "a.txt/state"] {
            let more = ["--checkpoint", checkpoint, "-o", "out"];
            let output = gramfold(directory.path(), &[&[command][..], arguments, &more].concat());
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{command}: {errors}");
            assert_eq!(errors.matches("warning: --checkpoint").count(), 1, "{command}: {errors}");
            assert_eq!(whole(&directory.path().join("out"))["command"], command);
        }
    }
}

#[test]
fn an_answer_is_written_where_a_file_beside_it_cannot_be() {
    let directory = place();
    let cluster = ["cluster", "karate.mtx", "-k", "2", "-o", "out"];
    for (arguments, flag) in [
        (&cluster[..], "--labels"),
        (&cluster[..], "--report"),
        (&["maxcut", "a.txt", "-o", "out"][..], "--partition"),
        (&["factor", "karate.mtx", "-r", "2", "-o", "out"][..], "--report"),
    ] {
        let output = gramfold(directory.path(), &[arguments, &[flag, "missing/file"]].concat());
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "what was asked for is not there: {errors}");
        assert!(
            errors.starts_with(&format!("warning: {flag} missing/file cannot be written")),
            "{errors}"
        );
        assert!(errors.contains(&format!("error: {flag} ")), "{errors}");
        assert!(text(&output.stdout).contains("written to out"), "{errors}");
        whole(&directory.path().join("out"));
    }
}

#[test]
fn files_that_are_asked_for_in_the_directory_become_part_of_it() {
    let directory = place();
    let more = ["--report", "out/page.html", "--labels", "out/mine.txt"];
    let arguments = [&["cluster", "karate.mtx", "-k", "2", "-o", "out"][..], &more].concat();
    for _ in 0..2 {
        let output = gramfold(directory.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let claims = whole(&directory.path().join("out"));
        assert_eq!(claims["files"]["report"], "page.html");
        assert_eq!(claims["files"]["labels"], "mine.txt");
    }
    let inside = ["solve", "a.dat-s", "-o", "out", "--checkpoint", "out/state"];
    let output = gramfold(directory.path(), &inside);
    assert!(text(&output.stderr).contains("put it beside"), "{}", text(&output.stderr));
}

/// A disk that is full: a small file system, where the system lets us have one.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_does_not_fit_the_disk_is_rescued() {
    let directory = place();
    // A process may not write files longer than this many kilobytes: the first large part fails.
    let run = |limit: &str| {
        Command::new("sh")
            .current_dir(directory.path())
            .arg("-c")
            .arg(format!(
                "trap '' XFSZ; ulimit -f {limit}; exec \"$0\" factor karate.mtx -r 2 -o out --json"
            ))
            .arg(env!("CARGO_BIN_EXE_gramfold"))
            .output()
            .expect("it runs")
    };
    let before = run("unlimited");
    assert_eq!(before.status.code(), Some(0), "{}", text(&before.stderr));
    let whole_one = whole(&directory.path().join("out"));
    let output = run("1");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("the answer could not be written anywhere"), "{errors}");
    // The answer is said all the same, and the old one is as it was.
    let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(claims["objective"], whole_one["objective"]);
    assert_eq!(whole(&directory.path().join("out")), whole_one);
    assert_eq!(names(directory.path()), ["a.dat-s", "a.txt", "karate.mtx", "out"]);
}

#[test]
fn checkpoints_know_the_entries_of_what_they_belong_to() {
    // Two graphs with as many nodes, edges and degrees: C6 and two triangles.
    let directory = TempDir::new().expect("a temporary directory");
    let one = "0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n";
    let two = "0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n";
    fs::write(directory.path().join("one.txt"), one).expect("written");
    fs::write(directory.path().join("two.txt"), two).expect("written");
    for (command, more) in
        [("cluster", &["-k", "2"][..]), ("maxcut", &[]), ("bisect", &[]), ("theta", &[])]
    {
        let run = |graph: &str| {
            let fixed = [command, graph, "--checkpoint", command, "--resume"];
            gramfold(directory.path(), &[&fixed[..], more].concat())
        };
        assert_eq!(run("one.txt").status.code(), Some(0), "{command}");
        let output = run("two.txt");
        assert_eq!(output.status.code(), Some(2), "{command}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains("belongs to another run"), "{command}");
        assert_eq!(run("one.txt").status.code(), Some(0), "{command}");
    }
    // What changes the path is part of it, and so is the command.
    let run = |arguments: &[&str]| {
        let fixed = ["--checkpoint", "cluster", "--resume"];
        text(&gramfold(directory.path(), &[arguments, &fixed].concat()).stderr)
    };
    for arguments in [
        &["cluster", "one.txt", "-k", "2", "--diagonal", "degree"][..],
        &["cluster", "one.txt", "-k", "2", "--normalise", "none"],
        &["cluster", "one.txt", "-k", "2", "--restarts", "2"],
        &["cluster", "one.txt", "-k", "2", "--tol", "1e-7"],
        &["cluster", "one.txt", "-k", "2", "--max-iter", "7"],
        &["maxcut", "one.txt"],
    ] {
        assert!(run(arguments).contains("belongs to another run"), "{arguments:?}");
    }
    assert!(
        run(&["cluster", "one.txt", "-k", "2", "--time-limit", "9", "--threads", "1"]).is_empty()
    );
}

#[test]
fn cuts_keep_the_names_of_the_nodes() {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join("f.csv"), "ann,bob\nbob,\"c, d\"\n\"c, d\",eve\neve,ann\n")
        .expect("written");
    for command in ["maxcut", "bisect"] {
        assert_eq!(gramfold(directory.path(), &[command, "f.csv"]).status.code(), Some(0));
        let sides = fs::read_to_string(directory.path().join(format!("f.{command}/partition.txt")));
        let sides = sides.expect("readable");
        let side = |name: &str| {
            let line = sides.lines().find_map(|line| line.strip_prefix(name)).expect(name);
            line.trim().to_owned()
        };
        assert_eq!(sides.lines().count(), 4, "{sides}");
        assert!(["0", "1"].contains(&side("ann").as_str()), "{sides}");
        if command == "maxcut" {
            assert_ne!(side("ann"), side("bob"), "{sides}");
            assert_eq!(side("bob"), side("eve"), "{sides}");
        }
    }
}
