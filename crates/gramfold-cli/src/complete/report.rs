//! The page that shows the predictions and how good they are.

use gramfold::{Record, linalg::Mat};
use gramfold_learn::{Biases, Observations, Trial, predict};
use gramfold_report::{Axis, Cell, Chart, Item, Page, Table};

use super::{
    claims::{CompleteClaims, further},
    predictions::Predictions,
};
use crate::{
    convergence::{Names, convergence},
    learn::{self, Nodes},
    pages::{factor_picture, names, rounded, short},
};

/// Rows of a table that are shown.
const ROWS: usize = 60;

/// Models that are shown.
const MODELS: usize = 12;

/// Points of a chart of fitted against observed entries.
const POINTS: usize = 2000;

/// What the page shows.
pub(super) struct Shown<'a> {
    pub(super) claims: &'a CompleteClaims,
    /// The command as it was typed.
    pub(super) line: &'a str,
    pub(super) nodes: &'a Nodes,
    pub(super) observed: &'a Observations,
    pub(super) biases: &'a Biases,
    pub(super) factor: &'a Mat,
    pub(super) predictions: &'a Predictions,
    pub(super) trace: &'a [Record],
}

/// Builds the page.
pub(super) fn page(shown: &Shown<'_>) -> Page {
    let claims = shown.claims;
    let details = &claims.details;
    let title = format!("Completion of {}", claims.input.name());
    let subtitle = format!(
        "{} nodes, {} entries known, rank {}, loss {}",
        claims.nodes, details.observations, claims.rank, claims.spec.loss
    );
    let charts = convergence(
        shown.trace,
        &Names { primal: "f(XYᵀ)", dual: "" },
        claims.spec.stop.stationarity,
    );
    let mut page = Page::new(title, subtitle)
        .section("Answer", answer(shown))
        .section("Certificate", learn::result(claims, &details.fit, shown.line));
    if !details.trials.is_empty() {
        page = page.section("Choice of the model", vec![trials(claims).into()]);
    }
    page.section("Pictures", pictures(shown)).section("Convergence", vec![charts.into()])
}

fn answer(shown: &Shown<'_>) -> Vec<Item> {
    let details = &shown.claims.details;
    let headline = match &details.held_out {
        Some(score) => format!(
            "Held-out entries are predicted to ±{} (95 %: {} to {})",
            short(score.rmse.value),
            short(score.rmse.low),
            short(score.rmse.high)
        ),
        None => format!("A factor of rank {} was fitted", shown.claims.rank),
    };
    let mut items = vec![Item::headline(headline)];
    items.extend(details.held_out.as_ref().map(|score| {
        Item::text(format!("Over {} held-out entries: {}.", score.count, further(score)))
    }));
    if let Some(warning) = &details.warning {
        items.push(Item::finding("Warning", warning.clone()));
    }
    let title = if details.pairs_given { "Predictions" } else { "The largest missing entries" };
    let mut table = Table::new(title, ["i", "j", "prediction"]);
    for &(i, j, value) in shown.predictions.list.iter().take(ROWS) {
        let names = [shown.nodes.name(i), shown.nodes.name(j)].map(Cell::from);
        table = table.row(names.into_iter().chain([rounded(value).into()]).collect());
    }
    if !shown.predictions.list.is_empty() {
        items.push(table.into());
    }
    items
}

fn trials(claims: &CompleteClaims) -> Table {
    let headers = ["rank", "ridge", "biases", "held-out loss", "held-out error"];
    let mut trials: Vec<&Trial> = claims.details.trials.iter().collect();
    // The best first, and each once: a ridge may be tried before and after the rank was chosen.
    trials.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    trials.dedup_by(|a, b| (a.rank, a.ridge, a.shrinkage) == (b.rank, b.ridge, b.shrinkage));
    let mut table = Table::new("Models that were tried, the best first", headers);
    for trial in trials.into_iter().take(MODELS) {
        table = table.row(vec![
            Cell::from(trial.rank as f64),
            rounded(trial.ridge).into(),
            trial.shrinkage.map_or(Cell::from("none"), Cell::from),
            rounded(trial.loss).into(),
            rounded(trial.rmse).into(),
        ]);
    }
    table
}

fn pictures(shown: &Shown<'_>) -> Vec<Item> {
    let n = shown.observed.dim;
    let order: Vec<usize> = (0..n).collect();
    let names = names(n, shown.nodes.names());
    let x = factor_picture("X", shown.factor, &order, &names)
        .caption("Rows in the order of factor.npy");
    // Residuals in order: a straight middle and heavy ends are gross errors.
    let mut residuals: Vec<f64> = shown
        .observed
        .places
        .iter()
        .zip(&shown.observed.values)
        .map(|(&(i, j), b)| b - predict(shown.biases, shown.factor, i as usize, j as usize))
        .collect();
    residuals.sort_by(f64::total_cmp);
    let step = residuals.len().div_ceil(POINTS).max(1);
    let share = |k: usize| (k as f64 + 0.5) / residuals.len() as f64;
    let points = residuals.iter().enumerate().step_by(step).map(|(k, r)| (share(k), *r)).collect();
    let chart = Chart::new("Residuals of the known entries, in order")
        .x(Axis::linear("share of the entries"))
        .y(Axis::linear("entry − fit"))
        .series("residual", points);
    vec![vec![chart].into(), x.into()]
}
