//! What is said of a clustering, as JSON and in words.

use gramfold::{Spec, certificate::significant};
use serde::{Deserialize, Serialize};

use crate::{
    factorisation::{Factorisation, error_in_words, run_in_words},
    store::Claims,
};

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
    pub(crate) normalise: String,
    pub(crate) diagonal: String,
    pub(crate) restarts: Restarts,
    pub(crate) scan: Option<Stability>,
}

/// The spread of several runs for one k.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Restarts {
    pub(crate) runs: usize,
    /// The smallest f(XYᵀ) of the runs, and the largest.
    pub(crate) best: f64,
    pub(crate) worst: f64,
    /// Mean pairwise ARI of their labels, where there are several.
    pub(crate) agreement: Option<f64>,
}

/// The stability curve over k.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stability {
    /// None where some k were not tried to the end, or where the best labelling leaves a cluster empty.
    pub(crate) recommended: Option<usize>,
    pub(crate) k: Vec<usize>,
    /// None where the best labelling leaves a cluster empty.
    pub(crate) agreement: Vec<Option<f64>>,
    pub(crate) objective: Vec<f64>,
    /// The k that there was no time for.
    pub(crate) not_tried: Vec<usize>,
    /// How k is chosen.
    pub(crate) rule: String,
}

impl Stability {
    /// How k is chosen, in words.
    pub(crate) const RULE: &str = "the largest k whose runs agree with each other the best, or the elbow of the objective \
         where agreement sets no limit; it is run again as -k K would be";

    /// What is recommended, in words.
    fn words(&self, shown: usize) -> String {
        let Some(k) = self.recommended else {
            let why = match self.not_tried.as_slice() {
                [] if self.agreement.iter().all(Option::is_none) => {
                    "each leaves a cluster empty".into()
                }
                [] => {
                    format!("there was no time for all runs, or k = {shown} leaves a cluster empty")
                }
                [k] => format!("there was no time for k = {k}"),
                [first, .., last] => format!("there was no time for k = {first} to {last}"),
            };
            return format!("no k is recommended: {why}; what follows is k = {shown}");
        };
        format!("k = {k} is recommended: {}", Self::RULE)
    }
}

/// The summary for a person.
pub(super) fn summary(claims: &ClusterClaims) -> String {
    let details = &claims.details;
    let mut text =
        format!("{} nodes, {} stored weights", claims.nodes, details.factorisation.stored);
    if details.components > 1 {
        let Clustering { components, singletons, .. } = details;
        text += &format!(", {components} components ({singletons} single nodes)");
    }
    text += &format!("; similarity {}, normalised: {}", details.similarity, details.normalise);
    text += &format!("\nclusters: {} of sizes {}\n", details.clusters, sizes(&details.sizes));
    if let Some(scan) = &details.scan {
        text += &format!("{}\nstability ", scan.words(claims.rank));
        let curve = scan.k.iter().zip(&scan.agreement);
        let shown = |a: Option<f64>| a.map_or("a cluster is empty".into(), |a| format!("{a:.3}"));
        let curve: Vec<_> = curve.map(|(k, a)| format!("{k}: {}", shown(*a))).collect();
        text += &format!("{}\n", curve.join(", "));
    }
    if let (Some(accuracy), Some(nmi), Some(ari)) = (details.accuracy, details.nmi, details.ari) {
        text += &format!("accuracy {accuracy:.4}, NMI {nmi:.4}, ARI {ari:.4}\n");
    }
    if let Some(agreement) = details.restarts.agreement {
        text += &format!(
            "best of {} runs: objective {} to {}, mean agreement (ARI) {agreement:.3}\n",
            details.restarts.runs,
            significant(details.restarts.best),
            significant(details.restarts.worst),
        );
    }
    text + &format!(
        "{}; objective {}, {}\n{}\n",
        run_in_words(claims, &details.factorisation),
        significant(claims.objective),
        error_in_words(&details.factorisation),
        details.factorisation.certificate,
    )
}

/// The first sizes, and how many more.
fn sizes(sizes: &[usize]) -> String {
    let shown: Vec<_> = sizes.iter().take(12).map(usize::to_string).collect();
    let more = sizes.len().saturating_sub(shown.len());
    let tail = if more > 0 { format!(", … ({more} more)") } else { String::new() };
    shown.join(", ") + &tail
}
