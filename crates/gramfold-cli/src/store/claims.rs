//! What is claimed of an answer, in one form for every command.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use gramfold::{Divergence, certificate::Proof};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::hash;
use crate::resources::{Cost, Timings};

/// The version of the directory's format.
pub const FORMAT: u32 = 3;

/// The file that holds the claims.
pub const SOLUTION: &str = "solution.json";

/// What that file is called in the lists of files.
pub(super) const SOLUTION_ROLE: &str = "solution";

/// The files of a directory: what each holds, and its name there.
pub type Files = BTreeMap<String, String>;

/// All that is claimed. `S` is how the run was asked for, `D` what only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claims<S = Value, D = Map<String, Value>> {
    /// The version of the directory's format.
    pub format: u32,
    /// The command: `factor`, `cluster`, `solve`, …
    pub command: String,
    /// The version of gramfold that wrote this.
    pub version: String,
    /// The file that was read.
    pub input: Input,
    /// How the run was asked for.
    pub spec: S,
    /// How it ended.
    pub status: Status,
    /// What was minimised or maximised, at the answer.
    #[serde(with = "gramfold::extended")]
    pub objective: f64,
    /// What no answer is better than, and how that is proved.
    pub bound: Option<Bound>,
    /// How far the objective is from the bound; negative where an infeasible answer passes it.
    pub gap: Option<f64>,
    /// The gap relative to 1 + |objective| + |bound|; of a semidefinite program its unit takes the place of 1.
    pub relative_gap: Option<f64>,
    /// Columns of the factor; of the largest block, where there are several.
    pub rank: usize,
    /// Rows of the matrix that was learned: the nodes of a graph.
    pub nodes: usize,
    /// Completed iterations.
    pub iterations: usize,
    /// What was said of the files that were read.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What was warned of.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// What it took.
    #[serde(flatten)]
    pub cost: Cost,
    /// What each part of the work took, of commands that time them.
    #[serde(default, skip_serializing_if = "Timings::is_empty")]
    pub timings: Timings,
    /// The names of the files in the directory.
    pub files: Files,
    /// The SHA-256 of each of them; of this one that of all its claims but this hash.
    pub sha256: Files,
    /// What only this command has to say.
    #[serde(flatten)]
    pub details: D,
}

impl<S, D> Claims<S, D> {
    /// Sets the objective, the bound and the gap between them, relative to 1 and both.
    #[must_use]
    pub fn valued(self, objective: f64, bound: Option<Bound>) -> Self {
        self.valued_in(1.0, objective, bound)
    }

    /// As [`Claims::valued`], relative to the unit of the objective and both.
    #[must_use]
    pub fn valued_in(mut self, unit: f64, objective: f64, bound: Option<Bound>) -> Self {
        self.objective = objective;
        self.bound = bound;
        self.gap = bound.map(|bound| bound.gap(objective)).filter(|gap| gap.is_finite());
        self.relative_gap = self
            .gap
            .zip(bound)
            .map(|(gap, bound)| gap / (unit + objective.abs() + bound.value.abs()));
        self
    }
}

/// A file that was read, and its content in a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// As it was named; `-` for the standard input.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of its bytes, as `sha256sum` prints it.
    pub sha256: String,
}

impl Input {
    /// What it is called in a title: the name of the file, without the directories above it.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match self.path.file_name() {
            Some(name) if self.path != Path::new("-") => name.to_string_lossy(),
            Some(_) => "the standard input".into(),
            None => self.path.to_string_lossy(),
        }
    }

    /// Reads the file for its hash. `named` is what the user called it.
    pub fn of(path: &Path, named: &Path) -> std::io::Result<Self> {
        let (bytes, sha256) = hash::sha256_of_file(path)?;
        Ok(Self { path: named.to_owned(), bytes, sha256 })
    }
}

/// What no answer is better than.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The bound.
    pub value: f64,
    /// Whether it is below or above every objective.
    pub side: Side,
    /// How it is proved: `kind`, and of a probabilistic proof its `failure`.
    #[serde(flatten)]
    pub proof: Proof,
}

/// Nine digits, rounded such that what is said is a bound, too.
impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = digits(self.value);
        let sign = if self.side == Side::Lower { -1.0 } else { 1.0 };
        let short = said.parse().is_ok_and(|said: f64| sign * said < sign * self.value);
        let half = 0.5 * 10_f64.powf(self.value.abs().log10().floor() - 8.0);
        f.write_str(&if short { digits(self.value + sign * half) } else { said })
    }
}

