//! The dictionary `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`.

use std::path::Path;

use crate::{Error, quoted::quoted};

/// What the dictionary says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header<'a> {
    /// Byte order and type of an entry.
    pub(super) descr: &'a [u8],
    /// Whether the entries come column by column.
    pub(super) fortran_order: bool,
    /// The extent in each dimension.
    pub(super) shape: Vec<usize>,
}

impl<'a> Header<'a> {
    pub(super) fn parse(path: &'a Path, dictionary: &'a [u8]) -> Result<Self, Error> {
        let mut parser = Parser { path, rest: dictionary };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        parser.expect("{")?;
        while !parser.accept("}") {
            let key = parser.string("a key")?;
            parser.expect(":")?;
            match key {
                b"descr" => descr = Some(parser.string("a plain type such as '<f8'")?),
                b"fortran_order" => fortran_order = Some(parser.boolean()?),
                b"shape" => shape = Some(parser.shape()?),
                other => {
                    let found = quoted(other);
                    let expected = "the keys `descr`, `fortran_order` and `shape`";
                    return Err(Error::in_file(path, expected, found));
                }
            }
            if !parser.accept(",") {
                parser.expect("}")?;
                break;
            }
        }
        parser.end()?;
        let missing =
            |key: &str| Error::in_file(path, format!("the key `{key}`"), "a header without it");
        Ok(Self {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }
}

/// The part of a Python literal that is not yet parsed.
struct Parser<'a> {
    path: &'a Path,
    rest: &'a [u8],
}

impl<'a> Parser<'a> {
    fn accept(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_ascii_start();
        match self.rest.strip_prefix(token.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), Error> {
        if self.accept(token) { Ok(()) } else { Err(self.unexpected(&format!("`{token}`"))) }
    }

    fn string(&mut self, expected: &str) -> Result<&'a [u8], Error> {
        let quote = match (self.accept("'"), self.rest) {
            (true, _) => b'\'',
            (false, _) if self.accept("\"") => b'"',
            _ => return Err(self.unexpected(expected)),
        };
        let Some(length) = memchr::memchr(quote, self.rest) else {
            return Err(self.unexpected("a closing quote"));
        };
        let (string, rest) = self.rest.split_at(length);
        self.rest = &rest[1..];
        Ok(string)
    }

    fn boolean(&mut self) -> Result<bool, Error> {
        match (self.accept("True"), self.accept("False")) {
            (true, _) => Ok(true),
            (_, true) => Ok(false),
            _ => Err(self.unexpected("`True` or `False`")),
        }
    }

    fn shape(&mut self) -> Result<Vec<usize>, Error> {
        let mut shape = Vec::new();
        self.expect("(")?;
        while !self.accept(")") {
            shape.push(self.integer()?);
            // Python 2 wrote long integers so.
            self.accept("L");
            if !self.accept(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(shape)
    }

    fn integer(&mut self) -> Result<usize, Error> {
        let rest = self.rest.trim_ascii_start();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let parsed = str::from_utf8(&rest[..digits]).ok().and_then(|digits| digits.parse().ok());
        let Some(integer) = parsed else {
            return Err(self.unexpected("a size below 2⁶⁴"));
        };
        self.rest = &rest[digits..];
        Ok(integer)
    }

    fn end(&mut self) -> Result<(), Error> {
        self.rest = self.rest.trim_ascii_start();
        if self.rest.is_empty() { Ok(()) } else { Err(self.unexpected("the end of the header")) }
    }

    fn unexpected(&self, expected: &str) -> Error {
        let rest = self.rest.trim_ascii();
        let found = match rest {
            [] => "the end of the header".to_owned(),
            _ => quoted(rest),
        };
        Error::in_file(self.path, expected, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Result<Header<'_>, String> {
        Header::parse(Path::new("x.npy"), text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn dictionaries_of_every_numpy_are_read() {
        let expected = Header { descr: b"<f8", fortran_order: false, shape: vec![3, 2] };
        for text in [
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }     \n",
            "{\"shape\":(3L,2L,),\"fortran_order\":False,\"descr\":\"<f8\"}",
        ] {
            assert_eq!(header(text), Ok(expected.clone()), "{text}");
        }
        let text = "{'descr': '>i4', 'fortran_order': True, 'shape': (7,)}";
        let expected = Header { descr: b">i4", fortran_order: true, shape: vec![7] };
        assert_eq!(header(text), Ok(expected));
    }

    #[test]
    fn anything_else_is_refused() {
        let refuses = |text: &str, message: &str| {
            assert_eq!(header(text).unwrap_err(), format!("x.npy: expected {message}"), "{text}");
        };
        refuses("", "`{`, found the end of the header");
        refuses("{descr", "a key, found `descr`");
        refuses("{'descr", "a closing quote, found `descr`");
        refuses("{'descr' '<f8'", "`:`, found `'<f8'`");
        refuses(
            "{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False}",
            "a plain type such as '<f8', found `[('a', '<f8'), ('b', '<f8')], 'fortran_o…`",
        );
        refuses("{'fortran_order': 0}", "`True` or `False`, found `0}`");
        refuses("{'shape': 3}", "`(`, found `3}`");
        refuses("{'shape': (-3)}", "a size below 2⁶⁴, found `-3)}`");
        refuses(
            "{'shape': (18446744073709551616, 2)}",
            "a size below 2⁶⁴, found `18446744073709551616, 2)}`",
        );
        refuses("{'shape': (3 2)}", "`)`, found `2)}`");
        refuses("{'shape': (3, 2) 'descr'", "`}`, found `'descr'`");
        refuses("{'x': 1}", "the keys `descr`, `fortran_order` and `shape`, found `x`");
        refuses("{} 1", "the end of the header, found `1`");
        refuses("{}", "the key `descr`, found a header without it");
        refuses("{'descr': '<f8'}", "the key `fortran_order`, found a header without it");
        refuses(
            "{'descr': '<f8', 'fortran_order': False}",
            "the key `shape`, found a header without it",
        );
    }
}
