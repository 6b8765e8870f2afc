//! Losses of measurements, Σ w·φ(⟨A_k, Z⟩, b): what is measured, and how it is judged, from Python's arguments.

use std::sync::Arc;

use gramfold::{
    Error, Loss,
    loss::{
        Composite,
        map::{Distances, Entries, Map, Matrices, RankOne},
        scalar::Scalar,
    },
    registry::{self, Component},
};
use gramfold_cli::memory::{Kind, Measurements, Question};
use pyo3::prelude::*;

use crate::{
    arrays,
    errors::refused,
    matrix::broken,
    user::{Failure, UserMap, UserScalar},
};

/// What is measured of Z.
pub(crate) enum Measured {
    Entries(Vec<(u32, u32)>),
    Distances(Vec<(u32, u32)>),
    RankOne(gramfold::linalg::Mat),
    Matrices(Vec<Vec<(u32, u32, f64)>>),
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
        Ok(match kind {
            "entries" => Self::Entries(places()?),
            "distances" => Self::Distances(places()?),
            "rank-one" => Self::RankOne(arrays::matrix(given)?),
            "matrices" => {
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
                Self::Matrices(given.iter().map(one).collect::<PyResult<_>>()?)
            }
            "python" => Self::User(UserMap::new(given, dim, observations, failure)?),
            other => return Err(refused(format!("there is no map `{other}`"))),
        })
    }

    /// What is asked, where a file can hold it.
    pub(crate) fn question(
        &self,
        dim: usize,
        judged: &Judged,
        targets: &[f64],
        weights: Option<&[f64]>,
    ) -> Option<Arc<dyn Question>> {
        let Judged::Named(loss) = judged else { return None };
        let kind = match self {
            Self::Entries(places) => Kind::Entries(places.clone()),
            Self::Distances(places) => Kind::Distances(places.clone()),
            Self::RankOne(vectors) => Kind::Vectors(vectors.clone()),
            Self::Matrices(matrices) => Kind::Matrices(matrices.clone()),
            Self::User(_) => return None,
        };
        let (targets, weights) = (targets.to_vec(), weights.map(<[f64]>::to_vec));
        Some(Arc::new(Measurements { dim, kind, targets, weights, loss: loss.clone() }))
    }

    fn map(self, dim: usize) -> Result<Box<dyn Map>, Error> {
        let wrong = |error| Error::Data { message: broken(&error) };
        Ok(match self {
            Self::Entries(places) => Box::new(Entries::new(dim, &places).map_err(wrong)?),
            Self::Distances(places) => Box::new(Distances::new(dim, &places).map_err(wrong)?),
            Self::RankOne(vectors) if vectors.cols() != dim => {
                let message = format!("the vectors have {} numbers, but n = {dim}", vectors.cols());
                return Err(Error::Data { message });
            }
            Self::RankOne(vectors) => Box::new(RankOne::new(vectors)),
            Self::Matrices(matrices) => Box::new(Matrices::new(dim, &matrices).map_err(wrong)?),
            Self::User(map) => Box::new(map),
        })
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
