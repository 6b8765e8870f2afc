//! A command from its first look at the flags to its exit code: what every one of them does before and after its work.

use std::path::{Path, PathBuf};

use anyhow::bail;
use serde_json::Value;

use crate::{
    Exit,
    answer::{Answer, ClaimsOf, Head},
    cli::{OutputArgs, RunArgs},
    guard::{self, Named},
    output,
    resources::{Meter, Spent, Timings},
    source::Source,
    store::{Files, Input, Part, Place, SOLUTION},
};

/// The files that the flags name.
pub(crate) struct Paths<'a> {
    input: &'a Path,
    kind: &'a str,
    read: Vec<Named<'a>>,
    written: Vec<Named<'a>>,
    checkpoint: Option<&'a Path>,
}

impl<'a> Paths<'a> {
    /// The input, with the ending that it is taken to have where it has no name.
    pub(crate) fn new(input: &'a Path, kind: &'a str, run: &'a RunArgs) -> Self {
        let checkpoint = run.checkpoint.as_deref();
        Self { input, kind, read: Vec::new(), written: Vec::new(), checkpoint }
    }

    /// What else is read.
    pub(crate) fn reads(mut self, flag: &'a str, path: Option<&'a PathBuf>) -> Self {
        self.read.extend(path.map(|path| Named { flag, path }));
        self
    }

    /// What is written beside the directory. The flag `--labels` stands for the part `labels`.
    pub(crate) fn writes(mut self, flag: &'a str, path: Option<&'a PathBuf>) -> Self {
        self.written.extend(path.map(|path| Named { flag, path }));
        self
    }
}

/// What a command reads and writes.
pub(crate) struct Session<'a> {
    command: &'static str,
    /// As it was typed.
    line: &'a str,
    args: &'a OutputArgs,
    meter: Meter,
    timings: Timings,
    source: Source,
    directory: PathBuf,
    place: Option<Place>,
    copies: Vec<Named<'a>>,
    checkpoint: Option<&'a Path>,
}

impl<'a> Session<'a> {
    /// Looks at the flags: what would overwrite an input is refused.
    pub(crate) fn open(
        command: &'static str,
        line: &'a str,
        args: &'a OutputArgs,
        paths: Paths<'a>,
    ) -> anyhow::Result<Self> {
        let meter = Meter::start();
        let Paths { input, kind, mut read, written: mut outputs, checkpoint } = paths;
        let directory = args.out.clone().unwrap_or_else(|| Source::directory(input, command));
        read.push(Named { flag: "the input", path: input });
        outputs.extend(args.report.as_deref().map(|path| Named { flag: "--report", path }));
        let copies = outputs.clone();
        outputs.extend(checkpoint.map(|path| Named { flag: "--checkpoint", path }));
        guard::refuse_overwriting(&read, &outputs, &directory)?;
        crate::line::reading(input, args.quiet);
        let source = Source::open(input, kind)?;
        let place = None;
        let timings = Timings::new();
        Ok(Self {
            command,
            line,
            args,
            meter,
            timings,
            source,
            directory,
            place,
            copies,
            checkpoint,
        })
    }

    /// Looks at the flags once more where the input names other files that are read.
    pub(crate) fn also_reads(&self, files: &[PathBuf]) -> anyhow::Result<()> {
        let read: Vec<Named<'_>> =
            files.iter().map(|path| Named { flag: "the data file", path }).collect();
        let mut outputs = self.copies.clone();
        outputs.extend(self.checkpoint.map(|path| Named { flag: "--checkpoint", path }));
        guard::refuse_overwriting(&read, &outputs, &self.directory)
    }

    /// What is claimed of the run so far.
    pub(crate) fn head(&self) -> Head {
        let input = Input { path: self.source.named.clone(), bytes: 0, sha256: String::new() };
        Head::new(self.command, input, self.meter.read(), self.timings.clone())
    }

    /// Where the input can be read.
    pub(crate) fn input(&self) -> &Path {
        &self.source.path
    }

    /// Notes that what was done since the last call, or since the start, was this part of the work.
    pub(crate) fn timed(&mut self, part: &str) {
        let spent = self.meter.lap();
        self.timings.insert(part.into(), spent);
    }

