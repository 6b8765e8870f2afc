//! The program from end to end, in this process: whole commands, their checkpoints, and `check` on changed directories.

use std::{fs, path::Path, sync::OnceLock};

use crate::{Scratch, Target, learning, seeds};

/// Inputs of a short run: each is a whole command.
const FEW: usize = 60;

pub(crate) fn targets() -> Vec<Target> {
    vec![
        target("solve", solve, seeds::sdpa, seeds::NUMBERS),
        target("cluster", cluster, seeds::graphs, seeds::NUMBERS),
        target("checkpoint", checkpoint, checkpoints, &[]),
        target("check", check, directories, seeds::CLAIMS),
    ]
}

const fn target(
    name: &'static str,
    run: fn(&[u8], &Path),
    seeds: fn() -> Vec<Vec<u8>>,
    words: &'static [&'static str],
) -> Target {
    Target { name, run, seeds, words, few: FEW }
}

/// Runs a command; its exit code.
pub(crate) fn gramfold(directory: &Path, arguments: &[&str]) -> u8 {
    // Paths are given in full, since the current directory is that of the process.
    let local = |argument: &&str| match argument.strip_prefix("./") {
        Some(name) => directory.join(name).into_os_string(),
        None => argument.into(),
    };
    let program = std::iter::once("gramfold".into());
    gramfold_cli::main(program.chain(arguments.iter().map(local)))
}

/// Solves, and checks what comes out.
fn solve(bytes: &[u8], directory: &Path) {
    fs::write(directory.join("a.dat-s"), bytes).expect("room for an input");
    let method = ["auto", "interior", "lowrank", "split"][bytes.len() % 4];
    let arguments = [
        "solve",
        "./a.dat-s",
        "--method",
        method,
        "--out",
        "./out",
        "--time-limit",
        "1",
        "--threads",
        "1",
        "--quiet",
    ];
    if gramfold(directory, &arguments) < 2 {
        holds(directory);
    }
}

/// Clusters, and checks what comes out.
fn cluster(bytes: &[u8], directory: &Path) {
    fs::write(directory.join("a.txt"), bytes).expect("room for an input");
    let k = ["1", "2", "3", "2..3"][bytes.len() % 4];
    let arguments = [
        "cluster",
        "./a.txt",
        "-k",
        k,
        "--out",
        "./out",
        "--time-limit",
        "1",
        "--max-iter",
        "300",
        "--threads",
        "1",
        "--quiet",
    ];
    if gramfold(directory, &arguments) < 2 {
        holds(directory);
    }
}

/// What was written checks out.
pub(crate) fn holds(directory: &Path) {
    assert_eq!(gramfold(directory, &["check", "./out"]), 0, "a genuine answer is refused");
}

/// A command and the files that it reads.
struct Command {
    files: &'static [(&'static str, &'static str)],
    line: &'static [&'static str],
}

/// Commands, of which the first so many keep checkpoints.
const RESUMED: usize = 13;
const COMMANDS: [Command; RESUMED + 1] = [
    Command {
        files: &[("a.txt", GRAPH)],
        line: &["cluster", "./a.txt", "-k", "2", "--max-iter", "20"],
    },
    Command {
        files: &[("a.dat-s", PROGRAM)],
        line: &["solve", "./a.dat-s", "--method", "interior"],
    },
    Command {
        files: &[("a.dat-s", PROGRAM)],
        line: &["solve", "./a.dat-s", "--method", "lowrank"],
    },
    Command { files: &[("a.txt", GRAPH)], line: &["maxcut", "./a.txt"] },
    Command { files: &[("a.txt", GRAPH)], line: &["theta", "./a.txt"] },
    Command {
        files: &[("a.csv", learning::ENTRIES)],
        line: &["complete", "./a.csv", "--rank", "1", "--ridge", "0.1", "--biases", "1"],
    },
    Command {
        files: &[("a.csv", learning::DISTANCES)],
        line: &["locate", "./a.csv", "--dim", "2"],
    },
    Command {
        files: &[("a.csv", learning::CORRELATIONS)],
        line: &["factors", "./a.csv", "-k", "1"],
    },
    Command {
        files: &[("a.csv", learning::CORRELATIONS)],
        line: &["correlation", "./a.csv", "--rank", "2"],
    },
    Command {
        files: &[("a.csv", learning::CLASSES)],
        line: &["metric", "./a.csv", "--label-column", "class", "--folds", "0"],
    },
    Command { files: &[("a.csv", learning::INTENSITIES)], line: &["recover", "./a.csv"] },
    Command {
        files: &[("a.txt", GRAPH), ("p.txt", learning::PAIRS)],
        line: &["kernel", "./a.txt", "--pairs", "./p.txt"],
    },
    Command {
        files: &[("a.toml", learning::PROBLEM), ("data.csv", learning::ENTRIES)],
        line: &["fit", "./a.toml"],
    },
    Command { files: &[("a.mtx", learning::MATRIX)], line: &["factor", "./a.mtx", "--rank", "2"] },
];

