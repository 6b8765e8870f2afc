//! The page that shows the layout and how well it fits.

use gramfold_report::{Axis, Cell, Chart, Item, Network, Page, Table};

use super::{
    answer::Answer,
    claims::{LocateClaims, NEGLIGIBLE, determined, outliers},
};
use crate::{
    convergence::{Names, convergence},
    learn::result,
    pages::{names, rounded, short},
};

/// Rows of a table that are shown.
const ROWS: usize = 30;

/// Residuals beyond this many times their root mean square stand out, unless they are negligible beside the distances.
const FAR_OFF: f64 = 2.0;

/// Builds the page.
pub(super) fn page(shown: &Answer<'_>, claims: &LocateClaims, line: &str) -> Page {
    let details = &claims.details;
    let title = format!("Positions of {}", claims.input.name());
    let subtitle = format!(
        "{} nodes in {} dimensions, {} distances",
        claims.nodes, claims.rank, details.distances
    );
    let charts = convergence(
        shown.fitted.trace,
        &Names { primal: "stress", dual: "" },
        claims.spec.stop.stationarity,
    );
    Page::new(title, subtitle)
        .section("Answer", answer(shown, claims))
        .section("Certificate", result(claims, &details.fit, line))
        .section("Residuals", residuals(shown))
        .section("Convergence", vec![charts.into()])
}

fn answer(shown: &Answer<'_>, claims: &LocateClaims) -> Vec<Item> {
    let details = &claims.details;
    let headline =
        format!("The distances are met to {} of their size", short(details.relative_error));
    let said = determined(details);
    let mut items = vec![
        Item::headline(headline),
        Item::finding(if shown.free.is_empty() { "Determined" } else { "Not determined" }, said),
    ];
    if details.outliers > 0 {
        items.push(Item::finding("Folded, or wrong", outliers(details).trim_start()));
    }
    items.extend(layout(shown).map(Item::from));
    items
}

/// The layout on its first two axes, if it is small enough.
fn layout(shown: &Answer<'_>) -> Option<Network> {
    let x = &shown.fitted.solution.factor;
    let n = x.rows();
    if n > Network::MOST {
        return None;
    }
    let mut group = vec![0; n];
    for (node, _) in &shown.free {
        group[*node] = 1;
    }
    for &row in shown.anchors.rows() {
        group[row as usize] = 2;
    }
    let height = |i: usize| if x.cols() > 1 { x[(i, 1)] } else { 0.0 };
    let places = (0..n).map(|i| (x[(i, 0)], height(i))).collect();
    let list = &shown.residuals.list;
    let squares: f64 = list.iter().map(|(_, _, distance, _)| distance * distance).sum();
    let size = (squares / list.len() as f64).sqrt();
    let far_off = size * (FAR_OFF * shown.residuals.relative_error()).max(NEGLIGIBLE);
    let edges: Vec<_> = list.iter().map(|&(i, j, _, off)| (i, j, off.abs())).collect();
    let axes = if x.cols() > 2 { ", on the first two axes" } else { "" };
    let strained = if edges.iter().any(|(_, _, off)| *off > far_off) {
        "; those that are off by more than twice the root mean square stand out"
    } else {
        ""
    };
    let caption = format!("Lines are the known distances{axes}{strained}");
    // The legend has only the groups that there are.
    let kinds = ["determined", "not determined", "anchors"].map(String::from);
    let present: Vec<usize> = (0..kinds.len()).filter(|kind| group.contains(kind)).collect();
    let called = present.iter().map(|kind| kinds[*kind].clone()).collect();
    let place = |kind: &usize| present.iter().position(|other| other == kind).unwrap_or(0);
    let group = group.iter().map(place).collect();
    let network = Network::new("The layout", names(n, shown.nodes.names()), group);
    Some(network.groups(called).edges(edges).placed(places).strained(far_off).caption(caption))
}

fn residuals(shown: &Answer<'_>) -> Vec<Item> {
    let mut list = shown.residuals.list.clone();
    let points = list.iter().map(|(_, _, distance, off)| (*distance, *off));
    let mut points: Vec<(f64, f64)> = points.collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let chart = Chart::new("Residuals by distance")
        .x(Axis::linear("distance"))
        .y(Axis::linear("fitted − known"))
        .points("distances", points);
    list.sort_by(|a, b| b.3.abs().total_cmp(&a.3.abs()));
    let mut table = Table::new("The largest residuals", ["i", "j", "distance", "fitted − known"]);
    for (i, j, distance, off) in list.into_iter().take(ROWS) {
        table = table.row(vec![
            Cell::from(shown.nodes.name(i)),
            Cell::from(shown.nodes.name(j)),
            distance.into(),
            rounded(off).into(),
        ]);
    }
    vec![vec![chart].into(), table.into()]
}
