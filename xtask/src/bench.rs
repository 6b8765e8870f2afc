//! The benchmarks. Those beside rivals are measured by `bench/*/run.py`; here is what they need.

use std::{env, path::PathBuf, process::Command};

use crate::command::{cargo, root, run, say};

/// What the spectral rule costs.
pub(crate) fn rule() -> bool {
    cargo("rule", &["bench", "--package", "gramfold", "--bench", "spectral"])
}

/// Gramfold beside its rivals: writes a table into docs/benchmarks.md, and a plot next to it.
pub(crate) fn cluster(quick: bool) -> bool {
    say(&format!(
        "Builds Gramfold, installs the rivals under target/bench/venv, and runs them side by side on\n\
         the graphs of GRAMFOLD_DATA (or ../shared/data/graphs) and on generated ones.\n\
         Takes about {}. Rewrites docs/benchmarks.md and docs/cluster-benchmark.svg;\n\
         every number goes to target/bench/cluster.json, every method's\n\
         figures to target/bench/cluster.md.",
        if quick { "10 minutes" } else { "two hours" }
    ));
    let places = Places::new("cluster");
    let mut measure = places.measurement(quick);
    for example in ["roofline", "seeds"] {
        measure.arg(format!("--{example}")).arg(places.release.join("examples").join(example));
    }
    if let Some(data) = places.data("GRAMFOLD_DATA", "graphs") {
        measure.arg("--data").arg(data);
    } else {
        say("No labelled graphs: GRAMFOLD_DATA is not a directory. Only generated ones are run.");
    }
    // Without Leiden the rest still runs, and the table says that it is missing.
    Places::program()
        && cargo("what is timed", &["build", "--release", "--package", "xtask", "--examples"])
        && places.rivals(&["igraph", "leidenalg"])
        && run("measurement", &mut measure)
}

/// The whole of `gramfold cluster` beside a short program: writes a table into docs/benchmarks.md.
pub(crate) fn whole() -> bool {
    say(
        "Builds Gramfold and runs whole commands beside SciPy and projected Barzilai–Borwein on the graphs of GRAMFOLD_DATA (or\n\
         ../shared/data/graphs). Takes some minutes. Rewrites a table of docs/benchmarks.md; every number goes to\n\
         target/bench/whole.json.",
    );
    on_graphs("whole.py", &[])
}

/// The labels of `gramfold cluster` beside those of its rivals: writes tables into docs/cluster.md.
pub(crate) fn labels() -> bool {
    say(
        "Builds Gramfold, installs the rivals under target/bench/venv, and compares labels with known classes on the graphs of\n\
         GRAMFOLD_DATA (or ../shared/data/graphs) and on generated ones. Takes about half an hour, and some minutes where\n\
         the rivals have been measured before. Rewrites tables of docs/cluster.md.",
    );
    on_graphs("quality.py", &["igraph", "leidenalg"])
}

/// Runs a script of bench/cluster on the labelled graphs.
fn on_graphs(script: &str, rivals: &[&str]) -> bool {
    let places = Places::new("cluster");
    let Some(data) = places.data("GRAMFOLD_DATA", "graphs") else {
        say("No labelled graphs: GRAMFOLD_DATA is not a directory.");
        return false;
    };
    let mut measure = places.script(script);
    measure.arg("--data").arg(data);
    Places::program() && places.rivals(rivals) && run("measurement", &mut measure)
}

/// `gramfold solve` beside its rivals: writes tables into docs/sdp-benchmarks.md, and a plot next to it.
pub(crate) fn sdp(quick: bool) -> bool {
    say(&format!(
        "Builds Gramfold, installs csdp, dsdp and sdpa by apt-get where they are missing and it can, scs and\n\
         clarabel under target/bench/venv, and runs them side by side on the programs of GRAMFOLD_SDP (or\n\
         ../shared/data/sdp) and on generated ones. Takes about {}. Rewrites docs/sdp-benchmarks.md\n\
         and docs/sdp-profile.svg; every number goes to target/bench/sdp.json.",
        if quick { "8 minutes" } else { "some hours" }
    ));
    let places = Places::new("sdp");
    let mut measure = places.measurement(quick);
    if let Some(data) = places.data("GRAMFOLD_SDP", "sdp") {
        measure.arg("--data").arg(data);
    } else {
        say("No published programs: GRAMFOLD_SDP is not a directory. Only generated ones are run.");
    }
    system_solvers();
    places.openblas();
    Places::program() && places.rivals(&["scs", "clarabel"]) && run("measurement", &mut measure)
}

/// The learning commands beside their rivals: writes tables into docs/learn-benchmarks.md.
pub(crate) fn learn(quick: bool) -> bool {
    say(&format!(
        "Builds Gramfold, installs the rivals under target/bench/venv, and runs them side by side on generated\n\
         problems and on the tables of GRAMFOLD_LEARNING (or ../shared/data/learning) and of scikit-learn.\n\
         Takes about {}.",
        if quick { "5 minutes" } else { "half an hour, and rewrites docs/learn-benchmarks.md" }
    ));
    let places = Places::new("learn");
    let mut measure = places.measurement(quick);
    measure.arg("--passes").arg(places.release.join("examples").join("passes"));
    if let Some(data) = places.data("GRAMFOLD_LEARNING", "learning") {
        measure.arg("--data").arg(data);
    } else {
        say("No word pairs, ionosphere and sonar: GRAMFOLD_LEARNING is not a directory.");
    }
    // cmfrec has no wheel for every system, and is compiled where it has none.
    Places::program()
        && cargo(
            "what is timed",
            &["build", "--release", "--package", "xtask", "--example", "passes"],
        )
        && places.rivals(&["cmfrec", "cvxpy", "clarabel"])
        && run("measurement", &mut measure)
}