    /// The same, of which so much was another part.
    pub(crate) fn timed_but(&mut self, part: &str, other: &str, of_that: Spent) {
        let mut spent = self.meter.lap();
        spent -= of_that;
        self.timings.insert(part.into(), spent);
        self.timings.insert(other.into(), of_that);
    }

    /// The input as the user named it.
    pub(crate) fn named(&self) -> std::path::Display<'_> {
        self.source.named.display()
    }

    /// Claims the directory and says which files cannot be written: after the input was read and before the work.
    pub(crate) fn claim(&mut self) -> anyhow::Result<()> {
        let place = Place::claim(&self.directory)?;
        if let Some(path) = self.checkpoint.filter(|path| place.name_within(path).is_some()) {
            bail!(
                "--checkpoint {} is in {}, which is replaced as a whole: put it beside",
                path.display(),
                self.directory.display()
            );
        }
        for copy in self.copies.iter().filter(|copy| place.name_within(copy.path).is_none()) {
            if let Err(error) = guard::probe(copy.path) {
                output::warning(&format!("{copy} cannot be written: {error}"));
            }
        }
        self.place = Some(place);
        Ok(())
    }

    /// Writes and says what was found.
    pub(crate) fn finish(self, answer: &impl Answer) -> anyhow::Result<Exit> {
        let claims = answer.claims(self.head());
        self.finish_as(claims, answer)
    }

    /// Writes and says what was found, with these claims. What cannot be written where it should be is written elsewhere,
    /// or at least said.
    pub(crate) fn finish_as<A: Answer>(
        mut self,
        mut claims: ClaimsOf<A>,
        answer: &A,
    ) -> anyhow::Result<Exit> {
        let mut parts = answer.parts();
        let place = self.place.expect("invariant: the place was claimed before the work");
        // What came by the standard input is still there when a part copies it.
        let (input, _kept) = self.source.input()?;
        claims.input = input;
        (claims.notes, claims.warnings) = output::said();
        let mut exit = Exit::of(claims.status.is_answer());
        let mut fail = |message: String| {
            output::message(&format!("error: {message}"));
            exit = Exit::Refused;
        };
        if self.args.report.is_some() {
            parts.push(Part::bytes("report", "", answer.page(&claims, self.line).to_html()));
        }
        // What is to be in the directory itself has the name that was asked for.
        let mut copies = Vec::new();
        for copy in self.copies {
            let Some(name) = place.name_within(copy.path) else {
                copies.push(copy);
                continue;
            };
            let role = copy.role();
            if name == SOLUTION || parts.iter().any(|part| part.name == name && part.role != role) {
                let path = copy.path.display();
                fail(format!("{path} is the name of another file of the answer: not written"));
            } else if let Some(part) = parts.iter_mut().find(|part| part.role == role) {
                name.clone_into(&mut part.name);
            }
        }
        let (parts, outside): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| !part.name.is_empty());

        if !self.timings.is_empty() {
            self.timings.insert("write".into(), self.meter.lap());
            claims.timings = self.timings; // Some parts were timed after the claims were made.
        }
        let mut directory = Some(self.directory.clone());
        if let Err(error) = place.write(&mut claims, &parts) {
            if let Ok(rescued) = place.rescue(&mut claims, &parts) {
                fail(format!("{error:#}; the answer is in {} instead", rescued.display()));
                directory = Some(rescued);
            } else {
                fail(format!("{error:#}; the answer could not be written anywhere"));
                (claims.files, directory) = (Files::new(), None);
            }
        }
        for copy in &copies {
            let part = parts.iter().chain(&outside).find(|part| part.role == copy.role());
            if let Some(Err(error)) = part.map(|part| part.write(copy.path)) {
                fail(format!("{} {error:#}", copy.flag));
            }
        }
        if self.args.json {
            let mut object = serde_json::to_value(&claims)?;
            if let (Value::Object(fields), Some(directory)) = (&mut object, &directory) {
                fields.insert("directory".into(), directory.to_string_lossy().into());
            }
            output::data(&format!("{object}\n"))?;
        } else if !self.args.quiet {
            let place = directory.map_or("written nowhere".into(), |directory| {
                format!("written to {}", directory.display())
            });
            output::data(&format!("{}{place}\n", answer.summary(&claims)))?;
        }
        Ok(exit)
    }
}
