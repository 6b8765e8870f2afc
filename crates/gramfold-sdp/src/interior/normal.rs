//! M·dy = r by Cholesky factorisation and refinement.
//!
//! Near the end M is close to singular, and with dependent constraints it always is. It is therefore factored with a
//! little added to its diagonal, and refinement takes the addition out again as far as rounding lets it.

use gramfold_linalg::NoFactor;

use super::{Fill, Number, Program, Variable};
use crate::Stop;

/// Steps of refinement.
const ROUNDS: usize = 20;
/// Accuracy that asks for a better factor.
const POOR: f64 = 1e-4;

/// What so many digits allow.
pub(super) struct Accuracy {
    /// The distance from 1 to the next number.
    pub(super) epsilon: f64,
    /// What is added to a diagonal of ones at first, and at most.
    pub(super) added: f64,
    pub(super) most_added: f64,
    /// The most that is added for accuracy's sake.
    pub(super) enough_added: f64,
    /// Accuracy with which refinement is over.
    pub(super) enough: f64,
    /// Accuracy with which plain refinement may stop.
    pub(super) good: f64,
    /// How often the error of A(dX) is taken out.
    pub(super) refinements: usize,
}

/// The factored system.
pub(super) struct Normal<T: Number = f64> {
    schur: T::Schur,
    /// The lower triangle of M, column by column, or its factor.
    matrix: Vec<T>,
    /// M is scaled to a diagonal of ones by these from either side.
    scale: Vec<T>,
    /// Its columns below the diagonal, one after the other: the factorisation overwrites the matrix.
    kept: Vec<T>,
    /// What was added to the diagonal.
    added: f64,
    target: Vec<T>,
    residual: Vec<T>,
    change: Vec<T>,
    step: Vec<T>,
    image: Vec<T>,
    best: Vec<T>,
    spare: Vec<T>,
}

impl<T: Number> Normal<T> {
    pub(super) fn new(program: &Program) -> Self {
        Self::of(T::Schur::new(program), program.constraints())
    }

    fn of(schur: T::Schur, m: usize) -> Self {
        let zeros = || vec![T::default(); m];
        Self {
            schur,
            matrix: vec![T::default(); m * m],
            scale: zeros(),
            kept: vec![T::default(); m * m.saturating_sub(1) / 2],
            added: 0.0,
            target: zeros(),
            residual: zeros(),
            change: zeros(),
            step: zeros(),
            image: zeros(),
            best: zeros(),
            spare: zeros(),
        }
    }

    /// Assembles M for X and W, and factors it; false where that cannot be done, or `stop` says so.
    pub(super) fn prepare(
        &mut self,
        program: &Program,
        x: &Variable<T>,
        w: &Variable<T>,
        stop: Stop<'_>,
    ) -> bool {
        self.schur.assemble(program, (x, w), &mut self.matrix, stop) && self.factor(stop)
    }

    /// Factors M as it was assembled; false where that cannot be done, or `stop` says so.
    fn factor(&mut self, stop: Stop<'_>) -> bool {
        let m = self.scale.len();
        let matrix = &mut self.matrix;
        for (j, scale) in self.scale.iter_mut().enumerate() {
            let diagonal = matrix[j * m + j];
            if !diagonal.rounded().is_finite() {
                return false;
            }
            let positive = diagonal.rounded() > 0.0;
            *scale = if positive { T::from(1.0) / diagonal.sqrt() } else { T::default() };
        }
        let mut kept = self.kept.as_mut_slice();
        for j in 0..m {
            let (below, rest) = kept.split_at_mut(m - 1 - j);
            let column = &mut matrix[j * m + j + 1..(j + 1) * m];
            let scale = self.scale[j];
            for ((v, s), kept) in column.iter_mut().zip(&self.scale[j + 1..]).zip(below) {
                *v = *v * (scale * *s);
                *kept = *v;
            }
            kept = rest;
        }
        self.added = T::ACCURACY.added;
        self.attempt(stop)
    }

