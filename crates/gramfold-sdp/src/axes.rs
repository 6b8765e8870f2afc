//! Factors on their principal axes.

use gramfold_linalg::{Gram, Mat, multiply, symmetric_eigen};

/// X rotated to its principal axes, largest first, without those whose squared length is not above what `floor` makes of
/// ‖X‖²; none if all are.
pub(crate) fn without_vanished(x: &Mat, floor: impl FnOnce(f64) -> f64) -> Option<Mat> {
    let (n, r) = (x.rows(), x.cols());
    let eigen = symmetric_eigen(Gram::new(r).of(x, x))?;
    let floor = floor(eigen.values.iter().sum());
    let alive = eigen.values.iter().filter(|value| **value > floor).count().max(1);
    if alive >= r {
        return None;
    }
    let rotation = Mat::from_fn(r, alive, |i, j| eigen.vectors[(r - 1 - j, i)]);
    let mut rotated = Mat::zeros(n, alive);
    multiply(1.0, x, &rotation, &mut rotated);
    Some(rotated)
}
