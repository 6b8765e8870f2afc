//! The page that shows the clusters and the run.

use std::collections::BTreeMap;

use gramfold::{
    Record,
    linalg::{Mat, Symmetric},
};
use gramfold_cluster::{Memberships, binned, by_cluster};
use gramfold_report::{Axis, Cell, Chart, Heatmap, Item, Page, Table};

use super::{
    claims::ClusterClaims,
    input::Truth,
    overlap::{self, Overlap},
};
use crate::{
    factorisation,
    pages::{BINS, bin_names, drawing, factor_picture, names, percent},
    sdp::counted,
};

/// Typical nodes that are named of each cluster.
const TYPICAL: usize = 5;

/// Rows of a table that are shown.
const ROWS: usize = 60;

/// What the page shows.
pub(super) struct Shown<'a> {
    pub(super) claims: &'a ClusterClaims,
    /// The command as it was typed.
    pub(super) line: &'a str,
    pub(super) graph: &'a Symmetric,
    /// What was factorised.
    pub(super) matrix: &'a Symmetric,
    pub(super) labels: &'a [usize],
    pub(super) factor: &'a Mat,
    pub(super) memberships: &'a Mat,
    pub(super) overlap: Option<&'a (Overlap, Memberships)>,
    pub(super) trace: &'a [Record],
    pub(super) names: Option<&'a [String]>,
    pub(super) truth: Option<&'a Truth>,
}

/// Builds the page.
pub(super) fn page(shown: &Shown<'_>) -> Page {
    let claims = shown.claims;
    let names = names(claims.nodes, shown.names);
    let name = claims.input.name();
    let subtitle = format!("{} nodes in {} clusters", claims.nodes, claims.details.clusters);
    let mut page = Page::new(format!("Clusters of {name}"), subtitle)
        .section("Answer", answer(shown, &names))
        .section("Certificate", certificate(claims, shown.line))
        .section("Pictures", pictures(shown, &names))
        .section(
            "Convergence",
            vec![factorisation::charts(claims.spec.stop.stationarity, shown.trace).into()],
        );
    if let Some((claimed, memberships)) = shown.overlap {
        page = page.section("Overlap", overlap::shown(claimed, memberships, &names));
    }
    if let Some(scan) = &claims.details.scan {
        let agreement = scan.k.iter().zip(&scan.agreement);
        let agreement = agreement.filter_map(|(k, a)| Some((*k as f64, (*a)?))).collect();
        let objective = scan.k.iter().zip(&scan.objective);
        let objective = objective.filter_map(|(k, f)| Some((*k as f64, (*f)?))).collect();
        let mut stability = Chart::new("Agreement of the restarts")
            .x(Axis::count("k"))
            .y(Axis::linear("mean pairwise ARI"))
            .series("agreement", agreement);
        if let Some(k) = scan.recommended {
            stability = stability.mark_x(k as f64, "recommended");
        }
        let objective = Chart::new("Objective")
            .x(Axis::count("k"))
            .y(Axis::linear("f"))
            .series("best of the restarts", objective);
        let modularity = scan.k.iter().zip(&scan.modularity);
        let modularity = modularity.filter_map(|(k, q)| Some((*k as f64, (*q)?))).collect();
        let mut modularity = Chart::new("Modularity")
            .x(Axis::count("k"))
            .y(Axis::linear("modularity of the labels"))
            .series("best of the restarts", modularity);
        if let Some(k) = scan.recommended {
            modularity = modularity.mark_x(k as f64, "recommended");
        }
        let numbered = |values: &[f64]| {
            let largest = values.first().copied().unwrap_or(1.0).abs().max(f64::MIN_POSITIVE);
            (1_u32..).zip(values).map(|(i, v)| (f64::from(i), v / largest)).collect()
        };
        let spectrum = Chart::new("Leading eigenvalues, relative to the largest")
            .x(Axis::count("number"))
            .y(Axis::linear("eigenvalue"))
            .series("weights", numbered(&scan.weights))
            .series("walks", numbered(&scan.walks));
        let separation = scan.k.iter().zip(&scan.separation);
        let separation = separation.filter_map(|(k, s)| Some((*k as f64, (*s)?))).collect();
        let mut separation = Chart::new("Separation of the parts of a tree of the links")
            .x(Axis::linear("k"))
            .y(Axis::log("times as close within"))
            .series("parts", separation);
        if let Some(k) = scan.recommended {
            separation = separation.mark_x(k as f64, "recommended");
        }
        let words = scan.words(claims.rank);
        page = page.section(
            "Choice of k",
            vec![
                Item::text(format!("{words}.")),
                Item::text(format!("The rule: {}.", scan.rule)),
                vec![modularity, spectrum, separation, stability, objective].into(),
            ],
        );
    }
    page
}

