//! Where a directory is to be: claimed before the work, replaced as a whole after it.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process,
};

use anyhow::{Context, bail};
use gramfold::linalg::Mat;
use serde::Serialize;
use serde_json::Value;

use super::{
    Claims, FORMAT, Part, SOLUTION,
    claims::SOLUTION_ROLE,
    commit::{replace, sync},
    hash::{Fingerprint, sha256_of_claims},
    lock::Lock,
};
use crate::{guard::parent, resources::Moment};

/// The longest name that the names beside it are made from.
const LONGEST: usize = 200;

/// Seconds that an answer must have taken for the disk to be waited for: others are sooner made again than they are lost.
const SHORT: f64 = 1.0;

/// A directory that this process alone may write.
#[derive(Debug)]
pub struct Place {
    /// As the user named it.
    named: PathBuf,
    /// Without links.
    target: PathBuf,
    /// Where it is written first.
    new: PathBuf,
    /// Where the old one is for a moment, on systems that cannot exchange directories.
    aside: PathBuf,
    _lock: Lock,
}

impl Place {
    /// Claims a directory, making those above it: before the work, since a place that cannot be written should not waste it.
    ///
    /// # Errors
    /// If something is there that gramfold did not write, if another process is writing there, or if nothing can be
    /// written beside it.
    pub fn claim(named: &Path) -> anyhow::Result<Self> {
        let target = resolve(named)?;
        let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
            bail!(
                "{} cannot be replaced as a whole: choose a directory of its own with --out",
                named.display()
            );
        };
        refuse_others(&target, named)?;
        let name = name.to_string_lossy();
        let name = if name.len() <= LONGEST {
            name.into_owned()
        } else {
            Fingerprint::new("name").with("name", name).finish()
        };
        let beside = |ending: &str| parent.join(format!(".{name}.gramfold-{ending}"));
        let lock = Lock::take(&beside("lock"), named)?;
        let (new, aside) = (beside("new"), beside("old"));
        // What a killed process left: an unfinished directory, or the old one on its way.
        if aside.is_dir() && !target.exists() {
            let failed = || format!("cannot bring back {}", named.display());
            fs::rename(&aside, &target).with_context(failed)?;
        }
        for left in [&new, &aside] {
            if left.is_dir() {
                let failed = || format!("cannot remove {}", left.display());
                fs::remove_dir_all(left).with_context(failed)?;
            }
        }
        Ok(Self { named: named.to_owned(), target, new, aside, _lock: lock })
    }

    /// The name in this directory that a path stands for, if it is one.
    pub fn name_within<'p>(&self, path: &'p Path) -> Option<&'p str> {
        let parent = path.parent()?;
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let within = resolved(parent).is_ok_and(|parent| parent == self.target);
        within.then(|| path.file_name()?.to_str()).flatten()
    }

    /// Writes every part and the claims, and puts them in the place of what was there. The claims name the parts.
    ///
    /// # Errors
    /// If something cannot be written; what was there is as it was.
    pub fn write<S: Serialize, D: Serialize>(
        &self,
        claims: &mut Claims<S, D>,
        parts: &[Part<'_>],
    ) -> anyhow::Result<()> {
        let written = self.replace(claims, parts);
        if written.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_dir_all(&self.new);
        }
        written
    }

    fn replace<S: Serialize, D: Serialize>(
        &self,
        claims: &mut Claims<S, D>,
        parts: &[Part<'_>],
    ) -> anyhow::Result<()> {
        // What replaces another answer must not be lost with it.
        let lasting = claims.cost.seconds >= SHORT || self.target.exists();
        fill(&self.new, claims, parts, lasting)?;
        // Somebody may have put something there since it was claimed.
        refuse_others(&self.target, &self.named)?;
        replace(&self.new, &self.target, &self.aside)
            .with_context(|| format!("cannot replace {}", self.named.display()))?;
        if let Some(parent) = self.target.parent().filter(|_| lasting) {
            sync(parent);
        }
        match fs::remove_dir_all(&self.new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", self.new.display()))
            }
            _ => Ok(()),
        }
    }

    /// Writes to a new directory elsewhere, beside the place or among the temporary files, where the place itself failed.
    ///
    /// # Errors
    /// If there is no such place either.
    pub fn rescue<S: Serialize, D: Serialize>(
        &self,
        claims: &mut Claims<S, D>,
        parts: &[Part<'_>],
    ) -> anyhow::Result<PathBuf> {
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{name}.rescued-{}", process::id());
        let mut failed = None;
        for directory in [self.target.with_file_name(&name), env::temp_dir().join(&name)] {
            match fill(&directory, claims, parts, true) {
                Ok(()) => return Ok(directory),
                Err(error) => {
                    let _ = fs::remove_dir_all(&directory);
                    failed = Some(error);
                }
            }
        }
        Err(failed.expect("invariant: two places were tried"))
    }
}

