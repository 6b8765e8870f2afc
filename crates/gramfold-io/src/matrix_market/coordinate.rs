//! Coordinate files: a line `row column value` for each nonzero, in any order.

use gramfold_linalg::Csr;

use super::{
    banner::Triangles,
    header::{Header, counted},
    read::Asymmetry,
    scanner::Scanner,
};
use crate::{Error, limits::most_rows, scanner::repeated, symmetry};

/// The shortest line, of a pattern: two digits, the space between and the end of the line.
const LEAST: usize = 4;

/// A row and a column from zero, and a value.
type Entry = (u32, u32, f64);

/// Reads the entries and what they make.
pub(super) fn read(
    scanner: &mut Scanner<'_>,
    header: &Header,
    asymmetry: Asymmetry,
) -> Result<Csr, Error> {
    let start = scanner.clone();
    let entries = entries(scanner, header)?;
    check_rows(scanner, header, entries.len() as u64)?;

    let built = match (header.triangles, asymmetry) {
        (Triangles::Lower, _) => Csr::from_triangle(header.dim, &entries),
        (Triangles::Both, asymmetry) => symmetry::sparse(header.dim, &entries, asymmetry),
    };
    // A matrix with a place for every entry repeats none of them; only otherwise are they sorted.
    let mirrored = match header.triangles {
        Triangles::Lower => entries.iter().filter(|(i, j, _)| i != j).count(),
        Triangles::Both => 0,
    };
    let distinct = built.as_ref().is_ok_and(|matrix| matrix.stored() == entries.len() + mirrored);
    let place = |k: usize| (entries[k].0, entries[k].1);
    if !distinct && let Some((first, second)) = repeated(entries.len(), place) {
        return Err(repetition(&start, entries[second], first, second));
    }
    built.map_err(|error| Error::not_symmetric(scanner.path(), error))
}

fn entries(scanner: &mut Scanner<'_>, header: &Header) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::with_capacity(header.capacity(scanner, LEAST));
    for found in 0..header.promised {
        header.next_entry(scanner, found)?;
        let row = index(scanner, header, "a row")?;
        let column = index(scanner, header, "a column")?;
        if header.triangles == Triangles::Lower && column > row {
            return Err(above_diagonal(scanner, row, column));
        }
        let value = header.value(scanner)?;
        scanner.end_line()?;
        entries.push((row, column, value));
    }
    header.end(scanner)?;
    Ok(entries)
}

/// An index from one in the file, from zero here.
#[inline]
fn index(scanner: &mut Scanner<'_>, header: &Header, name: &str) -> Result<u32, Error> {
    let before = scanner.clone();
    match scanner.integer(name)? {
        // The dimension is at most 2³¹.
        index @ 1.. if index <= header.dim as u64 => Ok((index - 1) as u32),
        _ => Err(before.unexpected(&format!("{name} between 1 and {}", header.dim))),
    }
}

#[cold]
fn above_diagonal(scanner: &Scanner<'_>, row: u32, column: u32) -> Error {
    Error::at_line(
        scanner.path(),
        scanner.line(),
        "an entry on or below the diagonal of a symmetric file",
        format!("({}, {})", row + 1, column + 1),
    )
    .with_hint("list only the lower triangle, or declare the file `general`")
}

fn check_rows(scanner: &Scanner<'_>, header: &Header, listed: u64) -> Result<(), Error> {
    let most = most_rows(listed);
    if header.dim as u64 <= most {
        return Ok(());
    }
    Err(Error::at_line(
        scanner.path(),
        header.line,
        format!("at most {most} rows for {}", counted(listed)),
        header.dim.to_string(),
    )
    .with_hint("leave out the rows and columns that are empty"))
}

