//! `gramfold metric`: a metric of low rank.

mod answer;
mod input;

use std::{ops::ControlFlow, path::Path};

use anyhow::{Context, bail};
use gramfold::{
    Problem, Record, Spec,
    linalg::{Mat, multiply},
    registry::Component,
    regulariser::Zero,
    solve,
};
use gramfold_learn::{
    MetricModel, Supervision, comparisons, held_out_of_classes, hits, spread, standardised,
};

use crate::{
    Exit,
    answer::Answer as _,
    check::{Again, Factors, Report, certified, mean},
    cli::MetricArgs,
    factorisation::{self, Turn, Watch},
    learn::{Fitted, Nodes},
    output,
    session::{Paths, Session},
    store::{Fingerprint, Saved},
};
pub(crate) use answer::Answer;
use answer::{Accuracy, Details};
use input::from_table;
pub(crate) use input::{Classes, Input, Known};

/// Of classes, which were not kept, and of runs on parts of the points.
const OTHER_RUNS: &[&str] = &["accuracy", "model.targets", "model.impostors", "model.margin"];

/// Runs the command.
pub(crate) fn run(args: &MetricArgs, line: &str) -> anyhow::Result<Exit> {
    if args.folds == 1 {
        bail!(
            "--folds 1 is not allowed: points are held out in at least 2 parts; --folds 0 holds nothing out"
        );
    }
    let paths = Paths::new(&args.points, "csv", &args.run)
        .reads("--labels", args.labels.as_ref())
        .reads("--pairs", args.pairs.as_ref())
        .reads("--triplets", args.triplets.as_ref());
    let mut session = Session::open("metric", line, &args.output, paths)?;
    let input = input::read(args, session.input())?;
    let (raw, known) = (&input.points, &input.known);
    session.timed("read");
    let classes = if let Known::Classes(classes) = known { classes.count() } else { 1 };
    let model = args.model(raw.rows(), raw.cols(), classes);
    let deviations = scales(raw, args.raw);
    let points = standardised(raw, (&vec![0.0; raw.cols()], &deviations));
    let supervision = known.supervision(&points, &model);
    let loss = model.loss(&points, &supervision)?;
    let problem = Problem::new(&loss, &Zero, model.rank)?;
    let spec = args.spec(model.rank, known.loss());
    let fingerprint = || {
        let fingerprint =
            Fingerprint::new("metric").with_spec(&spec).with_numbers(points.as_slice());
        fingerprint.with("model", format!("{model:?}")).with_numbers(&input::table(&supervision).1)
    };
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.max_iter);
    session.claim()?;

    let start = model.start(&points, &supervision);
    let solution = factorisation::run(&problem, &spec, Some(&start), Turn::only(), &mut watch)?;
    session.timed("run");
    let certificate = watch.certify(&problem, &solution, spec.stop.stationarity)?;
    session.timed("certificate");
    let judged = match known {
        Known::Classes(classes) if args.folds > 1 => Some(classes),
        _ => None,
    };
    let accuracy = match judged {
        Some(classes) => judge(args, raw, classes, &model, &spec, &watch)?,
        None => None,
    };
    let cut_short = judged.is_some() && accuracy.is_none();
    session.timed("accuracy");
    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    let units = (!args.raw, &deviations[..]);
    let answer = Answer::of(fitted, &input, &model, &supervision, units, accuracy);
    let mut claims = answer.claims(session.head());
    if cut_short {
        output::warning("stopped before the accuracy was measured");
        if claims.status.is_answer() {
            claims.status = watch.ended_by();
        }
    }
    session.finish_as(claims, &answer)
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let Details { model, standardised: in_deviations, accuracy, fit, known, .. } =
        &saved.claims.details;
    let raw = saved.array("points")?;
    let nodes = Nodes::saved(&saved, raw.rows())?;
    let deviations = scales(&raw, !in_deviations);
    let points = standardised(&raw, (&vec![0.0; raw.cols()], &deviations));
    let known = from_table(&saved.array("compared")?, known == "pairs", raw.rows())
        .context("what was compared is not of these points")?;
    let supervision = known.supervision(&points, model);
    let loss = model.loss(&points, &supervision)?;
    let problem = Problem::new(&loss, &Zero, model.rank)?;
    let (x, y) = (saved.array("X")?, saved.array("Y")?);
    let factors = Factors { factor: mean(&x, &y), x, y };
    let mut found = certified(&problem, &saved, factors, fit, report)?;
    found.unchecked.extend(OTHER_RUNS);
    let spec = Spec {
        rank: model.rank,
        loss: Component::named(known.loss()),
        data: "lifted".into(),
        regulariser: Component::named("zero"),
        ..saved.claims.spec.clone()
    };
    let input = Input { points: raw, nodes, columns: None, known };
    let units = (*in_deviations, &deviations[..]);
    let answer = Answer::of(found.fitted(&spec), &input, model, &supervision, units, *accuracy);
    let holds = |role: &str, expected: &Mat| saved.holds(role, expected, 1e-9 * expected.norm());
    let (factor, transformed) = (&answer.factor, &answer.transformed);
    report.claim("factor is ½(X + Y) in the units of the points", holds("factor", factor)?);
    report.claim("transformed is points times factor", holds("transformed", transformed)?);
    found.again(&saved, &answer)
}

