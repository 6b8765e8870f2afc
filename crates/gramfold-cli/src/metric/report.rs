//! The page that shows a metric.

use gramfold::{
    Record,
    linalg::{Mat, dot},
};
use gramfold_learn::{principal_axes, spread, standardised};
use gramfold_report::{Axis, Cell, Chart, Item, Page, Table};

use super::{
    claims::MetricClaims,
    input::{Input, Known},
};
use crate::{
    factorisation::charts,
    learn::result,
    pages::{factor_picture, names, percent, rounded},
};

/// Points beyond which a drawing shows only the first.
const DRAWN: usize = 3000;

/// Features that the table lists.
const LISTED: usize = 40;

/// Builds the page.
pub(super) fn page(
    claims: &MetricClaims,
    line: &str,
    input: &Input,
    factor: &Mat,
    transformed: &Mat,
    trace: &[Record],
) -> Page {
    let title = format!("A metric for {}", claims.input.name());
    let subtitle = format!(
        "{} points of {} features, rank {}",
        input.points.rows(),
        claims.nodes,
        claims.rank
    );
    let features = names(claims.nodes, input.columns.as_deref());
    let order: Vec<usize> = (0..claims.nodes).collect();
    // Features differ in their units: only in those of their deviations can what they do be compared.
    let (means, deviations) = spread(&input.points);
    let scaled = Mat::from_fn(factor.rows(), factor.cols(), |i, j| factor[(i, j)] * deviations[i]);
    let (before, units) = if claims.details.standardised {
        (&standardised(&input.points, (&means, &deviations)), "in units of its deviation")
    } else {
        (&input.points, "as it is")
    };
    let pictures: Vec<Item> = vec![
        Item::text(format!("Before the metric, each feature is taken {units}.")),
        vec![
            drawing("Before: leading axes of the points", before, &input.known),
            drawing("After: leading axes in the metric", transformed, &input.known),
        ]
        .into(),
        factor_picture("L", &scaled, &order, &features)
            .caption("A row a feature, in units of its deviation")
            .into(),
    ];
    Page::new(title, subtitle)
        .section("Answer", answer(claims, &scaled, &features))
        .section("Certificate", result(claims, &claims.details.fit, line))
        .section("Pictures", pictures)
        .section("Convergence", vec![charts(claims.spec.stop.stationarity, trace).into()])
}

/// `factor` is L for features in units of their deviations.
fn answer(claims: &MetricClaims, factor: &Mat, features: &[String]) -> Vec<Item> {
    let details = &claims.details;
    let headline = match &details.accuracy {
        Some(accuracy) => format!(
            "{} of held-out points are classified right, {} before",
            percent(accuracy.after),
            percent(accuracy.before)
        ),
        None => {
            format!("A metric of rank {} from {} {}", claims.rank, details.compared, details.known)
        }
    };
    let mut weights: Vec<(usize, f64)> =
        (0..factor.rows()).map(|i| (i, dot(factor.row(i), factor.row(i)))).collect();
    weights.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut table = Table::new(
        "What counts: the diagonal of M = LLᵀ, each feature in units of its deviation",
        ["feature", "weight"],
    );
    for (i, weight) in weights.into_iter().take(LISTED) {
        table = table.row(vec![Cell::from(features[i].clone()), Cell::from(rounded(weight))]);
    }
    vec![Item::headline(headline), table.into()]
}

/// The first two principal axes of points, in the colours of their classes.
fn drawing(title: &str, points: &Mat, known: &Known) -> Chart {
    let (n, d) = (points.rows(), points.cols());
    let means: Vec<f64> = (0..d).map(|j| points.column(j).sum::<f64>() / n as f64).collect();
    let centred = Mat::from_fn(n, d, |i, j| points[(i, j)] - means[j]);
    let axes = principal_axes(&centred);
    let at = |i: usize| (axes[(i, 0)], if d > 1 { axes[(i, 1)] } else { 0.0 });
    let chart = Chart::new(title).x(Axis::linear("first axis")).y(Axis::linear("second axis"));
    match known {
        Known::Classes(classes) => {
            let called = names(classes.count(), classes.names.as_deref());
            called.into_iter().enumerate().fold(chart, |chart, (class, name)| {
                let of = (0..n.min(DRAWN)).filter(|i| classes.labels[*i] == class);
                chart.points(name, of.map(at).collect())
            })
        }
        _ => chart.points("points", (0..n.min(DRAWN)).map(at).collect()),
    }
}
