//! Runs every reading of every rule through the general solver.

use anyhow::Context;
use gramfold::{
    Divergence, Method, Problem, Record, Solution, Status, Stop, linalg::Mat, registry,
    regulariser::Zero, solve_from,
};
use rayon::prelude::*;

use super::{Design, Point, Reading, Rule};
use crate::paper::{matrix, number::short};

/// The limits of one example.
pub(crate) struct Measured {
    pub(crate) file: String,
    pub(crate) design: Design,
    pub(crate) limits: Vec<Limit>,
}

/// Where one reading of one rule ends.
pub(crate) struct Limit {
    pub(crate) rule: String,
    pub(crate) reading: String,
    pub(crate) gamma: f64,
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) status: Status,
    pub(crate) trace: Vec<Record>,
    /// The limit that the paper prints for the rule.
    pub(crate) printed: Point,
    /// The limit that the file expects of this reading; none if it has none.
    pub(crate) expected: Option<Point>,
}

/// A run whose last iteration still changes ‖X‖ by this share has no limit to speak of.
const WANDERING: f64 = 1e-2;

impl Limit {
    /// Whether every digit is the paper's.
    pub(crate) fn matches(&self) -> bool {
        self.agrees(&self.printed)
    }

    /// Whether the factors still move.
    pub(crate) fn wanders(&self) -> bool {
        let [.., before, last] = self.trace.as_slice() else { return false };
        self.status == Status::MaxIterations
            && (last.norm - before.norm).abs() > WANDERING * before.norm.max(last.norm)
    }

    /// Whether every digit is the file's.
    pub(crate) fn is_as_expected(&self) -> bool {
        self.expected.as_ref().map_or(self.wanders(), |expected| self.agrees(expected))
    }

    fn agrees(&self, point: &Point) -> bool {
        point.gamma.agrees(self.gamma) && point.x.agrees(self.x) && point.y.agrees(self.y)
    }
}

impl Measured {
    /// Every digit that is not the expected one, in words.
    pub(crate) fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for limit in &self.limits {
            let run = format!("{}: rule {}, reading {}", self.file, limit.rule, limit.reading);
            let Some(expected) = &limit.expected else {
                if !limit.wanders() {
                    failures.push(format!("{run}: it settles, expected to wander"));
                }
                continue;
            };
            for (letter, printed, computed) in [
                ("gamma", &expected.gamma, limit.gamma),
                ("x", &expected.x, limit.x),
                ("y", &expected.y, limit.y),
            ] {
                if !printed.agrees(computed) {
                    let (computed, printed) = (short(computed), printed.text());
                    failures.push(format!("{run}: {letter} is {computed}, expected {printed}"));
                }
            }
        }
        failures
    }
}

impl Design {
    /// Runs the experiment.
    pub(crate) fn run(&self, file: &str) -> anyhow::Result<Measured> {
        let readings: Vec<_> = self
            .rules
            .iter()
            .flat_map(|rule| rule.readings.iter().map(move |r| (rule, r)))
            .collect();
        let limits = readings
            .into_par_iter()
            .map(|(rule, reading)| {
                self.limit(rule, reading)
                    .with_context(|| format!("rule {}, reading {}", rule.name, reading.name))
            })
            .collect::<anyhow::Result<_>>()?;
        Ok(Measured { file: file.to_owned(), design: self.clone(), limits })
    }

    fn limit(&self, rule: &Rule, reading: &Reading) -> anyhow::Result<Limit> {
        let loss = matrix::loss(&self.loss, matrix::symmetric(&self.matrix)?)?;
        let (x0, y0) = (matrix::dense("x0", &self.x0)?, matrix::dense("y0", &self.y0)?);
        let problem = Problem::new(&*loss, &Zero, x0.cols())?;
        let stop = Stop {
            stationarity: f64::INFINITY,
            asymmetry: 0.0,
            change: -1.0,
            max_iterations: self.iterations,
            time_limit: None,
            blow_up: f64::INFINITY,
        };
        let method = Method {
            algorithm: registry::algorithm(&self.algorithm)?,
            rule: registry::rule(&reading.rule)?,
            stop,
        };
        let mut trace: Vec<Record> = Vec::new();
        let solution = solve_from(&problem, method, x0, y0, &mut trace)?;
        Ok(Limit {
            rule: rule.name.clone(),
            reading: reading.name.clone(),
            gamma: solution.gamma,
            x: end(&solution, &solution.x),
            y: end(&solution, &solution.y),
            status: solution.status,
            trace,
            printed: rule.printed.clone(),
            expected: (!reading.wanders)
                .then(|| reading.ends.clone().unwrap_or_else(|| rule.printed.clone())),
        })
    }
}

/// The first entry of a factor; of a run that overflowed, the infinity of the same sign.
fn end(solution: &Solution, factor: &Mat) -> f64 {
    let last = factor[(0, 0)];
    if solution.status == Status::Diverged(Divergence::NotFinite) {
        f64::INFINITY.copysign(last)
    } else {
        last
    }
}
