//! Delimited text with quotation marks, as spreadsheets and pandas write it.

use std::path::Path;

use crate::{Error, fields::number, lines::Lines, quoted::quoted};

/// Every record of a file, without the quotation marks around its fields.
#[derive(Debug)]
pub(crate) struct Rows {
    /// The fields one after the other.
    text: Vec<u8>,
    /// Where each field ends.
    ends: Vec<usize>,
    /// Where the fields of each record end.
    records: Vec<usize>,
    /// The line on which each record begins, from one.
    lines: Vec<usize>,
}

impl Rows {
    /// Reads all records; blank lines and comments hold none, and blanks around fields do not count.
    ///
    /// A mark opens a field only where the field begins, and what follows the mark that closes it must end the field.
    pub(crate) fn read(text: &Lines<'_>, separator: u8) -> Result<Self, Error> {
        let (path, bytes) = (text.path(), text.bytes());
        let is_blank = |byte: &u8| *byte != separator && matches!(byte, b' ' | b'\t' | b'\r');
        let past_blanks = |at: usize| at + bytes[at..].iter().take_while(|b| is_blank(b)).count();
        let mut rows = Self {
            text: Vec::with_capacity(bytes.len()),
            ends: Vec::new(),
            records: Vec::new(),
            lines: Vec::new(),
        };
        let (mut at, mut line) = (0, 1);
        while at < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
            if text.skips(at, &bytes[at..end]) {
                (at, line) = (end + 1, line + 1);
                continue;
            }
            rows.lines.push(line);
            // Field by field to the end of the record, which may be some lines further on.
            loop {
                at = past_blanks(at);
                let field = &bytes[at..];
                if field.first() == Some(&b'"') {
                    let refused = || unclosed(path, line, field);
                    let inside = &field[1..][..closing(&field[1..]).ok_or_else(refused)?];
                    at = past_blanks(at + inside.len() + 2);
                    if !matches!(bytes.get(at), None | Some(b'\n')) && bytes[at] != separator {
                        return Err(refused());
                    }
                    line += memchr::memchr_iter(b'\n', inside).count();
                    // Of two marks in a row only the second is taken.
                    let mut first = false;
                    rows.push(
                        separator,
                        inside.iter().copied().filter(|byte| {
                            first = *byte == b'"' && !first;
                            !first
                        }),
                    );
                } else {
                    let ends = |byte: &u8| *byte == b'\n' || *byte == separator;
                    let length = field.iter().position(ends).unwrap_or(field.len());
                    at += length;
                    let blanks = field[..length].iter().rev().take_while(|b| is_blank(b)).count();
                    rows.push(separator, field[..length - blanks].iter().copied());
                }
                if bytes.get(at) != Some(&separator) {
                    break;
                }
                at += 1;
            }
            rows.records.push(rows.ends.len());
            (at, line) = (at + 1, line + 1);
        }
        Ok(rows)
    }

    /// Adds a field. Where no comma separates fields, `1,5` is the number 1.5.
    fn push(&mut self, separator: u8, field: impl Iterator<Item = u8>) {
        let start = self.text.len();
        self.text.extend(field);
        if separator != b','
            && let Some(comma) = decimal_comma(&self.text[start..])
        {
            self.text[start + comma] = b'.';
        }
        self.ends.push(self.text.len());
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// The line on which a record begins.
    pub(crate) fn line(&self, record: usize) -> usize {
        self.lines.get(record).copied().unwrap_or(1)
    }

    /// The places of the fields of a record.
    pub(crate) fn fields(&self, record: usize) -> std::ops::Range<usize> {
        let start = if record == 0 { 0 } else { self.records[record - 1] };
        start..self.records[record]
    }

    /// The field at a place.
    pub(crate) fn field(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.text[start..self.ends[place]]
    }
}

/// Where the mark is that closes a field: marks within it are doubled.
fn closing(inside: &[u8]) -> Option<usize> {
    let mut marks = memchr::memchr_iter(b'"', inside);
    while let Some(mark) = marks.next() {
        if inside.get(mark + 1) != Some(&b'"') {
            return Some(mark);
        }
        marks.next();
    }
    None
}

