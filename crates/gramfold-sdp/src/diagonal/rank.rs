//! Columns that come and go: principal axes without those that vanished, and directions of escape.

use gramfold_linalg::Mat;

use crate::axes::without_vanished;

/// X rotated to its principal axes, without axes whose share of ‖X‖² is below `share`; the last `slacks` columns
/// stay. None if nothing would go. Rows keep about their length, not exactly.
pub(super) fn compress(x: &Mat, slacks: usize, share: f64) -> Option<Mat> {
    let (n, r) = (x.rows(), x.cols() - slacks);
    let factor = Mat::from_fn(n, r, |i, j| x[(i, j)]);
    let rotated = without_vanished(&factor, |_| share * n as f64)?;
    let kept = rotated.cols();
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
