//! The page that shows a correlation matrix.

use gramfold::{
    Record,
    linalg::{Dense, Mat, Symmetric, dot},
};
use gramfold_cluster::binned;
use gramfold_report::{Heatmap, Item, Page};

use super::claims::{CorrelationClaims, proof};
use crate::{
    convergence::{Names, convergence},
    pages::{BINS, bin_names, names, short},
};

/// Builds the page.
pub(crate) fn page(
    claims: &CorrelationClaims,
    line: &str,
    a: &Mat,
    called: Option<&[String]>,
    x: &Mat,
    trace: &[Record],
) -> Page {
    let n = a.rows();
    let title = format!("The nearest correlation matrix to {}", claims.input.name());
    let names = names(n, called);
    let headline = format!(
        "A correlation matrix of rank {} at a distance of {}",
        claims.rank,
        short(claims.details.distance)
    );
    let certificate = vec![
        if claims.details.optimal {
            Item::good(proof(claims))
        } else {
            Item::finding("Bound", proof(claims))
        },
        Item::text(format!(
            "{} after {} iterations, {:.2} s.",
            claims.status, claims.iterations, claims.cost.seconds
        )),
        Item::command(line),
    ];
    let z = Mat::from_fn(n, n, |i, j| dot(x.row(i), x.row(j)));
    let all = || a.as_slice().iter().chain(z.as_slice()).copied();
    let range = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let pictures = vec![picture("A", a, &names, range), picture("XXᵀ", &z, &names, range)];
    let charts = convergence(trace, &Names { primal: "f(XXᵀ)", dual: "" }, claims.spec.tolerance);
    Page::new(title, format!("{n} variables"))
        .section("Answer", vec![Item::headline(headline)])
        .section("Certificate", certificate)
        .section("Pictures", pictures)
        .section("Convergence", vec![charts.into()])
}

fn picture(title: &str, matrix: &Mat, names: &[String], range: (f64, f64)) -> Item {
    let order: Vec<usize> = (0..matrix.rows()).collect();
    let bins = order.len().min(BINS);
    let symmetric: Symmetric = Dense::symmetrised(matrix.clone()).into();
    let called = bin_names(names, &order, bins);
    Heatmap::new(title, bins, bins, binned(&symmetric, &order, bins).as_slice().to_vec())
        .range(range)
        .row_names(called.clone())
        .col_names(called)
        .into()
}
