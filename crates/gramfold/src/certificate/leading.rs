//! Upper bounds on the leading eigenvalues of a large A, by approximate eigenvectors and what A is beside them.
//!
//! A is [Θ Eᵀ; E B] in a basis that begins with the Ritz vectors, EᵀE = RᵀR for the residuals R, and B ⪯ βI. For t > β, A has as
//! many eigenvalues above t as Θ + Eᵀ(t − B)⁻¹E ⪯ Θ + RᵀR/(t − β), and so no more than [Θ Cᵀ; C βI] with CᵀC = RᵀR: the
//! eigenvalues of A are at most those of this small matrix, in their order, and β where it has none. Residuals count squared.
//! The smallest eigenvalue of S is that of −S which leads, with its sign turned.

use std::ops::RangeInclusive;

use gramfold_linalg::{
    Csr, Gram, KrylovOptions, Mat, Symmetric, Which, accumulate, symmetric_eigen,
};

use super::{
    chebyshev,
    ritz::near,
    spectrum::{Operator, Proof},
};

/// How near the bounds are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// As near as some seconds allow.
    Fine,
    /// So near that what is left is little beside what a nonnegative factor cannot reach anyway.
    Rough,
}

/// Multiplications that a basis of Lanczos vectors may cost: some seconds. Above that the neighbourhood of X must do.
const LANCZOS: usize = 1 << 32;

/// Residuals relative to the largest eigenvalue where bounds are to be fine.
const FINE: f64 = 1e-8;

/// Residuals relative to the largest eigenvalue of Ritz vectors that are worth keeping where bounds may be rough.
const CONVERGED: f64 = 0.03;

/// What the vectors of the polynomial are drawn from, which must not be what the Ritz vectors or the start of a run come from: no
/// seed that anybody picks. It is fixed, so that a claim can be recomputed.
const DRAWN: u64 = 0x6d1e_92c4_0b75_a8f3;

/// Eigenvalues that are few: X has their vectors nearly in its span, and Ritz vectors beyond them cost more than they bring.
const FEW: usize = 4;

/// How far below the smallest Ritz value, relative to the width, the rest of a spectrum is taken to reach.
const LOWER: f64 = 0.05;

/// Ritz pairs of a symmetric matrix.
pub struct Leading {
    /// Θ, the largest first.
    pub(super) values: Vec<f64>,
    /// n×w, orthonormal.
    pub(super) vectors: Mat,
    /// A·vectors.
    pub(super) image: Mat,
    /// About the smallest eigenvalue of A.
    pub(super) lowest: f64,
    /// About the largest one beside the vectors.
    pub(super) beyond: f64,
}

/// What bounds may cost.
struct Effort {
    /// Ritz vectors.
    wanted: usize,
    /// Blocks of the space near X.
    blocks: usize,
    /// Of the polynomial. The last Ritz values may be far too low, so that it is not to be too low, either.
    degrees: RangeInclusive<usize>,
}

impl Precision {
    fn effort(self, rank: usize) -> Effort {
        let (wanted, blocks, degrees) = match self {
            Self::Fine => (width(rank), 8, chebyshev::DEGREE..=chebyshev::DEGREE),
            Self::Rough if rank <= FEW => (rank, 3, 12..=14),
            Self::Rough => (width(rank), 6, 12..=20),
        };
        Effort { wanted, blocks, degrees }
    }
}

