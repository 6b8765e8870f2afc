//! Matrices into npy files.

use std::{
    io::{self, Write},
    path::Path,
};

use gramfold_linalg::Mat;

use super::MAGIC;
use crate::{Error, write_atomically};

/// The data begin at a multiple of this many bytes, so that they can be mapped into memory.
const ALIGNMENT: usize = 64;

/// Numbers that are written at a time.
const CHUNK: usize = 1 << 13;

/// Writes a matrix as an npy file: version 1.0, little-endian `f8`, row by row.
pub fn write_npy(path: &Path, matrix: &Mat) -> Result<(), Error> {
    write_atomically(path, |out| npy_to(out, matrix))
}

/// Writes the bytes of such a file.
pub fn npy_to(out: &mut dyn Write, matrix: &Mat) -> io::Result<()> {
    out.write_all(&header(matrix.rows(), matrix.cols()))?;
    let mut bytes = vec![[0; 8]; CHUNK.min(matrix.as_slice().len())];
    for values in matrix.as_slice().chunks(CHUNK) {
        bytes.iter_mut().zip(values).for_each(|(bytes, value)| *bytes = value.to_le_bytes());
        out.write_all(bytes[..values.len()].as_flattened())?;
    }
    Ok(())
}

fn header(rows: usize, columns: usize) -> Vec<u8> {
    let dictionary =
        format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // The magic string, two bytes of version, two of length; and the line end that closes it all.
    let before = MAGIC.len() + 4;
    let total = (before + dictionary.len() + 1).next_multiple_of(ALIGNMENT);
    let length = (total - before) as u16;
    let mut bytes = [MAGIC, &[1, 0], &length.to_le_bytes(), dictionary.as_bytes()].concat();
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::read_npy;

    #[test]
    fn the_file_is_what_numpy_writes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.npy");
        write_npy(&path, &Mat::from_row_major(1, 2, vec![1.0, -2.0])).unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes[..10], *b"\x93NUMPY\x01\x00\x76\x00");
        let dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }";
        assert_eq!(bytes[10..128], *format!("{dictionary:<117}\n").as_bytes());
        assert_eq!(bytes[128..], *b"\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0");
    }

    #[test]
    fn the_header_is_aligned_whatever_the_shape() {
        for rows in [1, 10, 123456789, usize::MAX] {
            for columns in [1, 99999, usize::MAX] {
                let header = header(rows, columns);
                assert_eq!(header.len() % ALIGNMENT, 0);
                assert_eq!(header.last(), Some(&b'\n'));
            }
        }
    }

    proptest! {
        #[test]
        fn a_matrix_comes_back_bit_for_bit(
            (rows, columns, bits) in (1_usize..9, 1_usize..9).prop_flat_map(|(m, n)| {
                (Just(m), Just(n), prop::collection::vec(any::<u64>(), m * n))
            }),
        ) {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("x.npy");
            // Any bits at all: NaN with its payload is a value like another here.
            let values = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
            write_npy(&path, &Mat::from_row_major(rows, columns, values)).unwrap();
            let read = read_npy(&path).unwrap();
            prop_assert_eq!((read.rows(), read.cols()), (rows, columns));
            let read: Vec<_> = read.as_slice().iter().map(|v| v.to_bits()).collect();
            prop_assert_eq!(read, bits);
        }
    }
}
