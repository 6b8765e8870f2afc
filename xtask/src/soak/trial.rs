//! One request from its first run to the check of its answer.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    process::{End, Outcome, watch},
    random::Random,
    request::Request,
    tamper::Change,
};

/// Seconds that a small run may take, on a busy machine, beyond its time limit.
const PATIENCE: u64 = 120;

/// Bytes that a small run may take.
const MEMORY: u64 = 300 << 20;

/// Where the answers go.
const OUT: &str = "out";
const CHECKPOINT: &str = "state";

/// Something that should not be.
pub(super) struct Finding {
    pub(super) what: String,
    /// The command line that shows it.
    pub(super) line: String,
}

/// A directory of its own, and what was found in it.
pub(super) struct Trial<'a> {
    binary: &'a Path,
    directory: PathBuf,
    pub(super) findings: Vec<Finding>,
    pub(super) commands: usize,
}

impl<'a> Trial<'a> {
    pub(super) fn new(binary: &'a Path, directory: PathBuf) -> Self {
        Self { binary, directory, findings: Vec::new(), commands: 0 }
    }

    /// Runs the request in one of several ways.
    pub(super) fn run(&mut self, request: &Request, random: &mut Random) {
        let after = Duration::from_secs_f64(10_f64.powf(3.0 * random.unit() - 3.0));
        let checkpointed = request.resumes && random.chance(0.5);
        let end = match random.between(0, 4) {
            0 => End::Interrupt(after),
            1 | 2 if checkpointed => End::Kill(after),
            1 => End::Kill(after),
            _ => End::Free,
        };
        let mut line = request.arguments.clone();
        line.extend(["-o".into(), OUT.into()]);
        if checkpointed {
            line.extend(["--checkpoint".into(), CHECKPOINT.into()]);
        }
        let before = self.names();
        let outcome = self.command(&line, end, request.limit);
        if outcome.killed {
            self.whole(&line);
            if checkpointed {
                line.push("--resume".into());
            }
            // What a kill leaves behind must not be in the way of the next run.
            let again = self.command(&line, End::Free, request.limit);
            self.judge(&line, &again, random);
            if checkpointed && request.limit.is_none() && again.code.is_some_and(|code| code < 2) {
                self.compare(request, &line);
            }
        } else {
            self.judge(&line, &outcome, random);
            self.leftovers(&line, &before);
        }
    }

    fn command(&mut self, line: &[String], end: End, limit: Option<f64>) -> Outcome {
        self.commands += 1;
        let patience = Duration::from_secs(PATIENCE + limit.unwrap_or(0.0).ceil() as u64);
        let outcome = watch(self.binary, line, &self.directory, end, patience);
        if outcome.hung {
            self.find(line, format!("did not end within {} s ({end:?})", patience.as_secs()));
        }
        if outcome.memory > MEMORY {
            self.find(line, format!("took {} MB", outcome.memory >> 20));
        }
        if outcome.messages.contains("panicked") {
            self.find(line, outcome.messages.lines().take(3).collect::<Vec<_>>().join(" "));
        }
        outcome
    }

    /// The exit code means what it should, and the answer checks out.
    fn judge(&mut self, line: &[String], outcome: &Outcome, random: &mut Random) {
        match outcome.code {
            Some(0 | 1) => {
                self.check(line);
                self.tamper(line, random);
            }
            // A second Ctrl-C, or one before the handler was set, ends the program at once.
            Some(130) | None if !outcome.hung => {}
            Some(2) if !outcome.messages.trim().is_empty() => {}
            _ if outcome.hung => {}
            code => self
                .find(line, format!("ended with {code:?} and said `{}`", outcome.messages.trim())),
        }
    }

    /// The exit code of `check`, and what it says does not hold.
    fn checked(&mut self) -> (Option<i32>, String) {
        let output = std::process::Command::new(self.binary)
            .args(["check", OUT])
            .current_dir(&self.directory)
            .output();
        self.commands += 1;
        let Ok(output) = output else { return (None, "it could not be run".into()) };
        let text = String::from_utf8_lossy(&output.stdout);
        let said: Vec<&str> = text.lines().filter(|line| line.starts_with('✗')).collect();
        let errors = String::from_utf8_lossy(&output.stderr);
        (output.status.code(), format!("{} {}", said.join("; "), errors.trim()))
    }

    fn check(&mut self, line: &[String]) {
        let (code, said) = self.checked();
        if code != Some(0) {
            self.find(line, format!("check ends with {code:?}: {said}"));
        }
    }

    /// One claim or one file that was changed is found, and said.
    fn tamper(&mut self, line: &[String], random: &mut Random) {
        let Some(change) = Change::draw(&self.directory.join(OUT), random) else { return };
        change.make();
        let (code, said) = self.checked();
        if code != Some(1) || !said.contains('✗') {
            self.find(
                line,
                format!("{} was changed, and check ends with {code:?}: {said}", change.what),
            );
        }
        change.undo();
    }

    /// After a kill there is no answer, or a whole one.
    fn whole(&mut self, line: &[String]) {
        if self.directory.join(OUT).join("solution.json").exists() {
            self.check(line);
        } else if self.directory.join(OUT).exists() {
            self.find(line, "a kill left a directory without solution.json".into());
        }
    }

    /// A run that was killed and gone on with comes to the same bits as one that was not.
    fn compare(&mut self, request: &Request, line: &[String]) {
        let mut plain = request.arguments.clone();
        plain.extend(["-o".into(), "plain".into()]);
        let outcome = self.command(&plain, End::Free, None);
        if outcome.code.is_none_or(|code| code > 1) {
            return;
        }
        let Ok(files) = fs::read_dir(self.directory.join("plain")) else { return };
        for file in files.flatten() {
            let name = file.file_name();
            if Path::new(&name).extension().is_none_or(|ending| ending != "npy") {
                continue;
            }
            let read = |directory: &str| fs::read(self.directory.join(directory).join(&name)).ok();
            if read(OUT) != read("plain") {
                self.find(
                    line,
                    format!("after --resume {} is not the same", name.to_string_lossy()),
                );
            }
        }
    }

    fn names(&self) -> Vec<String> {
        let files = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        files.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
    }

    /// Nothing is left but what was asked for.
    fn leftovers(&mut self, line: &[String], before: &[String]) {
        for name in self.names() {
            if !before.contains(&name) && name != OUT && name != CHECKPOINT {
                self.find(line, format!("left {name} behind"));
            }
        }
    }

    fn find(&mut self, line: &[String], what: String) {
        let line = format!("cd {} && gramfold {}", self.directory.display(), line.join(" "));
        self.findings.push(Finding { what, line });
    }
}
