//! The fields of a line: what is between tabs, semicolons, commas or blanks.

use crate::quoted::quoted;

/// What separates the fields of every line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// Any number of blanks.
    Blanks,
    /// One such byte, with or without blanks around it.
    Byte(u8),
    /// Nothing: the line is one field.
    Line,
}

impl Separator {
    /// What separates the fields of a line: a tab if there is one, else a semicolon, else a comma,
    /// else blanks.
    ///
    /// A comma comes last since it may be within numbers; `1 2 0,5` is three fields, of which the
    /// last is to be refused, not the two fields `1 2 0` and `5`.
    pub(crate) fn detect(line: &[u8]) -> Self {
        let line = line.trim_ascii();
        let mut words = Self::Blanks.fields(line);
        if words.by_ref().take(2).filter_map(integer).count() == 2 && words.count() == 1 {
            let tabs = memchr::memchr_iter(b'\t', line).count();
            return if tabs == 2 { Self::Byte(b'\t') } else { Self::Blanks };
        }
        let outside: Vec<u8> = line.split(|&b| b == b'"').step_by(2).flatten().copied().collect();
        for text in [&outside[..], line] {
            if let Some(&byte) = b"\t;,".iter().find(|byte| text.contains(byte)) {
                return Self::Byte(byte);
            }
        }
        Self::Blanks
    }

    /// The fields of a line, without the blanks and the quotation marks around them.
    ///
    /// A field that is not closed by the mark that opens it comes with that mark: see
    /// [`is_misquoted`].
    #[inline]
    pub(crate) fn fields(self, line: &[u8]) -> Fields<'_> {
        Fields { separator: self, rest: Some(line) }
    }

    /// Where the field ends with which the text begins.
    #[inline]
    fn end(self, text: &[u8]) -> usize {
        let end = match self {
            Self::Blanks => text.iter().position(u8::is_ascii_whitespace),
            Self::Byte(separator) => text.iter().position(|&b| b == separator),
            Self::Line => None,
        };
        end.unwrap_or(text.len())
    }
}

/// Goes through the fields of a line.
#[derive(Clone)]
pub(crate) struct Fields<'a> {
    separator: Separator,
    rest: Option<&'a [u8]>,
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.take()?;
        let start = match self.separator {
            Separator::Byte(b'\t') => {
                rest.iter().position(|&b| b == b'\t' || !b.is_ascii_whitespace())
            }
            _ => rest.iter().position(|b| !b.is_ascii_whitespace()),
        };
        let text = &rest[start.unwrap_or(rest.len())..];
        if text.is_empty() && self.separator == Separator::Blanks {
            return None;
        }
        if let [b'"', inside @ ..] = text
            && let Some(length) = memchr::memchr(b'"', inside)
        {
            let after = &inside[length + 1..];
            let end = self.separator.end(after);
            if after[..end].trim_ascii().is_empty() {
                self.rest = after.get(end + 1..);
                return Some(&inside[..length]);
            }
        }
        let end = self.separator.end(text);
        self.rest = text.get(end + 1..);
        Some(text[..end].trim_ascii_end())
    }
}

/// Whether the field begins with a quotation mark that nothing closes, or something follows it.
pub(crate) fn is_misquoted(field: &[u8]) -> bool {
    field.first() == Some(&b'"')
}

/// The field as a whole number without sign, below 2⁶⁴.
#[inline]
pub(crate) fn integer(field: &[u8]) -> Option<u64> {
    let digit = |value: u64, byte: &u8| {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 { value.checked_mul(10)?.checked_add(digit.into()) } else { None }
    };
    if field.is_empty() { None } else { field.iter().try_fold(0, digit) }
}

/// The field as a number, which may be infinite or not a number at all.
#[inline]
pub(crate) fn number(field: &[u8]) -> Option<f64> {
    fast_float2::parse(field).ok()
}

/// Whether a field says that nothing is known.
pub(crate) fn is_hole(field: &[u8]) -> bool {
    const HOLES: [&str; 7] = ["na", "nan", "n/a", "null", "none", "?", "-nan"];
    field.is_empty() || HOLES.iter().any(|hole| field.eq_ignore_ascii_case(hole.as_bytes()))
}

/// How a message shows a field.
pub(crate) fn shown(field: Option<&[u8]>) -> String {
    match field {
        None => "the end of the line".to_owned(),
        Some([]) => "an empty field".to_owned(),
        Some(field) => quoted(field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<&str> {
        let fields = Separator::detect(line.as_bytes()).fields(line.as_bytes());
        fields.map(|field| str::from_utf8(field).unwrap()).collect()
    }

    #[test]
    fn the_separator_is_seen_from_the_line() {
        assert_eq!(split("1 2"), ["1", "2"]);
        assert_eq!(split("  1 \t 2"), ["1", "2"]);
        assert_eq!(split(" a\t b c \td"), ["a", "b c", "d"]);
        assert_eq!(split("1, 2 ,3"), ["1", "2", "3"]);
        assert_eq!(split("1;2;0,5"), ["1", "2", "0,5"]);
        assert_eq!(split("1 2 0,5"), ["1", "2", "0,5"]);
        assert_eq!(split("1\t2\t0,5"), ["1", "2", "0,5"]);
        assert_eq!(split("1 2\t0.5"), ["1", "2", "0.5"]);
        assert_eq!(split(",a,,b,"), ["", "a", "", "b", ""]);
        assert_eq!(split("\ta\t\tb"), ["", "a", "", "b"]);
        assert_eq!(split("word"), ["word"]);
    }

    #[test]
    fn quotation_marks_hold_separators_and_blanks() {
        assert_eq!(split("\"a, b\" ,\" c\""), ["a, b", " c"]);
        assert_eq!(split("\"a b\" \"\" c"), ["a b", "", "c"]);
        assert_eq!(split("\"a\tb\",1"), ["a\tb", "1"]);
        assert_eq!(split("5\" pipe\t3"), ["5\" pipe", "3"]);
        for (line, first) in
            [("\"a,b", "\"a"), ("\"a\"b,c", "\"a\"b"), ("\"a\"\"b\",c", "\"a\"\"b\"")]
        {
            assert_eq!(split(line)[0], first);
            assert!(is_misquoted(split(line)[0].as_bytes()));
        }
    }

    #[test]
    fn whole_numbers_have_digits_only() {
        assert_eq!(integer(b"007"), Some(7));
        assert_eq!(integer(b"18446744073709551615"), Some(u64::MAX));
        for field in ["", "-1", "+1", "1.0", "18446744073709551616", "1 2"] {
            assert_eq!(integer(field.as_bytes()), None, "{field}");
        }
    }
}
