//! Riemannian trust-region Newton: the model is minimised by preconditioned conjugate gradients (Steihaug).

use gramfold_linalg::{Mat, cg_direction, cg_step};

use super::manifold::Manifold;

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
    residual: Mat,
    direction: Mat,
    image: Mat,
    preconditioned: Mat,
    sums: Vec<f64>,
    pub(super) radius: f64,
    /// No plane: scaling rows keeps them tangent, and M⁻¹·residual need not be stored.
    plain: bool,
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
    pub(super) fn new(n: usize, rank: usize, radius: f64, plain: bool) -> Self {
        let zeros = || Mat::zeros(n, rank);
        let trial = Iterate { x: zeros(), gradient: zeros(), y: vec![0.0; n], objective: 0.0 };
        Self {
            trial,
            step: zeros(),
            residual: zeros(),
            direction: zeros(),
            image: zeros(),
            preconditioned: zeros(),
            sums: Vec::new(),
            radius,
            plain,
        }
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
        self.step.as_mut_slice().fill(0.0);
        self.residual.copy_from(&at.gradient);
        self.residual.scale(-1.0);
        let mut rz = self.precondition(manifold, weights, at, 0.0);
        if rz <= 0.0 {
            return (0.0, true);
        }
        let target = limits.forcing * limits.forcing * rz;
        // ‖s‖², ⟨s, p⟩, ‖p‖² in the norm of the preconditioner.
        let (mut ss, mut sp, mut pp) = (0.0, 0.0, rz);
        let mut model = 0.0;
        for _ in 0..limits.inner {
            let curvature = manifold.hessian(&at.x, &at.y, &self.direction, &mut self.image);
            let alpha = rz / curvature;
            let reach = ss + 2.0 * alpha * sp + alpha * alpha * pp;
            if curvature <= 0.0 || reach >= self.radius * self.radius {
                let room = self.radius * self.radius - ss;
                let tau = (-sp + (sp * sp + pp * room).max(0.0).sqrt()) / pp;
                self.step.axpy(tau, &self.direction);
                model += tau * rz - 0.5 * tau * tau * curvature;
                return (model, false);
            }
            model += 0.5 * alpha * rz;
            (ss, sp) = (reach, sp + alpha * pp);
            let before = rz;
            rz = self.advance(manifold, weights, at, alpha);
            if rz <= target || rz.is_nan() || (limits.stop)() {
                return (model, true);
            }
            let beta = rz / before;
            self.turn(weights, beta);
            (sp, pp) = (beta * sp, rz + beta * beta * pp);
        }
        (model, true)
    }

    /// direction ← M⁻¹·residual; returns ⟨residual, M⁻¹·residual⟩.
    fn precondition(
        &mut self,
        manifold: &mut Manifold<'_>,
        weights: &[f64],
        at: &Iterate,
        alpha: f64,
    ) -> f64 {
        self.direction.as_mut_slice().fill(0.0);
        self.image.as_mut_slice().fill(0.0);
        let rz = self.advance(manifold, weights, at, alpha);
        self.turn(weights, 0.0);
        rz
    }

    /// One step along the direction; returns ⟨residual, M⁻¹·residual⟩.
    fn advance(
        &mut self,
        manifold: &mut Manifold<'_>,
        weights: &[f64],
        at: &Iterate,
        alpha: f64,
    ) -> f64 {
        let given = [&self.direction, &self.image];
        let changed = [&mut self.step, &mut self.residual];
        let (_, weighted) = cg_step(alpha, weights, given, changed, &mut self.sums);
        if self.plain {
            return weighted;
        }
        cg_direction(weights, &self.residual, 0.0, &mut self.preconditioned);
        manifold.project(&at.x, &mut self.preconditioned);
        self.residual.dot(&self.preconditioned)
    }

    /// direction ← M⁻¹·residual + β·direction.
    fn turn(&mut self, weights: &[f64], beta: f64) {
        if self.plain {
            cg_direction(weights, &self.residual, beta, &mut self.direction);
        } else {
            self.direction.zip(&self.preconditioned, |p, z| z + beta * p);
        }
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
