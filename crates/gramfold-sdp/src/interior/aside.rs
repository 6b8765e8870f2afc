//! A run that is a part of another, as its watch sees it.

use std::ops::ControlFlow;

use super::{FaceState, State};
use crate::{Progress, Watch, state};

/// Watches a run that is a part of this one for another watch.
pub(super) struct Aside<'a> {
    /// Objectives of the program itself, where those of the run mean nothing, as with C = 0.
    pub(super) shown: Option<(f64, f64)>,
    /// What the run's state is a part of.
    pub(super) state: &'a (dyn Fn(State) -> FaceState + Sync),
    pub(super) watch: &'a mut dyn Watch,
}

impl Watch for Aside<'_> {
    fn step(&mut self, progress: &Progress) -> ControlFlow<()> {
        let own = (progress.primal_objective, progress.dual_objective);
        let (primal_objective, dual_objective) = self.shown.unwrap_or(own);
        self.watch.step(&Progress { primal_objective, dual_objective, ..progress.clone() })
    }

    fn stops(&self) -> bool {
        self.watch.stops()
    }

    fn save(&mut self, state: &dyn Fn() -> crate::State) {
        let of = self.state;
        self.watch.save(&|| match state().engine {
            Some(state::EngineState::Interior(inner)) => {
                crate::State::of(state::EngineState::Face(of(inner)))
            }
            engine => crate::State { finished: Vec::new(), engine },
        });
    }
}
