//! What is said of a clustering, as JSON and in words.

use gramfold::Spec;
use gramfold_cluster::{Chosen, Components, Diagonal, Evidence};
use serde::{Deserialize, Serialize};

use crate::{factorisation::Factorisation, store::Claims};

use super::overlap::Overlap;

/// The claims of `factor` for the matrix that was factorised, and the clusters.
pub(crate) type ClusterClaims = Claims<Spec, Clustering>;

/// What only `cluster` claims.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Clustering {
    #[serde(flatten)]
    pub(crate) factorisation: Factorisation,
    pub(crate) clusters: usize,
    pub(crate) sizes: Vec<usize>,
    pub(crate) accuracy: Option<f64>,
    pub(crate) nmi: Option<f64>,
    pub(crate) ari: Option<f64>,
    #[serde(flatten)]
    pub(crate) how: How,
    pub(crate) restarts: Restarts,
    pub(crate) scan: Option<Scan>,
    /// With `--overlap`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) overlap: Option<Overlap>,
}

/// What was factorised in the place of a graph, and what the graph is like.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct How {
    /// Connected components of the graph, and how many of them are single nodes.
    pub(crate) components: usize,
    pub(crate) singletons: usize,
    /// Nodes without any weight.
    pub(crate) isolated: usize,
    pub(crate) self_loops: usize,
    /// What was factorised, and how it was normalised.
    pub(crate) similarity: String,
    /// What its walks were drawn from.
    pub(crate) similarity_seed: u64,
    /// Whether its rows were in an order of their own, in which the certificate was computed.
    #[serde(default)]
    pub(crate) rows_ordered: bool,
    pub(crate) normalise: String,
    pub(crate) diagonal: String,
}

impl How {
    /// Of rows in the order of the nodes.
    pub(crate) fn of(chosen: &Chosen, diagonal: Diagonal, seed: u64, parts: &Components) -> Self {
        Self {
            components: parts.count(),
            singletons: parts.singletons(),
            isolated: chosen.prepared.isolated,
            self_loops: chosen.prepared.self_loops,
            similarity: chosen.similarity.to_string(),
            similarity_seed: seed,
            rows_ordered: false,
            normalise: chosen.normalise.to_string(),
            diagonal: diagonal.to_string(),
        }
    }
}

/// The spread of several runs for one k.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Restarts {
    pub(crate) runs: usize,
    /// The smallest f(XYᵀ) of the runs, and the largest.
    pub(crate) best: f64,
    pub(crate) worst: f64,
    /// Mean pairwise ARI of their labels, where there are several; of the first thousand, where there are more.
    pub(crate) agreement: Option<f64>,
}

/// What is known of each k of a range, and what follows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Scan {
    /// None where some k were not tried to the end, or where the best labelling leaves more than a tenth of its clusters empty.
    pub(crate) recommended: Option<usize>,
    /// Who speaks for which k.
    pub(crate) reason: String,
    pub(crate) k: Vec<usize>,
    /// Of the best labelling; none where it leaves more than a tenth of its clusters empty.
    pub(crate) modularity: Vec<Option<f64>>,
    /// Leading eigenvalues of the weights and of the walks, both normalised; none where the time was over before.
    pub(crate) weights: Vec<f64>,
    pub(crate) walks: Vec<f64>,
    /// How many times as close what one cut more would separate is as what a tree of the links was cut into k parts at; none without
    /// such parts, and an empty list where the time was over before.
    pub(crate) separation: Vec<Option<f64>>,
    /// Of the runs; none where there is one run, or the best labelling leaves more than a tenth of its clusters empty.
    pub(crate) agreement: Vec<Option<f64>>,
    /// Of the best run; none where every run diverged.
    pub(crate) objective: Vec<Option<f64>>,
    /// The k that there was no time for.
    pub(crate) not_tried: Vec<usize>,
    /// How k is chosen.
    pub(crate) rule: String,
}

impl Scan {
    /// How k is chosen, in words.
    pub(crate) const RULE: &str = "three signs are heard: the sharpest gap of the eigenvalues of the weights, the largest gap of the \
         eigenvalues of the walks, and the largest modularity. The k that most of them name is chosen, where numbers within a \
         tenth count as the same; where no two agree, the first sign decides. If a tree of the links clearly falls apart into \
         some number of parts, that number is chosen instead, unless it visibly falls apart into the k that the signs agree \
         on, too. The chosen k is run again as -k K would be";

    /// What the choice rests on.
    pub(crate) fn evidence(&self) -> Evidence {
        Evidence {
            k: self.k.clone(),
            modularity: self.modularity.clone(),
            weights: self.weights.clone(),
            walks: self.walks.clone(),
            separation: self.separation.clone(),
        }
    }

    /// Whether each k above 1 leaves more than a tenth of its clusters empty.
    fn every_k_is_too_many(&self) -> bool {
        self.k.iter().zip(&self.modularity).all(|(k, value)| *k == 1 || value.is_none())
    }

    /// What is recommended, in words.
    pub(super) fn words(&self, shown: usize) -> String {
        let Some(k) = self.recommended else {
            let why = match self.not_tried.as_slice() {
                [] if self.every_k_is_too_many() => "each k above 1 leaves clusters empty".into(),
                [] => "there was no time for all runs".into(),
                [k] => format!("there was no time for k = {k}"),
                [first, .., last] => format!("there was no time for k = {first} to {last}"),
            };
            return format!("no k is recommended: {why}; what follows is k = {shown}");
        };
        format!("k = {k} is recommended: {}", self.reason)
    }
}
