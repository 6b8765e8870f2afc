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
    sdp::spectra,
};

/// The most rows of the picture.
const BINS: usize = 240;

/// Builds the page.
pub(super) fn page(
    claims: &CutClaims,
    line: &str,
    question: Question,
    graph: &Csr,
    cut: &Cut,
    solution: &Solution,
    trace: &[Progress],
) -> Page {
    let title = format!("{} {}", question.title(), claims.input.path.display());
    let subtitle = format!("{} nodes, {} edges", claims.nodes, claims.details.edges);
    let names = Names { primal: "relaxation", dual: "dual", sign: question.weight(1.0) };
    let mut charts = convergence(trace, &names, claims.spec.program.tolerance);
    charts.extend(spectra(solution));
    Page::new(title, subtitle)
        .section("Result", result(claims, question, line))
        .section("The cut", vec![picture(graph, cut).into(), sides(claims, graph, cut).into()])
        .section("The relaxation", vec![charts.into()])
}

fn result(claims: &CutClaims, question: Question, line: &str) -> Vec<Item> {
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
fn picture(graph: &Csr, cut: &Cut) -> Heatmap {
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
    Heatmap::new("Weights, one side before the other", bins, bins, sums)
        .caption(
            "Absolute weights between groups of nodes; what is cut lies off the diagonal blocks",
        )
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
            Cell::from(claims.details.sizes[side].to_string()),
            within.into(),
        ];
        table = table.row(cells);
    }
    table
}
