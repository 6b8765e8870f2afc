//! The multiplier of the plane: s with S + s·vvᵀ ⪰ −ε, given that S ⪰ 0 in the plane.
//!
//! With u = v/‖v‖ and q = PSu the Schur complement asks for s‖v‖² + uᵀSu ≥ qᵀ(PSP + ε)⁻¹q. Only the part of q in
//! the range of X, where PSP vanishes, costs 1/ε: at a solution it is small, and s stays moderate.

use gramfold_linalg::{
    ConjugateGradients, Csr, Gram, Mat, Reach, System, accumulate, symmetric_eigen,
};

/// Steps of conjugate gradients for the part of q off the range of X, and the accuracy they aim at.
const STEPS: usize = 400;
const ACCURACY: f64 = 1e-3;
/// What the computed quantity is multiplied by: conjugate gradients approach it from below.
const SAFETY: f64 = 1.5;

/// S in the plane, off the range of X.
struct Complement<'a> {
    cost: &'a Csr,
    y: &'a [f64],
    /// u.
    unit: Mat,
    /// An orthonormal basis of the range of X.
    range: Mat,
}

/// (−s, ε) for the unit rows x and the multipliers y; ε is at most `most`, and else where it and what the rounding of a
/// proof with that s would cost are in balance.
pub(super) fn multiplier(cost: &Csr, normal: &[f64], x: &Mat, y: &[f64], most: f64) -> (f64, f64) {
    let n = normal.len();
    let length = gramfold_linalg::norm(normal);
    let unit = Mat::from_row_major(n, 1, normal.iter().map(|v| v / length).collect());
    let mut complement = Complement { cost, y, unit, range: orthonormal(x) };
    let mut image = Mat::zeros(n, 1);
    slack(cost, y, &complement.unit, &mut image);
    let own = complement.unit.dot(&image);
    image.axpy(-own, &complement.unit);
    let whole = image.norm_squared();
    complement.project(&mut image);
    let within = (whole - image.norm_squared()).max(0.0);
    let spare = (SAFETY * n as f64 * f64::EPSILON * within).sqrt().clamp(0.05 * most, most);
    let needed = within / spare + complement.energy(&image);
    (-(SAFETY * needed - own).max(0.0) / (length * length), spare)
}

/// Columns that span the range of x, orthonormal.
fn orthonormal(x: &Mat) -> Mat {
    let r = x.cols();
    let gram = Gram::new(r).of(x, x).clone();
    let Some(eigen) = symmetric_eigen(&gram) else { return Mat::zeros(x.rows(), 1) };
    let top = eigen.values[r - 1];
    let kept: Vec<usize> = (0..r).filter(|&k| eigen.values[k] > 1e-12 * top).collect();
    let map = Mat::from_fn(r, kept.len(), |i, k| {
        eigen.vectors[(kept[k], i)] / eigen.values[kept[k]].sqrt()
    });
    let mut range = Mat::zeros(x.rows(), kept.len());
    accumulate(1.0, x, &map, &mut range);
    range
}

/// out ← (C − Diag(y))·v.
pub(super) fn slack(cost: &Csr, y: &[f64], v: &Mat, out: &mut Mat) {
    cost.apply(v, out);
    let entries = out.as_mut_slice().iter_mut().zip(v.as_slice()).zip(y);
    entries.for_each(|((out, v), y)| *out -= y * v);
}

impl Complement<'_> {
    /// Takes out of v what is along the normal or in the range of X.
    fn project(&self, v: &mut Mat) {
        v.axpy(-self.unit.dot(v), &self.unit);
        for k in 0..self.range.cols() {
            let along: f64 = self.range.column(k).zip(v.as_slice()).map(|(q, v)| q * v).sum();
            let column = self.range.column(k);
            v.as_mut_slice().iter_mut().zip(column).for_each(|(v, q)| *v -= along * q);
        }
    }

    /// qᵀS⁻¹q on the complement, from below.
    fn energy(&mut self, q: &Mat) -> f64 {
        let n = q.rows();
        let (mut x, mut solver) = (Mat::zeros(n, 1), ConjugateGradients::new(n, 1));
        let reach = Reach::products(STEPS);
        2.0 * solver.solve(&mut x, reach, self, |_, residual| residual.copy_from(q)).decrease
    }
}

impl System for Complement<'_> {
    fn product(&mut self, v: &Mat, out: &mut Mat) -> f64 {
        slack(self.cost, self.y, v, out);
        self.project(out);
        v.dot(out)
    }

    fn is_solved(&mut self, _: &Mat, square: f64, first: f64) -> bool {
        square <= ACCURACY * ACCURACY * first
    }
}
