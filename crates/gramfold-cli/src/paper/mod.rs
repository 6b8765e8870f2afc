//! The paper, reproduced: its two examples digit for digit, and what it leaves open.
//!
//! Experiments are data (`paper/*.toml`) with their expected numbers. This runs them through the
//! general solver, shows expected and measured side by side, and fails where they differ.

mod experiment;
mod files;
mod json;
mod limits;
mod matrix;
mod number;
mod outcome;
mod printed;
mod random;
mod report;
mod share;
mod terminal;

use std::time::Instant;

use gramfold_io::write_atomically;

use crate::{Exit, cli::PaperArgs, output};
use outcome::Outcome;

/// Runs every experiment; 1 if a number is not the expected one.
pub(crate) fn run(args: &PaperArgs) -> anyhow::Result<Exit> {
    let experiments = match &args.experiments {
        Some(directory) => files::read(directory)?,
        None => files::built_in()?,
    };
    let clock = Instant::now();
    let mut outcome = Outcome::of(&experiments)?;
    outcome.seconds = clock.elapsed().as_secs_f64();

    let value = json::value(&outcome);
    if let Some(path) = &args.out {
        write_atomically(path, |file| writeln!(file, "{value:#}"))?;
    }
    if args.json {
        output::data(&format!("{value}\n"))?;
    } else {
        output::data(&terminal::text(&outcome))?;
    }
    if let Some(path) = &args.report {
        let html = report::page(&outcome).to_html();
        write_atomically(path, |file| file.write_all(html.as_bytes()))?;
    }
    Ok(Exit::of(outcome.failures().is_empty()))
}
