//! How predictions are judged: that depends on the loss.

use gramfold_learn::{Interval, Score};

use crate::pages::{percent, short};

/// By what predictions are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// How far they are off.
    Errors,
    /// How far they are off, with gross errors among the entries.
    Medians,
    /// Their signs: their sizes are not those of entries.
    Signs,
    /// Their signs, and their sizes tell probabilities.
    Probabilities,
}

impl Judged {
    /// What suits a loss.
    pub(crate) fn by(loss: &str) -> Self {
        match loss {
            "huber" => Self::Medians,
            "logistic" => Self::Probabilities,
            "squared-hinge" | "smoothed-hinge" => Self::Signs,
            _ => Self::Errors,
        }
    }

    /// Whether only signs are compared.
    pub(super) fn is_by_signs(self) -> bool {
        matches!(self, Self::Signs | Self::Probabilities)
    }

    /// The line of the summary: `held-out error 0.9 (95 %: 0.8 to 1) over 50 entries, …`.
    pub(super) fn line(self, score: &Score) -> String {
        let first = match (self, &score.accuracy) {
            (Self::Signs | Self::Probabilities, Some(accuracy)) => {
                let share = percent(accuracy.value);
                format!("{share} of held-out signs right {}", ends(accuracy, percent))
            }
            (Self::Medians, _) => {
                format!("held-out error {} (median)", short(score.median_absolute))
            }
            _ => format!("held-out error {}", error(score)),
        };
        format!("{first} over {} entries, {}", score.count, self.further(score))
    }

    /// The headline of the page.
    pub(super) fn headline(self, score: &Score) -> String {
        match (self, &score.accuracy) {
            (Self::Signs | Self::Probabilities, Some(accuracy)) => {
                let share = percent(accuracy.value);
                format!("{share} of held-out signs are predicted right {}", ends(accuracy, percent))
            }
            (Self::Medians, _) => {
                let median = short(score.median_absolute);
                format!("Half of the held-out entries are predicted to ±{median}")
            }
            _ => format!("Held-out entries are predicted to ±{}", error(score)),
        }
    }

    /// What else held-out entries tell: `mean 0.5 off, …`.
    pub(super) fn further(self, score: &Score) -> String {
        if self.is_by_signs() {
            return format!("mean loss {}", short(score.loss));
        }
        let mut text = format!("mean {} off", short(score.mean_absolute));
        if self == Self::Medians {
            text += &format!(", root of the mean square {}", error(score));
        }
        if let Some(spearman) = score.spearman {
            text += &format!(", Spearman {spearman:.3}");
        }
        if let Some(accuracy) = &score.accuracy {
            let share = percent(accuracy.value);
            text += &format!(", {share} of signs right {}", ends(accuracy, percent));
        }
        text
    }
}

/// The root of the mean square: `0.9 (95 %: 0.8 to 1)`.
fn error(score: &Score) -> String {
    format!("{} {}", short(score.rmse.value), ends(&score.rmse, short))
}

fn ends(interval: &Interval, said: fn(f64) -> String) -> String {
    format!("(95 %: {} to {})", said(interval.low), said(interval.high))
}
