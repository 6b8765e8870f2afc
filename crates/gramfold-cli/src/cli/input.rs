//! The flags that say how a file is read.

use std::path::Path;

use anyhow::bail;
use clap::{Args, ValueEnum};
use gramfold_io::{
    Asymmetry, Duplicates, Error, Graph, GraphOptions, Missing, Notes, TableOptions, read_graph,
};

use crate::output;

/// How a graph or a matrix is read.
#[derive(Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct ReadArgs {
    /// Take ½(A + Aᵀ) of a matrix that is not symmetric, and the mean of both directions of an edge.
    #[arg(long, visible_alias = "symmetrize")]
    pub(crate) symmetrise: bool,

    /// What becomes of an edge that the file mentions again, in either direction.
    #[arg(long, value_enum, value_name = "HOW", default_value = "first")]
    pub(crate) duplicates: DuplicatesArg,
}

impl ReadArgs {
    /// Reads a graph or a matrix in any format, and says what may not be as it was meant.
    pub(crate) fn read(&self, path: &Path) -> anyhow::Result<Graph> {
        self.read_with(path, false)
    }

    fn read_with(&self, path: &Path, holes: bool) -> anyhow::Result<Graph> {
        let asymmetry = if self.symmetrise { Asymmetry::Average } else { Asymmetry::Refuse };
        let duplicates = match self.duplicates {
            DuplicatesArg::First => Duplicates::First,
            DuplicatesArg::Sum => Duplicates::Sum,
            DuplicatesArg::Refuse => Duplicates::Refuse,
        };
        let graph = read_graph(path, GraphOptions { asymmetry, duplicates, holes })?;
        say(path, &graph.notes);
        Ok(graph)
    }

    /// The same of a file that must say a number of each pair, such as a distance.
    pub(crate) fn read_values(&self, path: &Path, what: &str) -> anyhow::Result<Graph> {
        with_values(self.read(path)?, path, what)
    }

    /// The same where what the file does not have is not known. An `item` is one of its numbers.
    pub(crate) fn read_known(&self, path: &Path, item: &str, what: &str) -> anyhow::Result<Graph> {
        let read = self.read_with(path, true).map_err(|error| match error.downcast() {
            Ok(error) => unknown(error, item).into(),
            Err(error) => error,
        });
        with_values(read?, path, what)
    }
}

fn with_values(graph: Graph, path: &Path, what: &str) -> anyhow::Result<Graph> {
    if graph.notes.unweighted {
        let path = path.display();
        bail!(
            "{path}: expected {what} for every pair, found pairs without; add it as a third column"
        );
    }
    Ok(graph)
}

/// Says what a file without numbers should have, and how a list says that some of them are not known.
fn unknown(mut error: Error, item: &str) -> Error {
    if let Error::Malformed { expected, found, hint, .. } = &mut error {
        if expected == "at least one edge" {
            *expected = format!("at least one {item}");
        } else if expected.contains("finite") && found.to_ascii_lowercase().contains("nan") {
            *hint = Some("leave out what is not known");
        }
    }
    error
}

/// Says what was read, if there is anything to say, and warns.
pub(crate) fn say(path: &Path, notes: &Notes) {
    let path = path.display();
    if !notes.said.is_empty() {
        output::note(&format!("{path}: {}", notes.line()));
    }
    for warning in &notes.warnings {
        output::warning(&format!("{path}: {warning}"));
    }
}

/// What becomes of an edge that comes again.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum DuplicatesArg {
    /// Its first weight counts.
    First,
    /// The weights are added.
    Sum,
    /// The file is refused.
    Refuse,
}

/// How a table of points is read.
#[derive(Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct TableArgs {
    /// The coordinates of a table: names, numbers from one and ranges, as in `2-5,height` [default: all columns of numbers
    /// but those that count the rows or are called like classes]
    #[arg(long, value_name = "LIST", requires = "points")]
    pub(crate) columns: Option<String>,

    /// The column of a table that names the points.
    #[arg(long, value_name = "COLUMN", requires = "points")]
    pub(crate) id_column: Option<String>,

    /// The column of a table with the known classes, to learn from or to compare with.
    #[arg(long, value_name = "COLUMN", requires = "points")]
    pub(crate) label_column: Option<String>,

    /// Give every column of a table mean 0 and variance 1.
    #[arg(long, visible_alias = "standardize", requires = "points")]
    pub(crate) standardise: bool,

    /// What becomes of a row of a table with a hole (empty, NA, NaN, null, None or ?).
    #[arg(long, value_enum, value_name = "HOW", default_value = "refuse", requires = "points")]
    pub(crate) missing: MissingArg,
}

impl TableArgs {
    /// How the reader is to take the table.
    pub(crate) fn options(&self) -> TableOptions {
        TableOptions {
            columns: self.columns.clone(),
            id: self.id_column.clone(),
            label: self.label_column.clone(),
            missing: match self.missing {
                MissingArg::Refuse => Missing::Refuse,
                MissingArg::Drop => Missing::Drop,
                MissingArg::Mean => Missing::Mean,
            },
            standardise: self.standardise,
        }
    }
}

/// What becomes of a row with a hole.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum MissingArg {
    /// The table is refused.
    Refuse,
    /// The row is left out.
    Drop,
    /// The hole gets the mean of its column.
    Mean,
}
