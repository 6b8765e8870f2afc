//! The memory of limited-memory BFGS, and its two loops.

use std::collections::VecDeque;

use gramfold_linalg::Mat;

use super::preconditioner::Preconditioner;
use crate::Memory;

/// A step, the change of the gradient along it, and the inverse of their inner product.
struct Pair {
    step: Mat,
    change: Mat,
    weight: f64,
}

/// The last pairs, at most so many.
#[derive(Default)]
pub(super) struct Pairs {
    most: usize,
    kept: VecDeque<Pair>,
    spare: Vec<Pair>,
    shares: Vec<f64>,
    scaled: Mat,
}

impl Pairs {
    pub(super) fn new(most: usize, dim: usize, rank: usize) -> Self {
        let (kept, scaled) = (VecDeque::with_capacity(most), Mat::zeros(dim, rank));
        Self { most, kept, spare: Vec::new(), shares: vec![0.0; most], scaled }
    }

    pub(super) fn forget(&mut self) {
        self.spare.extend(self.kept.drain(..));
    }

    /// direction ← −H·gradient by the two loops. A preconditioner that is the Hessian's only up to a number is `scaled` by
    /// what the last step saw.
    pub(super) fn direct(
        &mut self,
        gradient: &Mat,
        preconditioner: &Preconditioner,
        scaled: bool,
        direction: &mut Mat,
    ) {
        direction.copy_from(gradient);
        for (pair, share) in self.kept.iter().zip(&mut self.shares).rev() {
            *share = pair.weight * pair.step.dot(direction);
            direction.axpy(-*share, &pair.change);
        }
        preconditioner.apply(direction, &mut self.scaled);
        std::mem::swap(direction, &mut self.scaled);
        if let Some(Pair { change, weight, .. }) = self.kept.back().filter(|_| scaled) {
            preconditioner.apply(change, &mut self.scaled);
            let scale = 1.0 / (weight * change.dot(&self.scaled));
            if scale.is_finite() && scale > 0.0 {
                direction.scale(scale);
            }
        }
        for (pair, share) in self.kept.iter().zip(&self.shares) {
            let other = pair.weight * pair.change.dot(direction);
            direction.axpy(share - other, &pair.step);
        }
        direction.scale(-1.0);
    }

    /// Takes the pair (t·direction, `after` − `before`), if it curves upwards.
    pub(super) fn push(&mut self, t: f64, direction: &Mat, before: &Mat, after: &Mat) {
        let oldest = if self.kept.len() == self.most { self.kept.pop_front() } else { None };
        let mut pair = oldest.or_else(|| self.spare.pop()).unwrap_or_else(|| Pair {
            step: direction.clone(),
            change: after.clone(),
            weight: 0.0,
        });
        pair.step.copy_from(direction);
        pair.step.scale(t);
        pair.change.copy_from(after);
        pair.change.axpy(-1.0, before);
        let along = pair.step.dot(&pair.change);
        if along > 1e-16 * pair.step.norm() * pair.change.norm() {
            pair.weight = 1.0 / along;
            self.kept.push_back(pair);
        } else {
            self.spare.push(pair);
        }
    }

    pub(super) fn remember(&self, memory: &mut Memory) {
        for (k, Pair { step, change, weight }) in self.kept.iter().enumerate() {
            memory.set(&format!("step {k}"), step);
            memory.set(&format!("change {k}"), change);
            memory.set_number(&format!("weight {k}"), *weight);
        }
    }

    pub(super) fn recall(&mut self, memory: &Memory) {
        self.kept = (0..self.most)
            .map_while(|k| {
                let step = memory.get(&format!("step {k}"))?.clone();
                let change = memory.get(&format!("change {k}"))?.clone();
                Some(Pair { step, change, weight: memory.number(&format!("weight {k}"))? })
            })
            .collect();
    }
}
