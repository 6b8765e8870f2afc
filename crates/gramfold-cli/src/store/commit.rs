//! A directory put in the place of another, at one blow where the system can do that.

use std::{fs, io, path::Path};

/// Puts `new` where `target` is, or is not yet. What was there is at `new` after it, to be removed. `aside` is where it
/// is in between on systems that cannot exchange two directories.
pub(super) fn replace(new: &Path, target: &Path, aside: &Path) -> io::Result<()> {
    if fs::symlink_metadata(target).is_err() {
        return fs::rename(new, target);
    }
    if let Some(exchanged) = exchange(new, target) {
        return exchanged;
    }
    fs::rename(target, aside)?;
    if let Err(error) = fs::rename(new, target) {
        fs::rename(aside, target)?;
        return Err(error);
    }
    fs::rename(aside, new)
}

/// None where the system or the file system cannot.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(new: &Path, target: &Path) -> Option<io::Result<()>> {
    use rustix::{
        fs::{CWD, RenameFlags, renameat_with},
        io::Errno,
    };
    match renameat_with(CWD, new, CWD, target, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => None,
        done => Some(done.map_err(Into::into)),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> Option<io::Result<()>> {
    None
}

/// Asks for a directory's entries to reach the disk; whether they do is the system's affair.
pub(super) fn sync(directory: &Path) {
    if let Ok(directory) = fs::File::open(directory) {
        let _ = directory.sync_all();
    }
}
