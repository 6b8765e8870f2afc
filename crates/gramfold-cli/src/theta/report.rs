//! The page that shows a Lovász number and how it was found.

use gramfold_report::{Axis, Cell, Chart, Item, Page, Table};
use gramfold_sdp::{Progress, Solution};

use super::claims::ThetaClaims;
use crate::solve::report::spectra;

/// Builds the page.
pub(super) fn page(claims: &ThetaClaims, solution: &Solution, trace: &[Progress]) -> Page {
    let symbol = claims.symbol();
    let title = format!("{symbol} of {}", claims.input.display());
    let subtitle = format!("{} nodes, {} edges", claims.nodes, claims.edges);
    let command: Vec<String> = std::env::args().skip(1).collect();
    let mut page = Page::new(title, subtitle)
        .section("Result", result(claims, &command.join(" ")))
        .section("Convergence", vec![convergence(claims, trace).into()]);
    let spectra = spectra(solution);
    if !spectra.is_empty() {
        page = page.section("Spectrum of Z", vec![spectra.into()]);
    }
    page
}

fn result(claims: &ThetaClaims, command: &str) -> Vec<Item> {
    let words = claims.words().replace('\n', "; ");
    let bound = |value: Option<f64>| value.map_or(Cell::from("none"), Cell::from);
    let most = claims.independent_at_most.map_or("not bounded".into(), |most| most.to_string());
    vec![
        if claims.status.is_answer() { Item::good(words) } else { Item::bad(words) },
        Item::text(format!(
            "{} by the method {} after {} iterations in {:.2} s: {}.",
            claims.status, claims.method, claims.iterations, claims.cost.seconds, claims.why
        )),
        Table::new(
            "The number and its proof",
            [claims.symbol(), "proved upper bound", "relative gap", "independent nodes at most"],
        )
        .row(vec![
            claims.theta.into(),
            bound(claims.bound),
            bound(claims.relative_gap),
            Cell::from(most),
        ])
        .into(),
        Item::command(format!("gramfold {command}")),
    ]
}

fn convergence(claims: &ThetaClaims, trace: &[Progress]) -> Vec<Chart> {
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
        Chart::new("From below and above")
            .x(axis())
            .y(Axis::linear(claims.symbol()))
            .series("⟨J, Z⟩", series(&|p| Some(-p.primal_objective)))
            .series("dual", series(&|p| Some(-p.dual_objective))),
        Chart::new("Infeasibility and gap")
            .x(axis())
            .y(Axis::log("relative"))
            .series("constraints", series(&|p| Some(p.primal_infeasibility)))
            .series("gap of the objectives", series(&gap))
            .mark_y(claims.tolerance, "tolerance"),
    ];
    let ranks = series(&|p| p.rank.map(|rank| rank as f64));
    if !ranks.is_empty() {
        let chart = Chart::new("Rank").x(axis()).y(Axis::linear("columns"));
        charts.push(chart.series("rank", ranks));
    }
    charts
}