/// Nine significant digits, as the tables of the literature have.
pub(crate) fn digits(value: f64) -> String {
    if value != 0.0 && (value.abs() < 1e-3 || value.abs() >= 1e9) {
        return format!("{value:.8e}");
    }
    if value.fract() == 0.0 {
        return value.to_string();
    }
    let whole = value.abs().log10().floor();
    let decimals = (8.0 - whole).clamp(0.0, 10.0) as usize;
    format!("{value:.decimals$}")
}

impl Bound {
    /// How far an objective is from it.
    pub fn gap(self, objective: f64) -> f64 {
        match self.side {
            Side::Lower => objective - self.value,
            Side::Upper => self.value - objective,
        }
    }
}

/// Which side of the objective a bound is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Of a minimum.
    Lower,
    /// Of a maximum.
    Upper,
}

/// How a run ended, whatever the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Stationary and symmetric to the tolerances.
    Converged,
    /// Feasible, and the gap to a proved bound is within the tolerance.
    Solved,
    /// A ray proves that the primal problem has no feasible point.
    PrimalInfeasible,
    /// A ray proves that the dual problem has none.
    DualInfeasible,
    /// No further progress, yet a tolerance is not met.
    Stalled,
    /// The iterations were used up.
    MaxIterations,
    /// The time was used up.
    TimeLimit,
    /// Someone asked to stop.
    Interrupted,
    /// A value is no longer finite.
    NotFinite,
    /// The factors ran away.
    BlewUp,
}

impl Status {
    /// Whether the question is answered: exit code 0.
    pub fn is_answer(self) -> bool {
        matches!(
            self,
            Self::Converged | Self::Solved | Self::PrimalInfeasible | Self::DualInfeasible
        )
    }
}

impl From<gramfold::Status> for Status {
    fn from(status: gramfold::Status) -> Self {
        match status {
            gramfold::Status::Converged => Self::Converged,
            gramfold::Status::MaxIterations => Self::MaxIterations,
            gramfold::Status::TimeLimit => Self::TimeLimit,
            gramfold::Status::Interrupted => Self::Interrupted,
            gramfold::Status::Diverged(Divergence::NotFinite) => Self::NotFinite,
            gramfold::Status::Diverged(Divergence::BlowUp) => Self::BlewUp,
            // Whatever else there will be is no answer.
            _ => Self::Stalled,
        }
    }
}

impl From<gramfold_sdp::Status> for Status {
    fn from(status: gramfold_sdp::Status) -> Self {
        match status {
            gramfold_sdp::Status::Solved => Self::Solved,
            gramfold_sdp::Status::PrimalInfeasible => Self::PrimalInfeasible,
            gramfold_sdp::Status::DualInfeasible => Self::DualInfeasible,
            gramfold_sdp::Status::MaxIterations => Self::MaxIterations,
            gramfold_sdp::Status::TimeLimit => Self::TimeLimit,
            gramfold_sdp::Status::Interrupted => Self::Interrupted,
            gramfold_sdp::Status::Stalled => Self::Stalled,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Solved => "solved",
            Self::PrimalInfeasible => "primal infeasible",
            Self::DualInfeasible => "dual infeasible",
            Self::Stalled => "stalled before the tolerance",
            Self::MaxIterations => "stopped at the iteration limit",
            Self::TimeLimit => "stopped at the time limit",
            Self::Interrupted => "interrupted",
            Self::NotFinite => "diverged: a value is no longer finite",
            Self::BlewUp => "diverged: the factors blew up",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_bound_holds() {
        let said = |value: f64, side| Bound { value, side, proof: Proof::Rigorous }.to_string();
        assert_eq!(said(17.784_627_41, Side::Upper), "17.7846275");
        assert_eq!(said(17.784_627_41, Side::Lower), "17.7846274");
        assert_eq!(said(-8.999_995_791_4, Side::Upper), "-8.99999579");
        assert_eq!(said(-8.999_995_791_4, Side::Lower), "-8.99999580");
        assert_eq!([said(20.0, Side::Upper), said(0.0, Side::Lower)], ["20", "0"]);
        for value in [1e-7 / 3.0, -2e12 / 7.0, 99.999_999_999_9] {
            let [low, high] = [Side::Lower, Side::Upper].map(|side| said(value, side));
            let (low, high): (f64, f64) = (low.parse().unwrap(), high.parse().unwrap());
            assert!(
                low <= value && value <= high && high - low < 2e-8 * value.abs(),
                "{low} {high}"
            );
        }
    }
}