fn repetition(start: &Scanner<'_>, (i, j, _): Entry, first: usize, second: usize) -> Error {
    Error::at_line(
        start.path(),
        start.line_after(second),
        "each position once",
        format!("({}, {}) again after line {}", i + 1, j + 1, start.line_after(first)),
    )
    .with_hint("add the values of repeated entries before writing the file")
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Symmetric;

    use super::super::read::tests::{parse, refuses};
    use super::*;

    const GENERAL: &str = "%%MatrixMarket matrix coordinate real general\n";
    const SYMMETRIC: &str = "%%MatrixMarket matrix coordinate real symmetric\n";
    const PATTERN: &str = "%%MatrixMarket matrix coordinate pattern symmetric\n";

    fn sparse(n: usize, entries: &[Entry]) -> Symmetric {
        Csr::from_entries(n, entries).unwrap().into()
    }

    #[test]
    fn one_triangle_or_both_give_the_matrix() {
        let expected = sparse(3, &[(0, 0, 1.0), (2, 0, -2.5), (0, 2, -2.5)]);
        let text = format!("{SYMMETRIC}% sizes\r\n3 3 2\r\n3\t1 -2.5 \r\n\n% middle\n 1  1 1");
        assert_eq!(parse(&text, Asymmetry::Refuse).unwrap(), expected);
        let text = format!("{GENERAL}3 3 3\n3 1 -2.5\n1 1 1\n1 3 -25e-1\n\n% end");
        assert_eq!(parse(&text, Asymmetry::Refuse).unwrap(), expected);
        assert_eq!(parse(&text, Asymmetry::Average).unwrap(), expected);
    }

    #[test]
    fn a_pattern_has_ones_and_no_entries_make_zero() {
        let text = format!("{PATTERN}2 2 2\n2 1\n2 2\n");
        let expected = sparse(2, &[(1, 0, 1.0), (0, 1, 1.0), (1, 1, 1.0)]);
        assert_eq!(parse(&text, Asymmetry::Refuse).unwrap(), expected);
        let text = format!("{PATTERN}2 2 0");
        assert_eq!(parse(&text, Asymmetry::Refuse).unwrap(), sparse(2, &[]));
    }

    #[test]
    fn an_asymmetric_matrix_is_refused_or_averaged() {
        let text = format!("{GENERAL}3 3 3\n1 2 2\n2 1 1.5\n2 3 3\n");
        refuses(
            &text,
            "a: expected a symmetric matrix, found 3.0 at (2, 3) but 0.0 at (3, 2), \
             the largest difference (3.0); pass `--symmetrise` to use ½(A + Aᵀ)",
        );
        let expected = [(0, 1, 1.75), (1, 0, 1.75), (1, 2, 1.5), (2, 1, 1.5)];
        assert_eq!(parse(&text, Asymmetry::Average).unwrap(), sparse(3, &expected));
    }

    #[test]
    fn broken_promises_are_refused() {
        refuses(
            &format!("{SYMMETRIC}2 2 3\n1 1 1\n% last\n2 2 1\n\n"),
            "a:5: expected 3 entries as line 2 promises, found 2",
        );
        refuses(
            &format!("{SYMMETRIC}2 2 1000000000000000\n1 1 1\n"),
            "a:3: expected 1000000000000000 entries as line 2 promises, found 1",
        );
        refuses(
            &format!("{SYMMETRIC}2 2 1\n1 1 1\n\n2 2 1\n"),
            "a:5: expected the end of the file after the 1 entry that line 2 promises, found `2`",
        );
        refuses(
            &format!("{SYMMETRIC}\n2147483648 2147483648 1\n1 1 1\n"),
            "a:3: expected at most 160016 rows for 1 entry, found 2147483648; \
             leave out the rows and columns that are empty",
        );
    }

    #[test]
    fn bad_entries_are_refused() {
        let entry = |entry: &str, message: &str| {
            refuses(&format!("{SYMMETRIC}%\n3 3 1\n{entry}\n"), &format!("a:4: {message}"));
        };
        entry("0 1 1", "expected a row between 1 and 3, found `0`");
        entry("3 4 1", "expected a column between 1 and 3, found `4`");
        entry("4294967297 1 1", "expected a row between 1 and 3, found `4294967297`");
        entry("1.0 1 1", "expected a row, found `1.0`");
        entry("1", "expected a column, found the end of the line");
        entry("1 1", "expected a finite number, found the end of the line");
        entry("1 1 NaN", "expected a finite number, found `NaN`");
        entry("1 1 -inf", "expected a finite number, found `-inf`");
        entry("1 1 1e400", "expected a finite number, found `1e400`");
        entry("1 1 1,5", "expected a finite number, found `1,5`");
        entry("1 1 1 0", "expected the end of the line, found `0`");
        entry(
            "1 3 1",
            "expected an entry on or below the diagonal of a symmetric file, found (1, 3); \
             list only the lower triangle, or declare the file `general`",
        );
        refuses(
            &format!("{PATTERN}3 3 1\n2 1 1.0\n"),
            "a:3: expected the end of the line, found `1.0`",
        );
    }

    #[test]
    fn a_repeated_entry_is_refused_with_both_lines() {
        let message = "expected each position once, found (2, 1) again after line 4; \
                       add the values of repeated entries before writing the file";
        for (kind, asymmetry) in [
            (SYMMETRIC, Asymmetry::Refuse),
            (GENERAL, Asymmetry::Refuse),
            (GENERAL, Asymmetry::Average),
        ] {
            let text = format!("{kind}2 2 5\n1 1 1\n2 1 1\n\n% again\n2 1 2\n1 1 1\n2 1 2\n");
            let error = parse(&text, asymmetry).unwrap_err().to_string();
            assert_eq!(error, format!("a:7: {message}"));
        }
    }
}
