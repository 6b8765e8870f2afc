//! Where the engine stands between two iterations.

use serde::{Deserialize, Serialize};

use super::{Interior, Variable, engine::Pace, variable::fits};
use crate::{Error, state};

/// All that an iteration starts from; the rest follows from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct State {
    x: Variable,
    y: Vec<f64>,
    s: Variable,
    dual_feasible: bool,
    best: (f64, Variable, Vec<f64>),
    pace: Pace,
}

/// Where the search for a face, or the engine on it, stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum FaceState {
    /// At work on the constraints with C = 0.
    Exposing(State),
    /// At work on the face that these multipliers expose.
    On(Vec<f64>, State),
}

impl Interior {
    pub(super) fn stored(&self) -> State {
        State {
            x: self.at.x.clone(),
            y: self.at.y.clone(),
            s: self.at.s.clone(),
            dual_feasible: self.at.dual_feasible,
            best: self.best.clone(),
            pace: self.pace,
        }
    }

    /// Goes on from a state, if it is of this program.
    pub(super) fn recalling(mut self, state: Option<State>) -> Result<Self, Error> {
        let Some(state) = state else { return Ok(self) };
        let State { x, y, s, dual_feasible, best, pace } = state;
        let cones = &self.program.cones;
        let m = self.program.constraints();
        let blocks = [&x, &s, &best.1].into_iter().all(|blocks| fits(blocks, cones));
        if !blocks || y.len() != m || best.2.len() != m {
            return Err(state::misfit());
        }
        (self.at.x, self.at.y, self.at.s, self.at.dual_feasible) = (x, y, s, dual_feasible);
        (self.best, self.pace) = (best, pace);
        Ok(self)
    }
}
