//! An example: its panels and its limits.

use gramfold_report::{Cell, Item, Table};

use super::panels::panels;
use crate::paper::{
    limits::{Limit, Measured},
    number::short,
};

/// What the section of an example shows.
pub(crate) fn items(measured: &Measured) -> Vec<Item> {
    let run = "As the experiments must have been run: the paper's limits and ours";
    let printed = "With the rules as the paper prints them: the paper's limits and ours";
    vec![
        Item::text(&measured.design.explanation),
        panels(measured, "run").into(),
        Item::text("Curves end where they leave 10⁻⁴⁰ … 10⁸⁰, and where x = y to the last bit."),
        table(measured, "run", run).into(),
        table(measured, "printed", printed).into(),
    ]
}

fn table(measured: &Measured, reading: &str, caption: &str) -> Table {
    let headers =
        ["rule", "as", "γ, paper", "γ, ours", "x, paper", "x, ours", "y, paper", "y, ours", "same"];
    let limits = measured.limits.iter().filter(|limit| limit.reading == reading);
    Table::new(caption, headers).rows(limits.map(|limit| row(measured, limit)))
}

fn row(measured: &Measured, limit: &Limit) -> Vec<Cell> {
    let rule = measured.design.rules.iter().find(|rule| rule.name == limit.rule);
    let reading = rule.and_then(|rule| rule.readings.iter().find(|r| r.name == limit.reading));
    let printed = &limit.printed;
    let ours = |value| if limit.wanders() { "wanders".into() } else { minus(&short(value)) };
    vec![
        limit.rule.as_str().into(),
        reading.map_or("", |reading| reading.rule.name.as_str()).into(),
        minus(printed.gamma.text()).into(),
        ours(limit.gamma).into(),
        minus(printed.x.text()).into(),
        ours(limit.x).into(),
        minus(printed.y.text()).into(),
        ours(limit.y).into(),
        limit.matches().into(),
    ]
}

/// A number with true minus signs, at which lines are not broken.
fn minus(number: &str) -> String {
    number.replace('-', "−")
}
