//! Every loss by name: on a whole matrix, or a scalar function of what a map measures.

use gramfold_linalg::{CsrError, Mat, Symmetric};

use super::{Component, Entry, build, entry, parameter, unknown};
use crate::{
    Error, Loss,
    loss::{
        Composite, Linear, Quadratic,
        map::{Distances, Entries, Lifted, Map, Matrices, RankOne},
        scalar::{Huber, Logistic, OneSided, Poisson, Scalar, SmoothedHinge, Square, SquaredHinge},
    },
};

/// A loss on a data matrix.
pub struct LossEntry {
    /// Its name.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Builds it.
    pub build: fn(Symmetric) -> Box<dyn Loss>,
}

/// Every loss on a data matrix.
pub const LOSSES: &[LossEntry] = &[
    LossEntry {
        name: "quadratic", summary: "½‖Z − A‖²", build: |a| Box::new(Quadratic::new(a))
    },
    LossEntry {
        name: "off-diagonal",
        summary: "½‖Z − A‖² without the diagonal",
        build: |a| Box::new(Quadratic::off_diagonal(a)),
    },
    LossEntry { name: "linear", summary: "⟨C, Z⟩", build: |c| Box::new(Linear::new(c)) },
];

/// Every scalar function.
pub const SCALARS: &[Entry<dyn Scalar>] = &[
    entry("square", "½(z − b)²", &[], |_| Ok(Box::new(Square))),
    entry(
        "huber",
        "½(z − b)² up to |z − b| = δ, in proportion beyond",
        &[parameter("delta", 1.0, "δ > 0")],
        |v| Ok(Box::new(Huber::new(v.get("delta"))?)),
    ),
    entry("logistic", "log(1 + e^{−bz}), b = ±1", &[], |_| Ok(Box::new(Logistic))),
    entry("squared-hinge", "½[1 − bz]₊², b = ±1", &[], |_| Ok(Box::new(SquaredHinge))),
    entry(
        "smoothed-hinge",
        "[1 − bz]₊ rounded off over a width μ, b = ±1",
        &[parameter("width", 0.1, "μ > 0")],
        |v| Ok(Box::new(SmoothedHinge::new(v.get("width"))?)),
    ),
    entry("at-least", "½[b − z]₊²", &[], |_| Ok(Box::new(OneSided::AtLeast))),
    entry("at-most", "½[z − b]₊²", &[], |_| Ok(Box::new(OneSided::AtMost))),
    entry(
        "poisson",
        "half the deviance of a count b at a rate z ≥ ε, a parabola below",
        &[parameter("least", 0.1, "ε > 0")],
        |v| Ok(Box::new(Poisson::new(v.get("least"))?)),
    ),
];

/// A kind of measurements.
pub struct MapEntry {
    /// Its name.
    pub name: &'static str,
    /// One line on what is measured.
    pub summary: &'static str,
    /// A small map on n×n matrices, for the law tests; `number` gives numbers in (−1, 1).
    pub example: fn(dim: usize, number: &mut dyn FnMut() -> f64) -> Box<dyn Map>,
}

/// Every kind of measurements.
pub const MAPS: &[MapEntry] = &[
    MapEntry {
        name: Entries::NAME,
        summary: "entries Z_ij of a sparse pattern",
        example: |n, number| {
            let data = MapData::Entries(some_places(n, number));
            data.map(n).expect("invariant: places inside")
        },
    },
    MapEntry {
        name: Matrices::NAME,
        summary: "⟨A_k, Z⟩ for any symmetric matrices",
        example: |n, number| {
            let one = |number: &mut dyn FnMut() -> f64| {
                some_places(n, number).into_iter().map(|(i, j)| (i, j, number())).collect()
            };
            let matrices: Vec<Vec<_>> = (0..2 * n).map(|_| one(number)).collect();
            let mut map = Matrices::new(n, &matrices).expect("invariant: places inside");
            map.add_rank_one(n / 2, number(), n / 2, (n / 2..n).map(|_| number()).collect());
            Box::new(map)
        },
    },
    MapEntry {
        name: RankOne::NAME,
        summary: "a_kᵀZa_k",
        example: |n, number| Box::new(RankOne::new(Mat::from_fn(3 * n, n, |_, _| number()))),
    },
    MapEntry {
        name: Distances::NAME,
        summary: "squared distances Z_ii + Z_jj − Z_ij − Z_ji of a pattern",
        example: |n, number| {
            let data = MapData::Distances(some_places(n, number));
            data.map(n).expect("invariant: places inside")
        },
    },
    MapEntry {
        name: Lifted::NAME,
        summary: "what another map measures of PZPᵀ",
        example: |n, number| {
            let (m, scale) = (n + n / 2, (n as f64).sqrt().recip());
            let points = Mat::from_fn(m, n, |_, _| scale * number());
            let places = some_places(m, number);
            let inner = Distances::new(m, &places).expect("invariant: places inside");
            Box::new(Lifted::new(points, Box::new(inner)))
        },
    },
];

