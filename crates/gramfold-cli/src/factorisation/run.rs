//! One factorisation, watched: begun, gone on with, or only read again.

use std::ops::ControlFlow;

use gramfold::{
    Certificate, Checkpoint, Observer, Problem, Record, Solution, Spec, Status, factorise,
    linalg::Mat, resume, solve, stored,
};
use serde::{Deserialize, Serialize};

use crate::{resources::Moment, watch};

/// Watches factorisations.
pub(crate) type Watch = watch::Watch<Record, State>;

/// Iterations between checkpoints.
const CHECKPOINT_EVERY: usize = 20;

/// What a checkpoint keeps of a run.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum State {
    /// It is to go on.
    UnderWay(Box<Checkpoint>),
    /// It has ended.
    Ended(Ended),
}

/// How a run ended.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Ended {
    #[serde(with = "stored")]
    x: Mat,
    #[serde(with = "stored")]
    y: Mat,
    gamma: f64,
    status: Status,
}

/// A run among several.
pub(crate) struct Turn {
    pub(crate) run: usize,
    pub(crate) of: usize,
    /// What the line says of it.
    pub(crate) label: String,
}

impl Turn {
    /// The only run that there is.
    pub(crate) fn only() -> Self {
        Self { run: 0, of: 1, label: String::new() }
    }
}

/// Runs what a spec describes, from where the checkpoint says, or from a start of the command's own. Time is limited by the watch.
pub(crate) fn run(
    problem: &Problem<'_>,
    spec: &Spec,
    start: Option<&Mat>,
    turn: Turn,
    watch: &mut Watch,
) -> anyhow::Result<Solution> {
    let mut spec = spec.clone();
    spec.stop.time_limit = watch.time_left();
    run_kept(turn, watch, |kept, watch| {
        Ok(match (kept, start) {
            (Some(state), _) => resume(problem, spec.method()?, state, watch)?,
            (None, Some(start)) => solve(problem, spec.method()?, start, watch)?,
            (None, None) => factorise(problem, &spec, watch)?,
        })
    })
}

/// Runs any work whose end is kept in the checkpoint; it is given what the checkpoint has of its way there.
pub(crate) fn run_kept(
    turn: Turn,
    watch: &mut Watch,
    work: impl FnOnce(Option<Checkpoint>, &mut Watch) -> anyhow::Result<Solution>,
) -> anyhow::Result<Solution> {
    let kept = watch.begin(turn.run, turn.of, turn.label);
    let solution = match kept.map(|kept| kept.state) {
        Some(State::Ended(Ended { x, y, gamma, status })) if !watch.trace.is_empty() => {
            let mut factor = x.clone();
            factor.zip(&y, |x, y| 0.5 * (x + y));
            let last = watch.trace[watch.trace.len() - 1].clone();
            return Ok(Solution { factor, x, y, gamma, status, last });
        }
        Some(State::UnderWay(state)) => work(Some(*state), watch)?,
        _ => work(None, watch)?,
    };
    if !watch.is_over() {
        watch.end(|| {
            let Solution { x, y, gamma, status, .. } = solution.clone();
            State::Ended(Ended { x, y, gamma, status })
        });
    }
    Ok(solution)
}

impl Watch {
    /// What can be proved of a solution, in what is left of the time.
    pub(crate) fn certify(
        &self,
        problem: &Problem<'_>,
        solution: &Solution,
        tolerance: f64,
    ) -> anyhow::Result<Certificate> {
        self.say("certifying …");
        let stopped = self.is_over() || solution.status.is_cut_short();
        let stop = self.proof_stopper(stopped);
        let certificate = solution.certify_until(problem, tolerance, stopped, &stop)?;
        self.say("");
        Ok(certificate)
    }
}

impl Observer for Watch {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        if record.iteration == 0 {
            self.started = Some(Moment::now());
        }
        self.step(record.clone())
    }

    fn starting(&mut self, share: f64, _: f64) -> ControlFlow<()> {
        self.preparing(share)
    }

    fn wants_checkpoint(&mut self, record: &Record) -> bool {
        let due = record.iteration > 0 && record.iteration.is_multiple_of(CHECKPOINT_EVERY);
        due && self.checkpoint.is_some()
    }

    fn checkpoint(&mut self, checkpoint: Checkpoint) {
        self.keep(|| State::UnderWay(Box::new(checkpoint)));
    }
}
