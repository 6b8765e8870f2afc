//! The first line: `%%MatrixMarket matrix coordinate real symmetric`.

use super::scanner::Scanner;
use crate::Error;

const MAGIC: &[u8] = b"%%MatrixMarket";

/// Which entries a file lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Layout {
    /// Nonzeros, with their positions.
    Coordinate,
    /// All entries, column by column.
    Array,
}

/// What stands for the value of an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Field {
    /// Any number.
    Real,
    /// A whole number.
    Integer,
    /// Nothing; the value is one.
    Pattern,
}

/// Which triangles a file lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Triangles {
    /// Both, as in `general` files.
    Both,
    /// The lower one with the diagonal, as in `symmetric` files.
    Lower,
}

/// What the first line says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Banner {
    pub(super) layout: Layout,
    pub(super) field: Field,
    pub(super) triangles: Triangles,
}

impl Banner {
    /// Reads the banner, after any comments.
    pub(super) fn read(scanner: &mut Scanner<'_>) -> Result<Self, Error> {
        // Comments may precede the banner, but what begins like one is meant as one.
        while scanner.next_raw_line()
            && scanner.rest().starts_with(b"%")
            && !scanner.rest().starts_with(b"%%")
        {
            scanner.skip_line();
        }
        keyword(scanner, "the banner `%%MatrixMarket matrix …`", &[(MAGIC, ())], &[])?;
        keyword(scanner, "`matrix`", &[(b"matrix", ())], &[])?;
        let layout = keyword(
            scanner,
            "`coordinate` or `array`",
            &[(b"coordinate", Layout::Coordinate), (b"array", Layout::Array)],
            &[],
        )?;
        let (real, integer) = ((&b"real"[..], Field::Real), (&b"integer"[..], Field::Integer));
        let field = match layout {
            Layout::Coordinate => keyword(
                scanner,
                "`real`, `integer` or `pattern`",
                &[real, integer, (b"pattern", Field::Pattern)],
                &[b"complex"],
            ),
            Layout::Array => {
                keyword(scanner, "`real` or `integer`", &[real, integer], &[b"complex", b"pattern"])
            }
        }?;
        let triangles = keyword(
            scanner,
            "`general` or `symmetric`",
            &[(b"general", Triangles::Both), (b"symmetric", Triangles::Lower)],
            &[b"skew-symmetric", b"hermitian"],
        )?;
        scanner.end_line()?;
        Ok(Self { layout, field, triangles })
    }
}

/// The meaning of the next word in any case, or an error that says if the format at least knows it.
fn keyword<T: Copy>(
    scanner: &mut Scanner<'_>,
    expected: &str,
    meanings: &[(&[u8], T)],
    unsupported: &[&[u8]],
) -> Result<T, Error> {
    let before = scanner.clone();
    let word = scanner.word();
    if let Some((_, meaning)) = meanings.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
        return Ok(*meaning);
    }
    let error = before.unexpected(expected);
    Err(if unsupported.iter().any(|name| name.eq_ignore_ascii_case(word)) {
        error.with_hint("Gramfold reads real symmetric matrices only")
    } else {
        error
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn refuses(text: &str, message: &str) {
        let mut scanner = Scanner::new(Path::new("a"), text.as_bytes());
        let error = Banner::read(&mut scanner).unwrap_err();
        assert_eq!(error.to_string(), message, "{text:?}");
    }

    #[test]
    fn a_wrong_banner_is_refused() {
        let banner = "a:1: expected the banner `%%MatrixMarket matrix …`, found ";
        refuses("", &format!("{banner}an empty file"));
        refuses(" \r\n\n", &format!("{banner}an empty file"));
        refuses("3 3 5\n", &format!("{banner}`3`"));
        refuses("%%MatrixMarkt matrix", &format!("{banner}`%%MatrixMarkt`"));
        refuses(
            "% only\n% comments\n",
            "a:2: expected the banner `%%MatrixMarket matrix …`, found the end of the file",
        );
        refuses("\n%%MatrixMarket vector", "a:2: expected `matrix`, found `vector`");
        refuses("%%MatrixMarket\nmatrix", "a:1: expected `matrix`, found the end of the line");
        refuses("%%MatrixMarket matrix csr", "a:1: expected `coordinate` or `array`, found `csr`");
        refuses(
            "%%MatrixMarket matrix array real general x\n",
            "a:1: expected the end of the line, found `x`",
        );
    }

    #[test]
    fn known_but_unsupported_kinds_are_refused_by_name() {
        let hint = "; Gramfold reads real symmetric matrices only";
        let field = "a:1: expected `real`, `integer` or `pattern`, found ";
        let triangles = "a:1: expected `general` or `symmetric`, found ";
        refuses("%%MatrixMarket matrix coordinate complex", &format!("{field}`complex`{hint}"));
        refuses("%%MatrixMarket matrix coordinate double", &format!("{field}`double`"));
        refuses(
            "%%MatrixMarket matrix array pattern general",
            &format!("a:1: expected `real` or `integer`, found `pattern`{hint}"),
        );
        for kind in ["skew-symmetric", "Hermitian"] {
            refuses(
                &format!("%%MatrixMarket matrix array real {kind}"),
                &format!("{triangles}`{kind}`{hint}"),
            );
        }
        refuses("%%MatrixMarket matrix array real lower", &format!("{triangles}`lower`"));
    }
}
