//! Riemannian trust-region Newton: the model is minimised by preconditioned conjugate gradients in a trust region.

use gramfold_linalg::{ConjugateGradients, Mat, Reach, SolveEnd, System, cg_direction};

use super::Manifold;

/// What a refused step is shortened by, and the share of it that is not worth trying.
const SHORTER: f64 = 0.25;
const SHORTEST: f64 = 0.01;

/// A factor and what is known at it.
#[derive(Clone, Debug)]
pub(super) struct Iterate {
    pub(super) x: Mat,
    /// The Riemannian gradient of ½⟨C, XXᵀ⟩.
    pub(super) gradient: Mat,
    pub(super) y: Vec<f64>,
    /// ⟨C, XXᵀ⟩.
    pub(super) objective: f64,
}

impl Iterate {
    /// At a factor that is on the manifold.
    pub(super) fn at(manifold: &mut Manifold<'_>, x: Mat) -> Self {
        let (n, r) = (x.rows(), x.cols());
        let mut iterate = Self { x, gradient: Mat::zeros(n, r), y: vec![0.0; n], objective: 0.0 };
        iterate.refresh(manifold);
        iterate
    }

    /// Recomputes everything from x.
    pub(super) fn refresh(&mut self, manifold: &mut Manifold<'_>) {
        manifold.apply(&self.x, &mut self.gradient);
        self.objective = self.x.dot(&self.gradient);
        manifold.gradient(&self.x, &mut self.gradient, &mut self.y);
    }
}

/// The scratch of a Newton step, for one rank.
pub(super) struct Newton {
    trial: Iterate,
    step: Mat,
    solver: ConjugateGradients,
    pub(super) radius: f64,
}

/// How far a step goes.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    /// The share of the gradient that may be left of the model's.
    pub(super) forcing: f64,
    /// Inner steps, at most.
    pub(super) inner: usize,
    /// Whether to stop whatever is reached.
    pub(super) stop: &'a dyn Fn() -> bool,
}

/// How one step went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The decrease of ⟨C, XXᵀ⟩.
    pub(super) decrease: f64,
    /// Whether the step was taken.
    pub(super) accepted: bool,
}

impl Newton {
    pub(super) fn new(n: usize, rank: usize, radius: f64) -> Self {
        let zeros = || Mat::zeros(n, rank);
        let trial = Iterate { x: zeros(), gradient: zeros(), y: vec![0.0; n], objective: 0.0 };
        Self { trial, step: zeros(), solver: ConjugateGradients::new(n, rank), radius }
    }

    /// One step from `at`, which moves if the step is accepted.
    pub(super) fn step(
        &mut self,
        manifold: &mut Manifold<'_>,
        weights: &[f64],
        at: &mut Iterate,
        limits: Limits<'_>,
    ) -> Report {
        let (mut model, interior) = self.minimise(manifold, weights, at, limits);
        let slope = at.gradient.dot(&self.step);
        let mut length = 1.0;
        loop {
            let reached = manifold.retract(&at.x, &self.step, &mut self.trial.x);
            self.trial.refresh(manifold);
            let decrease = at.objective - self.trial.objective;
            // Below rounding the ratio says nothing, and the model is to be trusted.
            let noise = 1e-13 * at.objective.abs().max(f64::MIN_POSITIVE);
            let ratio = (0.5 * decrease + noise) / (model + noise);
            let accepted = ratio > 0.05 && reached && self.trial.objective.is_finite();
            if accepted {
                if ratio > 0.75 && !interior && length == 1.0 {
                    self.radius *= 2.0;
                }
                std::mem::swap(at, &mut self.trial);
                return Report { decrease, accepted };
            }
            // A shorter step costs one product; a new one in a smaller region would cost as many as this did.
            self.radius *= SHORTER;
            if length < SHORTEST {
                return Report { decrease, accepted };
            }
            self.step.scale(SHORTER);
            // Along the step the model is −slope·t − ½κt²: what is left of it after t ← SHORTER·t.
            let curvature = -2.0 * (model + slope * length) / (length * length);
            length *= SHORTER;
            model = -slope * length - 0.5 * curvature * length * length;
        }
    }

    /// The step that decreases the model, and by how much; whether it ended inside.
    fn minimise(
        &mut self,
        manifold: &mut Manifold<'_>,
        weights: &[f64],
        at: &Iterate,
        limits: Limits<'_>,
    ) -> (f64, bool) {
        let reach = Reach { products: limits.inner, radius: self.radius };
        let mut system = Hessian { manifold, weights, at, limits };
        let solved = self.solver.descend(&mut self.step, &at.gradient, reach, &mut system);
        (solved.decrease, solved.end == SolveEnd::Within)
    }
}

/// The Riemannian Hessian of ½⟨C, XXᵀ⟩, scaled row by row.
struct Hessian<'a, 'b> {
    manifold: &'a mut Manifold<'b>,
    weights: &'a [f64],
    at: &'a Iterate,
    limits: Limits<'a>,
}

impl System for Hessian<'_, '_> {
    fn product(&mut self, v: &Mat, out: &mut Mat) -> f64 {
        self.manifold.hessian(&self.at.x, &self.at.y, v, out)
    }

    fn precondition(&mut self, v: &Mat, out: &mut Mat) {
        cg_direction(self.weights, v, 0.0, out);
        self.manifold.project(&self.at.x, out);
    }

    fn row_weights(&self) -> Option<&[f64]> {
        // Scaling keeps rows tangent to their spheres, but may take them out of a plane.
        self.manifold.structure.normal().is_none().then_some(self.weights)
    }

    fn is_solved(&mut self, _: &Mat, square: f64, first: f64) -> bool {
        let target = self.limits.forcing * self.limits.forcing * first;
        square <= target || square.is_nan() || (self.limits.stop)()
    }
}

/// 1/(c_ii − y_i), the inverse of the Hessian's diagonal, kept away from zero.
pub(super) fn row_weights(own: &[f64], y: &[f64], weights: &mut [f64]) {
    let mean = own.iter().zip(y).map(|(c, y)| (c - y).abs()).sum::<f64>() / own.len() as f64;
    let floor = (1e-3 * mean).max(f64::MIN_POSITIVE);
    for ((weight, c), y) in weights.iter_mut().zip(own).zip(y) {
        *weight = 1.0 / (c - y).abs().max(floor);
    }
}
