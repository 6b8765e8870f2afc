//! The evaluation shared by losses with ∇f(Z) = κZ + sM: quadratic (κ = 1, s = −1), all of it or off the diagonal, and
//! linear (κ = 0, s = 1).

use std::cell::{Cell, RefCell};

use gramfold_linalg::{Along, Gram, Mat, Symmetric, accumulate, multiply, multiply_less};

use super::{
    BlockForm, Evaluation, Line, Side,
    hollow::{self, diagonal, subtract},
};
use crate::Memory;

/// n up to which the residual is formed row by row for a value without cancellation.
pub(crate) const PRECISE: usize = 8192;

/// What is left of the terms of a value, below which too many of its digits are gone.
const LITTLE_LEFT: f64 = 0.1;

/// What was updated along lines off the diagonal is computed afresh if ‖X‖², which it holds, too, is wrong by this share.
const DRIFT: f64 = 1e-8;

/// ⟨AX, X⟩ in a checkpoint.
const PAIRED: &str = "AXX";

/// f(Z) = κ/2·‖Z‖² + s·⟨M, Z⟩ + constant, less κ/2·Σ Z_ii² if it is hollow.
pub(super) struct Affine<'a> {
    pub(super) matrix: &'a Symmetric,
    pub(super) kappa: f64,
    pub(super) sign: f64,
    pub(super) constant: f64,
    pub(super) norm: f64,
    /// Whether the diagonal of Z counts for nothing; that of M is zero then.
    pub(super) hollow: bool,
}

/// What each factor contributes to values and blocks.
#[derive(Debug)]
pub(super) struct Cached {
    /// −s·M·factor: the linear term of the other factor's block.
    pub(super) linear: Mat,
    /// κ·factorᵀ·factor.
    pub(super) gram: Mat,
    /// The factor, which a row of the other one's block sees if the loss is hollow; empty otherwise.
    pub(super) factor: Mat,
    /// ⟨linear, factor⟩, where X = Y and a line has asked for it.
    paired: Option<f64>,
    /// Whether these were updated, not computed from the factor.
    drifted: bool,
}

pub(super) struct AffineEvaluation<'a> {
    loss: Affine<'a>,
    x: Cached,
    /// What Y contributes, unless it is X.
    y: Cached,
    /// Whether Y is X.
    folded: bool,
    /// What a direction P contributes along X + tP, with −s·M in the place of A.
    along: Option<Along>,
    gram: Gram,
    /// Room for XᵀV.
    inner: RefCell<Gram>,
    columns: Cell<u64>,
}

impl<'a> AffineEvaluation<'a> {
    pub(super) fn new(loss: Affine<'a>, rank: usize) -> Self {
        let n = loss.matrix.dim();
        let rows = if loss.hollow { n } else { 0 };
        let cached = || Cached {
            linear: Mat::zeros(n, rank),
            gram: Mat::zeros(rank, rank),
            factor: Mat::zeros(rows, rank),
            paired: None,
            drifted: false,
        };
        let (x, y, gram) = (cached(), cached(), Gram::new(rank));
        let (inner, columns) = (RefCell::new(Gram::new(rank)), Cell::new(0));
        Self { loss, x, y, folded: false, along: None, gram, inner, columns }
    }

    /// out ← out − diag(LRᵀ)·V, if the loss is hollow.
    fn subtract_diagonal(&self, left: &Mat, right: &Mat, v: &Mat, out: &mut Mat) {
        if self.loss.hollow {
            subtract(diagonal(left, right), v, out);
        }
    }

    /// out ← sM·V.
    fn multiply(&self, v: &Mat, out: &mut Mat) {
        self.loss.matrix.apply(v, out);
        self.columns.set(self.columns.get() + v.cols() as u64);
        if self.loss.sign != 1.0 {
            out.scale(self.loss.sign);
        }
    }

    fn cached(&self, side: Side) -> &Cached {
        match side {
            Side::Y if !self.folded => &self.y,
            _ => &self.x,
        }
    }

