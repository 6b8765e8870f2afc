//! npz files into symmetric matrices.

use std::path::Path;

use gramfold_linalg::{Csr, Symmetric};

use super::{
    archive::Archive,
    indices::{Format, Indices, Rows},
};
use crate::{
    Asymmetry, Error, finite, input,
    limits::{LARGEST, most_rows},
    symmetry,
};

/// Reads a real symmetric matrix from a file that `scipy.sparse.save_npz` wrote.
///
/// The format may be `csr`, `csc` or `coo`; entries may be floats, integers or booleans and must be
/// finite. Entries at the same place are added, as SciPy does.
pub fn read_npz(path: &Path, asymmetry: Asymmetry) -> Result<Symmetric, Error> {
    parse(path, &input::read(path)?, asymmetry)
}

/// Reads from the bytes of the file; `path` is for messages.
pub(crate) fn parse(path: &Path, bytes: &[u8], asymmetry: Asymmetry) -> Result<Symmetric, Error> {
    let archive = &mut Archive::new(path, bytes)?;
    // All headers first: arrays that do not fit each other are not unpacked.
    let format = Format::read(archive)?;
    let dim = dimension(archive)?;
    let data = archive.member("data")?;
    let listed = match *data.array()?.shape() {
        [listed] => listed,
        ref shape => {
            let found = format!("{} dimensions", shape.len());
            return Err(Error::in_file(data.path(), "an array with one dimension", found));
        }
    };
    check_sizes(data.path(), dim, listed)?;
    let indices = Indices::read(archive, format, dim, listed)?;
    // The usual file has what a matrix holds: rows that are sorted and symmetric, without copies.
    if let Some(Rows { starts, columns }) = indices.rows(archive, dim)? {
        let values = archive.whole(&data)?.array()?.floats()?;
        if values.iter().all(|value| value.is_finite())
            && let Some(matrix) = Csr::from_rows(starts, columns, values)
        {
            return Ok(matrix.into());
        }
    }
    let places = indices.places(archive, dim)?;
    let values = archive.whole(&data)?.array()?.floats()?;

    let entries: Vec<_> = places.into_iter().zip(values).map(|((i, j), v)| (i, j, v)).collect();
    if let Some(&(i, j, value)) = entries.iter().find(|(_, _, value)| !value.is_finite()) {
        return Err(finite::refused(path, i as usize, j as usize, value));
    }
    let matrix = symmetry::sparse(dim, &entries, asymmetry)
        .map_err(|error| Error::not_symmetric(path, error))?;
    // Entries at the same place may add up to more than fits.
    for i in 0..dim {
        if let Some((j, value)) = matrix.row(i).find(|(_, value)| !value.is_finite()) {
            return Err(finite::refused(path, i, j, value));
        }
    }
    Ok(matrix.into())
}

fn dimension(archive: &mut Archive<'_>) -> Result<usize, Error> {
    let member = archive.member("shape")?;
    let fault =
        |expected: String, found: String| Err(Error::in_file(member.path(), expected, found));
    if *member.array()?.shape() != [2] {
        return fault("the numbers of rows and columns".into(), "another array".into());
    }
    let shape = archive.whole(&member)?.array()?.integers(|extent| extent)?;
    match shape[..] {
        [rows, columns] if rows != columns => {
            fault(format!("a square matrix ({rows} columns)"), format!("{columns} columns"))
        }
        [rows, _] if rows > 0 && rows as u64 <= LARGEST => Ok(rows as usize),
        [rows, _] if rows > 0 => fault(format!("at most {LARGEST} rows"), rows.to_string()),
        _ => fault("at least one row".into(), "none: the matrix is empty".into()),
    }
}

fn check_sizes(path: &Path, dim: usize, listed: usize) -> Result<(), Error> {
    let most = (dim as u128).pow(2);
    if listed as u128 > most {
        return Err(Error::in_file(path, format!("at most {most} entries"), listed.to_string())
            .with_hint("call `sum_duplicates()` before `save_npz`"));
    }
    let most = most_rows(listed as u64);
    if dim as u64 > most {
        let expected = format!("at most {most} rows for {listed} entries");
        return Err(Error::in_file(path, expected, dim.to_string())
            .with_hint("leave out the rows and columns that are empty"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
