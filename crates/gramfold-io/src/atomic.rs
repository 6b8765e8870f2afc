//! Files replaced in one step.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use crate::Error;

/// Writes a file so that other programs see the old one or the whole new one, never a part.
///
/// The bytes go to a temporary file in the same directory, which is flushed to the disk and renamed
/// over `path`; if anything fails it is removed and `path` is left as it was. A symbolic link is
/// followed. What is not a regular file, such as `/dev/stdout` or a named pipe, cannot be replaced
/// and is written directly.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let written = match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => write_through(path, write),
        Ok(_) => fs::canonicalize(path).and_then(|target| replace(&target, write)),
        Err(_) => replace(path, write),
    };
    written.map_err(|cause| Error::Write { path: path.to_owned(), cause })
}

fn write_through(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::new(OpenOptions::new().write(true).open(path)?);
    write(&mut writer)?;
    writer.flush()
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let (file, mut temporary) = Temporary::beside(path)?;
    let mut writer = BufWriter::new(file);
    write(&mut writer)?;
    let file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    // Before the rename: a crash must not leave the new name on bytes that never reached the disk.
    file.sync_all()?;
    drop(file);
    fs::rename(&temporary.path, path)?;
    temporary.renamed = true;
    Ok(())
}

/// A file that is removed unless it was renamed, also when the writer panics.
struct Temporary {
    path: PathBuf,
    renamed: bool,
}

impl Temporary {
    fn beside(path: &Path) -> io::Result<(File, Self)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            // Not made from the target's name, which may already be as long as a name can be.
            let path = path.with_file_name(format!(".gramfold-{}-{count}.tmp", process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    return Ok((file, Self { path, renamed: false }));
                }
                // Left by a killed process that had the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // The first error is the one to report; a leftover temporary file harms nobody.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_created_and_then_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        for text in ["first", "second, longer"] {
            write_atomically(&path, |writer| writer.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(directory.path()), ["out"]);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        fs::write(&path, "old").unwrap();
        let error = write_atomically(&path, |writer| {
            writer.write_all(b"half of the n")?;
            Err(io::Error::other("the disk is full"))
        })
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{}: cannot write the file: the disk is full", path.display())
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(directory.path()), ["out"]);
    }

    #[test]
    fn a_missing_directory_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("missing").join("out");
        let message = write_atomically(&path, |_| Ok(())).unwrap_err().to_string();
        let start = format!("{}: cannot write the file: ", path.display());
        assert!(message.starts_with(&start), "{message}");
    }

    #[test]
    fn a_directory_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        assert!(write_atomically(directory.path(), |_| Ok(())).is_err());
        assert!(write_atomically(&directory.path().join(".."), |_| Ok(())).is_err());
        assert!(directory.path().is_dir());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_are_written_to() {
        use std::os::unix::fs::{FileTypeExt, symlink};

        let directory = tempfile::tempdir().unwrap();
        let (target, link) = (directory.path().join("target"), directory.path().join("link"));
        fs::write(&target, "old").unwrap();
        symlink(&target, &link).unwrap();
        write_atomically(&link, |writer| writer.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert!(link.is_symlink());

        let null = Path::new("/dev/null");
        write_atomically(null, |writer| writer.write_all(b"gone")).unwrap();
        assert!(fs::metadata(null).unwrap().file_type().is_char_device());
    }
}
