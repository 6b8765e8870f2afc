//! Factor analysis: correlations R ≈ XXᵀ off the diagonal, by the least squared residual (minres, the optimum of
//! principal axes).

use gramfold::{
    Error, Solution, Spec,
    linalg::{Dense, Mat, Symmetric, dot},
    registry::Component,
};
use serde::{Deserialize, Serialize};

use crate::principal_axes;

/// A communality above 1 by this much is a Heywood case, not rounding.
const IMPROPER: f64 = 1e-9;

/// The correlations of the columns of a table.
pub fn correlations(points: &Mat) -> Result<Dense, Error> {
    let (n, p) = (points.rows(), points.cols());
    if n < 2 {
        return Err(Error::data("there is only one row: correlations take at least two"));
    }
    let mut centred = points.clone();
    for j in 0..p {
        let mean = points.column(j).sum::<f64>() / n as f64;
        let length = points.column(j).map(|v| (v - mean).powi(2)).sum::<f64>().sqrt();
        let size = points.column(j).fold(0.0, |m: f64, v| m.max(v.abs()));
        let varies = length > 1e-12 * size * (n as f64).sqrt();
        if !varies {
            return Err(Error::data(format!("variable {j} is the same in every row")));
        }
        (0..n).for_each(|i| centred[(i, j)] = (points[(i, j)] - mean) / length);
    }
    let columns = centred.transposed();
    let entry = |i: usize, j: usize| {
        if i == j { 1.0 } else { dot(columns.row(i.min(j)), columns.row(i.max(j))) }
    };
    Ok(Dense::symmetrised(Mat::from_fn(p, p, entry)))
}

/// The correlations that a matrix of covariances has, and whether it was one: its diagonal is not all ones.
pub fn normalised(matrix: &Symmetric) -> Result<(Dense, bool), Error> {
    let dense = matrix.to_dense();
    let p = dense.rows();
    if let Some(i) = (0..p).find(|i| dense[(*i, *i)] <= 0.0 || dense[(*i, *i)].is_nan()) {
        let message = format!("the variance of variable {i} is {}, not positive", dense[(i, i)]);
        return Err(Error::data(message));
    }
    let covariances = (0..p).any(|i| (dense[(i, i)] - 1.0).abs() > 1e-9);
    let scale = |i: usize| if covariances { dense[(i, i)].sqrt() } else { 1.0 };
    let entry =
        |i: usize, j: usize| if i == j { 1.0 } else { dense[(i, j)] / (scale(i) * scale(j)) };
    Ok((Dense::symmetrised(Mat::from_fn(p, p, entry)), covariances))
}

/// The run that fits k factors; `base` has what is not the model's.
pub fn factors_spec(k: usize, base: &Spec) -> Spec {
    let (loss, regulariser) = (Component::named("off-diagonal"), Component::named("zero"));
    Spec { rank: k, loss, data: "matrix".into(), regulariser, ..base.clone() }
}

/// Turns the factors of a solution to the principal axes: XXᵀ is the same.
pub fn turn_to_axes(solution: &mut Solution) {
    if solution.x == solution.y {
        solution.x = principal_axes(&solution.x);
        solution.y = solution.x.clone();
        solution.factor = solution.x.clone();
    }
}

/// What loadings say of the variables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorSummary {
    /// ‖x_i‖², the share of each variable's variance that the factors explain.
    pub communalities: Vec<f64>,
    /// Variables whose communality is above 1, counted from 0: Heywood cases.
    pub heywood: Vec<usize>,
    /// The share of all variance that the factors explain.
    pub explained: f64,
    /// The root of the mean squared residual correlation, off the diagonal.
    pub rmsr: f64,
    /// The largest residual correlation in absolute value.
    pub largest_residual: f64,
    /// Correlations less free parameters, ((p − k)² − (p + k))/2: below 0 the loadings are not determined.
    pub degrees_of_freedom: i64,
}

impl FactorSummary {
    /// Of unrotated loadings.
    pub fn of(correlations: &Dense, loadings: &Mat) -> Self {
        let (p, k) = (loadings.rows(), loadings.cols());
        let communalities: Vec<f64> =
            (0..p).map(|i| dot(loadings.row(i), loadings.row(i))).collect();
        let heywood = (0..p).filter(|i| communalities[*i] > 1.0 + IMPROPER).collect();
        let (mut squares, mut largest) = (0.0, 0.0_f64);
        for i in 0..p {
            for j in 0..i {
                let residual =
                    correlations.as_mat()[(i, j)] - dot(loadings.row(i), loadings.row(j));
                squares += residual * residual;
                largest = largest.max(residual.abs());
            }
        }
        let pairs = (p * p.saturating_sub(1) / 2).max(1);
        Self {
            explained: communalities.iter().sum::<f64>() / p as f64,
            communalities,
            heywood,
            rmsr: (squares / pairs as f64).sqrt(),
            largest_residual: largest,
            degrees_of_freedom: degrees_of_freedom(p, k),
        }
    }
}

