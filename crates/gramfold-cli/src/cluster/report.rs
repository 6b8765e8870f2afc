//! The page that shows the clusters and the run.

use gramfold::{
    Record,
    linalg::{Mat, Symmetric},
    loss::Quadratic,
};
use gramfold_cluster::{binned, by_cluster};
use gramfold_report::{Axis, Cell, Chart, Heatmap, Item, Page, Table};

use super::claims::ClusterClaims;

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
        .section("Convergence", vec![convergence(trace).into()]);
    if let Some(scan) = &claims.details.scan {
        let agreement = scan.k.iter().zip(&scan.agreement);
        let agreement = agreement.filter_map(|(k, a)| Some((*k as f64, (*a)?))).collect();
        let objective = scan.k.iter().zip(&scan.objective).map(|(k, f)| (*k as f64, *f)).collect();
        let stability = Chart::new("Agreement of the restarts")
            .x(Axis::linear("k"))
            .y(Axis::linear("mean pairwise ARI"))
            .series("agreement", agreement)
            .mark_x(scan.recommended as f64, "recommended");
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
    let words = details.factorisation.certificate.to_string();
    let mut lines = words.lines();
    let exact = lines.next().unwrap_or_default();
    let optimal = lines.next().unwrap_or_default();
    let mut items = vec![
        if details.factorisation.exact { Item::good(exact) } else { Item::bad(exact) },
        Item::text(optimal),
        Item::text(format!(
            "{} after {} iterations; {} components, {} single nodes, {} without any weight.",
            claims.status,
            claims.iterations,
            details.components,
            details.singletons,
            details.isolated
        )),
    ];
    if let (Some(accuracy), Some(nmi), Some(ari)) = (details.accuracy, details.nmi, details.ari) {
        let table = Table::new("Against the given classes", ["accuracy", "NMI", "ARI"]);
        items.push(table.row(vec![accuracy.into(), nmi.into(), ari.into()]).into());
    }
    items.push(Item::command(line));
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

fn convergence(trace: &[Record]) -> Vec<Chart> {
    // From the start on: an answer from before it, far above all others, would flatten the rest.
    let making = trace.iter().take_while(|record| record.iteration == 0).count().saturating_sub(1);
    let trace = &trace[making..];
    let series = |value: &dyn Fn(&Record) -> Option<f64>| {
        trace
            .iter()
            .filter_map(|record| Some((record.iteration as f64, value(record)?)))
            .collect::<Vec<_>>()
    };
    let axis = || Axis::linear("iteration");
    vec![
        Chart::new("Objective")
            .x(axis())
            .y(Axis::linear("f(XYᵀ)"))
            .series("f(XYᵀ)", series(&|r| Some(r.loss))),
        Chart::new("Residuals")
            .x(axis())
            .y(Axis::log("relative"))
            .series("stationarity", series(&|r| r.stationarity))
            .series("‖X−Y‖/‖X‖", series(&|r| Some(r.asymmetry))),
        Chart::new("γ and its threshold")
            .x(axis())
            .y(Axis::log("γ"))
            .series("γ", series(&|r| Some(r.gamma)))
            .series("threshold", series(&|r| r.threshold)),
    ]
}
