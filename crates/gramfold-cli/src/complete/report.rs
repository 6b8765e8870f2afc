//! The page that shows the predictions and how good they are.

use gramfold_learn::{Trial, predict};
use gramfold_report::{Axis, Cell, Chart, Item, Page, Table};

use super::{answer::Answer, claims::CompleteClaims, judged::Judged, predictions::probability};
use crate::{
    factorisation::charts,
    learn::result,
    pages::{factor_picture, names, rounded},
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
        page = page.section("Choice of the model", vec![trials(shown, claims).into()]);
    }
    page.section("Pictures", pictures(shown)).section("Convergence", vec![charts.into()])
}

fn answer(shown: &Answer<'_>, claims: &CompleteClaims) -> Vec<Item> {
    let details = &claims.details;
    let headline = match &details.held_out {
        Some(score) => shown.judged().headline(score),
        None => format!("A factor of rank {} was fitted", claims.rank),
    };
    let mut items = vec![Item::headline(headline)];
    items.extend(details.held_out.as_ref().map(|score| {
        let further = shown.judged().further(score);
        Item::text(format!("Over {} held-out entries: {further}.", score.count))
    }));
    if let Some(warning) = &details.warning {
        items.push(Item::finding("Warning", warning.clone()));
    }
    let title = if details.pairs_given { "Predictions" } else { "The largest missing entries" };
    let probable = shown.judged() == Judged::Probabilities;
    let headers = ["i", "j", "prediction", "probability of 1"];
    let mut table = Table::new(title, headers.into_iter().take(3 + usize::from(probable)));
    for &(i, j, value) in shown.predicted.list.iter().take(ROWS) {
        let mut cells: Vec<Cell> =
            [shown.nodes.name(i), shown.nodes.name(j)].map(Cell::from).into();
        cells.push(rounded(value).into());
        if probable {
            cells.push(rounded(probability(value)).into());
        }
        table = table.row(cells);
    }
    if !shown.predicted.list.is_empty() {
        items.push(table.into());
    }
    items
}

fn trials(shown: &Answer<'_>, claims: &CompleteClaims) -> Table {
    let mut headers = vec!["rank", "ridge", "biases", "held-out loss"];
    // The root of the mean square says little where the loss is another.
    let errors = shown.judged() == Judged::Errors;
    if errors {
        headers.push("held-out error");
    }
    let mut trials: Vec<&Trial> = claims.details.trials.iter().collect();
    // The best first, and each once: a ridge may be tried before and after the rank was chosen.
    trials.sort_by(|a, b| a.loss.total_cmp(&b.loss));
    trials.dedup_by(|a, b| (a.rank, a.ridge, a.shrinkage) == (b.rank, b.ridge, b.shrinkage));
    let mut table = Table::new("Models that were tried, the best first", headers);
    for trial in trials.into_iter().take(MODELS) {
        let mut cells = vec![
            Cell::from(trial.rank as f64),
            rounded(trial.ridge).into(),
            trial.shrinkage.map_or(Cell::from("none"), Cell::from),
            rounded(trial.loss).into(),
        ];
        if errors {
            cells.push(rounded(trial.rmse).into());
        }
        table = table.row(cells);
    }
    table
}

fn pictures(shown: &Answer<'_>) -> Vec<Item> {
    let (n, factor) = (shown.observed.dim, &shown.fitted.solution.factor);
    let order: Vec<usize> = (0..n).collect();
    let names = names(n, shown.nodes.names());
    let x = factor_picture("X", factor, &order, &names).caption("Rows in the order of factor.npy");
    vec![vec![known_entries(shown)].into(), x.into()]
}

/// The known entries beside their fits, in order: what is left of them, or of signs, which of them are met.
fn known_entries(shown: &Answer<'_>) -> Chart {
    let signs = shown.judged().is_by_signs();
    let factor = &shown.fitted.solution.factor;
    let entries = shown.observed.places.iter().zip(&shown.observed.values);
    let mut values: Vec<f64> = entries
        .map(|(&(i, j), b)| {
            let fit = predict(shown.biases, factor, i as usize, j as usize);
            if signs { b * fit } else { b - fit }
        })
        .collect();
    values.sort_by(f64::total_cmp);
    let step = values.len().div_ceil(POINTS).max(1);
    let share = |k: usize| (k as f64 + 0.5) / values.len() as f64;
    let points = values.iter().enumerate().step_by(step).map(|(k, r)| (share(k), *r)).collect();
    let share = Axis::linear("share of the entries");
    if signs {
        return Chart::new("Known entries times their fits, in order")
            .x(share)
            .y(Axis::linear("entry · fit"))
            .series("entry · fit", points)
            .mark_y(0.0, "below, the sign is wrong");
    }
    // A straight middle and heavy ends are gross errors.
    Chart::new("Residuals of the known entries, in order")
        .x(share)
        .y(Axis::linear("entry − fit"))
        .series("residual", points)
}
