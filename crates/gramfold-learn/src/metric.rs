//! Metric learning: a Mahalanobis metric M = LLᵀ of low rank, by comparisons d_il > d_ij of squared distances in the metric.
//!
//! f(M) = mean log(1 + exp(d_ij − d_il)) + pull·mean d_ij, or of pairs mean ½[d − 1]₊² over those that belong together and mean
//! ½[2 − d]₊² over those that do not, and of both (stay/2)·‖M/s − I‖²/features, where sI is the Euclidean metric in units of the
//! margin: convex in M, scalar functions of a map and a linear term.

use gramfold::{
    Error,
    linalg::{Dense, Gram, Mat, symmetric_eigen},
    loss::{
        Composite,
        map::{Distances, Entries, Lifted, Map, Matrices},
    },
    registry::{self, Component},
};
use serde::{Deserialize, Serialize};

use crate::neighbours::{each, nearest};

/// Points of each class for each feature from which the scatter within classes is worth minimising.
const KNOWN: f64 = 3.0;

/// Features beyond which the distance to the Euclidean metric, of features² numbers, costs more than the points.
const WIDE: usize = 512;

/// The most columns of L where no rank is asked for.
const RANK: usize = 64;

/// Point `of` should be nearer to `near` than to `far`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// i.
    pub of: u32,
    /// j.
    pub near: u32,
    /// l.
    pub far: u32,
}

/// What is known of the points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Supervision {
    /// Who should be nearer to whom.
    Comparisons(Vec<Comparison>),
    /// Who belongs together and who does not.
    Pairs {
        /// Together.
        must: Vec<(u32, u32)>,
        /// Apart.
        cannot: Vec<(u32, u32)>,
    },
}

/// How a metric is fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricModel {
    /// The columns of L.
    pub rank: usize,
    /// Near neighbours of the same class that a point is compared with.
    pub targets: usize,
    /// Near neighbours of other classes.
    pub impostors: usize,
    /// The margin at the start, as a share of the mean squared distance to the near ones.
    pub margin: f64,
    /// The weight of the mean squared distance to the near ones.
    pub pull: f64,
    /// The weight of the squared distance to the Euclidean metric.
    pub stay: f64,
}

impl MetricModel {
    /// What suits so many points of so many features and classes: the scatter within classes is minimised, too, where
    /// there are enough points to know it.
    pub fn suited(points: usize, features: usize, classes: usize) -> Self {
        let known = points as f64 >= KNOWN * (features * classes.max(1)) as f64;
        let (margin, pull, stay) = if known { (0.3, 0.2, 0.1) } else { (1.0, 0.0, 0.03) };
        let stay = if features <= WIDE { stay } else { 0.0 };
        Self { rank: features.min(RANK), targets: 3, impostors: 5, margin, pull, stay }
    }

    /// The loss on points, whose features are the rows and columns of M.
    pub fn loss(&self, points: &Mat, known: &Supervision) -> Result<Composite, Error> {
        let lifted = |inner: Box<dyn Map>| Box::new(Lifted::new(points.clone(), inner));
        let mean = |map: Box<dyn Map>, scalar: &str, target: f64| {
            let count = map.len();
            term(map, scalar, &vec![target; count], 1.0 / count as f64)
        };
        let mut whole: Option<Composite> = None;
        match known {
            Supervision::Comparisons(comparisons) => {
                // d_il − d_ij = z_ll − 2z_il − z_jj + 2z_ij for Z = PMPᵀ.
                let matrix = |c: &Comparison| {
                    let (i, j, l) = (c.of, c.near, c.far);
                    vec![(l, l, 1.0), (i, l, -2.0), (j, j, -1.0), (i, j, 2.0)]
                };
                let matrices: Vec<_> = comparisons.iter().map(matrix).collect();
                let inner = Matrices::new(points.rows(), &matrices)?;
                let loss = mean(lifted(Box::new(inner)), "logistic", 1.0)?;
                whole = Some(if self.pull == 0.0 {
                    loss
                } else {
                    loss.with_linear(scatter(points, &pairs(comparisons), self.pull))?
                });
            }
            Supervision::Pairs { must, cannot } => {
                let parts = [(must, "at-most", 1.0), (cannot, "at-least", 2.0)];
                for (pairs, scalar, target) in parts.into_iter().filter(|(p, ..)| !p.is_empty()) {
                    let inner = Distances::new(points.rows(), pairs)?;
                    let part = mean(lifted(Box::new(inner)), scalar, target)?;
                    whole = Some(match whole {
                        Some(whole) => whole.plus(part)?,
                        None => part,
                    });
                }
            }
        }
        let whole = whole.ok_or_else(|| Error::data("there is no pair to learn from"))?;
        if self.stay == 0.0 {
            return Ok(whole);
        }
        whole.plus(near_euclid(points.cols(), self.euclid(points, known), self.stay)?)
    }