/// Upper bounds on as many eigenvalues of A as X has columns, and how they are proved; how near they are may depend on where the
/// spectrum of A − XXᵀ is thought to be.
pub(super) fn at_most(
    a: &Symmetric,
    x: &Mat,
    ends: (f64, f64),
    precision: Precision,
    stop: &dyn Fn() -> bool,
) -> Option<(Vec<f64>, Proof)> {
    let (n, rank) = (a.dim(), x.cols());
    let Effort { wanted, blocks, degrees } = precision.effort(rank);
    let wanted = wanted.min(n);
    let basis = (2 * wanted + 30).min(n);
    let affordable = LANCZOS / (a.stored() + 2 * n * basis).max(1);
    let rounding = 1e-13 * (n as f64).sqrt() * a.norm_squared().sqrt();
    let mut apply = |v: &Mat, out: &mut Mat| a.apply(v, out);
    let mut operator = Operator { dim: n, apply: &mut apply, rounding, stop };
    let mut found = if precision == Precision::Rough || affordable < basis {
        near(a, x, wanted, blocks, ends, stop)?.converged()
    } else {
        // Unconverged residuals only widen the bound: better a weaker one than a long wait.
        let steps = affordable.min(6 * basis);
        let which = Which::Largest;
        let options = KrylovOptions { which, wanted, basis, steps, tolerance: FINE };
        Leading::by_lanczos(&mut operator, options)?
    };
    if stop() {
        return None;
    }
    // What is below the last eigenvalue that counts is low enough.
    let enough = found.values.get(rank - 1).copied().unwrap_or(f64::NEG_INFINITY);
    let degree = found.degree(&operator, enough)?.clamp(*degrees.start(), *degrees.end());
    if precision == Precision::Rough {
        found.beyond = chebyshev::end(n, found.rest(rounding)?, degree);
    }
    let bounds = match a {
        Symmetric::Sparse(a) => found.at_most_of(a, rounding, degree, stop),
        _ => found.at_most(&mut operator, degree),
    };
    let UpperBounds { mut leading, rest, proof } = bounds?;
    leading.resize(rank, rest);
    Some((leading, proof))
}

/// Ritz vectors for so many eigenvalues: the bound on the rest is loose, and should fall below those that count. More of them
/// cost more, and in a space of as many products are further from eigenvectors.
pub(super) fn width(rank: usize) -> usize {
    rank + rank / 4 + 2
}

/// Upper bounds on eigenvalues.
pub struct UpperBounds {
    /// On as many as there were Ritz values, the largest first.
    pub leading: Vec<f64>,
    /// On all others.
    pub rest: f64,
    /// How they are proved.
    pub proof: Proof,
}

impl Leading {
    /// The degree that should bring the bound on what is beside the vectors down to `enough`.
    pub fn degree(&self, operator: &Operator<'_>, enough: f64) -> Option<usize> {
        Some(chebyshev::degree(operator.dim, self.rest(operator.rounding)?, enough))
    }

    /// The largest Ritz value, not above λmax.
    pub fn largest(&self) -> Option<f64> {
        self.values.first().copied()
    }

    /// Without the vectors, from the first on, that are far from eigenvectors: what A does to them would count for those before.
    fn converged(self) -> Self {
        let residuals = residuals(&self.values, &self.vectors, self.image.clone());
        let size = CONVERGED * self.values.first().map_or(0.0, |value| value.abs());
        let is_near = |j: &usize| residuals.column(*j).map(|r| r * r).sum::<f64>() <= size * size;
        let all = self.values.len();
        let kept = (0..all).take_while(is_near).count().max(1);
        if kept >= all {
            return self;
        }
        let first = |m: &Mat| Mat::from_fn(m.rows(), kept, |i, j| m[(i, j)]);
        let (vectors, image, beyond) =
            (first(&self.vectors), first(&self.image), self.values[kept]);
        Self { values: self.values[..kept].to_vec(), vectors, image, beyond, ..self }
    }

    /// Where the spectrum beside the Ritz vectors is thought to be.
    fn rest(&self, rounding: f64) -> Option<(f64, f64)> {
        let low = self.lowest - LOWER * (self.values.first()? - self.lowest);
        Some((low, self.beyond.max(low + 4.0 * rounding)))
    }

    /// Upper bounds, for which the rest of the matrix is seen through a polynomial of this degree; none where nothing follows. Once the
    /// operator says stop, the degree is what it was by then.
    pub fn at_most(self, operator: &mut Operator<'_>, degree: usize) -> Option<UpperBounds> {
        let (dim, stop, apply) = (operator.dim, operator.stop, &mut *operator.apply);
        self.bounded(dim, operator.rounding, |beside| {
            let Beside { vectors, drawn, interval, rounding, .. } = beside;
            let mut drawn = chebyshev::widened(&drawn);
            let project = |v: &mut Mat| {
                let along = Gram::new(vectors.cols()).of(vectors, v).clone();
                accumulate(-1.0, vectors, &along, v);
            };
            project(&mut drawn);
            // On vectors that are orthogonal to the Ritz vectors, as those drawn are made to be.
            let mut apply = |v: &Mat, out: &mut Mat| {
                apply(v, out);
                project(out);
            };
            let mut operator = Operator { dim, apply: &mut apply, rounding, stop };
            chebyshev::largest_at_most(&mut operator, interval, drawn, degree)
        })
    }

