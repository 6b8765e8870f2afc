//! The page that shows a cut and its bound.

use gramfold::linalg::Csr;
use gramfold_report::{Cell, Heatmap, Item, Page, Table};
use gramfold_sdp::{Progress, Solution, rounding::Cut};

use super::{
    Question,
    claims::{CutClaims, words},
};
use crate::{
    convergence::{Names, convergence},
    pages::{BINS, bin_names, drawing, names, percent, weight},
    sdp::spectra,
};

/// What the page shows.
pub(crate) struct Shown<'a> {
    pub(crate) claims: &'a CutClaims,
    /// The command as it was typed.
    pub(crate) line: &'a str,
    pub(crate) question: Question,
    pub(crate) graph: &'a Csr,
    pub(crate) cut: &'a Cut,
    pub(crate) solution: &'a Solution,
    pub(crate) trace: &'a [Progress],
    pub(crate) names: Option<&'a [String]>,
}

/// Builds the page.
pub(crate) fn page(shown: &Shown<'_>) -> Page {
    let Shown { claims, question, graph, cut, .. } = *shown;
    let names = names(graph.dim(), shown.names);
    let title = format!("{} {}", question.title(), claims.input.name());
    let subtitle = format!("{} nodes, {} edges", claims.nodes, claims.details.edges);
    let objectives = Names { primal: "relaxation", dual: "dual" };
    let mut charts = convergence(shown.trace, &objectives, claims.spec.program.tolerance);
    charts.extend(spectra(shown.solution));
    Page::new(title, subtitle)
        .section("Answer", answer(shown, &names))
        .section("Certificate", certificate(claims, question, shown.line))
        .section("Picture", vec![picture(graph, cut, &names).into()])
        .section("The relaxation", vec![charts.into()])
}

/// The cut, how good it can be, and where it goes through.
fn answer(shown: &Shown<'_>, names: &[String]) -> Vec<Item> {
    let Shown { claims, graph, cut, .. } = *shown;
    let found = weight(claims.objective);
    let headline = match (claims.bound.map(|bound| weight(bound.value)), shown.question) {
        (None, _) => format!("A cut of {found}, not bounded"),
        (Some(_), _) if claims.details.optimal => format!("A cut of {found}: no other is better"),
        (Some(bound), Question::MaxCut) => {
            let share = claims.details.ratio.map_or(String::new(), |r| format!(", {}", percent(r)));
            format!("A cut of {found} of at most {bound}{share}")
        }
        (Some(bound), Question::Bisection) => {
            format!("A cut of {found}, where at least {bound} is needed")
        }
    };
    let groups: Vec<usize> = cut.side.iter().map(|side| usize::from(*side)).collect();
    let called = vec!["side 0".into(), "side 1".into()];
    let mut items = vec![Item::headline(headline), sides(claims, graph, cut).into()];
    items.extend(drawing(&graph.clone().into(), names, &groups, called).map(Item::from));
    items
}

fn certificate(claims: &CutClaims, question: Question, line: &str) -> Vec<Item> {
    let words = words(question, claims);
    let number = |value: Option<f64>| value.map_or(Cell::from("none"), Cell::from);
    vec![
        if claims.status.is_answer() { Item::good(words) } else { Item::bad(words) },
        Item::text(format!(
            "The relaxation was {} by the method {} after {} iterations; {} hyperplanes were rounded; {:.2} s in all.",
            claims.status,
            claims.details.program.method,
            claims.iterations,
            claims.spec.planes,
            claims.cost.seconds
        )),
        Table::new("Weights", ["cut", "proved bound", "cut/bound", "relaxation", "relative gap"])
            .row(vec![
                claims.objective.into(),
                number(claims.bound.map(|bound| bound.value)),
                number(claims.details.ratio),
                claims.details.relaxation.into(),
                number(claims.details.program.certificate.relative_gap),
            ])
            .into(),
        Item::command(line),
    ]
}

/// Mean weights between groups of nodes, one side first.
fn picture(graph: &Csr, cut: &Cut, names: &[String]) -> Heatmap {
    let n = graph.dim();
    let bins = n.min(BINS);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| cut.side[i]);
    let mut place = vec![0; n];
    order.iter().enumerate().for_each(|(at, &i)| place[i] = at * bins / n);
    let mut sums = vec![0.0; bins * bins];
    for i in 0..n {
        for (j, weight) in graph.row(i) {
            sums[place[i] * bins + place[j]] += weight.abs();
        }
    }
    let first = cut.side.iter().filter(|side| !**side).count();
    let called = bin_names(names, &order, bins);
    Heatmap::new("Weights, one side before the other", bins, bins, sums)
        .caption(
            "Absolute weights between groups of nodes; what is cut lies off the diagonal blocks",
        )
        .row_names(called.clone())
        .col_names(called)
        .breaks(vec![first * bins / n])
}

fn sides(claims: &CutClaims, graph: &Csr, cut: &Cut) -> Table {
    let mut within = [0.0; 2];
    for i in 0..graph.dim() {
        for (j, weight) in graph.row(i).filter(|&(j, _)| j < i) {
            if cut.side[i] == cut.side[j] {
                within[usize::from(cut.side[i])] += weight;
            }
        }
    }
    let mut table = Table::new("Sides", ["side", "nodes", "weight within"]);
    for (side, within) in within.into_iter().enumerate() {
        let cells = vec![
            Cell::from(side.to_string()),
            Cell::from(claims.details.sizes[side] as f64),
            within.into(),
        ];
        table = table.row(cells);
    }
    table
}
