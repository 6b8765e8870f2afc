//! The page that shows the clusters and the run.

use gramfold::{
    Record,
    linalg::{Mat, Symmetric},
    loss::Quadratic,
};
use gramfold_cluster::{binned, by_cluster};
use gramfold_report::{Axis, Cell, Chart, Heatmap, Item, Page, Table};

use super::claims::ClusterClaims;
use crate::factorisation;

/// The most rows of a picture: more than a screen can show, little enough to send.
const BINS: usize = 240;

/// Builds the page.
pub(super) fn page(
    claims: &ClusterClaims,
    line: &str,
    loss: &Quadratic,
    labels: &[usize],
    memberships: &Mat,
    trace: &[Record],
) -> Page {
    let order = by_cluster(labels, memberships);
    let name = claims.input.path.display();
    let subtitle = format!("{} nodes in {} clusters", claims.nodes, claims.details.clusters);
    let mut page = Page::new(format!("Clusters of {name}"), subtitle)
        .section("Result", result(claims, line))
        .section("Clusters", clusters(claims, loss.matrix(), &order, memberships))
        .section(
            "Convergence",
            vec![factorisation::charts(claims.spec.stop.stationarity, trace).into()],
        );
    if let Some(scan) = &claims.details.scan {
        let agreement = scan.k.iter().zip(&scan.agreement);
        let agreement = agreement.filter_map(|(k, a)| Some((*k as f64, (*a)?))).collect();
        let objective = scan.k.iter().zip(&scan.objective).map(|(k, f)| (*k as f64, *f)).collect();
        let mut stability = Chart::new("Agreement of the restarts")
            .x(Axis::linear("k"))
            .y(Axis::linear("mean pairwise ARI"))
            .series("agreement", agreement);
        if let Some(k) = scan.recommended {
            stability = stability.mark_x(k as f64, "recommended");
        }
        let objective = Chart::new("Objective")
            .x(Axis::linear("k"))
            .y(Axis::linear("f"))
            .series("best of the restarts", objective);
        page = page.section("Choice of k", vec![vec![stability, objective].into()]);
    }
    page
}

fn result(claims: &ClusterClaims, line: &str) -> Vec<Item> {
    let details = &claims.details;
    let mut items = factorisation::result(claims, &details.factorisation, line);
    items.push(Item::text(format!(
        "{} components, {} single nodes, {} without any weight.",
        details.components, details.singletons, details.isolated
    )));
    if let (Some(accuracy), Some(nmi), Some(ari)) = (details.accuracy, details.nmi, details.ari) {
        let table = Table::new("Against the given classes", ["accuracy", "NMI", "ARI"]);
        items.push(table.row(vec![accuracy.into(), nmi.into(), ari.into()]).into());
    }
    items
}

fn clusters(
    claims: &ClusterClaims,
    matrix: &Symmetric,
    order: &[usize],
    memberships: &Mat,
) -> Vec<Item> {
    let n = order.len();
    let bins = n.min(BINS);
    let mut breaks = Vec::new();
    let mut seen = 0;
    for size in &claims.details.sizes {
        seen += size;
        breaks.push(seen * bins / n);
    }
    breaks.pop();
    let picture = binned(matrix, order, bins);
    // Neighbourhood weights differ by orders of magnitude between clusters: show their roots.
    let roots = picture.as_slice().iter().map(|v| v.sqrt()).collect();
    let similarity = Heatmap::new("Similarity, nodes ordered by cluster", bins, bins, roots)
        .caption("Square roots of mean normalised weights")
        .breaks(breaks);
    let k = memberships.cols();
    let mut shares = vec![0.0; bins * k];
    for (place, &node) in order.iter().enumerate() {
        let bin = place * bins / n;
        let width = ((bin + 1) * n).div_ceil(bins) - (bin * n).div_ceil(bins);
        for (j, share) in memberships.row(node).iter().enumerate() {
            shares[bin * k + j] += share / width as f64;
        }
    }
    let soft = Heatmap::new("Soft memberships", bins, k, shares)
        .caption("Rows: nodes in the same order; columns: clusters");
    let mut sizes = Table::new("Sizes", ["cluster", "nodes", "share"]);
    for (cluster, size) in claims.details.sizes.iter().enumerate() {
        let share = *size as f64 / n as f64;
        sizes = sizes.row(vec![
            Cell::from(cluster.to_string()),
            Cell::from(size.to_string()),
            share.into(),
        ]);
    }
    vec![similarity.into(), soft.into(), sizes.into()]
}