    /// The same for a sparse matrix.
    fn at_most_of(
        self,
        a: &Csr,
        rounding: f64,
        degree: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<UpperBounds> {
        self.bounded(a.dim(), rounding, |beside| {
            let Beside { vectors, drawn, interval, rounding, residual } = beside;
            let matrix = (a, residual);
            chebyshev::largest_beside(matrix, vectors, rounding, interval, drawn, degree, stop)
        })
    }

    /// Upper bounds, given one on the rest of the matrix.
    fn bounded(
        self,
        dim: usize,
        rounding: f64,
        largest: impl FnOnce(Beside<'_>) -> (f64, Proof),
    ) -> Option<UpperBounds> {
        let wanted = self.values.len();
        // Vectors that are orthonormal but for a defect, and values that are theirs but for a drift.
        let mut gram = Gram::new(wanted);
        let defect = gram.of(&self.vectors, &self.vectors).distance(&Mat::identity(wanted));
        let values = Mat::from_fn(wanted, wanted, |i, j| if i == j { self.values[i] } else { 0.0 });
        let drift = gram.of(&self.vectors, &self.image).distance(&values);
        let size = self.largest()?.abs().max(self.lowest.abs());
        let rounding = rounding + drift + 4.0 * defect * size;
        let interval = self.rest(rounding)?;
        let Self { values, vectors, image, .. } = self;
        let residuals = residuals(&values, &vectors, image);
        let drawn = chebyshev::draw(dim, DRAWN);
        let residual = residuals.norm();
        let beside = Beside { vectors: &vectors, drawn, interval, rounding, residual };
        let (rest, proof) = largest(beside);
        let leading = raised(&values, &residuals, rest)?;
        let leading = leading.into_iter().map(|top| top + rounding).collect();
        Some(UpperBounds { leading, rest: rest + rounding, proof })
    }
}

/// What is asked about the rest of a matrix.
struct Beside<'a> {
    /// Beside these.
    vectors: &'a Mat,
    /// Random vectors.
    drawn: chebyshev::Drawn,
    /// Where its spectrum is thought to be.
    interval: (f64, f64),
    rounding: f64,
    /// ‖R‖.
    residual: f64,
}

/// R = AV − VΘ, given AV.
fn residuals(values: &[f64], vectors: &Mat, mut image: Mat) -> Mat {
    let wanted = values.len();
    let rows = image.as_mut_slice().chunks_exact_mut(wanted);
    for (row, vector) in rows.zip(vectors.as_slice().chunks_exact(wanted)) {
        for ((residual, v), value) in row.iter_mut().zip(vector).zip(values) {
            *residual -= value * v;
        }
    }
    image
}

/// The largest eigenvalues of [Θ Cᵀ; C βI], as many as there are Ritz values; none if they are not numbers.
fn raised(values: &[f64], residuals: &Mat, beta: f64) -> Option<Vec<f64>> {
    let wanted = values.len();
    let square = symmetric_eigen(Gram::new(wanted).of(residuals, residuals))?;
    let c = |i: usize, j: usize| square.values[i].max(0.0).sqrt() * square.vectors[(i, j)];
    let coupled = Mat::from_fn(2 * wanted, 2 * wanted, |i, j| match (i < wanted, j < wanted) {
        (true, true) if i == j => values[i],
        (false, false) if i == j => beta,
        (false, true) => c(i - wanted, j),
        (true, false) => c(j - wanted, i),
        _ => 0.0,
    });
    let eigen = if coupled.is_finite() { symmetric_eigen(&coupled)? } else { return None };
    Some(eigen.values.into_iter().rev().take(wanted).collect())
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::multiply;

    use super::*;
    use crate::certificate::never;

    /// A sparse matrix whose eigenvalues a dense solver tells, seen through good and poor subspaces.
    #[test]
    fn eigenvalues_are_below_their_bounds_and_near_them() {
        let n = 600;
        let entries: Vec<_> = (0..n as u32)
            .flat_map(|i| (1..6).map(move |k| (i, (i + 13 * k * k) % n as u32, 1.0 / f64::from(k))))
            .chain((0..n as u32).map(|i| (i, i, 3.0 * (0.37 * f64::from(i)).sin())))
            .collect();
        let sparse = Csr::symmetrised(n, &entries).unwrap();
        let a = Symmetric::from(sparse.clone());
        let eigen = symmetric_eigen(&a.to_dense()).unwrap();
        let top = |i: usize| eigen.values[n - 1 - i];
        let rank = 5;
        let ends = (eigen.values[0], top(rank));
        let exact = Mat::from_fn(n, rank, |i, j| eigen.vectors[(n - 1 - j, i)]);
        let mut poor = exact.clone();
        let wave = Mat::from_fn(n, rank, |i, j| ((i * (j + 2)) as f64).sin());
        poor.zip(&wave, |v, w| v + 0.002 * w);
        let width = top(0) - eigen.values[0];
        let fit = |bounds: &[f64], slack: f64| {
            assert_eq!(bounds.len(), rank);
            for (i, bound) in bounds.iter().enumerate() {
                let fits = *bound >= top(i) - 1e-9 && *bound <= top(i) + slack * width;
                assert!(fits, "{i}: {bound} {} within {slack}", top(i));
            }
        };
        // Also where X has a column of zeros, or nothing.
        let lacking = Mat::from_fn(n, rank, |i, j| if j == 2 { 0.0 } else { exact[(i, j)] });
        for precision in [Precision::Fine, Precision::Rough] {
            let nothing = Mat::zeros(n, rank);
            for (x, slack) in [(&exact, 0.1), (&poor, 0.1), (&lacking, 0.25), (&nothing, 0.25)] {
                let (bounds, proof) = at_most(&a, x, ends, precision, &never).unwrap();
                assert!(proof.holds());
                fit(&bounds, slack);
            }
        }
        // Few columns, and a spectrum that is thought to be elsewhere: bounds hold all the same.
        for (few, ends) in [(1, ends), (2, ends), (4, ends), (2, (0.0, 0.1)), (5, (-9.0, 9.0))] {
            let x = Mat::from_fn(n, few, |i, j| poor[(i, j)]);
            let (bounds, proof) = at_most(&a, &x, ends, Precision::Rough, &never).unwrap();
            assert!(proof.holds() && bounds.len() == few);
            assert!(bounds.iter().enumerate().all(|(i, bound)| *bound >= top(i) - 1e-9));
        }
        // Vectors in single precision, and in double.
        for x in [&exact, &poor] {
            let leading = || near(&a, x, rank, 8, ends, &never).unwrap();
            let single = leading().at_most_of(&sparse, 1e-12, 15, &never).unwrap();
            let mut apply = |v: &Mat, out: &mut Mat| a.apply(v, out);
            let mut operator =
                Operator { dim: n, apply: &mut apply, rounding: 1e-12, stop: &never };
            let double = leading().at_most(&mut operator, 15).unwrap();
            assert_eq!(single.proof, double.proof);
            assert!((single.rest - double.rest).abs() < 1e-4 * width);
            for (single, double) in single.leading.iter().zip(&double.leading) {
                assert!((single - double).abs() < 1e-4 * width, "{single} {double}");
            }
        }
        for (x, slack) in [(exact, 1e-6), (poor, 0.1)] {
            let Leading { values, vectors, image, .. } =
                near(&a, &x, rank, 8, ends, &never).unwrap();
            // A beside the span, densely.
            let mut beside = Mat::identity(n);
            accumulate(-1.0, &vectors, &vectors.transposed(), &mut beside);
            let (mut half, mut rest) = (Mat::zeros(n, n), Mat::zeros(n, n));
            multiply(1.0, &beside, &a.to_dense(), &mut half);
            multiply(1.0, &half, &beside, &mut rest);
            let beta = symmetric_eigen(&rest).unwrap().values[n - 1];
            let residuals = residuals(&values, &vectors, image);
            fit(&raised(&values, &residuals, beta).unwrap(), slack);
        }
    }
}
