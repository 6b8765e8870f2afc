//! Clusters as they are written: what is claimed, the files, the summary and the page.

use gramfold::{
    Spec,
    certificate::significant,
    linalg::{Mat, Symmetric},
};
use gramfold_cluster::{Memberships, Relabelling, RowOrder, Score, permute_columns, relabel, soft};
use gramfold_report::Page;

use super::{
    claims::{ClusterClaims, Clustering, How, Restarts, Scan},
    input::Truth,
    overlap::{self, Overlap},
    report,
    search::{Candidate, Found},
};
use crate::{
    answer::{self, Head},
    factorisation::Factorisation,
    learn::Fitted,
    pages::list,
    resources::timings_in_words,
    sdp::counted,
    store::{Part, Status},
};

/// What is said of the best run, and why it is the one.
pub(crate) struct Labelled {
    pub(crate) how: How,
    pub(crate) relabelling: Relabelling,
    pub(crate) restarts: Restarts,
    pub(crate) scan: Option<Scan>,
    pub(crate) cut_short: Option<Status>,
}

impl Labelled {
    /// Numbers clusters by size, and the columns of every factor with them: what is certified is what is written.
    pub(crate) fn of(found: Found, how: How) -> (Candidate, Self) {
        let Found { mut best, restarts, scan, cut_short } = found;
        let relabelling = relabel(&best.labels, best.spec.rank);
        let solution = &mut best.solution;
        if !relabelling.permutation.is_sorted() {
            for factor in [&mut solution.factor, &mut solution.x, &mut solution.y] {
                *factor = permute_columns(factor, &relabelling.permutation);
            }
        }
        (best, Self { how, relabelling, restarts, scan, cut_short })
    }
}

/// A graph, and its clusters.
pub(crate) struct Answer<'a> {
    pub(crate) fitted: Fitted<'a>,
    pub(crate) graph: &'a Symmetric,
    /// What was factorised.
    pub(crate) matrix: &'a Symmetric,
    /// The order of its rows; none where it is that of the nodes.
    pub(crate) rows: Option<&'a RowOrder>,
    pub(crate) labelled: &'a Labelled,
    pub(crate) memberships: Mat,
    pub(crate) names: Option<&'a [String]>,
    pub(super) truth: Option<&'a Truth>,
    pub(crate) score: Option<Score>,
    pub(crate) overlap: Option<(Overlap, Memberships)>,
    /// Whether the summary says what each part of the work took.
    pub(crate) verbose: bool,
}

impl<'a> Answer<'a> {
    /// Without names, known classes and overlap, of rows in the order of the nodes.
    pub(crate) fn of(
        fitted: Fitted<'a>,
        graph: &'a Symmetric,
        matrix: &'a Symmetric,
        labelled: &'a Labelled,
    ) -> Self {
        let memberships = soft(&fitted.solution.factor);
        Self {
            fitted,
            graph,
            matrix,
            rows: None,
            labelled,
            memberships,
            names: None,
            truth: None,
            score: None,
            overlap: None,
            verbose: false,
        }
    }
}

/// How many clusters no node is in, if there are any, and what to do.
pub(super) fn empty_in_words(claims: &ClusterClaims) -> Option<String> {
    let sizes = &claims.details.sizes;
    let empty = sizes.iter().filter(|size| **size == 0).count();
    let are = if empty == 1 { "is" } else { "are" };
    let next = if claims.status.is_answer() {
        format!("no more than {} found", sizes.len() - empty)
    } else {
        "the run has not converged".into()
    };
    (empty > 0).then(|| format!("{} {are} empty: {next}", counted(empty, "cluster")))
}

impl answer::Answer for Answer<'_> {
    type Spec = Spec;
    type Details = Clustering;

    fn claims(&self, head: Head) -> ClusterClaims {
        let Labelled { how, relabelling, restarts, scan, cut_short } = self.labelled;
        let score = self.score.as_ref();
        let details = Clustering {
            factorisation: Factorisation::of(self.matrix, self.fitted.fit()),
            clusters: relabelling.sizes.len(),
            sizes: relabelling.sizes.clone(),
            accuracy: score.map(|score| score.accuracy),
            nmi: score.map(|score| score.nmi),
            ari: score.map(|score| score.ari),
            how: How { rows_ordered: self.rows.is_some(), ..how.clone() },
            restarts: restarts.clone(),
            scan: scan.clone(),
            overlap: self.overlap.as_ref().map(|(overlap, _)| overlap.clone()),
        };
        let mut claims = self.fitted.claims(head, details);
        claims.status = cut_short.unwrap_or(claims.status);
        claims
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.push(Part::symmetric("graph", self.graph));
        parts.push(Part::labels("labels", &self.labelled.relabelling.labels, self.names));
        parts.push(Part::array("memberships", &self.memberships));
        if let Some((_, memberships)) = &self.overlap {
            let table = overlap::table(memberships, self.names);
            parts.push(Part::bytes("overlap", overlap::FILE, table));
        }
        if let Some(truth) = self.truth {
            let lines: Vec<String> =
                truth.classes.iter().map(|class| format!("{class}\n")).collect();
            parts.push(Part::bytes("truth", "truth.txt", lines.concat()));
        }
        parts
    }

    fn summary(&self, claims: &ClusterClaims) -> String {
        let details = &claims.details;
        let mut text = counted(claims.nodes, "node")
            + ", "
            + &counted(details.factorisation.stored, "stored weight");
        if details.how.components > 1 {
            let How { components, singletons, .. } = details.how;
            let singles = counted(singletons, "single node");
            text += &format!(", {components} components ({singles})");
        }
        text += &format!(
            "; similarity {}, normalised: {}",
            details.how.similarity, details.how.normalise
        );
        text += &format!("\nclusters: {} of sizes {}", details.clusters, list(&details.sizes, 12));
        text += &empty_in_words(claims).map_or(String::new(), |words| format!("; {words}"));
        text.push('\n');
        if let Some(overlap) = &details.overlap {
            text += &overlap.words(claims.nodes);
        }
        if let Some(scan) = &details.scan {
            text += &format!("{}\nmodularity ", scan.words(claims.rank));
            let curve = scan.k.iter().zip(&scan.modularity);
            let shown =
                |a: Option<f64>| a.map_or("clusters are empty".into(), |a| format!("{a:.3}"));
            let curve: Vec<_> = curve.map(|(k, a)| format!("{k}: {}", shown(*a))).collect();
            text += &format!("{}\n", curve.join(", "));
        }
        if let (Some(accuracy), Some(nmi), Some(ari)) = (details.accuracy, details.nmi, details.ari)
        {
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
        text += &format!(
            "{}; objective {}, {}\n{}\n",
            self.fitted.run_in_words(claims),
            significant(claims.objective),
            details.factorisation.error_in_words(),
            self.fitted.certificate,
        );
        if self.verbose {
            text += &(timings_in_words(&claims.timings) + "\n");
        }
        text
    }

    fn page(&self, claims: &ClusterClaims, line: &str) -> Page {
        report::page(self, claims, line)
    }
}
