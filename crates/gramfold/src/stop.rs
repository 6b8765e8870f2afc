//! When a run ends, and what that is called.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use crate::Record;

/// The limits of a run. Every measure is relative, so scaling the data changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stop {
    /// Converged needs the stationarity of the split problem at or below this.
    #[serde(with = "crate::extended")]
    pub stationarity: f64,
    /// Converged also needs ‖X − Y‖/‖X‖ at or below this.
    #[serde(with = "crate::extended")]
    pub asymmetry: f64,
    /// Stalled when an iteration changes the factors by less than this share.
    pub change: f64,
    /// The most iterations.
    pub max_iterations: usize,
    /// The longest time.
    pub time_limit: Option<Duration>,
    /// Diverged when ‖X‖ exceeds its start, or the data's scale, by this factor.
    #[serde(with = "crate::extended")]
    pub blow_up: f64,
}

impl Default for Stop {
    fn default() -> Self {
        Self {
            stationarity: 1e-6,
            asymmetry: 1e-6,
            change: 1e-15,
            max_iterations: 10_000,
            time_limit: None,
            blow_up: 1e12,
        }
    }
}

impl Stop {
    /// Both convergence tolerances at once.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.stationarity = tolerance;
        self.asymmetry = tolerance;
        self
    }

    /// The most iterations.
    #[must_use]
    pub fn max_iterations(mut self, limit: usize) -> Self {
        self.max_iterations = limit;
        self
    }

    /// How the run ends at this record, if it does. `size` is ‖X‖ and `reference` its natural size.
    pub(crate) fn check(&self, record: &Record, size: f64, reference: f64) -> Option<Status> {
        if !size.is_finite() || record.split_objective.is_nan() {
            return Some(Status::Diverged(Divergence::NotFinite));
        }
        if reference > 0.0 && size > self.blow_up * reference {
            return Some(Status::Diverged(Divergence::BlowUp));
        }
        if record.iteration == 0 && self.max_iterations > 0 {
            return None; // Algorithm 1 tests after an iteration; a symmetric start proves nothing.
        }
        // A residual that was not measured this time is no evidence, unless none is asked for.
        let stationary = self.stationarity == f64::INFINITY
            || record.stationarity.is_some_and(|s| s <= self.stationarity);
        if record.asymmetry <= self.asymmetry && stationary {
            return Some(Status::Converged);
        }
        if record.change.is_some_and(|change| change <= self.change) {
            return Some(Status::Stalled);
        }
        self.limit(record)
    }

    /// The limit that the run has reached, if any.
    pub(crate) fn limit(&self, record: &Record) -> Option<Status> {
        if record.iteration >= self.max_iterations {
            return Some(Status::MaxIterations);
        }
        if record.iteration == 0 {
            return None;
        }
        match self.time_limit {
            Some(limit) if record.seconds >= limit.as_secs_f64() => Some(Status::TimeLimit),
            _ => None,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Stationary and symmetric to the tolerances.
    Converged,
    /// The factors no longer change, yet a tolerance is not met.
    Stalled,
    /// The iteration limit was reached first.
    MaxIterations,
    /// The time limit was reached first.
    TimeLimit,
    /// An observer asked to stop.
    Interrupted,
    /// The iterates ran away.
    Diverged(Divergence),
}

impl Status {
    /// Whether the clock or an observer ended the run.
    pub fn is_cut_short(self) -> bool {
        matches!(self, Self::TimeLimit | Self::Interrupted)
    }

    /// Whether more iterations would not change it.
    pub(crate) fn is_an_end(self) -> bool {
        !self.is_cut_short() && self != Self::MaxIterations
    }
}

/// What ran away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Divergence {
    /// A NaN or an overflow; the factors are those of the last finite iterate, or of one shortly before.
    NotFinite,
    /// ‖X‖ beyond any sensible size.
    BlowUp,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Stalled => "stalled before the tolerance",
            Self::MaxIterations => "stopped at the iteration limit",
            Self::TimeLimit => "stopped at the time limit",
            Self::Interrupted => "interrupted",
            Self::Diverged(Divergence::NotFinite) => "diverged: a value is no longer finite",
            Self::Diverged(Divergence::BlowUp) => "diverged: the factors blew up",
        })
    }
}
