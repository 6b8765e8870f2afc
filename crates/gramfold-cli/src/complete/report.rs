//! The page that shows the predictions and how good they are.

use gramfold_learn::{Trial, predict};
use gramfold_report::{Axis, Cell, Chart, Item, Page, Table};

use super::{
    answer::Answer,
    claims::{CompleteClaims, further},
};
use crate::{
    factorisation::charts,
    learn::result,
    pages::{factor_picture, names, rounded, short},
};

/// Rows of a table that are shown.
const ROWS: usize = 60;

/// Models that are shown.
const MODELS: usize = 12;

/// Points of a chart of fitted against observed entries.
const POINTS: usize = 2000;

/// Builds the page.
pub(super) fn page(shown: &Answer<'_>, claims: &CompleteClaims, line: &str) -> Page {
    let details = &claims.details;
    let title = format!("Completion of {}", claims.input.name());
    let subtitle = format!(
        "{} nodes, {} entries known, rank {}, loss {}",
        claims.nodes, details.observations, claims.rank, claims.spec.loss
    );
    let charts = charts(claims.spec.stop.stationarity, shown.fitted.trace);
    let mut page = Page::new(title, subtitle)
        .section("Answer", answer(shown, claims))
        .section("Certificate", result(claims, &details.fit, line));
    if !details.trials.is_empty() {
        page = page.section("Choice of the model", vec![trials(claims).into()]);
    }
    page.section("Pictures", pictures(shown)).section("Convergence", vec![charts.into()])
}

fn answer(shown: &Answer<'_>, claims: &CompleteClaims) -> Vec<Item> {
    let details = &claims.details;
    let headline = match &details.held_out {
        Some(score) => format!(
            "Held-out entries are predicted to ±{} (95 %: {} to {})",
            short(score.rmse.value),
            short(score.rmse.low),
            short(score.rmse.high)
        ),
        None => format!("A factor of rank {} was fitted", claims.rank),
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
    for &(i, j, value) in shown.predicted.list.iter().take(ROWS) {
        let names = [shown.nodes.name(i), shown.nodes.name(j)].map(Cell::from);
        table = table.row(names.into_iter().chain([rounded(value).into()]).collect());
    }
    if !shown.predicted.list.is_empty() {
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

fn pictures(shown: &Answer<'_>) -> Vec<Item> {
    let (n, factor) = (shown.observed.dim, &shown.fitted.solution.factor);
    let order: Vec<usize> = (0..n).collect();
    let names = names(n, shown.nodes.names());
    let x = factor_picture("X", factor, &order, &names).caption("Rows in the order of factor.npy");
    // Residuals in order: a straight middle and heavy ends are gross errors.
    let mut residuals: Vec<f64> = shown
        .observed
        .places
        .iter()
        .zip(&shown.observed.values)
        .map(|(&(i, j), b)| b - predict(shown.biases, factor, i as usize, j as usize))
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
