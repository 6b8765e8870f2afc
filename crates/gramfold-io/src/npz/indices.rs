//! Where the entries are, by each of SciPy's formats.

use std::path::Path;

use super::archive::{Archive, Member};
use crate::{Error, quoted::quoted};

/// A sparse format.
#[derive(Clone, Copy)]
pub(super) enum Format {
    /// Rows one after the other.
    Csr,
    /// Columns one after the other.
    Csc,
    /// Row and column of each entry.
    Coo,
}

impl Format {
    pub(super) fn read(archive: &mut Archive<'_>) -> Result<Self, Error> {
        let member = archive.member("format")?;
        let format = archive.whole(&member)?.array()?.text()?;
        match format.as_str() {
            "csr" => Ok(Self::Csr),
            "csc" => Ok(Self::Csc),
            "coo" => Ok(Self::Coo),
            other => {
                let expected = "a sparse format `csr`, `csc` or `coo`";
                Err(Error::in_file(member.path(), expected, quoted(other.as_bytes()))
                    .with_hint("convert the matrix with `tocsr()` before `save_npz`"))
            }
        }
    }
}

/// The arrays that say where the entries are.
pub(super) enum Indices {
    Csr(Compressed),
    Csc(Compressed),
    Coo { rows: Member, columns: Member },
}

/// Where each row begins among the entries, and the column of each; or the other way round.
pub(super) struct Compressed {
    starts: Member,
    indices: Member,
}

/// Where each row begins among the columns, or each column among the rows.
pub(super) struct Rows {
    pub(super) starts: Vec<usize>,
    pub(super) columns: Vec<u32>,
}

impl Indices {
    /// Reads the headers of the arrays, which must fit `dim` rows and columns and `listed` entries.
    pub(super) fn read(
        archive: &mut Archive<'_>,
        format: Format,
        dim: usize,
        listed: usize,
    ) -> Result<Self, Error> {
        let mut array = |name, length| {
            let member = archive.member(name)?;
            check_length(&member, length)?;
            Ok(member)
        };
        let mut compressed = || {
            let (starts, indices) = (array("indptr", dim + 1)?, array("indices", listed)?);
            Ok(Compressed { starts, indices })
        };
        match format {
            Format::Csr => compressed().map(Self::Csr),
            Format::Csc => compressed().map(Self::Csc),
            Format::Coo => {
                Ok(Self::Coo { rows: array("row", listed)?, columns: array("col", listed)? })
            }
        }
    }

    /// Where each row begins and the columns, if the file has rows or columns one after the other: of a symmetric
    /// matrix they are the same.
    pub(super) fn rows(
        &self,
        archive: &mut Archive<'_>,
        dim: usize,
    ) -> Result<Option<Rows>, Error> {
        match self {
            Self::Csr(compressed) | Self::Csc(compressed) => {
                compressed.rows(archive, dim).map(Some)
            }
            Self::Coo { .. } => Ok(None),
        }
    }

    /// Row and column of each entry; as many as have a place, if that is fewer than are listed.
    pub(super) fn places(
        &self,
        archive: &mut Archive<'_>,
        dim: usize,
    ) -> Result<Vec<(u32, u32)>, Error> {
        match self {
            Self::Csr(compressed) => compressed.places(archive, dim),
            Self::Csc(compressed) => {
                let turned = compressed.places(archive, dim)?;
                Ok(turned.into_iter().map(|(column, row)| (row, column)).collect())
            }
            Self::Coo { rows, columns } => {
                let rows = below(archive, rows, dim)?;
                let columns = below(archive, columns, dim)?;
                Ok(rows.into_iter().zip(columns).collect())
            }
        }
    }
}

impl Compressed {
    fn places(&self, archive: &mut Archive<'_>, dim: usize) -> Result<Vec<(u32, u32)>, Error> {
        let Rows { starts, columns } = self.rows(archive, dim)?;
        let mut places = Vec::with_capacity(columns.len());
        for (row, range) in (0..).zip(starts.windows(2)) {
            places.extend(columns[range[0]..range[1]].iter().map(|&column| (row, column)));
        }
        Ok(places)
    }

    /// Where each row begins, and the columns.
    fn rows(&self, archive: &mut Archive<'_>, dim: usize) -> Result<Rows, Error> {
        let columns = below(archive, &self.indices, dim)?;
        let starts = archive.whole(&self.starts)?.array()?.integers(|start| start)?;
        let path = self.starts.path();
        if let Some(&start) = starts.first().filter(|&&start| start != 0) {
            let expected = format!("offsets from 0 to {}", columns.len());
            return Err(Error::in_file(path, expected, format!("{start} first")));
        }
        let goes_on = |pair: &[i64]| pair[0] <= pair[1] && pair[1] as u64 <= columns.len() as u64;
        if let Some(row) = starts.windows(2).position(|pair| !goes_on(pair)) {
            return Err(unordered(path, row, starts[row], starts[row + 1], columns.len()));
        }
        let starts = starts.into_iter().map(|start| start as usize).collect();
        Ok(Rows { starts, columns })
    }
}

#[cold]
fn unordered(path: &Path, row: usize, start: i64, end: i64, listed: usize) -> Error {
    let expected = format!("offsets from 0 to {listed} that never decrease");
    Error::in_file(path, expected, format!("{end} after {start} (row {})", row + 1))
}

/// The entries of an array of indices, all below the dimension.
fn below(archive: &mut Archive<'_>, member: &Member, dim: usize) -> Result<Vec<u32>, Error> {
    let whole = archive.whole(member)?;
    let array = whole.array()?;
    // The dimension is at most 2³¹, so that what does not fit is not below it.
    let indices = array.integers(|index| u32::try_from(index).unwrap_or(u32::MAX))?;
    if let Some(at) = indices.iter().position(|&index| u64::from(index) >= dim as u64) {
        let expected = format!("indices between 0 and {}", dim - 1);
        let found = format!("{} (entry {at})", array.integers(|index| index)?[at]);
        return Err(Error::in_file(member.path(), expected, found));
    }
    Ok(indices)
}

fn check_length(member: &Member, expected: usize) -> Result<(), Error> {
    let array = member.array()?;
    if *array.shape() == [expected] {
        return Ok(());
    }
    let shape: Vec<_> = array.shape().iter().map(ToString::to_string).collect();
    let expected = format!("an array with one dimension and {expected} entries");
    Err(Error::in_file(member.path(), expected, format!("the shape ({})", shape.join(", "))))
}
