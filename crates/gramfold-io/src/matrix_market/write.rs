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
    let indices: Vec<Decimal> =
        (1..=n).map(|index| Decimal::of(index, if pattern { b'\n' } else { b' ' })).collect();
    let mut text = Lines { writer, room: vec![0; FLUSH + LONGEST], length: 0 };
    let mut weight = Vec::new();
    let mut last = None;
    for i in 0..n {
        let row = indices[i].then(b' ');
        for (j, value) in lower(i) {
            text.add(&row);
            text.add(&indices[j]);
            if !pattern {
                if last != Some(value.to_bits()) {
                    last = Some(value.to_bits());
                    weight.clear();
                    // `{:?}` writes 1e300 as such where `{}` writes all its digits.
                    writeln!(weight, "{value:?}")?;
                }
                text.extend(&weight);
            }
            text.flush_if_full()?;
        }
    }
    text.flush()
}

/// Bytes that are handed on at a time.
const FLUSH: usize = 1 << 16;

/// Bytes that a line may have beyond: two indices, and a value with its sign, 17 digits, a point, an exponent and its end.
const LONGEST: usize = 64;

/// Text that is handed on now and then.
struct Lines<'a> {
    writer: &'a mut dyn Write,
    room: Vec<u8>,
    length: usize,
}

impl Lines<'_> {
    /// All of a number's room is copied, which takes less time than to ask how much of it is used.
    #[inline]
    fn add(&mut self, number: &Decimal) {
        self.room[self.length..self.length + DIGITS].copy_from_slice(&number.text);
        self.length += usize::from(number.count);
    }

    fn extend(&mut self, text: &[u8]) {
        self.room[self.length..self.length + text.len()].copy_from_slice(text);
        self.length += text.len();
    }

    #[inline]
    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.length >= FLUSH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.write_all(&self.room[..std::mem::take(&mut self.length)])
    }
}

/// Room for an index, of which 32 bits have ten digits at most, and what follows it.
const DIGITS: usize = 16;

/// An index in decimal digits, and what follows it.
#[derive(Clone, Copy)]
struct Decimal {
    text: [u8; DIGITS],
    /// Bytes that are used.
    count: u8,
}

impl Decimal {
    fn of(number: usize, end: u8) -> Self {
        // From the last byte to the first, each before those that are there.
        let (mut left, mut text, mut count) = (number, u128::from(end), 1);
        while left > 0 || count == 1 {
            text = text << 8 | u128::from(b'0' + (left % 10) as u8);
            left /= 10;
            count += 1;
        }
        Self { text: text.to_le_bytes(), count }
    }

    /// The same with something else behind it.
    fn then(mut self, end: u8) -> Self {
        self.text[usize::from(self.count) - 1] = end;
        self
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
            let mut written = Vec::new();
            let mut text = Lines { writer: &mut written, room: vec![0; 64], length: 0 };
            let decimal = Decimal::of(number, b' ');
            text.add(&decimal);
            text.add(&decimal.then(b';'));
            text.flush().unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), format!("{number} {number};"));
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
