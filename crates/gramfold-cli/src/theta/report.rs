//! The page that shows a Lovász number and how it was found.

use gramfold_report::{Cell, Item, Page, Table};
use gramfold_sdp::{Progress, Solution};

use super::claims::ThetaClaims;
use crate::sdp::{Objectives, command, convergence, spectra};

/// Builds the page.
pub(super) fn page(claims: &ThetaClaims, solution: &Solution, trace: &[Progress]) -> Page {
    let symbol = claims.symbol();
    let title = format!("{symbol} of {}", claims.run.input.display());
    let subtitle = format!("{} nodes, {} edges", claims.nodes, claims.edges);
    let names =
        Objectives {
            title: "From below and above", axis: symbol, primal: "⟨J, Z⟩", dual: "dual"
        };
    let mut page = Page::new(title, subtitle)
        .section("Result", result(claims))
        .section("Convergence", vec![convergence(&names, trace, claims.run.tolerance).into()]);
    let spectra = spectra(solution);
    if !spectra.is_empty() {
        page = page.section("Spectrum of Z", vec![spectra.into()]);
    }
    page
}

fn result(claims: &ThetaClaims) -> Vec<Item> {
    let words = claims.words().replace('\n', "; ");
    let bound = |value: Option<f64>| value.map_or(Cell::from("none"), Cell::from);
    let most = claims.independent_at_most.map_or("not bounded".into(), |most| most.to_string());
    vec![
        if claims.run.status.is_answer() { Item::good(words) } else { Item::bad(words) },
        Item::text(format!("{}.", claims.run.words())),
        Table::new(
            "The number and its proof",
            [claims.symbol(), "proved upper bound", "relative gap", "independent nodes at most"],
        )
        .row(vec![
            claims.theta.into(),
            bound(claims.bound),
            bound(claims.run.relative_gap),
            Cell::from(most),
        ])
        .into(),
        Item::command(command()),
    ]
}
