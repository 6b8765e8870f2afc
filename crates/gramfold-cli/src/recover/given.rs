//! What was measured, as the files have it.

use gramfold::{Error, Spec, linalg::Mat};
use gramfold_learn::{Measured, Measurements};
use serde::de::DeserializeOwned;

use crate::{
    learn::Sparse,
    store::{Part, Saved},
};

/// Measurements before they are taken for a map.
pub(crate) enum Given {
    /// One a row, with what came out in the last column.
    Table(Mat, Measured),
    /// Sparse matrices by their entries.
    Sparse(Sparse),
}

impl Given {
    /// What was measured.
    pub(crate) fn kind(&self) -> Measured {
        match self {
            Self::Table(_, kind) => *kind,
            Self::Sparse(_) => Measured::Sparse,
        }
    }

    /// The map and what came out.
    pub(crate) fn measured(&self) -> Result<Measurements, Error> {
        match self {
            Self::Table(table, kind) => Measurements::of(table, *kind),
            Self::Sparse(sparse) => sparse.measured(sparse.dim()),
        }
    }

    /// All the numbers.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Table(table, _) => table.as_slice().to_vec(),
            Self::Sparse(sparse) => sparse.numbers(),
        }
    }

    /// The files that hold them.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        match self {
            Self::Table(table, _) => vec![Part::array("measurements", table)],
            Self::Sparse(sparse) => sparse.parts(),
        }
    }

    /// From these files.
    pub(crate) fn saved<D: DeserializeOwned>(
        saved: &Saved<Spec, D>,
        kind: Measured,
    ) -> anyhow::Result<Self> {
        Ok(match kind {
            Measured::Sparse => {
                Self::Sparse(Sparse::read(&saved.path("measurements")?, &saved.path("targets")?)?)
            }
            kind => Self::Table(saved.array("measurements")?, kind),
        })
    }
}
