//! The page that shows the clusters and the run.

use std::collections::BTreeMap;

use gramfold_cluster::{RowOrder, binned, by_cluster};
use gramfold_report::{Axis, Cell, Chart, Heatmap, Item, Page, Table, shortened};

use super::{
    answer::{Answer, empty_in_words},
    claims::{ClusterClaims, Scan},
    input::Truth,
    overlap,
};
use crate::{
    pages::{BINS, LETTERS, bin_names, drawing, factor_picture, names, percent},
    sdp::counted,
};

/// Typical nodes that are named of each cluster.
const TYPICAL: usize = 5;

/// The growth of an objective that a page explains.
const JUMP: f64 = 1e-3;

/// Rows of a table that are shown.
const ROWS: usize = 60;

/// Builds the page.
pub(super) fn page(shown: &Answer<'_>, claims: &ClusterClaims, line: &str) -> Page {
    let names = names(claims.nodes, shown.names);
    let name = claims.input.name();
    let subtitle = format!("{} nodes in {} clusters", claims.nodes, claims.details.clusters);
    let mut page = Page::new(format!("Clusters of {name}"), subtitle)
        .section("Answer", answer(shown, claims, &names))
        .section("Certificate", certificate(shown, claims, line))
        .section("Pictures", pictures(shown, claims, &names))
        .section("Convergence", convergence(shown));
    if let Some((claimed, memberships)) = &shown.overlap {
        page = page.section("Overlap", overlap::shown(claimed, memberships, &names));
    }
    if let Some(scan) = &claims.details.scan {
        let words = scan.words(claims.rank);
        page = page.section(
            "Choice of k",
            vec![
                Item::text(format!("{words}.")),
                Item::text(format!("The rule: {}.", scan.rule)),
                curves(scan).into(),
            ],
        );
    }
    page
}

/// How the run went.
fn convergence(shown: &Answer<'_>) -> Vec<Item> {
    let mut items = shown.fitted.convergence("f(XYᵀ)");
    let losses: Vec<f64> = shown.fitted.trace.iter().map(|record| record.loss).collect();
    if jumps(&losses) {
        items.push(Item::text(
            "Where the objective jumps up, X and Y were still apart, or a column that got stuck was exchanged for a new one; where that did not pay, the run went back.",
        ));
    }
    items
}

/// Whether the objective rises by more than rounding and small steps would have it.
fn jumps(losses: &[f64]) -> bool {
    losses.windows(2).any(|pair| pair[1] > (1.0 + JUMP) * pair[0])
}

/// What speaks for each k.
fn curves(scan: &Scan) -> Vec<Chart> {
    let curve = |title: &str, y: Axis, name: &str, values: &[Option<f64>], marked: bool| {
        let points = scan.k.iter().zip(values).filter_map(|(k, v)| Some((*k as f64, (*v)?)));
        let chart = Chart::new(title).x(Axis::count("k")).y(y).series(name, points.collect());
        match scan.recommended.filter(|_| marked) {
            Some(k) => chart.mark_x(k as f64, "recommended"),
            None => chart,
        }
    };
    let numbered = |values: &[f64]| {
        let largest = values.first().copied().unwrap_or(1.0).abs().max(f64::MIN_POSITIVE);
        (1_u32..).zip(values).map(|(i, v)| (f64::from(i), v / largest)).collect()
    };
    let spectrum = Chart::new("Leading eigenvalues, relative to the largest")
        .x(Axis::count("number"))
        .y(Axis::linear("eigenvalue"))
        .series("weights", numbered(&scan.weights))
        .series("walks", numbered(&scan.walks));
    let best = "best of the restarts";
    let modularity = Axis::linear("modularity of the labels");
    let (close, ari) = (Axis::log("times as close within"), Axis::linear("mean pairwise ARI"));
    let separation = "Separation of the parts of a tree of the links";
    vec![
        curve("Modularity", modularity, best, &scan.modularity, true),
        spectrum,
        curve(separation, close, "parts", &scan.separation, true),
        curve("Agreement of the restarts", ari, "agreement", &scan.agreement, true),
        curve("Objective", Axis::linear("f"), best, &scan.objective, false),
    ]
}

