//! `gramfold complete`: read, choose, fit, certify, predict, say.

mod answer;
mod judged;
mod predictions;
mod search;

use std::path::Path;

use anyhow::{Context, bail};
use gramfold::{Problem, Spec, registry, resume};
use gramfold_io::Graph;
use gramfold_learn::{Biases, Choice, Determined, Model, Observations};

use crate::{
    Exit,
    answer::Answer as _,
    check::{Again, Factors, Report, certified},
    cli::{BiasesArg, CompleteArgs},
    factorisation::{Turn, run_kept},
    learn::{Fitted, Nodes},
    output,
    session::{Paths, Session},
    store::{Fingerprint, Saved},
};
pub(crate) use answer::Answer;
use answer::Details;
use judged::Judged;
pub(crate) use predictions::Predictions;

/// How strongly biases are drawn to zero where nothing is said.
const SHRINKAGE: f64 = 3.0;

/// Of runs whose answers were not kept.
const OTHER_RUNS: &[&str] = &["held_out", "trials", "pairs_given"];

/// Runs the command.
pub(crate) fn run(args: &CompleteArgs, line: &str) -> anyhow::Result<Exit> {
    let base = args.base();
    base.method()?; // A wrong name should not wait for a large file.
    registry::scalar(&args.loss)?;
    let shrinkages = shrinkages(args)?;
    let paths = Paths::new(&args.input, "txt", &args.run).reads("--predict", args.predict.as_ref());
    let mut session = Session::open("complete", line, &args.output, paths)?;
    let Graph { matrix, names, .. } = args.read.read_known(session.input(), "entry", "a value")?;
    let nodes = Nodes::new(matrix.dim(), names);
    let observed = Observations::stored(&matrix);
    let pairs = args.predict.as_deref().map(|path| predictions::read(&nodes, path)).transpose()?;
    session.timed("read");
    let fingerprint = || {
        let asked = (&args.loss, args.rank, args.ridge, &shrinkages, args.folds);
        Fingerprint::new("complete")
            .with("asked", format!("{asked:?}"))
            .with_spec(&base)
            .with_matrix(&matrix)
    };
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.method.max_iter);
    let (loss, first) = search::scaled(args, &observed, shrinkages[0], &mut watch)?;
    let model = Model {
        loss,
        rank: args.rank.unwrap_or(1),
        ridge: args.ridge.unwrap_or(0.0),
        shrinkage: shrinkages[0],
    };
    refuse_targets(&model, &observed, &nodes).with_context(|| session.named().to_string())?;
    let prepared = model.prepare(&observed)?;
    session.claim()?;

    let choice = search::search(args, &observed, model.clone(), shrinkages, &base, &mut watch)?;
    let (biases, loss) =
        if choice.model == model { prepared } else { choice.model.prepare(&observed)? };
    let spec = choice.model.spec(&base);
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, spec.rank)?;
    let determined = Determined::of(&observed, spec.rank);
    let mut limited = spec.clone();
    limited.stop.time_limit = watch.time_left();
    let (ridge, oversampling) = (choice.model.ridge, determined.oversampling);
    let first = first.filter(|_| choice.model == model);
    let solution = run_kept(Turn::only(), &mut watch, |kept, watch| {
        let start = first.as_ref();
        Ok(match kept {
            Some(state) => resume(&problem, limited.method()?, state, watch)?,
            None => gramfold_learn::fit(&problem, &limited, ridge, oversampling, start, watch)?,
        })
    })?;
    session.timed("run");
    let certificate = watch.certify(&problem, &solution, args.run.tol)?;
    session.timed("certificate");

    let predicted = match pairs {
        Some(pairs) => Predictions::of(pairs, &biases, &solution.factor),
        None => Predictions::largest(args.top, &observed, &biases, &solution.factor),
    };
    if let Some(warning) = determined.warning(spec.rank) {
        output::warning(&warning);
    }
    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    let answer = Answer {
        fitted,
        entries: &matrix,
        observed: &observed,
        nodes: &nodes,
        choice: &choice,
        biases: &biases,
        predicted: &predicted,
        pairs_given: args.predict.is_some(),
    };
    let mut claims = answer.claims(session.head());
    if choice.cut_short {
        search::warn_cut_short(args);
        if claims.status.is_answer() {
            claims.status = watch.ended_by();
        }
    }
    session.finish_as(claims, &answer)
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let (claims, claimed) = (&saved.claims, &saved.claims.details);
    let entries = saved.symmetric("entries")?;
    let observed = Observations::stored(&entries);
    let model = Model {
        loss: claims.spec.loss.clone(),
        rank: claims.spec.rank,
        ridge: claims.spec.regulariser.parameters.get("lambda").copied().unwrap_or(0.0),
        shrinkage: claimed.shrinkage,
    };
    let biases = match model.shrinkage {
        Some(shrinkage) => saved_biases(&saved, &observed, shrinkage, report)?,
        None => Biases::none(observed.dim),
    };
    let loss = model.loss_of(&biases, &observed)?;
    let regulariser = claims.spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, claims.spec.rank)?;
    let factors = Factors::of(&saved)?;
    let factor = factors.factor.clone();
    let mut found = certified(&problem, &saved, factors, &claimed.fit, report)?;
    found.unchecked.extend(OTHER_RUNS);
    let nodes = Nodes::saved(&saved, observed.dim)?;
    let (predicted, holds) =
        Predictions::saved(&saved, &nodes, &biases, &factor, Judged::by(&model.loss.name))?;
    report.claim("predictions are those of the factor", holds);
    let spec = Spec { data: "entries".into(), ..claims.spec.clone() };
    let choice =
        Choice { model, score: claimed.held_out, trials: claimed.trials.clone(), cut_short: false };
    let answer = Answer {
        fitted: found.fitted(&spec),
        entries: &entries,
        observed: &observed,
        nodes: &nodes,
        choice: &choice,
        biases: &biases,
        predicted: &predicted,
        pairs_given: claimed.pairs_given,
    };
    found.again(&saved, &answer)
}

