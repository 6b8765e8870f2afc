//! The last steps of a command: `solution.json`, the page, what is printed, the exit code.

use std::{path::Path, process::ExitCode};

use gramfold_io::write_atomically;
use gramfold_report::Page;
use serde::Serialize;

use super::Run;
use crate::{cli::RunArgs, output, saved::write_solution};

/// What a command claims, as JSON and in words.
pub(crate) trait Claims: Serialize {
    /// The run behind it.
    fn run(&self) -> &Run;

    /// The summary for a person.
    fn summary(&self, directory: &Path) -> String;
}

/// Writes and says what is claimed; the files that it speaks of are there.
pub(crate) fn finish(
    args: &RunArgs,
    directory: &Path,
    claims: &impl Claims,
    page: impl FnOnce() -> Page,
) -> anyhow::Result<ExitCode> {
    write_solution(&directory.join("solution.json"), claims)?;
    if let Some(path) = &args.report {
        let page = page().to_html();
        write_atomically(path, |out| out.write_all(page.as_bytes()))?;
    }
    if args.json {
        output::data(&(serde_json::to_string(claims)? + "\n"))?;
    } else {
        output::data(&claims.summary(directory))?;
    }
    Ok(if claims.run().status.is_answer() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
