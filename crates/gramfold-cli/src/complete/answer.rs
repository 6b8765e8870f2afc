//! A completion as it is written: what is claimed, the files, the summary and the page.

use gramfold::{Spec, certificate::significant, linalg::Symmetric};
use gramfold_learn::{Biases, Choice, Determined, Observations, Score, Trial, predict};
use gramfold_report::{Axis, Cell, Chart, Item, Page, Table};
use serde::{Deserialize, Serialize};

use super::{
    judged::Judged,
    predictions::{Predictions, probability},
};
use crate::{
    answer::{self, Head},
    learn::{Fit, Fitted, Nodes},
    pages::{factor_picture, names, percent, rounded},
    store::{Claims, Part},
};

/// Rows of a table that are shown.
const ROWS: usize = 60;

/// Models that are shown.
const MODELS: usize = 12;

/// Points of a chart of fitted against observed entries.
const POINTS: usize = 2000;

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    /// Entries that are known.
    observations: usize,
    /// How strongly biases are drawn to zero; none if there are no biases.
    pub(crate) shrinkage: Option<f64>,
    /// The errors on entries that were held out; of the model, fitted without them.
    pub(super) held_out: Option<Score>,
    /// The models that were compared.
    pub(crate) trials: Vec<Trial>,
    sampling: Sampling,
    /// Why the data may not determine the answer.
    warning: Option<String>,
    /// How many entries were predicted.
    predictions: usize,
    /// Whether they were asked for.
    pub(crate) pairs_given: bool,
}

/// What counting says of the data.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sampling {
    /// Entries over the unknowns of the factor.
    oversampling: f64,
    /// Nodes with fewer entries than the rank.
    underdetermined: usize,
    /// Groups of nodes that no entry connects.
    components: usize,
}

/// A completion.
pub(crate) struct Answer<'a> {
    pub(crate) fitted: Fitted<'a>,
    pub(crate) entries: &'a Symmetric,
    pub(crate) observed: &'a Observations,
    pub(crate) nodes: &'a Nodes,
    pub(crate) choice: &'a Choice,
    pub(crate) biases: &'a Biases,
    pub(crate) predicted: &'a Predictions,
    /// Whether predictions of certain pairs were asked for.
    pub(crate) pairs_given: bool,
}

