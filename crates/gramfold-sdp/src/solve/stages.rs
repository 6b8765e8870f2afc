//! The engines' runs, one after the other. Those that a resumed run has behind it are not made again: what they came
//! to is in its state, and whatever followed from it follows again.

use std::{
    sync::OnceLock,
    time::{Duration, Instant},
};

use crate::{Aside, Error, Outcome, State, Watch, state};

/// What a proof may take after someone has asked to stop.
const GRACE: Duration = Duration::from_secs(2);

/// The runs so far, and who watches.
pub(super) struct Stages<'a> {
    finished: Vec<Option<Outcome>>,
    /// How many of them have been asked for.
    at: usize,
    /// Where the first run that has not finished stands.
    engine: Option<state::EngineState>,
    watch: &'a mut dyn Watch,
    /// When the request to stop was first noticed.
    asked: OnceLock<Instant>,
}

impl<'a> Stages<'a> {
    pub(super) fn new(resume: Option<State>, watch: &'a mut dyn Watch) -> Self {
        let (finished, engine) = resume.map_or((Vec::new(), None), |s| (s.finished, s.engine));
        Self { finished, at: 0, engine, watch, asked: OnceLock::new() }
    }

    /// The next run; `run` makes it, from where it stood if it had begun.
    pub(super) fn next(
        &mut self,
        run: impl FnOnce(Option<state::EngineState>, &mut dyn Watch) -> Result<Ended, Error>,
    ) -> Result<Option<Outcome>, Error> {
        self.at += 1;
        if let Some(finished) = self.finished.get(self.at - 1) {
            return Ok(finished.clone());
        }
        // It comes after others.
        let finished = &self.finished;
        let state = &|state: State| State { finished: finished.clone(), engine: state.engine };
        let mut watch = Aside { shown: None, state, watch: self.watch };
        let found = match run(self.engine.take(), &mut watch)? {
            Ended::CutShort(run) => return Ok(run),
            Ended::Whole(run) => run,
        };
        self.finished.push(found.clone());
        let finished = &self.finished;
        self.watch.save(&|| State { finished: finished.clone(), engine: None });
        Ok(found)
    }

    /// Whether someone asks to stop.
    pub(super) fn stops(&self) -> bool {
        self.watch.stops()
    }

    /// Until when a proof may go on: less than the user's time where someone asks to stop.
    pub(super) fn until(&self, until: Option<Instant>) -> Option<Instant> {
        if !self.stops() {
            return until;
        }
        let end = *self.asked.get_or_init(Instant::now) + GRACE;
        Some(until.map_or(end, |until| until.min(end)))
    }

    /// Whether a proof is to end because someone asks to stop.
    pub(super) fn stops_proofs(&self) -> bool {
        self.until(None).is_some_and(|end| Instant::now() >= end)
    }
}

/// What a run came to, none where the engine does not apply.
pub(super) enum Ended {
    /// As it would whatever the time.
    Whole(Option<Outcome>),
    /// So far: with more time it would have come to something else.
    CutShort(Option<Outcome>),
}
