//! The records of a text file: lines with fields, quoted or not.

use std::path::Path;

use crate::{
    Error,
    delimited::{Rows, has_decimal_comma},
    fields::{Fields, Separator},
    lines::Lines,
};

/// A text file, split only as far as it has to be before its records are asked for.
pub(crate) enum Text<'a> {
    /// Lines that are split as they come.
    Plain(Lines<'a>, Separator),
    /// Records with quotation marks or decimal commas, split already.
    Quoted(&'a Path, Rows),
}

impl<'a> Text<'a> {
    /// Takes what separates the fields of the first line for that of all.
    pub(crate) fn new(path: &'a Path, bytes: &'a [u8]) -> Result<Self, Error> {
        let (lines, separator) = Lines::fields(path, bytes);
        match separator {
            Separator::Byte(byte)
                if memchr::memchr(b'"', bytes).is_some()
                    || (byte != b',' && has_decimal_comma(bytes)) =>
            {
                Ok(Self::Quoted(path, Rows::read(&lines, byte)?))
            }
            _ => Ok(Self::Plain(lines, separator)),
        }
    }

    /// The records from the first on.
    pub(crate) fn records(&self) -> Records<'_> {
        match self {
            Self::Plain(lines, separator) => Records::Plain(lines.clone(), *separator),
            Self::Quoted(path, rows) => Records::Quoted { path, rows, next: 0 },
        }
    }
}

/// A place among the records of a file.
#[derive(Clone)]
pub(crate) enum Records<'a> {
    Plain(Lines<'a>, Separator),
    Quoted { path: &'a Path, rows: &'a Rows, next: usize },
}

/// One record.
#[derive(Clone)]
pub(crate) enum Record<'a> {
    Plain(Fields<'a>),
    Quoted { rows: &'a Rows, fields: std::ops::Range<usize> },
}

impl<'a> Iterator for Record<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        match self {
            Self::Plain(fields) => fields.next(),
            Self::Quoted { rows, fields } => fields.next().map(|place| rows.field(place)),
        }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        match self {
            Self::Plain(lines, separator) => {
                lines.next().map(|line| Record::Plain(separator.fields(line)))
            }
            Self::Quoted { rows, next, .. } => {
                let fields = (*next < rows.len()).then(|| rows.fields(*next))?;
                *next += 1;
                Some(Record::Quoted { rows, fields })
            }
        }
    }
}

impl<'a> Records<'a> {
    pub(crate) fn path(&self) -> &'a Path {
        match self {
            Self::Plain(lines, _) => lines.path(),
            Self::Quoted { path, .. } => path,
        }
    }

    /// Whether a mark at the beginning of a field is still there because nothing closes it.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(..))
    }

    /// The most records that there can be from here, if each takes so many bytes.
    pub(crate) fn most(&self, least: usize) -> usize {
        match self {
            Self::Plain(lines, _) => lines.rest().len() / least,
            Self::Quoted { rows, next, .. } => rows.len() - next,
        }
    }

    /// The line of the last record that was given.
    pub(crate) fn number(&self) -> usize {
        match self {
            Self::Plain(lines, _) => lines.number(),
            Self::Quoted { rows, next, .. } => rows.line(next.saturating_sub(1)),
        }
    }

    /// The line of the record that comes after `skipped` others from here.
    pub(crate) fn number_after(&self, skipped: usize) -> usize {
        match self {
            Self::Plain(lines, _) => lines.number_after(skipped),
            Self::Quoted { rows, next, .. } => rows.line(next + skipped),
        }
    }

    /// The error that the last record is not as expected.
    #[cold]
    pub(crate) fn error(&self, expected: impl Into<String>, found: impl Into<String>) -> Error {
        Error::at_line(self.path(), self.number(), expected, found)
    }

    /// The error that the file has no record.
    #[cold]
    pub(crate) fn empty(&self, expected: &str) -> Error {
        match self {
            Self::Plain(lines, _) => lines.empty(expected),
            Self::Quoted { path, .. } => Error::in_file(path, expected, "none"),
        }
    }
}
