//! What `metric` claims.

use gramfold::Spec;
use gramfold_learn::MetricModel;
use serde::{Deserialize, Serialize};

use crate::{learn::Fit, pages::percent, store::Claims};

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    pub(crate) model: MetricModel,
    /// What was learnt from: `comparisons` or `pairs`, and how many.
    pub(crate) known: String,
    pub(crate) compared: usize,
    /// Whether features were taken in units of their deviations.
    pub(crate) standardised: bool,
    /// Of held-out points, where classes are known.
    pub(crate) accuracy: Option<Accuracy>,
}

/// How often the nearest neighbours vote for the right class.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Accuracy {
    /// The neighbours that vote.
    pub(crate) neighbours: usize,
    /// The parts that were held out, one after the other.
    pub(crate) folds: usize,
    /// In the Euclidean metric.
    pub(crate) before: f64,
    /// In the metric that was learnt without them.
    pub(crate) after: f64,
}

pub(crate) type MetricClaims = Claims<Spec, Details>;

impl Details {
    pub(crate) fn of(
        fit: Fit,
        model: MetricModel,
        compared: usize,
        standardised: bool,
        loss: &str,
        accuracy: Option<Accuracy>,
    ) -> Self {
        let known = if loss == "pairs" { "pairs" } else { "comparisons" };
        Self { fit, model, known: known.into(), compared, standardised, accuracy }
    }
}

impl Accuracy {
    /// `3 nearest neighbours of held-out points: 94.8 % right before, 96.7 % after`.
    pub(crate) fn words(&self) -> String {
        format!(
            "{} nearest neighbours of held-out points ({} parts): {} right before, {} after",
            self.neighbours,
            self.folds,
            percent(self.before),
            percent(self.after)
        )
    }
}

/// The summary for a person.
pub(super) fn summary(claims: &MetricClaims) -> String {
    let details = &claims.details;
    let mut text =
        format!("L: {}x{}; {} {}\n", claims.nodes, claims.rank, details.compared, details.known);
    if let Some(accuracy) = &details.accuracy {
        text += &format!("{}\n", accuracy.words());
    }
    text + &format!("{}\n{}\n", details.fit.run_in_words(claims), details.fit.certificate)
}
