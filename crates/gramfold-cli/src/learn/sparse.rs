//! Measurements ⟨A_k, Z⟩ of sparse matrices: a file that lists their entries, and one with what came out.

use std::{
    io::{self, Write},
    path::Path,
};

use anyhow::{Context, bail};
use gramfold::Error;
use gramfold_io::{Row, most_rows, read_rows};
use gramfold_learn::{Measurements, SparseEntry};

use crate::store::Part;

/// Sparse matrices, and what was measured with each.
pub(crate) struct Sparse {
    entries: Vec<SparseEntry>,
    targets: Vec<f64>,
    /// The weight of each measurement, where the file of targets has a second column.
    pub(crate) weights: Option<Vec<f64>>,
}

impl Sparse {
    /// Reads the lines `measurement row column value` of a file; a first one whose value is no number is a header.
    pub(crate) fn lines(path: &Path) -> anyhow::Result<Vec<Row>> {
        let rows = read_rows(path, 4, "a measurement, a row, a column and a value")?;
        Ok(without_header(rows, 3))
    }

    /// Takes such lines together with a file of targets, `b [weight]` a line; `find` says which node a name is.
    pub(crate) fn of(
        (path, rows): (&Path, &[Row]),
        targets: &Path,
        find: &dyn Fn(&str) -> Option<u32>,
    ) -> anyhow::Result<Self> {
        let mut entries = Vec::with_capacity(rows.len());
        for row in rows {
            let columns = row.fields.len();
            if columns > 4 {
                let expected = "a measurement, a row, a column and a value";
                bail!("{}: expected {expected}, found {columns} columns", row.at(path));
            }
            let node = |field: &str| {
                find(field).with_context(|| format!("{}: there is no node `{field}`", row.at(path)))
            };
            let text = &row.fields[0];
            let measurement = text.parse().ok().with_context(|| {
                format!("{}: the measurement `{text}` is no whole number from 0", row.at(path))
            })?;
            let (from, to) = (node(&row.fields[1])?, node(&row.fields[2])?);
            let value = number(path, row, 3)?;
            entries.push(SparseEntry { measurement, row: from, column: to, value });
        }
        let rows = without_header(read_rows(targets, 1, "what was measured")?, 0);
        let weighted = rows[0].fields.len() > 1;
        let (mut values, mut weights) = (Vec::new(), Vec::new());
        for row in &rows {
            let (columns, expected) = (row.fields.len(), 1 + usize::from(weighted));
            if columns != expected || columns > 2 {
                let fault = "expected a target and perhaps a weight, on every line";
                bail!("{}: {fault}, found {columns} columns", row.at(targets));
            }
            values.push(number(targets, row, 0)?);
            if weighted {
                weights.push(number(targets, row, 1)?);
            }
        }
        Ok(Self { entries, targets: values, weights: weighted.then_some(weights) })
    }

    /// Reads both files; rows and columns are numbers from zero.
    pub(crate) fn read(path: &Path, targets: &Path) -> anyhow::Result<Self> {
        let rows = Self::lines(path)?;
        for row in &rows {
            for field in &row.fields[1..3] {
                if field.parse::<u32>().is_err() {
                    bail!("{}: `{field}` is no whole number from 0", row.at(path));
                }
            }
        }
        let read = Self::of((path, &rows), targets, &|field| field.parse().ok())?;
        if read.weights.is_some() {
            bail!("{}: expected one number a line, without weights", targets.display());
        }
        let (n, most) = (read.dim(), most_rows(rows.len() as u64));
        if n as u64 > most {
            bail!(
                "{}: {n} rows are too many for {} entries, which may speak of {most}: number them from zero without gaps",
                path.display(),
                rows.len()
            );
        }
        Ok(read)
    }

    /// One more than the largest row or column.
    pub(crate) fn dim(&self) -> usize {
        let largest = self.entries.iter().map(|entry| entry.row.max(entry.column)).max();
        largest.map_or(0, |largest| largest as usize + 1)
    }

    /// The measurements of an n×n matrix.
    pub(crate) fn measured(&self, n: usize) -> Result<Measurements, Error> {
        Measurements::sparse(n, &self.entries, self.targets.clone())
    }

    /// All its numbers.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let entry = |e: &SparseEntry| {
            [f64::from(e.measurement), f64::from(e.row), f64::from(e.column), e.value]
        };
        self.entries.iter().flat_map(entry).chain(self.targets.iter().copied()).collect()
    }

    /// The files that hold it.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let entries = |out: &mut dyn Write| -> io::Result<()> {
            for SparseEntry { measurement, row, column, value } in &self.entries {
                writeln!(out, "{measurement},{row},{column},{value:?}")?;
            }
            Ok(())
        };
        let targets = |out: &mut dyn Write| -> io::Result<()> {
            self.targets.iter().try_for_each(|target| writeln!(out, "{target:?}"))
        };
        vec![
            Part::new("measurements", "measurements.csv", entries),
            Part::new("targets", "targets.csv", targets),
        ]
    }
}

/// Lines but for a first one that is a header: what is a number on the others is none there.
pub(crate) fn without_header(mut rows: Vec<Row>, number: usize) -> Vec<Row> {
    if rows.len() > 1 && rows[0].fields[number].parse::<f64>().is_err() {
        rows.remove(0);
    }
    rows
}

/// A number of a line.
pub(crate) fn number(path: &Path, row: &Row, place: usize) -> anyhow::Result<f64> {
    let text = row.fields[place].trim();
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    value.with_context(|| format!("{}: `{text}` is no number", row.at(path)))
}
