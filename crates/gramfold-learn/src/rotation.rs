//! Rotations of loadings to a simple structure: varimax (orthogonal) and promax (oblique).

use gramfold::linalg::{Mat, dot, multiply, symmetric_eigen};
use serde::{Deserialize, Serialize};

/// Planar sweeps before giving up.
const SWEEPS: usize = 500;

/// Angles below this are none.
const STILL: f64 = 1e-12;

/// The power that promax raises loadings to.
const POWER: i32 = 4;

/// How loadings are turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    /// Not at all: principal axes.
    None,
    /// Varimax with Kaiser's normalisation.
    Varimax,
    /// Varimax, then promax: factors may correlate.
    Promax,
}

/// Loadings after a rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotated {
    /// The pattern, p×k.
    pub loadings: Mat,
    /// The correlations of the factors, k×k.
    pub correlations: Mat,
}

impl Rotation {
    /// Turns loadings. Columns come out by the variance they explain, each with a sum that is not negative.
    pub fn of(self, loadings: &Mat) -> Rotated {
        let k = loadings.cols();
        let mut rotated = match self {
            Self::None => Rotated { loadings: loadings.clone(), correlations: Mat::identity(k) },
            Self::Varimax => {
                Rotated { loadings: varimax(loadings), correlations: Mat::identity(k) }
            }
            Self::Promax => promax(&varimax(loadings)),
        };
        arrange(&mut rotated);
        rotated
    }
}

/// The principal axes of XXᵀ: X·V with orthogonal columns, the longest first.
pub fn principal_axes(x: &Mat) -> Mat {
    let k = x.cols();
    let gram = Mat::from_fn(k, k, |i, j| (0..x.rows()).map(|row| x[(row, i)] * x[(row, j)]).sum());
    let Some(eigen) = symmetric_eigen(&gram) else { return x.clone() };
    let turn = Mat::from_fn(k, k, |i, j| eigen.vectors[(k - 1 - j, i)]);
    let mut turned = Mat::zeros(x.rows(), k);
    multiply(1.0, x, &turn, &mut turned);
    let mut rotated = Rotated { loadings: turned, correlations: Mat::identity(k) };
    arrange(&mut rotated);
    rotated.loadings
}

/// Maximises the variance of squared loadings of rows of unit length, by turns in planes.
fn varimax(loadings: &Mat) -> Mat {
    let (p, k) = (loadings.rows(), loadings.cols());
    let lengths: Vec<f64> = (0..p).map(|i| dot(loadings.row(i), loadings.row(i)).sqrt()).collect();
    let unit = |length: f64| if length > 0.0 { length } else { 1.0 };
    let mut l = Mat::from_fn(p, k, |i, j| loadings[(i, j)] / unit(lengths[i]));
    for _ in 0..SWEEPS {
        let mut largest: f64 = 0.0;
        for a in 0..k {
            for b in a + 1..k {
                let angle = best_angle(&l, a, b);
                largest = largest.max(angle.abs());
                let (sin, cos) = angle.sin_cos();
                for i in 0..p {
                    let (x, y) = (l[(i, a)], l[(i, b)]);
                    l[(i, a)] = cos * x + sin * y;
                    l[(i, b)] = cos * y - sin * x;
                }
            }
        }
        if largest < STILL {
            break;
        }
    }
    Mat::from_fn(p, k, |i, j| l[(i, j)] * unit(lengths[i]))
}

/// The turn of two columns that maximises the criterion (Kaiser 1958).
fn best_angle(l: &Mat, a: usize, b: usize) -> f64 {
    let p = l.rows() as f64;
    let (mut sum_u, mut sum_v, mut squares, mut products) = (0.0, 0.0, 0.0, 0.0);
    for (x, y) in l.column(a).zip(l.column(b)) {
        let (u, v) = (x * x - y * y, 2.0 * x * y);
        sum_u += u;
        sum_v += v;
        squares += u * u - v * v;
        products += 2.0 * u * v;
    }
    let sine = products - 2.0 * sum_u * sum_v / p;
    let cosine = squares - (sum_u * sum_u - sum_v * sum_v) / p;
    // Where the criterion is flat there is nothing to gain.
    if sine.hypot(cosine) <= f64::EPSILON * p { 0.0 } else { 0.25 * sine.atan2(cosine) }
}

/// Least squares towards the fourth powers of the loadings, with factors of variance one (Hendrickson and White 1964).
fn promax(l: &Mat) -> Rotated {
    let (p, k) = (l.rows(), l.cols());
    let orthogonal = || Rotated { loadings: l.clone(), correlations: Mat::identity(k) };
    let target = Mat::from_fn(p, k, |i, j| l[(i, j)].abs().powi(POWER - 1) * l[(i, j)]);
    let cross = |a: &Mat, b: &Mat| {
        Mat::from_fn(k, k, |i, j| (0..a.rows()).map(|row| a[(row, i)] * b[(row, j)]).sum())
    };
    let Some(inverse) = inverse(&cross(l, l)) else { return orthogonal() };
    let mut turn = Mat::zeros(k, k);
    multiply(1.0, &inverse, &cross(l, &target), &mut turn);
    let Some(spread) = self::inverse(&cross(&turn, &turn)) else { return orthogonal() };
    for i in 0..k {
        for j in 0..k {
            turn[(i, j)] *= spread[(j, j)].sqrt();
        }
    }
    let mut loadings = Mat::zeros(p, k);
    multiply(1.0, l, &turn, &mut loadings);
    let scale = |i: usize| spread[(i, i)].sqrt();
    let correlation =
        |i: usize, j: usize| if i == j { 1.0 } else { spread[(i, j)] / (scale(i) * scale(j)) };
    Rotated { loadings, correlations: Mat::from_fn(k, k, correlation) }
}

