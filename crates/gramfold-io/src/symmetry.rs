//! Matrices that differ from their transpose by rounding only.

use std::path::Path;

use gramfold_linalg::{Csr, CsrError, Dense, Mat, Symmetric};

use crate::{Asymmetry, Error, GraphOptions, finite};

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

/// A whole matrix, as the options want it: one with holes becomes a sparse one of what is known.
pub(crate) fn whole(path: &Path, matrix: Mat, options: GraphOptions) -> Result<Symmetric, Error> {
    if options.holes && matrix.as_slice().iter().any(|value| value.is_nan()) {
        return known(path, &matrix, options.asymmetry).map(Into::into);
    }
    finite::check(path, &matrix)?;
    dense(path, matrix, options.asymmetry)
}

/// A dense matrix that is symmetric but for rounding, or is to be made so.
pub(crate) fn dense(path: &Path, matrix: Mat, asymmetry: Asymmetry) -> Result<Symmetric, Error> {
    if asymmetry == Asymmetry::Refuse
        && let Some((row, column)) = worst(&matrix)
    {
        let (value, mirrored) = (matrix[(row, column)], matrix[(column, row)]);
        if (value - mirrored).abs() > rounding(matrix.as_slice().iter().copied()) {
            return Err(asymmetric(path, (row, column), value, mirrored));
        }
    }
    Ok(Dense::symmetrised(matrix).into())
}

/// The entries that are not NaN; what one triangle knows is known of the other.
fn known(path: &Path, matrix: &Mat, asymmetry: Asymmetry) -> Result<Csr, Error> {
    let given = matrix.as_slice().iter().copied().filter(|value| !value.is_nan());
    let allowed = if asymmetry == Asymmetry::Refuse { rounding(given) } else { f64::INFINITY };
    let mut entries = Vec::new();
    for i in 0..matrix.rows() {
        for j in i..matrix.cols() {
            let (value, mirrored) = (matrix[(i, j)], matrix[(j, i)]);
            if let Some(infinite) = [value, mirrored].into_iter().find(|v| v.is_infinite()) {
                return Err(finite::refused(path, i, j, infinite));
            }
            let value = match (value.is_nan(), mirrored.is_nan()) {
                (true, true) => continue,
                (true, false) => mirrored,
                (false, true) => value,
                (false, false) if (value - mirrored).abs() > allowed => {
                    return Err(asymmetric(path, (i, j), value, mirrored));
                }
                (false, false) => 0.5 * (value + mirrored),
            };
            entries.push((i as u32, j as u32, value));
        }
    }
    let many = |error: CsrError| Error::in_file(path, "a smaller matrix", error.to_string());
    Csr::from_triangle(matrix.rows(), &entries).map_err(many)
}

fn asymmetric(path: &Path, (row, column): (usize, usize), value: f64, mirrored: f64) -> Error {
    Error::Asymmetric { path: path.to_owned(), row: row + 1, column: column + 1, value, mirrored }
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
