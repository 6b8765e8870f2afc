//! Numbers of an SDPA file, straight from its bytes.
//!
//! Blanks, commas, braces and parentheses separate numbers and mean nothing else. A line that begins with `"` or
//! `*` is a comment or a title. Lines are not counted on the way: an error counts them once, from the start.

use std::path::Path;

use crate::{Error, quoted::quoted};

/// What some programs put before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A position in an SDPA file.
#[derive(Clone)]
pub(super) struct Scanner<'a> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Self { path, bytes: bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes), at: 0 }
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// Bytes not yet scanned.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The line of the position, from one; at the end of the file its last line that is not blank.
    pub(super) fn line(&self) -> usize {
        let before = match self.rest() {
            [] => self.bytes.trim_ascii_end(),
            _ => &self.bytes[..self.at],
        };
        1 + memchr::memchr_iter(b'\n', before).count()
    }

    /// From the start of a line to the next one that holds something; false at the end of the file.
    #[inline]
    pub(super) fn next_line(&mut self) -> bool {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' | b'*' => self.skip_line(),
                b'\n' => self.at += 1,
                _ if separates(byte) => self.at += 1,
                _ => return true,
            }
        }
        false
    }

    /// To the next number, on this line or a later one; false at the end of the file.
    pub(super) fn next_number(&mut self) -> bool {
        self.skip_separators();
        match self.bytes.get(self.at) {
            None => false,
            Some(b'\n') => {
                self.at += 1;
                self.next_line()
            }
            Some(_) => true,
        }
    }

    /// To the start of the next line.
    pub(super) fn skip_line(&mut self) {
        self.at = memchr::memchr(b'\n', self.rest())
            .map_or(self.bytes.len(), |length| self.at + length + 1);
    }

    /// Past the end of the line, on which text may be left but no number.
    #[inline]
    pub(super) fn end_line(&mut self, expected: &str) -> Result<(), Error> {
        self.skip_separators();
        match self.bytes.get(self.at) {
            None => return Ok(()),
            Some(b'\n') => {
                self.at += 1;
                return Ok(());
            }
            Some(b'0'..=b'9' | b'+' | b'-' | b'.') => return Err(self.unexpected(expected)),
            Some(_) => self.skip_line(),
        }
        Ok(())
    }

    /// The next token of the line as a whole number without sign, or with a plus.
    #[inline]
    pub(super) fn integer(&mut self) -> Option<u64> {
        self.skip_separators();
        let start = self.at + usize::from(self.bytes.get(self.at) == Some(&b'+'));
        let mut end = start;
        let mut value = Some(0_u64);
        while let Some(digit) = self.bytes.get(end).map(|byte| byte.wrapping_sub(b'0'))
            && digit < 10
        {
            value = value.and_then(|v| v.checked_mul(10)?.checked_add(digit.into()));
            end += 1;
        }
        let value = value.filter(|_| end > start && self.ends_token(end))?;
        self.at = end;
        Some(value)
    }

    /// The next token of the line as a whole number with or without sign.
    pub(super) fn signed(&mut self) -> Option<i64> {
        self.skip_separators();
        let negative = self.bytes.get(self.at) == Some(&b'-');
        let mut ahead = self.clone();
        ahead.at += usize::from(negative);
        if negative && !ahead.rest().first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let value = i64::try_from(ahead.integer()?).ok()?;
        self.at = ahead.at;
        Some(if negative { -value } else { value })
    }

    /// The next token of the line as a finite number.
    #[inline]
    pub(super) fn value(&mut self) -> Option<f64> {
        self.skip_separators();
        match fast_float2::parse_partial::<f64, _>(self.rest()) {
            Ok((value, length)) if value.is_finite() && self.ends_token(self.at + length) => {
                self.at += length;
                Some(value)
            }
            _ => self.fortran_value(),
        }
    }

    /// The next token as Fortran writes it, `1.5D+00`.
    #[cold]
    fn fortran_value(&mut self) -> Option<f64> {
        let token = self.peek();
        let exponent = token.iter().position(|byte| matches!(byte, b'd' | b'D'))?;
        if token.len() > 64 {
            return None;
        }
        let mut rewritten = token.to_vec();
        rewritten[exponent] = b'e';
        let value =
            fast_float2::parse::<f64, _>(rewritten).ok().filter(|value| value.is_finite())?;
        self.at += token.len();
        Some(value)
    }

    /// The error that something else than `expected` comes next.
    #[cold]
    pub(super) fn unexpected(&self, expected: &str) -> Error {
        let mut at = self.clone();
        at.skip_separators();
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
        let end = rest.iter().position(|&b| b == b'\n' || separates(b)).unwrap_or(rest.len());
        &rest[..end]
    }

    #[inline]
    fn skip_separators(&mut self) {
        while self.bytes.get(self.at).is_some_and(|&byte| separates(byte)) {
            self.at += 1;
        }
    }

    /// Whether a number may end before this byte: `3=mDIM` begins with one, `3x` and `3.5.1` do not.
    #[inline]
    fn ends_token(&self, at: usize) -> bool {
        let part =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-' | b'_');
        self.bytes.get(at).is_none_or(|&byte| !part(byte) && byte.is_ascii())
    }
}

/// What may stand between the numbers of a line; the carriage return of a CRLF is one.
#[inline]
fn separates(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c | b',' | b'(' | b')' | b'{' | b'}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanner(text: &str) -> Scanner<'_> {
        Scanner::new(Path::new("a"), text.as_bytes())
    }

    #[test]
    fn separators_comments_and_signs_are_understood() {
        let mut s = scanner("\u{feff}\" title 7\r\n* 8\n\n {+3=m, -2} (1.5D+01)\r\n+4.e0,x");
        assert!(s.next_line());
        assert_eq!((s.line(), s.integer()), (4, Some(3)));
        s.end_line("x").unwrap();
        let mut s = scanner("{+3, -2}, (1.5D+01)\r\n*\n+4.e0,x");
        assert_eq!((s.integer(), s.signed(), s.value()), (Some(3), Some(-2), Some(15.0)));
        assert!(s.next_number());
        assert_eq!((s.line(), s.value(), s.value()), (3, Some(4.0), None));
        s.end_line("x").unwrap();
        assert!(!s.next_line() && !s.next_number());
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "-1", "1.0", "3x", "18446744073709551616", "+", "+-3", "3é"] {
            assert_eq!(scanner(text).integer(), None, "{text}");
        }
        for text in ["--3", "-+3", "-", "9223372036854775808", "-2.5", "a"] {
            assert_eq!(scanner(text).signed(), None, "{text}");
        }
        for text in
            ["nan", "-inf", "1e400", "1..2", "D", "1D", "1D+", "1d1d1", "0x3", "1e5e", "--1"]
        {
            assert_eq!(scanner(text).value(), None, "{text}");
        }
    }
}
