//! `gramfold solve`: read, solve, certify, write, say.

pub(crate) mod claims;
pub(crate) mod report;

use anyhow::Context;
use gramfold_io::read_sdpa;
use gramfold_sdp::{Options, choose};

use crate::{
    Exit,
    cli::SolveArgs,
    sdp::{ProgramSpec, Watch, parts, read_point},
    session::{Paths, Session},
    store::Part,
};

/// Runs the command.
pub(crate) fn run(args: &SolveArgs, line: &str) -> anyhow::Result<Exit> {
    let paths = Paths::new(&args.input, "dat-s", &args.run);
    let mut session = Session::open("solve", line, &args.output, paths)?;
    let file = read_sdpa(session.input())?;
    let sdp = file.program()?;
    drop(file);
    let warm = args.warm.as_deref().map(|path| read_point(path, &sdp)).transpose()?;
    // What cannot be solved as asked should leave nothing behind.
    choose(&sdp, args.method)?;
    let options = Options { rank: args.rank.0, method: args.method, warm, ..args.run.options() };
    let mut watch = Watch::new("solve", &args.run, &args.output, &sdp, &options, -1.0)?;
    session.claim()?;

    let solution = watch.solve(&sdp, options);
    watch.say("");
    let solution = solution.with_context(|| format!("{} cannot be solved", session.named()))?;

    let spec = ProgramSpec::of(&args.run, args.method, args.rank);
    let claims = claims::claims(&session, spec, &sdp, &solution);
    let trace = watch.trace();
    let mut parts = parts(&solution, &trace);
    // As it was read, so that the directory can be checked by itself.
    let input = session.input().to_owned();
    let zipped = input.extension().is_some_and(|extension| extension == "gz");
    let name = if zipped { "program.dat-s.gz" } else { "program.dat-s" };
    parts.push(Part::copy("program", name, input));
    let line = session.line;
    session.finish(claims, parts, claims::summary, |claims| {
        report::page(claims, line, &sdp, &solution, &trace)
    })
}