    /// What the other factor contributes.
    fn other(&self, side: Side) -> &Cached {
        self.cached(if side == Side::X { Side::Y } else { Side::X })
    }

    /// ½‖XYᵀ + sM‖² without cancellation, summed over row blocks of the residual; off the diagonal if the loss is hollow.
    fn squared_residual(&self, x: &Mat, y: &Mat) -> f64 {
        let n = x.rows();
        let right = y.transposed();
        let mut sum = 0.0;
        for from in (0..n).step_by(64) {
            let rows = 64.min(n - from);
            let left = Mat::from_fn(rows, x.cols(), |i, j| x[(from + i, j)]);
            let mut residual = Mat::zeros(rows, n);
            multiply(1.0, &left, &right, &mut residual);
            for i in 0..rows {
                self.loss.matrix.add_row(from + i, self.loss.sign, residual.row_mut(i));
                if self.loss.hollow {
                    residual[(i, from + i)] = 0.0;
                }
            }
            sum += residual.norm_squared();
        }
        0.5 * sum
    }
}

/// A bound on the rounding of products with sym(κXYᵀ + sM), given r, κ‖X‖‖Y‖ and ‖M‖.
pub(crate) fn rounding_of_gradient(rank: usize, factors: f64, norm: f64) -> f64 {
    // Inner products of length r and up to n, entry by entry, in Frobenius norm; the factor covers the
    // halving and the final sum.
    4.0 * (rank + 8) as f64 * f64::EPSILON * (factors + norm)
}

