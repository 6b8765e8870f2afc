//! f(Z) = ⟨C, Z⟩ − yᵀ(A(Z) − b) + (β/2)‖A(Z) − b‖²: the augmented Lagrangian of a linear semidefinite program.

use std::{
    cell::{Cell, RefCell},
    fmt,
};

use gramfold_linalg::{Mat, dot, norm};

use super::{BlockForm, BlockOperator, Constants, Evaluation, Loss, Side};
use crate::Error;

/// Symmetric matrices C = A_0, A_1 … A_m of one size, used only through these operations.
pub trait LinearMap: Send + Sync {
    /// n.
    fn dim(&self) -> usize;

    /// m.
    fn constraints(&self) -> usize;

    /// out\[k\] ← ⟨A_k, XYᵀ⟩, k = 0 … m.
    fn image(&self, x: &Mat, y: &Mat, out: &mut [f64]);

    /// out ← (Σ w_k A_k)·V, k = 0 … m.
    fn combine(&self, weights: &[f64], v: &Mat, out: &mut Mat);

    /// out\[i\] ← Σ ‖row i of A_k·V‖² over the constraints, k = 1 … m.
    fn row_squares(&self, v: &Mat, out: &mut [f64]);

    /// At least ‖A(Z)‖²/‖Z‖² for every Z, A = (A_1 … A_m).
    fn norm_squared(&self) -> f64;

    /// At least ‖Σ w_k A_k‖_F, k = 0 … m.
    fn size(&self, weights: &[f64]) -> f64;
}

/// The loss at multipliers y and weight β: σ_f = 0, l_f = β‖A‖².
pub struct AugmentedLagrangian<'d> {
    map: &'d dyn LinearMap,
    rhs: &'d [f64],
    multipliers: Vec<f64>,
    beta: f64,
    /// 1 and −(y + βb): the weights of ∇f(0).
    at_origin: Vec<f64>,
}

impl<'d> AugmentedLagrangian<'d> {
    /// With right-hand side b, multipliers y and β > 0.
    ///
    /// # Panics
    /// If b or y does not have one entry a constraint.
    pub fn new(
        map: &'d dyn LinearMap,
        rhs: &'d [f64],
        multipliers: Vec<f64>,
        beta: f64,
    ) -> Result<Self, Error> {
        let m = map.constraints();
        assert!(rhs.len() == m && multipliers.len() == m, "one entry a constraint");
        if !(beta > 0.0 && beta.is_finite()) {
            return Err(Error::Parameter { name: "beta".into(), value: beta, range: "positive" });
        }
        let negated = multipliers.iter().zip(rhs).map(|(y, b)| -(y + beta * b));
        let at_origin = std::iter::once(1.0).chain(negated).collect();
        Ok(Self { map, rhs, multipliers, beta, at_origin })
    }

    /// y − β(A(XYᵀ) − b): the multipliers that a critical point proves.
    pub fn estimate(&self, x: &Mat, y: &Mat) -> Vec<f64> {
        let mut image = vec![0.0; self.rhs.len() + 1];
        self.map.image(x, y, &mut image);
        let residual = image[1..].iter().zip(self.rhs).map(|(a, b)| a - b);
        self.multipliers.iter().zip(residual).map(|(y, r)| y - self.beta * r).collect()
    }
}

impl Loss for AugmentedLagrangian<'_> {
    fn name(&self) -> &'static str {
        "augmented Lagrangian"
    }

    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn constants(&self) -> Constants {
        let smoothness = self.beta * self.map.norm_squared();
        let size = self.map.size(&self.at_origin);
        Constants {
            sigma: 0.0,
            smoothness,
            rank_one_smoothness: smoothness,
            infimum: f64::NEG_INFINITY,
            scale: 0.0,
            slope: size / (self.dim() as f64).sqrt(),
        }
    }

    fn at_zero(&self) -> f64 {
        dot(&self.multipliers, self.rhs) + 0.5 * self.beta * dot(self.rhs, self.rhs)
    }

    fn evaluation(&self, rank: usize) -> Box<dyn Evaluation + '_> {
        let (n, m) = (self.dim(), self.rhs.len());
        let seen = || Seen {
            loss: self,
            factor: Mat::zeros(n, rank),
            linear: Mat::zeros(n, rank),
            weights: RefCell::new(vec![0.0; m + 1]),
            columns: Cell::new(0),
        };
        let (x, y) = (seen(), seen());
        let image = vec![0.0; m + 1];
        Box::new(Lagrangian { x, y, image, weights: self.at_origin.clone(), columns: Cell::new(0) })
    }
}

/// What one factor contributes to the other's block: ½β‖A(V·factorᵀ)‖² − ⟨linear, V⟩ + constant.
struct Seen<'a> {
    loss: &'a AugmentedLagrangian<'a>,
    factor: Mat,
    /// (A*(y + βb) − C)·factor.
    linear: Mat,
    weights: RefCell<Vec<f64>>,
    columns: Cell<u64>,
}

