//! The checkpoint of a command that solves programs: the state of every program solved, and the trace that led to it.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use gramfold_sdp::{Options, Progress, Sdp, State};
use serde::{Deserialize, Serialize};

use crate::{checkpoint, cli::RunArgs, output, store::Fingerprint};

/// Writing may take this share of the time.
const SHARE: u32 = 20;

/// How the refusal of another run's checkpoint ends.
const OTHER: &str = "another run; resume with the flags and the input it was started with";

/// What the file holds.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Stored {
    /// Of the programs in the order in which they are solved, and how much of the trace had led there.
    states: Vec<(State, usize)>,
    trace: Vec<Progress>,
    /// Seconds spent so far.
    seconds: f64,
}

/// The file and its content.
pub(super) struct Store {
    path: PathBuf,
    /// Describes the run; another run's checkpoint is refused.
    fingerprint: String,
    stored: Stored,
    written: Instant,
    /// How long the last write took.
    cost: Duration,
}

impl Store {
    /// Opens the file that the flags name, reading it to resume; none if they name none.
    pub(super) fn open(
        command: &str,
        args: &RunArgs,
        sdp: &Sdp,
        options: &Options,
    ) -> anyhow::Result<Option<Self>> {
        let Some(path) = args.checkpoint.clone() else { return Ok(None) };
        let fingerprint = fingerprint(command, sdp, options);
        let stored = if args.resume { checkpoint::read(&path, &fingerprint, OTHER)? } else { None };
        let stored = stored.unwrap_or_default();
        let (written, cost) = (Instant::now(), Duration::ZERO);
        Ok(Some(Self { path, fingerprint, stored, written, cost }))
    }

    /// Seconds spent so far.
    pub(super) fn seconds(&self) -> f64 {
        self.stored.seconds
    }

    /// Where the solution of a program is to go on, and the trace until there.
    pub(super) fn state(&self, program: usize) -> Option<(State, Vec<Progress>)> {
        let (state, steps) = self.stored.states.get(program)?;
        Some((state.clone(), self.stored.trace.get(..*steps)?.to_vec()))
    }

    /// Keeps a state, unless that would cost too much of the time.
    pub(super) fn save(
        &mut self,
        program: usize,
        state: &dyn Fn() -> State,
        trace: &[Progress],
        seconds: f64,
    ) {
        // What comes after a program that is only gone through again is worth more than its states.
        let behind = self.stored.states.len() > program + 1;
        if behind || self.written.elapsed() < SHARE * self.cost {
            return;
        }
        let clock = Instant::now();
        self.stored.states.truncate(program);
        self.stored.states.push((state(), trace.len()));
        self.stored.trace.truncate(trace.len());
        self.stored.trace.extend_from_slice(&trace[self.stored.trace.len()..]);
        self.stored.seconds = seconds;
        if let Err(error) = checkpoint::write(&self.path, &self.fingerprint, &self.stored) {
            // The run is worth more than its checkpoint.
            output::message(&format!("warning: {error:#}"));
        }
        self.written = Instant::now();
        self.cost = clock.elapsed();
    }
}

/// All that the path of a run depends on; only the time limit and the threads may change.
fn fingerprint(command: &str, sdp: &Sdp, options: &Options) -> String {
    let Options { tolerance, rank, method, seed, warm, .. } = options;
    Fingerprint::new(command)
        .with("tolerance", tolerance.to_bits())
        .with("rank", format!("{rank:?}"))
        .with("method", method)
        .with("seed", seed)
        .with_program(sdp)
        .with_point(warm.as_ref())
        .finish()
}
