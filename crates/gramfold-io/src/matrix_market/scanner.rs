//! Tokens of a text file, straight from its bytes.
//!
//! The lines of the tokens are not counted on the way: an error counts them once, from the start.

use std::path::Path;

use crate::{Error, quoted::quoted};

/// A position in a text file.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Self { path, bytes, at: 0 }
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// Bytes not yet scanned.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The line of the position, from one; at the end of the file its last line with a token.
    pub(super) fn line(&self) -> usize {
        let before = match self.rest() {
            [] => self.bytes.trim_ascii_end(),
            _ => &self.bytes[..self.at],
        };
        1 + memchr::memchr_iter(b'\n', before).count()
    }

    /// From the start of a line to the next token outside comments; false at the end of the file.
    #[inline]
    pub(super) fn next_line(&mut self) -> bool {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'%' => self.skip_line(),
                b'\n' => self.at += 1,
                _ if is_blank(byte) => self.at += 1,
                _ => return true,
            }
        }
        false
    }

    /// To the next line that is not empty, comment or not; false at the end of the file.
    pub(super) fn next_raw_line(&mut self) -> bool {
        self.at += self.rest().iter().take_while(|&&b| b == b'\n' || is_blank(b)).count();
        !self.rest().is_empty()
    }

    /// To the start of the next line.
    pub(super) fn skip_line(&mut self) {
        self.at = memchr::memchr(b'\n', self.rest())
            .map_or(self.bytes.len(), |length| self.at + length + 1);
    }

    /// Past the end of the line, on which nothing may be left.
    #[inline]
    pub(super) fn end_line(&mut self) -> Result<(), Error> {
        self.skip_blanks();
        match self.bytes.get(self.at) {
            None => Ok(()),
            Some(b'\n') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.unexpected("the end of the line")),
        }
    }

    /// The next token of the line, empty at its end.
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        let word = self.peek();
        self.at += word.len();
        word
    }

    /// The next token of the line as a whole number without sign.
    #[inline]
    pub(super) fn integer(&mut self, expected: &str) -> Result<u64, Error> {
        self.skip_blanks();
        let mut end = self.at;
        let mut value = Some(0_u64);
        while let Some(digit) = self.bytes.get(end).map(|byte| byte.wrapping_sub(b'0'))
            && digit < 10
        {
            value = value.and_then(|v| v.checked_mul(10)?.checked_add(digit.into()));
            end += 1;
        }
        match value {
            Some(value) if end > self.at && self.ends_token(end) => {
                self.at = end;
                Ok(value)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// The next token of the line as a finite number.
    #[inline]
    pub(super) fn value(&mut self) -> Result<f64, Error> {
        self.skip_blanks();
        match fast_float2::parse_partial::<f64, _>(self.rest()) {
            Ok((value, length)) if value.is_finite() && self.ends_token(self.at + length) => {
                self.at += length;
                Ok(value)
            }
            _ => Err(self.unexpected("a finite number")),
        }
    }

    /// The error that something else than `expected` comes next on the line.
    #[cold]
    pub(super) fn unexpected(&self, expected: &str) -> Error {
        let mut at = self.clone();
        at.skip_blanks();
        Error::at_line(self.path, at.line(), expected, at.found())
    }

    /// How a message shows the next token.
    fn found(&self) -> String {
        match self.peek() {
            _ if self.bytes.trim_ascii().is_empty() => "an empty file".to_owned(),
            [] if self.rest().is_empty() => "the end of the file".to_owned(),
            [] => "the end of the line".to_owned(),
            token => quoted(token),
        }
    }

    fn peek(&self) -> &'a [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|&b| b == b'\n' || is_blank(b)).unwrap_or(rest.len());
        &rest[..end]
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            self.at += 1;
        }
    }

    #[inline]
    fn ends_token(&self, at: usize) -> bool {
        self.bytes.get(at).is_none_or(|&byte| byte == b'\n' || is_blank(byte))
    }
}

/// White space within a line; the carriage return of a CRLF is one.
#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanner(text: &str) -> Scanner<'_> {
        Scanner::new(Path::new("a"), text.as_bytes())
    }

    #[test]
    fn blank_lines_comments_and_carriage_returns_are_skipped() {
        let mut s = scanner("\r\n  % comment\n\t\n 12\t-3.5e1 \r\n%\n\n+7 word");
        assert!(s.next_line());
        assert_eq!(s.integer("").unwrap(), 12);
        assert_eq!(s.value().unwrap(), -35.0);
        s.end_line().unwrap();
        assert!(s.next_line());
        assert_eq!((s.line(), s.value().unwrap()), (7, 7.0));
        assert_eq!((s.word(), s.word()), (&b"word"[..], &b""[..]));
        s.end_line().unwrap();
        assert!(!s.next_line());
    }

    #[test]
    fn a_faulty_token_is_shown_with_its_line() {
        let message = |text, read: fn(&mut Scanner) -> Error| read(&mut scanner(text)).to_string();
        let number = |s: &mut Scanner| s.value().unwrap_err();
        let index = |s: &mut Scanner| s.integer("a row").unwrap_err();
        assert_eq!(
            message("\n 1.5x", number),
            "a:1: expected a finite number, found the end of the line"
        );
        assert_eq!(message("1.5x 2", number), "a:1: expected a finite number, found `1.5x`");
        assert_eq!(message("1e999", number), "a:1: expected a finite number, found `1e999`");
        assert_eq!(message("-1 2", index), "a:1: expected a row, found `-1`");
        assert_eq!(
            message("18446744073709551616", index),
            "a:1: expected a row, found `18446744073709551616`"
        );
        assert_eq!(message("  ", index), "a:1: expected a row, found an empty file");
    }
}
