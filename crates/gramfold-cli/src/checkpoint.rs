//! Checkpoint files: what the runs of a command go on from, under a fingerprint of what they belong to.
//!
//! They are replaced by a rename, so that whenever the program is killed there is a whole one. A run is worth more than
//! its checkpoint: what cannot be written is said, and nothing else.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use gramfold_io::write_atomically;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{guard, output};

/// Writing may take this share of the time.
const SHARE: u32 = 20;

/// How every checkpoint begins.
const MAGIC: &[u8] = b"gramfold checkpoint 4\n";

/// A run of a command: where it stands, and the trace until there.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Kept<S, T> {
    pub(crate) state: S,
    pub(crate) trace: Vec<T>,
}

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Content<S, T> {
    fingerprint: String,
    /// By the number of the run.
    runs: BTreeMap<usize, Kept<S, T>>,
    /// Seconds spent so far.
    seconds: f64,
}

/// The file and its content.
pub(crate) struct Checkpoint<S, T> {
    path: PathBuf,
    content: Content<S, T>,
    written: Instant,
    /// How long the last write took.
    cost: Duration,
    warned: bool,
}

impl<S: Serialize + DeserializeOwned, T: Clone + Serialize + DeserializeOwned> Checkpoint<S, T> {
    /// Opens a file, reading it to resume. The fingerprint tells its run from others.
    ///
    /// # Errors
    /// If the file is of another run, or no checkpoint at all.
    pub(crate) fn open(path: &Path, resume: bool, fingerprint: String) -> anyhow::Result<Self> {
        let mut content = Content { fingerprint, runs: BTreeMap::new(), seconds: 0.0 };
        match bytes(path)? {
            Some(bytes) if resume => {
                let (found, _) = postcard::take_from_bytes::<String>(&bytes).unwrap_or_default();
                if found != content.fingerprint {
                    bail!(
                        "{} belongs to another run; resume with the flags and the input it was started with",
                        path.display()
                    );
                }
                let read = postcard::from_bytes(&bytes).ok();
                content = read.with_context(|| format!("{} is damaged", path.display()))?;
            }
            None if resume => output::message(&format!(
                "no checkpoint at {} yet: starting from the beginning",
                path.display()
            )),
            _ => {}
        }
        let (path, written, cost) = (path.to_owned(), Instant::now(), Duration::ZERO);
        let mut checkpoint = Self { path, content, written, cost, warned: false };
        if let Err(error) = guard::probe(&checkpoint.path) {
            checkpoint.warn(&error);
        }
        Ok(checkpoint)
    }

    /// Seconds spent so far.
    pub(crate) fn seconds(&self) -> f64 {
        self.content.seconds
    }

    /// Where a run stands.
    pub(crate) fn run(&self, number: usize) -> Option<&Kept<S, T>> {
        self.content.runs.get(&number)
    }

    /// Keeps a run that goes on, unless that would cost too much of the time.
    pub(crate) fn keep(
        &mut self,
        number: usize,
        state: impl FnOnce() -> S,
        trace: &[T],
        seconds: f64,
    ) {
        // What comes after a run that is only gone through again is worth more than its states.
        let behind = self.content.runs.range(number + 1..).next().is_some();
        if !behind && self.written.elapsed() >= SHARE * self.cost {
            self.write(number, state(), trace, seconds);
        }
    }

    /// Keeps a run as it is, such as one that has ended.
    pub(crate) fn write(&mut self, number: usize, state: S, trace: &[T], seconds: f64) {
        let clock = Instant::now();
        // A trace only grows: what is there of it already is not copied again.
        let mut kept = self.content.runs.remove(&number).map_or(Vec::new(), |kept| kept.trace);
        kept.truncate(trace.len());
        kept.extend_from_slice(&trace[kept.len()..]);
        self.content.runs.insert(number, Kept { state, trace: kept });
        self.content.seconds = seconds;
        let written = postcard::to_stdvec(&self.content)
            .context("cannot encode the checkpoint")
            .and_then(|bytes| {
                Ok(write_atomically(&self.path, |out| {
                    out.write_all(MAGIC)?;
                    out.write_all(&bytes)
                })?)
            });
        if let Err(error) = written {
            self.warn(&error);
        }
        self.written = Instant::now();
        self.cost = clock.elapsed();
    }

    /// Says once why the file cannot be written.
    fn warn(&mut self, error: &dyn std::fmt::Display) {
        if !self.warned {
            let path = self.path.display();
            output::warning(&format!(
                "--checkpoint {path} cannot be written: {error:#}; going on without it"
            ));
            self.warned = true;
        }
    }
}

/// What a file holds; none if there is none, or nothing in it.
///
/// # Errors
/// If it is something else, which would be overwritten.
fn bytes(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    if !fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0) {
        return Ok(None);
    }
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    match bytes.strip_prefix(MAGIC) {
        Some(bytes) => Ok(Some(bytes.to_vec())),
        None => bail!(
            "{} is not a checkpoint of this version: choose another name, or remove it",
            path.display()
        ),
    }
}
