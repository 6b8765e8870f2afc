//! Rows of text fields: pairs, triplets, nodes with coordinates.

use std::path::Path;

use crate::{Error, Place, input, name::name, records::Text};

/// One line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number, from one.
    pub line: usize,
    /// What it holds, without quotation marks.
    pub fields: Vec<String>,
}

impl Row {
    /// Where it is in its file.
    pub fn at(&self, path: &Path) -> Place {
        Place { path: path.to_owned(), line: Some(self.line) }
    }
}

/// Reads the lines of a text file that are neither blank nor comments, plain or gzipped, as fields between tabs, semicolons,
/// commas or blanks, whichever the first line has. Each must have at least `width` fields, none of these empty; `what` says in
/// an error what a line holds.
pub fn read_rows(path: &Path, width: usize, what: &str) -> Result<Vec<Row>, Error> {
    let bytes = input::read(path)?;
    parse(path, &bytes, width, what)
}

fn parse(path: &Path, bytes: &[u8], width: usize, what: &str) -> Result<Vec<Row>, Error> {
    let text = Text::new(path, bytes)?;
    let mut records = text.records();
    let mut rows = Vec::new();
    while let Some(record) = records.next() {
        let mut fields = Vec::new();
        for (place, field) in record.enumerate() {
            fields.push(if place < width {
                name(field, &records)?
            } else {
                String::from_utf8_lossy(field).into_owned()
            });
        }
        if fields.len() < width {
            return Err(records.error(what, format!("{} columns", fields.len())));
        }
        rows.push(Row { line: records.number(), fields });
    }
    if rows.is_empty() {
        return Err(records.empty(what));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Vec<(usize, String)>, String> {
        let rows = parse(Path::new("p"), text.as_bytes(), 2, "a pair of nodes");
        let joined = |row: Row| (row.line, row.fields.join("|"));
        rows.map(|rows| rows.into_iter().map(joined).collect()).map_err(|error| error.to_string())
    }

    #[test]
    fn fields_come_in_the_order_of_the_file() {
        let expected = vec![(1, "b|a".to_owned()), (3, "New York|c|3".to_owned())];
        assert_eq!(read("b,a\n# x\n\"New York\",c,3\n"), Ok(expected));
    }

    #[test]
    fn reading_is_linear_in_the_file() {
        // Counting the lines before each of these from the start again would look at 4·10¹¹ bytes.
        let text = "a b\n".repeat(1 << 19);
        let rows = read(&text).unwrap();
        assert_eq!((rows.len(), rows.last().unwrap().0), (1 << 19, 1 << 19));
    }

    #[test]
    fn short_lines_are_refused() {
        assert_eq!(read("a b\nc\n").unwrap_err(), "p:2: expected a pair of nodes, found 1 columns");
        assert_eq!(read("").unwrap_err(), "p: expected a pair of nodes, found an empty file");
        assert_eq!(read("a,\n").unwrap_err(), "p:1: expected a name, found an empty field");
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let _ = parse(Path::new("p"), &bytes, 2, "a pair");
        }
    }
}
