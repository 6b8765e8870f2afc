//! The page that shows what was recovered.

use gramfold::{Record, linalg::Mat};
use gramfold_learn::Measurements;
use gramfold_report::{Axis, Chart, Item, Page};

use super::{claims::RecoverClaims, image};
use crate::{
    factorisation::charts,
    learn::result,
    pages::{factor_picture, names, short},
};

/// Measurements beyond which only the first are drawn.
const DRAWN: usize = 3000;

/// Builds the page.
pub(super) fn page(
    claims: &RecoverClaims,
    line: &str,
    measured: &Measurements,
    x: &Mat,
    trace: &[Record],
) -> Page {
    let details = &claims.details;
    let title = format!("Recovered from {}", claims.input.name());
    let subtitle =
        format!("{} measurements of {} unknowns", details.measurements, details.unknowns);
    let answer = vec![Item::headline(format!(
        "The measurements are met to {} of their size",
        short(details.relative_residual)
    ))];
    let pairs = measured.targets.iter().copied().zip(image(measured, x)).take(DRAWN).collect();
    let fit = Chart::new("Measured and explained")
        .x(Axis::linear("b"))
        .y(Axis::linear("⟨A, XXᵀ⟩"))
        .points("measurements", pairs);
    let column = |j: usize| x.column(j).enumerate().map(|(i, v)| (i as f64, v)).collect();
    let picture: Item = if claims.rank == 1 {
        let signal = Chart::new("X, up to its sign").x(Axis::count("row")).y(Axis::linear("x"));
        vec![signal.series("x", column(0))].into()
    } else {
        let order: Vec<usize> = (0..x.rows()).collect();
        factor_picture("X", x, &order, &names(x.rows(), None)).into()
    };
    Page::new(title, subtitle)
        .section("Answer", answer)
        .section("Certificate", result(claims, &details.fit, line))
        .section("Pictures", vec![vec![fit].into(), picture])
        .section("Convergence", vec![charts(claims.spec.stop.stationarity, trace).into()])
}
