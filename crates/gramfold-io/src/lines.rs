//! The lines of a text file that hold data.

use std::path::Path;

use crate::Error;

/// What some programs put before UTF-8 text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Goes through the lines that are neither blank nor comments, which begin with `#` or `%`.
///
/// Lines come without blanks at their end. They are not counted on the way: an error counts them
/// once, from the start.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    /// Where the last line begins that was given.
    start: usize,
    /// Where the line after it begins.
    next: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        Self { path, bytes, start: 0, next: 0 }
    }

    pub(crate) fn path(&self) -> &'a Path {
        self.path
    }

    /// Bytes after the last line that was given.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.next..]
    }

    /// The last line that was given, and all after it.
    pub(crate) fn last_and_rest(&self) -> &'a [u8] {
        &self.bytes[self.start..]
    }

    /// The number of the last line that was given, from one.
    pub(crate) fn number(&self) -> usize {
        1 + memchr::memchr_iter(b'\n', &self.bytes[..self.start]).count()
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
            self.start = self.next;
            self.next = (self.next + length + 1).min(self.bytes.len());
            let line = rest[..length].trim_ascii_end();
            if !matches!(line.trim_ascii_start().first(), None | Some(b'#' | b'%')) {
                return Some(line);
            }
        }
    }
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
    fn a_file_without_data_is_said_to_be_empty_only_if_it_is() {
        let message = |text: &str| Lines::new(Path::new("a"), text.as_bytes()).empty("x");
        assert_eq!(message(" \n").to_string(), "a: expected x, found an empty file");
        assert_eq!(message("# \n").to_string(), "a: expected x, found none");
    }
}