/// Whether some comma stands between two digits.
pub(crate) fn has_decimal_comma(bytes: &[u8]) -> bool {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    memchr::memchr_iter(b',', bytes).any(|at| at > 0 && digit(at - 1) && digit(at + 1))
}

/// The place of the comma in a number that has one where others have a point.
fn decimal_comma(field: &[u8]) -> Option<usize> {
    let mut commas = memchr::memchr_iter(b',', field);
    let (comma, None) = (commas.next()?, commas.next()) else { return None };
    let whole = field[..comma].strip_prefix(b"-").unwrap_or(&field[..comma]);
    let decimals = &field[comma + 1..];
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    (digits(whole)
        && number(decimals).is_some()
        && decimals[0].is_ascii_digit()
        && !decimals.contains(&b'.'))
    .then_some(comma)
}

#[cold]
fn unclosed(path: &Path, line: usize, from: &[u8]) -> Error {
    let end = memchr::memchr(b'\n', from).unwrap_or(from.len());
    Error::at_line(path, line, "a field between quotation marks", quoted(from[..end].trim_ascii()))
        .with_hint("close every quotation mark, and write one within a field twice")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, separator: u8) -> Result<Vec<(usize, Vec<String>)>, String> {
        let rows = Rows::read(&Lines::new(Path::new("t"), text.as_bytes()), separator)
            .map_err(|error| error.to_string())?;
        let field = |place| String::from_utf8(rows.field(place).to_vec()).unwrap();
        Ok((0..rows.len()).map(|k| (rows.line(k), rows.fields(k).map(field).collect())).collect())
    }

    #[test]
    fn marks_hold_separators_marks_and_line_ends() {
        let text = "# c\n\"a\"\"b\", \"x, y\" ,1\r\n\n\"two\nlines\", z ,\n % d\n5\" pipe,,2\n";
        let row = |line: usize, fields: [&str; 3]| (line, fields.map(str::to_owned).to_vec());
        let expected = vec![
            row(2, ["a\"b", "x, y", "1"]),
            row(4, ["two\nlines", "z", ""]),
            row(7, ["5\" pipe", "", "2"]),
        ];
        assert_eq!(read(text, b','), Ok(expected));
        assert_eq!(
            read("\"\u{feff}\"\t\" a \"", b'\t').unwrap()[0].1,
            ["\u{feff}".to_owned(), " a ".to_owned()]
        );
    }

    #[test]
    fn a_comma_that_separates_nothing_may_be_a_decimal_one() {
        assert_eq!(
            read("-1,5;2,5e-3;a,b;1,2,3;1,x;,5;1,", b';').unwrap()[0].1,
            ["-1.5", "2.5e-3", "a,b", "1,2,3", "1,x", ",5", "1,"]
        );
        assert!(has_decimal_comma(b"a;1,5") && !has_decimal_comma(b"a,b;1, 5"));
    }

    #[test]
    fn marks_that_nothing_closes_have_their_line() {
        for (text, found) in [("a,b\n\"c,d\ne,f\n", "`\"c,d`"), ("a,b\n\"c\"d,e\n", "`\"c\"d,e`")] {
            let message = format!(
                "t:2: expected a field between quotation marks, found {found}; \
                 close every quotation mark, and write one within a field twice"
            );
            assert_eq!(read(text, b','), Err(message));
        }
    }

    proptest! {
        #[test]
        fn what_the_csv_crate_writes_comes_back(
            fields in prop::collection::vec(prop::collection::vec("\\PC{1,6}|a\"b|x,y|l\nm", 2..4), 1..6),
        ) {
            let mut writer = csv::WriterBuilder::new()
                .quote_style(csv::QuoteStyle::Always)
                .flexible(true)
                .from_writer(Vec::new());
            for row in &fields {
                writer.write_record(row).unwrap();
            }
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            let read: Vec<_> = read(&text, b',').unwrap().into_iter().map(|row| row.1).collect();
            prop_assert_eq!(read, fields);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let _ = Rows::read(&Lines::new(Path::new("t"), &bytes), b',');
        }

        #[test]
        fn plausible_text_never_panics(text in "[a\", ;\t\r\n#0]{0,40}") {
            if let Ok(rows) = Rows::read(&Lines::new(Path::new("t"), text.as_bytes()), b',') {
                prop_assert_eq!(rows.len(), rows.lines.len());
            }
        }
    }
}
