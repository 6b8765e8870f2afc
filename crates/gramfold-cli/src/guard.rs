//! Nothing that was read is overwritten, and what cannot be written is said before the work.

use std::{
    fmt, fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process,
};

use anyhow::bail;

use crate::source::STDIN;

/// A file that is read, or written because a flag says so.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    /// The flag, or `the input`.
    pub(crate) flag: &'a str,
    pub(crate) path: &'a Path,
}

impl<'a> Named<'a> {
    /// The part of the directory that a flag stands for.
    pub(crate) fn role(&self) -> &'a str {
        self.flag.trim_start_matches('-')
    }
}

/// `--report page.html`.
impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.flag, self.path.display())
    }
}

/// Refuses outputs that are an input, whatever they are called, and two outputs that are one file.
///
/// # Errors
/// By the names of both.
pub(crate) fn refuse_overwriting(
    inputs: &[Named<'_>],
    outputs: &[Named<'_>],
    directory: &Path,
) -> anyhow::Result<()> {
    for output in outputs {
        if let Some(input) = inputs.iter().find(|input| is_same(output.path, input.path)) {
            bail!("{output} is {input}: it would be overwritten; choose another name");
        }
    }
    for (i, output) in outputs.iter().enumerate() {
        if let Some(other) = outputs[..i].iter().find(|other| is_same(output.path, other.path)) {
            bail!(
                "{} and {} are the same file {}: choose two names",
                other.flag,
                output.flag,
                output.path.display()
            );
        }
    }
    let answer = directory.display();
    for input in inputs {
        if is_same(directory, input.path) {
            let flag = input.flag;
            bail!(
                "the answer would go to {answer}, which is {flag}: choose another place with --out"
            );
        }
        if is_within(input.path, directory) {
            bail!(
                "the answer would replace {answer}, which holds {input}: choose another place with --out"
            );
        }
    }
    Ok(())
}

/// Why a file cannot be written, if that can be known.
pub(crate) fn probe(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        // Pipes and devices are written to as they are.
        Ok(found) if !found.is_file() => return Ok(()),
        Ok(found) if found.permissions().readonly() => {
            return Err(ErrorKind::PermissionDenied.into());
        }
        _ => {}
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = path.with_file_name(format!(".gramfold-{}-probe.tmp", process::id()));
    fs::File::create(&beside)?;
    fs::remove_file(&beside)
}

/// Whether a path is in a directory, at any depth.
pub(crate) fn is_within(path: &Path, directory: &Path) -> bool {
    let Ok(directory) = fs::canonicalize(directory) else { return false };
    // Where a link to the file is, and where the file is.
    let places = [fs::canonicalize(parent(path)), fs::canonicalize(path)];
    places.into_iter().flatten().any(|place| place.starts_with(&directory))
}

/// Whether two paths are one file: by what the system knows them by, so that links and spellings do not hide it.
fn is_same(a: &Path, b: &Path) -> bool {
    match (identity(a), identity(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => match (absolute(a), absolute(b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        },
        _ => false,
    }
}

/// Where a file that is not there yet would be.
fn absolute(path: &Path) -> Option<PathBuf> {
    if fs::metadata(path).is_ok() {
        // A device, which any number of outputs may go to.
        return None;
    }
    Some(fs::canonicalize(parent(path)).ok()?.join(path.file_name()?))
}

/// The directory that a path is in.
pub(crate) fn parent(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// What the system knows a regular file or a directory by.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let path = if path == Path::new(STDIN) { Path::new("/dev/stdin") } else { path };
    let found = fs::metadata(path).ok()?;
    (found.is_file() || found.is_dir()).then(|| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    if path == Path::new(STDIN) { None } else { fs::canonicalize(path).ok() }
}
