//! ⟨C, Z⟩ and ⟨A_i, Z⟩ for Z as the point holds it.

use gramfold_linalg::dot;

use crate::{Cone, Entry, Error, Point, Primal, Sdp};

/// Refuses a point that does not have the shape of the problem, or is not finite.
pub(crate) fn check(sdp: &Sdp, point: &Point) -> Result<(), Error> {
    let wrong = |what: String| Err(Error::Shape(what));
    if point.dual.len() != sdp.constraints() {
        return wrong(format!("y has {} entries for {}", point.dual.len(), sdp.constraints()));
    }
    if point.primal.len() != sdp.cones().len() {
        return wrong(format!("Z has {} blocks for {}", point.primal.len(), sdp.cones().len()));
    }
    for (block, (primal, &cone)) in point.primal.iter().zip(sdp.cones()).enumerate() {
        let fits = match (primal, cone) {
            (Primal::Factor(r), Cone::Semidefinite(n)) => r.rows() == n,
            (Primal::Dense(z), Cone::Semidefinite(n)) => (z.rows(), z.cols()) == (n, n),
            (Primal::Diagonal(z), Cone::Nonnegative(n)) => z.len() == n,
            _ => false,
        };
        if !fits {
            return wrong(format!("block {} of Z is not as its cone", block + 1));
        }
        let finite = match primal {
            Primal::Factor(z) | Primal::Dense(z) => z.is_finite(),
            Primal::Diagonal(z) => z.iter().all(|v| v.is_finite()),
        };
        if !finite {
            return Err(Error::NotFinite(format!("block {} of Z", block + 1)));
        }
    }
    match point.dual.iter().position(|y| !y.is_finite()) {
        Some(i) => Err(Error::NotFinite(format!("entry {} of y", i + 1))),
        None => Ok(()),
    }
}

/// ⟨C, Z⟩, ⟨A_1, Z⟩, …, ⟨A_m, Z⟩.
pub(crate) fn image(sdp: &Sdp, primal: &[Primal]) -> Vec<f64> {
    let mut values = vec![0.0; sdp.constraints() + 1];
    for (block, matrix, entries) in sdp.all_matrices() {
        let terms = entries.iter().map(|entry| weight(entry) * at(&primal[block], entry));
        values[matrix] += terms.sum::<f64>();
    }
    for part in sdp.rank_ones() {
        values[part.matrix] += part.weight * quadratic(&primal[part.block], &part.vector);
    }
    values
}

/// The value, twice off the diagonal, where it stands for two entries.
pub(crate) fn weight(entry: &Entry) -> f64 {
    if entry.row == entry.col { entry.value } else { 2.0 * entry.value }
}

fn at(primal: &Primal, entry: &Entry) -> f64 {
    let (i, j) = (entry.row as usize, entry.col as usize);
    match primal {
        Primal::Factor(r) => dot(r.row(i), r.row(j)),
        Primal::Dense(z) if i == j => z[(i, i)],
        Primal::Dense(z) => 0.5 * (z[(i, j)] + z[(j, i)]),
        Primal::Diagonal(z) => z[i],
    }
}

/// vᵀZv.
fn quadratic(primal: &Primal, v: &[f64]) -> f64 {
    match primal {
        Primal::Factor(r) => {
            let mut along = vec![0.0; r.cols()];
            for (i, weight) in v.iter().enumerate() {
                along.iter_mut().zip(r.row(i)).for_each(|(sum, entry)| *sum += weight * entry);
            }
            dot(&along, &along)
        }
        Primal::Dense(z) => v.iter().enumerate().map(|(i, vi)| vi * dot(z.row(i), v)).sum(),
        Primal::Diagonal(z) => z.iter().zip(v).map(|(z, v)| z * v * v).sum(),
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Mat;

    use super::*;
    use crate::{RankOne, Term};

    #[test]
    fn factors_and_dense_blocks_agree() {
        let n = 4;
        let term = |matrix, row, col, value| Term { matrix, block: 0, row, col, value };
        let terms = vec![term(0, 0, 3, 1.5), term(1, 2, 2, -2.0), term(1, 1, 2, 1.0)];
        let vector = vec![1.0, -1.0, 0.5, 2.0];
        let rank_ones = vec![RankOne { matrix: 1, block: 0, weight: 3.0, vector: vector.clone() }];
        let sdp = Sdp::new(vec![Cone::Semidefinite(n)], vec![0.0], terms, rank_ones).unwrap();
        let r = Mat::from_fn(n, 2, |i, j| ((3 * i + j) as f64).sin());
        let z = Mat::from_fn(n, n, |i, j| dot(r.row(i), r.row(j)));
        let quadratic: f64 =
            (0..n).map(|i| (0..n).map(|j| vector[i] * z[(i, j)] * vector[j]).sum::<f64>()).sum();
        let expected = [3.0 * z[(0, 3)], -2.0 * z[(2, 2)] + 2.0 * z[(1, 2)] + 3.0 * quadratic];
        for primal in [Primal::Factor(r), Primal::Dense(z)] {
            let values = image(&sdp, &[primal]);
            assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-13), "{values:?}");
        }
    }

    #[test]
    fn points_of_another_shape_are_refused() {
        let sdp = Sdp::new(vec![Cone::Semidefinite(2)], vec![0.0], Vec::new(), Vec::new()).unwrap();
        let good = Primal::Factor(Mat::zeros(2, 1));
        let point = |primal, dual| Point { primal, dual };
        assert!(check(&sdp, &point(vec![good.clone()], vec![0.0])).is_ok());
        for bad in [
            point(vec![good.clone()], vec![]),
            point(vec![], vec![0.0]),
            point(vec![Primal::Diagonal(vec![0.0; 2])], vec![0.0]),
            point(vec![Primal::Dense(Mat::zeros(2, 1))], vec![0.0]),
            point(vec![good.clone()], vec![f64::NAN]),
            point(vec![Primal::Factor(Mat::from_fn(2, 1, |_, _| f64::INFINITY))], vec![0.0]),
        ] {
            assert!(check(&sdp, &bad).is_err());
        }
    }
}
