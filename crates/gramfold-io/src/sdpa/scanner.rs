//! Numbers of an SDPA file.
//!
//! Blanks, commas, braces and parentheses separate numbers and mean nothing else. A line that begins with `"` or
//! `*` is a comment or a title.

use crate::{
    Error,
    scanner::{self, Syntax},
};

/// A position in an SDPA file.
pub(super) type Scanner<'a> = scanner::Scanner<'a, SdpaSyntax>;

/// What the bytes of an SDPA file mean.
#[derive(Clone)]
pub(super) enum SdpaSyntax {}

impl Syntax for SdpaSyntax {
    #[inline]
    fn is_comment(byte: u8) -> bool {
        matches!(byte, b'"' | b'*')
    }

    #[inline]
    fn separates(byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c | b',' | b'(' | b')' | b'{' | b'}')
    }

    /// `3=mDIM` begins with a number, `3x` and `3.5.1` do not.
    #[inline]
    fn ends_number(byte: u8) -> bool {
        let part = byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-' | b'_');
        !part && byte.is_ascii()
    }
}

impl Scanner<'_> {
    /// To the next number, on this line or a later one; false at the end of the file.
    pub(super) fn next_number(&mut self) -> bool {
        self.skip_separators();
        match self.first() {
            None => false,
            Some(b'\n') => {
                self.advance(1);
                self.next_line()
            }
            Some(_) => true,
        }
    }

    /// Past the end of the line, on which text may be left but no number.
    #[inline]
    pub(super) fn end_line(&mut self, expected: &str) -> Result<(), Error> {
        self.skip_separators();
        match self.first() {
            None => {}
            Some(b'\n') => self.advance(1),
            Some(b'0'..=b'9' | b'+' | b'-' | b'.') => return Err(self.unexpected(expected)),
            Some(_) => self.skip_line(),
        }
        Ok(())
    }

    /// The next token of the line as a whole number without sign, or with a plus.
    #[inline]
    pub(super) fn integer(&mut self) -> Option<u64> {
        self.skip_separators();
        let plus = self.first() == Some(b'+');
        let mut ahead = self.clone();
        ahead.advance(usize::from(plus));
        let value = ahead.digits()?;
        *self = ahead;
        Some(value)
    }

    /// The next token of the line as a whole number with or without sign.
    pub(super) fn signed(&mut self) -> Option<i64> {
        self.skip_separators();
        let negative = self.first() == Some(b'-');
        let mut ahead = self.clone();
        ahead.advance(usize::from(negative));
        if negative && !ahead.first().is_some_and(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let value = i64::try_from(ahead.integer()?).ok()?;
        *self = ahead;
        Some(if negative { -value } else { value })
    }

    /// The next token of the line as a finite number.
    #[inline]
    pub(super) fn value(&mut self) -> Option<f64> {
        self.decimal().or_else(|| self.fortran_value())
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
        self.advance(token.len());
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

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
