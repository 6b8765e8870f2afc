//! Matrix Market files into symmetric matrices.

use std::path::Path;

use gramfold_linalg::Symmetric;

use super::{
    array,
    banner::{Field, Layout},
    coordinate,
    header::Header,
    scanner::Scanner,
};
use crate::{Error, input};

/// What to do with a matrix that differs from its transpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asymmetry {
    /// Refuse it, with the largest |a_ij − a_ji|.
    #[default]
    Refuse,
    /// Take ½(A + Aᵀ).
    Average,
}

/// Reads a real symmetric matrix from a Matrix Market file, plain or gzipped.
///
/// A coordinate file gives a sparse matrix, an array file a dense one. Values may be `real`,
/// `integer` or `pattern` (all ones) and must be finite; the symmetry may be `symmetric` or
/// `general`. The number of entries must be as promised and no position may come twice.
pub fn read_matrix_market(path: &Path, asymmetry: Asymmetry) -> Result<Symmetric, Error> {
    parse(path, &input::read(path)?, asymmetry)
}

/// Whether the entries have no values.
pub(crate) fn is_pattern(path: &Path, bytes: &[u8]) -> bool {
    Header::read(&mut Scanner::new(path, bytes)).is_ok_and(|header| header.field == Field::Pattern)
}

/// Reads from the bytes of the file; `path` is for messages.
pub(crate) fn parse(path: &Path, bytes: &[u8], asymmetry: Asymmetry) -> Result<Symmetric, Error> {
    let mut scanner = Scanner::new(path, bytes);
    let header = Header::read(&mut scanner)?;
    match header.layout {
        Layout::Coordinate => coordinate::read(&mut scanner, &header, asymmetry).map(Into::into),
        Layout::Array => array::read(&mut scanner, &header, asymmetry),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(in super::super) fn parse(text: &str, asymmetry: Asymmetry) -> Result<Symmetric, Error> {
        super::parse(Path::new("a"), text.as_bytes(), asymmetry)
    }

    #[track_caller]
    pub(in super::super) fn refuses(text: &str, message: &str) {
        assert_eq!(parse(text, Asymmetry::Refuse).unwrap_err().to_string(), message, "{text:?}");
    }

    /// Text that gets further into the reader than arbitrary bytes do.
    fn plausible() -> impl Strategy<Value = String> {
        let banner =
            "%%MatrixMarket matrix (coordinate|array) (real|integer|pattern) (general|symmetric)\n";
        let sizes = prop_oneof!["[0-4] [0-4] [0-9]\n", "([0-9]{1,20} ?){2,3}\n"];
        let tokens = prop_oneof!["[1-4]", "[0-9]{1,20}", "-?[0-9]{1,5}[.e][0-9]{1,4}", "\\PC{1,4}"];
        let entry = (prop::collection::vec(tokens, 0..5), "[ \r\t]?\n?%?")
            .prop_map(|(tokens, end)| tokens.join(" ") + &end);
        (banner, sizes, prop::collection::vec(entry, 0..12))
            .prop_map(|(banner, sizes, entries)| banner + &sizes + &entries.concat())
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>, average: bool) {
            let asymmetry = if average { Asymmetry::Average } else { Asymmetry::Refuse };
            let _ = super::parse(Path::new("a"), &bytes, asymmetry);
        }

        #[test]
        fn plausible_text_never_panics(text in plausible(), average: bool) {
            let asymmetry = if average { Asymmetry::Average } else { Asymmetry::Refuse };
            if let Ok(matrix) = parse(&text, asymmetry) {
                prop_assert!(matrix.values().all(f64::is_finite));
            }
        }
    }
}
