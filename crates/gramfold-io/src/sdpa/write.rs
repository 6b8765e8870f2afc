//! From the standard form min ⟨C, Z⟩ to an SDPA file: F_0 = −C, F_i = A_i, c = b.

use std::{fmt::Write, path::Path};

use gramfold_sdp::{Cone, Sdp};

use crate::{Error, write_atomically};

/// Writes a program as an SDPA file, every number to its last bit. Rank-one parts are written entry by entry.
pub fn write_sdpa(path: &Path, sdp: &Sdp) -> Result<(), Error> {
    let text = text(sdp);
    write_atomically(path, |out| out.write_all(text.as_bytes()))
}

fn text(sdp: &Sdp) -> String {
    let sizes = sdp.cones().iter().map(|cone| match *cone {
        Cone::Semidefinite(n) => n.to_string(),
        Cone::Nonnegative(n) => format!("-{n}"),
    });
    let sizes: Vec<String> = sizes.collect();
    let rhs: Vec<String> = sdp.rhs().iter().map(|b| format!("{b:?}")).collect();
    let mut text =
        format!("{}\n{}\n{}\n{}\n", sdp.constraints(), sizes.len(), sizes.join(" "), rhs.join(" "));
    for matrix in 0..=sdp.constraints() {
        for block in 0..sizes.len() {
            for (row, col, value) in entries(sdp, matrix, block) {
                let value = if matrix == 0 { 0.0 - value } else { value };
                let (block, row, col) = (block + 1, row + 1, col + 1);
                let _ = writeln!(text, "{matrix} {block} {row} {col} {value:?}"); // To a string: it cannot fail.
            }
        }
    }
    text
}

/// The upper triangle of one matrix in one block, with its rank-one parts multiplied out.
fn entries(sdp: &Sdp, matrix: usize, block: usize) -> Vec<(usize, usize, f64)> {
    let sparse = sdp.entries(matrix, block).iter();
    let sparse = sparse.map(|entry| (entry.row as usize, entry.col as usize, entry.value));
    let parts =
        || sdp.rank_ones().iter().filter(|part| (part.matrix, part.block) == (matrix, block));
    if parts().next().is_none() {
        return sparse.collect();
    }
    let n = sdp.cones()[block].size();
    let mut dense = vec![0.0; n * n];
    sparse.for_each(|(row, col, value)| dense[row.min(col) * n + row.max(col)] += value);
    for part in parts() {
        for row in 0..n {
            for col in row..n {
                dense[row * n + col] += part.weight * part.vector[row] * part.vector[col];
            }
        }
    }
    let places = (0..n).flat_map(|row| (row..n).map(move |col| (row, col)));
    let valued = places.map(|(row, col)| (row, col, dense[row * n + col]));
    valued.filter(|entry| entry.2 != 0.0).collect()
}

#[cfg(test)]
mod tests {
    use gramfold_sdp::{RankOne, Term};

    use super::{super::read::tests::parse, *};

    #[test]
    fn what_is_written_is_read_back_to_the_last_bit() {
        let term = |matrix, block, row, col, value| Term { matrix, block, row, col, value };
        let terms = vec![
            term(0, 0, 0, 1, 0.1),
            term(0, 1, 1, 1, -1e-300),
            term(1, 0, 1, 1, 1.0 / 3.0),
            term(2, 1, 0, 0, 2e22),
        ];
        let cones = vec![Cone::Semidefinite(3), Cone::Nonnegative(2)];
        let ones = RankOne { matrix: 2, block: 0, weight: 0.5, vector: vec![1.0, 0.0, -3.0] };
        let sdp = Sdp::new(cones, vec![0.7, -0.0], terms, vec![ones]).unwrap();
        let again = parse(&text(&sdp)).unwrap().program().unwrap();
        assert_eq!((again.cones(), again.rhs()), (sdp.cones(), sdp.rhs()));
        for (matrix, block) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)] {
            assert_eq!(again.entries(matrix, block), sdp.entries(matrix, block));
        }
        let values: Vec<f64> = again.entries(2, 0).iter().map(|entry| entry.value).collect();
        assert_eq!(values, [0.5, -1.5, 4.5]);
        let none =
            Sdp::new(vec![Cone::Semidefinite(2)], vec![], vec![term(0, 0, 0, 0, 1.0)], vec![]);
        assert_eq!(parse(&text(&none.unwrap())).unwrap().program().unwrap().constraints(), 0);
    }
}
