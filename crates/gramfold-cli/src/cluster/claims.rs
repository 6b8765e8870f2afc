//! What is said of a clustering, as JSON and in words.

use std::path::{Path, PathBuf};

use gramfold::certificate::significant;
use serde::Serialize;

use crate::{cli::Precision, saved::Claims};

/// The claims of `factor` for the matrix that was factorised, and the clusters.
#[derive(Serialize)]
pub(super) struct ClusterClaims {
    #[serde(flatten)]
    pub(super) claims: Claims,
    pub(super) clusters: usize,
    pub(super) sizes: Vec<usize>,
    pub(super) accuracy: Option<f64>,
    pub(super) nmi: Option<f64>,
    pub(super) ari: Option<f64>,
    /// Connected components of the graph, and how many of them are single nodes.
    pub(super) components: usize,
    pub(super) singletons: usize,
    /// Nodes without any weight.
    pub(super) isolated: usize,
    pub(super) self_loops: usize,
    pub(super) normalise: String,
    pub(super) diagonal: String,
    /// What A and the factors were held in; the certificate is in f64.
    pub(super) precision: Precision,
    pub(super) restarts: Restarts,
    pub(super) scan: Option<Stability>,
    pub(super) labels: PathBuf,
    pub(super) memberships: PathBuf,
}

/// The spread of several runs for one k.
#[derive(Serialize)]
pub(super) struct Restarts {
    pub(super) runs: usize,
    /// The smallest f(XYᵀ) of the runs, and the largest.
    pub(super) best: f64,
    pub(super) worst: f64,
    /// Mean pairwise ARI of their labels, where there are several.
    pub(super) agreement: Option<f64>,
}

/// The stability curve over k.
#[derive(Serialize)]
pub(super) struct Stability {
    pub(super) recommended: usize,
    pub(super) k: Vec<usize>,
    /// NaN where the best labelling leaves a cluster empty.
    pub(super) agreement: Vec<f64>,
    pub(super) objective: Vec<f64>,
}

impl ClusterClaims {
    /// The summary for a person.
    pub(super) fn summary(&self, directory: &Path, words: &str) -> String {
        let claims = &self.claims;
        let mut text = format!("{} nodes, {} stored weights", claims.dim, claims.stored);
        if self.components > 1 {
            text += &format!(", {} components ({} single nodes)", self.components, self.singletons);
        }
        text += &format!("\nclusters: {} of sizes {}\n", self.clusters, sizes(&self.sizes));
        if let Some(scan) = &self.scan {
            text += &format!("k = {} is recommended; stability ", scan.recommended);
            let curve = scan.k.iter().zip(&scan.agreement);
            let shown =
                |a: f64| if a.is_nan() { "a cluster is empty".into() } else { format!("{a:.3}") };
            let curve: Vec<_> = curve.map(|(k, a)| format!("{k}: {}", shown(*a))).collect();
            text += &format!("{}\n", curve.join(", "));
        }
        if let (Some(accuracy), Some(nmi), Some(ari)) = (self.accuracy, self.nmi, self.ari) {
            text += &format!("accuracy {accuracy:.4}, NMI {nmi:.4}, ARI {ari:.4}\n");
        }
        if let Some(agreement) = self.restarts.agreement {
            text += &format!(
                "best of {} runs: objective {} to {}, mean agreement (ARI) {agreement:.3}\n",
                self.restarts.runs,
                significant(self.restarts.best),
                significant(self.restarts.worst),
            );
        }
        text + &format!(
            "{} after {} iterations, {:.0} products with A, {:.2} s; objective {}, relative error {}\n\
             {words}\nwritten to {}\n",
            claims.status,
            claims.iterations,
            claims.products,
            claims.cost.seconds,
            significant(claims.objective),
            significant(claims.relative_error),
            directory.display(),
        )
    }
}

/// The first sizes, and how many more.
fn sizes(sizes: &[usize]) -> String {
    let shown: Vec<_> = sizes.iter().take(12).map(usize::to_string).collect();
    let more = sizes.len().saturating_sub(shown.len());
    let tail = if more > 0 { format!(", … ({more} more)") } else { String::new() };
    shown.join(", ") + &tail
}
