//! A directory read back, wherever it has been moved to.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use gramfold::linalg::{Dense, Mat, Symmetric};
use gramfold_io::{Asymmetry, read_matrix_market, read_npy};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Claims, FORMAT, SOLUTION};
use crate::source::read_text;

/// A directory and its claims.
#[derive(Debug)]
pub struct Saved<S = Value, D = Map<String, Value>> {
    directory: PathBuf,
    /// What it claims.
    pub claims: Claims<S, D>,
}

impl<S: DeserializeOwned, D: DeserializeOwned> Saved<S, D> {
    /// Reads the claims of a directory.
    ///
    /// # Errors
    /// If it is not a directory of gramfold, or of another version or command.
    pub fn open(directory: &Path) -> anyhow::Result<Self> {
        let path = directory.join(SOLUTION);
        let text = fs::read_to_string(&path).with_context(|| {
            format!("cannot read {}; is this a directory of gramfold?", path.display())
        })?;
        let damaged = || format!("{} is damaged", path.display());
        let any: Value = serde_json::from_str(&text).with_context(damaged)?;
        match any.get("format").and_then(Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(format) => {
                bail!("{} has format {format}, but this gramfold reads {FORMAT}", path.display())
            }
            None => bail!("{} is not of gramfold", path.display()),
        }
        let claims = serde_json::from_str(&text).with_context(damaged)?;
        Ok(Self { directory: directory.to_owned(), claims })
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The path of the file that holds this.
    pub fn path(&self, role: &str) -> anyhow::Result<PathBuf> {
        let solution = || self.directory.join(SOLUTION);
        let name = self.claims.files.get(role);
        let name =
            name.with_context(|| format!("{} names no file `{role}`", solution().display()))?;
        // A name, not a path: nothing outside the directory is read.
        if Path::new(name).file_name().is_none_or(|file| file != name.as_str()) {
            bail!("{}: `{name}` is not the name of a file", solution().display());
        }
        Ok(self.directory.join(name))
    }

    /// A NumPy array.
    pub fn array(&self, role: &str) -> anyhow::Result<Mat> {
        Ok(read_npy(&self.path(role)?)?)
    }

    /// Whether such an array is what was found, but for so much.
    pub(crate) fn holds(&self, role: &str, found: &Mat, slack: f64) -> anyhow::Result<bool> {
        let written = self.array(role)?;
        let same = (written.rows(), written.cols()) == (found.rows(), found.cols());
        Ok(same && written.distance(found) <= slack)
    }

    /// A NumPy array of one column.
    pub fn column(&self, role: &str) -> anyhow::Result<Vec<f64>> {
        let path = self.path(role)?;
        let matrix = read_npy(&path)?;
        if matrix.cols() != 1 {
            bail!("{} has {} columns instead of one", path.display(), matrix.cols());
        }
        Ok(matrix.as_slice().to_vec())
    }

    /// A symmetric matrix.
    pub fn symmetric(&self, role: &str) -> anyhow::Result<Symmetric> {
        let path = self.path(role)?;
        if path.extension().is_none_or(|extension| extension != "npy") {
            return Ok(read_matrix_market(&path, Asymmetry::Refuse)?);
        }
        let dense = read_npy(&path)?;
        if dense.rows() != dense.cols() || dense != dense.transposed() {
            bail!("{} is not symmetric", path.display());
        }
        Ok(Dense::symmetrised(dense).into())
    }

    /// One JSON object a line.
    pub fn lines<T: DeserializeOwned>(&self, role: &str) -> anyhow::Result<Vec<T>> {
        let path = self.path(role)?;
        let text = read_text(&path)?;
        let line = |(i, line): (usize, &str)| {
            serde_json::from_str(line)
                .with_context(|| format!("{}:{}: not a record", path.display(), i + 1))
        };
        text.lines().enumerate().map(line).collect()
    }
}
