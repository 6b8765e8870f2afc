//! A pattern from its places.

use std::sync::OnceLock;

use super::Pattern;
use crate::{CsrError, counting_sort};

impl Pattern {
    /// The pattern of `places` and of their mirror images, and for each stored entry which place it came from. A place
    /// that is given twice is stored twice.
    pub fn mirrored(dim: usize, places: &[(u32, u32)]) -> Result<(Self, Vec<u32>), CsrError> {
        if u32::try_from(dim).is_err() || u32::try_from(2 * places.len()).is_err() {
            return Err(CsrError::TooLarge { dim: dim.max(2 * places.len()) });
        }
        if let Some(&(i, j)) = places.iter().find(|(i, j)| i.max(j).to_owned() as usize >= dim) {
            return Err(CsrError::OutOfRange { row: i as usize, column: j as usize });
        }
        if places.is_sorted() && places.iter().all(|(i, j)| i <= j) {
            return Ok(Self::of_sorted(dim, places));
        }
        // (row, column, place), sorted by column and then, stably, by row: two counting sorts.
        let both = places.iter().zip(0_u32..).flat_map(|(&(i, j), place)| {
            let mirrored = (i != j).then_some((j, i, place));
            std::iter::once((i, j, place)).chain(mirrored)
        });
        let by_column = counting_sort(dim, both, |entry: &(u32, u32, u32)| entry.1).0;
        let (sorted, starts) = counting_sort(dim, by_column.into_iter(), |entry| entry.0);
        let columns = sorted.iter().map(|entry| entry.1).collect();
        let came_from = sorted.iter().map(|entry| entry.2).collect();
        Ok((Self { starts, columns, mirror: OnceLock::new() }, came_from))
    }

    /// The same for places above the diagonal, in order: those below it come first in each row, in order, too.
    fn of_sorted(dim: usize, places: &[(u32, u32)]) -> (Self, Vec<u32>) {
        let (mut starts, mut below) = (vec![0; dim + 1], vec![0; dim]);
        for &(i, j) in places {
            starts[i as usize + 1] += 1;
            if i != j {
                starts[j as usize + 1] += 1;
                below[j as usize] += 1;
            }
        }
        for k in 0..dim {
            starts[k + 1] += starts[k];
        }
        let count = starts[dim];
        let (mut columns, mut from) = (vec![0; count], vec![0; count]);
        // Where the next entry above and below the diagonal goes, in each row.
        let mut above: Vec<usize> = starts.iter().zip(&below).map(|(start, b)| start + b).collect();
        let mut below = starts.clone();
        for (&(i, j), place) in places.iter().zip(0..) {
            let here = above[i as usize];
            above[i as usize] += 1;
            (columns[here], from[here]) = (j, place);
            if i != j {
                let there = below[j as usize];
                below[j as usize] += 1;
                (columns[there], from[there]) = (i, place);
            }
        }
        (Self { starts, columns, mirror: OnceLock::new() }, from)
    }

    /// Where the mirror image of each entry is: an entry on the diagonal is its own, and those below the diagonal of a row come in the
    /// order of the rows that they mirror.
    pub(super) fn mirror(&self) -> &[u32] {
        self.mirror.get_or_init(|| {
            let mut mirror: Vec<u32> = (0..self.len() as u32).collect();
            let mut next = self.starts.clone();
            for i in 0..self.dim() {
                for here in self.row(i) {
                    let j = self.columns[here] as usize;
                    if j > i {
                        let there = next[j];
                        next[j] += 1;
                        (mirror[here], mirror[there]) = (there as u32, here as u32);
                    }
                }
            }
            mirror
        })
    }
}
