//! Predicted entries, and the table that holds them.

use std::path::Path;

use gramfold::linalg::Mat;
use gramfold_learn::{Biases, Observations, largest_missing, predict};

use super::judged::Judged;
use crate::learn::{Nodes, field};

/// How many of the largest missing entries are predicted.
const TOP: usize = 20;

/// Nodes up to which all missing entries are gone through without being asked.
const MANY: usize = 4096;

/// Pairs with their predictions.
pub(crate) struct Predictions {
    pub(crate) list: Vec<(usize, usize, f64)>,
}

/// Reads pairs of nodes.
pub(super) fn read(nodes: &Nodes, path: &Path) -> anyhow::Result<Vec<(usize, usize)>> {
    let rows = nodes.read(path, 2, "a pair of nodes")?;
    Ok(rows.into_iter().map(|(pair, _)| (pair[0], pair[1])).collect())
}

impl Predictions {
    /// Of given pairs, in their order.
    pub(crate) fn of(pairs: Vec<(usize, usize)>, biases: &Biases, factor: &Mat) -> Self {
        let one = |(i, j)| (i, j, predict(biases, factor, i, j));
        Self { list: pairs.into_iter().map(one).collect() }
    }

    /// The largest ones that are missing.
    pub(crate) fn largest(
        top: Option<usize>,
        observed: &Observations,
        biases: &Biases,
        factor: &Mat,
    ) -> Self {
        let top = top.unwrap_or(if observed.dim <= MANY { TOP } else { 0 });
        Self { list: largest_missing(observed, biases, factor, top) }
    }

    /// As a table; of the logistic loss with probabilities.
    pub(super) fn csv(&self, nodes: &Nodes, judged: Judged) -> String {
        let probable = judged == Judged::Probabilities;
        let mut text = format!("i,j,prediction{}\n", if probable { ",probability" } else { "" });
        for &(i, j, value) in &self.list {
            text += &format!("{},{},{value:?}", field(&nodes.name(i)), field(&nodes.name(j)));
            if probable {
                text += &format!(",{:?}", probability(value));
            }
            text.push('\n');
        }
        text
    }
}

/// How likely an entry is to be 1, not −1, given its prediction by the logistic loss.
pub(crate) fn probability(prediction: f64) -> f64 {
    1.0 / (1.0 + (-prediction).exp())
}
