//! Runs every arm on every instance and start.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use gramfold::{Method, Problem, Stop, linalg::Mat, registry, solve_from, start};
use rayon::prelude::*;

use super::{Arm, Design, Measure, Start, sample::Sample};
use crate::paper::{matrix, number::short, random::SplitMix};

/// The measures of one experiment.
pub(crate) struct Measured {
    pub(crate) file: String,
    pub(crate) design: Design,
    pub(crate) arms: Vec<MeasuredArm>,
}

/// The measures of one arm.
pub(crate) struct MeasuredArm {
    pub(crate) arm: Arm,
    pub(crate) runs: usize,
    pub(crate) values: BTreeMap<Measure, f64>,
}

impl MeasuredArm {
    /// Whether every measure is as expected; none if nothing is expected.
    pub(crate) fn verdict(&self) -> Option<bool> {
        (!self.arm.expect.is_empty()).then(|| self.unexpected().next().is_none())
    }

    /// The measures outside their expected intervals.
    pub(crate) fn unexpected(&self) -> impl Iterator<Item = (Measure, f64, [f64; 2])> + '_ {
        self.arm.expect.iter().filter_map(|(&measure, &[low, high])| {
            let value = self.values[&measure];
            (!(low..=high).contains(&value)).then_some((measure, value, [low, high]))
        })
    }
}

impl Measured {
    /// Every measure that is not in its expected interval, in words.
    pub(crate) fn failures(&self) -> Vec<String> {
        let failures = self.arms.iter().flat_map(|arm| {
            arm.unexpected().map(|(measure, value, [low, high])| {
                let (label, name) = (arm.arm.label(), measure.name());
                let value = short(value);
                format!("{}: {label}: {name} is {value}, expected in [{low}, {high}]", self.file)
            })
        });
        failures.collect()
    }
}

impl Design {
    /// Runs the experiment, in parallel over instances and starts.
    pub(crate) fn run(&self, file: &str) -> anyhow::Result<Measured> {
        if self.instances == 0 || self.starts == 0 || self.arms.is_empty() {
            bail!("an experiment needs at least one instance, one start and one arm");
        }
        if self.tolerance < 0.0 || self.tolerance.is_nan() {
            bail!("tolerance = {} is not at least 0", self.tolerance);
        }
        for arm in &self.arms {
            arm.check().with_context(|| arm.label())?;
        }
        let runs: Vec<_> =
            (0..self.instances).flat_map(|i| (0..self.starts).map(move |s| (i, s))).collect();
        // One row of samples a run, one column an arm; the order does not depend on the threads.
        let samples = runs
            .par_iter()
            .map(|&(instance, start)| self.samples(instance, start))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let arms = self.arms.iter().enumerate().map(|(column, arm)| {
            let samples: Vec<_> = samples.iter().map(|row| row[column]).collect();
            let value = |measure: Measure| measure.of(&samples, self.symmetric_at_least);
            let values = Measure::ALL.map(|measure| (measure, value(measure))).into();
            MeasuredArm { arm: arm.clone(), runs: samples.len(), values }
        });
        Ok(Measured { file: file.to_owned(), design: self.clone(), arms: arms.collect() })
    }

    /// One sample an arm, all from the same instance and start.
    fn samples(&self, instance: usize, start: usize) -> anyhow::Result<Vec<Sample>> {
        let data = self.matrix.draw(&mut SplitMix::of(self.seed, &[instance]))?;
        let loss = matrix::loss(&self.loss, data)?;
        let regulariser = registry::regulariser(&self.regulariser)?;
        let problem = Problem::new(&*loss, &*regulariser, self.rank)?;
        let (x0, y0) = self.start(&problem, instance, start)?;
        let sample = |arm: &Arm| {
            let rule = arm.component(&problem, &y0)?;
            let method = Method {
                algorithm: registry::algorithm(&self.algorithm)?,
                rule: registry::rule(&rule)?,
                stop: self.stop(),
            };
            let solution = solve_from(&problem, method, x0.clone(), y0.clone(), &mut ())?;
            anyhow::Ok(Sample::of(&problem, &solution)?)
        };
        self.arms.iter().map(|arm| sample(arm).with_context(|| arm.label())).collect()
    }

    fn start(&self, problem: &Problem<'_>, i: usize, s: usize) -> anyhow::Result<(Mat, Mat)> {
        let mut seeds = SplitMix::of(self.seed, &[i, s]);
        let mut random = || start::random(problem, seeds.bits());
        Ok(match &self.start {
            Start::Random => {
                let x0 = random();
                (x0.clone(), x0)
            }
            Start::Independent => (random(), random()),
            Start::At { x0, y0 } => (matrix::dense("x0", x0)?, matrix::dense("y0", y0)?),
        })
    }

    /// Critical points end a run whether or not they are symmetric; standing still does not.
    fn stop(&self) -> Stop {
        Stop {
            // A point that is critical to the last bit must stay if it is asked to.
            stationarity: if self.tolerance > 0.0 { self.tolerance } else { -1.0 },
            asymmetry: f64::INFINITY,
            change: -1.0,
            max_iterations: self.iterations,
            ..Stop::default()
        }
    }
}