/// The biases of a directory.
fn saved_biases(
    saved: &Saved<Spec, Details>,
    observed: &Observations,
    shrinkage: f64,
    report: &mut Report,
) -> anyhow::Result<Biases> {
    let written = saved.column("biases")?;
    let fitted = Biases::fit(observed, shrinkage);
    if written.len() != observed.dim {
        bail!("there are {} biases for {} nodes", written.len(), observed.dim);
    }
    let largest = observed.values.iter().fold(0.0_f64, |most, b| most.max(b.abs()));
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * largest;
    let same = written.iter().zip(fitted.values()).all(near);
    report.claim("biases are those of the entries", same);
    Ok(Biases::from_values(written))
}

/// Names the first entry that the loss does not take, before the work.
fn refuse_targets(model: &Model, observed: &Observations, nodes: &Nodes) -> anyhow::Result<()> {
    let scalar = registry::scalar(&model.loss)?;
    for (&(i, j), &value) in observed.places.iter().zip(&observed.values) {
        if scalar.nearest_target(value) != value {
            let (i, j) = (nodes.name(i as usize), nodes.name(j as usize));
            let (name, allowed) = (scalar.name(), scalar.targets());
            let signs = observed.values.iter().all(|value| *value == 0.0 || *value == 1.0);
            let advice = if signs { ": write -1 for 0" } else { "" };
            bail!(
                "the entry of {i} and {j} is {value}, but the loss `{name}` takes {allowed}{advice}"
            );
        }
    }
    Ok(())
}

/// The kinds of biases to choose from.
fn shrinkages(args: &CompleteArgs) -> anyhow::Result<Vec<Option<f64>>> {
    let shifted = matches!(args.loss.name.as_str(), "square" | "huber");
    match args.biases {
        BiasesArg::Shrunk(_) if !shifted => {
            bail!("--biases are for the losses square and huber: leave them out with {}", args.loss)
        }
        BiasesArg::Shrunk(shrinkage) => Ok(vec![Some(shrinkage)]),
        BiasesArg::Auto if shifted && args.folds > 0 => Ok(vec![None, Some(SHRINKAGE)]),
        BiasesArg::Auto | BiasesArg::None => Ok(vec![None]),
    }
}