fn answer(shown: &Shown<'_>, names: &[String]) -> Vec<Item> {
    let details = &shown.claims.details;
    let sizes: Vec<_> = details.sizes.iter().take(8).map(usize::to_string).collect();
    let more = if details.sizes.len() > sizes.len() { ", …" } else { "" };
    let sizes = match &sizes[..] {
        [first, last] => format!("{first} and {last}"),
        all => all.join(", "),
    };
    let clusters =
        if details.clusters == 1 { "1 cluster" } else { &format!("{} clusters", details.clusters) };
    let mut items = vec![Item::headline(format!("{clusters} of {sizes}{more} nodes"))];
    if let (Some(accuracy), Some(nmi), Some(ari)) = (details.accuracy, details.nmi, details.ari) {
        items.push(Item::text(format!(
            "{} of the nodes are as in the given classes (NMI {nmi:.3}, ARI {ari:.3}).",
            percent(accuracy)
        )));
    }
    items.push(clusters_table(shown, names).into());
    if let Some(truth) = shown.truth {
        items.push(confusion(truth, shown.labels, details.sizes.len()).into());
    }
    let called = (0..details.sizes.len()).map(|cluster| format!("cluster {cluster}")).collect();
    items.extend(drawing(shown.graph, names, shown.labels, called).map(Item::from));
    items
}

/// The size of each cluster and the nodes that are the most in it.
fn clusters_table(shown: &Shown<'_>, names: &[String]) -> Table {
    let n = shown.labels.len();
    let headers = ["cluster", "nodes", "share", "typical nodes"];
    let mut table = Table::new("Clusters, numbered as in labels.txt", headers);
    for (cluster, size) in shown.claims.details.sizes.iter().enumerate().take(ROWS) {
        let mut members: Vec<usize> = (0..n).filter(|&i| shown.labels[i] == cluster).collect();
        let strength = |i: &usize| shown.factor[(*i, cluster)];
        members.sort_by(|a, b| strength(b).total_cmp(&strength(a)).then(a.cmp(b)));
        let typical: Vec<_> = members.iter().take(TYPICAL).map(|&i| names[i].as_str()).collect();
        table = table.row(vec![
            Cell::from(cluster.to_string()),
            Cell::from(*size as f64),
            Cell::from(percent(*size as f64 / n as f64)),
            Cell::from(typical.join(", ")),
        ]);
    }
    table
}

/// How many nodes of each class are in each cluster.
fn confusion(truth: &Truth, labels: &[usize], clusters: usize) -> Table {
    let mut counts: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (&class, &label) in truth.classes.iter().zip(labels) {
        if class >= 0 {
            counts.entry(class).or_insert_with(|| vec![0; clusters])[label] += 1;
        }
    }
    let columns = clusters.min(ROWS);
    let headers = (0..columns).map(|cluster| format!("cluster {cluster}"));
    let headers = std::iter::once("class".to_owned()).chain(headers);
    let mut table = Table::new("Given classes against clusters, in nodes", headers);
    for (class, row) in counts.into_iter().take(ROWS) {
        let names = truth.names.as_ref();
        let name = names.and_then(|names| names.get(usize::try_from(class).ok()?));
        let name = name.cloned().unwrap_or_else(|| class.to_string());
        let cells = row.into_iter().take(columns).map(|count| Cell::from(count as f64));
        table = table.row(std::iter::once(Cell::from(name)).chain(cells).collect());
    }
    table
}

fn certificate(claims: &ClusterClaims, line: &str) -> Vec<Item> {
    let details = &claims.details;
    let mut items = factorisation::result(claims, &details.factorisation, line);
    items.push(Item::text(format!(
        "The graph: {}, {}, {} without any weight.",
        counted(details.components, "component"),
        counted(details.singletons, "single node"),
        details.isolated
    )));
    items
}

fn pictures(shown: &Shown<'_>, names: &[String]) -> Vec<Item> {
    let order = by_cluster(shown.labels, shown.memberships);
    let n = order.len();
    let bins = n.min(BINS);
    let mut breaks = Vec::new();
    let mut seen = 0;
    for size in &shown.claims.details.sizes {
        seen += size;
        breaks.push(seen * bins / n);
    }
    breaks.pop();
    let picture = binned(shown.matrix, &order, bins);
    // Neighbourhood weights differ by orders of magnitude between clusters: show their roots.
    let roots = picture.as_slice().iter().map(|v| v.sqrt()).collect();
    let called = bin_names(names, &order, bins);
    let similarity = Heatmap::new("Similarity, nodes ordered by cluster", bins, bins, roots)
        .caption("Square roots of mean normalised weights")
        .row_names(called.clone())
        .col_names(called)
        .breaks(breaks);
    let soft = factor_picture("Soft memberships", shown.memberships, &order, names)
        .caption("Rows: nodes in the same order; columns: clusters, numbered as in labels.txt");
    vec![similarity.into(), soft.into()]
}
