//! Programs solved under a watch, from where the checkpoint says.

use std::ops::ControlFlow;

use gramfold_sdp::{Error, Options, Progress, Sdp, Solution, State, solve};

use crate::{
    cli::{OutputArgs, RunArgs},
    store::Fingerprint,
    watch,
};

/// Watches the programs of a command.
pub(crate) struct Watch {
    inner: watch::Watch<Progress, State>,
    /// The steps of the programs before the one at work.
    earlier: Vec<Progress>,
    solved: usize,
}

impl Watch {
    /// For the solution of a program with these options, or with others that follow from its outcome. `sign` is −1 where the
    /// question is a maximum.
    pub(crate) fn new(
        command: &str,
        args: &RunArgs,
        output: &OutputArgs,
        sdp: &Sdp,
        options: &Options,
        sign: f64,
    ) -> anyhow::Result<Self> {
        let inner: watch::Watch<_, _> =
            args.watch(output, || fingerprint(command, sdp, options))?;
        let inner = inner.signed(sign);
        Ok(Self { inner, earlier: Vec::new(), solved: 0 })
    }

    /// Solves, from where the checkpoint says and in the time that is left.
    pub(crate) fn solve(&mut self, sdp: &Sdp, options: Options) -> Result<Solution, Error> {
        self.earlier.append(&mut self.inner.trace);
        let kept = self.inner.begin(self.solved, 1 + self.solved, String::new());
        let resume = kept.map(|kept| kept.state);
        let limits = [options.time_limit, self.inner.time_left()];
        let time_limit = limits.into_iter().flatten().min();
        let solution = solve(sdp, &Options { resume, time_limit, ..options }, &mut self.inner);
        self.solved += 1;
        solution
    }

    /// Every step of every program.
    pub(crate) fn trace(&self) -> Vec<Progress> {
        [&self.earlier[..], &self.inner.trace].concat()
    }

    /// What says whether to stop: Ctrl-C, or the end of the time limit.
    pub(crate) fn stopper(&self) -> impl Fn() -> bool + Sync + use<> {
        self.inner.stopper()
    }

    /// Replaces the line by what is done next; by nothing where that is empty.
    pub(crate) fn say(&self, next: &str) {
        self.inner.say(next);
    }
}

impl gramfold_sdp::Watch for watch::Watch<Progress, State> {
    fn step(&mut self, progress: &Progress) -> ControlFlow<()> {
        // Of the whole command, not of one engine.
        let seconds = self.seconds();
        watch::Watch::step(self, Progress { seconds, ..progress.clone() })
    }

    fn stops(&self) -> bool {
        self.is_interrupted()
    }

    fn save(&mut self, state: &dyn Fn() -> State) {
        self.keep(state);
    }
}

/// All that the path of a run depends on; only the time limit and the threads may change.
fn fingerprint(command: &str, sdp: &Sdp, options: &Options) -> Fingerprint {
    let Options { tolerance, rank, method, seed, warm, .. } = options;
    Fingerprint::new(command)
        .with("tolerance", tolerance.to_bits())
        .with("rank", format!("{rank:?}"))
        .with("method", method)
        .with("seed", seed)
        .with_program(sdp)
        .with_point(warm.as_ref())
}
