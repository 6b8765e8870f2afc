//! The page that shows a factor and how it was found.

use gramfold::{
    Record, Spec,
    linalg::{Mat, Symmetric},
};
use gramfold_cluster::binned;
use gramfold_report::{Cell, Heatmap, Item, Page, Table};

use crate::{
    factorisation::{Factorisation, charts},
    learn::result,
    pages::{BINS, bin_names, factor_picture, names, percent},
    store::Claims,
};

type FactorClaims = Claims<Spec, Factorisation>;

/// Builds the page.
pub(crate) fn page(
    claims: &FactorClaims,
    line: &str,
    matrix: &Symmetric,
    node_names: Option<&[String]>,
    factor: &Mat,
    trace: &[Record],
) -> Page {
    let n = matrix.dim();
    let names = names(n, node_names);
    let order: Vec<usize> = (0..n).collect();
    let title = format!("A factor of {}", claims.input.name());
    let subtitle = format!("{n} rows, {} columns, {}", claims.rank, claims.spec.regulariser);
    let charts = charts(claims.spec.stop.stationarity, trace);
    Page::new(title, subtitle)
        .section("Answer", answer(claims))
        .section("Certificate", result(claims, &claims.details.fit, line))
        .section("Pictures", pictures(matrix, factor, &order, &names))
        .section("Convergence", vec![charts.into()])
}

fn answer(claims: &FactorClaims) -> Vec<Item> {
    let explained = 1.0 - claims.details.relative_error * claims.details.relative_error;
    vec![
        Item::headline(format!(
            "XXᵀ with {} columns holds {} of ‖A‖²",
            claims.rank,
            percent(explained.max(0.0))
        )),
        Table::new(
            "The answer X = factor.npy",
            ["½‖A − XXᵀ‖²", "‖A − XXᵀ‖/‖A‖", "h(X)", "least possible", "iterations"],
        )
        .row(vec![
            claims.details.fit.loss.into(),
            claims.details.relative_error.into(),
            claims.details.fit.regularisation.into(),
            claims.bound.map_or(Cell::from("not known"), |bound| bound.value.into()),
            Cell::from(claims.iterations as f64),
        ])
        .into(),
    ]
}

fn pictures(matrix: &Symmetric, factor: &Mat, order: &[usize], names: &[String]) -> Vec<Item> {
    let bins = order.len().min(BINS);
    let called = bin_names(names, order, bins);
    let means = |matrix: &Symmetric| binned(matrix, order, bins).as_slice().to_vec();
    let a = Heatmap::new("A", bins, bins, means(matrix))
        .row_names(called.clone())
        .col_names(called)
        .caption(
            "Means of entries where there are many; rows and columns in the order of the file",
        );
    let x = factor_picture("X", factor, order, names).caption("Rows in the same order");
    vec![a.into(), x.into()]
}