/// ((p − k)² − (p + k))/2.
fn degrees_of_freedom(p: usize, k: usize) -> i64 {
    let half = |n: usize| i64::try_from(n / 2).unwrap_or(i64::MAX);
    // Both are odd or both are even.
    let (square, sum) = (p.abs_diff(k).pow(2), p + k);
    if square >= sum { half(square - sum) } else { -half(sum - square) }
}

#[cfg(test)]
mod tests {
    use gramfold::{Problem, factorise, linalg::symmetric_eigen, loss::Quadratic};

    use super::*;

    fn fit(r: &Dense, k: usize) -> Solution {
        let loss = Quadratic::off_diagonal(r.clone());
        let spec = factors_spec(k, &Spec::default());
        let spec = Spec { stop: spec.stop.clone().tolerance(1e-9), ..spec };
        let regulariser = spec.regulariser().unwrap();
        let problem = Problem::new(&loss, &*regulariser, k).unwrap();
        let mut solution = factorise(&problem, &spec, &mut ()).unwrap();
        turn_to_axes(&mut solution);
        solution
    }

    /// Principal axes to convergence: the leading eigenvectors of R with communalities on its diagonal, again and again.
    fn iterated(r: &Dense, k: usize) -> Mat {
        let p = r.dim();
        let mut reduced = r.as_mat().clone();
        let mut x = Mat::zeros(p, k);
        for _ in 0..20_000 {
            let eigen = symmetric_eigen(&reduced).unwrap();
            x = Mat::from_fn(p, k, |i, j| {
                eigen.vectors[(p - 1 - j, i)] * eigen.values[p - 1 - j].max(0.0).sqrt()
            });
            (0..p).for_each(|i| reduced[(i, i)] = dot(x.row(i), x.row(i)));
        }
        x
    }

    fn table(n: usize, p: usize, k: usize) -> Mat {
        let mut state = 88_172_645_463_325_252_u64;
        let mut number = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let loadings = Mat::from_fn(p, k, |_, _| number());
        let scores = Mat::from_fn(n, k, |_, _| number());
        Mat::from_fn(n, p, |i, j| {
            dot(scores.row(i), loadings.row(j)) + 0.7 * number() + 3.0 * (j as f64)
        })
    }

    #[test]
    fn the_optimum_is_that_of_iterated_principal_axes() {
        let r = correlations(&table(60, 9, 2)).unwrap();
        let (found, known) = (fit(&r, 2).factor, iterated(&r, 2));
        for i in 0..9 {
            for j in 0..i {
                let (a, b) = (dot(found.row(i), found.row(j)), dot(known.row(i), known.row(j)));
                assert!((a - b).abs() < 1e-6, "{a} {b}");
            }
        }
        let summary = FactorSummary::of(&r, &found);
        assert!(summary.heywood.is_empty() && summary.degrees_of_freedom == 19, "{summary:?}");
    }

    /// A variable that two others share more of than it has: the best communality is 0.9²/0.5 > 1.
    #[test]
    fn heywood_cases_are_flagged() {
        let r = Mat::from_fn(3, 3, |i, j| match (i, j) {
            _ if i == j => 1.0,
            (0, _) | (_, 0) => 0.9,
            _ => 0.5,
        });
        let r = Dense::symmetrised(r);
        let summary = FactorSummary::of(&r, &fit(&r, 1).factor);
        assert_eq!(summary.heywood, [0]);
        assert!((summary.communalities[0] - 0.81 / 0.5).abs() < 1e-6, "{summary:?}");
    }

    #[test]
    fn covariances_become_correlations_and_constants_are_refused() {
        let c = Mat::from_fn(2, 2, |i, j| [[4.0, 3.0], [3.0, 9.0]][i][j]);
        let (r, covariances) = normalised(&Dense::symmetrised(c).into()).unwrap();
        assert!(covariances && (r.as_mat()[(0, 1)] - 0.5).abs() < 1e-15);
        let flat = Mat::from_fn(4, 2, |i, j| if j == 0 { 7.0 } else { i as f64 });
        assert!(correlations(&flat).is_err());
    }
}
