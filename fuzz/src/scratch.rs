//! A directory for the files of an input.

use std::path::Path;

use tempfile::TempDir;

/// A directory that is removed in the end.
pub struct Scratch(TempDir);

impl Scratch {
    /// In the system's place for temporary files.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn new() -> Self {
        Self(
            tempfile::Builder::new()
                .prefix("gramfold-fuzz-")
                .tempdir()
                .expect("a directory for files"),
        )
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}