const GRAPH: &str = "0 1 1\n1 2 2\n2 3 1\n3 4 1\n4 0 1\n0 2 1\n4 5 3\n";
const PROGRAM: &str =
    "2\n2\n2 -1\n1 2\n0 1 1 1 1\n0 1 2 2 3\n0 1 1 2 0.5\n1 1 1 1 1\n1 1 2 2 1\n2 2 1 1 1\n";

impl Command {
    /// Writes the files and runs the command with more flags.
    fn start(&self, directory: &Path, flags: &[&str]) {
        for (name, text) in self.files {
            fs::write(directory.join(name), text).expect("room for an input");
        }
        gramfold(
            directory,
            &[self.line, &["--out", "./out", "--threads", "1", "--quiet"], flags].concat(),
        );
    }
}

/// Goes on from a checkpoint, whose first byte says of which command it is.
fn checkpoint(bytes: &[u8], directory: &Path) {
    let Some((which, state)) = bytes.split_first() else { return };
    resume(usize::from(*which) % RESUMED, Some(state), directory);
}

/// The checkpoint that a command leaves, after it went on from another if there is one.
fn resume(which: usize, state: Option<&[u8]>, directory: &Path) -> Option<Vec<u8>> {
    let path = directory.join("state");
    match state {
        Some(state) => fs::write(&path, state).expect("room for a checkpoint"),
        None => drop(fs::remove_file(&path)),
    }
    COMMANDS[which].start(directory, &["--checkpoint", "./state", "--resume", "--time-limit", "1"]);
    fs::read(path).ok()
}

/// A genuine checkpoint of each command.
fn checkpoints() -> Vec<Vec<u8>> {
    let of = |which: usize| {
        let state = resume(which, None, Scratch::new().path())?;
        Some([&[u8::try_from(which).ok()?][..], &state].concat())
    };
    (0..RESUMED).filter_map(of).collect()
}

/// A genuine directory of each command: its files by name.
type Directory = Vec<(String, Vec<u8>)>;

fn genuine() -> &'static [Directory] {
    static GENUINE: OnceLock<Vec<Directory>> = OnceLock::new();
    GENUINE.get_or_init(|| {
        let of = |run: &Command| {
            let scratch = Scratch::new();
            run.start(scratch.path(), &[]);
            let files = fs::read_dir(scratch.path().join("out")).into_iter().flatten().flatten();
            let mut files: Directory = files
                .filter_map(|file| {
                    Some((file.file_name().into_string().ok()?, fs::read(file.path()).ok()?))
                })
                .collect();
            files.sort();
            files
        };
        COMMANDS.iter().map(of).collect()
    })
}

/// A directory with one file replaced: two bytes say which, the rest is its content.
fn check(bytes: &[u8], directory: &Path) {
    let [which, file, content @ ..] = bytes else { return };
    let genuine = &genuine()[usize::from(*which) % COMMANDS.len()];
    if genuine.is_empty() {
        return;
    }
    let out = directory.join("out");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir(&out).expect("room for a directory");
    for (name, bytes) in genuine {
        fs::write(out.join(name), bytes).expect("room for a file");
    }
    let (name, honest) = &genuine[usize::from(*file) % genuine.len()];
    fs::write(out.join(name), content).expect("room for a file");
    let code = gramfold(directory, &["check", "./out"]);
    if name != "solution.json" {
        assert_eq!(code, u8::from(honest != content), "{name} was changed, or not");
    }
}

fn directories() -> Vec<Vec<u8>> {
    let numbered = |(which, files): (usize, &Directory)| {
        let seed = |(at, (_, bytes)): (usize, &(String, Vec<u8>))| {
            [&[which as u8, at as u8][..], bytes].concat()
        };
        files.iter().enumerate().map(seed).collect::<Vec<_>>()
    };
    genuine().iter().enumerate().flat_map(numbered).collect()
}
