//! Symmetric matrices into Matrix Market files.

use std::{
    io::{self, Write},
    path::Path,
};

use gramfold_linalg::{Csr, Symmetric};

use crate::{Error, write_atomically};

/// Writes the lower triangle of a matrix: the stored entries of a sparse one as `coordinate real
/// symmetric`, or `coordinate pattern symmetric` where all are one; all of a dense one as `array real symmetric`.
///
/// Values have the fewest digits that give back the same bits.
pub fn write_matrix_market(path: &Path, matrix: &Symmetric) -> Result<(), Error> {
    write_atomically(path, |out| matrix_market_to(out, matrix))
}

/// Writes the bytes of such a file.
pub fn matrix_market_to(out: &mut dyn Write, matrix: &Symmetric) -> io::Result<()> {
    match matrix {
        Symmetric::Sparse(matrix) => coordinate(out, matrix),
        matrix => array(out, matrix),
    }
}

fn coordinate(writer: &mut dyn Write, matrix: &Csr) -> io::Result<()> {
    let n = matrix.dim();
    let lower = |i| matrix.row(i).take_while(move |&(j, _)| j <= i);
    let stored: usize = (0..n).map(|i| lower(i).count()).sum();
    // Weights that are all one need not be said.
    let pattern = matrix.values().iter().all(|&value| value == 1.0);
    let field = if pattern { "pattern" } else { "real" };
    writeln!(writer, "%%MatrixMarket matrix coordinate {field} symmetric\n{n} {n} {stored}")?;
    // Formatting entry by entry takes longer than all else that is written: every index is formatted once, and a value that comes
    // again, too.
    let indices: Vec<Decimal> = (1..=n).map(Decimal::of).collect();
    let (mut text, mut weight) = (Vec::with_capacity(2 * FLUSH), b"\n".to_vec());
    let mut last = None;
    for i in 0..n {
        for (j, value) in lower(i) {
            if !pattern && last != Some(value.to_bits()) {
                last = Some(value.to_bits());
                weight.clear();
                // `{:?}` writes 1e300 as such where `{}` writes all its digits.
                writeln!(weight, " {value:?}")?;
            }
            indices[i].append(&mut text);
            text.push(b' ');
            indices[j].append(&mut text);
            text.extend_from_slice(&weight);
            if text.len() >= FLUSH {
                writer.write_all(&text)?;
                text.clear();
            }
        }
    }
    writer.write_all(&text)
}

/// Bytes that are handed on at a time.
const FLUSH: usize = 1 << 16;

/// An index in decimal digits, of which 32 bits have ten at most.
struct Decimal {
    digits: [u8; 11],
    count: u8,
}

impl Decimal {
    fn of(number: usize) -> Self {
        let mut found = Self { digits: [0; 11], count: 0 };
        let (mut left, mut reversed) = (number, [0; 11]);
        while left > 0 || found.count == 0 {
            reversed[usize::from(found.count)] = b'0' + (left % 10) as u8;
            left /= 10;
            found.count += 1;
        }
        let count = usize::from(found.count);
        found
            .digits
            .iter_mut()
            .zip(reversed[..count].iter().rev())
            .for_each(|(to, from)| *to = *from);
        found
    }

    /// All of the room is copied, which takes less time than to ask how much of it is used.
    #[inline]
    fn append(&self, text: &mut Vec<u8>) {
        let length = text.len() + usize::from(self.count);
        text.extend_from_slice(&self.digits);
        text.truncate(length);
    }
}

fn array(writer: &mut dyn Write, matrix: &Symmetric) -> io::Result<()> {
    let n = matrix.dim();
    writeln!(writer, "%%MatrixMarket matrix array real symmetric\n{n} {n}")?;
    for j in 0..n {
        for i in j..n {
            writeln!(writer, "{:?}", matrix.get(i, j))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs};

    use gramfold_linalg::{Dense, Mat};
    use proptest::{num::f64, prelude::*};

    use super::*;
    use crate::{Asymmetry, read_matrix_market};

    fn written_and_read(matrix: &Symmetric) -> (String, Symmetric) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.mtx");
        write_matrix_market(&path, matrix).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        (text, read_matrix_market(&path, Asymmetry::Refuse).unwrap())
    }

    fn bits(matrix: &Symmetric) -> Vec<u64> {
        matrix.values().map(f64::to_bits).collect()
    }

    #[test]
    fn numbers_are_written_in_decimal_digits() {
        for number in [0, 7, 10, 4096, u32::MAX as usize] {
            let mut text = b"x".to_vec();
            Decimal::of(number).append(&mut text);
            assert_eq!(String::from_utf8(text).unwrap(), format!("x{number}"));
        }
    }

    #[test]
    fn the_lower_triangle_is_written() {
        let entries = [(0, 0, 1e300), (1, 0, -0.1), (0, 1, -0.1)];
        let (text, _) = written_and_read(&Csr::from_entries(2, &entries).unwrap().into());
        let header = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n";
        assert_eq!(text, format!("{header}1 1 1e300\n2 1 -0.1\n"));

        let matrix = Mat::from_row_major(2, 2, vec![1.0, 5e-9, 5e-9, 3.0]);
        let (text, _) = written_and_read(&Dense::symmetrised(matrix).into());
        let header = "%%MatrixMarket matrix array real symmetric\n2 2\n";
        assert_eq!(text, format!("{header}1.0\n5e-9\n3.0\n"));
    }

    proptest! {
        #[test]
        fn a_sparse_matrix_comes_back_bit_for_bit(
            n in 1_u32..20,
            lower in prop::collection::btree_map((0_u32..20, 0_u32..20), finite(), 0..60),
        ) {
            let lower: BTreeMap<_, _> = lower
                .into_iter()
                .map(|((i, j), v)| ((i % n, j % n), v))
                .filter(|((i, j), _)| i >= j)
                .collect();
            let both: Vec<_> = lower
                .into_iter()
                .flat_map(|((i, j), v)| [Some((i, j, v)), (i != j).then_some((j, i, v))])
                .flatten()
                .collect();
            let matrix = Symmetric::from(Csr::from_entries(n as usize, &both).unwrap());
            let (_, read) = written_and_read(&matrix);
            prop_assert_eq!(&read, &matrix);
            prop_assert_eq!(bits(&read), bits(&matrix));
        }

        #[test]
        fn a_dense_matrix_comes_back_bit_for_bit(
            n in 1_usize..12,
            values in prop::collection::vec(finite(), 144),
        ) {
            let entry = |i: usize, j: usize| values[i.max(j) * 12 + i.min(j)];
            let matrix = Symmetric::from(Dense::symmetrised(Mat::from_fn(n, n, entry)));
            let (_, read) = written_and_read(&matrix);
            prop_assert_eq!(bits(&read), bits(&matrix));
        }
    }

    fn finite() -> impl Strategy<Value = f64> {
        f64::NORMAL | f64::SUBNORMAL | f64::ZERO
    }
}
