//! The Python package: built as a wheel, installed in virtual environments of its own, tested with the newest and the
//! oldest versions of what it works with. The wheel is of the profile that the other tests are built with, so that what they
//! have in common is built once.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use crate::command::{root, run, say, target};

/// Tests that depend on the versions of other packages.
const INTERFACES: [&str; 7] = [
    "test_symnmf.py",
    "test_lowrank.py",
    "test_learn.py",
    "test_estimators.py",
    "test_cvxpy.py",
    "test_sdp.py",
    "test_minimise.py",
];

/// Most milliseconds of CPU time that the import may take beyond NumPy and SciPy. Shared machines are slow at times: what is
/// aimed at is 50.
const IMPORT: f64 = 100.0;

/// Prints what the import takes, fastest of several.
const MEASURE: &str = "
import subprocess, sys
code = 'import time, numpy, scipy.sparse, scipy.linalg; t = time.process_time(); import gramfold; gramfold.factor, gramfold.solve_sdp, gramfold.complete; print(time.process_time() - t)'
seconds = min(float(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout) for _ in range(5))
print(f'import beyond NumPy and SciPy: {1000 * seconds:.0f} ms of CPU time')
sys.exit(1000 * seconds > float(sys.argv[1]))
";

/// Builds, installs and tests. Without a network there is nothing to install from, and the check fails.
pub(crate) fn check() -> bool {
    let directory = target().join("python");
    let highest = Venv::at(directory.join("highest"));
    let lowest = Venv::at(directory.join("lowest"));
    let wheels = directory.join("wheels");
    highest.make("requirements-highest.txt")
        && lowest.make("requirements-lowest.txt")
        && build(&highest, &wheels)
        && [&highest, &lowest].iter().all(|venv| install(venv, &wheels))
        && tests(&highest, &lowest)
        && run("import time", highest.python().args(["-c", MEASURE, &IMPORT.to_string()]))
}

/// Both versions at once: most of a test is one thread's work. The oldest say what they have to say when they have ended.
fn tests(highest: &Venv, lowest: &Venv) -> bool {
    let mut oldest = lowest.pytest();
    oldest.args(INTERFACES.map(|test| format!("python/tests/{test}")));
    thread::scope(|scope| {
        let oldest = scope.spawn(move || oldest.output());
        let types = ["-m", "mypy", "python/gramfold", "python/gallery"];
        let newest = run("types", highest.python().args(types))
            && run("Python, newest versions", highest.pytest().arg("python/tests"));
        let Ok(Ok(output)) = oldest.join() else { return false };
        say("\n== Python, oldest versions");
        say(&String::from_utf8_lossy(&output.stdout));
        say(&String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            say("== Python, oldest versions: FAILED");
        }
        newest && output.status.success()
    })
}

/// One wheel for every Python from 3.10.
fn build(venv: &Venv, wheels: &Path) -> bool {
    // What an earlier run left would be installed as well.
    if wheels.is_dir() && fs::remove_dir_all(wheels).is_err() {
        say(&format!("== wheel: FAILED, cannot remove {}", wheels.display()));
        return false;
    }
    let mut maturin = venv.python();
    maturin.args(["-m", "maturin", "build", "--quiet", "--out"]).arg(wheels);
    let built = run("wheel", &mut maturin);
    for wheel in files(wheels) {
        let size = fs::metadata(&wheel).map_or(0, |file| file.len());
        let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
        say(&format!("{name}: {:.1} MB", size as f64 / 1e6));
    }
    built
}

fn install(venv: &Venv, wheels: &Path) -> bool {
    let [wheel] = &files(wheels)[..] else {
        say("== wheel: FAILED, expected one");
        return false;
    };
    let mut pip = venv.pip();
    pip.args(["--no-deps", "--force-reinstall"]).arg(wheel);
    run("installation", &mut pip)
}

fn files(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// A virtual environment.
struct Venv(PathBuf);

impl Venv {
    fn at(path: PathBuf) -> Self {
        Self(path)
    }

    fn program(&self) -> PathBuf {
        self.0.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
    }

    fn python(&self) -> Command {
        let mut python = Command::new(self.program());
        python.current_dir(root());
        python
    }

    fn pip(&self) -> Command {
        let mut pip = self.python();
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-compile",
        ]);
        pip
    }

    fn pytest(&self) -> Command {
        let mut pytest = self.python();
        pytest.args(["-m", "pytest", "-p", "no:cacheprovider"]);
        pytest
    }

    fn create(&self) -> bool {
        // An environment without pip is what Debian leaves where a package is missing.
        let pip = || self.python().args(["-m", "pip", "--version"]).output();
        if self.program().is_file() && pip().is_ok_and(|output| output.status.success()) {
            return true;
        }
        let system = if cfg!(windows) { "python" } else { "python3" };
        let mut venv = Command::new(system);
        venv.args(["-m", "venv", "--clear"]).arg(&self.0);
        let made = run("virtual environment", &mut venv);
        if !made {
            say("Python's venv is needed: on Debian, apt-get install python3-venv.");
        }
        made
    }

    /// Made once; packages are looked at every time.
    fn make(&self, requirements: &str) -> bool {
        let file = root().join("python").join(requirements);
        self.create() && run("packages", self.pip().arg("--requirement").arg(file))
    }
}
