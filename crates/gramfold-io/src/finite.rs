//! Refusal of what is not a finite number.

use std::path::Path;

use gramfold_linalg::Mat;

use crate::Error;

/// Refuses a matrix with an entry that is infinite or not a number.
pub(crate) fn check(path: &Path, matrix: &Mat) -> Result<(), Error> {
    match matrix.as_slice().iter().position(|value| !value.is_finite()) {
        Some(at) => {
            let (row, column) = (at / matrix.cols(), at % matrix.cols());
            Err(refused(path, row, column, matrix[(row, column)]))
        }
        None => Ok(()),
    }
}

/// The error that the entry at (row, column), from zero, is not finite.
#[cold]
pub(crate) fn refused(path: &Path, row: usize, column: usize, value: f64) -> Error {
    let found = format!("{value:?} at ({}, {})", row + 1, column + 1);
    Error::in_file(path, "finite entries", found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_such_entry_is_named() {
        let path = Path::new("a");
        let matrix = |value| Mat::from_row_major(2, 3, vec![0.0, 1.0, 2.0, 3.0, 4.0, value]);
        assert!(check(path, &matrix(5.0)).is_ok());
        for (value, shown) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf")] {
            assert_eq!(
                check(path, &matrix(value)).unwrap_err().to_string(),
                format!("a: expected finite entries, found {shown} at (2, 3)")
            );
        }
    }
}
