//! One progress line on a terminal, with an estimate of the time left where one can be made.

use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use gramfold_sdp::{Error, Options, Progress, Sdp, Solution, State, solve};

use super::checkpoint::Store;
use crate::{
    cli::RunArgs,
    interrupt,
    line::{Line, left},
};

/// Keeps the trace and the checkpoint, draws the line, and stops the run on Ctrl-C.
pub(crate) struct Watch {
    pub(crate) trace: Vec<Progress>,
    clock: Instant,
    /// Seconds that earlier runs took, which this one goes on from.
    before: f64,
    store: Option<Store>,
    /// Programs solved so far.
    solved: usize,
    tolerance: f64,
    time_limit: Option<f64>,
    interrupted: Arc<AtomicBool>,
    line: Line,
    /// −1 where the question is a maximum: what is shown is in its signs.
    sign: f64,
}

impl Watch {
    /// For the solution of a program with these options, or with others that follow from its outcome.
    pub(crate) fn new(
        command: &str,
        args: &RunArgs,
        sdp: &Sdp,
        options: &Options,
        sign: f64,
    ) -> anyhow::Result<Self> {
        let store = Store::open(command, args, sdp, options)?;
        let before = store.as_ref().map_or(0.0, Store::seconds);
        Ok(Self {
            trace: Vec::new(),
            clock: Instant::now(),
            before,
            store,
            solved: 0,
            tolerance: args.tol,
            time_limit: args.time_limit,
            interrupted: interrupt::flag(),
            line: Line::new(),
            sign,
        })
    }

    /// Solves, from where the checkpoint says.
    pub(crate) fn solve(&mut self, sdp: &Sdp, options: Options) -> Result<Solution, Error> {
        let mut resume = None;
        if let Some((state, trace)) = self.store.as_ref().and_then(|s| s.state(self.solved)) {
            (resume, self.trace) = (Some(state), trace);
        }
        let solution = solve(sdp, &Options { resume, ..options }, self);
        self.solved += 1;
        solution
    }

    fn seconds(&self) -> f64 {
        self.before + self.clock.elapsed().as_secs_f64()
    }

    /// Whether Ctrl-C was pressed.
    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// What says whether to stop: Ctrl-C, or the end of the time limit.
    pub(crate) fn stopper(&self) -> impl Fn() -> bool + Sync + use<> {
        let interrupted = Arc::clone(&self.interrupted);
        let limit = self.time_limit.and_then(|limit| Duration::try_from_secs_f64(limit).ok());
        let until = limit.and_then(|limit| self.clock.checked_add(limit));
        move || {
            interrupted.load(Ordering::Relaxed)
                || until.is_some_and(|until| Instant::now() >= until)
        }
    }

    /// Replaces the line by what is done next; by nothing where that is empty.
    pub(crate) fn say(&self, next: &str) {
        self.line.say(next);
    }

    fn draw(&mut self, now: &Progress) {
        let rank = now.rank.map_or(String::new(), |rank| format!("  rank {rank}"));
        let gamma = now.gamma.map_or(String::new(), |gamma| format!("  γ {gamma:.2e}"));
        let text = format!(
            "iteration {}  objective {:.8e}  dual {:.8e}  infeasibility {:.1e}{rank}{gamma}  {}",
            now.iteration,
            self.sign * now.primal_objective,
            self.sign * now.dual_objective,
            now.primal_infeasibility,
            left(self.seconds_left(now)),
        );
        self.line.draw(now.seconds, &text);
    }

    /// The smaller of what the limit allows and what the decay of the error promises; none where it does not fall.
    fn seconds_left(&self, now: &Progress) -> Option<f64> {
        let time = self.time_limit.map(|limit| (limit + self.before - now.seconds).max(0.0));
        let then = self.trace.get(self.trace.len() / 2)?;
        let rate = (error(then) / error(now)).ln() / (now.seconds - then.seconds);
        let needed = (error(now) / self.tolerance).ln() / rate;
        let decay = (rate > 0.0 && needed.is_finite()).then(|| needed.max(0.0));
        [time, decay].into_iter().flatten().min_by(f64::total_cmp)
    }
}

/// The larger of the infeasibilities and the gap.
fn error(progress: &Progress) -> f64 {
    let gap = progress.relative_gap;
    gap.max(progress.primal_infeasibility).max(progress.dual_infeasibility.unwrap_or(0.0))
}

impl gramfold_sdp::Watch for Watch {
    fn step(&mut self, progress: &Progress) -> ControlFlow<()> {
        // Of the whole run, not of one engine.
        let progress = Progress { seconds: self.seconds(), ..progress.clone() };
        if self.line.is_due(progress.seconds) {
            self.draw(&progress);
        }
        self.trace.push(progress);
        if self.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn stops(&self) -> bool {
        self.is_interrupted()
    }

    fn save(&mut self, state: &dyn Fn() -> State) {
        let seconds = self.seconds();
        if let Some(store) = &mut self.store {
            store.save(self.solved, state, &self.trace, seconds);
        }
    }
}