impl Evaluation for AffineEvaluation<'_> {
    fn moved(&mut self, side: Side, factor: &Mat) {
        if std::mem::take(&mut self.folded) && side == Side::X {
            std::mem::swap(&mut self.x, &mut self.y); // Y stays where both were.
        }
        let cached = match side {
            Side::X => &mut self.x,
            Side::Y => &mut self.y,
        };
        (cached.drifted, cached.paired) = (false, None);
        if cached.linear.rows() == 0 {
            let zeros = || Mat::zeros(factor.rows(), factor.cols());
            (cached.linear, cached.factor) =
                (zeros(), if self.loss.hollow { zeros() } else { Mat::default() });
        }
        if self.loss.hollow {
            cached.factor.copy_from(factor);
        }
        self.loss.matrix.apply(factor, &mut cached.linear);
        self.columns.set(self.columns.get() + factor.cols() as u64);
        if self.loss.sign != -1.0 {
            cached.linear.scale(-self.loss.sign);
        }
        if self.loss.kappa != 0.0 {
            cached.gram.copy_from(self.gram.of(factor, factor));
            cached.gram.scale(self.loss.kappa);
        }
    }

    fn folded(&mut self, factor: &Mat) {
        self.folded = false; // Whatever Y was, it is X now.
        self.moved(Side::X, factor);
        self.folded = true;
        (self.y.linear, self.y.factor) = (Mat::default(), Mat::default()); // Their room is not needed any more.
    }

    fn value(&self, x: &Mat, y: &Mat) -> f64 {
        // ‖XYᵀ‖² = ⟨XᵀX, YᵀY⟩ and ⟨M, XYᵀ⟩ = ⟨MY, X⟩. The Grams carry κ each, and κ² = κ.
        let cached = self.cached(Side::Y);
        let known = self.x.paired.filter(|_| self.folded);
        let paired = known.unwrap_or_else(|| cached.linear.dot(x));
        let own = if self.loss.hollow { diagonal(x, y).map(|d| d * d).sum::<f64>() } else { 0.0 };
        self.loss.constant - paired + 0.5 * (self.x.gram.dot(&cached.gram) - own)
    }

    fn precise_value(&self, x: &Mat, y: &Mat) -> f64 {
        let value = self.value(x, y);
        // Terms that hardly cancel leave a value that is right to as many digits.
        let terms = self.loss.constant + 0.5 * self.x.gram.dot(&self.cached(Side::Y).gram);
        if self.loss.kappa == 0.0 || x.rows() > PRECISE || value > LITTLE_LEFT * terms {
            return value;
        }
        self.squared_residual(x, y) // κ = 1.
    }

    fn gradient_norm(&self, x: &Mat, y: &Mat) -> f64 {
        if self.loss.kappa == 0.0 {
            self.loss.norm
        } else {
            (2.0 * self.value(x, y)).max(0.0).sqrt()
        }
    }

    fn apply(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        self.multiply(v, out);
        if self.loss.kappa != 0.0 {
            accumulate(self.loss.kappa, x, self.inner.borrow_mut().of(y, v), out);
        }
        self.subtract_diagonal(x, y, v, out);
    }

    fn apply_transpose(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        self.apply(y, x, v, out);
    }

    fn apply_symmetric(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        self.multiply(v, out);
        if self.loss.kappa != 0.0 {
            let mut gram = self.inner.borrow_mut();
            if std::ptr::eq(x, y) {
                accumulate(self.loss.kappa, x, gram.of(x, v), out);
            } else {
                accumulate(0.5 * self.loss.kappa, x, gram.of(y, v), out);
                accumulate(0.5 * self.loss.kappa, y, gram.of(x, v), out);
            }
        }
        self.subtract_diagonal(x, y, v, out);
    }

    fn curvature_along_difference(&self, x: &Mat, y: &Mat, d: &Mat) -> f64 {
        // M·D = M·X − M·Y is already here: O(nr²), no product.
        let data = self.cached(Side::Y).linear.dot(d) - self.x.linear.dot(d);
        if self.loss.kappa == 0.0 {
            return data;
        }
        let mut gram = Gram::new(x.cols());
        let left = gram.of(x, d).clone();
        let mut own = 0.0;
        if self.loss.hollow {
            own = diagonal(x, y).zip(diagonal(d, d)).map(|(value, square)| value * square).sum();
        }
        data + self.loss.kappa * left.dot(gram.of(y, d)) - own
    }

    fn rounding(&self, x: &Mat, y: &Mat) -> f64 {
        let factors = self.loss.kappa * x.norm() * y.norm();
        let times = if self.loss.hollow { 2.0 } else { 1.0 };
        times * rounding_of_gradient(x.cols(), factors, self.loss.norm)
    }

    fn block(&self, side: Side) -> BlockForm<'_> {
        let other = self.other(side);
        if self.loss.hollow {
            return BlockForm::Rows(other);
        }
        BlockForm::SharedGram { gram: &other.gram, linear: &other.linear }
    }

    fn block_gradient(&self, side: Side, x: &Mat, y: &Mat, out: &mut Mat) {
        let other = self.other(side);
        let (own, beside) = if side == Side::X { (x, y) } else { (y, x) };
        multiply_less(own, &other.gram, &other.linear, out);
        self.subtract_diagonal(x, y, beside, out);
    }

    fn lipschitz(&self, side: Side) -> f64 {
        // ‖·‖_F bounds the largest eigenvalue and needs no eigensolver.
        self.other(side).gram.norm()
    }

    fn line(&mut self, x: &Mat, p: &Mat) -> Option<Line<'_>> {
        let (n, r) = (p.rows(), p.cols());
        let along = self.along.get_or_insert_with(|| Along::new(n, r));
        along.read(self.loss.matrix, -self.loss.sign, x, &self.x.linear, p);
        self.columns.set(self.columns.get() + r as u64);
        let Along { cross, square, linear, curvature, .. } = along;
        let paired = *self.x.paired.get_or_insert_with(|| self.x.linear.dot(x));
        // Z = XXᵀ + t(XPᵀ + PXᵀ) + t²PPᵀ, with every inner product an r×r one.
        let (kappa, gram) = (self.loss.kappa, &self.x.gram);
        let trace_of_square: f64 =
            (0..r).map(|i| (0..r).map(|j| cross[(i, j)] * cross[(j, i)]).sum::<f64>()).sum();
        let second = gram.dot(square) + kappa * (trace_of_square + cross.norm_squared());
        let mut quartic = [
            self.loss.constant - paired + 0.5 * gram.norm_squared(),
            2.0 * (gram.dot(cross) - *linear),
            second - *curvature,
            2.0 * kappa * cross.dot(square),
            0.5 * kappa * square.norm_squared(),
        ];
        if self.loss.hollow {
            hollow::subtract_along(x, p, &mut quartic);
        }
        Some(Line::Quartic(quartic))
    }

    fn curvature_product(&self, x: &Mat, v: &Mat, full: bool, out: &mut Mat) -> bool {
        if full {
            self.apply(x, x, v, out);
            out.scale(2.0);
            accumulate(2.0, v, &self.x.gram, out);
        } else {
            // The Gram carries κ.
            multiply(2.0, v, &self.x.gram, out);
        }
        if self.loss.kappa != 0.0 {
            // κ = 1: 2(V·XᵀX + X·VᵀX) needs no product with A.
            accumulate(2.0, x, self.inner.borrow_mut().of(v, x), out);
        }
        if self.loss.hollow {
            // The diagonal of XVᵀ + VXᵀ is 2x_i·v_i.
            subtract(diagonal(x, v).map(|d| 4.0 * d), x, out);
        }
        true
    }

    fn rescaled(&mut self, scale: f64, factor: &Mat) {
        if self.loss.hollow {
            self.x.factor.copy_from(factor);
        }
        self.x.linear.scale(scale);
        self.x.gram.scale(scale * scale);
        (self.x.drifted, self.x.paired) = (true, None);
        self.folded = true;
    }

    fn folded_along(&mut self, t: f64, factor: &Mat) {
        let Some(Along { image, cross, square, linear, curvature, .. }) = &self.along else {
            return self.folded(factor);
        };
        (self.x.drifted, self.folded) = (true, true);
        // ⟨M·P, X⟩ = ⟨M·X, P⟩.
        self.x.paired = self.x.paired.map(|paired| paired + t * (2.0 * linear + t * curvature));
        self.x.linear.axpy(t, image);
        let kappa = self.loss.kappa;
        for i in 0..factor.cols() {
            for j in 0..factor.cols() {
                let change = t * (cross[(i, j)] + cross[(j, i)]) + t * t * square[(i, j)];
                self.x.gram[(i, j)] += kappa * change;
            }
        }
        if self.loss.hollow {
            // A factor that shrinks soon has nothing but the rounding of what it was.
            let trace: f64 = (0..factor.cols()).map(|j| self.x.gram[(j, j)]).sum();
            let square = factor.norm_squared();
            if (trace - square).abs() > DRIFT * square {
                return self.folded(factor);
            }
            self.x.factor.copy_from(factor);
        }
    }

    fn remember(&self, memory: &mut Memory) {
        for (cached, linear, gram) in [(&self.x, "AX", "XX"), (&self.y, "AY", "YY")] {
            let seen = !self.folded || linear == "AX";
            if cached.drifted && seen {
                memory.set(linear, &cached.linear);
                memory.set(gram, &cached.gram);
            }
        }
        if let Some(paired) = self.x.paired.filter(|_| self.folded && self.x.drifted) {
            memory.set_number(PAIRED, paired);
        }
    }

    fn recall(&mut self, memory: &Memory) {
        for (cached, linear, gram) in [(&mut self.x, "AX", "XX"), (&mut self.y, "AY", "YY")] {
            cached.drifted |= memory.restore(linear, &mut cached.linear)
                && memory.restore(gram, &mut cached.gram);
        }
        self.x.paired = memory.number(PAIRED).filter(|_| self.folded && self.x.drifted);
    }

    fn best_multiple(&self, x: &Mat) -> Option<f64> {
        let own: f64 = if self.loss.hollow { diagonal(x, x).map(|d| d * d).sum() } else { 0.0 };
        let best = self.x.linear.dot(x) / (self.x.gram.norm_squared() - own);
        (best > 0.0 && best.is_finite()).then_some(best)
    }

    fn columns_multiplied(&self) -> u64 {
        self.columns.get()
    }
}
