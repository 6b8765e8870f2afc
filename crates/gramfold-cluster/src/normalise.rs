//! The weight matrix as the factorisation sees it.
//!
//! Degrees are d_i = Σ_j |a_ij|, after the diagonal has been set.

use std::{fmt, str::FromStr};

use gramfold_linalg::{Dense, Mat, Symmetric};
use rayon::prelude::*;

use crate::{Error, rows};

/// How weights are divided by degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Normalise {
    /// D^-½ A D^-½, the normalised cut.
    #[default]
    Symmetric,
    /// The same with D + d̄·I for the mean degree d̄, which keeps nodes of few edges from forming
    /// clusters of their own (Qin and Rohe, NIPS 2013).
    Regularised,
    /// A as it is; the only choice for negative weights.
    None,
}

/// What becomes of the diagonal, before degrees are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Diagonal {
    /// Self-loops stay.
    Keep,
    /// Self-loops go.
    #[default]
    Zero,
    /// a_ii = Σ_{j≠i} |a_ij|. The matrix becomes positive semidefinite, being diagonally dominant;
    /// with [`Normalise::Symmetric`] it is ½(I + D^-½ A D^-½).
    Degree,
}

/// A matrix ready to be factorised, and what was seen on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The normalised matrix, dense or sparse as the given one.
    pub matrix: Symmetric,
    /// d_i = Σ_j |a_ij| with the diagonal set but nothing divided.
    pub degrees: Vec<f64>,
    /// Nodes of degree zero: their rows are zero.
    pub isolated: usize,
    /// Nonzeros on the diagonal of the given matrix.
    pub self_loops: usize,
}

/// Sets the diagonal of a weight matrix and normalises it.
///
/// ```
/// use gramfold_cluster::{Diagonal, Normalise, prepare};
/// use gramfold_linalg::{Dense, Mat};
///
/// let path = Mat::from_fn(3, 3, |i, j| if i.abs_diff(j) == 1 { 5.0 } else { 0.0 });
/// let path = Dense::symmetrised(path).into();
/// let prepared = prepare(&path, Normalise::Symmetric, Diagonal::Zero)?;
/// assert!((prepared.matrix.get(0, 1) - 0.5_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), gramfold_cluster::Error>(())
/// ```
pub fn prepare(a: &Symmetric, normalise: Normalise, diagonal: Diagonal) -> Result<Prepared, Error> {
    let n = a.dim();
    check(a, normalise)?;
    let (mut loops, mut degrees) = (vec![0.0; n], vec![0.0; n]);
    let mut self_loops = 0;
    for i in 0..n {
        let (own, others) = sums(a, i);
        self_loops += usize::from(own != 0.0);
        loops[i] = match diagonal {
            Diagonal::Keep => own,
            Diagonal::Zero => 0.0,
            Diagonal::Degree => others,
        };
        degrees[i] = others + f64::abs(loops[i]);
        if degrees[i].is_infinite() {
            return Err(Error::Overflow { node: i });
        }
    }
    let isolated = degrees.iter().filter(|&&d| d == 0.0).count();
    if isolated == n {
        return Err(Error::NoWeight { dim: n, diagonal });
    }
    let roots: Vec<f64> = match normalise {
        Normalise::None => vec![1.0; n],
        Normalise::Symmetric => degrees.iter().map(|d| d.sqrt()).collect(),
        Normalise::Regularised => {
            let mean = degrees.iter().map(|d| d / n as f64).sum::<f64>();
            degrees.iter().map(|d| (d + mean).sqrt()).collect()
        }
    };
    // A nonzero weight has two positive degrees, so that nothing is divided by zero; the product of
    // the roots is the same for (i, j) and (j, i), and cannot underflow where one over it overflows.
    let divided =
        |i: usize, j: usize, v: f64| if v == 0.0 { 0.0 } else { v / (roots[i] * roots[j]) };
    let matrix = match a {
        Symmetric::Sparse(a) => a.rebuilt(&loops, divided).into(),
        _ => dense(a, &loops, divided).into(),
    };
    Ok(Prepared { matrix, degrees, isolated, self_loops })
}

/// The diagonal entry of a row, and the sum of |a_ij| over the others.
fn sums(a: &Symmetric, i: usize) -> (f64, f64) {
    let (mut own, mut others) = (0.0, 0.0);
    if let Symmetric::Sparse(a) = a {
        // Without branches, which would be hard to foresee.
        for (j, v) in a.row(i) {
            let is_own = i == j;
            own = if is_own { v } else { own };
            others += if is_own { 0.0 } else { v.abs() };
        }
        return (own, others);
    }
    rows::for_each(a, i, |j, v| if i == j { own = v } else { others += v.abs() });
    (own, others)
}

fn check(a: &Symmetric, normalise: Normalise) -> Result<(), Error> {
    let fine = |v: f64| v.is_finite() && (v >= 0.0 || normalise == Normalise::None);
    if a.values().all(fine) {
        return Ok(());
    }
    let mut first = None;
    for row in 0..a.dim() {
        rows::for_each(a, row, |column, value| {
            if !fine(value) && first.is_none() {
                first = Some((row, column, value));
            }
        });
    }
    let (row, column, value) = first.expect("invariant: a bad value is in some row");
    if value.is_finite() {
        Err(Error::Negative { row, column, value })
    } else {
        Err(Error::NotFinite { what: "matrix", row, column, value })
    }
}

fn dense(a: &Symmetric, loops: &[f64], divided: impl Fn(usize, usize, f64) -> f64 + Sync) -> Dense {
    let n = a.dim();
    let mut matrix = Mat::zeros(n, n);
    matrix.as_mut_slice().par_chunks_mut(n).enumerate().for_each(|(i, row)| {
        a.add_row(i, 1.0, row);
        row[i] = loops[i];
        row.iter_mut().enumerate().for_each(|(j, v)| *v = divided(i, j, *v));
    });
    Dense::symmetrised(matrix)
}

impl fmt::Display for Normalise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Symmetric => "symmetric",
            Self::Regularised => "regularised",
            Self::None => "none",
        })
    }
}

impl FromStr for Normalise {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let all = [Self::Symmetric, Self::Regularised, Self::None];
        all.into_iter().find(|choice| choice.to_string() == name).ok_or_else(|| Error::Unknown {
            kind: "normalisation",
            name: name.to_owned(),
            known: "symmetric, regularised, none",
        })
    }
}

impl fmt::Display for Diagonal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Keep => "keep",
            Self::Zero => "zero",
            Self::Degree => "degree",
        })
    }
}

impl FromStr for Diagonal {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let all = [Self::Keep, Self::Zero, Self::Degree];
        all.into_iter().find(|choice| choice.to_string() == name).ok_or_else(|| Error::Unknown {
            kind: "diagonal",
            name: name.to_owned(),
            known: "keep, zero, degree",
        })
    }
}

#[cfg(test)]
mod tests;
