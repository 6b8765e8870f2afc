//! `gramfold locate`: read, place, refine, certify, say.

mod answer;
mod input;
mod residuals;

use std::{fs, ops::ControlFlow, path::Path};

use anyhow::Context;
use gramfold::{
    Observer, Problem, Record, Regulariser, Spec, Status, registry::Component, regulariser::Zero,
};
use gramfold_io::{Graph, read_rows};
use gramfold_learn::locate::{self, Anchors, Task};

use crate::{
    Exit,
    check::{Again, Factors, Report, certified},
    cli::LocateArgs,
    factorisation::{Turn, Watch, run_kept},
    learn::{Fitted, Nodes},
    output,
    session::{Paths, Session},
    store::{Fingerprint, Saved},
};
pub(crate) use answer::Answer;
use answer::Details;

/// Steps are to fall this far below the tolerance: a step says little of the error where distances are few.
const FINER: f64 = 1e-4;

/// Runs the command.
pub(crate) fn run(args: &LocateArgs, line: &str) -> anyhow::Result<Exit> {
    let paths = Paths::new(&args.input, "txt", &args.run).reads("--anchors", args.anchors.as_ref());
    let mut session = Session::open("locate", line, &args.output, paths)?;
    let Graph { matrix, names, .. } =
        args.read.read_known(session.input(), "distance", "a distance")?;
    let nodes = Nodes::new(matrix.dim(), names);
    let distances =
        input::distances(&matrix, &nodes).with_context(|| session.named().to_string())?;
    let anchors = match &args.anchors {
        Some(path) => input::anchors(path, &nodes, args.dim)?,
        None => Anchors::none(args.dim),
    };
    session.timed("read");
    let task = Task {
        distances: &distances,
        dim: args.dim,
        anchors: &anchors,
        tolerance: FINER * args.run.tol,
        max_iterations: args.max_iter,
        seed: args.run.seed,
    };
    let framed = task.is_framed();
    if !anchors.is_empty() && !framed {
        output::warning(&format!(
            "{} anchors do not fix the frame of {} dimensions, which takes {}: the positions are centred instead",
            anchors.len(),
            args.dim,
            args.dim + 1
        ));
    }
    let spec = args.spec(framed);
    let loss = locate::loss(&distances)?;
    let problem = Problem::new(&*loss, frame(&anchors, framed), args.dim)?;
    let fingerprint = || {
        Fingerprint::new("locate")
            .with_spec(&spec)
            .with("anchors", format!("{:?}", anchors.rows()))
            .with_numbers(anchors.positions().as_slice())
            .with_matrix(&matrix)
    };
    let mut watch = args.run.watch(&args.output, fingerprint)?.at_most(args.max_iter);
    session.claim()?;

    let mut solution = run_kept(Turn::only(), &mut watch, |_, watch| {
        Ok(locate::locate(&task, &mut Limited { watch }))
    })?;
    if solution.status == Status::Interrupted && !watch.is_interrupted() {
        solution.status = Status::TimeLimit;
    }
    session.timed("run");
    let certificate = watch.certify(&problem, &solution, args.run.tol)?;
    session.timed("certificate");
    let fitted =
        Fitted { spec: &spec, solution: &solution, certificate: &certificate, trace: &watch.trace };
    let answer = Answer::of(fitted, &matrix, &distances, &anchors, &nodes);
    session.finish(&answer)
}

/// Checks a directory.
pub(crate) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let claims = &saved.claims;
    let matrix = saved.symmetric("distances")?;
    let nodes = Nodes::saved(&saved, matrix.dim())?;
    let distances = input::distances(&matrix, &nodes)?;
    let dim = claims.spec.rank;
    let anchors = if claims.files.contains_key("anchors") {
        let path = saved.path("anchors")?;
        let mut rows = read_rows(&path, 1, "an anchor")?;
        rows.remove(0);
        input::coordinates(&path, nodes.resolve(&path, rows, 1)?, dim)?
    } else {
        Anchors::none(dim)
    };
    let framed = anchors.len() > dim;
    let loss = locate::loss(&distances)?;
    let problem = Problem::new(&*loss, frame(&anchors, framed), dim)?;
    let x = saved.array("positions")?;
    let factors = Factors { factor: x.clone(), x: x.clone(), y: x };
    let found = certified(&problem, &saved, factors, &claims.details.fit, report)?;
    let spec = Spec {
        loss: Component::named("square"),
        data: "distances".into(),
        regulariser: Component::named(if framed { "anchors" } else { "zero" }),
        ..claims.spec.clone()
    };
    let answer = Answer::of(found.fitted(&spec), &matrix, &distances, &anchors, &nodes);
    let path = saved.path("residuals")?;
    let mut rows = read_rows(&path, 4, "two nodes, a distance and a residual")?;
    rows.remove(0);
    let list = &answer.residuals.list;
    let mut holds = rows.len() == list.len();
    for ((pair, row), found) in nodes.resolve(&path, rows, 2)?.iter().zip(list) {
        let written: f64 = row.fields[3].parse().context("a residual is no number")?;
        holds &= (pair[0], pair[1]) == (found.0, found.1)
            && (written - found.3).abs() <= 1e-12 * found.2;
    }
    report.claim("residuals are those of the positions", holds);
    let same = fs::read_to_string(saved.path("undetermined")?)? == answer.free_csv();
    report.claim("undetermined nodes are those of the distances", same);
    found.again(&saved, &answer)
}

/// What holds the positions in place.
fn frame(anchors: &Anchors, framed: bool) -> &dyn Regulariser {
    if framed { anchors } else { &Zero }
}

/// Stops a run at its deadline.
struct Limited<'a> {
    watch: &'a mut Watch,
}

impl Observer for Limited<'_> {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        let flow = self.watch.observe(record);
        if self.watch.is_over() { ControlFlow::Break(()) } else { flow }
    }

    fn interrupts(&mut self) -> bool {
        self.watch.is_over()
    }
}
