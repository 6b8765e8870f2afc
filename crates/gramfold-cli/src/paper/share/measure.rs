//! What is measured over the runs of an arm.

use serde::{Deserialize, Serialize};

use super::sample::Sample;

/// X and Y differ if ‖X − Y‖/‖X‖ exceeds this.
const ASYMMETRIC: f64 = 1e-4;

/// A limit counts as critical if its stationarity is at most this.
const CRITICAL: f64 = 1e-8;

/// F proves something only if it is below a bound by more than rounding explains.
const ROUNDING: f64 = 1e-9;

/// A number that summarises the runs of an arm, and that a file may expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Measure {
    /// The share of runs that end with ‖X − Y‖/‖X‖ > 10⁻⁴.
    Asymmetric,
    /// The share of those that are critical points, stationarity ≤ 10⁻⁸.
    Critical,
    /// The share of all runs whose F proves them asymmetric.
    Proved,
    /// The median of ‖X − Y‖/‖X‖.
    Asymmetry,
    /// The median stationarity of (X, Y).
    Stationarity,
    /// The median of f + h at ½(X + Y).
    Objective,
    /// The median of F(X, Y; γ).
    SplitObjective,
    /// The least F(X, Y; γ).
    LeastSplitObjective,
    /// The median number of iterations.
    Iterations,
    /// The median of the last γ.
    Gamma,
    /// The median of the last γ over Theorem 1's threshold at the limit.
    GammaOverThreshold,
}

impl Measure {
    /// All of them, in the order of a table.
    pub(crate) const ALL: [Self; 11] = [
        Self::Asymmetric,
        Self::Critical,
        Self::Proved,
        Self::Asymmetry,
        Self::Stationarity,
        Self::Objective,
        Self::SplitObjective,
        Self::LeastSplitObjective,
        Self::Iterations,
        Self::Gamma,
        Self::GammaOverThreshold,
    ];

    /// Its name in files and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Asymmetric => "asymmetric",
            Self::Critical => "critical",
            Self::Proved => "proved",
            Self::Asymmetry => "asymmetry",
            Self::Stationarity => "stationarity",
            Self::Objective => "objective",
            Self::SplitObjective => "split_objective",
            Self::LeastSplitObjective => "least_split_objective",
            Self::Iterations => "iterations",
            Self::Gamma => "gamma",
            Self::GammaOverThreshold => "gamma_over_threshold",
        }
    }

    /// Its value over runs; NaN where there is nothing to measure.
    pub(crate) fn of(self, samples: &[Sample], symmetric_at_least: Option<f64>) -> f64 {
        let median_of = |value: fn(&Sample) -> f64| median(samples.iter().map(value).collect());
        match self {
            Self::Asymmetric => share(samples, is_asymmetric),
            Self::Critical => {
                let asymmetric: Vec<_> =
                    samples.iter().filter(|s| is_asymmetric(s)).copied().collect();
                share(&asymmetric, |s| s.stationarity <= CRITICAL)
            }
            Self::Proved => symmetric_at_least.map_or(f64::NAN, |least| {
                share(samples, |s| s.split_objective < least - ROUNDING * least.abs())
            }),
            Self::Asymmetry => median_of(|s| s.asymmetry),
            Self::Stationarity => median_of(|s| s.stationarity),
            Self::Objective => median_of(|s| s.objective),
            Self::SplitObjective => median_of(|s| s.split_objective),
            Self::LeastSplitObjective => {
                samples.iter().map(|s| s.split_objective).fold(f64::INFINITY, f64::min)
            }
            Self::Iterations => median_of(|s| s.iterations as f64),
            Self::Gamma => median_of(|s| s.gamma),
            Self::GammaOverThreshold => median_of(|s| s.gamma / s.threshold),
        }
    }
}

/// A run whose factors are no longer finite has not become symmetric either.
fn is_asymmetric(sample: &Sample) -> bool {
    sample.asymmetry.is_nan() || sample.asymmetry > ASYMMETRIC
}

fn share(samples: &[Sample], holds: impl Fn(&Sample) -> bool) -> f64 {
    samples.iter().filter(|sample| holds(sample)).count() as f64 / samples.len() as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[middle],
        _ => 0.5 * (values[middle - 1] + values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn names_are_those_of_files() {
        for measure in Measure::ALL {
            assert_eq!(serde_json::to_value(measure).unwrap(), measure.name());
        }
    }

    #[test]
    fn a_lost_run_is_asymmetric_but_not_critical() {
        let lost = Sample { asymmetry: f64::NAN, stationarity: f64::NAN, ..Sample::default() };
        let samples = [lost, Sample::default()];
        assert_eq!(Measure::Asymmetric.of(&samples, None), 0.5);
        assert_eq!(Measure::Critical.of(&samples, None), 0.0);
        assert!(Measure::Proved.of(&samples, None).is_nan());
    }
}
