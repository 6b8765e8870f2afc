//! Array files: every entry, or every entry of the lower triangle, column by column.

use gramfold_linalg::{Mat, Symmetric};

use super::{banner::Triangles, header::Header, read::Asymmetry, scanner::Scanner};
use crate::{Error, symmetry};

/// The shortest line: a digit and the end of the line.
const LEAST: usize = 2;

/// Reads the entries and what they make.
pub(super) fn read(
    scanner: &mut Scanner<'_>,
    header: &Header,
    asymmetry: Asymmetry,
) -> Result<Symmetric, Error> {
    let values = values(scanner, header)?;
    let n = header.dim;
    let matrix = match header.triangles {
        Triangles::Lower => mirrored(n, &values),
        // The columns taken for rows: the transpose, which is as good for what follows.
        Triangles::Both => Mat::from_row_major(n, n, values),
    };
    symmetry::dense(scanner.path(), matrix, asymmetry).map_err(|error| match error {
        Error::Asymmetric { path, row, column, value, mirrored } => {
            Error::Asymmetric { path, row: column, column: row, value, mirrored }
        }
        other => other,
    })
}

fn values(scanner: &mut Scanner<'_>, header: &Header) -> Result<Vec<f64>, Error> {
    let mut values = Vec::with_capacity(header.capacity(scanner, LEAST));
    for found in 0..header.promised {
        header.next_entry(scanner, found)?;
        values.push(header.value(scanner)?);
        scanner.end_line()?;
    }
    header.end(scanner)?;
    Ok(values)
}

/// The symmetric matrix whose lower triangle holds the values, column by column.
fn mirrored(n: usize, values: &[f64]) -> Mat {
    let mut matrix = Mat::zeros(n, n);
    let mut rest = values;
    for j in 0..n {
        let (column, after) = rest.split_at(n - j);
        rest = after;
        for (i, &value) in (j..n).zip(column) {
            matrix[(i, j)] = value;
            matrix[(j, i)] = value;
        }
    }
    matrix
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Symmetric;

    use super::super::read::tests::{parse, refuses};
    use gramfold_linalg::Dense;

    use super::*;

    const GENERAL: &str = "%%MatrixMarket matrix array real general\n";
    const SYMMETRIC: &str = "%%MatrixMarket matrix array integer symmetric\n";

    fn dense(n: usize, entries: &[f64]) -> Symmetric {
        Dense::symmetrised(Mat::from_row_major(n, n, entries.to_vec())).into()
    }

    #[test]
    fn both_triangles_or_one_give_the_matrix() {
        let expected = dense(2, &[1.0, 2.0, 2.0, -3.5]);
        let text = format!("{GENERAL}% sizes\r\n2 2\r\n1\n\n2.0 \r\n % middle\n 2\n-35e-1");
        assert_eq!(parse(&text, Asymmetry::Refuse).unwrap(), expected);
        let expected = dense(3, &[1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0]);
        let text = format!("{SYMMETRIC}3 3\n1\n2\n3\n4\n5\n6\n");
        assert_eq!(parse(&text, Asymmetry::Refuse).unwrap(), expected);
    }

    #[test]
    fn an_asymmetric_matrix_is_refused_or_averaged() {
        let text = format!("{GENERAL}3 3\n1\n2\n3\n2.5\n4\n5\n3\n-5\n6\n");
        refuses(
            &text,
            "a: expected a symmetric matrix, found 5.0 at (3, 2) but -5.0 at (2, 3), \
             the largest difference (10.0); pass `--symmetrise` to use ½(A + Aᵀ)",
        );
        assert_eq!(
            parse(&text, Asymmetry::Average).unwrap(),
            dense(3, &[1.0, 2.25, 3.0, 2.25, 4.0, 0.0, 3.0, 0.0, 6.0])
        );
    }

    #[test]
    fn broken_promises_are_refused() {
        refuses(
            &format!("{GENERAL}2 2\n1\n2\n2\n\n"),
            "a:5: expected 4 entries as line 2 promises, found 3",
        );
        refuses(
            &format!("{SYMMETRIC}2 2\n1\n2\n2\n3\n"),
            "a:6: expected the end of the file after the 3 entries that line 2 promises, found `3`",
        );
        refuses(
            &format!("{GENERAL}2000000000 2000000000\n1\n"),
            "a:3: expected 4000000000000000000 entries as line 2 promises, found 1",
        );
    }

    #[test]
    fn bad_values_are_refused() {
        refuses(&format!("{GENERAL}1 1\nnan\n"), "a:3: expected a finite number, found `nan`");
        refuses(&format!("{GENERAL}1 1\n1 2\n"), "a:3: expected the end of the line, found `2`");
        refuses(&format!("{SYMMETRIC}1 1\n\n1.5\n"), "a:4: expected an integer, found `1.5`");
    }
}
