//! f(Z) = ½·Σ_{i≠j} (Z_ij − A_ij)²: factor analysis, where the diagonal is nobody's business.

use gramfold_linalg::{Dense, Mat, Symmetric, dot};

use super::{
    BlockForm, Constants, Evaluation, Line, Loss, Quadratic, RowModels, Side,
    affine::AffineEvaluation,
};
use crate::Memory;

/// What was updated along lines is computed afresh if ‖X‖², which it holds, too, is wrong by this share.
const DRIFT: f64 = 1e-8;

/// Half the squared distance to A off the diagonal; ∇f(Z) = (Z − A) without its diagonal, l_f = 1, f* = 0.
pub struct OffDiagonal {
    /// ½‖Z − A‖² for A without its diagonal.
    whole: Quadratic,
}

impl OffDiagonal {
    /// The loss for a symmetric A, whose diagonal is not looked at.
    pub fn new(a: impl Into<Symmetric>) -> Self {
        Self { whole: Quadratic::new(hollow(a.into())) }
    }

    /// A with zeros on its diagonal.
    pub fn matrix(&self) -> &Symmetric {
        self.whole.matrix()
    }
}

/// The matrix with zeros on its diagonal.
fn hollow(a: Symmetric) -> Symmetric {
    let n = a.dim();
    if let Symmetric::Dense(dense) = a {
        let mut matrix = dense.as_mat().clone();
        (0..n).for_each(|i| matrix[(i, i)] = 0.0);
        return Dense::symmetrised(matrix).into();
    }
    a.without_diagonal().expect("invariant: as many rows as before").into()
}

impl Loss for OffDiagonal {
    fn name(&self) -> &'static str {
        "off-diagonal"
    }

    fn dim(&self) -> usize {
        self.whole.dim()
    }

    fn constants(&self) -> Constants {
        Constants { sigma: 0.0, ..self.whole.constants() }
    }

    fn at_zero(&self) -> f64 {
        self.whole.at_zero()
    }

    fn pull(&self, v: &Mat, out: &mut Mat) {
        self.whole.pull(v, out);
    }

    fn curvature_saves(&self, rank: usize) -> f64 {
        self.whole.curvature_saves(rank)
    }

    fn evaluation(&self, rank: usize) -> Box<dyn Evaluation + '_> {
        let zeros = || Mat::zeros(self.dim(), rank);
        Box::new(HollowEvaluation {
            whole: self.whole.affine(rank),
            x: Rows { factor: zeros(), ..Rows::default() },
            y: Rows { factor: zeros(), ..Rows::default() },
        })
    }
}

/// ½‖Z − A‖² for the hollow A, less what it makes of the diagonal, ½Σ(x_i·y_i)².
struct HollowEvaluation<'a> {
    whole: AffineEvaluation<'a>,
    x: Rows,
    y: Rows,
}

/// A factor, and what the block of the other one sees of it.
#[derive(Debug)]
struct Rows {
    factor: Mat,
    gram: Mat,
    linear: Mat,
}

impl Default for Rows {
    fn default() -> Self {
        let empty = || Mat::zeros(0, 0);
        Self { factor: empty(), gram: empty(), linear: empty() }
    }
}

impl HollowEvaluation<'_> {
    /// Copies what blocks ask for.
    fn read(&mut self, side: Side, factor: &Mat) {
        let other = if side == Side::X { Side::Y } else { Side::X };
        let BlockForm::SharedGram { gram, linear } = self.whole.block(other) else {
            unreachable!("invariant: a whole quadratic has a shared Gram")
        };
        let rows = if side == Side::X { &mut self.x } else { &mut self.y };
        rows.factor.copy_from(factor);
        rows.gram = gram.clone();
        rows.linear = linear.clone();
    }

    fn read_both(&mut self, factor: &Mat) {
        self.read(Side::X, factor);
        self.read(Side::Y, factor);
    }
}

/// x_i·y_i for each i.
fn diagonal<'a>(x: &'a Mat, y: &'a Mat) -> impl Iterator<Item = f64> + 'a {
    (0..x.rows()).map(|i| dot(x.row(i), y.row(i)))
}

/// Row i of `out` less `weight(i)` times row i of `of`.
fn subtract(weights: impl Iterator<Item = f64>, of: &Mat, out: &mut Mat) {
    for (i, weight) in weights.enumerate() {
        out.row_mut(i).iter_mut().zip(of.row(i)).for_each(|(out, value)| *out -= weight * value);
    }
}

