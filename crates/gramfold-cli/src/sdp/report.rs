//! The charts that show how a program was solved.

use gramfold::linalg::{Gram, symmetric_eigen};
use gramfold_report::{Axis, Chart};
use gramfold_sdp::{Primal, Progress, Solution};

/// Blocks whose spectra are shown, largest first, and the largest of them.
const SHOWN: usize = 4;
const LARGEST: usize = 1200;

/// What the objectives are called, in a question that is a maximum.
pub(crate) struct Objectives<'a> {
    pub(crate) title: &'a str,
    pub(crate) axis: &'a str,
    pub(crate) primal: &'a str,
    pub(crate) dual: &'a str,
}

/// Objectives, errors, ranks and γ against the iterations.
pub(crate) fn convergence(
    names: &Objectives<'_>,
    trace: &[Progress],
    tolerance: f64,
) -> Vec<Chart> {
    let series = |value: &dyn Fn(&Progress) -> Option<f64>| {
        trace
            .iter()
            .filter_map(|step| Some((step.iteration as f64, value(step)?)))
            .collect::<Vec<_>>()
    };
    let axis = || Axis::linear("iteration");
    let mut charts = vec![
        Chart::new(names.title)
            .x(axis())
            .y(Axis::linear(names.axis))
            .series(names.primal, series(&|p| Some(-p.primal_objective)))
            .series(names.dual, series(&|p| Some(-p.dual_objective))),
        Chart::new("Infeasibilities and gap")
            .x(axis())
            .y(Axis::log("relative"))
            .series("constraints", series(&|p| Some(p.primal_infeasibility)))
            .series("slack", series(&|p| p.dual_infeasibility))
            .series("gap of the objectives", series(&|p| Some(p.relative_gap)))
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