/// The Python package beside its rivals: writes tables into docs/python.md.
pub(crate) fn python(quick: bool) -> bool {
    say(&format!(
        "Builds Gramfold and a wheel of it, installs that, scikit-learn, CVXPY, SCS and Clarabel under\n\
         target/bench/python, and runs them side by side. Takes about {}. Rewrites the tables of docs/python.md{}.",
        if quick { "5 minutes, most of them to build" } else { "half an hour" },
        if quick { ", unless it is quick" } else { "" }
    ));
    let mut places = Places::new("python");
    places.venv = places.bench.join("python");
    let wheels = places.bench.join("wheels");
    let (mut maturin, mut pip) = (Command::new(places.python()), Command::new(places.python()));
    maturin.args(["-m", "maturin", "build", "--release", "--quiet", "--out"]).arg(&wheels);
    maturin.current_dir(&places.root);
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--force-reinstall",
    ])
    .args(["--no-deps", "--no-index", "--find-links"])
    .arg(&wheels)
    .arg("gramfold");
    Places::program()
        && places.rivals(&["clarabel", "scs"])
        && run("wheel", &mut maturin)
        && run("installation", &mut pip)
        && run("measurement", &mut places.measurement(quick))
}

/// The solvers that Debian has. What is missing stays missing, and the tables say so.
fn system_solvers() {
    let packages = [("csdp", "coinor-csdp"), ("dsdp5", "dsdp"), ("sdpa", "sdpa")];
    let missing: Vec<&str> = packages
        .iter()
        .filter(|(program, _)| !on_path(program))
        .map(|&(_, package)| package)
        .collect();
    if !missing.is_empty() {
        let mut install = Command::new("apt-get");
        install.args(["install", "--yes", "--no-install-recommends"]).args(&missing);
        if !run("solvers of the system (may be missing)", &mut install) {
            say(&format!("Cannot install {} here: they are left out.", missing.join(", ")));
        }
    }
}

/// Whether a program of this name is on the path.
fn on_path(program: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|at| at.join(program).is_file()))
}

/// Where a benchmark finds and leaves things.
struct Places {
    root: PathBuf,
    bench: PathBuf,
    release: PathBuf,
    scripts: PathBuf,
    venv: PathBuf,
}

impl Places {
    /// Those of the benchmark in bench/NAME.
    fn new(name: &str) -> Self {
        let root = root();
        let target =
            env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let bench = target.join("bench");
        Self {
            release: target.join("release"),
            scripts: root.join("bench").join(name),
            venv: bench.join("venv"),
            bench,
            root,
        }
    }

    /// A fast BLAS for the rivals that link whatever the system has, in target/bench and so for no one else. With
    /// the reference BLAS that Debian installs by default CSDP takes up to six times as long: no fair rival.
    fn openblas(&self) {
        let home = self.bench.join("openblas");
        if home.join("usr").is_dir() {
            return;
        }
        let package = "libopenblas0-pthread";
        let made = std::fs::create_dir_all(&home).is_ok()
            && run(
                "OpenBLAS",
                Command::new("apt-get").args(["download", package]).current_dir(&home),
            );
        let archives = std::fs::read_dir(&home).into_iter().flatten().flatten().map(|at| at.path());
        let archive =
            archives.into_iter().find(|path| path.extension().is_some_and(|end| end == "deb"));
        let unpacked = made
            && archive.is_some_and(|archive| {
                run("OpenBLAS", Command::new("dpkg").arg("--extract").arg(archive).arg(&home))
            });
        if !unpacked {
            say(
                "No OpenBLAS: csdp and dsdp run with the BLAS of the system, and the page says so.",
            );
        }
    }

    /// Python in the virtual environment.
    fn python(&self) -> PathBuf {
        self.venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
    }

    /// Builds the program that is measured.
    fn program() -> bool {
        cargo("Gramfold", &["build", "--release", "--package", "gramfold-cli"])
    }

    /// The script that measures, quickly or not.
    fn measurement(&self, quick: bool) -> Command {
        let mut measure = self.script("run.py");
        if quick {
            measure.arg("--quick");
        }
        measure
    }

    /// A script with what every one of them takes.
    fn script(&self, name: &str) -> Command {
        let program = if cfg!(windows) { "gramfold.exe" } else { "gramfold" };
        let mut measure = Command::new(self.python());
        measure
            .arg(self.scripts.join(name))
            .arg("--gramfold")
            .arg(self.release.join(program))
            .arg("--out")
            .arg(&self.bench)
            .arg("--docs")
            .arg(self.root.join("docs"));
        measure
    }

    /// A virtual environment with what the scripts need, and those rivals that the registry has for this system.
    fn rivals(&self, optional: &[&str]) -> bool {
        let python = self.python();
        let system = if cfg!(windows) { "python" } else { "python3" };
        let mut create = Command::new(system);
        create.args(["-m", "venv"]).arg(&self.venv);
        let made = python.is_file() || run("virtual environment", &mut create);
        let pip = || {
            let mut pip = Command::new(&python);
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            pip
        };
        let needed = self.scripts.join("requirements.txt");
        made && run("requirements", pip().arg("--requirement").arg(needed)) && {
            for name in optional {
                run(&format!("{name} (may be missing)"), pip().arg(name));
            }
            true
        }
    }

    /// The directory that the variable names, or that part of the shared data, if there is one.
    fn data(&self, variable: &str, part: &str) -> Option<PathBuf> {
        let shared = || self.root.join("../shared/data").join(part);
        let path = env::var_os(variable).map_or_else(shared, PathBuf::from);
        path.is_dir().then_some(path)
    }
}