impl Evaluation for HollowEvaluation<'_> {
    fn moved(&mut self, side: Side, factor: &Mat) {
        self.whole.moved(side, factor);
        self.read(side, factor);
    }

    fn folded(&mut self, factor: &Mat) {
        self.whole.folded(factor);
        self.read_both(factor);
    }

    fn value(&self, x: &Mat, y: &Mat) -> f64 {
        self.whole.value(x, y) - 0.5 * diagonal(x, y).map(|d| d * d).sum::<f64>()
    }

    fn precise_value(&self, x: &Mat, y: &Mat) -> f64 {
        self.whole.precise_hollow_value(x, y)
    }

    fn gradient_norm(&self, x: &Mat, y: &Mat) -> f64 {
        (2.0 * self.value(x, y)).max(0.0).sqrt()
    }

    fn apply(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        self.whole.apply(x, y, v, out);
        subtract(diagonal(x, y), v, out);
    }

    fn apply_transpose(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        self.whole.apply_transpose(x, y, v, out);
        subtract(diagonal(x, y), v, out);
    }

    fn apply_symmetric(&self, x: &Mat, y: &Mat, v: &Mat, out: &mut Mat) {
        self.whole.apply_symmetric(x, y, v, out);
        subtract(diagonal(x, y), v, out);
    }

    fn curvature_along_difference(&self, x: &Mat, y: &Mat, d: &Mat) -> f64 {
        let own: f64 =
            diagonal(x, y).enumerate().map(|(i, value)| value * dot(d.row(i), d.row(i))).sum();
        self.whole.curvature_along_difference(x, y, d) - own
    }

    fn rounding(&self, x: &Mat, y: &Mat) -> f64 {
        2.0 * self.whole.rounding(x, y)
    }

    fn block(&self, side: Side) -> BlockForm<'_> {
        BlockForm::Rows(if side == Side::X { &self.y } else { &self.x })
    }

    fn lipschitz(&self, side: Side) -> f64 {
        self.whole.lipschitz(side)
    }

    fn line(&mut self, x: &Mat, p: &Mat) -> Option<Line<'_>> {
        let Some(Line::Quartic(mut c)) = self.whole.line(x, p) else { return None };
        // −½Σ(q₀ + q₁t + q₂t²)² over the rows.
        for i in 0..x.rows() {
            let (x, p) = (x.row(i), p.row(i));
            let (q0, q1, q2) = (dot(x, x), 2.0 * dot(x, p), dot(p, p));
            c[0] -= 0.5 * q0 * q0;
            c[1] -= q0 * q1;
            c[2] -= 0.5 * q1 * q1 + q0 * q2;
            c[3] -= q1 * q2;
            c[4] -= 0.5 * q2 * q2;
        }
        Some(Line::Quartic(c))
    }

    fn curvature_product(&self, x: &Mat, v: &Mat, full: bool, out: &mut Mat) -> bool {
        self.whole.curvature_product(x, v, full, out);
        // The diagonal of XVᵀ + VXᵀ is 2x_i·v_i.
        subtract(diagonal(x, v).map(|d| 4.0 * d), x, out);
        if full {
            subtract(diagonal(x, x).map(|d| 2.0 * d), v, out);
        }
        true
    }

    fn rescaled(&mut self, scale: f64, factor: &Mat) {
        self.whole.rescaled(scale, factor);
        self.read_both(factor);
    }

    fn folded_along(&mut self, t: f64, factor: &Mat) {
        self.whole.folded_along(t, factor);
        self.read_both(factor);
        // A factor that shrinks soon has nothing but the rounding of what it was.
        let trace: f64 = (0..factor.cols()).map(|j| self.x.gram[(j, j)]).sum();
        let square = factor.norm_squared();
        if (trace - square).abs() > DRIFT * square {
            self.folded(factor);
        }
    }

    fn remember(&self, memory: &mut Memory) {
        self.whole.remember(memory);
    }

    fn recall(&mut self, memory: &Memory) {
        self.whole.recall(memory);
        let (x, y) = (self.x.factor.clone(), self.y.factor.clone());
        self.read(Side::X, &x);
        self.read(Side::Y, &y);
    }

    fn columns_multiplied(&self) -> u64 {
        self.whole.columns_multiplied()
    }
}

impl RowModels for Rows {
    fn is_quadratic(&self) -> bool {
        true
    }

    fn models(
        &self,
        first: usize,
        rows: &[f64],
        values: &mut [f64],
        gradients: &mut [f64],
        grams: &mut [f64],
    ) {
        let r = self.gram.cols();
        for (k, row) in rows.chunks_exact(r).enumerate() {
            let (y, linear) = (self.factor.row(first + k), self.linear.row(first + k));
            let gram = &mut grams[k * r * r..(k + 1) * r * r];
            for (i, line) in gram.chunks_exact_mut(r).enumerate() {
                let shared = self.gram.row(i);
                for (j, entry) in line.iter_mut().enumerate() {
                    *entry = shared[j] - y[i] * y[j];
                }
            }
            let gradient = &mut gradients[k * r..(k + 1) * r];
            for (i, gradient) in gradient.iter_mut().enumerate() {
                *gradient = dot(&gram[i * r..(i + 1) * r], row) - linear[i];
            }
            values[k] = 0.5 * (dot(gradient, row) - dot(linear, row));
        }
    }

    fn values(&self, first: usize, rows: &[f64], values: &mut [f64]) {
        let r = self.gram.cols();
        for (k, row) in rows.chunks_exact(r).enumerate() {
            let (y, linear) = (self.factor.row(first + k), self.linear.row(first + k));
            let square: f64 = (0..r).map(|i| row[i] * dot(self.gram.row(i), row)).sum();
            let own = dot(y, row);
            values[k] = 0.5 * (square - own * own) - dot(linear, row);
        }
    }
}
