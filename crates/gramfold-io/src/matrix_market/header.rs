//! What precedes the entries: the banner and the size line `3 3 5`.

use super::{
    banner::{Banner, Field, Layout, Triangles},
    scanner::Scanner,
};
use crate::{Error, limits::LARGEST};

/// What a file says about itself before its entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) layout: Layout,
    pub(super) field: Field,
    pub(super) triangles: Triangles,
    /// The dimension n, at least one.
    pub(super) dim: usize,
    /// How many entries follow, if the file keeps its word.
    pub(super) promised: u64,
    /// The line of the sizes.
    pub(super) line: usize,
}

impl Header {
    /// Reads up to the first entry.
    pub(super) fn read(scanner: &mut Scanner<'_>) -> Result<Self, Error> {
        let Banner { layout, field, triangles } = Banner::read(scanner)?;
        if !scanner.next_line() {
            return Err(scanner.unexpected("a line with the sizes of the matrix"));
        }
        let line = scanner.line();
        let rows = scanner.integer("the number of rows")?;
        let columns = scanner.integer("the number of columns")?;
        let listed = match layout {
            Layout::Coordinate => scanner.integer("the number of entries")?,
            Layout::Array => 0,
        };
        scanner.end_line()?;

        let fault = |expected: String, found: String| {
            Err(Error::at_line(scanner.path(), line, expected, found))
        };
        if rows != columns {
            return fault(
                format!("a square matrix ({rows} columns)"),
                format!("{columns} columns"),
            );
        }
        if rows == 0 {
            return fault("at least one row".into(), "0: the matrix is empty".into());
        }
        if rows > LARGEST {
            return fault(format!("at most {LARGEST} rows"), rows.to_string());
        }
        let promised = match (layout, triangles) {
            (Layout::Coordinate, _) => listed,
            (Layout::Array, Triangles::Both) => rows * rows,
            (Layout::Array, Triangles::Lower) => rows * (rows + 1) / 2,
        };
        Ok(Self { layout, field, triangles, dim: rows as usize, promised, line })
    }

    /// How many entries to make room for: what is promised, unless the rest of the file is too
    /// short for it at `least` bytes a line.
    pub(super) fn capacity(&self, scanner: &Scanner<'_>, least: usize) -> usize {
        let fit = scanner.rest().len().div_ceil(least);
        usize::try_from(self.promised).map_or(fit, |promised| promised.min(fit))
    }

    /// To the next entry, of which there have been `found`.
    #[inline]
    pub(super) fn next_entry(&self, scanner: &mut Scanner<'_>, found: u64) -> Result<(), Error> {
        if scanner.next_line() {
            return Ok(());
        }
        let expected = format!("{} as line {} promises", counted(self.promised), self.line);
        Err(Error::at_line(scanner.path(), scanner.line(), expected, found.to_string()))
    }

    /// Refuses anything after the last entry.
    pub(super) fn end(&self, scanner: &mut Scanner<'_>) -> Result<(), Error> {
        if !scanner.next_line() {
            return Ok(());
        }
        Err(scanner.unexpected(&format!(
            "the end of the file after the {} that line {} promises",
            counted(self.promised),
            self.line
        )))
    }

    /// The next token of the line as the value of an entry.
    #[inline]
    pub(super) fn value(&self, scanner: &mut Scanner<'_>) -> Result<f64, Error> {
        match self.field {
            Field::Real => scanner.value(),
            Field::Integer => {
                let before = scanner.clone();
                let value = scanner.value()?;
                if value.fract() == 0.0 { Ok(value) } else { Err(before.unexpected("an integer")) }
            }
            Field::Pattern => Ok(1.0),
        }
    }
}

/// A number of entries in words.
pub(super) fn counted(entries: u64) -> String {
    if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn header(text: &str) -> Result<Header, String> {
        let mut scanner = Scanner::new(Path::new("a"), text.as_bytes());
        Header::read(&mut scanner).map_err(|error| error.to_string())
    }

    fn refuses(text: &str, message: &str) {
        assert_eq!(header(text).unwrap_err(), message, "{text:?}");
    }

    #[test]
    fn case_comments_and_line_ends_do_not_matter() {
        let expected = Header {
            layout: Layout::Coordinate,
            field: Field::Integer,
            triangles: Triangles::Lower,
            dim: 3,
            promised: 5,
            line: 2,
        };
        assert_eq!(
            header("%%MatrixMarket matrix coordinate integer symmetric\n3 3 5\n"),
            Ok(expected)
        );
        assert_eq!(
            header(
                "\r\n% by hand\r\n%%matrixmarket MATRIX\tCoordinate INTEGER Symmetric \r\n%\r\n\r\n 3  3 5"
            ),
            Ok(Header { line: 6, ..expected })
        );
    }

    #[test]
    fn arrays_promise_every_entry_or_a_triangle() {
        let promised = |text| header(text).map(|h| h.promised);
        assert_eq!(promised("%%MatrixMarket matrix array real general\n4 4"), Ok(16));
        assert_eq!(promised("%%MatrixMarket matrix array real symmetric\n4 4"), Ok(10));
        assert_eq!(
            promised("%%MatrixMarket matrix array real general\n2147483648 2147483648"),
            Ok(1 << 62)
        );
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let sizes = |sizes: &str, message: &str| {
            let banner = "%%MatrixMarket matrix coordinate real general\n";
            refuses(&format!("{banner}{sizes}"), message);
        };
        sizes(
            "%\n\n",
            "a:2: expected a line with the sizes of the matrix, found the end of the file",
        );
        sizes("3 4 5", "a:2: expected a square matrix (3 columns), found 4 columns");
        sizes("\n0 0 0", "a:3: expected at least one row, found 0: the matrix is empty");
        sizes(
            "1000000000000000 1000000000000000 1",
            "a:2: expected at most 2147483648 rows, found 1000000000000000",
        );
        sizes("-3 3 5", "a:2: expected the number of rows, found `-3`");
        sizes("3 3.0 5", "a:2: expected the number of columns, found `3.0`");
        sizes("3 3\n5", "a:2: expected the number of entries, found the end of the line");
        sizes("3 3 5 7", "a:2: expected the end of the line, found `7`");
    }
}
