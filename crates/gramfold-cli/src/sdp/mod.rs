//! What the commands that solve semidefinite programs share: the run they claim, the line, the charts, the end.

mod checkpoint;
mod ending;
mod report;
mod run;
mod watch;

pub(crate) use ending::{Claims, finish};
pub(crate) use report::{Objectives, command, convergence, spectra};
pub(crate) use run::{FORMAT, Run, counted};
pub(crate) use watch::Watch;
