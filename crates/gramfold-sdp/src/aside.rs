//! A run that is a part of another, as the watch of that sees it.

use std::ops::ControlFlow;

use crate::{Progress, State, Watch};

/// Watches a run that is a part of this one for another watch.
pub(crate) struct Aside<'a> {
    /// Objectives of the program itself, where those of the run mean nothing, as with C = 0.
    pub(crate) shown: Option<(f64, f64)>,
    /// The state of the whole that this one of the run is a part of.
    pub(crate) state: &'a (dyn Fn(State) -> State + Sync),
    pub(crate) watch: &'a mut dyn Watch,
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

    fn save(&mut self, state: &dyn Fn() -> State) {
        let whole = self.state;
        self.watch.save(&|| whole(state()));
    }
}
