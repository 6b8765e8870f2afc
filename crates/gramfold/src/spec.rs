//! One serialisable description of a run: flags, experiment files and report headers are its views.

use serde::{Deserialize, Serialize};

use crate::{
    Error, Loss, Method, Regulariser, Stop,
    registry::{self, Component, Data},
    start::Start,
};

/// How to factorise: everything but the data themselves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spec {
    /// The number of columns of X.
    pub rank: usize,
    /// f.
    pub loss: Component,
    /// What f is told of the data: `matrix`, or the name of a map.
    pub data: String,
    /// h.
    pub regulariser: Component,
    /// How blocks alternate.
    pub algorithm: Component,
    /// How γ is set.
    pub rule: Component,
    /// When to stop.
    pub stop: Stop,
    /// Where the run starts.
    pub start: Start,
    /// What the start is drawn from.
    pub seed: u64,
}

impl Default for Spec {
    fn default() -> Self {
        Self {
            rank: 1,
            loss: Component::named("quadratic"),
            data: "matrix".into(),
            regulariser: Component::named("zero"),
            algorithm: Component::named("auto"),
            rule: Component::named("spectral"),
            stop: Stop::default(),
            start: Start::default(),
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

    /// The loss on its data, which must be of the kind that is written here.
    pub fn loss(&self, data: Data) -> Result<Box<dyn Loss>, Error> {
        if data.kind() != self.data {
            let (kind, own) = (data.kind(), &self.data);
            return Err(Error::data(format!("the data are of kind `{kind}`, not `{own}`")));
        }
        registry::loss(&self.loss, data)
    }

    /// The regulariser.
    pub fn regulariser(&self) -> Result<Box<dyn Regulariser>, Error> {
        registry::regulariser(&self.regulariser)
    }
}
