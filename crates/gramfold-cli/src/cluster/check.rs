//! What `cluster` claims: the factorisation, and the clusters that follow from it.

use std::path::Path;

use anyhow::Context;
use gramfold::Spec;
use gramfold_cluster::{components, relabel, score, separations, settled, similar, soft, spectra};
use gramfold_io::read_labels;

use super::{
    answer::{Answer, Labelled},
    claims::{Clustering, How, Scan},
    ordered::Ordered,
    overlap::{self, Overlap},
    search::is_full,
};
use crate::{
    check::{Again, Factors, Report, factorised, whole},
    source::read_text,
    store::Saved,
};

/// Of runs whose answers were not kept.
const OTHER_RUNS: &[&str] = &[
    "similarity_seed",
    "restarts.runs",
    "restarts.worst",
    "restarts.agreement",
    "overlap.least",
    "scan.k",
    "scan.modularity",
    "scan.agreement",
    "scan.objective",
];

/// Checks a directory of `cluster`.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Clustering>::open(directory)?;
    let claimed = &saved.claims.details;
    let graph = saved.symmetric("graph")?;
    let similarity = claimed.how.similarity.parse().map_err(anyhow::Error::msg)?;
    let normalise = claimed.how.normalise.parse().map_err(anyhow::Error::msg)?;
    let diagonal = claimed.how.diagonal.parse().map_err(anyhow::Error::msg)?;
    let prepared = similar(&graph, similarity, normalise, diagonal, claimed.how.similarity_seed)?;
    let components = components(&graph);
    let scanned = claimed.scan.iter().flat_map(|scan| scan.k.iter().chain(&scan.not_tried));
    let most = scanned.copied().max().unwrap_or(saved.claims.spec.rank);
    let ordered = if claimed.how.rows_ordered {
        Ordered::new(prepared.matrix, most)
    } else {
        Ordered::as_it_is(prepared.matrix)
    };
    let Factors { factor, x, y } = Factors::of(&saved)?;
    let [factor, x, y] = [factor, x, y].map(|factor| ordered.moved(factor));
    let factors = Factors { factor, x, y };
    let fit = &claimed.factorisation.fit;
    let mut found = factorised(&ordered.loss, &saved, factors, fit, report)?;
    let spec = whole(&saved.claims.spec);
    let factor = saved.array("factor")?;
    let relabelling = relabel(&settled(&factor, &graph, &components), factor.cols());
    let labels = read_labels(&saved.path("labels")?, None)?;
    let names = labels.names;
    let labels: Option<Vec<usize>> = labels.labels.into_iter().collect();
    report.claim(
        "labels are those of the factor and the graph",
        labels.as_ref() == Some(&relabelling.labels),
    );
    report.claim("memberships are those of the factor", {
        let (claimed, found) = (saved.array("memberships")?, soft(&factor));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12;
        (claimed.rows(), claimed.cols()) == (found.rows(), found.cols())
            && claimed.as_slice().iter().zip(found.as_slice()).all(near)
    });
    let score = if saved.claims.files.contains_key("truth") {
        let truth = read_labels(&saved.path("truth")?, None)?.labels;
        let class = |label: Option<usize>| {
            label.map_or(-1, |label| i64::try_from(label).unwrap_or(i64::MAX))
        };
        let truth: Vec<i64> = truth.into_iter().map(class).collect();
        Some(score(&truth, &relabelling.labels)?)
    } else {
        None
    };
    let overlap = claimed.overlap.as_ref().map(|overlap| overlap.least);
    let overlap = overlap.map(|least| Overlap::of(&factor, &relabelling.labels, least));
    if let Some((_, memberships)) = &overlap {
        let claimed = read_text(&saved.path("overlap")?)?;
        let found = overlap::table(memberships, names.as_deref());
        report.claim("overlap is that of the factor", overlap::is_same(&claimed, &found));
    }

    let how = How {
        components: components.count(),
        singletons: components.singletons(),
        isolated: prepared.isolated,
        self_loops: prepared.self_loops,
        ..claimed.how.clone()
    };
    let (mut restarts, mut scan) = (claimed.restarts.clone(), claimed.scan.clone());
    if let Some(scan) = &mut scan {
        let at = scan.k.iter().position(|k| *k == factor.cols());
        let kept = at.and_then(|at| scan.objective.get(at).copied().flatten());
        restarts.best = kept.context("the scan has not tried the k that was kept")?;
        // A scan that was cut short may not have looked at them.
        if saved.claims.status.is_answer() || !scan.separation.is_empty() {
            let seed = claimed.how.similarity_seed;
            (scan.weights, scan.walks) = spectra(&graph, diagonal, most, seed);
            scan.separation = separations(&graph, &scan.k);
        }
        let ended = saved.claims.status.is_answer();
        *scan = again(scan, ended, is_full(&relabelling.sizes), factor.cols());
    } else {
        restarts.best = found.fitted(&spec).certificate.loss;
    }
    found.unchecked.extend(OTHER_RUNS);
    let labelled = Labelled { how, relabelling, restarts, scan, cut_short: None };
    let answer = Answer {
        rows: ordered.order.as_ref(),
        score,
        overlap,
        ..Answer::of(found.fitted(&spec), &graph, ordered.loss.matrix(), &labelled)
    };
    found.again(&saved, &answer)
}

/// What a scan claims by the curve. Nothing need be recommended where a run was cut short, and nothing may be where too many clusters
/// are empty.
fn again(scan: &Scan, ended: bool, full: bool, kept: usize) -> Scan {
    let choice = scan.evidence().choose();
    let spoken_for = choice.map(|choice| choice.k).filter(|k| *k == kept && full);
    let none = scan.recommended.is_none() && !ended;
    Scan {
        recommended: if none { None } else { spoken_for },
        reason: choice.map_or(String::new(), |choice| choice.reason()),
        not_tried: if ended { Vec::new() } else { scan.not_tried.clone() },
        rule: Scan::RULE.into(),
        ..scan.clone()
    }
}
