//! One serialisable description of a run: flags, experiment files and report headers are its views.

use serde::{Deserialize, Serialize};

use crate::{
    Error, Method, Regulariser, Stop,
    registry::{self, Component},
};

/// How to factorise: everything but the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spec {
    /// The number of columns of X.
    pub rank: usize,
    /// h.
    pub regulariser: Component,
    /// How blocks alternate.
    pub algorithm: Component,
    /// How γ is set.
    pub rule: Component,
    /// When to stop.
    pub stop: Stop,
    /// What the start is drawn from.
    pub seed: u64,
}

impl Default for Spec {
    fn default() -> Self {
        Self {
            rank: 1,
            regulariser: Component::named("zero"),
            algorithm: Component::named("auto"),
            rule: Component::named("spectral"),
            stop: Stop::default(),
            seed: 0,
        }
    }
}

impl Spec {
    /// The method: algorithm, γ rule and stopping.
    pub fn method(&self) -> Result<Method, Error> {
        Ok(Method {
            algorithm: registry::algorithm(&self.algorithm)?,
            rule: registry::rule(&self.rule)?,
            stop: self.stop.clone(),
        })
    }

    /// The regulariser.
    pub fn regulariser(&self) -> Result<Box<dyn Regulariser>, Error> {
        registry::regulariser(&self.regulariser)
    }
}
