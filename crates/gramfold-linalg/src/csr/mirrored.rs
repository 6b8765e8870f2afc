//! Whether compressed rows are those of a symmetric matrix.

use rayon::prelude::*;

use super::{Csr, CsrError};

/// Columns whose mirror images one task compares.
const STRIP: usize = 1 << 17;

impl Csr {
    /// Whether every entry is stored with the same bits at its mirror image, too. Strips of columns are compared each on
    /// its own, so that threads share the work and what they compare stays near.
    pub(super) fn is_mirrored(&self) -> bool {
        let strips = self.dim().div_ceil(STRIP);
        (0..strips)
            .into_par_iter()
            .all(|strip| self.is_strip_mirrored(strip * STRIP, self.dim().min((strip + 1) * STRIP)))
    }

    /// Whether the entries below the diagonal in columns `first..end` are those right of it in rows `first..end`.
    fn is_strip_mirrored(&self, first: usize, end: usize) -> bool {
        let row = |i: usize| &self.columns[self.starts[i]..self.starts[i + 1]];
        let right = |i| self.starts[i] + row(i).partition_point(|&column| column as usize <= i);
        let mut next: Vec<usize> = (first..end).map(right).collect();
        // Rows are visited in order, so that they meet the entries right of the diagonal in their order.
        for i in first..self.dim() {
            let below = row(i).partition_point(|&column| (column as usize) < first);
            for at in self.starts[i] + below..self.starts[i + 1] {
                let column = self.columns[at] as usize;
                if column >= end.min(i) {
                    break;
                }
                let mirror = &mut next[column - first];
                let is_mirrored = *mirror < self.starts[column + 1]
                    && self.columns[*mirror] as usize == i
                    && self.values[*mirror].to_bits() == self.values[at].to_bits();
                if !is_mirrored {
                    return false;
                }
                *mirror += 1;
            }
        }
        next.iter().eq(&self.starts[first + 1..=end])
    }

    /// The entry that differs most from its mirror image, if one does.
    pub(super) fn worst_asymmetry(&self) -> Option<CsrError> {
        let mut worst: Option<(f64, CsrError)> = None;
        for row in 0..self.dim() {
            for (column, value) in self.row(row) {
                let mirrored = self.get(column, row);
                let difference = (value - mirrored).abs();
                if difference > worst.as_ref().map_or(0.0, |w| w.0) {
                    worst =
                        Some((difference, CsrError::Asymmetric { row, column, value, mirrored }));
                }
            }
        }
        worst.map(|w| w.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_of_any_width_find_what_is_not_mirrored() {
        let entries = |i: u32| (i..23).filter(move |j| (3 * i + j * j).is_multiple_of(4));
        let triangle: Vec<_> =
            (0..23).flat_map(|i| entries(i).map(move |j| (i, j, f64::from(i + j)))).collect();
        let a = Csr::from_triangle(23, &triangle).unwrap();
        for width in [1, 4, 22, 23] {
            let is_mirrored = |a: &Csr| {
                (0..23)
                    .step_by(width)
                    .all(|first| a.is_strip_mirrored(first, 23.min(first + width)))
            };
            assert!(is_mirrored(&a));
            for i in 0..23 {
                for at in a.starts[i]..a.starts[i + 1] {
                    let mut other = a.clone();
                    other.values[at] += 1.0;
                    assert_eq!(is_mirrored(&other), a.columns[at] as usize == i);
                }
            }
        }
    }
}
