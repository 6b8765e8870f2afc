//! One record per iteration: all that printers, traces, stop rules and reports see.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::Checkpoint;

/// The run after `iteration` iterations; iteration 0 is the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Completed iterations k.
    pub iteration: usize,
    /// f(XYᵀ).
    pub loss: f64,
    /// F(X, Y; γ), the objective of the split problem.
    pub split_objective: f64,
    /// γ_k.
    pub gamma: f64,
    /// The γ rule's estimate of Theorem 1's threshold, where it has one.
    pub threshold: Option<f64>,
    /// ‖X‖.
    pub norm: f64,
    /// ‖X − Y‖.
    pub distance: f64,
    /// ‖X − Y‖/‖X‖.
    pub asymmetry: f64,
    /// Stationarity of the split problem, in iterations that measured it; where it is within the tolerance, the larger
    /// of it and that of the problem itself at ½(X + Y).
    pub stationarity: Option<f64>,
    /// How far the iteration moved the factors, relative to them, in iterations that compared them.
    pub change: Option<f64>,
    /// Products A·Y so far.
    pub products: f64,
    /// Seconds since the start.
    pub seconds: f64,
}

impl Record {
    /// The record of a point X = Y with this f(XXᵀ), where there is no γ: before it is chosen, or for good.
    pub fn folded(loss: f64, norm: f64, products: f64, seconds: f64) -> Self {
        Self {
            iteration: 0,
            loss,
            split_objective: loss,
            gamma: 0.0,
            threshold: None,
            norm,
            distance: 0.0,
            asymmetry: 0.0,
            stationarity: None,
            change: None,
            products,
            seconds,
        }
    }
}

/// Receives every record; `Break` interrupts the run after it.
pub trait Observer {
    /// Called once per iteration, and once at the start.
    fn observe(&mut self, record: &Record) -> ControlFlow<()>;

    /// Called while the start is made, with the share of that work that is done and the seconds since it began;
    /// `Break` ends it.
    fn starting(&mut self, _share: f64, _seconds: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Asked within a long iteration whether to cut it short; the next record is then answered by `Break`.
    fn interrupts(&mut self) -> bool {
        false
    }

    /// Whether a checkpoint is wanted after this record; taking one changes nothing. None is offered of a run that has
    /// come to its end.
    fn wants_checkpoint(&mut self, _record: &Record) -> bool {
        false
    }

    /// Receives the checkpoint that was wanted.
    fn checkpoint(&mut self, _checkpoint: Checkpoint) {}
}

/// Watches nothing.
impl Observer for () {
    fn observe(&mut self, _: &Record) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Keeps every record.
impl Observer for Vec<Record> {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        self.push(record.clone());
        ControlFlow::Continue(())
    }
}

/// Calls a closure.
impl<F: FnMut(&Record) -> ControlFlow<()>> Observer for F {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        self(record)
    }
}