fn answer(shown: &Answer<'_>, claims: &ClusterClaims, names: &[String]) -> Vec<Item> {
    let details = &claims.details;
    let labels = &shown.labelled.relabelling.labels;
    let sizes: Vec<_> = details.sizes.iter().take(8).map(usize::to_string).collect();
    let more = if details.sizes.len() > sizes.len() { ", …" } else { "" };
    let sizes = match &sizes[..] {
        [first, last] => format!("{first} and {last}"),
        all => all.join(", "),
    };
    let clusters =
        if details.clusters == 1 { "1 cluster" } else { &format!("{} clusters", details.clusters) };
    let mut items = vec![Item::headline(format!("{clusters} of {sizes}{more} nodes"))];
    items.extend(empty_in_words(claims).map(|words| Item::text(format!("{words}."))));
    items.push(Item::text(format!(
        "What was factorised: similarity {}, normalised: {}.",
        details.how.similarity, details.how.normalise
    )));
    if let (Some(accuracy), Some(nmi), Some(ari)) = (details.accuracy, details.nmi, details.ari) {
        items.push(Item::text(format!(
            "{} of the nodes are as in the given classes (NMI {nmi:.3}, ARI {ari:.3}).",
            percent(accuracy)
        )));
    }
    items.push(clusters_table(shown, &details.sizes, names).into());
    if let Some(truth) = shown.truth {
        items.push(confusion(truth, labels, details.sizes.len()).into());
    }
    let called = (0..details.sizes.len()).map(|cluster| format!("cluster {cluster}")).collect();
    items.extend(drawing(shown.graph, names, labels, called).map(Item::from));
    items
}

/// The size of each cluster and the nodes that are the most in it.
fn clusters_table(shown: &Answer<'_>, sizes: &[usize], names: &[String]) -> Table {
    let labels = &shown.labelled.relabelling.labels;
    let n = labels.len();
    let headers = ["cluster", "nodes", "share", "typical nodes"];
    let row = |(cluster, &size): (usize, &usize)| {
        let mut members: Vec<usize> = (0..n).filter(|&i| labels[i] == cluster).collect();
        let strength = |i: &usize| shown.fitted.solution.factor[(*i, cluster)];
        members.sort_by(|a, b| strength(b).total_cmp(&strength(a)).then(a.cmp(b)));
        let typical: Vec<_> =
            members.iter().take(TYPICAL).map(|&i| shortened(&names[i], LETTERS)).collect();
        vec![
            cluster.to_string().into(),
            Cell::from(size as f64),
            percent(size as f64 / n as f64).into(),
            typical.join(", ").into(),
        ]
    };
    let rows = sizes.iter().enumerate().take(ROWS).map(row);
    Table::new("Clusters, numbered as in labels.txt", headers).rows(rows)
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

fn certificate(shown: &Answer<'_>, claims: &ClusterClaims, line: &str) -> Vec<Item> {
    let how = &claims.details.how;
    let mut items = shown.fitted.result(claims, line);
    let mut text = format!("The graph has {}", counted(how.components, "component"));
    if how.singletons > 0 && how.components > 1 {
        text += &format!(", {} of a single node", how.singletons);
    }
    if how.isolated > 0 {
        let have = if how.isolated == 1 { "has" } else { "have" };
        text += &format!("; {} {have} no weight", counted(how.isolated, "node"));
    }
    items.push(Item::text(text + "."));
    items
}

fn pictures(shown: &Answer<'_>, claims: &ClusterClaims, names: &[String]) -> Vec<Item> {
    let order = by_cluster(&shown.labelled.relabelling.labels, &shown.memberships);
    let n = order.len();
    let bins = n.min(BINS);
    let mut breaks = Vec::new();
    let mut seen = 0;
    for size in &claims.details.sizes {
        seen += size;
        breaks.push(seen * bins / n);
    }
    breaks.pop();
    let picture = match shown.rows.map(RowOrder::places) {
        Some(places) => {
            let rows: Vec<usize> = order.iter().map(|&node| places[node]).collect();
            binned(shown.matrix, &rows, bins)
        }
        None => binned(shown.matrix, &order, bins),
    };
    // Neighbourhood weights differ by orders of magnitude between clusters: show their roots.
    let roots = picture.as_slice().iter().map(|v| v.sqrt()).collect();
    let called = bin_names(names, &order, bins);
    let similarity = Heatmap::new("Similarity, nodes ordered by cluster", bins, bins, roots)
        .caption("Square roots of the mean similarity")
        .row_names(called.clone())
        .col_names(called)
        .breaks(breaks);
    let soft = factor_picture("Soft memberships", &shown.memberships, &order, names)
        .caption("Rows: nodes in the same order; columns: clusters, numbered as in labels.txt");
    vec![similarity.into(), soft.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_rises_that_show() {
        assert!(jumps(&[3.0, 2.0, 2.5, 1.0]) && !jumps(&[3.0, 2.0, 2.001]) && !jumps(&[]));
    }
}
