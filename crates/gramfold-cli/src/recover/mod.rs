//! `gramfold recover`: a matrix of low rank from measurements of it.

mod answer;
mod given;

use std::path::Path;

use anyhow::{Context, bail};
use gramfold::{Problem, Spec};
use gramfold_io::{TableOptions, read_points};
use gramfold_learn::{Measured, leading_start, near_spec};

use crate::{
    Exit,
    check::{Again, Factors, Report, certified},
    cli::{RecoverArgs, say},
    factorisation::{self, Turn},
    learn::{Fitted, Sparse},
    output,
    session::{Paths, Session},
    store::{Fingerprint, Saved},
};
pub(crate) use answer::Answer;
use answer::Details;
pub(crate) use given::Given;

/// Runs the command.
pub(crate) fn run(args: &RecoverArgs, line: &str) -> anyhow::Result<Exit> {
    let paths = Paths::new(&args.input, "csv", &args.run).reads("--targets", args.targets.as_ref());
    let mut session = Session::open("recover", line, &args.output, paths)?;
    let given = match (Measured::from(args.of), &args.targets) {
        (Measured::Sparse, Some(targets)) => Given::Sparse(Sparse::read(session.input(), targets)?),
        (Measured::Sparse, None) => {
            bail!("--of sparse needs --targets FILE: what was measured, a line each")
        }
        (_, Some(_)) => {
            bail!("--targets is for --of sparse: other files have b in their last column")
        }
        (kind, None) => {
            let points = read_points(session.input(), &TableOptions::default())?;
            say(session.input(), &points.notes);
            Given::Table(points.matrix, kind)
        }
    };
    session.timed("read");
    let measured = given.measured().with_context(|| session.named().to_string())?;
    let n = measured.map.dim();
    if args.rank > n {
        bail!("-r {} is not allowed: the matrix has only {n} rows", args.rank);
    }
    let spec = args.spec(measured.map.name());
    let warning = measured.warning(args.rank);
    let fingerprint =
        || Fingerprint::new("recover").with_spec(&spec).with_numbers(&given.numbers());
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.max_iter);
    session.claim()?;
    if let Some(warning) = warning {
        output::warning(&warning);
    }

    let signal = if spec.rank == 1 { measured.signal(spec.seed, &watch.stopper()) } else { None };
    let spec = if signal.is_some() { near_spec(&spec) } else { spec };
    let loss = measured.loss(&spec)?;
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, spec.rank)?;
    let start = match signal {
        Some(signal) => signal,
        None => leading_start(&problem, spec.seed, &watch.stopper())?,
    };
    let solution = factorisation::run(&problem, &spec, Some(&start), Turn::only(), &mut watch)?;
    session.timed("run");
    let certificate = watch.certify(&problem, &solution, spec.stop.stationarity)?;
    session.timed("certificate");

    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    session.finish(&Answer::of(fitted, &given)?)
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let (spec, claimed) = (&saved.claims.spec, &saved.claims.details);
    let given = Given::saved(&saved, claimed.measured)?;
    let loss = given.measured()?.loss(spec)?;
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, spec.rank)?;
    let found = certified(&problem, &saved, Factors::of(&saved)?, &claimed.fit, report)?;
    found.again(&saved, &Answer::of(found.fitted(spec), &given)?)
}
