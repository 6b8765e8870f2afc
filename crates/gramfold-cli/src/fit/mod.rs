//! `gramfold fit`: any problem that a file describes.

mod answer;
mod data;
mod description;
mod report;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use gramfold::{Problem, Spec, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    Exit,
    cli::FitArgs,
    factorisation::{self, Turn},
    learn::{Fit, Fitted, Nodes},
    session::{Paths, Session},
    store::{Claims, Fingerprint},
};
pub(crate) use answer::Answer;
pub(crate) use data::{load, role};
pub(crate) use description::Described;

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    /// The terms of the loss.
    pub(crate) terms: usize,
}

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

    let n = problem.dim();
    let nodes = Nodes::new(n, loaded.names.filter(|names| names.len() == n));
    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    let answer = Answer { fitted, described: &described, files, nodes: &nodes };
    let (claims, line) = (answer.claims(&session), session.line);
    session.finish(claims, answer.parts(), summary, |claims| answer.page(claims, line))
}

/// The role and the name of every file that a description names.
fn data_names(described: &Described) -> Vec<(String, &str)> {
    let description = &described.description;
    let terms = description.terms.iter().enumerate();
    let mut named: Vec<(String, &str)> =
        terms.map(|(number, term)| (role(number), term.file.get_ref().as_str())).collect();
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

fn summary(claims: &Claims<Spec, Details>) -> String {
    let (spec, fit) = (&claims.spec, &claims.details.fit);
    format!(
        "{} of {}, regulariser {}; X: {}x{}\nobjective {}\n{}\n{}\n",
        spec.loss,
        spec.data,
        spec.regulariser,
        claims.nodes,
        claims.rank,
        gramfold::certificate::significant(claims.objective),
        fit.run_in_words(claims),
        fit.certificate,
    )
}
