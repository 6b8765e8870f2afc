//! One writer of a directory at a time.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    process,
};

use anyhow::{Context, bail};

/// A locked file that names the process; it goes when the lock does. The system takes the lock from a process that
/// was killed, so that a file which is left behind locks nobody out.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    /// Holds the lock until it is closed.
    _file: File,
}

impl Lock {
    /// Takes the lock; an error says who has it. `what` is what is locked.
    pub(super) fn take(path: &Path, what: &Path) -> anyhow::Result<Self> {
        loop {
            let failed = || format!("cannot write beside {}", what.display());
            let mut options = OpenOptions::new();
            let options = options.read(true).write(true).create(true).truncate(false);
            let mut file = options.open(path).with_context(failed)?;
            match file.try_lock() {
                // A file system without locks cannot tell two writers apart.
                Ok(()) | Err(TryLockError::Error(_)) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut owner = String::new();
                    // An empty name is no worse than none.
                    let _ = file.read_to_string(&mut owner);
                    let owner = owner.trim();
                    let process = if owner.is_empty() {
                        String::new()
                    } else {
                        format!(" (process {owner})")
                    };
                    bail!(
                        "another gramfold{process} is writing {}: wait for it, or choose another place \
                         with --out",
                        what.display()
                    );
                }
            }
            // Whoever had the lock before may have removed the file since it was opened here.
            if is_at(&file, path) {
                // A full disk does not keep the lock from holding.
                let _ = file.set_len(0).and_then(|()| file.rewind());
                let _ = write!(file, "{}", process::id());
                return Ok(Self { path: path.to_owned(), _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Before the lock goes, so that nobody is locked by a file that is no longer there.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = || -> io::Result<bool> {
        let (a, b) = (file.metadata()?, fs::metadata(path)?);
        Ok((a.dev(), a.ino()) == (b.dev(), b.ino()))
    };
    same().unwrap_or(false)
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    // An open file cannot be removed there.
    fs::metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_told_and_a_file_left_behind_locks_nobody_out() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        fs::write(&path, "99999999").unwrap();
        let first = Lock::take(&path, Path::new("out")).unwrap();
        let message = Lock::take(&path, Path::new("out")).unwrap_err().to_string();
        let id = process::id();
        assert!(message.contains(&format!("(process {id}) is writing out")), "{message}");
        drop(first);
        assert!(!path.exists());
        drop(Lock::take(&path, Path::new("out")).unwrap());
    }
}
