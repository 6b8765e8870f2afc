//! `kind = "share"`: which share of many runs ends asymmetric, and whether at critical points.

mod arm;
mod measure;
mod run;
mod sample;

pub(crate) use arm::Arm;
pub(crate) use measure::Measure;
pub(crate) use run::{Measured, MeasuredArm};

use gramfold::registry::Component;
use serde::Deserialize;

use super::{
    experiment::Kind,
    matrix::{Family, Rows},
};

/// An experiment file of this kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Design {
    #[serde(rename = "kind")]
    _kind: Kind,
    pub(crate) title: String,
    pub(crate) explanation: String,
    /// The loss by its name in the registry.
    #[serde(default = "quadratic")]
    pub(crate) loss: String,
    pub(crate) matrix: Family,
    #[serde(default = "zero")]
    pub(crate) regulariser: Component,
    pub(crate) rank: usize,
    pub(crate) algorithm: Component,
    pub(crate) start: Start,
    /// Matrices drawn, and starts for each.
    #[serde(default = "one")]
    pub(crate) instances: usize,
    #[serde(default = "one")]
    pub(crate) starts: usize,
    #[serde(default)]
    pub(crate) seed: u64,
    /// A run ends when its stationarity is at most `tolerance` (0: never), or after `iterations`.
    pub(crate) tolerance: f64,
    pub(crate) iterations: usize,
    /// A proved lower bound on F wherever X = Y: a smaller F proves that X ≠ Y.
    pub(crate) symmetric_at_least: Option<f64>,
    #[serde(rename = "arm")]
    pub(crate) arms: Vec<Arm>,
}

/// Where runs start.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Start {
    /// X₀ = Y₀, random and scaled to the data.
    Random,
    /// X₀ and Y₀ drawn apart.
    Independent,
    /// As written.
    At { x0: Rows, y0: Rows },
}

fn quadratic() -> String {
    "quadratic".into()
}

fn zero() -> Component {
    Component::named("zero")
}

fn one() -> usize {
    1
}
