//! A graph from points: the self-tuning kernel on nearest neighbours.
//!
//! a_ij = exp(−‖x_i − x_j‖² / (σ_i σ_j)), where σ_i is the distance of x_i from its seventh
//! neighbour (Zelnik-Manor and Perona, "Self-tuning spectral clustering", NIPS 2004), kept where
//! j is among the nearest neighbours of i or i among those of j, with ⌊log₂ n⌋ + 1 neighbours
//! (Kuang, Yun and Park, "SymNMF", Journal of Global Optimization 2015).

use gramfold_linalg::{Csr, Mat};

use crate::{
    Error,
    neighbours::{Neighbour, Neighbours, nearest},
};

/// The neighbour whose distance is the local scale (Zelnik-Manor and Perona).
const SCALE_NEIGHBOUR: usize = 7;

/// The affinity of `points` (one a row), without self-loops.
///
/// `neighbours` defaults to ⌊log₂ n⌋ + 1. With fewer than seven other points σ_i is the distance
/// of the last. Where σ_i would be zero, because a point has seven copies, it is the smallest
/// positive distance among its own neighbours, or else among everyone's, or else 1. A weight that
/// underflows to zero is left out.
///
/// ```
/// use gramfold_cluster::self_tuning;
/// use gramfold_linalg::Mat;
///
/// let points = Mat::from_row_major(4, 1, vec![0.0, 1.0, 10.0, 11.0]);
/// let graph = self_tuning(&points, Some(1))?;
/// assert!(graph.get(0, 1) > 0.9 && graph.get(1, 2) == 0.0);
/// # Ok::<(), gramfold_cluster::Error>(())
/// ```
pub fn self_tuning(points: &Mat, neighbours: Option<usize>) -> Result<Csr, Error> {
    let n = points.rows();
    if n < 2 {
        return Err(Error::TooFew { what: "points", given: n, needed: 2 });
    }
    if u32::try_from(n).is_err() {
        return Err(Error::TooLarge { dim: n });
    }
    let degree = neighbours.unwrap_or((n.ilog2() as usize + 1).min(n - 1));
    if !(1..n).contains(&degree) {
        return Err(Error::Neighbours { neighbours: degree, points: n });
    }
    let nearest = nearest(&scaled(points)?, degree.max(SCALE_NEIGHBOUR.min(n - 1)));
    let sigmas = local_scales(n, &nearest);

    let listed = |i: usize| &nearest.of(i)[..degree];
    let mut edges = Vec::with_capacity(n * degree);
    for i in 0..n {
        for &(squared, j) in listed(i) {
            let j = j as usize;
            // A mutual pair is listed twice: the smaller index speaks for both.
            let mutual = || listed(j).iter().any(|&(_, back)| back as usize == i);
            if i < j || !mutual() {
                // √ of each, as σ_i·σ_j may underflow.
                let ratio = squared.sqrt() / sigmas[i].sqrt() / sigmas[j].sqrt();
                let weight = (-ratio * ratio).exp();
                if weight > 0.0 {
                    edges.push((i as u32, j as u32, weight));
                }
            }
        }
    }
    Ok(Csr::from_triangle(n, &edges).expect("invariant: indices are below n, which fits"))
}

/// The points times a power of two, below 1: affinities do not change, and nothing overflows.
fn scaled(points: &Mat) -> Result<Mat, Error> {
    let d = points.cols();
    if let Some(at) = points.as_slice().iter().position(|v| !v.is_finite()) {
        let value = points.as_slice()[at];
        return Err(Error::NotFinite { what: "points", row: at / d, column: at % d, value });
    }
    let mut scaled = points.clone();
    let largest = points.max_abs();
    if largest > 0.0 {
        // Powers beyond ±1000 are not numbers; the points then stay a little above or below 1.
        let power = -largest.log2().floor() - 1.0;
        scaled.scale(power.clamp(-1000.0, 1000.0).exp2());
    }
    Ok(scaled)
}

