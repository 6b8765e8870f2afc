//! `kind = "limits"`: where runs from one start end, to the digits that a paper prints.

mod run;

pub(crate) use run::{Limit, Measured};

use gramfold::registry::Component;
use serde::Deserialize;

use super::{experiment::Kind, matrix::Rows, printed::Printed};

/// An experiment file of this kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Design {
    #[serde(rename = "kind")]
    _kind: Kind,
    /// The number of the example in the paper.
    pub(crate) example: u32,
    pub(crate) title: String,
    pub(crate) explanation: String,
    /// The loss by its name in the registry, and its data matrix.
    pub(crate) loss: String,
    pub(crate) matrix: Rows,
    /// X₀ and Y₀.
    pub(crate) x0: Rows,
    pub(crate) y0: Rows,
    pub(crate) algorithm: Component,
    /// Iterations without any tolerance; a run ends early only where X = Y exactly.
    pub(crate) iterations: usize,
    #[serde(rename = "rule")]
    pub(crate) rules: Vec<Rule>,
}

/// A γ rule of the paper, and where the paper says that it ends.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) printed: Point,
    #[serde(rename = "reading")]
    pub(crate) readings: Vec<Reading>,
}

/// One way to read a rule: as the paper's authors must have run it, or as it is printed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reading {
    pub(crate) name: String,
    pub(crate) rule: Component,
    /// Where this reading ends, if not at the printed limit.
    pub(crate) ends: Option<Point>,
    /// It ends nowhere: the factors still move in the last iteration.
    #[serde(default)]
    pub(crate) wanders: bool,
}

/// γ and the first entries of X and Y.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Point {
    pub(crate) gamma: Printed,
    pub(crate) x: Printed,
    pub(crate) y: Printed,
}
