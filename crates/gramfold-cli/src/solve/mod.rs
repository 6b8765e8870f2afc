//! `gramfold solve`: read, solve, certify, write, say.

pub(crate) mod claims;
mod report;
pub(crate) mod saved;

use std::process::ExitCode;

use anyhow::Context;
use gramfold_io::read_sdpa;
use gramfold_sdp::{Options, choose};

use crate::{
    cli::SolveArgs,
    resources::Meter,
    saved as directories,
    sdp::{Watch, finish},
};
use claims::SolveClaims;

/// Runs the command.
pub(crate) fn run(args: &SolveArgs) -> anyhow::Result<ExitCode> {
    let meter = Meter::start();
    let file = read_sdpa(&args.input)?;
    let sdp = file.program()?;
    drop(file);
    let warm = args.warm.as_deref().map(|path| saved::read_point(path, &sdp)).transpose()?;
    // What cannot be solved as asked should leave nothing behind.
    choose(&sdp, args.method)?;
    let options = Options { rank: args.rank.0, method: args.method, warm, ..args.run.options() };
    let mut watch = Watch::new(&args.run, &sdp, &options, -1.0)?;
    let directory = args.run.directory(&args.input);
    directories::prepare(&directory)?;

    let solution = watch.solve(&sdp, options);
    watch.say("");
    let solution =
        solution.with_context(|| format!("{} cannot be solved", args.input.display()))?;

    let files = saved::write_parts(&directory, &solution, &watch.trace)?;
    let claims = SolveClaims::of(args, &sdp, &solution, meter.read(), files);
    finish(&args.run, &directory, &claims, || report::page(&claims, &sdp, &solution, &watch.trace))
}
