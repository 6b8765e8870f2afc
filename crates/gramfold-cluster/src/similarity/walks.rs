//! How much more often than by chance two nodes meet on a short random walk.
//!
//! p_ij is the probability that a walk of 1…T steps, all lengths alike, starts at i and ends at j, where starts are
//! chosen in proportion to the degree; M_ij = vol²·p_ij/(d_i·d_j) compares it with chance. Large values of M belong to nodes of
//! low degree and say little, hence a [`Measure`] that grows slowly: the logarithm is the matrix that DeepWalk and its
//! relatives factorise implicitly (Qiu et al., "Network embedding as matrix factorization", WSDM 2018), sampled sparsely
//! as there (Qiu et al., "NetSMF", WWW 2019).

use std::ops::Range;

use gramfold_linalg::{Above, Csr, Symmetric};
use rayon::prelude::*;

use super::{
    exact,
    graph::Graph,
    meetings::{Meetings, for_each_merged},
    sampled,
};
use crate::Error;

/// Graphs with at most this many nodes are computed, not sampled, whatever it costs: a sample of them is noisier than
/// walks are of use, and all their pairs are few.
const SMALL: usize = 2048;

/// What a step of a walk costs, in multiply–adds of a product with a block of columns.
const STEP: f64 = 40.0;

/// Walks for each stored weight: at most where weights are few, in between, and at least where they are very many.
const SAMPLES: [f64; 3] = [20.0, 10.0, 0.5];

/// Walks in all that are affordable in any case, and that are affordable at all.
const AFFORDABLE: [f64; 2] = [2e5, 2.5e7];

/// Rows of a part that is made by itself.
const ROWS: usize = 256;

/// What is made of M_ij > 1; smaller ones become zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Measure {
    /// log M.
    Logarithm,
    /// √(M − 1).
    #[default]
    Root,
    /// 1.
    Indicator,
}

impl Measure {
    fn of(self, ratio: f64) -> f64 {
        match self {
            Self::Logarithm => ratio.ln(),
            Self::Root => (ratio - 1.0).sqrt(),
            Self::Indicator => 1.0,
        }
    }
}

/// Walks of up to `window` steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walks {
    /// The longest walk, T.
    pub window: usize,
    /// Walks to sample for each stored weight, where that is cheaper than computing them all; `None` for 10, for up to 20
    /// where weights are few, and for fewer where memory would not hold what they find.
    pub samples: Option<f64>,
    /// What is made of the ratios.
    pub measure: Measure,
}

impl Default for Walks {
    fn default() -> Self {
        Self { window: 5, samples: None, measure: Measure::default() }
    }
}

impl Walks {
    fn samples(&self, graph: &Graph<'_>) -> f64 {
        let [most, usual, least] = SAMPLES;
        let [in_any_case, at_all] = AFFORDABLE.map(|walks| walks / graph.stored() as f64);
        self.samples.unwrap_or(in_any_case.clamp(usual, most).min(at_all.max(least)))
    }

    /// Whether all pairs are computed instead of sampled.
    pub(super) fn exactly(&self, graph: &Graph<'_>) -> bool {
        let (n, stored, window) = (graph.dim() as f64, graph.stored() as f64, self.window as f64);
        let steps = self.samples(graph) * stored * 0.5 * (window + 1.0);
        graph.dim() <= SMALL || n * stored * window <= STEP * steps
    }

    /// The similarity of a graph, without a diagonal.
    pub(super) fn similarity(&self, a: &Symmetric, seed: u64) -> Result<Csr, Error> {
        let graph = Graph::new(a)?;
        if self.exactly(&graph) {
            return Ok(self.exact(a, &graph));
        }
        let walks = sampled::walks(&graph, self.window, self.samples(&graph), seed);
        Ok(self.of_walks(&graph, walks))
    }

    pub(super) fn exact(&self, a: &Symmetric, graph: &Graph<'_>) -> Csr {
        exact::similarity(a, &graph.degrees, self.window, |ratio| self.measure.of(ratio))
    }

    pub(super) fn of_walks(&self, graph: &Graph<'_>, there: Meetings) -> Csr {
        let n = graph.dim();
        let back = there.back();
        let volume = graph.volume();
        // Both directions of a pair are counted, hence the two.
        let scale = volume * volume / (2.0 * there.walks() as f64);
        let ratios = Ratios { degrees: &graph.degrees, there, back, scale };
        let parts: Vec<Above> = (0..n.div_ceil(ROWS))
            .into_par_iter()
            .map(|part| self.kept(&ratios, part * ROWS..n.min((part + 1) * ROWS)))
            .collect();
        // Before as much again is needed.
        drop(ratios);
        Csr::from_above(n, &parts)
    }

    /// What is right of the diagonal in some rows.
    fn kept(&self, ratios: &Ratios<'_>, rows: Range<usize>) -> Above {
        let mut kept = Above::default();
        for i in rows {
            let before = kept.columns.len();
            ratios.row(i, |j, ratio| {
                kept.columns.push(j);
                kept.values.push(self.measure.of(ratio));
            });
            kept.lengths.push(kept.columns.len() - before);
        }
        kept
    }
}

/// M, as walks there and back found it.
struct Ratios<'a> {
    degrees: &'a [f64],
    there: Meetings,
    back: Meetings,
    scale: f64,
}

impl Ratios<'_> {
    /// Calls `visit(j, M_ij)` for the entries of a row that are right of the diagonal and above one.
    fn row(&self, i: usize, mut visit: impl FnMut(u32, f64)) {
        let there = self.there.row(i);
        let there = &there[there.partition_point(|&j| j as usize <= i)..];
        for_each_merged(there, self.back.row(i), |j, count| {
            let chance = self.degrees[i] * self.degrees[j as usize];
            let ratio = self.scale * f64::from(count) / chance;
            if ratio > 1.0 {
                visit(j, ratio);
            }
        });
    }
}

#[cfg(test)]
mod tests;