impl answer::Answer for Answer<'_> {
    type Spec = Spec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<Spec, Details> {
        let rank = self.fitted.spec.rank;
        let determined = Determined::of(self.observed, rank);
        let details = Details {
            fit: self.fitted.fit(),
            observations: self.observed.len(),
            shrinkage: self.choice.model.shrinkage,
            held_out: self.choice.score,
            trials: self.choice.trials.clone(),
            sampling: Sampling {
                oversampling: determined.oversampling,
                underdetermined: determined.underdetermined.len(),
                components: determined.components,
            },
            warning: determined.warning(rank),
            predictions: self.predicted.list.len(),
            pairs_given: self.pairs_given,
        };
        self.fitted.claims(head, details)
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.push(Part::symmetric("entries", self.entries));
        if self.choice.model.shrinkage.is_some() {
            parts.push(Part::column("biases", self.biases.values()));
        }
        let predictions = self.predicted.csv(self.nodes, self.judged());
        parts.push(Part::bytes("predictions", "predictions.csv", predictions));
        parts.extend(self.nodes.part());
        parts
    }

    fn summary(&self, claims: &Claims<Spec, Details>) -> String {
        let details = &claims.details;
        let n = claims.nodes as f64;
        let mut text = format!(
            "{} nodes, {} of {:.0} entries known ({}); loss {}, rank {}, {}, {}\n",
            claims.nodes,
            details.observations,
            0.5 * n * (n + 1.0),
            percent(details.observations as f64 / (0.5 * n * (n + 1.0))),
            claims.spec.loss,
            claims.rank,
            match claims.spec.regulariser.parameters.get("lambda") {
                Some(lambda) => format!("ridge {}", significant(*lambda)),
                None => "no ridge".into(),
            },
            match details.shrinkage {
                Some(shrinkage) => format!("biases (shrinkage {})", significant(shrinkage)),
                None => "no biases".into(),
            },
        );
        text += &match &details.held_out {
            Some(score) => format!("{}\n", self.judged().line(score)),
            None => "nothing was held out to judge by\n".into(),
        };
        let predicted = if details.pairs_given { "asked for" } else { "the largest missing ones" };
        if details.predictions > 0 {
            text += &format!("{} entries predicted, {predicted}\n", details.predictions);
        }
        text + &format!(
            "{}; objective {}\n{}\n",
            self.fitted.run_in_words(claims),
            significant(claims.objective),
            self.fitted.certificate,
        )
    }

    fn page(&self, claims: &Claims<Spec, Details>, line: &str) -> Page {
        let details = &claims.details;
        let title = format!("Completion of {}", claims.input.name());
        let subtitle = format!(
            "{} nodes, {} entries known, rank {}, loss {}",
            claims.nodes, details.observations, claims.rank, claims.spec.loss
        );
        let mut page = Page::new(title, subtitle)
            .section("Answer", self.answer_section(claims))
            .section("Certificate", self.fitted.result(claims, line));
        if !details.trials.is_empty() {
            page = page.section("Choice of the model", vec![self.trials(claims).into()]);
        }
        let (n, factor) = (self.observed.dim, &self.fitted.solution.factor);
        let order: Vec<usize> = (0..n).collect();
        let x = factor_picture("X", factor, &order, &names(n, self.nodes.names()))
            .caption("Rows in the order of factor.npy");
        page.section("Pictures", vec![vec![self.known_entries()].into(), x.into()])
            .section("Convergence", self.fitted.convergence("f(XYᵀ)"))
    }
}

impl Answer<'_> {
    /// How its predictions are judged.
    fn judged(&self) -> Judged {
        Judged::by(&self.choice.model.loss.name)
    }

    fn answer_section(&self, claims: &Claims<Spec, Details>) -> Vec<Item> {
        let details = &claims.details;
        let headline = match &details.held_out {
            Some(score) => self.judged().headline(score),
            None => format!("A factor of rank {} was fitted", claims.rank),
        };
        let mut items = vec![Item::headline(headline)];
        items.extend(details.held_out.as_ref().map(|score| {
            let further = self.judged().further(score);
            Item::text(format!("Over {} held-out entries: {further}.", score.count))
        }));
        if let Some(warning) = &details.warning {
            items.push(Item::finding("Warning", warning.clone()));
        }
        let title = if details.pairs_given { "Predictions" } else { "The largest missing entries" };
        let probable = self.judged() == Judged::Probabilities;
        let headers = ["i", "j", "prediction", "probability of 1"];
        let mut table = Table::new(title, headers.into_iter().take(3 + usize::from(probable)));
        for &(i, j, value) in self.predicted.list.iter().take(ROWS) {
            let mut cells: Vec<Cell> =
                [self.nodes.name(i), self.nodes.name(j)].map(Cell::from).into();
            cells.push(rounded(value).into());
            if probable {
                cells.push(rounded(probability(value)).into());
            }
            table = table.row(cells);
        }
        if !self.predicted.list.is_empty() {
            items.push(table.into());
        }
        items
    }

    fn trials(&self, claims: &Claims<Spec, Details>) -> Table {
        let mut headers = vec!["rank", "ridge", "biases", "held-out loss"];
        // The root of the mean square says little where the loss is another.
        let errors = self.judged() == Judged::Errors;
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

    /// The known entries beside their fits, in order: what is left of them, or of signs, which of them are met.
    fn known_entries(&self) -> Chart {
        let signs = self.judged().is_by_signs();
        let factor = &self.fitted.solution.factor;
        let entries = self.observed.places.iter().zip(&self.observed.values);
        let mut values: Vec<f64> = entries
            .map(|(&(i, j), b)| {
                let fit = predict(self.biases, factor, i as usize, j as usize);
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
}
