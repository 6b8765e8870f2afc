//! One file of a directory, before it is written.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use gramfold::linalg::{Mat, Symmetric};
use gramfold_io::{labels_to, matrix_market_to, npy_to, write_atomically};
use serde::Serialize;

use super::hash::Hashed;

/// Bytes that are handed to the system at a time.
const BUFFER: usize = 1 << 16;

/// Writes the bytes of the file; called again where the first place did not take it.
type Content<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

/// A file to be written.
pub struct Part<'a> {
    /// What it holds, as [`Claims::files`](super::Claims::files) calls it.
    pub role: String,
    /// Its name in the directory.
    pub name: String,
    content: Content<'a>,
    /// The array that it holds, if it is one.
    pub(super) array: Option<&'a Mat>,
}

impl<'a> Part<'a> {
    /// A file whose bytes a function writes.
    pub fn new(
        role: impl Into<String>,
        name: impl Into<String>,
        content: impl Fn(&mut dyn Write) -> io::Result<()> + 'a,
    ) -> Self {
        Self { role: role.into(), name: name.into(), content: Box::new(content), array: None }
    }

    /// A copy of a file.
    pub fn copy(role: impl Into<String>, name: impl Into<String>, path: PathBuf) -> Self {
        Self::new(role, name, move |out| io::copy(&mut File::open(&path)?, out).map(drop))
    }

    /// A NumPy array `ROLE.npy`.
    pub fn array(role: impl Into<String>, matrix: &'a Mat) -> Self {
        let role = role.into();
        let name = format!("{role}.npy");
        Self { array: Some(matrix), ..Self::new(role, name, move |out| npy_to(out, matrix)) }
    }

    /// A NumPy array of one column.
    pub fn column(role: impl Into<String>, values: &'a [f64]) -> Self {
        let role = role.into();
        let name = format!("{role}.npy");
        Self::new(role, name, move |out| {
            npy_to(out, &Mat::from_row_major(values.len(), 1, values.to_vec()))
        })
    }

    /// A symmetric matrix: text where it is sparse, for others to read; a NumPy array where it is dense.
    pub fn symmetric(role: &str, matrix: &'a Symmetric) -> Self {
        match matrix {
            Symmetric::Dense(dense) => Self::array(role, dense.as_mat()),
            sparse => Self::new(role, format!("{role}.mtx"), |out| matrix_market_to(out, sparse)),
        }
    }

    /// A label for each node, with its name where it has one.
    pub fn labels(role: &str, labels: &'a [usize], names: Option<&'a [String]>) -> Self {
        Self::new(role, format!("{role}.txt"), move |out| labels_to(out, labels, names))
    }

    /// One JSON object a line.
    pub fn lines(role: &str, objects: &'a [impl Serialize]) -> Self {
        Self::new(role, format!("{role}.jsonl"), move |out| {
            for object in objects {
                serde_json::to_writer(&mut *out, object)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })
    }

    /// Bytes as they are.
    pub fn bytes(role: &str, name: impl Into<String>, bytes: impl AsRef<[u8]> + 'a) -> Self {
        Self::new(role, name, move |out| out.write_all(bytes.as_ref()))
    }

    /// Writes it in the place of what may be there.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        Ok(write_atomically(path, |out| (self.content)(out))?)
    }

    /// Writes it where nothing is; the file, of which not all may have reached the disk, and its SHA-256, which need not be
    /// computed where it is known.
    pub(super) fn create(&self, path: &Path, known: Option<String>) -> io::Result<(File, String)> {
        let file = File::create_new(path)?;
        if let Some(hash) = known {
            let mut out = BufWriter::with_capacity(BUFFER, file);
            (self.content)(&mut out)?;
            return Ok((out.into_inner()?, hash));
        }
        let mut out = BufWriter::with_capacity(BUFFER, Hashed::new(file));
        (self.content)(&mut out)?;
        Ok(out.into_inner()?.finish())
    }
}
