//! What an engine hands over, before anything of it is proved.

use serde::{Deserialize, Serialize};

use crate::{Point, Primal, Status};

/// What an engine found. What is claimed of it is recomputed from the point alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The best point.
    pub point: Point,
    /// How the engine believes to have ended.
    pub status: Status,
    /// Its steps.
    pub iterations: usize,
    /// ⟨C, Z⟩, as the engine computed it.
    pub objective: f64,
    /// What the engine believes that no feasible Z goes below: bᵀy, less what its slack lacks; −∞ where it knows none.
    pub bound: f64,
    /// y with bᵀy = 1 and A*(y) ⪯ 0, where the engine believes that no Z is feasible.
    pub ray_y: Option<Vec<f64>>,
    /// Z ⪰ 0 with A(Z) = 0 and ⟨C, Z⟩ = −1, where the engine believes that no y is feasible.
    pub ray_z: Option<Vec<Primal>>,
    /// γ of the split, for engines that split.
    pub gamma: Option<f64>,
    /// Theorem 1's threshold for that γ, where it was computed.
    pub threshold: Option<f64>,
}

impl Outcome {
    /// Without rays and without γ.
    pub(crate) fn new(
        point: Point,
        status: Status,
        iterations: usize,
        objective: f64,
        bound: f64,
    ) -> Self {
        let (ray_y, ray_z, gamma, threshold) = (None, None, None, None);
        Self { point, status, iterations, objective, bound, ray_y, ray_z, gamma, threshold }
    }
}
