//! The page that shows a solved program and its run.

use gramfold_report::{Cell, Item, Page, Table};
use gramfold_sdp::{Progress, Sdp, Solution};

use super::claims::SolveClaims;
use crate::{
    convergence::{Names, convergence},
    sdp::spectra,
};

/// The objectives, with the signs of the file.
const NAMES: Names = Names { primal: "⟨F₀, Y⟩", dual: "cᵀx", sign: -1.0 };

/// Builds the page.
pub(super) fn page(
    claims: &SolveClaims,
    line: &str,
    sdp: &Sdp,
    solution: &Solution,
    trace: &[Progress],
) -> Page {
    let name = claims.input.path.display();
    let rows: usize = sdp.cones().iter().map(|cone| cone.size()).sum();
    let subtitle = format!(
        "{} constraints, {} blocks with {rows} rows in all",
        sdp.constraints(),
        sdp.cones().len()
    );
    let mut page = Page::new(format!("The semidefinite program {name}"), subtitle)
        .section("Result", result(claims, line))
        .section("Convergence", vec![convergence(trace, &NAMES, claims.spec.tolerance).into()]);
    let spectra = spectra(solution);
    if !spectra.is_empty() {
        page = page.section("Spectrum of Z", vec![spectra.into()]);
    }
    page.section("Blocks", vec![blocks(solution).into()])
}

fn result(claims: &SolveClaims, line: &str) -> Vec<Item> {
    let words = claims.details.words.clone();
    let certificate = if claims.status.is_answer() { Item::good(words) } else { Item::bad(words) };
    let bound = claims.bound.map_or(Cell::from("none"), |bound| bound.value.into());
    vec![
        certificate,
        Item::text(format!("{}.", claims.details.program.words(claims))),
        Table::new("Objectives, with the signs of the file", ["⟨F₀, Y⟩", "cᵀx", "proved bound"])
            .row(vec![claims.objective.into(), claims.details.dual_objective.into(), bound])
            .into(),
        Table::new(
            "DIMACS errors",
            ["constraints", "Y ⪰ 0", "slack", "slack ⪰ 0", "gap", "complementarity"],
        )
        .row(claims.details.program.dimacs.map(Cell::from).to_vec())
        .into(),
        Item::command(line),
    ]
}

fn blocks(solution: &Solution) -> Table {
    let header = [
        "block",
        "rank of Z",
        "smallest eigenvalue of the slack",
        "proved bound",
        "trace of Z at most",
    ];
    let mut table = Table::new("What is known of each block", header);
    for (i, (block, rank)) in solution.certificate.blocks.iter().zip(&solution.ranks).enumerate() {
        let cells = vec![
            Cell::from((i + 1).to_string()),
            Cell::from(rank.to_string()),
            block.slack.estimate.into(),
            block.slack.bound.into(),
            block.trace.map_or(Cell::from("not bounded"), Cell::from),
        ];
        table = table.row(cells);
        if i + 1 == 200 {
            break;
        }
    }
    table
}
