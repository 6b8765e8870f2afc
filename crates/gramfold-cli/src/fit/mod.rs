//! `gramfold fit`: any problem that a file describes.

mod answer;
mod data;
mod description;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use gramfold::{Loss, Problem, Spec, Stop, linalg::Mat};

use crate::{
    Exit,
    check::{Again, Factors, Report, certified},
    cli::FitArgs,
    factorisation::{self, Turn},
    learn::{Fitted, Nodes},
    output,
    session::{Paths, Session},
    source::read_text,
    store::{Fingerprint, Saved},
};
pub(crate) use answer::Answer;
use answer::Details;
pub(crate) use data::load;
use data::{role, targets_role};
pub(crate) use description::Described;

/// The share of an objective that is more than what is left of it at the end of a run.
const SEEN: f64 = 1e-3;

/// Runs the command.
pub(crate) fn run(args: &FitArgs, line: &str) -> anyhow::Result<Exit> {
    let paths = Paths::new(&args.input, "toml", &args.run);
    let mut session = Session::open("fit", line, &args.output, paths)?;
    let text = fs::read_to_string(session.input())
        .with_context(|| format!("cannot read {}", session.named()))?;
    let described = Described::parse(text.clone(), &args.input)?;
    let mut stop = Stop::default().tolerance(args.run.tol);
    stop.time_limit = args.run.limit();
    let spec = described.spec(&Spec { stop, seed: args.run.seed, ..Spec::default() })?;
    let beside = args.input.parent().unwrap_or(Path::new("")).to_owned();
    let named: Vec<PathBuf> =
        data_names(&described).into_iter().map(|(_, file)| beside.join(file)).collect();
    session.also_reads(&named)?;
    let loaded = load(&described, &|_, file| Ok(beside.join(file)))?;
    session.timed("read");
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loaded.loss, &*regulariser, spec.rank)?;
    let files = data_files(&described, &beside)?;
    let fingerprint = || {
        let first = Fingerprint::new("fit").with_spec(&spec).with("text", &text);
        files.iter().fold(first, |fingerprint, (role, _, bytes)| {
            let numbers: Vec<f64> = bytes.iter().map(|byte| f64::from(*byte)).collect();
            fingerprint.with("file", role).with_numbers(&numbers)
        })
    };
    let limit = spec.stop.time_limit;
    let watch = args.run.watch_within(limit, &args.output, fingerprint)?;
    let mut watch = watch.at_most(spec.stop.max_iterations);
    session.claim()?;

    let solution = factorisation::run(&problem, &spec, None, Turn::only(), &mut watch)?;
    session.timed("run");
    let certificate = watch.certify(&problem, &solution, spec.stop.stationarity)?;
    session.timed("certificate");

    if falls_on(&problem, &solution.factor) {
        output::warning(
            "the objective is lower still at ten times X: it may have no minimum, which a ridge would give it",
        );
    }
    let n = problem.dim();
    let nodes = Nodes::new(n, loaded.names.filter(|names| names.len() == n));
    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    let (problem, described) = (&problem, &described);
    session.finish(&Answer { fitted, problem, described, files, nodes: &nodes })
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let claims = &saved.claims;
    let path = saved.path("problem")?;
    let text = fs::read_to_string(&path).context("cannot read the description")?;
    let described = &Described::parse(text, &path)?;
    let spec = described.spec(&claims.spec)?;
    let loaded = load(described, &|role, _| saved.path(role))?;
    let regulariser = spec.regulariser()?;
    let problem = &Problem::new(&*loaded.loss, &*regulariser, spec.rank)?;
    let found = certified(problem, &saved, Factors::of(&saved)?, &claims.details.fit, report)?;
    let (fitted, files, nodes) = (found.fitted(&spec), Vec::new(), Nodes::new(problem.dim(), None));
    found.again(&saved, &Answer { fitted, problem, described, files, nodes: &nodes })
}

/// Whether f + h is lower at 10·X than at X, beyond rounding: it may fall for ever, as a logistic loss of signs that are all met.
fn falls_on(problem: &Problem<'_>, x: &Mat) -> bool {
    let objective = |x: &Mat| {
        let mut evaluation = problem.loss.evaluation(x.cols());
        evaluation.folded(x);
        evaluation.value(x, x) + problem.regulariser.value(x)
    };
    let mut far = x.clone();
    far.scale(10.0);
    let (here, there) = (objective(x), objective(&far));
    here - there > SEEN * here.abs() + f64::EPSILON * problem.loss.at_zero().abs()
}

/// The loss that a file describes, and the run, with what `base` says where the file says nothing.
pub(crate) fn question(path: &Path, base: &Spec) -> anyhow::Result<(Box<dyn Loss>, Spec)> {
    let described = Described::parse(read_text(path)?, path)?;
    let spec = described.spec(base)?;
    let beside = path.parent().unwrap_or(Path::new("")).to_owned();
    let loaded = load(&described, &|_, file| Ok(beside.join(file)))?;
    Ok((loaded.loss, spec))
}

/// The role and the name of every file that a description names.
fn data_names(described: &Described) -> Vec<(String, &str)> {
    let description = &described.description;
    let terms = description.terms.iter().enumerate();
    let mut named: Vec<(String, &str)> = Vec::new();
    for (number, term) in terms {
        named.push((role(number), term.file.get_ref()));
        named.extend(term.targets.iter().map(|file| (targets_role(number), &**file.get_ref())));
    }
    named.extend(
        description.linear.iter().map(|linear| ("linear".into(), linear.file.get_ref().as_str())),
    );
    named
}

/// The role, the name and the bytes of each of them.
fn data_files(
    described: &Described,
    beside: &Path,
) -> anyhow::Result<Vec<(String, String, Vec<u8>)>> {
    let read = |(role, file): (String, &str)| {
        let path: PathBuf = beside.join(file);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((role.clone(), format!("{role}-{name}"), bytes))
    };
    data_names(described).into_iter().map(read).collect()
}