    /// Where a fit starts: the Euclidean metric along the leading axes of the points, in units of the margin.
    pub fn start(&self, points: &Mat, known: &Supervision) -> Mat {
        let mut start = axes(points, self.rank);
        start.scale(self.euclid(points, known).sqrt());
        start
    }

    /// s of the Euclidean metric sI, in which the mean squared distance of near ones is 1/margin.
    fn euclid(&self, points: &Mat, known: &Supervision) -> f64 {
        let (near, margin) = match known {
            Supervision::Comparisons(comparisons) => (pairs(comparisons), self.margin),
            Supervision::Pairs { must, cannot } => {
                let pairs = if must.is_empty() { cannot } else { must };
                (pairs.iter().map(|pair| (*pair, 1.0)).collect(), 1.0)
            }
        };
        let square = |(i, j): (u32, u32)| -> f64 {
            let (a, b) = (points.row(i as usize), points.row(j as usize));
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let total: f64 = near.iter().map(|(_, times)| times).sum();
        let mean = near.iter().map(|(pair, times)| times * square(*pair)).sum::<f64>() / total;
        let scale = (margin * mean).recip();
        if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
    }
}

/// weight·Σ φ(𝒜(M)_i, b_i).
fn term(map: Box<dyn Map>, scalar: &str, targets: &[f64], weight: f64) -> Result<Composite, Error> {
    let scalar = registry::scalar(&Component::named(scalar))?;
    Composite::new(map, scalar, targets, Some(&vec![weight; targets.len()]))
}

/// (weight/2)·‖M/s − I‖²/d.
fn near_euclid(d: usize, scale: f64, weight: f64) -> Result<Composite, Error> {
    let places: Vec<_> = (0..d as u32).flat_map(|i| (i..d as u32).map(move |j| (i, j))).collect();
    let targets: Vec<f64> = places.iter().map(|(i, j)| scale * f64::from(i == j)).collect();
    let map = Entries::new(d, &places)?;
    term(Box::new(map), "square", &targets, weight / (d as f64 * scale * scale))
}

/// Comparisons of each point with its nearest neighbours of the same class and of others.
pub fn comparisons(
    points: &Mat,
    classes: &[usize],
    targets: usize,
    impostors: usize,
) -> Vec<Comparison> {
    let of_each = each(points, points, |i, distances| {
        let near = nearest(distances, targets, |j| j != i && classes[j] == classes[i]);
        let far = nearest(distances, impostors, |j| classes[j] != classes[i]);
        let pairs = near.iter().flat_map(|j| far.iter().map(move |l| (*j as u32, *l as u32)));
        pairs.map(|(near, far)| Comparison { of: i as u32, near, far }).collect::<Vec<_>>()
    });
    of_each.into_iter().flatten().collect()
}

/// The near pairs, and how often each is compared, one after the other.
fn pairs(comparisons: &[Comparison]) -> Vec<((u32, u32), f64)> {
    let same = |a: &Comparison, b: &Comparison| (a.of, a.near) == (b.of, b.near);
    let runs = comparisons.chunk_by(same);
    runs.map(|run| ((run[0].of, run[0].near), run.len() as f64)).collect()
}

/// weight·mean (x_i − x_j)(x_i − x_j)ᵀ over pairs.
fn scatter(points: &Mat, pairs: &[((u32, u32), f64)], weight: f64) -> Dense {
    let total: f64 = pairs.iter().map(|(_, times)| times).sum();
    let mut differences = Mat::zeros(pairs.len(), points.cols());
    for (k, ((i, j), times)) in pairs.iter().enumerate() {
        let (a, b) = (points.row(*i as usize), points.row(*j as usize));
        let scale = (weight * times / total).sqrt();
        let row = differences.row_mut(k).iter_mut().zip(a.iter().zip(b));
        row.for_each(|(out, (a, b))| *out = scale * (a - b));
    }
    Dense::symmetrised(Gram::new(1).of(&differences, &differences).clone())
}

/// The leading axes of the points, as the columns of a matrix; all of them as they are.
fn axes(points: &Mat, rank: usize) -> Mat {
    let d = points.cols();
    if rank >= d {
        return Mat::from_fn(d, rank, |i, j| f64::from(i == j));
    }
    let (n, means) = (points.rows() as f64, (0..d).map(|j| points.column(j).sum::<f64>()));
    let means: Vec<f64> = means.map(|sum| sum / n).collect();
    let centred = Mat::from_fn(points.rows(), d, |i, j| points[(i, j)] - means[j]);
    match symmetric_eigen(Gram::new(1).of(&centred, &centred)) {
        Some(eigen) => Mat::from_fn(d, rank, |i, j| eigen.vectors[(d - 1 - j, i)]),
        None => Mat::from_fn(d, rank, |i, j| f64::from(i == j)),
    }
}

/// The mean and the deviation of each feature; 1 for a deviation of 0.
pub fn spread(points: &Mat) -> (Vec<f64>, Vec<f64>) {
    let n = points.rows() as f64;
    let of = |j: usize| {
        let mean = points.column(j).sum::<f64>() / n;
        let deviation = (points.column(j).map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        let size = points.column(j).fold(0.0_f64, |m, v| m.max(v.abs()));
        (mean, if deviation > 1e-12 * size { deviation } else { 1.0 })
    };
    (0..points.cols()).map(of).unzip()
}

/// The points with features of the given means and deviations standardised.
pub fn standardised(points: &Mat, (means, deviations): (&[f64], &[f64])) -> Mat {
    Mat::from_fn(points.rows(), points.cols(), |i, j| (points[(i, j)] - means[j]) / deviations[j])
}

#[cfg(test)]
mod tests {
    use gramfold::{Loss, Problem, Spec, linalg::dot, loss::Side, regulariser::Zero, solve};

    use super::*;

    fn points() -> (Mat, Vec<usize>) {
        // Classes differ in the first feature, and the second is noise ten times as large.
        let noise = |i: usize| ((i * 7919 + 13) % 101) as f64 / 10.0 - 5.0;
        let small = |i: usize| ((i * 104_729 + 7) % 97) as f64 / 400.0;
        let x = Mat::from_fn(40, 2, |i, j| {
            if j == 0 { f64::from(u32::from(i % 2 == 0)) + small(i) } else { noise(i) }
        });
        (x, (0..40).map(|i| i % 2).collect())
    }

    #[test]
    fn the_loss_is_the_formula() {
        let (x, classes) = points();
        let known = comparisons(&x, &classes, 2, 3);
        assert_eq!(known.len(), 40 * 6);
        let model =
            MetricModel { rank: 2, targets: 2, impostors: 3, margin: 0.5, pull: 0.3, stay: 0.2 };
        let loss = model.loss(&x, &Supervision::Comparisons(known.clone())).unwrap();
        let l = Mat::from_fn(2, 2, |i, j| [[0.3, -0.2], [0.1, 0.05]][i][j]);
        let mut evaluation = loss.evaluation(2);
        evaluation.moved(Side::X, &l);
        evaluation.moved(Side::Y, &l);
        let distance = |i: u32, j: u32| -> f64 {
            let difference: Vec<f64> =
                x.row(i as usize).iter().zip(x.row(j as usize)).map(|(a, b)| a - b).collect();
            (0..2).map(|c| dot(&difference, &[l[(0, c)], l[(1, c)]]).powi(2)).sum()
        };
        let judged = |c: &Comparison| {
            let (near, far) = (distance(c.of, c.near), distance(c.of, c.far));
            (near - far).exp().ln_1p() + 0.3 * near
        };
        let mut expected = known.iter().map(judged).sum::<f64>() / known.len() as f64;
        let near = |c: &Comparison| -> f64 {
            let (a, b) = (x.row(c.of as usize), x.row(c.near as usize));
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let mean = known.iter().map(near).sum::<f64>() / known.len() as f64;
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let gap = dot(l.row(i), l.row(j)) * 0.5 * mean - f64::from(i == j);
            expected += 0.5 * 0.2 * gap * gap / 2.0;
        }
        let value = evaluation.value(&l, &l);
        assert!((value - expected).abs() < 1e-10 * expected, "{value} {expected}");
    }

    #[test]
    fn the_metric_sees_what_tells_classes_apart() {
        let (x, classes) = points();
        let model = MetricModel::suited(40, 2, 2);
        let known = comparisons(&x, &classes, model.targets, model.impostors);
        let pairs = Supervision::Pairs {
            must: (0..38).map(|i| (i, i + 2)).collect(),
            cannot: (0..39).map(|i| (i, i + 1)).collect(),
        };
        // What holds the metric near the Euclidean one makes the difference smaller.
        for (stay, times) in [(0.0, 30.0), (model.stay, 2.0)] {
            let model = MetricModel { stay, ..model.clone() };
            for known in [Supervision::Comparisons(known.clone()), pairs.clone()] {
                let loss = model.loss(&x, &known).unwrap();
                let problem = Problem::new(&loss, &Zero, 2).unwrap();
                let start = model.start(&x, &known);
                let method = Spec::default().method().unwrap();
                let l = solve(&problem, method, &start, &mut ()).unwrap().factor;
                let weight = |i: usize| dot(l.row(i), l.row(i));
                assert!(weight(0) > times * weight(1), "{} {}", weight(0), weight(1));
            }
        }
    }
}
