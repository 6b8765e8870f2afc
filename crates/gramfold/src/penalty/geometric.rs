//! `lorads`: the schedule that LoRADS really uses.
//!
//! γ₀ = 1/√n, ×1.2 every 5 iterations, at most 5000.

use super::PenaltyRule;
use crate::{Memory, Split};

/// Growth by a factor, at intervals, up to a cap.
#[derive(Clone, Copy, Debug)]
pub struct Geometric {
    gamma0: Option<f64>,
    factor: f64,
    every: usize,
    cap: f64,
    iteration: usize,
}

impl Geometric {
    /// γ₀ by default 1/√n, multiplied by `factor` every `every` iterations, up to `cap`.
    pub fn new(gamma0: Option<f64>, factor: f64, every: usize, cap: f64) -> Self {
        Self { gamma0, factor, every: every.max(1), cap, iteration: 0 }
    }
}

impl PenaltyRule for Geometric {
    fn name(&self) -> &'static str {
        "lorads"
    }

    fn initial(&mut self, split: &Split<'_>) -> f64 {
        self.gamma0.unwrap_or_else(|| 1.0 / (split.x().rows() as f64).sqrt())
    }

    fn update(&mut self, split: &Split<'_>) -> f64 {
        self.iteration += 1;
        let due = self.iteration.is_multiple_of(self.every);
        let grown = split.gamma() * if due { self.factor } else { 1.0 };
        grown.min(self.cap.max(split.gamma()))
    }

    fn remember(&self, memory: &mut Memory) {
        memory.set_count("iteration", self.iteration);
    }

    fn recall(&mut self, memory: &Memory) {
        self.iteration = memory.count("iteration").unwrap_or(0);
    }
}
