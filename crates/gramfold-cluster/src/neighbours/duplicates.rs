//! Points that coincide to the last bit.

use gramfold_linalg::Mat;
use rayon::prelude::*;

/// Partitions the points into groups of equal ones, each by increasing index.
pub(super) fn groups(points: &Mat) -> Vec<Vec<u32>> {
    let row = |i: u32| points.row(i as usize);
    let mut order: Vec<u32> = (0..points.rows() as u32).collect();
    // `partial_cmp` sees 0 = −0; the points are finite.
    order.par_sort_unstable_by(|&i, &j| {
        row(i).partial_cmp(row(j)).expect("invariant: finite points").then(i.cmp(&j))
    });
    order.chunk_by(|&i, &j| row(i) == row(j)).map(<[u32]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_form_a_group() {
        let points =
            Mat::from_row_major(5, 2, vec![1.0, 0.0, 0.0, 2.0, 1.0, -0.0, 0.0, 3.0, 1.0, 0.0]);
        assert_eq!(groups(&points), [vec![1], vec![3], vec![0, 2, 4]]);
    }
}
