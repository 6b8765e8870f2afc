//! How far a direction can be followed inside the cone: the largest α with X + αD ⪰ 0.
//!
//! With X = LLᵀ that is −1/λ_min(L⁻¹DL⁻ᵀ), which the Lanczos process finds to the digit or two that a step length
//! needs; its residual is subtracted, so that the answer errs to the short side.

use gramfold_linalg::{Mat, dot, norm, normalise};

use super::{Block, Factor, Number};

/// Steps after which the estimate must do.
const STEPS: usize = 80;
/// λ_min is wanted to this share of its size.
const PRECISION: f64 = 0.02;

/// Room for the Lanczos process.
#[derive(Default)]
pub(super) struct Stepper {
    current: Vec<f64>,
    previous: Vec<f64>,
    solved: Vec<f64>,
    image: Vec<f64>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    vector: Vec<f64>,
    pivots: Vec<f64>,
}

impl Stepper {
    /// The largest step for all blocks, infinite if nothing bounds it.
    pub(super) fn longest<T: Number>(
        &mut self,
        of: &[Block<T>],
        factor: &Factor<T>,
        direction: &[Block<T>],
    ) -> f64 {
        let mut longest = f64::INFINITY;
        for ((of, factor), direction) in of.iter().zip(&factor.blocks).zip(direction) {
            let step = match (of, factor, direction) {
                (Block::Diagonal(x), _, Block::Diagonal(d)) => x
                    .iter()
                    .zip(d)
                    .filter(|(_, d)| d.rounded() < 0.0)
                    .fold(f64::INFINITY, |least, (x, d)| least.min((-*x / *d).rounded())),
                (_, Block::Dense(factor), Block::Dense(direction)) => {
                    let least = T::least(self, factor, direction);
                    if least < 0.0 { -1.0 / least } else { f64::INFINITY }
                }
                _ => unreachable!("variables of one problem have the same blocks"),
            };
            longest = longest.min(step);
        }
        longest
    }

    /// A lower estimate of λ_min(L⁻¹DL⁻ᵀ).
    pub(super) fn least_eigenvalue(&mut self, factor: &Mat, direction: &Mat) -> f64 {
        let n = factor.rows();
        for room in [&mut self.current, &mut self.previous, &mut self.solved, &mut self.image] {
            room.clear();
            room.resize(n, 0.0);
        }
        self.diagonal.clear();
        self.beside.clear();
        // Any fixed start without symmetry does; a direction that vanishes on it would be a coincidence.
        let mut state = 0x9e37_79b9_u32;
        for v in &mut self.current {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *v = 1.0 + f64::from(state >> 8) / f64::from(1 << 24);
        }
        normalise(&mut self.current);
        let mut beta = 0.0;
        let mut estimate = 0.0;
        for step in 1..=STEPS.min(n + 5) {
            self.apply(factor, direction);
            let alpha = dot(&self.image, &self.current);
            for ((i, c), p) in self.image.iter_mut().zip(&self.current).zip(&self.previous) {
                *i -= alpha * c + beta * p;
            }
            self.diagonal.push(alpha);
            beta = norm(&self.image);
            let scale =
                self.diagonal.iter().chain(&self.beside).fold(0.0, |m: f64, v| m.max(v.abs()));
            let exhausted = beta <= 1e-12 * scale || step >= STEPS.min(n + 5);
            if exhausted || step % 4 == 0 || (step > 4 && step % 2 == 0) {
                let (least, last) = self.smallest(scale);
                let residual = if exhausted && beta <= 1e-12 * scale { 0.0 } else { beta * last };
                estimate = least - residual;
                // A step of more than 1 is never asked for.
                let enough =
                    residual <= PRECISION * least.abs() || estimate > -0.5 && residual < 0.2;
                if exhausted || enough {
                    return estimate;
                }
            }
            self.beside.push(beta);
            std::mem::swap(&mut self.previous, &mut self.current);
            self.current.iter_mut().zip(&self.image).for_each(|(c, i)| *c = i / beta);
        }
        estimate
    }

    /// image ← L⁻¹DL⁻ᵀ·current.
    fn apply(&mut self, factor: &Mat, direction: &Mat) {
        let n = factor.rows();
        for i in (0..n).rev() {
            let row = factor.row(i);
            let sum = dot(&row[i + 1..], &self.solved[i + 1..]);
            self.solved[i] = (self.current[i] - sum) / row[i];
        }
        for i in 0..n {
            let row = factor.row(i);
            let sum = dot(&row[..i], &self.image[..i]);
            self.image[i] = (dot(direction.row(i), &self.solved) - sum) / row[i];
        }
    }

    /// The smallest eigenvalue of the tridiagonal matrix, and the last component of its unit eigenvector.
    fn smallest(&mut self, scale: f64) -> (f64, f64) {
        let (a, b) = (&self.diagonal, &self.beside);
        let k = a.len();
        let radius = |i: usize| {
            b.get(i).map_or(0.0, |v: &f64| v.abs()) + if i > 0 { b[i - 1].abs() } else { 0.0 }
        };
        let mut low = (0..k).map(|i| a[i] - radius(i)).fold(f64::INFINITY, f64::min);
        let mut high = a.iter().copied().fold(f64::INFINITY, f64::min);
        let positive = |shift: f64| {
            let mut pivot = a[0] - shift;
            let mut i = 0;
            while pivot > 0.0 {
                i += 1;
                if i == k {
                    return true;
                }
                pivot = a[i] - shift - b[i - 1] * b[i - 1] / pivot;
            }
            false
        };
        let tolerance = 1e-10 * scale + f64::MIN_POSITIVE;
        low -= tolerance;
        while high - low > tolerance.max(1e-6 * low.abs().min(high.abs())) {
            let middle = 0.5 * (low + high);
            if positive(middle) { low = middle } else { high = middle }
        }
        // Inverse iteration from below the eigenvalue, where T − low·I has a Cholesky factorisation.
        self.pivots.clear();
        self.pivots.push((a[0] - low).max(f64::MIN_POSITIVE));
        for i in 1..k {
            let pivot = a[i] - low - b[i - 1] * b[i - 1] / self.pivots[i - 1];
            self.pivots.push(pivot.max(f64::EPSILON * tolerance));
        }
        let z = &mut self.vector;
        z.clear();
        z.resize(k, 1.0);
        for _ in 0..3 {
            for i in 1..k {
                z[i] -= b[i - 1] / self.pivots[i - 1] * z[i - 1];
            }
            z[k - 1] /= self.pivots[k - 1];
            for i in (0..k - 1).rev() {
                z[i] = (z[i] - b[i] * z[i + 1]) / self.pivots[i];
            }
            normalise(z);
        }
        (low, z[k - 1].abs())
    }
}
