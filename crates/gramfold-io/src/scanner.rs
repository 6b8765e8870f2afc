//! Tokens of a text file, straight from its bytes.
//!
//! The lines of the tokens are not counted on the way: an error counts them once, from the start.

use std::{marker::PhantomData, path::Path};

use crate::{Error, lines::BYTE_ORDER_MARK, quoted::quoted};

/// What the bytes of a format mean.
pub(crate) trait Syntax: Clone {
    /// Whether a line that begins with this byte is a comment.
    fn is_comment(byte: u8) -> bool;

    /// Whether the byte may stand between the tokens of a line; the carriage return of a CRLF does.
    fn separates(byte: u8) -> bool;

    /// Whether a number may end before this byte, which is within the line.
    fn ends_number(byte: u8) -> bool;
}

/// A position in a text file.
#[derive(Clone)]
pub(crate) struct Scanner<'a, S> {
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
    syntax: PhantomData<S>,
}

impl<'a, S: Syntax> Scanner<'a, S> {
    pub(crate) fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        Self { path, bytes, at: 0, syntax: PhantomData }
    }

    pub(crate) fn path(&self) -> &'a Path {
        self.path
    }

    /// Bytes not yet scanned.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The next byte.
    #[inline]
    pub(crate) fn first(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Past so many bytes.
    #[inline]
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// The line of the position, from one; at the end of the file its last line that is not blank.
    pub(crate) fn line(&self) -> usize {
        let before = match self.rest() {
            [] => self.bytes.trim_ascii_end(),
            _ => &self.bytes[..self.at],
        };
        1 + memchr::memchr_iter(b'\n', before).count()
    }

    /// From the start of a line to the next token outside comments; false at the end of the file.
    #[inline]
    pub(crate) fn next_line(&mut self) -> bool {
        while let Some(byte) = self.first() {
            match byte {
                _ if S::is_comment(byte) => self.skip_line(),
                _ if byte == b'\n' || S::separates(byte) => self.at += 1,
                _ => return true,
            }
        }
        false
    }

    /// To the start of the next line.
    pub(crate) fn skip_line(&mut self) {
        self.at = memchr::memchr(b'\n', self.rest())
            .map_or(self.bytes.len(), |length| self.at + length + 1);
    }

    /// The line that holds something after so many others that do, from the start of a line.
    pub(crate) fn line_after(&self, lines: usize) -> usize {
        let mut ahead = self.clone();
        for _ in 0..lines {
            ahead.next_line();
            ahead.skip_line();
        }
        ahead.next_line();
        ahead.line()
    }

    /// To the next token of the line, or its end.
    #[inline]
    pub(crate) fn skip_separators(&mut self) {
        while self.first().is_some_and(S::separates) {
            self.at += 1;
        }
    }

    /// The digits here as a whole number.
    #[inline]
    pub(crate) fn digits(&mut self) -> Option<u64> {
        let (length, value) = match few_digits(self.rest()) {
            Some((0, _)) => return None,
            Some(found) => found,
            None => many_digits(self.rest())?,
        };
        self.ends_number(self.at + length).then(|| self.at += length)?;
        Some(value)
    }

    /// The next token of the line as a finite number in decimal or scientific notation.
    #[inline]
    pub(crate) fn decimal(&mut self) -> Option<f64> {
        self.skip_separators();
        match fast_float2::parse_partial::<f64, _>(self.rest()) {
            Ok((value, length)) if value.is_finite() && self.ends_number(self.at + length) => {
                self.at += length;
                Some(value)
            }
            _ => None,
        }
    }

    /// The error that something else than `expected` comes next on the line.
    #[cold]
    pub(crate) fn unexpected(&self, expected: &str) -> Error {
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

    /// The token here, empty at the end of the line.
    pub(crate) fn peek(&self) -> &'a [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|&b| b == b'\n' || S::separates(b)).unwrap_or(rest.len());
        &rest[..end]
    }

    #[inline]
    fn ends_number(&self, at: usize) -> bool {
        self.bytes.get(at).is_none_or(|&byte| byte == b'\n' || S::ends_number(byte))
    }
}

/// How many digits come first, and their number, all at once; none where there are eight or more, or the end is near.
#[inline]
fn few_digits(bytes: &[u8]) -> Option<(usize, u64)> {
    let digits = u64::from_le_bytes(*bytes.first_chunk()?) ^ 0x3030_3030_3030_3030;
    // The high bit of each byte above nine, and maybe of some after the first of them.
    let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    if others == 0 {
        return None;
    }
    let length = others.trailing_zeros() / 8;
    // Zeros before them make eight; of two neighbours, pairs and fours the first counts ten, a hundred and ten thousand times.
    let digits = digits.unbounded_shl(64 - 8 * length);
    let pairs = (digits & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(10 * 0x100 + 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 * 0x1_0000 + 1) >> 16;
    let all = (fours & 0xffff_0000_ffff).wrapping_mul(10_000 * 0x1_0000_0000 + 1) >> 32;
    Some((length as usize, all))
}

/// The same one by one; none where there are none, or too many.
#[cold]
fn many_digits(bytes: &[u8]) -> Option<(usize, u64)> {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let add = |value: u64, byte: &u8| value.checked_mul(10)?.checked_add((byte - b'0').into());
    let value = bytes[..length].iter().try_fold(0, add)?;
    (length > 0).then_some((length, value))
}

/// The first of so many entries whose place an earlier one has taken, after that earlier one.
pub(crate) fn repeated<P: Ord>(count: usize, place: impl Fn(usize) -> P) -> Option<(usize, usize)> {
    let mut places: Vec<(P, usize)> = (0..count).map(|k| (place(k), k)).collect();
    places.sort_unstable();
    let same = places.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    same.map(|pair| (pair[0].1, pair[1].1)).min_by_key(|&(_, second)| second)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn digits_are_those_that_the_library_reads(text in "[0-9]{0,22}[ -~\u{80}-\u{ff}]{0,9}") {
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            let expected = digits.parse().ok().map(|value: u64| (digits.len(), value));
            let bytes = text.as_bytes();
            prop_assert_eq!(many_digits(bytes), expected);
            match few_digits(bytes) {
                Some(found) => prop_assert_eq!(found, expected.unwrap_or((0, 0))),
                None => prop_assert!(digits.len() >= 8 || bytes.len() < 8),
            }
        }
    }

    #[test]
    fn no_byte_but_a_digit_is_one() {
        for byte in 0..=u8::MAX {
            for length in 0..8 {
                let mut text = *b"12345678";
                text[length] = byte;
                let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let found = few_digits(&text).map(|(length, _)| length);
                assert_eq!(found, (digits < 8).then_some(digits), "{text:?}");
            }
        }
    }
}
