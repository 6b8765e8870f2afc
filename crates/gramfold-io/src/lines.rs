//! The lines of a text file that hold data.

use std::path::Path;

use crate::{
    Error,
    fields::{Separator, number},
};

/// What some programs put before UTF-8 text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Goes through the lines that are neither blank nor comments, which begin with `#` or `%`.
///
/// In a table whose first line begins with a word names may begin with these, too: see [`Lines::detect`]. Lines come without blanks at their end. They are not counted on the way: an error counts them
/// once, from the start.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    /// Where the last line begins that was given.
    start: usize,
    /// Where the line after it begins.
    next: usize,
    /// How many lines were passed, with those that were skipped.
    passed: usize,
    /// Where names may begin like comments.
    words: Option<Words>,
}

/// A table of words: where it begins, what separates its columns, and how many there are.
#[derive(Clone, Copy)]
struct Words {
    start: usize,
    separator: u8,
    columns: usize,
}

impl Words {
    /// How many columns a line has; separators between the quotation marks around a field are none.
    fn columns(separator: u8, line: &[u8]) -> usize {
        let (mut columns, mut begins, mut quoted, mut open) = (1, true, false, false);
        for &byte in line {
            if byte == separator && !open {
                (columns, begins, quoted) = (columns + 1, true, false);
                continue;
            }
            if byte == b'"' && (begins || quoted) {
                (quoted, open) = (true, !open);
            }
            begins &= byte == b' ';
        }
        columns
    }
}

impl<'a> Lines<'a> {
    pub(crate) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        Self { path, bytes, start: 0, next: 0, passed: 0, words: None }
    }

    /// The lines of a file with fields, and what separates these: what does so on the first line.
    pub(crate) fn fields(path: &'a Path, bytes: &'a [u8]) -> (Self, Separator) {
        let mut lines = Self::new(path, bytes);
        let mut look = lines.clone();
        let Some(line) = look.next() else { return (lines, Separator::Blanks) };
        let separator = lines.detect(first_record(line, &look.bytes[look.start..]));
        (lines, separator)
    }

    /// What separates the fields of the first line.
    ///
    /// A first field that is no number, before a tab, semicolon or comma, is a word in a header or a name. Then a line below it
    /// with as many columns is no comment: a name that begins with `#` would be lost otherwise, and its line with it.
    pub(crate) fn detect(&mut self, first: &[u8]) -> Separator {
        let separator = Separator::detect(first);
        let word = separator.fields(first).next().is_some_and(|field| number(field).is_none());
        if let (true, Separator::Byte(separator)) = (word, separator) {
            let mut look = self.clone();
            look.next();
            let columns = Words::columns(separator, first);
            self.words = Some(Words { start: look.start, separator, columns });
        }
        separator
    }

    /// The lines with their numbers, without blanks around them.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let mut start = 0;
        (1..).zip(self.bytes.split(|&byte| byte == b'\n')).filter_map(move |(number, line)| {
            let skipped = self.skips(start, line);
            start += line.len() + 1;
            (!skipped).then(|| (number, line.trim_ascii()))
        })
    }

    /// Whether a line that begins at this place holds nothing, or a comment.
    #[inline]
    pub(crate) fn skips(&self, start: usize, line: &[u8]) -> bool {
        match line.trim_ascii_start().first() {
            None => true,
            Some(b'#' | b'%') => self.words.is_none_or(|words| {
                start < words.start || Words::columns(words.separator, line) != words.columns
            }),
            Some(_) => false,
        }
    }

    pub(crate) fn path(&self) -> &'a Path {
        self.path
    }

    /// All bytes, without the mark of their order.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Bytes after the last line that was given.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.next..]
    }

    /// The number of the last line that was given, from one.
    pub(crate) fn number(&self) -> usize {
        self.passed.max(1)
    }

    /// The error that the last line is not as expected.
    #[cold]
    pub(crate) fn error(&self, expected: impl Into<String>, found: impl Into<String>) -> Error {
        Error::at_line(self.path, self.number(), expected, found)
    }

    /// The error that the file has no line with data.
    #[cold]
    pub(crate) fn empty(&self, expected: &str) -> Error {
        let found = match self.bytes.trim_ascii() {
            [] => "an empty file",
            _ => "none",
        };
        Error::in_file(self.path, expected, found)
    }

    /// The number of the line that comes after `skipped` others from here.
    pub(crate) fn number_after(&self, skipped: usize) -> usize {
        let mut lines = self.clone();
        lines.nth(skipped);
        lines.number()
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            (self.start, self.passed) = (self.next, self.passed + 1);
            self.next = (self.next + length + 1).min(self.bytes.len());
            let line = rest[..length].trim_ascii_end();
            if !self.skips(self.start, line) {
                return Some(line);
            }
        }
    }
}

/// The first line, or as many as a field between quotation marks makes one record of.
fn first_record<'a>(line: &'a [u8], from: &'a [u8]) -> &'a [u8] {
    let open = |text: &[u8]| memchr::memchr_iter(b'"', text).count() % 2 == 1;
    if !line.trim_ascii_start().starts_with(b"\"") || !open(line) {
        return line;
    }
    let mut ends = memchr::memchr_iter(b'\n', from).skip(1).take(16);
    let end = ends.find(|&end| !open(&from[..end])).unwrap_or(line.len());
    from[..end].trim_ascii_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_comments_and_marks_are_skipped() {
        let text = "\u{feff}# first\r\n\n a b \r\n\t\n  % second\n\tc#\n";
        let mut lines = Lines::new(Path::new("a"), text.as_bytes());
        let start = lines.clone();
        assert_eq!((lines.next(), lines.number()), (Some(&b" a b"[..]), 3));
        assert_eq!((lines.next(), lines.number()), (Some(&b"\tc#"[..]), 6));
        assert_eq!((lines.next(), lines.rest()), (None, &b""[..]));
        assert_eq!((start.number_after(0), start.number_after(1)), (3, 6));
    }

    #[test]
    fn names_may_begin_like_comments_below_a_header() {
        let lines = |text: &'static str| {
            let (lines, _) = Lines::fields(Path::new("a"), text.as_bytes());
            lines.map(|line| str::from_utf8(line).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(lines("# x,y\na,b\n#c,\"d,e\"\n# z\n%e,f\n"), ["a,b", "#c,\"d,e\"", "%e,f"]);
        assert_eq!(lines(",a\n#c,1\n"), [",a", "#c,1"]);
        assert_eq!(lines("5\" x,b\n#c,\"\"\"d\"\", e\"\n"), ["5\" x,b", "#c,\"\"\"d\"\", e\""]);
        assert_eq!(lines("1,b\n#c,d\n"), ["1,b"]);
        assert_eq!(lines("a b\n#c d\n"), ["a b"]);
    }

    #[test]
    fn a_file_without_data_is_said_to_be_empty_only_if_it_is() {
        let message = |text: &str| Lines::new(Path::new("a"), text.as_bytes()).empty("x");
        assert_eq!(message(" \n").to_string(), "a: expected x, found an empty file");
        assert_eq!(message("# \n").to_string(), "a: expected x, found none");
    }
}
