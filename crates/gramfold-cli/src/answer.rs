//! What a command found, in one form for every command: its claims, its files, its summary and its page.

use gramfold_report::Page;
use serde::Serialize;

use crate::{
    resources::{Cost, Timings},
    store::{Claims, FORMAT, Files, Input, Part, Status},
};

/// All that is claimed of an answer.
pub(crate) type ClaimsOf<A> = Claims<<A as Answer>::Spec, <A as Answer>::Details>;

/// An answer. A run writes it, and a check makes it again from the files to compare what it claims.
pub(crate) trait Answer {
    /// How the run was asked for, as the claims have it.
    type Spec: Serialize;
    /// What only this command claims.
    type Details: Serialize;

    fn claims(&self, head: Head) -> ClaimsOf<Self>;

    /// The files but for the claims.
    fn parts(&self) -> Vec<Part<'_>>;

    /// The claims for a person.
    fn summary(&self, claims: &ClaimsOf<Self>) -> String;

    /// The page; `line` is the command as it was typed.
    fn page(&self, claims: &ClaimsOf<Self>, line: &str) -> Page;
}

/// Sizes that every command claims.
pub(crate) struct Sizes {
    pub(crate) rank: usize,
    pub(crate) nodes: usize,
    pub(crate) iterations: usize,
}

/// What is claimed beside the answer: where it came from, and what it took.
pub(crate) struct Head {
    command: String,
    version: String,
    pub(crate) input: Input,
    cost: Cost,
    timings: Timings,
    files: Files,
    sha256: Files,
}

impl Head {
    /// Of a command that has written nothing yet.
    pub(crate) fn new(command: &str, input: Input, cost: Cost, timings: Timings) -> Self {
        let version = env!("CARGO_PKG_VERSION").into();
        let (files, sha256) = (Files::new(), Files::new());
        Self { command: command.into(), version, input, cost, timings, files, sha256 }
    }

    /// Of a directory that is read back.
    pub(crate) fn of<S, D>(claims: &Claims<S, D>) -> Self {
        let Claims { command, version, input, cost, timings, files, sha256, .. } = claims;
        Self {
            command: command.clone(),
            version: version.clone(),
            input: input.clone(),
            cost: *cost,
            timings: timings.clone(),
            files: files.clone(),
            sha256: sha256.clone(),
        }
    }

    /// The claims that every command makes; the objective and its bound are still to be set.
    pub(crate) fn claims<S, D>(
        self,
        spec: S,
        status: impl Into<Status>,
        sizes: &Sizes,
        details: D,
    ) -> Claims<S, D> {
        let Self { command, version, input, cost, timings, files, sha256 } = self;
        Claims {
            format: FORMAT,
            command,
            version,
            input,
            spec,
            status: status.into(),
            objective: f64::NAN,
            bound: None,
            gap: None,
            relative_gap: None,
            rank: sizes.rank,
            nodes: sizes.nodes,
            iterations: sizes.iterations,
            notes: Vec::new(),
            warnings: Vec::new(),
            cost,
            timings,
            files,
            sha256,
            details,
        }
    }
}
