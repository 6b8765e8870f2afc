//! The charts that show how a run went, whatever the engine.

use gramfold_report::{Axis, Chart};

use crate::step::Step;

/// What is drawn of every run that has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Drawing {
    Objective,
    Residuals,
    Rank,
    Penalty,
}

/// What the objectives are called.
pub(crate) struct Names {
    pub(crate) primal: &'static str,
    pub(crate) dual: &'static str,
}

impl Drawing {
    const ALL: [Self; 4] = [Self::Objective, Self::Residuals, Self::Rank, Self::Penalty];

    fn chart(self, names: &Names, tolerance: f64) -> Chart {
        let chart = |title: &str, y| Chart::new(title).x(Axis::count("iteration")).y(y);
        match self {
            Self::Objective => {
                let title = format!("Objective: how far from the last {}", names.primal);
                chart(&title, Axis::log("distance"))
            }
            Self::Residuals => {
                chart("Residuals", Axis::log("relative")).mark_y(tolerance, "tolerance")
            }
            Self::Rank => chart("Rank", Axis::linear("columns")),
            Self::Penalty => chart("γ and its threshold", Axis::log("γ")),
        }
    }
}

/// Objectives, residuals, ranks and γ against the iterations, as far as the engine has them.
pub(crate) fn convergence<T: Step>(trace: &[T], names: &Names, tolerance: f64) -> Vec<Chart> {
    // From the start on: an answer from before it, far above all others, would flatten the rest.
    let making = trace.iter().take_while(|step| step.iteration() == 0).count().saturating_sub(1);
    let trace = &trace[making..];
    let charts = Drawing::ALL.into_iter().filter_map(|drawing| {
        let of = |step: &T| step.drawn(drawing, names);
        let series = trace.first().map_or(Vec::new(), of);
        let last = trace.last().and_then(|step| of(step).first()?.1).unwrap_or(0.0);
        // Distances on a logarithmic axis: the first iterates would flatten the objectives themselves.
        let shown = |value: f64| match drawing {
            Drawing::Objective => Some((value - last).abs()).filter(|distance| *distance > 0.0),
            _ => Some(value),
        };
        let mut chart = drawing.chart(names, tolerance);
        let mut drawn: Vec<f64> = Vec::new();
        for (place, (name, _)) in series.into_iter().enumerate() {
            let point = |step: &T| Some((step.iteration() as f64, shown(of(step)[place].1?)?));
            let points: Vec<_> = trace.iter().filter_map(point).collect();
            let logarithmic = drawing != Drawing::Rank;
            let values = points.iter().map(|point| point.1);
            drawn.extend(values.filter(|value| !logarithmic || *value > 0.0));
            chart = chart.series(name, points);
        }
        // One point, or always the same number, says nothing.
        drawn.iter().any(|value| *value != drawn[0]).then_some(chart)
    });
    charts.collect()
}
