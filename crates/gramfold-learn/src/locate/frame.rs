//! Where a layout is put: onto its anchors, or centred on its principal axes.

use gramfold::linalg::{Mat, symmetric_eigen};

use super::Anchors;

/// Moves and turns x, perhaps reflects it, so that the anchored rows are as near to the anchors as they can be.
pub(super) fn align(x: &mut Mat, anchors: &Anchors) {
    let (d, count) = (x.cols(), anchors.len() as f64);
    let (mut from, mut to) = (vec![0.0; d], vec![0.0; d]);
    for (&row, k) in anchors.rows().iter().zip(0..) {
        for j in 0..d {
            from[j] += x[(row as usize, j)] / count;
            to[j] += anchors.positions()[(k, j)] / count;
        }
    }
    // H = Σ (x − from)ᵀ(a − to); the best rotation is H(HᵀH)^{−½}.
    let h = Mat::from_fn(d, d, |i, j| {
        let rows = anchors.rows().iter().map(|&row| x[(row as usize, i)] - from[i]);
        rows.zip(anchors.positions().column(j)).map(|(x, a)| x * (a - to[j])).sum()
    });
    let Some(turn) = polar(&h) else { return };
    for i in 0..x.rows() {
        let old: Vec<f64> = x.row(i).iter().zip(&from).map(|(x, from)| x - from).collect();
        for j in 0..d {
            x[(i, j)] = to[j] + (0..d).map(|l| old[l] * turn[(l, j)]).sum::<f64>();
        }
    }
}

/// The orthogonal factor of a square matrix; none if it is singular or not finite.
fn polar(h: &Mat) -> Option<Mat> {
    let d = h.rows();
    let square = Mat::from_fn(d, d, |i, j| (0..d).map(|l| h[(l, i)] * h[(l, j)]).sum());
    let eigen = symmetric_eigen(&square)?;
    if eigen.values[0] <= 1e-14 * eigen.values[d - 1] {
        return None;
    }
    let root = Mat::from_fn(d, d, |i, j| {
        let term =
            |k: usize| eigen.vectors[(k, i)] * eigen.vectors[(k, j)] / eigen.values[k].sqrt();
        (0..d).map(term).sum()
    });
    Some(Mat::from_fn(d, d, |i, j| (0..d).map(|l| h[(i, l)] * root[(l, j)]).sum()))
}

/// Moves the mean to 0 and turns the principal axes onto the coordinates, the longest first.
pub(super) fn centre(x: &mut Mat) {
    let (n, d) = (x.rows(), x.cols());
    for j in 0..d {
        let mean = x.column(j).sum::<f64>() / n as f64;
        (0..n).for_each(|i| x[(i, j)] -= mean);
    }
    let gram = Mat::from_fn(d, d, |i, j| x.column(i).zip(x.column(j)).map(|(a, b)| a * b).sum());
    let Some(eigen) = symmetric_eigen(&gram) else { return };
    for i in 0..n {
        let old = x.row(i).to_vec();
        for j in 0..d {
            let axis = eigen.vectors.row(d - 1 - j);
            x[(i, j)] = old.iter().zip(axis).map(|(x, axis)| x * axis).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_and_reflected_layout_is_put_back() {
        let points = Mat::from_fn(7, 2, |i, j| ((2 * i + 3 * j) as f64).cos());
        let (c, s) = (0.6, 0.8);
        // A reflection after a rotation, and a shift.
        let mut x = Mat::from_fn(7, 2, |i, j| {
            let (a, b) = (points[(i, 0)], points[(i, 1)]);
            if j == 0 { c * a - s * b + 5.0 } else { -(s * a + c * b) - 1.0 }
        });
        let known = Mat::from_fn(3, 2, |i, j| points[(i + 1, j)]);
        align(&mut x, &Anchors::new(vec![1, 2, 3], known).unwrap());
        assert!(x.distance(&points) < 1e-12);
        let lengths = |x: &Mat| {
            (0..6)
                .map(|i| (x[(i, 0)] - x[(i + 1, 0)]).hypot(x[(i, 1)] - x[(i + 1, 1)]))
                .sum::<f64>()
        };
        let before = lengths(&x);
        centre(&mut x);
        let across: f64 = x.column(0).zip(x.column(1)).map(|(a, b)| a * b).sum();
        assert!(across.abs() < 1e-12 && (lengths(&x) - before).abs() < 1e-12);
    }
}
