//! One file of a directory, before it is written.

use std::path::Path;

use gramfold::linalg::{Mat, Symmetric};
use gramfold_io::{write_atomically, write_labels, write_matrix_market, write_npy};
use serde::Serialize;

/// Writes the file at a path; called again where the first place did not take it.
type Write<'a> = Box<dyn Fn(&Path) -> anyhow::Result<()> + 'a>;

/// A file to be written.
pub struct Part<'a> {
    /// What it holds, as [`Claims::files`](super::Claims::files) calls it.
    pub role: String,
    /// Its name in the directory.
    pub name: String,
    write: Write<'a>,
}

impl<'a> Part<'a> {
    /// A file that is written by a function of its path.
    pub fn new(
        role: impl Into<String>,
        name: impl Into<String>,
        write: impl Fn(&Path) -> anyhow::Result<()> + 'a,
    ) -> Self {
        Self { role: role.into(), name: name.into(), write: Box::new(write) }
    }

    /// A NumPy array `ROLE.npy`.
    pub fn array(role: impl Into<String>, matrix: &'a Mat) -> Self {
        let role = role.into();
        let name = format!("{role}.npy");
        Self::new(role, name, move |path| Ok(write_npy(path, matrix)?))
    }

    /// A NumPy array of one column.
    pub fn column(role: impl Into<String>, values: &'a [f64]) -> Self {
        let role = role.into();
        let name = format!("{role}.npy");
        Self::new(role, name, move |path| {
            Ok(write_npy(path, &Mat::from_row_major(values.len(), 1, values.to_vec()))?)
        })
    }

    /// A symmetric matrix: text where it is sparse, for others to read; a NumPy array where it is dense.
    pub fn symmetric(role: &str, matrix: &'a Symmetric) -> Self {
        match matrix {
            Symmetric::Dense(dense) => Self::array(role, dense.as_mat()),
            sparse => Self::new(role, format!("{role}.mtx"), |path| {
                Ok(write_matrix_market(path, sparse)?)
            }),
        }
    }

    /// A label for each node, with its name where it has one.
    pub fn labels(role: &str, labels: &'a [usize], names: Option<&'a [String]>) -> Self {
        Self::new(role, format!("{role}.txt"), move |path| Ok(write_labels(path, labels, names)?))
    }

    /// One JSON object a line.
    pub fn lines(role: &str, objects: &'a [impl Serialize]) -> Self {
        Self::new(role, format!("{role}.jsonl"), move |path| {
            write_atomically(path, |out| {
                for object in objects {
                    serde_json::to_writer(&mut *out, object)?;
                    out.write_all(b"\n")?;
                }
                Ok(())
            })?;
            Ok(())
        })
    }

    /// Bytes as they are.
    pub fn bytes(role: &str, name: impl Into<String>, bytes: impl AsRef<[u8]> + 'a) -> Self {
        Self::new(role, name, move |path| {
            Ok(write_atomically(path, |out| out.write_all(bytes.as_ref()))?)
        })
    }

    /// Writes it.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        (self.write)(path)
    }
}
