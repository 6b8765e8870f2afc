//! How a run ended, judged by the certificate and not by the engine.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Infeasibility and the gap to a proved bound are both within the tolerance.
    Solved,
    /// A ray proves that no Z is feasible.
    PrimalInfeasible,
    /// A ray proves that no y is feasible; a feasible Z would have an objective without bound.
    DualInfeasible,
    /// Floating point allows no further progress.
    Stalled,
    /// The iterations were used up.
    MaxIterations,
    /// The time was used up.
    TimeLimit,
    /// Someone asked to stop.
    Interrupted,
}

impl Status {
    /// Whether the question is answered: solved, or proved to have no solution.
    pub fn is_answer(self) -> bool {
        matches!(self, Self::Solved | Self::PrimalInfeasible | Self::DualInfeasible)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Solved => "solved",
            Self::PrimalInfeasible => "primal infeasible",
            Self::DualInfeasible => "dual infeasible",
            Self::Stalled => "stalled before the tolerance",
            Self::MaxIterations => "stopped at the most iterations",
            Self::TimeLimit => "stopped at the time limit",
            Self::Interrupted => "interrupted",
        })
    }
}
