//! The four panels of an example: γ_k, |x_k − y_k|, |x_k − x*| and the objective, over k.

use gramfold::Record;
use gramfold_report::{Axis, Chart};

use crate::paper::limits::{Limit, Measured};

/// A curve is drawn while it is in here; beyond, one that underflows or overflows would press all
/// others into a line.
const SHOWN: std::ops::RangeInclusive<f64> = 1e-40..=1e80;

type Quantity = fn(&Record) -> f64;

/// x* = 0 in both examples, so that |x − x*| is the norm.
const PANELS: [(&str, &str, Quantity); 4] = [
    ("Penalty parameter", "γ", |record| record.gamma),
    ("Difference between the factors", "|x − y|", |record| record.distance),
    ("Difference from the solution", "|x − x*|", |record| record.norm),
    ("Objective", "|F(x, y; γ)|", |record| record.split_objective.abs()),
];

/// One panel a quantity, one curve a rule, for one reading of the rules.
pub(crate) fn panels(measured: &Measured, reading: &str) -> Vec<Chart> {
    let panel = |(title, label, quantity): &(&str, &str, Quantity)| {
        let chart = Chart::new(*title).x(Axis::log("iteration k")).y(Axis::log(*label));
        let limits = measured.limits.iter().filter(|limit| limit.reading == reading);
        limits.fold(chart, |chart, limit| chart.series(&limit.rule, curve(limit, *quantity)))
    };
    PANELS.iter().map(panel).collect()
}

fn curve(limit: &Limit, quantity: Quantity) -> Vec<(f64, f64)> {
    let points = limit.trace.iter().map(|record| (record.iteration as f64, quantity(record)));
    points.filter(|(k, value)| *k > 0.0 && SHOWN.contains(value)).collect()
}
