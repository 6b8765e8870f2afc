//! The checkpoint of a search: finished runs and the one under way.

use std::{
    cell::RefCell,
    path::PathBuf,
    rc::Rc,
    time::{Duration, Instant},
};

use gramfold::{
    Checkpoint, Record, Solution, Spec, Status, Stop, linalg::Mat, loss::Quadratic, stored,
};
use serde::{Deserialize, Serialize};

use crate::{checkpoint, cli::ClusterArgs, output, progress::Watch, store::Fingerprint};

/// Writing may take this share of the time.
const SHARE: u32 = 20;

/// How the refusal of another run's checkpoint ends.
const OTHER: &str = "another run; resume with the flags and the input it was started with";

/// What the file holds.
#[derive(Default, Serialize, Deserialize)]
struct State {
    finished: Vec<Finished>,
    current: Option<Current>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Finished {
    k: usize,
    restart: usize,
    #[serde(with = "stored")]
    x: Mat,
    #[serde(with = "stored")]
    y: Mat,
    gamma: f64,
    status: Status,
    trace: Vec<Record>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Current {
    k: usize,
    restart: usize,
    checkpoint: Checkpoint,
    trace: Vec<Record>,
}

/// The file and its content; without a file nothing is kept.
pub(super) struct Store {
    inner: Option<Rc<RefCell<Inner>>>,
}

struct Inner {
    path: PathBuf,
    /// Describes the run; another run's checkpoint is refused.
    fingerprint: String,
    state: State,
    written: Instant,
    /// How long the last write took.
    cost: Duration,
}

impl Store {
    /// Opens the file that the flags name, reading it to resume.
    pub(super) fn open(args: &ClusterArgs, loss: &Quadratic) -> anyhow::Result<Self> {
        let Some(path) = &args.checkpoint else { return Ok(Self { inner: None }) };
        let fingerprint = fingerprint(args, loss);
        let state = if args.resume { checkpoint::read(path, &fingerprint, OTHER)? } else { None };
        let state = state.unwrap_or_default();
        let (written, cost) = (Instant::now(), Duration::ZERO);
        let inner = Inner { path: path.clone(), fingerprint, state, written, cost };
        Ok(Self { inner: Some(Rc::new(RefCell::new(inner))) })
    }

    /// A run that had ended before.
    pub(super) fn finished(&self, k: usize, restart: usize) -> Option<(Solution, Vec<Record>)> {
        let inner = self.inner.as_ref()?.borrow();
        let run = inner.state.finished.iter().find(|run| (run.k, run.restart) == (k, restart))?;
        let Finished { x, y, gamma, status, trace, .. } = run.clone();
        let mut factor = x.clone();
        factor.zip(&y, |x, y| 0.5 * (x + y));
        let last = trace.last()?.clone();
        Some((Solution { factor, x, y, gamma, status, last }, trace))
    }

    /// Where a run that had not ended is to go on.
    pub(super) fn current(&self, k: usize, restart: usize) -> Option<(Checkpoint, Vec<Record>)> {
        let inner = self.inner.as_ref()?.borrow();
        let current = inner.state.current.clone()?;
        ((current.k, current.restart) == (k, restart))
            .then_some((current.checkpoint, current.trace))
    }

    /// Makes the checkpoints of a run go into the file.
    pub(super) fn watch(&self, k: usize, restart: usize, watch: Watch) -> Watch {
        let Some(inner) = self.inner.clone() else { return watch };
        watch.saving(move |checkpoint, trace| {
            let mut inner = inner.borrow_mut();
            if inner.written.elapsed() < SHARE * inner.cost {
                return;
            }
            inner.state.current = Some(Current { k, restart, checkpoint, trace: trace.to_vec() });
            if let Err(error) = inner.write() {
                // The run is worth more than its checkpoint.
                output::message(&format!("warning: {error:#}"));
            }
        })
    }

    /// A run has ended.
    pub(super) fn finish(
        &self,
        k: usize,
        restart: usize,
        solution: &Solution,
        trace: &[Record],
    ) -> anyhow::Result<()> {
        let Some(inner) = &self.inner else { return Ok(()) };
        let mut inner = inner.borrow_mut();
        let Solution { x, y, gamma, status, .. } = solution.clone();
        inner.state.finished.push(Finished {
            k,
            restart,
            x,
            y,
            gamma,
            status,
            trace: trace.to_vec(),
        });
        inner.state.current = None;
        inner.write()
    }
}

impl Inner {
    fn write(&mut self) -> anyhow::Result<()> {
        let clock = Instant::now();
        checkpoint::write(&self.path, &self.fingerprint, &self.state)?;
        self.written = Instant::now();
        self.cost = clock.elapsed();
        Ok(())
    }
}

/// All that the path of the runs depends on; only the time limit and the threads may change.
fn fingerprint(args: &ClusterArgs, loss: &Quadratic) -> String {
    // One k and one restart differ from the next by the rank, the seed and the start alone.
    let specs = [args.spec(*args.k.start(), 0), args.spec(*args.k.start(), 1)];
    let mut fingerprint = Fingerprint::new("cluster").with("k", format!("{:?}", args.k));
    for spec in specs {
        let spec = Spec { stop: Stop { time_limit: None, ..spec.stop }, ..spec };
        fingerprint = fingerprint.with("spec", format!("{spec:?}"));
    }
    fingerprint.with_matrix(loss.matrix()).finish()
}
