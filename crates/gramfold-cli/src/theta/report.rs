//! The page that shows a Lovász number and how it was found.

use gramfold_report::{Cell, Item, Page, Table};
use gramfold_sdp::{Progress, Solution};

use super::claims::{ThetaClaims, words};
use crate::{
    convergence::{Names, convergence},
    pages::trimmed,
    sdp::spectra,
};

/// Builds the page.
pub(crate) fn page(
    claims: &ThetaClaims,
    line: &str,
    solution: &Solution,
    trace: &[Progress],
) -> Page {
    let symbol = claims.spec.symbol();
    let title = format!("{symbol} of {}", claims.input.name());
    let subtitle = format!("{} nodes, {} edges", claims.nodes, claims.details.edges);
    let names = Names { primal: "⟨J, Z⟩", dual: "dual" };
    let mut page = Page::new(title, subtitle)
        .section("Answer", answer(claims))
        .section("Certificate", certificate(claims, line))
        .section(
            "Convergence",
            vec![convergence(trace, &names, claims.spec.program.tolerance).into()],
        );
    let spectra = spectra(solution);
    if !spectra.is_empty() {
        page = page.section("Spectrum of Z", vec![spectra.into()]);
    }
    page
}

fn answer(claims: &ThetaClaims) -> Vec<Item> {
    let symbol = claims.spec.symbol();
    let at_most = match claims.bound {
        Some(bound) => format!(", at most {} (proved)", trimmed(bound.value)),
        None => ", not bounded".into(),
    };
    let theta = trimmed(claims.objective);
    let most = claims.details.independent_at_most;
    vec![
        Item::headline(format!("{symbol} = {theta}{at_most}")),
        Item::text(format!("No set of nodes without an edge between them has more than {most}.")),
    ]
}

fn certificate(claims: &ThetaClaims, line: &str) -> Vec<Item> {
    let words = words(claims).replace('\n', "; ");
    let bound = |value: Option<f64>| value.map_or(Cell::from("none"), Cell::from);
    vec![
        if claims.status.is_answer() { Item::good(words) } else { Item::bad(words) },
        Item::text(format!("{}.", claims.details.program.words(claims))),
        Table::new(
            "The number and its proof",
            [
                claims.spec.symbol(),
                "proved upper bound",
                "relative gap",
                "independent nodes at most",
            ],
        )
        .row(vec![
            claims.objective.into(),
            bound(claims.bound.map(|bound| bound.value)),
            bound(claims.relative_gap),
            Cell::from(claims.details.independent_at_most.to_string()),
        ])
        .into(),
        Item::command(line),
    ]
}
