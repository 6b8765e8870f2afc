//! `gramfold locate`: read, place, refine, certify, say.

pub(crate) mod answer;
pub(crate) mod claims;
pub(crate) mod input;
mod report;

use std::ops::ControlFlow;

use anyhow::Context;
use gramfold::{Observer, Problem, Record, Regulariser, Status, regulariser::Zero};
use gramfold_io::Graph;
use gramfold_learn::locate::{self, Anchors, Task};

use crate::{
    Exit,
    cli::LocateArgs,
    factorisation::{Turn, Watch, run_kept},
    learn::{Fitted, Nodes},
    output,
    session::{Paths, Session},
    store::Fingerprint,
};
use answer::Answer;

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
    let regulariser: &dyn Regulariser = if framed { &anchors } else { &Zero };
    let problem = Problem::new(&*loss, regulariser, args.dim)?;
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
    let (claims, line) = (answer.claims(&session), session.line);
    session.finish(claims, answer.parts(), claims::summary, |claims| answer.page(claims, line))
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
