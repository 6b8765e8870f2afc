//! A further experiment: its chart, where its arms lie on an axis, and its table.

use gramfold_report::{Axis, Cell, Chart, Item, Table};

use super::unbroken;
use crate::paper::{
    share::{Arm, Measure, Measured, MeasuredArm},
    terminal::{count, interval},
};

/// What the section of an experiment shows.
pub(crate) fn items(measured: &Measured) -> Vec<Item> {
    let mut items = vec![Item::text(&measured.design.explanation)];
    items.extend(chart(measured).map(Item::from));
    items.push(table(measured).into());
    items.extend(measured.failures().into_iter().map(Item::bad));
    items
}

/// Share against γ, if every arm is a fixed γ or every arm a multiple of a bound.
fn chart(measured: &Measured) -> Option<Chart> {
    let points = |position: fn(&Arm) -> Option<f64>| -> Option<Vec<(f64, f64)>> {
        let point =
            |arm: &MeasuredArm| Some((position(&arm.arm)?, arm.values[&Measure::Asymmetric]));
        measured.arms.iter().map(point).collect::<Option<Vec<_>>>().filter(|p| p.len() > 2)
    };
    let chart = Chart::new("Asymmetric limits").y(Axis::linear("share of runs"));
    if let Some(points) = points(|arm| Some(arm.gamma.as_ref()?.ratio)) {
        let bound = measured.design.arms.first()?.gamma.as_ref()?.bound.as_str();
        let axis = Axis::linear(format!("γ over {bound}"));
        return Some(chart.x(axis).series("share", points).mark_x(1.0, bound));
    }
    let gamma = |arm: &Arm| arm.rule.as_ref()?.parameters.get("gamma").copied();
    Some(chart.x(Axis::log("γ")).series("share", points(gamma)?))
}

fn table(measured: &Measured) -> Table {
    let design = &measured.design;
    let caption = format!(
        "Matrices: {}, starts for each: {}, rank {}, {}, h {}; medians, with M = ½(X + Y)",
        design.instances, design.starts, design.rank, design.algorithm, design.regulariser
    );
    let columns = columns(design.symmetric_at_least.is_some());
    let headers = ["γ", "asymmetric", "expected"].into_iter();
    let headers =
        headers.chain(columns.iter().map(|(header, _)| *header)).chain(["holds"]).map(unbroken);
    let row = |arm: &MeasuredArm| {
        let mut row: Vec<Cell> = vec![
            unbroken(&arm.arm.label()).into(),
            unbroken(&count(arm.values[&Measure::Asymmetric], arm.runs)).into(),
            expected(arm).into(),
        ];
        row.extend(columns.iter().map(|(_, measure)| Cell::from(rounded(arm.values[measure]))));
        row.push(arm.verdict().map_or("".into(), Cell::from));
        row
    };
    Table::new(caption, headers).rows(measured.arms.iter().map(row))
}

fn columns(with_proof: bool) -> Vec<(&'static str, Measure)> {
    let mut columns = vec![("critical", Measure::Critical)];
    if with_proof {
        columns.push(("proved by F", Measure::Proved));
        columns.push(("least F", Measure::LeastSplitObjective));
    } else {
        columns.push(("F(X, Y; γ)", Measure::SplitObjective));
        columns.push(("F(M, M; γ)", Measure::Objective));
    }
    columns.extend([
        ("‖X − Y‖/‖X‖", Measure::Asymmetry),
        ("iterations", Measure::Iterations),
        ("γ/threshold", Measure::GammaOverThreshold),
    ]);
    columns
}

/// Four digits, so that a table fits its page.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn expected(arm: &MeasuredArm) -> String {
    let expected = arm.arm.expect.get(&Measure::Asymmetric);
    let runs = arm.runs as f64;
    expected.map_or("–".into(), |&[low, high]| interval(low * runs, high * runs))
}
