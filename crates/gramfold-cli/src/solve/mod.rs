//! `gramfold solve`: read, solve, certify, write, say.

mod checkpoint;
pub(crate) mod claims;
pub(crate) mod progress;
pub(crate) mod report;
pub(crate) mod saved;

use std::process::ExitCode;

use anyhow::Context;
use gramfold_io::{read_sdpa, write_atomically};
use gramfold_sdp::{Options, choose, solve};

use crate::{
    cli::SolveArgs, factor::default_directory, interrupt, output, resources::Meter,
    saved as directories,
};
use checkpoint::Store;
use claims::SolveClaims;
use progress::Watch;

/// Runs the command.
pub(crate) fn run(args: &SolveArgs) -> anyhow::Result<ExitCode> {
    let meter = Meter::start();
    let file = read_sdpa(&args.input)?;
    let sdp = file.program()?;
    drop(file);
    let mut warm = args.warm.as_deref().map(|path| saved::read_point(path, &sdp)).transpose()?;
    let mut store = Store::open(args, &sdp)?;
    if let Some(point) = store.point() {
        warm = Some(point);
    }
    // What cannot be solved as asked should leave nothing behind.
    choose(&sdp, args.method)?;
    let directory = args.out.clone().unwrap_or_else(|| default_directory(&args.input));
    directories::prepare(&directory)?;

    let options = Options {
        tolerance: args.tol,
        rank: args.rank.0,
        method: args.method,
        time_limit: args.time_limit.and_then(|s| std::time::Duration::try_from_secs_f64(s).ok()),
        seed: args.seed,
        warm,
    };
    let mut watch = Watch::new(args.tol, args.time_limit, interrupt::flag());
    let solution = if store.is_open() {
        store.solve(&sdp, &options, &mut watch)
    } else {
        solve(&sdp, &options, &mut watch)
    };
    watch.clear();
    let solution =
        solution.with_context(|| format!("{} cannot be solved", args.input.display()))?;

    let files = saved::write_parts(&directory, &solution, &watch.trace)?;
    let claims = SolveClaims::of(args, &sdp, &solution, meter.read(), files);
    directories::write_solution(&claims.files.solution, &claims)?;
    if let Some(path) = &args.report {
        let page = report::page(&claims, &sdp, &solution, &watch.trace);
        write_atomically(path, |out| out.write_all(page.to_html().as_bytes()))?;
    }
    if args.json {
        output::data(&(serde_json::to_string(&claims)? + "\n"))?;
    } else {
        output::data(&claims.summary(&directory))?;
    }
    Ok(if solution.status.is_answer() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
