//! Columns that come and go: principal axes without those that vanished, and directions of escape.

use gramfold_linalg::{Gram, Mat, multiply, symmetric_eigen};

/// X rotated to its principal axes, without axes whose share of ‖X‖² is below `share`; the last `slacks` columns
/// stay. None if nothing would go. Rows keep about their length, not exactly.
pub(super) fn compress(x: &Mat, slacks: usize, share: f64) -> Option<Mat> {
    let (n, r) = (x.rows(), x.cols() - slacks);
    let factor = Mat::from_fn(n, r, |i, j| x[(i, j)]);
    let eigen = symmetric_eigen(Gram::new(r).of(&factor, &factor))?;
    let floor = share * n as f64;
    let kept = eigen.values.iter().filter(|value| **value > floor).count().max(1);
    if kept == r {
        return None;
    }
    // Smallest first: the axes kept are the last ones, largest in front.
    let axes = Mat::from_fn(r, kept, |i, k| eigen.vectors[(r - 1 - k, i)]);
    let mut rotated = Mat::zeros(n, kept);
    multiply(1.0, &factor, &axes, &mut rotated);
    Some(Mat::from_fn(n, kept + slacks, |i, j| {
        if j < kept { rotated[(i, j)] } else { x[(i, r + j - kept)] }
    }))
}

/// X with `columns` further columns of zeros before its slacks.
pub(super) fn widen(x: &Mat, slacks: usize, columns: usize) -> Mat {
    let r = x.cols() - slacks;
    Mat::from_fn(x.rows(), x.cols() + columns, |i, j| {
        if j < r {
            x[(i, j)]
        } else if j < r + columns {
            0.0
        } else {
            x[(i, j - columns)]
        }
    })
}
