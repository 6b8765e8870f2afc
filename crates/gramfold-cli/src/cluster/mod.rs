//! `gramfold cluster`: read, normalise, factorise, label, say.

pub(crate) mod answer;
mod check;
pub(crate) mod claims;
mod input;
pub(crate) mod ordered;
pub(crate) mod overlap;
mod report;
pub(crate) mod search;

use std::time::Instant;

use gramfold::{Problem, Record, Solution, Spec, loss::Quadratic, regulariser::Nonnegative};
use gramfold_cluster::{components, similar_or_default};

use crate::{
    Exit,
    cli::ClusterArgs,
    factorisation::{self, Turn, Watch},
    learn::Fitted,
    resources::{Moment, Spent},
    session::{Paths, Session},
    store::{Fingerprint, Status},
};
use answer::{Answer, Labelled};
pub(crate) use check::check;
use claims::How;
use input::Input;
use ordered::Ordered;
use overlap::Overlap;
use search::{Asked, Candidate, Runner, Search};

/// Runs the command.
pub(crate) fn run(args: &ClusterArgs, line: &str) -> anyhow::Result<Exit> {
    args.spec(1, 0).method()?; // A wrong name should not wait for a large file.
    let paths = Paths::new(&args.input, if args.points { "csv" } else { "txt" }, &args.run)
        .reads("--truth", args.truth.as_ref())
        .writes("--labels", args.labels.as_ref());
    let mut session = Session::open("cluster", line, &args.output, paths)?;
    let Input { graph, truth } = input::read(args, session.input())?;
    session.timed("read");
    let (begun, seed) = (Instant::now(), args.run.seed);
    let chosen =
        similar_or_default(&graph.matrix, args.similarity, args.normalise, args.diagonal, seed)?;
    let components = components(&graph.matrix);
    let how = How::of(&chosen, args.diagonal, seed, &components);
    let factorised = Ordered::new(chosen.prepared.matrix, *args.k.end());
    let loss = &factorised.loss;
    Problem::new(loss, &Nonnegative, *args.k.end())?;
    // The similarity is a part of the work that is limited.
    let left = args.run.limit().map(|limit| limit.saturating_sub(begun.elapsed()));
    let watch = args.run.watch_within(left, &args.output, || fingerprint(args, loss))?;
    let watch = watch.at_most(args.method.max_iter);
    session.claim()?;
    session.timed("similarity");

    let mut search = Search {
        asked: Asked {
            k: args.k.clone(),
            restarts: args.restarts,
            diagonal: args.diagonal,
            seed,
            spec: &|k, restart| args.spec(k, restart),
        },
        graph: &graph.matrix,
        factorised: &factorised,
        components: &components,
        runner: Watched { watch, starts: Spent::default() },
    };
    let (mut best, labelled) = Labelled::of(search.run()?, how);
    let Watched { watch, starts } = search.runner;
    session.timed_but("run", "start", starts);
    let problem = Problem::new(loss, &Nonnegative, best.spec.rank)?;
    let certificate = watch.certify(&problem, &best.solution, args.run.tol)?;
    factorised.restore(&mut best.solution);
    let Candidate { spec, solution, trace, .. } = &best;
    session.timed("certificate");
    let labels = &labelled.relabelling.labels;
    let score = truth.as_ref().map(|truth| gramfold_cluster::score(&truth.classes, labels));
    let fitted = Fitted { spec, solution, certificate: &certificate, trace };
    let answer = Answer {
        names: graph.names.as_deref(),
        truth: truth.as_ref(),
        score: score.transpose()?,
        overlap: args.overlap.map(|least| Overlap::of(&solution.factor, labels, least)),
        rows: factorised.order.as_ref(),
        verbose: args.verbose,
        ..Answer::of(fitted, &graph.matrix, loss.matrix(), &labelled)
    };
    session.finish(&answer)
}

/// Runs that are watched, and what their starts took.
struct Watched {
    watch: Watch,
    starts: Spent,
}

impl Runner for Watched {
    fn run(
        &mut self,
        problem: &Problem<'_>,
        spec: &Spec,
        turn: Turn,
    ) -> anyhow::Result<(Solution, Vec<Record>)> {
        let begun = Moment::now();
        let solution = factorisation::run(problem, spec, None, turn, &mut self.watch)?;
        self.starts += self.watch.started.take().map_or_else(Spent::default, |at| begun.until(at));
        Ok((solution, std::mem::take(&mut self.watch.trace)))
    }

    fn ended(&self) -> Option<Status> {
        match (self.watch.is_interrupted(), self.watch.is_over()) {
            (true, _) => Some(Status::Interrupted),
            (false, true) => Some(Status::TimeLimit),
            (false, false) => None,
        }
    }

    fn say(&self, next: &str) {
        self.watch.say(next);
    }
}

/// All that the path of the runs depends on; only the time limit and the threads may change.
fn fingerprint(args: &ClusterArgs, loss: &Quadratic) -> Fingerprint {
    // One k and one restart differ from the next by the rank, the seed and the start alone.
    let k = *args.k.start();
    let mut fingerprint = Fingerprint::new("cluster")
        .with("k", format!("{:?}", args.k))
        .with("restarts", format!("{:?}", args.restarts));
    for spec in [args.spec(k, 0), args.spec(k, 1)] {
        fingerprint = fingerprint.with_spec(&spec);
    }
    fingerprint.with_matrix(loss.matrix())
}
