//! A directory for the files of an input.

use std::path::Path;

use tempfile::TempDir;

/// A directory that is removed in the end.
pub struct Scratch(TempDir);

impl Scratch {
    /// In memory where the system has such a place, since every answer is flushed to its disk; else among the temporary files.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn new() -> Self {
        let mut named = tempfile::Builder::new();
        named.prefix("gramfold-fuzz-");
        let memory = named.tempdir_in("/dev/shm");
        Self(memory.or_else(|_| named.tempdir()).expect("a directory for files"))
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
