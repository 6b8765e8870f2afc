//! Checkpoint files: what a run goes on from, under a fingerprint of what it belongs to.
//!
//! They are replaced by a rename, so that whenever the program is killed there is a whole one.

use std::{fs, path::Path};

use anyhow::{Context, bail};
use gramfold_io::write_atomically;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::output;

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Stored<T> {
    fingerprint: String,
    state: T,
}

/// Writes a state.
pub(crate) fn write(path: &Path, fingerprint: &str, state: impl Serialize) -> anyhow::Result<()> {
    let stored = Stored { fingerprint: fingerprint.to_owned(), state };
    let bytes = postcard::to_stdvec(&stored).context("cannot encode the checkpoint")?;
    write_atomically(path, |out| out.write_all(&bytes))?;
    Ok(())
}

/// Reads the state that was written under this fingerprint; none if there is no file yet. `other` completes the sentence that
/// it belongs to something else.
pub(crate) fn read<T: DeserializeOwned>(
    path: &Path,
    fingerprint: &str,
    other: &str,
) -> anyhow::Result<Option<T>> {
    if !path.exists() {
        let path = path.display();
        output::message(&format!("no checkpoint at {path} yet: starting from the beginning"));
        return Ok(None);
    }
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let stored: Stored<T> = postcard::from_bytes(&bytes)
        .ok()
        .with_context(|| format!("{} is not a checkpoint of this version", path.display()))?;
    if stored.fingerprint != fingerprint {
        bail!("{} belongs to {other}", path.display());
    }
    Ok(Some(stored.state))
}