impl fmt::Debug for Seen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen").field("factor", &self.factor).finish_non_exhaustive()
    }
}

impl Seen<'_> {
    fn moved(&mut self, factor: &Mat) {
        self.factor.copy_from(factor);
        self.loss.map.combine(&self.loss.at_origin, factor, &mut self.linear);
        self.linear.scale(-1.0);
        self.columns.set(self.columns.get() + factor.cols() as u64);
    }
}

impl BlockOperator for Seen<'_> {
    fn apply(&self, v: &Mat, out: &mut Mat) {
        let mut weights = self.weights.borrow_mut();
        self.loss.map.image(v, &self.factor, &mut weights);
        weights[0] = 0.0;
        weights[1..].iter_mut().for_each(|w| *w *= self.loss.beta);
        self.loss.map.combine(&weights, &self.factor, out);
        self.columns.set(self.columns.get() + v.cols() as u64);
    }

    fn row_curvatures(&self, out: &mut [f64]) {
        self.loss.map.row_squares(&self.factor, out);
        // H = β Σ vec(A_kY)vec(A_kY)ᵀ, since ⟨A_k, VYᵀ⟩ = ⟨A_kY, V⟩.
        let share = self.loss.beta / self.factor.cols() as f64;
        for value in out {
            *value *= share;
        }
    }
}

struct Lagrangian<'a> {
    x: Seen<'a>,
    y: Seen<'a>,
    /// ⟨C, XYᵀ⟩ and A(XYᵀ).
    image: Vec<f64>,
    /// 1 and −(y − β(A(XYᵀ) − b)): ∇f = Σ weights_k A_k.
    weights: Vec<f64>,
    columns: Cell<u64>,
}

impl Lagrangian<'_> {
    fn refresh(&mut self) {
        let loss = self.x.loss;
        loss.map.image(&self.x.factor, &self.y.factor, &mut self.image);
        for k in 0..loss.rhs.len() {
            let residual = self.image[k + 1] - loss.rhs[k];
            self.weights[k + 1] = loss.beta * residual - loss.multipliers[k];
        }
    }

    fn seen(&self, side: Side) -> &Seen<'_> {
        match side {
            Side::X => &self.x,
            Side::Y => &self.y,
        }
    }
}

impl Evaluation for Lagrangian<'_> {
    fn moved(&mut self, side: Side, factor: &Mat) {
        match side {
            Side::X => self.x.moved(factor),
            Side::Y => self.y.moved(factor),
        }
        self.refresh();
    }

    fn folded(&mut self, factor: &Mat) {
        self.x.moved(factor);
        self.y.factor.copy_from(factor);
        self.y.linear.copy_from(&self.x.linear);
        self.refresh();
    }

    fn value(&self, _: &Mat, _: &Mat) -> f64 {
        let loss = self.x.loss;
        let terms = self.image[1..].iter().zip(loss.rhs).zip(&loss.multipliers);
        let constraints: f64 =
            terms.map(|((a, b), y)| (a - b) * (0.5 * loss.beta * (a - b) - y)).sum();
        self.image[0] + constraints
    }

    fn gradient_norm(&self, _: &Mat, _: &Mat) -> f64 {
        self.x.loss.map.size(&self.weights)
    }

    fn apply(&self, _: &Mat, _: &Mat, v: &Mat, out: &mut Mat) {
        self.x.loss.map.combine(&self.weights, v, out);
        self.columns.set(self.columns.get() + v.cols() as u64);
    }

    fn apply_transpose(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        self.apply(x, y, v, out); // Every A_k is symmetric.
    }

    fn apply_symmetric(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        self.apply(x, y, v, out);
    }

    fn rounding(&self, x: &Mat, y: &Mat) -> f64 {
        // The images are inner products of up to n·r terms, which β carries into ∇f.
        let loss = self.x.loss;
        let length = (x.rows() * x.cols() + self.image.len() + 8) as f64;
        let image = x.norm() * y.norm() * loss.map.norm_squared() + norm(loss.rhs);
        let weights = loss.beta * image * loss.map.norm_squared().sqrt();
        4.0 * length * f64::EPSILON * (loss.map.size(&self.weights) + weights)
    }

    fn block(&self, side: Side) -> BlockForm<'_> {
        let other = match side {
            Side::X => self.seen(Side::Y),
            Side::Y => self.seen(Side::X),
        };
        let loss = self.x.loss;
        let lipschitz = loss.beta * loss.map.norm_squared() * other.factor.norm_squared();
        BlockForm::Operator { operator: other, linear: &other.linear, lipschitz }
    }

    fn columns_multiplied(&self) -> u64 {
        self.columns.get() + self.x.columns.get() + self.y.columns.get()
    }
}
