//! The augmented Lagrangian on the folded factor,
//! L(R) = κ⟨C, RRᵀ⟩ − yᵀ(A(RRᵀ) − b) + (β/2)‖A(RRᵀ) − b‖², with everything that an iteration reuses.

use gramfold_linalg::dot;

use super::{
    Factors,
    operator::{Operator, Scratch},
};

/// L at R: value, residual and gradient, kept up to date along lines.
pub(super) struct Lagrangian {
    pub(super) operator: Operator,
    pub(super) scratch: Scratch,
    /// κ: the cost's weight, which [`super::outer`] balances against the constraints.
    pub(super) kappa: f64,
    pub(super) multipliers: Vec<f64>,
    pub(super) beta: f64,
    /// R.
    pub(super) factors: Factors,
    /// ⟨C, RRᵀ⟩ and A(RRᵀ).
    pub(super) image: Vec<f64>,
    /// A(RRᵀ) − b.
    pub(super) residual: Vec<f64>,
    /// y − β(A(RRᵀ) − b): the multipliers that a stationary point of L proves.
    pub(super) estimate: Vec<f64>,
    /// ∇L = 2(κC − A*(estimate))·R.
    pub(super) gradient: Factors,
    first: Vec<f64>,
    second: Vec<f64>,
    /// Whether steps have been added up since the image was last computed from R.
    pub(super) drifted: bool,
}

impl Lagrangian {
    pub(super) fn new(operator: Operator, factors: Factors, beta: f64) -> Self {
        let m = operator.constraints();
        let scratch = operator.scratch();
        let gradient = factors.zeros_like();
        let mut new = Self {
            operator,
            scratch,
            kappa: 1.0,
            multipliers: vec![0.0; m],
            beta,
            factors,
            image: vec![0.0; m + 1],
            residual: vec![0.0; m],
            estimate: vec![0.0; m],
            gradient,
            first: vec![0.0; m + 1],
            second: vec![0.0; m + 1],
            drifted: false,
        };
        new.evaluate();
        new
    }

    /// Takes other factors, of any rank.
    pub(super) fn set_factors(&mut self, factors: Factors) {
        self.gradient = factors.zeros_like();
        self.factors = factors;
        self.evaluate();
    }

    /// Computes everything from R, y and β.
    pub(super) fn evaluate(&mut self) {
        let Self { operator, scratch, factors, image, .. } = self;
        operator.image(factors, factors, scratch, image);
        self.drifted = false;
        self.refresh();
    }

    /// Residual, estimate and gradient from the image.
    pub(super) fn refresh(&mut self) {
        let image = &self.image[1..];
        for (k, residual) in self.residual.iter_mut().enumerate() {
            *residual = image[k] - self.operator.rhs[k];
            self.estimate[k] = self.multipliers[k] - self.beta * *residual;
        }
        let Self { operator, scratch, factors, estimate, gradient, kappa, .. } = self;
        operator.set_slack(*kappa, estimate, scratch);
        operator.apply(*kappa, estimate, factors, gradient, scratch);
        gradient.scale(2.0);
    }

    /// y ← y − β(A(RRᵀ) − b), from images without drift.
    pub(super) fn update_multipliers(&mut self) {
        if self.drifted {
            self.evaluate();
        }
        self.multipliers.copy_from_slice(&self.estimate);
        self.operator.respect_signs(&mut self.multipliers);
        self.refresh();
    }

    /// Gives the estimate the signs that nonnegative slacks ask for, and S with it, until the next refresh.
    pub(super) fn respect_signs(&mut self) {
        let Self { operator, scratch, estimate, kappa, .. } = self;
        operator.respect_signs(estimate);
        operator.set_slack(*kappa, estimate, scratch);
    }

    /// ⟨C, RRᵀ⟩.
    pub(super) fn cost(&self) -> f64 {
        self.image[0]
    }

    pub(super) fn value(&self) -> f64 {
        self.kappa * self.image[0] - dot(&self.multipliers, &self.residual)
            + 0.5 * self.beta * dot(&self.residual, &self.residual)
    }

    /// bᵀy of the estimate.
    pub(super) fn dual_value(&self) -> f64 {
        dot(&self.operator.rhs, &self.estimate)
    }

