//! The benchmarks. That of `gramfold cluster` is measured by `bench/cluster/run.py`; here is what it needs.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

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
         every number goes to target/bench/cluster.json.",
        if quick { "10 minutes" } else { "some hours" }
    ));
    let root = root();
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let scripts = root.join("bench/cluster");
    let bench = target.join("bench");
    let venv = bench.join("venv");
    let python = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let program = if cfg!(windows) { "gramfold.exe" } else { "gramfold" };
    let release = target.join("release");

    let mut measure = Command::new(&python);
    measure
        .arg(scripts.join("run.py"))
        .arg("--gramfold")
        .arg(release.join(program))
        .arg("--roofline")
        .arg(release.join("examples/roofline"))
        .arg("--out")
        .arg(&bench)
        .arg("--docs")
        .arg(root.join("docs"));
    if let Some(data) = data(&root) {
        measure.arg("--data").arg(data);
    } else {
        say("No labelled graphs: GRAMFOLD_DATA is not a directory. Only generated ones are run.");
    }
    if quick {
        measure.arg("--quick");
    }
    cargo("Gramfold", &["build", "--release", "--package", "gramfold-cli"])
        && cargo("roofline", &["build", "--release", "--package", "xtask", "--example", "roofline"])
        && rivals(&venv, &python, &scripts)
        && run("measurement", &mut measure)
}

/// A virtual environment with what the registry has of the rivals.
fn rivals(venv: &Path, python: &Path, scripts: &Path) -> bool {
    let system = if cfg!(windows) { "python" } else { "python3" };
    let made = python.is_file()
        || run("virtual environment", Command::new(system).args(["-m", "venv"]).arg(venv));
    let pip = || {
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    };
    // Without Leiden the rest still runs, and the table says that it is missing.
    let leiden = "Leiden (may be missing)";
    made && run("rivals", pip().arg("--requirement").arg(scripts.join("requirements.txt"))) && {
        run(leiden, pip().args(["igraph", "leidenalg"]));
        true
    }
}

/// The directory of labelled graphs, if there is one.
fn data(root: &Path) -> Option<PathBuf> {
    let shared = || root.join("../shared/data/graphs");
    let path = env::var_os("GRAMFOLD_DATA").map_or_else(shared, PathBuf::from);
    path.is_dir().then_some(path)
}
