//! The flags that every run has.

use std::{path::PathBuf, time::Duration};

use clap::{Args, ValueHint};
use gramfold::{Spec, Stop};
use gramfold_sdp::Options;
use serde::{Serialize, de::DeserializeOwned};

use super::{OutputArgs, fraction, positive, seed, whole};
use crate::{
    checkpoint::Checkpoint,
    step::Step,
    store::Fingerprint,
    watch::{Deadline, Watch},
};

/// How well and how long to work.
#[derive(Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// Stop when every residual is below this, and for a program its proved relative gap.
    #[arg(long, value_name = "T", default_value = "1e-6", value_parser = fraction, allow_negative_numbers = true)]
    pub(crate) tol: f64,

    /// The longest time to iterate and to prove, in seconds; reading and writing come on top.
    #[arg(long, value_name = "S", value_parser = positive, allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,

    /// What is random is drawn from this.
    #[arg(long, default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,

    /// Threads to use [default: every core]
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,

    /// Keep the state of the run in this file, to go on from with --resume.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Go on from the checkpoint, to the same bits as without the interruption.
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,
}

impl RunArgs {
    /// The limits and the seed; everything else as by default.
    pub(crate) fn options(&self) -> Options {
        Options {
            tolerance: self.tol,
            time_limit: self.limit(),
            seed: self.seed,
            ..Options::default()
        }
    }

    /// The limits and the seed of a run with so many iterations at most; everything else as by default.
    pub(crate) fn spec(&self, most: usize) -> Spec {
        let mut stop = Stop::default().tolerance(self.tol).max_iterations(most);
        stop.time_limit = self.limit();
        Spec { stop, seed: self.seed, ..Spec::default() }
    }

    /// The longest time to work; one beyond the clock's end is none.
    pub(crate) fn limit(&self) -> Option<Duration> {
        self.time_limit.and_then(|s| Duration::try_from_secs_f64(s).ok())
    }

    /// What watches the run that a fingerprint describes, from now on.
    pub(crate) fn watch<T: Step, S: Serialize + DeserializeOwned>(
        &self,
        output: &OutputArgs,
        fingerprint: impl FnOnce() -> Fingerprint,
    ) -> anyhow::Result<Watch<T, S>> {
        self.watch_within(self.limit(), output, fingerprint)
    }

    /// The same within a time that something else than the flags may say.
    pub(crate) fn watch_within<T: Step, S: Serialize + DeserializeOwned>(
        &self,
        limit: Option<Duration>,
        output: &OutputArgs,
        fingerprint: impl FnOnce() -> Fingerprint,
    ) -> anyhow::Result<Watch<T, S>> {
        let checkpoint = self
            .checkpoint
            .as_deref()
            .map(|path| Checkpoint::open(path, self.resume, fingerprint().finish()));
        let deadline = Deadline::after(limit);
        Ok(Watch::new(deadline, self.tol, output.quiet, checkpoint.transpose()?))
    }
}
