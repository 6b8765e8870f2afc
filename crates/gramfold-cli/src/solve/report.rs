//! The page that shows a solved program and its run.

use gramfold_report::{Cell, Item, Page, Table};
use gramfold_sdp::{Progress, Sdp, Solution};

use super::claims::SolveClaims;
use crate::{
    convergence::{Names, convergence},
    pages::{rounded, trimmed},
    sdp::{counted, spectra},
    store::Status,
};

/// What the file calls the objectives.
const NAMES: Names = Names { primal: "⟨F₀, Y⟩", dual: "cᵀx" };

/// Builds the page.
pub(crate) fn page(
    claims: &SolveClaims,
    line: &str,
    sdp: &Sdp,
    solution: &Solution,
    trace: &[Progress],
) -> Page {
    let name = claims.input.name();
    let rows: usize = sdp.cones().iter().map(|cone| cone.size()).sum();
    let subtitle = format!(
        "{}, {} with {rows} rows in all",
        counted(sdp.constraints(), "constraint"),
        counted(sdp.cones().len(), "block")
    );
    let mut page = Page::new(format!("The semidefinite program {name}"), subtitle)
        .section("Answer", answer(claims))
        .section("Certificate", certificate(claims, line))
        .section("Convergence", vec![convergence(trace, &NAMES, claims.spec.tolerance).into()]);
    let spectra = spectra(solution);
    if !spectra.is_empty() {
        page = page.section("Spectrum of Z", vec![spectra.into()]);
    }
    page.section("Blocks", vec![blocks(solution).into()])
}

/// The optimum and its bound, or that there is none.
fn answer(claims: &SolveClaims) -> Vec<Item> {
    let objective = trimmed(claims.objective);
    let bound = claims.bound.map(|bound| trimmed(bound.value));
    let headline = match (claims.status, bound) {
        (Status::PrimalInfeasible | Status::DualInfeasible, _) => {
            "The program is infeasible".to_owned()
        }
        (Status::Solved, Some(bound)) => {
            format!("⟨F₀, Y⟩ = {objective}, at most {bound} (proved)")
        }
        (_, Some(bound)) => format!("⟨F₀, Y⟩ = {objective} so far, at most {bound} (proved)"),
        (_, None) => format!("⟨F₀, Y⟩ = {objective} so far, not bounded"),
    };
    vec![Item::headline(headline)]
}

fn certificate(claims: &SolveClaims, line: &str) -> Vec<Item> {
    let words = claims.details.words.clone();
    let certificate = match claims.status {
        Status::PrimalInfeasible | Status::DualInfeasible => Item::finding("Infeasible", words),
        status if status.is_answer() => Item::good(words),
        _ => Item::bad(words),
    };
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
        .row(claims.details.program.dimacs.map(|error| Cell::from(rounded(error))).to_vec())
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
            rounded(block.slack.estimate).into(),
            rounded(block.slack.bound).into(),
            block.trace.map_or(Cell::from("not bounded"), Cell::from),
        ];
        table = table.row(cells);
        if i + 1 == 200 {
            break;
        }
    }
    table
}
