//! What an engine tells while it works.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::State;

/// One step of an engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Completed steps.
    pub iteration: usize,
    /// ⟨C, Z⟩.
    pub primal_objective: f64,
    /// bᵀy.
    pub dual_objective: f64,
    /// ‖A(Z) − b‖, relative to the unit of b: see [`crate::Scale`].
    pub primal_infeasibility: f64,
    /// How far S is from K, relative to the unit of C, where the engine knows it.
    pub dual_infeasibility: Option<f64>,
    /// |⟨C, Z⟩ − bᵀy|, relative to both and to the unit of the objective.
    pub relative_gap: f64,
    /// The largest rank of a factor, for engines that have factors.
    pub rank: Option<usize>,
    /// γ of the split, for engines that split.
    pub gamma: Option<f64>,
    /// Theorem 1's threshold for γ, where it was computed.
    pub threshold: Option<f64>,
    /// Seconds since the start.
    pub seconds: f64,
}

/// Asked often whether to return with the best so far; several threads may ask at once.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Sees every step; `Break` asks the engine to return its best point.
pub trait Watch: Sync {
    /// Called once a step.
    fn step(&mut self, progress: &Progress) -> ControlFlow<()>;

    /// Whether to return at once, in the midst of a step or of a proof: asked often.
    fn stops(&self) -> bool {
        false
    }

    /// Called between two steps. `state` makes a copy of all that the run goes on from, to the same bits; whoever has
    /// no use for it does not call it.
    fn save(&mut self, _state: &dyn Fn() -> State) {}
}

/// Watches nothing.
impl Watch for () {
    fn step(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Calls a closure.
impl<F: FnMut(&Progress) -> ControlFlow<()> + Sync> Watch for F {
    fn step(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}