    /// t ↦ L(R + tP), lowest coefficient first.
    pub(super) fn line(&mut self, direction: &Factors) -> [f64; 5] {
        let Self { operator, scratch, factors, first, second, .. } = self;
        operator.image(factors, direction, scratch, first);
        for value in first.iter_mut() {
            *value *= 2.0;
        }
        operator.image(direction, direction, scratch, second);
        let (first, second) = (&self.first, &self.second);
        let (linear, square) = (&first[1..], &second[1..]);
        // The slope is ∇L·P, up to rounding; the residual's own products keep the coefficients consistent.
        [
            self.value(),
            self.kappa * first[0] - dot(&self.estimate, linear),
            self.kappa * second[0] - dot(&self.estimate, square)
                + 0.5 * self.beta * dot(linear, linear),
            self.beta * dot(linear, square),
            0.5 * self.beta * dot(square, square),
        ]
    }

    /// R ← R + tP along the last [`Lagrangian::line`]: no image is computed, one product S·R is.
    pub(super) fn step(&mut self, t: f64, direction: &Factors) {
        self.factors.axpy(t, direction);
        for ((image, a), b) in self.image.iter_mut().zip(&self.first).zip(&self.second) {
            *image += t * (a + t * b);
        }
        self.drifted = true;
        self.refresh();
    }

    /// out ← ∇²L·V = 2(κC − A*(estimate))·V + 2β·A*(A(RVᵀ + VRᵀ))·R.
    ///
    /// The pattern's values are overwritten by the second term and put back, so that S stays in place.
    pub(super) fn hessian(&mut self, v: &Factors, out: &mut Factors, work: &mut Factors) {
        let Self { operator, scratch, factors, estimate, kappa, first, .. } = self;
        operator.apply(*kappa, estimate, v, out, scratch);
        operator.image(factors, v, scratch, first);
        // −(−2β·2)·A* = 4β·A*, and the outer factor 2 comes with the scaling below.
        first[1..].iter_mut().for_each(|value| *value *= -2.0 * self.beta);
        operator.set_slack(0.0, &first[1..], scratch);
        operator.apply(0.0, &first[1..], factors, work, scratch);
        out.axpy(1.0, work);
        out.scale(2.0);
        operator.set_slack(*kappa, estimate, scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lowrank::tests::{random_sdp, wave};

    fn lagrangian() -> Lagrangian {
        let operator = Operator::new(&random_sdp(3)).unwrap();
        let factors = wave(&operator, 3, 0.4);
        let mut l = Lagrangian::new(operator, factors, 1.7);
        l.multipliers.iter_mut().enumerate().for_each(|(k, y)| *y = (k as f64).sin());
        l.kappa = 0.8;
        l.evaluate();
        l
    }

    #[test]
    fn the_gradient_and_the_hessian_match_differences() {
        let mut l = lagrangian();
        let p = wave(&l.operator, 3, 1.1);
        let start = l.factors.clone();
        let (gradient, mut hessian, mut work) =
            (l.gradient.clone(), p.zeros_like(), p.zeros_like());
        l.hessian(&p, &mut hessian, &mut work);
        let step = 1e-5;
        let mut at = |t: f64| {
            let mut moved = start.clone();
            moved.axpy(t, &p);
            l.set_factors(moved);
            (l.value(), l.gradient.clone())
        };
        let (up, mut slope) = at(step);
        let (down, before) = at(-step);
        let expected = gradient.dot(&p);
        assert!(((up - down) / (2.0 * step) - expected).abs() < 1e-6 * (1.0 + expected.abs()));
        slope.axpy(-1.0, &before);
        slope.scale(0.5 / step);
        slope.axpy(-1.0, &hessian);
        assert!(slope.norm() < 1e-6 * (1.0 + hessian.norm()), "{}", slope.norm());
    }

    #[test]
    fn a_line_is_the_quartic_it_says_and_a_step_lands_on_it() {
        let mut l = lagrangian();
        let p = wave(&l.operator, 3, 2.3);
        let c = l.line(&p);
        for t in [0.3, 1.0, 2.5] {
            let mut moved = lagrangian();
            let line = moved.line(&p);
            moved.step(t, &p);
            let stepped = moved.value();
            let gradient = moved.gradient.clone();
            moved.evaluate();
            assert!((moved.value() - stepped).abs() < 1e-9 * (1.0 + stepped.abs()));
            assert!(
                (gramfold::loss::quartic::value(&c, t) - stepped).abs()
                    < 1e-9 * (1.0 + stepped.abs())
            );
            let mut difference = gradient;
            difference.axpy(-1.0, &moved.gradient);
            assert!(difference.norm() < 1e-9 * (1.0 + moved.gradient.norm()));
            assert_eq!(c, line);
        }
    }
}
