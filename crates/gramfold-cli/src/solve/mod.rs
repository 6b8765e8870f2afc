//! `gramfold solve`: read, solve, certify, write, say.

mod answer;

use std::path::Path;

use anyhow::Context;
use gramfold_io::read_sdpa;
use gramfold_sdp::{Options, choose};

use crate::{
    Exit,
    check::{Again, Report, find, read_ray},
    cli::SolveArgs,
    sdp::{ProgramSpec, Watch, read_point},
    session::{Paths, Session},
    store::{Saved, sha256_of_file},
};
pub(crate) use answer::Answer;
use answer::{Details, sdpa_status};

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
    // As it was read, so that the directory can be checked by itself.
    let input = session.input().to_owned();
    let zipped = input.extension().is_some_and(|extension| extension == "gz");
    let program = (input, if zipped { "program.dat-s.gz" } else { "program.dat-s" });
    let trace = &watch.trace();
    session.finish(&Answer { spec, sdp: &sdp, solution: &solution, trace, program })
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<ProgramSpec, Details>::open(directory)?;
    let (claims, claimed) = (&saved.claims, &saved.claims.details);
    let path = saved.path("program")?;
    let (bytes, sha256) = sha256_of_file(&path)?;
    let same = (bytes, &sha256) == (claims.input.bytes, &claims.input.sha256);
    report.claim("input is the program", same);
    let sdp = read_sdpa(&path)?.program()?;
    let ray = read_ray(&saved, &sdp)?;
    let point = read_point(directory, &sdp)?;
    let asked = (sdpa_status(claims.status), &claims.spec);
    let mut found = find(&sdp, point, &claimed.program, ray, asked)?;
    (found.solution.gamma, found.solution.threshold) = (claimed.gamma, claimed.threshold);
    let (spec, solution, program) = (claims.spec.clone(), &found.solution, (path, "program.dat-s"));
    found.again(&saved, &Answer { spec, sdp: &sdp, solution, trace: &[], program })
}
