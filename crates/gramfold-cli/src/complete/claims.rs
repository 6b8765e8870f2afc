//! What is said of a completion, as JSON and in words.

use gramfold::{Spec, certificate::significant};
use gramfold_learn::{Determined, Score, Trial};
use serde::{Deserialize, Serialize};

use super::judged::Judged;
use crate::{learn::Fit, pages::percent, store::Claims};

/// The claims of `complete`.
pub(crate) type CompleteClaims = Claims<Spec, Completed>;

/// What only `complete` claims.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Completed {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    /// Entries that are known.
    pub(crate) observations: usize,
    /// How strongly biases are drawn to zero; none if there are no biases.
    pub(crate) shrinkage: Option<f64>,
    /// The errors on entries that were held out; of the model, fitted without them.
    pub(crate) held_out: Option<Score>,
    /// The models that were compared.
    pub(crate) trials: Vec<Trial>,
    pub(crate) sampling: Sampling,
    /// Why the data may not determine the answer.
    pub(crate) warning: Option<String>,
    /// How many entries were predicted.
    pub(crate) predictions: usize,
    /// Whether they were asked for.
    pub(crate) pairs_given: bool,
}

/// What counting says of the data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Sampling {
    /// Entries over the unknowns of the factor.
    pub(crate) oversampling: f64,
    /// Nodes with fewer entries than the rank.
    pub(crate) underdetermined: usize,
    /// Groups of nodes that no entry connects.
    pub(crate) components: usize,
}

impl Sampling {
    pub(crate) fn of(determined: &Determined) -> Self {
        Self {
            oversampling: determined.oversampling,
            underdetermined: determined.underdetermined.len(),
            components: determined.components,
        }
    }
}

/// The summary for a person.
pub(super) fn summary(claims: &CompleteClaims) -> String {
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
        Some(score) => format!("{}\n", Judged::by(&claims.spec.loss.name).line(score)),
        None => "nothing was held out to judge by\n".into(),
    };
    let predicted = if details.pairs_given { "asked for" } else { "the largest missing ones" };
    if details.predictions > 0 {
        text += &format!("{} entries predicted, {predicted}\n", details.predictions);
    }
    text + &format!(
        "{}; objective {}\n{}\n",
        details.fit.run_in_words(claims),
        significant(claims.objective),
        details.fit.certificate,
    )
}
