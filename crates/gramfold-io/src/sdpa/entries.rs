//! The entries: a line `matrix block row column value` for each nonzero of F_0, …, F_m, in any order.

use super::{header::Header, scanner::Scanner};
use crate::{Error, limits::most_rows, scanner::repeated};

/// The shortest line: five digits, four spaces and the end of the line.
const LEAST: usize = 10;

/// One entry of a symmetric matrix; row ≤ column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SdpaEntry {
    /// i of F_i, from 0 to m.
    pub matrix: u32,
    /// The block, from zero.
    pub block: u32,
    /// The row, from zero.
    pub row: u32,
    /// The column, from zero.
    pub column: u32,
    /// The value, at (row, column) and at (column, row).
    pub value: f64,
}

impl SdpaEntry {
    fn place(&self) -> (u32, u32, u32, u32) {
        (self.matrix, self.block, self.row, self.column)
    }
}

/// Reads the entries to the end of the file.
pub(super) fn read(scanner: &mut Scanner<'_>, header: &Header) -> Result<Vec<SdpaEntry>, Error> {
    let start = scanner.clone();
    // Bounded by the bytes that are there. Half of what fits: most lines are longer than the shortest.
    let mut entries = Vec::with_capacity(scanner.rest().len().div_ceil(2 * LEAST));
    let (matrices, blocks) = (header.costs.len() as u64, header.blocks.len() as u64);
    let mut sorted = true;
    while scanner.next_line() {
        let matrix = index(scanner, 0, matrices, "a matrix")?;
        let block = index(scanner, 1, blocks, "a block")? - 1;
        let size = header.blocks[block as usize];
        let row = index(scanner, 1, size.unsigned_abs(), "a row")? - 1;
        let column = index(scanner, 1, size.unsigned_abs(), "a column")? - 1;
        let before = scanner.clone();
        let value = scanner.value().ok_or_else(|| before.unexpected("a finite number"))?;
        if size < 0 && row != column {
            return Err(off_diagonal(&before, block, row, column));
        }
        scanner.end_line("the end of the line after five numbers")?;
        let entry =
            SdpaEntry { matrix, block, row: row.min(column), column: row.max(column), value };
        sorted &= entries.last().is_none_or(|last: &SdpaEntry| last.place() < entry.place());
        entries.push(entry);
    }
    // Entries in increasing order repeat none; only otherwise are they sorted to see.
    if !sorted && let Some((first, second)) = repeated(entries.len(), |k| entries[k].place()) {
        return Err(repetition(&start, &entries[second], first, second));
    }
    check_sizes(scanner, header, entries.len() as u64)?;
    Ok(entries)
}

/// An index in a range that fits 32 bits: a file with 2³² constraints or blocks has not been read to here.
#[inline]
fn index(scanner: &mut Scanner<'_>, low: u64, high: u64, name: &str) -> Result<u32, Error> {
    let before = scanner.clone();
    match scanner.integer() {
        Some(index) if low <= index && index <= high && u32::try_from(index).is_ok() => {
            Ok(index as u32)
        }
        _ => Err(out_of_range(&before, low, high, name)),
    }
}

#[cold]
fn out_of_range(scanner: &Scanner<'_>, low: u64, high: u64, name: &str) -> Error {
    scanner.unexpected(&format!("{name} between {low} and {high}"))
}

#[cold]
fn off_diagonal(scanner: &Scanner<'_>, block: u32, row: u32, column: u32) -> Error {
    let expected = format!("an entry on the diagonal, since block {} is diagonal", block + 1);
    let found = format!("({}, {})", row + 1, column + 1);
    Error::at_line(scanner.path(), scanner.line(), expected, found)
        .with_hint("give the block a positive size if it is a full one")
}

/// Blocks take memory for each row, so their sizes must be borne out by entries.
fn check_sizes(scanner: &Scanner<'_>, header: &Header, listed: u64) -> Result<(), Error> {
    let most = most_rows(listed);
    let rows =
        header.blocks.iter().fold(0_u64, |sum, size| sum.saturating_add(size.unsigned_abs()));
    if rows <= most {
        return Ok(());
    }
    let expected = format!("blocks with at most {most} rows in all for {listed} entries");
    Err(Error::at_line(scanner.path(), header.blocks_line, expected, rows.to_string())
        .with_hint("leave out the rows and columns that are empty"))
}

#[cold]
fn repetition(start: &Scanner<'_>, entry: &SdpaEntry, first: usize, second: usize) -> Error {
    let SdpaEntry { matrix, block, row, column, .. } = entry;
    Error::at_line(
        start.path(),
        start.line_after(second),
        "each position once, in one of the two triangles",
        format!(
            "({}, {}) of matrix {matrix}, block {} again after line {}",
            row + 1,
            column + 1,
            block + 1,
            start.line_after(first)
        ),
    )
    .with_hint("list one triangle only, and add the values of repeated entries")
}