/// What a kind of measurements is made of, as files and arrays give it.
#[derive(Clone, Debug)]
pub enum MapData {
    /// Places of entries.
    Entries(Vec<(u32, u32)>),
    /// Pairs whose squared distance is measured.
    Distances(Vec<(u32, u32)>),
    /// The vectors a of aᵀZa, one a row.
    RankOne(Mat),
    /// The entries of each A in ⟨A, Z⟩.
    Matrices(Vec<Vec<(u32, u32, f64)>>),
}

impl MapData {
    /// The name of the map.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Entries(_) => Entries::NAME,
            Self::Distances(_) => Distances::NAME,
            Self::RankOne(_) => RankOne::NAME,
            Self::Matrices(_) => Matrices::NAME,
        }
    }

    /// The map on n×n matrices; vectors say themselves what n is.
    pub fn map(self, dim: usize) -> Result<Box<dyn Map>, CsrError> {
        Ok(match self {
            Self::Entries(places) => Box::new(Entries::new(dim, &places)?),
            Self::Distances(pairs) => Box::new(Distances::new(dim, &pairs)?),
            Self::RankOne(vectors) => Box::new(RankOne::new(vectors)),
            Self::Matrices(matrices) => Box::new(Matrices::new(dim, &matrices)?),
        })
    }
}

/// Some places of an n×n matrix, in any triangle, perhaps on the diagonal, perhaps twice.
fn some_places(n: usize, number: &mut dyn FnMut() -> f64) -> Vec<(u32, u32)> {
    let mut index = || ((0.5 + 0.5 * number()) * n as f64).min(n as f64 - 1.0) as u32;
    (0..2 * n).map(|_| (index(), index())).collect()
}

/// What a loss is told of the data.
pub enum Data {
    /// A whole matrix.
    Matrix(Symmetric),
    /// Measurements with a target and, perhaps, a weight for each observation.
    Measured {
        /// What was measured.
        map: Box<dyn Map>,
        /// The targets.
        targets: Vec<f64>,
        /// The weights.
        weights: Option<Vec<f64>>,
    },
}

impl Data {
    /// The kind, as specs write it: `matrix`, or the name of the map.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Matrix(_) => "matrix",
            Self::Measured { map, .. } => map.name(),
        }
    }
}

/// Losses with a kink, where alternating minimisation sticks with X ≠ Y for every γ, and what to take instead.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &["hinge"],
        "its kink lets alternating minimisation stick with X ≠ Y whatever γ is: take `smoothed-hinge`, whose bound on γ does \
         not depend on its width, or `squared-hinge`",
    ),
    (
        &["absolute", "l1"],
        "its kink lets alternating minimisation stick with X ≠ Y whatever γ is: take `huber` with a small delta",
    ),
];

/// The scalar function that a component names.
pub fn scalar(component: &Component) -> Result<Box<dyn Scalar>, Error> {
    if let Some((_, reason)) = REFUSED.iter().find(|(names, _)| names.contains(&&*component.name)) {
        return Err(Error::Refused { name: component.name.clone(), reason });
    }
    build("loss", SCALARS, component)
}

/// The loss that a component names, on data.
pub fn loss(component: &Component, data: Data) -> Result<Box<dyn Loss>, Error> {
    let whole = LOSSES.iter().find(|entry| entry.name == component.name);
    match (whole, data) {
        (Some(entry), Data::Matrix(a)) => Ok((entry.build)(a)),
        (None, Data::Measured { map, targets, weights }) => {
            let scalar = scalar(component)?;
            Ok(Box::new(Composite::new(map, scalar, &targets, weights.as_deref())?))
        }
        (Some(_), data) => {
            let (name, kind) = (&component.name, data.kind());
            let message = format!("the loss `{name}` is one of a whole matrix, not of {kind}");
            Err(Error::data(message))
        }
        (None, Data::Matrix(_)) => {
            scalar(component)?;
            let known = LOSSES.iter().map(|entry| entry.name);
            Err(unknown(&component.name, known, "loss of a whole matrix"))
        }
    }
}
