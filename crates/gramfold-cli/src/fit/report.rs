//! The page that shows a factor that was fitted.

use gramfold::{
    Record, Spec,
    bounds::{Bound, Role},
    linalg::Mat,
};
use gramfold_report::{Cell, Item, Page, Table};

use super::Details;
use crate::{
    factorisation::charts,
    learn::{Nodes, result},
    pages::{factor_picture, names, short},
    store::Claims,
};

/// Builds the page.
pub(super) fn page(
    claims: &Claims<Spec, Details>,
    line: &str,
    nodes: &Nodes,
    x: &Mat,
    bounds: &[Bound],
    trace: &[Record],
) -> Page {
    let (spec, fit) = (&claims.spec, &claims.details.fit);
    let title = format!("A fit of {}", claims.input.name());
    let names = names(claims.nodes, nodes.names());
    let order: Vec<usize> = (0..claims.nodes).collect();
    let row = |name: &str, value: String| vec![Cell::from(name.to_owned()), Cell::from(value)];
    let table = Table::new("The problem", ["part", "value"])
        .row(row("loss", spec.loss.to_string()))
        .row(row("data", spec.data.clone()))
        .row(row("regulariser", spec.regulariser.to_string()))
        .row(row("algorithm", spec.algorithm.to_string()))
        .row(row("rule", spec.rule.to_string()))
        .row(vec!["f".into(), fit.loss.into()])
        .row(vec!["h".into(), fit.regularisation.into()]);
    let headline = format!("f + h = {}", short(claims.objective));
    Page::new(title, format!("{} rows, rank {}", claims.nodes, claims.rank))
        .section("Answer", vec![Item::headline(headline), table.into()])
        .section("Certificate", result(claims, fit, line))
        .section("γ", vec![claims.details.constants.table().into(), table_of(bounds).into()])
        .section("Pictures", vec![factor_picture("X", x, &order, &names).into()])
        .section("Convergence", vec![charts(spec.stop.stationarity, trace).into()])
}

/// Every bound on γ, or what it would need.
fn table_of(bounds: &[Bound]) -> Table {
    let table =
        Table::new("Bounds on γ, from the start of the run", ["bound", "γ above", "formula"]);
    bounds.iter().filter(|bound| bound.role != Role::AsPrinted).fold(table, |table, bound| {
        let value = match (bound.value, bound.fails) {
            (Some(value), _) => Cell::from(value.max(0.0)),
            (None, fails) => format!("needs {}", fails.unwrap_or_default()).into(),
        };
        table.row(vec![bound.name.into(), value, bound.formula.into()])
    })
}
