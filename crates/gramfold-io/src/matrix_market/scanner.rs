//! Tokens of a Matrix Market file.

use crate::{
    Error,
    scanner::{self, Syntax},
};

/// A position in a Matrix Market file.
pub(super) type Scanner<'a> = scanner::Scanner<'a, MatrixMarketSyntax>;

/// Blanks separate tokens, `%` begins a comment.
#[derive(Clone)]
pub(super) enum MatrixMarketSyntax {}

impl Syntax for MatrixMarketSyntax {
    #[inline]
    fn is_comment(byte: u8) -> bool {
        byte == b'%'
    }

    #[inline]
    fn separates(byte: u8) -> bool {
        matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
    }

    #[inline]
    fn ends_number(byte: u8) -> bool {
        Self::separates(byte)
    }
}

impl<'a> Scanner<'a> {
    /// To the next line that is not empty, comment or not; false at the end of the file.
    pub(super) fn next_raw_line(&mut self) -> bool {
        let blank = |&&byte: &&u8| byte == b'\n' || MatrixMarketSyntax::separates(byte);
        self.advance(self.rest().iter().take_while(blank).count());
        !self.rest().is_empty()
    }

    /// Past the end of the line, on which nothing may be left.
    #[inline]
    pub(super) fn end_line(&mut self) -> Result<(), Error> {
        self.skip_separators();
        match self.first() {
            None => {}
            Some(b'\n') => self.advance(1),
            Some(_) => return Err(self.unexpected("the end of the line")),
        }
        Ok(())
    }

    /// The next token of the line, empty at its end.
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip_separators();
        let word = self.peek();
        self.advance(word.len());
        word
    }

    /// The next token of the line as a whole number without sign.
    #[inline]
    pub(super) fn integer(&mut self, expected: &str) -> Result<u64, Error> {
        self.skip_separators();
        self.digits().ok_or_else(|| self.unexpected(expected))
    }

    /// The next token of the line as a finite number.
    #[inline]
    pub(super) fn value(&mut self) -> Result<f64, Error> {
        self.decimal().ok_or_else(|| self.unexpected("a finite number"))
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