/// Writes a new directory: the parts, and `solution.json` last; all of it to the disk itself where it is to be `lasting`.
fn fill<S: Serialize, D: Serialize>(
    directory: &Path,
    claims: &mut Claims<S, D>,
    parts: &[Part<'_>],
    lasting: bool,
) -> anyhow::Result<()> {
    let begun = Moment::now();
    fs::create_dir(directory)
        .with_context(|| format!("cannot create the directory {}", directory.display()))?;
    claims.format = FORMAT;
    claims.files = parts.iter().map(|part| (part.role.clone(), part.name.clone())).collect();
    claims.files.insert(SOLUTION_ROLE.into(), SOLUTION.into());
    claims.sha256.clear();
    let create = |part: &Part<'_>, known: Option<String>| {
        let path = directory.join(&part.name);
        part.create(&path, known)
            .with_context(|| format!("{}: cannot write the file", path.display()))
    };
    let mut files = Vec::with_capacity(parts.len() + 1);
    for (index, part) in parts.iter().enumerate() {
        // X, Y and the answer are one array where X = Y.
        let twin = parts[..index].iter().find(|other| are_one(part.array, other.array));
        let known = twin.map(|twin| claims.sha256[&twin.role].clone());
        let (file, hash) = create(part, known)?;
        files.push(file);
        claims.sha256.insert(part.role.clone(), hash);
    }
    if let Some(write) = claims.timings.get_mut("write") {
        *write += begun.until(Moment::now());
    }
    // As a reader finds them, who may round numbers.
    let read: Value = serde_json::from_str(&serde_json::to_string(claims)?)?;
    claims.sha256.insert(SOLUTION_ROLE.into(), sha256_of_claims(&read));
    let mut text = serde_json::to_string_pretty(claims)?;
    text.push('\n');
    files.push(create(&Part::bytes(SOLUTION_ROLE, SOLUTION, text), None)?.0);
    // All of them after the last was written: the disk has the first meanwhile.
    if lasting {
        for file in files {
            file.sync_all().with_context(|| format!("cannot write to {}", directory.display()))?;
        }
        sync(directory);
    }
    Ok(())
}

/// Whether both are arrays of the same shape and bits.
fn are_one(a: Option<&Mat>, b: Option<&Mat>) -> bool {
    a.zip(b).is_some_and(|(a, b)| {
        let bits = a.as_slice().iter().map(|entry| entry.to_bits());
        a.cols() == b.cols() && bits.eq(b.as_slice().iter().map(|entry| entry.to_bits()))
    })
}

/// Refuses what would be lost: a file, or a directory with anything in it that gramfold did not write.
fn refuse_others(target: &Path, named: &Path) -> anyhow::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(target) else { return Ok(()) };
    let named = named.display();
    if !metadata.is_dir() {
        bail!("{named} is not a directory: choose another place with --out");
    }
    let current = env::current_dir().and_then(fs::canonicalize);
    if current.is_ok_and(|current| current.starts_with(target)) {
        bail!(
            "{named} is where gramfold runs and is replaced as a whole: choose another place with --out"
        );
    }
    let entries = fs::read_dir(target).with_context(|| format!("cannot read {named}"))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    if names.is_empty() {
        return Ok(());
    }
    names.sort();
    let Some(written) = written_by_us(target) else {
        bail!(
            "{named} holds {} and is not a directory of gramfold: choose another place with --out, or remove it",
            names[0]
        );
    };
    match names.iter().find(|name| !written.contains(name)) {
        Some(foreign) => bail!(
            "{named} holds {foreign}, which gramfold did not write: move it away, or choose another place with --out"
        ),
        None => Ok(()),
    }
}

/// The files of a directory of gramfold, of this version or of another.
fn written_by_us(directory: &Path) -> Option<Vec<String>> {
    let claims: Value = serde_json::from_slice(&fs::read(directory.join(SOLUTION)).ok()?).ok()?;
    claims.get("format")?.as_u64()?;
    claims.get("command")?.as_str()?;
    let files = claims.get("files")?.as_object()?.values();
    files.map(|name| name.as_str().map(str::to_owned)).collect()
}

/// The path without links, after the directories above it were made.
fn resolve(named: &Path) -> anyhow::Result<PathBuf> {
    let above = parent(named);
    fs::create_dir_all(above)
        .with_context(|| format!("cannot create the directory {}", above.display()))?;
    resolved(named).with_context(|| format!("cannot create the directory {}", named.display()))
}

/// The path without links; its last part need not be there.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            let name = path.file_name().ok_or(error)?;
            Ok(fs::canonicalize(parent(path))?.join(name))
        }
        found => found,
    }
}
