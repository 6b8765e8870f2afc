//! A run that can be stopped and gone on with, to the same bits.

use serde::{Deserialize, Serialize};

use crate::{Error, Outcome, Sdp, diagonal, interior, lowrank};

/// All that a run goes on from: what the engines before came to, and where the one at work stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    /// In the order in which they ran; none for one that did not apply.
    pub(crate) finished: Vec<Option<Outcome>>,
    /// None between two engines.
    pub(crate) engine: Option<EngineState>,
}

/// Where an engine stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum EngineState {
    Diagonal(diagonal::State),
    LowRank(lowrank::State),
    Interior(interior::State),
    Face(interior::FaceState),
}

impl EngineState {
    /// Where the engine of fixed diagonals stands.
    pub(crate) fn diagonal(self) -> Result<diagonal::State, Error> {
        if let Self::Diagonal(state) = self { Ok(state) } else { Err(misfit()) }
    }

    /// Where the low-rank engine stands.
    pub(crate) fn low_rank(self) -> Result<lowrank::State, Error> {
        if let Self::LowRank(state) = self { Ok(state) } else { Err(misfit()) }
    }

    /// Where the interior-point engine stands.
    pub(crate) fn interior(self) -> Result<interior::State, Error> {
        if let Self::Interior(state) = self { Ok(state) } else { Err(misfit()) }
    }

    /// Where the search for a face, or the engine on it, stands.
    pub(crate) fn face(self) -> Result<interior::FaceState, Error> {
        if let Self::Face(state) = self { Ok(state) } else { Err(misfit()) }
    }
}

impl State {
    /// Of the first engine.
    pub(crate) fn of(engine: EngineState) -> Self {
        Self { finished: Vec::new(), engine: Some(engine) }
    }

    /// That of a run on a face, which this one of the engine is a part of.
    pub(crate) fn on_face(self, of: impl Fn(interior::State) -> interior::FaceState) -> Self {
        match self.engine {
            Some(EngineState::Interior(state)) => Self::of(EngineState::Face(of(state))),
            engine => Self { finished: Vec::new(), engine },
        }
    }

    /// Refuses a state whose finished runs are not of this program. An engine at work checks its own.
    pub(crate) fn check(&self, sdp: &Sdp) -> Result<(), Error> {
        let found = self.finished.iter().flatten();
        found.map(|found| &found.point).try_for_each(|point| crate::certificate::check(sdp, point))
    }
}

/// The error of a state that does not fit.
pub(crate) fn misfit() -> Error {
    Error::Shape("the state is of another program or method".into())
}
