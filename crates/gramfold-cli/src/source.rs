//! The file that a command reads; `-` is the standard input.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    thread,
};

use anyhow::Context;
use flate2::read::MultiGzDecoder;
use tempfile::TempDir;

use crate::{output, store::Input};

/// What stands for the standard input.
pub(crate) const STDIN: &str = "-";

/// Bytes of a file from which on it pays to do something beside its reading, or for its sake.
pub(crate) const LARGE: u64 = 1 << 17;

/// The length of a file; 0 of what is none.
pub(crate) fn file_size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A file to read, whose hash is made meanwhile.
pub(crate) struct Source {
    /// As the user named it.
    pub(crate) named: PathBuf,
    /// Where it can be read.
    pub(crate) path: PathBuf,
    hash: Box<dyn FnOnce() -> io::Result<Input>>,
    /// Holds what came by the standard input, until the end.
    kept: Option<TempDir>,
}

impl Source {
    /// Opens a file. What comes by the standard input is kept in a temporary file, whose name ends in what its first bytes look
    /// like, or in `otherwise`.
    pub(crate) fn open(named: &Path, otherwise: &str) -> anyhow::Result<Self> {
        let (path, kept) = if named == Path::new(STDIN) {
            let directory = TempDir::new().context("cannot keep the standard input")?;
            let path =
                keep(directory.path(), otherwise).context("cannot keep the standard input")?;
            output::keep_stdin_in(&path);
            (path, Some(directory))
        } else {
            (named.to_owned(), None)
        };
        let (at, called) = (path.clone(), named.to_owned());
        // A small file is hashed sooner than a thread is begun.
        let hash: Box<dyn FnOnce() -> io::Result<Input>> = if file_size(&path) < LARGE {
            let found = Input::of(&at, &called);
            Box::new(|| found)
        } else {
            let hash = thread::spawn(move || Input::of(&at, &called));
            Box::new(|| hash.join().expect("invariant: reading a file does not panic"))
        };
        Ok(Self { named: named.to_owned(), path, hash, kept })
    }

    /// What is claimed of it, and what keeps it until that is dropped.
    pub(crate) fn input(self) -> anyhow::Result<(Input, Option<TempDir>)> {
        let named = self.named.display();
        Ok(((self.hash)().with_context(|| format!("cannot read {named} again"))?, self.kept))
    }

    /// `graphs/karate.mtx.gz` and `cluster` give `karate.cluster`, in the current directory.
    pub(crate) fn directory(named: &Path, command: &str) -> PathBuf {
        if named == Path::new(STDIN) {
            return format!("stdin.{command}").into();
        }
        let name = named.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        // A name that is all ending keeps it.
        let stem = if stem.is_empty() { name } else { stem };
        format!("{stem}.{command}").into()
    }
}

fn keep(directory: &Path, otherwise: &str) -> io::Result<PathBuf> {
    let path = directory.join("stdin");
    io::copy(&mut io::stdin().lock(), &mut File::create(&path)?)?;
    // What cannot be unpacked begins like nothing that is known.
    let beginning = |file: &mut dyn Read| {
        let mut start = Vec::new();
        let _ = file.take(16).read_to_end(&mut start);
        start
    };
    let mut start = beginning(&mut File::open(&path)?);
    let zipped = start.starts_with(&[0x1f, 0x8b]);
    if zipped {
        start = beginning(&mut MultiGzDecoder::new(File::open(&path)?));
    }
    let ending = match &start {
        bytes if bytes.starts_with(b"%%MatrixMarket") => "mtx",
        bytes if bytes.starts_with(b"\x93NUMPY") => "npy",
        bytes if bytes.starts_with(b"PK\x03\x04") => "npz",
        _ => otherwise,
    };
    let named = path.with_file_name(format!("stdin.{ending}{}", if zipped { ".gz" } else { "" }));
    fs::rename(path, &named)?;
    Ok(named)
}