fn local_scales(n: usize, nearest: &Neighbours) -> Vec<f64> {
    let positive = |list: &[Neighbour]| list.iter().map(|&(s, _)| s).find(|&s| s > 0.0);
    let smallest = (0..n).filter_map(|i| positive(nearest.of(i))).reduce(f64::min);
    let scale = |i| {
        let list = nearest.of(i);
        let seventh = list[SCALE_NEIGHBOUR.min(list.len()) - 1].0;
        let squared = if seventh > 0.0 { Some(seventh) } else { positive(list).or(smallest) };
        squared.map_or(1.0, f64::sqrt)
    };
    (0..n).map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(points: &Mat, degree: usize) -> Mat {
        let n = points.rows();
        let distance = |i: usize, j: usize| {
            let pairs = points.row(i).iter().zip(points.row(j));
            pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let lists: Vec<Vec<usize>> = (0..n)
            .map(|i| {
                let mut others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
                others.sort_by(|&a, &b| distance(i, a).total_cmp(&distance(i, b)));
                others
            })
            .collect();
        let sigma: Vec<f64> = (0..n).map(|i| distance(i, lists[i][7.min(n - 1) - 1])).collect();
        Mat::from_fn(n, n, |i, j| {
            let linked = lists[i][..degree].contains(&j) || lists[j][..degree].contains(&i);
            if linked { (-distance(i, j).powi(2) / (sigma[i] * sigma[j])).exp() } else { 0.0 }
        })
    }

    fn scattered(n: usize, d: usize) -> Mat {
        Mat::from_fn(n, d, |i, j| ((i * d + j) as f64 * 12.9898).sin() * 5.0 + (i % 4) as f64 * 3.0)
    }

    #[test]
    fn the_graph_is_that_of_the_naive_formula() {
        for (n, d, degree) in [(5, 2, 3), (300, 2, 9), (300, 20, 4)] {
            let points = scattered(n, d);
            let graph = self_tuning(&points, Some(degree)).unwrap();
            let expected = naive(&points, degree);
            for i in 0..n {
                assert_eq!(graph.get(i, i), 0.0);
                for j in 0..n {
                    assert!((graph.get(i, j) - expected[(i, j)]).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_default_degree_is_log_n_plus_one() {
        let points = scattered(300, 3);
        assert_eq!(self_tuning(&points, None), self_tuning(&points, Some(9)));
    }

    #[test]
    fn scale_does_not_matter_even_at_the_ends_of_the_range() {
        let points = scattered(200, 3);
        let graph = self_tuning(&points, None).unwrap();
        for power in [-1040, -30, 3, 1015] {
            let mut other = points.clone();
            let (half, rest) = (power / 2, power - power / 2);
            other.scale(2_f64.powi(half));
            other.scale(2_f64.powi(rest));
            let tuned = self_tuning(&other, None).unwrap();
            assert_eq!(tuned.stored(), graph.stored());
            let worst = graph.values().iter().zip(tuned.values()).map(|(a, b)| (a - b).abs());
            assert!(worst.fold(0.0, f64::max) < 1e-6, "2^{power}");
        }
    }

    #[test]
    fn duplicates_give_numbers() {
        let points = Mat::from_fn(60, 2, |i, _| if i < 40 { 1.0 } else { i as f64 });
        for graph in
            [&points, &Mat::zeros(30, 2), &Mat::zeros(30, 0)].map(|p| self_tuning(p, None).unwrap())
        {
            assert!(graph.values().iter().all(|w| w.is_finite() && *w > 0.0 && *w <= 1.0));
        }
        let graph = self_tuning(&points, None).unwrap();
        assert_eq!(graph.get(0, 39), 1.0);
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        let points = scattered(5, 2);
        assert_eq!(
            self_tuning(&points, Some(5)).unwrap_err().to_string(),
            "5 neighbours are not possible: it must be between 1 and 4"
        );
        assert!(self_tuning(&points, Some(0)).is_err());
        assert_eq!(
            self_tuning(&Mat::zeros(1, 2), None).unwrap_err().to_string(),
            "expected at least 2 points, found 1"
        );
        let broken = Mat::from_row_major(2, 2, vec![0.0, 1.0, f64::NAN, 2.0]);
        assert_eq!(
            self_tuning(&broken, None).unwrap_err().to_string(),
            "entry (2, 1) of the points is NaN, which is not finite"
        );
    }
}
