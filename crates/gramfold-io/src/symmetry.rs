//! Matrices that differ from their transpose by rounding only.

use std::path::Path;

use gramfold_linalg::{Csr, CsrError, Dense, Mat, Symmetric};

use crate::{Asymmetry, Error};

/// Units in the last place of the largest entry by which a_ij and a_ji may differ: more than a few operations in another
/// order make, less than any difference that is meant.
const ULPS: f64 = 32.0;

/// The largest difference that counts as rounding in a matrix with these entries: of single precision if they all have
/// it, else of double.
fn rounding(entries: impl Iterator<Item = f64>) -> f64 {
    let (mut largest, mut single) = (0.0_f64, true);
    for value in entries {
        largest = largest.max(value.abs());
        single &= f64::from(value as f32) == value;
    }
    let unit = if single { f64::from(f32::EPSILON) } else { f64::EPSILON };
    ULPS * unit * largest
}

/// A dense matrix that is symmetric but for rounding, or is to be made so.
pub(crate) fn dense(path: &Path, matrix: Mat, asymmetry: Asymmetry) -> Result<Symmetric, Error> {
    if asymmetry == Asymmetry::Refuse
        && let Some((row, column)) = worst(&matrix)
    {
        let (value, mirrored) = (matrix[(row, column)], matrix[(column, row)]);
        if (value - mirrored).abs() > rounding(matrix.as_slice().iter().copied()) {
            let path = path.to_owned();
            let (row, column) = (row + 1, column + 1);
            return Err(Error::Asymmetric { path, row, column, value, mirrored });
        }
    }
    Ok(Dense::symmetrised(matrix).into())
}

/// A sparse matrix with entries of both triangles that is symmetric but for rounding, or is to be made so.
pub(crate) fn sparse(
    dim: usize,
    entries: &[(u32, u32, f64)],
    asymmetry: Asymmetry,
) -> Result<Csr, CsrError> {
    if asymmetry == Asymmetry::Average {
        return Csr::symmetrised(dim, entries);
    }
    match Csr::from_entries(dim, entries) {
        Err(CsrError::Asymmetric { value, mirrored, .. })
            if (value - mirrored).abs() <= rounding(entries.iter().map(|entry| entry.2)) =>
        {
            Csr::symmetrised(dim, entries)
        }
        other => other,
    }
}

/// The first position with the largest |m_ij − m_ji|, if that is not zero.
pub(crate) fn worst(matrix: &Mat) -> Option<(usize, usize)> {
    let (mut worst, mut at) = (0.0, None);
    for i in 0..matrix.rows() {
        for j in i + 1..matrix.rows() {
            let difference = (matrix[(i, j)] - matrix[(j, i)]).abs();
            if difference > worst {
                (worst, at) = (difference, Some((i, j)));
            }
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_asymmetry() {
        let path = Path::new("a");
        let read = |forth: f64, back: f64| {
            let matrix = Mat::from_row_major(2, 2, vec![0.3, forth, back, 0.7]);
            let entries = [(0, 0, 0.3), (0, 1, forth), (1, 0, back), (1, 1, 0.7)];
            let sparse = sparse(2, &entries, Asymmetry::Refuse).is_ok();
            let dense = dense(path, matrix, Asymmetry::Refuse);
            assert_eq!(dense.is_ok(), sparse, "{forth} {back}");
            dense.ok().map(|matrix| matrix.get(0, 1))
        };
        assert_eq!(read(0.1, 0.1), Some(0.1));
        assert_eq!(
            read(0.1, 0.1 + 4.0 * f64::EPSILON),
            Some(0.5 * 0.1 + 0.5 * (0.1 + 4.0 * f64::EPSILON))
        );
        assert_eq!(read(0.1, 0.1 + 1e-13), None);
    }

    #[test]
    fn single_precision_has_its_own_rounding() {
        let read = |back: f32| {
            let entries = [0.25, 0.1_f32, back, 1.0].map(f64::from);
            let matrix = Mat::from_row_major(2, 2, entries.to_vec());
            dense(Path::new("a"), matrix, Asymmetry::Refuse).is_ok()
        };
        assert!(read(0.1 + 2.0 * f32::EPSILON) && !read(0.1001));
    }
}
