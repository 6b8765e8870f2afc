//! What all experiments gave.

use anyhow::Context;

use super::{
    experiment::{Design, Experiment},
    limits, share,
};

/// The results, in the order of the experiments.
pub(crate) struct Outcome {
    pub(crate) limits: Vec<limits::Measured>,
    pub(crate) shares: Vec<share::Measured>,
    pub(crate) seconds: f64,
}

impl Outcome {
    /// Runs the experiments; an error names the file it comes from.
    pub(crate) fn of(experiments: &[Experiment]) -> anyhow::Result<Self> {
        let mut outcome = Self { limits: Vec::new(), shares: Vec::new(), seconds: 0.0 };
        for Experiment { file, design } in experiments {
            match design {
                Design::Limits(design) => {
                    outcome.limits.push(design.run(file).with_context(|| file.clone())?);
                }
                Design::Share(design) => {
                    outcome.shares.push(design.run(file).with_context(|| file.clone())?);
                }
            }
        }
        Ok(outcome)
    }

    /// Every number that is not the expected one, in words.
    pub(crate) fn failures(&self) -> Vec<String> {
        let limits = self.limits.iter().flat_map(limits::Measured::failures);
        limits.chain(self.shares.iter().flat_map(share::Measured::failures)).collect()
    }
}
