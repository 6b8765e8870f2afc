//! npy files into matrices.

use std::path::Path;

use gramfold_linalg::Mat;

use super::array::Array;
use crate::{Error, input};

/// Reads a matrix from an npy file, plain or gzipped.
///
/// Entries may be 64- or 32-bit floats, integers or booleans in either byte order, stored by rows or
/// by columns; integers beyond 2⁵³ go to the nearest float. Values are taken as they are, NaN
/// included. An array with one dimension becomes a column.
pub fn read_npy(path: &Path) -> Result<Mat, Error> {
    parse(path, &input::read(path)?)
}

/// Reads from the bytes of the file; `path` is for messages.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Mat, Error> {
    let array = Array::parse(path, bytes)?;
    let (rows, columns) = match *array.shape() {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => {
            let found = format!("{} dimensions", array.shape().len());
            return Err(Error::in_file(path, "an array with 1 or 2 dimensions", found));
        }
    };
    if rows == 0 || columns == 0 {
        let found = format!("{rows}x{columns}: the matrix is empty");
        return Err(Error::in_file(path, "at least one entry", found));
    }
    let entries = array.floats()?;
    Ok(if array.fortran_order() {
        Mat::from_row_major(columns, rows, entries).transposed()
    } else {
        Mat::from_row_major(rows, columns, entries)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::{super::MAGIC, *};

    pub(crate) fn file(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let dictionary =
            format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let length = (dictionary.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0], &length, dictionary.as_bytes(), data].concat()
    }

    fn read(bytes: &[u8]) -> Result<Mat, Error> {
        parse(Path::new("x.npy"), bytes)
    }

    #[test]
    fn every_type_and_byte_order_is_read() {
        fn data<T: Copy, const W: usize>(values: [T; 2], bytes: fn(T) -> [u8; W]) -> Vec<u8> {
            values.iter().flat_map(|&value| bytes(value)).collect()
        }
        for (descr, data) in [
            ("<f8", data([1.5, -2.0], f64::to_le_bytes)),
            (">f8", data([1.5, -2.0], f64::to_be_bytes)),
            ("<f4", data([1.5, -2.0], f32::to_le_bytes)),
            (">f4", data([1.5, -2.0], f32::to_be_bytes)),
            ("<i8", data([3, -2], i64::to_le_bytes)),
            (">i8", data([3, -2], i64::to_be_bytes)),
            ("<i4", data([3, -2], i32::to_le_bytes)),
            (">i4", data([3, -2], i32::to_be_bytes)),
            ("<i2", data([3, -2], i16::to_le_bytes)),
            (">i2", data([3, -2], i16::to_be_bytes)),
            ("|i1", data([3, -2], i8::to_be_bytes)),
        ] {
            let first = if descr.contains('f') { 1.5 } else { 3.0 };
            let matrix = read(&file(descr, "False", "(1, 2)", &data)).unwrap();
            assert_eq!(matrix, Mat::from_row_major(1, 2, vec![first, -2.0]), "{descr}");
            let column = read(&file(descr, "False", "(2,)", &data)).unwrap();
            assert_eq!(column, Mat::from_row_major(2, 1, vec![first, -2.0]), "{descr}");
        }
    }

    #[test]
    fn unsigned_integers_and_booleans_are_read() {
        for (descr, data) in [
            ("<u8", 1_u64.to_le_bytes().to_vec()),
            (">u8", 1_u64.to_be_bytes().to_vec()),
            ("<u4", 1_u32.to_le_bytes().to_vec()),
            (">u4", 1_u32.to_be_bytes().to_vec()),
            ("<u2", 1_u16.to_le_bytes().to_vec()),
            (">u2", 1_u16.to_be_bytes().to_vec()),
            ("|u1", vec![1]),
            ("|b1", vec![1]),
        ] {
            let matrix = read(&file(descr, "False", "(1, 1)", &data)).unwrap();
            assert_eq!(matrix, Mat::from_row_major(1, 1, vec![1.0]), "{descr}");
        }
    }

    #[test]
    fn columns_and_later_versions_are_read() {
        let data: Vec<u8> = (1..=6).flat_map(i32::to_le_bytes).collect();
        let matrix = read(&file("<i4", "True", "(2, 3)", &data)).unwrap();
        assert_eq!(matrix, Mat::from_row_major(2, 3, vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0]));

        let old = file("<i4", "True", "(2, 3)", &data);
        for version in [2, 3] {
            let new = [MAGIC, &[version, 0], &old[8..10], &[0, 0], &old[10..]].concat();
            assert_eq!(read(&new).unwrap(), matrix);
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let refuses = |bytes: &[u8], message: &str| {
            let found = read(bytes).unwrap_err().to_string();
            assert_eq!(found, format!("x.npy: expected {message}"));
        };
        let magic = "an npy file, which begins with \\x93NUMPY, found ";
        refuses(b"", &format!("{magic}an empty file"));
        refuses(b"PK\x03\x04 npz", &format!("{magic}`PK\\u{{3}}\\u{{4}} n`"));
        refuses(b"\x93NUMPY", "a header, found the end of the file after 6 bytes");
        refuses(b"\x93NUMPY\x02\0\0\0", "a header, found the end of the file after 10 bytes");
        refuses(b"\x93NUMPY\x04\0\0\0", "version 1, 2 or 3 of the npy format, found version 4");
        refuses(
            b"\x93NUMPY\x02\0\xff\xff\xff\xff{}",
            "a header of 4294967295 bytes, found 2 before the end of the file",
        );
        refuses(
            &file("<c16", "False", "(2, 2)", &[0; 64]),
            "entries that are floats (`f8`, `f4`), integers or booleans, found `<c16`; \
             convert the array with `astype('<f8')`",
        );
        for (shape, dimensions) in [("()", 0), ("(1, 1, 1)", 3)] {
            refuses(
                &file("<f8", "False", shape, &[0; 8]),
                &format!("an array with 1 or 2 dimensions, found {dimensions} dimensions"),
            );
        }
        refuses(
            &file("<f8", "False", "(3, 0)", &[]),
            "at least one entry, found 3x0: the matrix is empty",
        );
        for length in [31, 33] {
            refuses(
                &file("<f8", "False", "(2, 2)", &vec![0; length]),
                &format!("32 bytes for 2x2 entries of type `<f8`, found {length}"),
            );
        }
        refuses(
            &file("<f8", "True", "(18446744073709551615, 18446744073709551615)", &[0; 8]),
            "far more bytes for 18446744073709551615x18446744073709551615 entries of type `<f8`, \
             found 8",
        );
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>, version in 0_u8..5) {
            let _ = read(&bytes);
            let _ = read(&[MAGIC, &[version], &bytes].concat());
        }

        #[test]
        fn arbitrary_headers_never_panic(
            descr in "[<>|]?[ficubSU]?[1248]?",
            fortran in "True|False|\\PC{0,3}",
            shape in "\\(([0-9]{1,20}L?,? ?){0,3}\\)?",
            data: Vec<u8>,
        ) {
            let _ = read(&file(&descr, &fortran, &shape, &data));
        }
    }
}
