//! What the commands that solve semidefinite programs share: what they claim, the files, the line, the charts.

mod files;
mod report;
mod run;
mod watch;

pub(crate) use files::{blocks, parts, read_blocks, read_point};
pub(crate) use report::{spectra, with_spectra};
pub use run::ProgramSpec;
pub(crate) use run::{BEYOND, Program, counted};
pub(crate) use watch::Watch;
