//! An experiment file: what to run and what to expect of it.

use serde::Deserialize;

use super::{limits, share};

/// An experiment and the name of its file, which errors and failures refer to.
pub(crate) struct Experiment {
    pub(crate) file: String,
    pub(crate) design: Design,
}

/// What an experiment measures.
pub(crate) enum Design {
    /// Where runs from one start end, to the digits that are printed.
    Limits(limits::Design),
    /// Which share of many runs ends asymmetric.
    Share(share::Design),
}

/// The field that says which of the two an experiment file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Limits,
    Share,
}

impl Design {
    /// Reads the kind first, so that errors in the rest name their line.
    pub(crate) fn parse(text: &str) -> Result<Self, toml::de::Error> {
        #[derive(Deserialize)]
        struct Header {
            kind: Kind,
        }
        Ok(match toml::from_str::<Header>(text)?.kind {
            Kind::Limits => Self::Limits(toml::from_str(text)?),
            Kind::Share => Self::Share(toml::from_str(text)?),
        })
    }
}
