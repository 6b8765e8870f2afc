//! An array as the file has it: its shape, the type of its entries, and their bytes.

use std::path::Path;

use super::{MAGIC, header::Header};
use crate::{
    Error,
    quoted::{beginning, quoted},
};

/// An array whose bytes may or may not all be there; what decodes them checks that.
#[derive(Debug)]
pub(crate) struct Array<'a> {
    path: &'a Path,
    header: Header<'a>,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    /// Reads the header in front of the data; `path` is for messages.
    pub(crate) fn parse(path: &'a Path, bytes: &'a [u8]) -> Result<Self, Error> {
        let (dictionary, data) = split(path, bytes)?;
        Ok(Self { path, header: Header::parse(path, dictionary)?, data })
    }

    /// The extent in each dimension.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// What comes after the header.
    pub(crate) fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Whether the entries come column by column.
    pub(crate) fn fortran_order(&self) -> bool {
        self.header.fortran_order
    }

    /// How many bytes the data take by what the header says; none if that is not a number.
    pub(crate) fn promised(&self) -> Option<u128> {
        let width: usize = str::from_utf8(self.code()).ok()?.get(1..)?.parse().ok()?;
        // The width of a `U` counts characters of four bytes.
        self.size(if self.code()[0] == b'U' { width.checked_mul(4)? } else { width })
    }

    /// The entries as floats; integers beyond 2⁵³ go to the nearest.
    pub(crate) fn floats(&self) -> Result<Vec<f64>, Error> {
        Ok(match self.code() {
            b"f8" => self.decode(f64::from_le_bytes)?,
            b"f4" => self.decode(|bytes| f32::from_le_bytes(bytes).into())?,
            b"u8" => self.decode(|bytes| u64::from_le_bytes(bytes) as f64)?,
            [b'i' | b'u', b'1' | b'2' | b'4' | b'8'] => self.integers(|integer| integer as f64)?,
            b"b1" => self.decode(|[byte]| f64::from(byte != 0))?,
            _ => {
                let expected = "entries that are floats (`f8`, `f4`), integers or booleans";
                return Err(self
                    .mistyped(expected)
                    .with_hint("convert the array with `astype('<f8')`"));
            }
        })
    }

    /// The entries as integers, as `of` makes them; those beyond 2⁶³ are taken for the largest.
    pub(crate) fn integers<T>(&self, of: impl Fn(i64) -> T) -> Result<Vec<T>, Error> {
        Ok(match self.code() {
            b"i8" => self.decode(|bytes| of(i64::from_le_bytes(bytes)))?,
            b"i4" => self.decode(|bytes| of(i32::from_le_bytes(bytes).into()))?,
            b"i2" => self.decode(|bytes| of(i16::from_le_bytes(bytes).into()))?,
            b"i1" => self.decode(|bytes| of(i8::from_le_bytes(bytes).into()))?,
            b"u8" => {
                self.decode(|bytes| of(u64::from_le_bytes(bytes).try_into().unwrap_or(i64::MAX)))?
            }
            b"u4" => self.decode(|bytes| of(u32::from_le_bytes(bytes).into()))?,
            b"u2" => self.decode(|bytes| of(u16::from_le_bytes(bytes).into()))?,
            b"u1" => self.decode(|[byte]| of(byte.into()))?,
            _ => return Err(self.mistyped("entries that are integers")),
        })
    }

    /// The entry of an array without dimensions, as text in ASCII.
    pub(crate) fn text(&self) -> Result<String, Error> {
        // Four bytes a character in a `U`, the first of them the character if it is ASCII.
        let step = match self.code() {
            [b'S', ..] => 1,
            [b'U', ..] => 4,
            _ => return Err(self.mistyped("a string")),
        };
        let characters = self.data.iter().step_by(step).take_while(|&&byte| byte != 0);
        Ok(characters.map(|&byte| char::from(byte)).collect())
    }

    /// The type without the byte order: a letter and a width in bytes.
    fn code(&self) -> &'a [u8] {
        match self.header.descr {
            [b'<' | b'>' | b'|', code @ ..] => code,
            _ => &[],
        }
    }

    fn decode<T, const W: usize>(&self, entry: impl Fn([u8; W]) -> T) -> Result<Vec<T>, Error> {
        self.check_size(W)?;
        // Nothing is allocated for the entries before they are known to be there.
        let chunks = self.data.as_chunks().0.iter();
        Ok(if self.header.descr.first() == Some(&b'>') {
            chunks
                .map(|&(mut bytes): &[u8; W]| {
                    bytes.reverse();
                    entry(bytes)
                })
                .collect()
        } else {
            chunks.map(|&bytes| entry(bytes)).collect()
        })
    }

    fn check_size(&self, width: usize) -> Result<(), Error> {
        let size = self.size(width);
        if size == Some(self.data.len() as u128) {
            return Ok(());
        }
        let size = size.map_or("far more".to_owned(), |size| size.to_string());
        let shape: Vec<_> = self.header.shape.iter().map(ToString::to_string).collect();
        let (shape, descr) = (shape.join("x"), quoted(self.header.descr));
        let expected = format!("{size} bytes for {shape} entries of type {descr}");
        Err(Error::in_file(self.path, expected, self.data.len().to_string()))
    }

    fn size(&self, width: usize) -> Option<u128> {
        let mut shape = self.header.shape.iter();
        shape.try_fold(width as u128, |size, &extent| size.checked_mul(extent as u128))
    }

    fn mistyped(&self, expected: &str) -> Error {
        Error::in_file(self.path, expected, quoted(self.header.descr))
    }
}

/// The dictionary and the data.
fn split<'a>(path: &Path, bytes: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), Error> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let expected = "an npy file, which begins with \\x93NUMPY";
        return Err(Error::in_file(path, expected, beginning(bytes, MAGIC)));
    };
    let cut = || {
        Error::in_file(path, "a header", format!("the end of the file after {} bytes", bytes.len()))
    };
    let (length, rest) = match rest {
        &[1, _, a, b, ref rest @ ..] => (u16::from_le_bytes([a, b]).into(), rest),
        &[2 | 3, _, a, b, c, d, ref rest @ ..] => (u32::from_le_bytes([a, b, c, d]), rest),
        [] | [1..=3, ..] => return Err(cut()),
        [version, ..] => {
            let found = format!("version {version}");
            return Err(Error::in_file(path, "version 1, 2 or 3 of the npy format", found));
        }
    };
    rest.split_at_checked(length as usize).ok_or_else(|| {
        let expected = format!("a header of {length} bytes");
        Error::in_file(path, expected, format!("{} before the end of the file", rest.len()))
    })
}
