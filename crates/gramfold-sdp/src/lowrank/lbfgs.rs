//! Limited-memory BFGS with an exact line search.

use gramfold::loss::quartic;

use super::{Factors, lagrangian::Lagrangian, precondition::Preconditioner};

/// Pairs remembered.
const MEMORY: usize = 6;

/// Steps without a smaller gradient, while L stands still, before giving up.
const PATIENCE: usize = 60;

/// How a minimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The gradient is below the tolerance.
    Stationary,
    /// The steps are used up.
    Steps,
    /// No direction descends any more in floating point.
    Stuck,
    /// L falls without end along a line: β or the data let it.
    Unbounded,
    /// There is more to do; the caller may look around.
    Paused,
    /// The caller asked to stop.
    Stopped,
}

/// One pair (s, q) with its 1/⟨s, q⟩.
struct Pair {
    step: Factors,
    change: Factors,
    weight: f64,
}

/// The memory of the method, for one shape of factors.
pub(super) struct Lbfgs {
    pairs: Vec<Pair>,
    spare: Vec<Pair>,
    direction: Factors,
    before: Factors,
    shares: Vec<f64>,
    scaled: Factors,
}

impl Lbfgs {
    pub(super) fn new(shape: &Factors) -> Self {
        Self {
            pairs: Vec::with_capacity(MEMORY),
            spare: Vec::new(),
            direction: shape.zeros_like(),
            before: shape.zeros_like(),
            shares: vec![0.0; MEMORY],
            scaled: shape.zeros_like(),
        }
    }

    /// Forgets the pairs, as after a change of y or β.
    pub(super) fn forget(&mut self) {
        self.spare.append(&mut self.pairs);
    }

    /// Minimises L until ‖∇L‖ ≤ `tolerance` or `steps` are done; `poll` is asked now and then.
    pub(super) fn minimise(
        &mut self,
        l: &mut Lagrangian,
        tolerance: f64,
        steps: usize,
        preconditioner: &Preconditioner,
        poll: &dyn Fn() -> bool,
    ) -> (End, usize) {
        self.forget();
        let (mut best, mut since) = (f64::INFINITY, 0);
        for done in 0..steps {
            let size = l.gradient.norm();
            if size <= tolerance {
                return (End::Stationary, done);
            }
            since += 1;
            if size < 0.9 * best {
                (best, since) = (size, 0);
            }
            if poll() {
                return (End::Stopped, done);
            }
            self.direct(&l.gradient, preconditioner);
            let mut c = l.line(&self.direction);
            if c[1] >= 0.0 {
                self.forget();
                self.direct(&l.gradient, preconditioner);
                c = l.line(&self.direction);
            }
            let Some(t) = quartic::minimiser(&c, f64::INFINITY) else {
                let falls = c[1] < 0.0 && c.iter().all(|c| c.is_finite());
                return (if falls { End::Unbounded } else { End::Stuck }, done);
            };
            // Falls that L's own value cannot show may still lower the gradient, but not for ever.
            let fall = -t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])));
            if fall <= 1e-15 * c[0].abs() && since > PATIENCE {
                return (End::Stuck, done);
            }
            self.before.copy_from(&l.gradient);
            l.step(t, &self.direction);
            self.remember(t, &l.gradient);
        }
        let end = if l.gradient.norm() <= tolerance { End::Stationary } else { End::Steps };
        (end, steps)
    }

    /// direction ← −H·gradient by the two loops.
    fn direct(&mut self, gradient: &Factors, preconditioner: &Preconditioner) {
        let d = &mut self.direction;
        d.copy_from(gradient);
        for (pair, share) in self.pairs.iter().zip(&mut self.shares).rev() {
            *share = pair.weight * pair.step.dot(d);
            d.axpy(-*share, &pair.change);
        }
        // The blocks are those of the Hessian itself: unlike the identity they need no scale.
        preconditioner.apply(d, &mut self.scaled);
        std::mem::swap(d, &mut self.scaled);
        for (pair, share) in self.pairs.iter().zip(&self.shares) {
            let other = pair.weight * pair.change.dot(d);
            d.axpy(share - other, &pair.step);
        }
        d.scale(-1.0);
    }

    /// Takes the pair (t·direction, change of the gradient), if it curves upwards.
    fn remember(&mut self, t: f64, gradient: &Factors) {
        let mut pair = if self.pairs.len() == MEMORY {
            self.pairs.remove(0)
        } else if let Some(pair) = self.spare.pop() {
            pair
        } else {
            let zeros = || self.direction.zeros_like();
            Pair { step: zeros(), change: zeros(), weight: 0.0 }
        };
        pair.step.copy_from(&self.direction);
        pair.step.scale(t);
        pair.change.copy_from(gradient);
        pair.change.axpy(-1.0, &self.before);
        let along = pair.step.dot(&pair.change);
        if along > 1e-16 * pair.step.norm() * pair.change.norm() {
            pair.weight = 1.0 / along;
            self.pairs.push(pair);
        } else {
            self.spare.push(pair);
        }
    }
}