/// The deviation of each feature, or ones.
pub(crate) fn scales(points: &Mat, raw: bool) -> Vec<f64> {
    if raw { vec![1.0; points.cols()] } else { spread(points).1 }
}

/// L for features as they are, from L for features in units of their deviations.
pub(crate) fn in_units(factor: &Mat, deviations: &[f64]) -> Mat {
    Mat::from_fn(factor.rows(), factor.cols(), |i, j| factor[(i, j)] / deviations[i])
}

/// The shares of held-out points whose neighbours vote for their class, before and after; none where the time is over.
fn judge(
    args: &MetricArgs,
    raw: &Mat,
    classes: &Classes,
    model: &MetricModel,
    spec: &Spec,
    watch: &Watch,
) -> anyhow::Result<Option<Accuracy>> {
    let labels = &classes.labels;
    let parts = held_out_of_classes(labels, args.folds, args.run.seed);
    let mut right = [0, 0];
    for (fold, held) in parts.iter().enumerate() {
        if watch.is_over() {
            return Ok(None);
        }
        watch.say(&format!("measuring accuracy, {} of {}", fold + 1, parts.len()));
        let kept: Vec<usize> = (0..labels.len()).filter(|i| !held.contains(i)).collect();
        let take = |rows: &[usize]| Mat::from_fn(rows.len(), raw.cols(), |i, j| raw[(rows[i], j)]);
        let of = |rows: &[usize]| -> Vec<usize> { rows.iter().map(|i| labels[*i]).collect() };
        let (train, truth) = (take(&kept), of(&kept));
        let deviations = scales(&train, args.raw);
        let zeros = vec![0.0; raw.cols()];
        let train = standardised(&train, (&zeros, &deviations));
        let test = standardised(&take(held), (&zeros, &deviations));
        let known =
            Supervision::Comparisons(comparisons(&train, &truth, model.targets, model.impostors));
        let loss = model.loss(&train, &known)?;
        let problem = Problem::new(&loss, &Zero, model.rank)?;
        let start = model.start(&train, &known);
        let mut stop = |_: &Record| {
            if watch.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let fitted = solve(&problem, spec.method()?, &start, &mut stop)?;
        if watch.is_over() {
            return Ok(None);
        }
        let through = |points: &Mat| {
            let mut out = Mat::zeros(points.rows(), model.rank);
            multiply(1.0, points, &fitted.factor, &mut out);
            out
        };
        let held_truth = of(held);
        let k = args.neighbours;
        right[0] += hits((&train, &truth), (&test, &held_truth), k);
        right[1] += hits((&through(&train), &truth), (&through(&test), &held_truth), k);
    }
    watch.say("");
    let share = |right: usize| right as f64 / labels.len() as f64;
    let (before, after) = (share(right[0]), share(right[1]));
    Ok(Some(Accuracy { neighbours: args.neighbours, folds: parts.len(), before, after }))
}
