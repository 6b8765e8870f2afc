//! Direct sBMF: projected Barzilai–Borwein on X ↦ f(XXᵀ) + h(X), which keeps Y = X.

use std::collections::VecDeque;

use gramfold_linalg::Mat;

use super::Algorithm;
use crate::{Error, Memory, Problem, Side, Split};

/// Values that the nonmonotone line search looks back on.
const MEMORY: usize = 8;

/// Steps along lines before caches are computed afresh, to keep rounding from piling up.
const REFRESH: usize = 50;

/// Sufficient decrease of the line search.
const ARMIJO: f64 = 1e-4;

/// Spectral projected gradient (Birgin, Martínez and Raydan) with alternating BB steps.
#[derive(Default)]
pub struct Direct {
    gradient: Mat,
    transposed: Mat,
    before: Mat,
    gradient_before: Mat,
    direction: Mat,
    values: VecDeque<f64>,
    step: Option<f64>,
    iteration: usize,
}

impl Algorithm for Direct {
    fn name(&self) -> &'static str {
        "direct"
    }

    fn check(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        let zeros = || Mat::zeros(problem.dim(), problem.rank);
        let (gradient, transposed, direction) = (zeros(), zeros(), zeros());
        let (before, gradient_before) = (zeros(), zeros());
        let room = Self::default();
        *self = Self { gradient, transposed, before, gradient_before, direction, ..room };
        Ok(())
    }

    fn advance(&mut self, split: &mut Split<'_>) {
        if !split.is_folded() {
            split.update_folded(|_| {});
        }
        let h = split.problem().regulariser;
        let cols = split.x().cols();
        self.read_gradient(split);
        let value = split.loss() + h.value(split.x());
        if self.values.len() == MEMORY {
            self.values.pop_front();
        }
        self.values.push_back(value);
        let step = self.step.unwrap_or_else(|| {
            // The first step moves by a hundredth of the factor.
            0.01 * split.x().norm() / self.gradient.norm().max(f64::MIN_POSITIVE)
        });

        let step = step.min(0.9 * h.longest_step());

        // d = prox(X − step·∇) − X
        self.direction.copy_from(split.x());
        self.direction.axpy(-step, &self.gradient);
        h.prox(self.direction.as_mut_slice(), cols, step);
        let at_end = h.value(&self.direction);
        self.direction.axpy(-1.0, split.x());
        self.before.copy_from(split.x());
        self.gradient_before.copy_from(&self.gradient);

        // The model's decrease is at least ‖d‖²/step for an indicator or a convex h.
        let decrease = self.direction.norm_squared() / step;
        let reference = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // A few products tell f along the whole line; h is convex along it, or by so much less.
        let bend = 0.5 * (-h.sigma()).max(0.0) * self.direction.norm_squared();
        let at_start = h.value(split.x());
        let found = split.line(&self.direction).map(|line| {
            let value = |t: f64| line.value(t) + (1.0 - t) * (at_start + t * bend) + t * at_end;
            let mut length = 1.0;
            while value(length) > reference - ARMIJO * length * decrease && length >= 1e-10 {
                length *= 0.5;
            }
            length
        });
        if let Some(length) = found {
            if self.iteration.is_multiple_of(REFRESH) {
                split.update_folded(|x| x.axpy(length, &self.direction));
            } else {
                split.step_along(length, &self.direction);
            }
        } else {
            let mut length = 1.0;
            loop {
                split.update_folded(|x| {
                    x.copy_from(&self.before);
                    x.axpy(length, &self.direction);
                });
                let value = split.loss() + h.value(split.x());
                if value <= reference - ARMIJO * length * decrease || length < 1e-10 {
                    break;
                }
                length *= 0.5;
            }
        }
        self.set_step(split);
        self.iteration += 1;
    }

    fn remember(&self, memory: &mut Memory) {
        let values: Vec<f64> = self.values.iter().copied().collect();
        memory.set("values", &Mat::from_row_major(values.len(), 1, values));
        memory.set_count("iteration", self.iteration);
        if let Some(step) = self.step {
            memory.set_number("step", step);
        }
    }

    fn recall(&mut self, memory: &Memory) {
        self.values = memory.get("values").map_or_else(VecDeque::new, |v| v.column(0).collect());
        self.iteration = memory.count("iteration").unwrap_or(0);
        self.step = memory.number("step");
    }
}

impl Direct {
    /// ∇ f(XXᵀ) = ∇f(Z)X + ∇f(Z)ᵀX.
    fn read_gradient(&mut self, split: &Split<'_>) {
        split.loss_gradient(Side::X, &mut self.gradient);
        split.loss_gradient(Side::Y, &mut self.transposed);
        self.gradient.axpy(1.0, &self.transposed);
    }

    /// The next BB step from s = X − X_before and y = ∇ − ∇_before, the two formulas in turn.
    fn set_step(&mut self, split: &Split<'_>) {
        self.read_gradient(split);
        self.direction.copy_from(split.x());
        self.direction.axpy(-1.0, &self.before);
        self.gradient_before.scale(-1.0);
        self.gradient_before.axpy(1.0, &self.gradient);
        let sy = self.direction.dot(&self.gradient_before);
        let ss = self.direction.norm_squared();
        let yy = self.gradient_before.norm_squared();
        let step = if self.iteration.is_multiple_of(2) { ss / sy } else { sy / yy };
        if step > 0.0 && step.is_finite() {
            self.step = Some(step);
        } else if ss > 0.0 && yy > 0.0 {
            // Negative curvature: a bold step of the right size.
            self.step = Some((ss / yy).sqrt());
        }
    }
}