    /// Factors the matrix, already in place, with as little added as lets it be done.
    fn attempt(&mut self, stop: Stop<'_>) -> bool {
        let m = self.scale.len();
        let matrix = &mut self.matrix;
        loop {
            for j in 0..m {
                matrix[j * m + j] = T::from(1.0) + T::from(self.added);
            }
            match T::cholesky(matrix, m, stop) {
                Ok(()) => return true,
                Err(NoFactor::Stopped) => return false,
                Err(NoFactor::Indefinite) => self.added *= 100.0,
            }
            if self.added > T::ACCURACY.most_added {
                return false;
            }
            restore(&self.kept, m, matrix);
        }
    }

    /// out ← M⁻¹r, as exactly as can be; returns ‖M·out − r‖/‖r‖ of the scaled system.
    pub(super) fn solve(&mut self, r: &[T], out: &mut [T]) -> f64 {
        self.target.iter_mut().zip(r.iter().zip(&self.scale)).for_each(|(t, (r, s))| *t = *r * *s);
        let size = norm(&self.target);
        if size == 0.0 || !size.is_finite() {
            out.fill(T::default());
            return 0.0;
        }
        let mut accuracy = self.refine(size, out);
        // Where rounding has made M indefinite, a factor of it means nothing: one of more than M does.
        while accuracy > POOR && self.added < T::ACCURACY.enough_added {
            self.added *= 100.0;
            restore(&self.kept, self.scale.len(), &mut self.matrix);
            if !self.attempt(&|| false) {
                break;
            }
            self.spare.copy_from_slice(out);
            let again = self.refine(size, out);
            if again > accuracy {
                out.copy_from_slice(&self.spare);
            }
            accuracy = accuracy.min(again);
        }
        out.iter_mut().zip(&self.scale).for_each(|(o, s)| *o = *o * *s);
        accuracy
    }

    /// Solves the scaled system for `target`, of norm `size`: by plain refinement, and where that stalls by conjugate
    /// gradients, each of which gets further than the other on some matrices that rounding has spoilt.
    fn refine(&mut self, size: f64, out: &mut [T]) -> f64 {
        self.best.fill(T::default());
        let mut least = 1.0;
        for conjugate in [false, true] {
            out.copy_from_slice(&self.best);
            self.residual(out);
            let mut rho = T::default();
            for round in 0..ROUNDS {
                self.precondition();
                let mut alpha = T::from(1.0);
                if conjugate {
                    let next = T::dot(&self.residual, &self.change);
                    let beta = if round == 0 { T::default() } else { next / rho };
                    self.step.iter_mut().zip(&self.change).for_each(|(p, z)| *p = *z + beta * *p);
                    rho = next;
                    multiply(&self.kept, &self.step, &mut self.image);
                    alpha = rho / T::dot(&self.step, &self.image);
                    let length = alpha.rounded();
                    if !(rho.rounded() > 0.0 && length > 0.0 && length.is_finite()) {
                        break;
                    }
                } else {
                    self.step.copy_from_slice(&self.change);
                }
                out.iter_mut().zip(&self.step).for_each(|(x, p)| *x += alpha * *p);
                // The residual that a recurrence would carry along is too good to be true.
                self.residual(out);
                let relative = norm(&self.residual) / size;
                let before = least;
                if relative < least {
                    least = relative;
                    self.best.copy_from_slice(out);
                }
                let stalled = if conjugate { 1e3 * before } else { 0.5 * before };
                if relative <= T::ACCURACY.enough || relative.is_nan() || relative >= stalled {
                    break;
                }
            }
            if least <= T::ACCURACY.good {
                break;
            }
        }
        out.copy_from_slice(&self.best);
        least
    }

    /// residual ← target − M·x.
    fn residual(&mut self, x: &[T]) {
        multiply(&self.kept, x, &mut self.image);
        let difference = self.target.iter().zip(&self.image);
        self.residual.iter_mut().zip(difference).for_each(|(r, (t, i))| *r = *t - *i);
    }