/// The inverse of a small positive definite matrix; none if it is (nearly) singular.
fn inverse(matrix: &Mat) -> Option<Mat> {
    let k = matrix.rows();
    let eigen = symmetric_eigen(matrix)?;
    let largest = eigen.values.last().copied().unwrap_or(0.0);
    let definite = eigen.values[0] > 1e-12 * largest;
    if !definite {
        return None;
    }
    let entry = |i: usize, j: usize| {
        let term = |m: usize| eigen.vectors[(m, i)] * eigen.vectors[(m, j)] / eigen.values[m];
        (0..k).map(term).sum()
    };
    Some(Mat::from_fn(k, k, entry))
}

/// Orders the columns by their sums of squares and makes their sums not negative.
fn arrange(rotated: &mut Rotated) {
    let Rotated { loadings: l, correlations } = rotated;
    let (p, k) = (l.rows(), l.cols());
    let square = |j: usize| l.column(j).map(|v| v * v).sum::<f64>();
    let squares: Vec<f64> = (0..k).map(square).collect();
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|a, b| squares[*b].total_cmp(&squares[*a]));
    let signs: Vec<f64> =
        order.iter().map(|j| if l.column(*j).sum::<f64>() < 0.0 { -1.0 } else { 1.0 }).collect();
    *l = Mat::from_fn(p, k, |i, j| signs[j] * l[(i, order[j])]);
    *correlations =
        Mat::from_fn(k, k, |i, j| signs[i] * signs[j] * correlations[(order[i], order[j])]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight variables, four on each of two factors.
    fn simple() -> Mat {
        let main = [0.8, 0.7, 0.6, 0.75, 0.65, 0.85, 0.55, 0.7];
        let side = [0.03, -0.05, 0.02, 0.0, -0.02, 0.04, 0.01, -0.03];
        Mat::from_fn(8, 2, |i, j| if (i < 4) == (j == 0) { main[i] } else { side[i] })
    }

    fn turned(l: &Mat, angle: f64) -> Mat {
        let (sin, cos) = angle.sin_cos();
        Mat::from_fn(l.rows(), 2, |i, j| {
            if j == 0 {
                cos * l[(i, 0)] - sin * l[(i, 1)]
            } else {
                sin * l[(i, 0)] + cos * l[(i, 1)]
            }
        })
    }

    /// Σ_j [Σ_i u⁴ − (Σ_i u²)²/p] over rows of unit length.
    fn criterion(l: &Mat) -> f64 {
        let p = l.rows() as f64;
        let unit = |i: usize, j: usize| l[(i, j)] / dot(l.row(i), l.row(i)).sqrt();
        let column = |j: usize| {
            let squares: Vec<f64> = (0..l.rows()).map(|i| unit(i, j).powi(2)).collect();
            dot(&squares, &squares) - squares.iter().sum::<f64>().powi(2) / p
        };
        (0..l.cols()).map(column).sum()
    }

    #[test]
    fn varimax_beats_every_angle_of_a_fine_grid() {
        let l = turned(&simple(), 0.6);
        let found = Rotation::Varimax.of(&l);
        let best = criterion(&found.loadings);
        for step in 0..4000 {
            assert!(criterion(&turned(&l, f64::from(step) * 1e-3)) <= best + 1e-12);
        }
        for i in 0..8 {
            let length = |m: &Mat| dot(m.row(i), m.row(i));
            assert!((length(&found.loadings) - length(&l)).abs() < 1e-13, "a rotation");
        }
    }

    /// Cluster-wise loadings on factors with correlation ½ come back from a random rotation of their orthogonal form.
    #[test]
    fn promax_finds_correlated_factors() {
        let rho: f64 = 0.5;
        let pattern = Mat::from_fn(8, 2, |i, j| f64::from((i < 4) == (j == 0)) * 0.7);
        // Φ = TTᵀ, and pattern·T are orthogonal loadings of the same matrix.
        let t = [[1.0, 0.0], [rho, (1.0 - rho * rho).sqrt()]];
        let l = Mat::from_fn(8, 2, |i, j| (0..2).map(|m| pattern[(i, m)] * t[m][j]).sum());
        let found = Rotation::Promax.of(&turned(&l, 0.3));
        assert!((found.correlations[(0, 1)] - rho).abs() < 0.03, "{:?}", found.correlations);
        let mut model = Mat::zeros(8, 2);
        multiply(1.0, &found.loadings, &found.correlations, &mut model);
        for i in 0..8 {
            for j in 0..8 {
                let (a, b) = (dot(model.row(i), found.loadings.row(j)), dot(l.row(i), l.row(j)));
                assert!((a - b).abs() < 1e-12, "the same correlations of the variables");
            }
            let other = found.loadings.row(i).iter().fold(f64::INFINITY, |m, v| m.min(v.abs()));
            assert!(other < 0.02, "{:?}", found.loadings.row(i));
        }
    }

    #[test]
    fn principal_axes_are_orthogonal_and_keep_the_product() {
        let l = turned(&simple(), 1.0);
        let axes = principal_axes(&l);
        let inner: f64 = axes.column(0).zip(axes.column(1)).map(|(a, b)| a * b).sum();
        assert!(inner.abs() < 1e-14);
        for i in 0..8 {
            let (a, b) = (dot(axes.row(i), axes.row(1)), dot(l.row(i), l.row(1)));
            assert!((a - b).abs() < 1e-14);
        }
        let none = Rotation::None.of(&axes);
        assert_eq!(none.loadings, axes);
    }
}
