//! The page that shows a solved program and its run.

use gramfold::linalg::{Gram, symmetric_eigen};
use gramfold_report::{Axis, Cell, Chart, Item, Page, Table};
use gramfold_sdp::{Primal, Progress, Sdp, Solution};

use super::claims::SolveClaims;

/// Blocks whose spectra are shown, largest first, and the largest of them.
const SHOWN: usize = 4;
const LARGEST: usize = 1200;

/// Builds the page.
pub(super) fn page(
    claims: &SolveClaims,
    sdp: &Sdp,
    solution: &Solution,
    trace: &[Progress],
) -> Page {
    let name = claims.input.display();
    let rows: usize = sdp.cones().iter().map(|cone| cone.size()).sum();
    let subtitle = format!(
        "{} constraints, {} blocks with {rows} rows in all",
        sdp.constraints(),
        sdp.cones().len()
    );
    let command: Vec<String> = std::env::args().skip(1).collect();
    let mut page = Page::new(format!("The semidefinite program {name}"), subtitle)
        .section("Result", result(claims, solution, &command.join(" ")))
        .section("Convergence", vec![convergence(trace, claims.tolerance).into()]);
    let spectra = spectra(solution);
    if !spectra.is_empty() {
        page = page.section("Spectrum of Z", vec![spectra.into()]);
    }
    page.section("Blocks", vec![blocks(solution).into()])
}

fn result(claims: &SolveClaims, solution: &Solution, command: &str) -> Vec<Item> {
    let words = claims.words.clone();
    let certificate =
        if solution.status.is_answer() { Item::good(words) } else { Item::bad(words) };
    let [e1, e2, e3, e4, e5, e6] = claims.dimacs;
    let bound = claims.dual_bound.map_or(Cell::from("none"), |bound| bound.value.into());
    vec![
        certificate,
        Item::text(format!(
            "{} by the method {} after {} iterations in {:.2} s. Why this method: {}.",
            claims.status, claims.method, claims.iterations, claims.cost.seconds, claims.why
        )),
        Table::new("Objectives, with the signs of the file", ["⟨F₀, Y⟩", "cᵀx", "proved bound"])
            .row(vec![claims.primal_objective.into(), claims.dual_objective.into(), bound])
            .into(),
        Table::new(
            "DIMACS errors",
            ["constraints", "Y ⪰ 0", "slack", "slack ⪰ 0", "gap", "complementarity"],
        )
        .row([e1, e2, e3, e4, e5, e6].map(Cell::from).to_vec())
        .into(),
        Item::command(format!("gramfold {command}")),
    ]
}

fn convergence(trace: &[Progress], tolerance: f64) -> Vec<Chart> {
    let series = |value: &dyn Fn(&Progress) -> Option<f64>| {
        trace
            .iter()
            .filter_map(|step| Some((step.iteration as f64, value(step)?)))
            .collect::<Vec<_>>()
    };
    let axis = || Axis::linear("iteration");
    let gap = |p: &Progress| {
        let scale = 1.0 + p.primal_objective.abs() + p.dual_objective.abs();
        Some((p.primal_objective - p.dual_objective).abs() / scale)
    };
    let mut charts = vec![
        Chart::new("Objectives")
            .x(axis())
            .y(Axis::linear("with the signs of the file"))
            .series("⟨F₀, Y⟩", series(&|p| Some(-p.primal_objective)))
            .series("cᵀx", series(&|p| Some(-p.dual_objective))),
        Chart::new("Infeasibilities and gap")
            .x(axis())
            .y(Axis::log("relative"))
            .series("constraints", series(&|p| Some(p.primal_infeasibility)))
            .series("slack", series(&|p| p.dual_infeasibility))
            .series("gap of the objectives", series(&gap))
            .mark_y(tolerance, "tolerance"),
    ];
    let ranks = series(&|p| p.rank.map(|rank| rank as f64));
    if !ranks.is_empty() {
        let chart = Chart::new("Rank").x(axis()).y(Axis::linear("columns"));
        charts.push(chart.series("rank", ranks));
    }
    let gammas = series(&|p| p.gamma);
    if !gammas.is_empty() {
        charts.push(
            Chart::new("γ and its threshold")
                .x(axis())
                .y(Axis::log("γ"))
                .series("γ", gammas)
                .series("threshold", series(&|p| p.threshold)),
        );
    }
    charts
}

/// The eigenvalues of the largest blocks, largest first.
pub(crate) fn spectra(solution: &Solution) -> Vec<Chart> {
    let mut blocks: Vec<(usize, &Primal)> = solution.point.primal.iter().enumerate().collect();
    let size = |block: &Primal| match block {
        Primal::Factor(r) => r.rows(),
        Primal::Dense(z) => z.rows(),
        Primal::Diagonal(z) => z.len(),
    };
    blocks.sort_by_key(|(i, block)| (std::cmp::Reverse(size(block)), *i));
    let mut charts = Vec::new();
    for (i, block) in blocks.into_iter().take(SHOWN) {
        let values = match block {
            Primal::Factor(r) => symmetric_eigen(Gram::new(r.cols()).of(r, r)).map(|e| e.values),
            Primal::Dense(z) if z.rows() <= LARGEST => symmetric_eigen(z).map(|e| e.values),
            Primal::Dense(_) => None,
            Primal::Diagonal(z) => {
                let mut sorted = z.clone();
                sorted.sort_by(f64::total_cmp);
                Some(sorted)
            }
        };
        let Some(values) = values.filter(|values| values.iter().any(|v| *v > 0.0)) else {
            continue;
        };
        let points = values.iter().rev().enumerate().filter(|(_, value)| **value > 0.0);
        let points = points.map(|(k, value)| ((k + 1) as f64, *value)).collect();
        charts.push(
            Chart::new(format!("Block {}", i + 1))
                .x(Axis::linear("number"))
                .y(Axis::log("eigenvalue"))
                .series("eigenvalues of Z", points),
        );
    }
    charts
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
