//! Square npy files into dense symmetric matrices.

use std::path::Path;

use gramfold_linalg::Symmetric;

use crate::{Asymmetry, Error, GraphOptions, input, npy, symmetry};

/// Reads a real symmetric matrix from a square npy file, plain or gzipped.
///
/// Entries may be of any type that [`read_npy`](crate::read_npy) takes and must be finite.
pub fn read_dense(path: &Path, asymmetry: Asymmetry) -> Result<Symmetric, Error> {
    parse(path, &input::read(path)?, GraphOptions { asymmetry, ..GraphOptions::default() })
}

/// Reads from the bytes of the file; `path` is for messages.
pub(crate) fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Symmetric, Error> {
    let matrix = npy::parse(path, bytes)?;
    let (rows, columns) = (matrix.rows(), matrix.cols());
    if rows != columns {
        let expected = format!("a square matrix ({rows} columns)");
        return Err(Error::in_file(path, expected, format!("{columns} columns")));
    }
    symmetry::whole(path, matrix, options)
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Dense, Mat};

    use super::*;
    use crate::write_npy;

    fn read(
        rows: usize,
        columns: usize,
        entries: &[f64],
        asymmetry: Asymmetry,
    ) -> Result<Symmetric, String> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.npy");
        write_npy(&path, &Mat::from_row_major(rows, columns, entries.to_vec())).unwrap();
        let start = directory.path().display().to_string() + "/";
        read_dense(&path, asymmetry).map_err(|error| error.to_string().replace(&start, ""))
    }

    #[test]
    fn a_square_matrix_is_read_as_it_is() {
        let entries = [1.0, -2.5, -2.5, 0.0];
        let expected = Dense::symmetrised(Mat::from_row_major(2, 2, entries.to_vec()));
        assert_eq!(read(2, 2, &entries, Asymmetry::Refuse), Ok(expected.into()));
    }

    #[test]
    fn an_asymmetric_matrix_is_refused_or_averaged() {
        let entries = [0.0, 1.0, 2.0, 1.5, 0.0, 3.0, 2.0, -3.0, 0.0];
        assert_eq!(
            read(3, 3, &entries, Asymmetry::Refuse).unwrap_err(),
            "a.npy: expected a symmetric matrix, found 3.0 at (2, 3) but -3.0 at (3, 2), \
             the largest difference (6.0); pass `--symmetrise` to use ½(A + Aᵀ)"
        );
        let averaged = read(3, 3, &entries, Asymmetry::Average).unwrap();
        let expected = [0.0, 1.25, 2.0, 1.25, 0.0, 0.0, 2.0, 0.0, 0.0];
        assert!(averaged.values().eq(expected));
    }

    #[test]
    fn other_shapes_and_values_are_refused() {
        assert_eq!(
            read(1, 2, &[1.0, 2.0], Asymmetry::Average).unwrap_err(),
            "a.npy: expected a square matrix (1 columns), found 2 columns"
        );
        assert_eq!(
            read(2, 2, &[1.0, 2.0, f64::NAN, 2.0], Asymmetry::Average).unwrap_err(),
            "a.npy: expected finite entries, found NaN at (2, 1)"
        );
    }
}
