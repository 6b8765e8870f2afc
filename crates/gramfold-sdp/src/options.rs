//! What to solve with, how well and for how long.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{Point, State};

/// An engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The one that suits the structure of the problem.
    #[default]
    Auto,
    /// A primal–dual interior-point method: small blocks or many constraints.
    Interior,
    /// Z = RRᵀ in an augmented Lagrangian: large blocks and few constraints.
    LowRank,
    /// The same from the paper's split Z = XYᵀ with the spectral γ.
    Split,
    /// Z = RRᵀ on spheres: constraints that fix the diagonal.
    Diagonal,
}

impl Method {
    /// Every method with its name.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Auto, "auto"),
        (Self::Interior, "interior"),
        (Self::LowRank, "lowrank"),
        (Self::Split, "split"),
        (Self::Diagonal, "diagonal"),
    ];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Self::ALL.iter().find(|(method, _)| method == self);
        f.write_str(named.map_or("", |(_, name)| name))
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.iter().find(|(_, name)| *name == text);
        named.map(|(method, _)| *method).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|(_, name)| format!("`{name}`")).collect();
            format!("there is no method `{text}`; choose from {}", names.join(", "))
        })
    }
}

/// How to solve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The relative gap to a proved bound, and the relative infeasibility, to reach.
    pub tolerance: f64,
    /// Columns of every factor at the start; chosen from n and m where none is given.
    pub rank: Option<usize>,
    /// The engine.
    pub method: Method,
    /// Time after which the best point so far is returned.
    pub time_limit: Option<Duration>,
    /// Interior-point iterations at most, each of which costs one Schur complement; as many again in more digits where `f64`
    /// stalls on a tiny program.
    pub max_iterations: usize,
    /// Operations after which the low-rank engine gives up. Counted, not timed: the path must not depend on the machine's load.
    pub work_limit: Option<f64>,
    /// What random starts are drawn from.
    pub seed: u64,
    /// Where to start, for engines with factors.
    pub warm: Option<Point>,
    /// Where a run of the same program with the same options stood: it is gone on with. Only the time limit may differ.
    pub resume: Option<State>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            rank: None,
            method: Method::Auto,
            time_limit: None,
            max_iterations: 100,
            work_limit: None,
            seed: 0,
            warm: None,
            resume: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for (method, name) in Method::ALL {
            assert_eq!((method.to_string().as_str(), name.parse()), (name, Ok(method)));
        }
        assert_eq!(
            "simplex".parse::<Method>().unwrap_err(),
            "there is no method `simplex`; choose from `auto`, `interior`, `lowrank`, `split`, `diagonal`"
        );
    }
}
