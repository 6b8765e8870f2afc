//! Losses of measurements, Σ w·φ(⟨A_k, Z⟩, b): what is measured, and how it is judged, from Python's arguments.

use std::sync::Arc;

use gramfold::{
    Error, Loss,
    loss::{
        Composite,
        map::{Distances, Entries, Map, Matrices, RankOne},
        scalar::Scalar,
    },
    registry::{self, Component, MapData},
};
use gramfold_cli::memory::{Measurements, Question};
use pyo3::prelude::*;

use crate::{
    arrays,
    errors::refused,
    matrix::broken,
    user::{Failure, UserMap, UserScalar},
};

/// What is measured of Z.
pub(crate) enum Measured {
    Given(MapData),
    User(UserMap),
}

impl Measured {
    /// `kind` is the name of a map, or `python` for an object of the user.
    pub(crate) fn new(
        kind: &str,
        dim: usize,
        given: &Bound<'_, PyAny>,
        observations: usize,
        failure: &Failure,
    ) -> PyResult<Self> {
        type Arrays<'py> = Vec<Bound<'py, PyAny>>;
        let places = || -> PyResult<Vec<(u32, u32)>> {
            let [rows, cols] = given.extract::<[Bound<'_, PyAny>; 2]>()?;
            let (rows, cols) = (arrays::indices(&rows)?, arrays::indices(&cols)?);
            if rows.len() != cols.len() {
                return Err(refused(format!("{} rows, but {} columns", rows.len(), cols.len())));
            }
            Ok(rows.into_iter().zip(cols).collect())
        };
        Ok(Self::Given(match kind {
            Entries::NAME => MapData::Entries(places()?),
            Distances::NAME => MapData::Distances(places()?),
            RankOne::NAME => {
                let vectors = arrays::matrix(given)?;
                if vectors.cols() != dim {
                    let found = vectors.cols();
                    return Err(refused(format!(
                        "the vectors have {found} numbers, but n = {dim}"
                    )));
                }
                MapData::RankOne(vectors)
            }
            Matrices::NAME => {
                let one = |entries: &Bound<'_, PyAny>| -> PyResult<Vec<(u32, u32, f64)>> {
                    let [rows, cols, values] = entries.extract::<[Bound<'_, PyAny>; 3]>()?;
                    let (rows, cols) = (arrays::indices(&rows)?, arrays::indices(&cols)?);
                    let values = arrays::numbers(&values)?;
                    Ok(rows
                        .into_iter()
                        .zip(cols)
                        .zip(values)
                        .map(|((i, j), v)| (i, j, v))
                        .collect())
                };
                let given = given.extract::<Arrays<'_>>()?;
                MapData::Matrices(given.iter().map(one).collect::<PyResult<_>>()?)
            }
            "python" => return Ok(Self::User(UserMap::new(given, dim, observations, failure)?)),
            other => return Err(refused(format!("there is no map `{other}`"))),
        }))
    }

    /// What is asked, where a file can hold it.
    pub(crate) fn question(
        &self,
        dim: usize,
        judged: &Judged,
        targets: &[f64],
        weights: Option<&[f64]>,
    ) -> Option<Arc<dyn Question>> {
        let (Judged::Named(loss), Self::Given(kind)) = (judged, self) else { return None };
        let (targets, weights) = (targets.to_vec(), weights.map(<[f64]>::to_vec));
        let (kind, loss) = (kind.clone(), loss.clone());
        Some(Arc::new(Measurements { dim, kind, targets, weights, loss }))
    }

    fn map(self, dim: usize) -> Result<Box<dyn Map>, Error> {
        match self {
            Self::Given(data) => {
                data.map(dim).map_err(|error| Error::Data { message: broken(&error) })
            }
            Self::User(map) => Ok(Box::new(map)),
        }
    }
}

/// How a measurement is judged.
pub(crate) enum Judged {
    Named(Component),
    User(UserScalar),
}

impl Judged {
    /// A name with parameters, or an object of the user.
    pub(crate) fn new(given: &Bound<'_, PyAny>, failure: &Failure) -> PyResult<Self> {
        match given.extract::<String>() {
            Ok(name) => {
                let component: Component = name.parse().map_err(refused)?;
                registry::scalar(&component).map_err(refused)?;
                Ok(Self::Named(component))
            }
            Err(_) => Ok(Self::User(UserScalar::new(given, failure)?)),
        }
    }

    /// As a spec writes it.
    pub(crate) fn component(&self) -> Component {
        match self {
            Self::Named(component) => component.clone(),
            Self::User(_) => Component::named("python"),
        }
    }

    fn scalar(self) -> Result<Box<dyn Scalar>, Error> {
        match self {
            Self::Named(component) => registry::scalar(&component),
            Self::User(scalar) => Ok(Box::new(scalar)),
        }
    }
}

/// The loss. It evaluates φ on the threads, so the interpreter's lock must not be held.
pub(crate) fn loss(
    dim: usize,
    measured: Measured,
    judged: Judged,
    targets: &[f64],
    weights: Option<&[f64]>,
) -> Result<Box<dyn Loss>, Error> {
    Ok(Box::new(Composite::new(measured.map(dim)?, judged.scalar()?, targets, weights)?))
}
