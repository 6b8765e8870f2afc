//! What the commands that solve semidefinite programs share: what they claim, the files, the line, the charts.

mod checkpoint;
mod files;
mod report;
mod run;
mod watch;

pub(crate) use files::{parts, read_point};
pub(crate) use report::{Objectives, convergence, spectra};
pub(crate) use run::{BEYOND, Program, ProgramSpec, counted};
pub(crate) use watch::Watch;