    /// change ← (factored matrix)⁻¹·residual.
    fn precondition(&mut self) {
        self.change.copy_from_slice(&self.residual);
        T::cholesky_solve(&self.matrix, &mut self.change);
    }
}

/// ‖a‖.
pub(super) fn norm<T: Number>(a: &[T]) -> f64 {
    T::dot(a, a).rounded().sqrt()
}

/// Puts the columns below the diagonal back.
fn restore<T: Copy>(mut kept: &[T], m: usize, matrix: &mut [T]) {
    for j in 0..m {
        let (below, rest) = kept.split_at(m - 1 - j);
        matrix[j * m + j + 1..(j + 1) * m].copy_from_slice(below);
        kept = rest;
    }
}

/// out ← Mx, M with a diagonal of ones and these columns below it.
fn multiply<T: Number>(mut kept: &[T], x: &[T], out: &mut [T]) {
    out.copy_from_slice(x);
    for j in 0..x.len() {
        let (column, rest) = kept.split_at(x.len() - 1 - j);
        out[j] += T::dot(column, &x[j + 1..]);
        let weight = x[j];
        out[j + 1..].iter_mut().zip(column).for_each(|(o, a)| *o += weight * *a);
        kept = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::{super::schur::Schur, *};

    /// A factored system with this lower triangle.
    fn system(m: usize, entry: impl Fn(usize, usize) -> f64) -> Normal {
        let mut normal = Normal::of(Schur::default(), m);
        for j in 0..m {
            for i in j..m {
                normal.matrix[j * m + i] = entry(i, j);
            }
        }
        assert!(normal.factor(&|| false));
        normal
    }

    #[test]
    fn definite_systems_are_solved_to_rounding() {
        for m in [1, 2, 5, 63, 150, 301] {
            let entry = |i: usize, j: usize| {
                let wave = ((3 * i + 7 * j) as f64).sin() + ((3 * j + 7 * i) as f64).sin();
                if i == j { 3.0 * m as f64 * (1.0 + i as f64) } else { wave }
            };
            let mut normal = system(m, entry);
            let x: Vec<f64> = (0..m).map(|i| (i as f64).cos()).collect();
            let r: Vec<f64> =
                (0..m).map(|i| (0..m).map(|j| entry(i.max(j), i.min(j)) * x[j]).sum()).collect();
            let mut found = vec![f64::NAN; m];
            assert!(normal.solve(&r, &mut found) < 1e-13, "m = {m}");
            assert!(x.iter().zip(&found).all(|(x, f)| (x - f).abs() < 1e-11), "m = {m}");
        }
    }

    #[test]
    fn consistent_singular_systems_are_solved() {
        // A rank of 20 in dimension 50, and an empty row.
        let m = 50;
        let factor =
            |i: usize, k: usize| if i == 7 { 0.0 } else { ((i * 31 + k * 17) as f64).sin() };
        let entry = |i: usize, j: usize| (0..20).map(|k| factor(i, k) * factor(j, k)).sum::<f64>();
        let mut normal = system(m, entry);
        let r: Vec<f64> = (0..m).map(|i| (0..m).map(|j| entry(i, j)).sum()).collect();
        let mut found = vec![0.0; m];
        assert!(normal.solve(&r, &mut found) < 1e-11);
        assert!(found.iter().all(|f| f.abs() < 1e3) && found[7] == 0.0);
        for (i, r) in r.iter().enumerate() {
            let image: f64 = (0..m).map(|j| entry(i, j) * found[j]).sum();
            assert!((image - r).abs() < 1e-9, "{image} for {r}");
        }
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        let mut normal: Normal = Normal::of(Schur::default(), 2);
        normal.matrix = vec![1.0, 0.0, 0.0, f64::NAN];
        assert!(!normal.factor(&|| false));
    }
}
