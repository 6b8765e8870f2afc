//! A run that can be stopped and gone on with, to the same bits.

use gramfold_linalg::Mat;
use serde::{Deserialize, Serialize};

use crate::{Error, Sdp, diagonal, interior, lowrank, solve::Run};

/// All that a run goes on from: what the engines before came to, and where the one at work stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    /// In the order in which they ran; none for one that did not apply.
    pub(crate) finished: Vec<Option<Run>>,
    /// None between two engines.
    pub(crate) engine: Option<Engine>,
}

/// Where an engine stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Engine {
    Diagonal(diagonal::State),
    LowRank(lowrank::State),
    Interior(interior::State),
    Face(interior::FaceState),
}

impl State {
    /// Of the first engine.
    pub(crate) fn of(engine: Engine) -> Self {
        Self { finished: Vec::new(), engine: Some(engine) }
    }

    /// Refuses a state whose finished runs are not of this program. An engine at work checks its own.
    pub(crate) fn check(&self, sdp: &Sdp) -> Result<(), Error> {
        let runs = self.finished.iter().flatten();
        runs.map(|run| &run.point).try_for_each(|point| crate::certificate::check(sdp, point))
    }
}

/// The error of a state that does not fit.
pub(crate) fn misfit() -> Error {
    Error::Shape("the state is of another program or method".into())
}

/// Several matrices in serde's formats.
pub(crate) mod matrices {
    use gramfold::stored;
    use serde::{Deserializer, Serializer};

    use super::{Deserialize, Mat, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Stored(#[serde(with = "stored")] Mat);

    struct Borrowed<'a>(&'a Mat);

    impl Serialize for Borrowed<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            stored::serialize(self.0, serializer)
        }
    }

    pub(crate) fn serialize<S: Serializer>(of: &[Mat], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(of.iter().map(Borrowed))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Mat>, D::Error> {
        let stored: Vec<Stored> = Deserialize::deserialize(from)?;
        Ok(stored.into_iter().map(|stored| stored.0).collect())
    }
}
