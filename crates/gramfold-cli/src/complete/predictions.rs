//! Predicted entries, and the table that holds them.

use std::path::Path;

use anyhow::Context;
use gramfold::{Spec, linalg::Mat};
use gramfold_io::read_rows;
use gramfold_learn::{Biases, Observations, largest_missing, predict};
use serde::de::DeserializeOwned;

use super::judged::Judged;
use crate::{
    learn::{Nodes, field},
    store::Saved,
};

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

    /// Those of a directory, and whether a factor predicts the same.
    pub(super) fn saved<D: DeserializeOwned>(
        saved: &Saved<Spec, D>,
        nodes: &Nodes,
        biases: &Biases,
        factor: &Mat,
        judged: Judged,
    ) -> anyhow::Result<(Self, bool)> {
        let path = saved.path("predictions")?;
        let probable = judged == Judged::Probabilities;
        let mut rows = read_rows(&path, 3 + usize::from(probable), "two nodes and a prediction")?;
        rows.remove(0);
        let (mut list, mut holds) = (Vec::with_capacity(rows.len()), true);
        for (pair, row) in nodes.resolve(&path, rows, 2)? {
            let value: f64 = row.fields[2].parse().context("a prediction is no number")?;
            let again = predict(biases, factor, pair[0], pair[1]);
            holds &= (value - again).abs() <= 1e-12 * (value.abs() + factor.norm_squared());
            if probable {
                let found: f64 = row.fields[3].parse().context("a probability is no number")?;
                holds &= (found - probability(value)).abs() <= 1e-12;
            }
            list.push((pair[0], pair[1], value));
        }
        Ok((Self { list }, holds))
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
pub(super) fn probability(prediction: f64) -> f64 {
    1.0 / (1.0 + (-prediction).exp())
}
