//! One step of a run, as the line and the estimate of the time left see it.

use gramfold::Record;
use gramfold_sdp::Progress;
use serde::{Serialize, de::DeserializeOwned};

use crate::convergence::{Drawing, Names};

/// What an engine tells of one step.
pub(crate) trait Step: Clone + Serialize + DeserializeOwned {
    /// Completed iterations.
    fn iteration(&self) -> usize;

    /// Seconds since the run began.
    fn seconds(&self) -> f64;

    /// The largest residual of those that must fall below the tolerance, where it was measured.
    fn residual(&self) -> Option<f64>;

    /// What is said of it, the most important first. `sign` is −1 where the question is a maximum.
    fn pieces(&self, sign: f64) -> Vec<String>;

    /// The series of a drawing, and their values where there are any: as many for each step.
    fn drawn(&self, drawing: Drawing, names: &Names) -> Vec<(&'static str, Option<f64>)>;
}

impl Step for Record {
    fn iteration(&self) -> usize {
        self.iteration
    }

    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn residual(&self) -> Option<f64> {
        self.stationarity.map(|stationarity| stationarity.max(self.asymmetry))
    }

    fn pieces(&self, _: f64) -> Vec<String> {
        vec![
            format!("iteration {}", self.iteration),
            format!("F {:.6e}", self.split_objective),
            format!("‖X−Y‖/‖X‖ {:.1e}", self.asymmetry),
            self.stationarity.map_or(String::new(), |s| format!("residual {s:.1e}")),
            format!("γ {:.3e}", self.gamma),
        ]
    }

    fn drawn(&self, drawing: Drawing, names: &Names) -> Vec<(&'static str, Option<f64>)> {
        match drawing {
            Drawing::Objective => vec![(names.primal, Some(self.loss))],
            Drawing::Residuals => {
                vec![("stationarity", self.stationarity), ("‖X−Y‖/‖X‖", Some(self.asymmetry))]
            }
            Drawing::Rank => Vec::new(),
            Drawing::Penalty => vec![("γ", Some(self.gamma)), ("threshold", self.threshold)],
        }
    }
}

impl Step for Progress {
    fn iteration(&self) -> usize {
        self.iteration
    }

    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn residual(&self) -> Option<f64> {
        Some(
            self.relative_gap
                .max(self.primal_infeasibility)
                .max(self.dual_infeasibility.unwrap_or(0.0)),
        )
    }

    fn pieces(&self, sign: f64) -> Vec<String> {
        vec![
            format!("iteration {}", self.iteration),
            format!("objective {:.6e}", sign * self.primal_objective),
            format!("infeasibility {:.1e}", self.primal_infeasibility),
            format!("dual {:.6e}", sign * self.dual_objective),
            self.rank.map_or(String::new(), |rank| format!("rank {rank}")),
            self.gamma.map_or(String::new(), |gamma| format!("γ {gamma:.2e}")),
        ]
    }

    fn drawn(&self, drawing: Drawing, names: &Names) -> Vec<(&'static str, Option<f64>)> {
        match drawing {
            Drawing::Objective => vec![
                (names.primal, Some(self.primal_objective)),
                (names.dual, Some(self.dual_objective)),
            ],
            Drawing::Residuals => vec![
                ("constraints", Some(self.primal_infeasibility)),
                ("slack", self.dual_infeasibility),
                ("gap of the objectives", Some(self.relative_gap)),
            ],
            Drawing::Rank => vec![("rank", self.rank.map(|rank| rank as f64))],
            Drawing::Penalty => vec![("γ", self.gamma), ("threshold", self.threshold)],
        }
    }
}
