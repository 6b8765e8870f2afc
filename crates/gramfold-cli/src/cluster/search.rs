//! Restarts and the choice of k.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use gramfold::{
    Problem, Solution, Spec, factorise, loss::Quadratic, penalty::Spectral,
    regulariser::Nonnegative, resume, single,
};
use gramfold_cluster::{Components, agreement, hard, recommend, sizes};

use super::{
    checkpoint::Store,
    claims::{Restarts, Stability},
};
use crate::{
    cli::{ClusterArgs, Precision},
    progress::Watch,
};

/// Runs from several starts, for each k.
pub(super) struct Search<'a> {
    pub(super) args: &'a ClusterArgs,
    pub(super) loss: &'a Quadratic,
    pub(super) components: &'a Components,
    pub(super) interrupted: Arc<AtomicBool>,
    pub(super) store: Store,
}

/// One run.
pub(super) struct Run {
    pub(super) spec: Spec,
    pub(super) solution: Solution,
    pub(super) watch: Watch,
    objective: f64,
    labels: Vec<usize>,
}

/// What the search found.
pub(super) struct Found {
    pub(super) best: Run,
    pub(super) restarts: Restarts,
    pub(super) scan: Option<Stability>,
    pub(super) interrupted: bool,
}

/// The runs for one k.
struct Runs {
    best: Run,
    summary: Restarts,
}

impl Search<'_> {
    /// Tries every k, and keeps the recommended one.
    pub(super) fn run(&self) -> anyhow::Result<Found> {
        // A limit beyond the clock's end is none.
        let limit = self.args.method.stop.stop().time_limit;
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut tried: Vec<(usize, Runs)> = Vec::new();
        for k in self.args.k.clone() {
            if !tried.is_empty() && self.is_over(deadline) {
                break;
            }
            tried.push((k, self.runs(k, deadline)?));
        }
        let curve: Vec<(usize, f64, f64)> = tried
            .iter()
            .map(|(k, runs)| {
                // A labelling that leaves a cluster empty is one for fewer clusters.
                let full = !sizes(&runs.best.labels, *k).contains(&0);
                let agreement = runs.summary.agreement.filter(|_| full).unwrap_or(f64::NAN);
                (*k, agreement, runs.summary.best)
            })
            .collect();
        let chosen = if self.args.scans() { recommend(&curve) } else { *self.args.k.start() };
        let at = tried.iter().position(|(k, _)| *k == chosen).unwrap_or(0);
        let scan = self.args.scans().then(|| Stability {
            recommended: tried[at].0,
            k: curve.iter().map(|point| point.0).collect(),
            agreement: curve.iter().map(|point| Some(point.1).filter(|a| !a.is_nan())).collect(),
            objective: curve.iter().map(|point| point.2).collect(),
        });
        let Runs { best, summary } = tried.swap_remove(at).1;
        let interrupted = self.interrupted.load(Ordering::Relaxed);
        Ok(Found { best, restarts: summary, scan, interrupted })
    }

    fn runs(&self, k: usize, deadline: Option<Instant>) -> anyhow::Result<Runs> {
        let wanted = self.args.restarts.unwrap_or(if self.args.scans() { 5 } else { 1 }).max(1);
        let mut runs: Vec<Run> = Vec::new();
        for restart in 0..wanted {
            if !runs.is_empty() && self.is_over(deadline) {
                break;
            }
            runs.push(self.once(k, restart, wanted, deadline)?);
        }
        let objectives: Vec<f64> = runs.iter().map(|run| run.objective).collect();
        let labellings: Vec<Vec<usize>> = runs.iter().map(|run| run.labels.clone()).collect();
        let agreement = if runs.len() > 1 { Some(agreement(&labellings)?) } else { None };
        let best = (0..runs.len())
            .min_by(|&a, &b| objectives[a].total_cmp(&objectives[b]))
            .expect("invariant: at least one run");
        let summary = Restarts {
            runs: runs.len(),
            best: objectives[best],
            worst: objectives.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            agreement,
        };
        Ok(Runs { best: runs.swap_remove(best), summary })
    }

    fn once(
        &self,
        k: usize,
        restart: usize,
        of: usize,
        deadline: Option<Instant>,
    ) -> anyhow::Result<Run> {
        let mut spec = self.args.spec(k, restart);
        spec.stop.time_limit = deadline
            .map(|end| end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1)));
        let label = match (self.args.scans(), of > 1) {
            (true, _) => format!("k = {k}, run {} of {of}  ", restart + 1),
            (false, true) => format!("run {} of {of}  ", restart + 1),
            (false, false) => String::new(),
        };
        let problem = Problem::new(self.loss, &Nonnegative, k)?;
        gramfold::linalg::know_the_caches(); // Begun with the program; no part of this run's time.
        let watch = Watch::new(spec.stop.clone(), Arc::clone(&self.interrupted)).labelled(label);
        let (solution, watch) = if let Some((solution, trace)) = self.store.finished(k, restart) {
            (solution, watch.after(trace))
        } else {
            let mut watch = self.store.watch(k, restart, watch);
            let solution = if let Some((checkpoint, trace)) = self.store.current(k, restart) {
                watch = watch.after(trace);
                resume(&problem, spec.method()?, checkpoint, &mut watch)?
            } else if self.args.precision == Precision::F32 {
                let clock = Instant::now();
                let start = single::start(&problem, spec.start, spec.seed)?;
                watch = watch.started(clock.elapsed().as_secs_f64());
                single::solve(&problem, Spectral::default(), &spec.stop, start, &mut watch)?
            } else {
                factorise(&problem, &spec, &mut watch)?
            };
            if !self.is_over(deadline) {
                self.store.finish(k, restart, &solution, &watch.trace)?;
            }
            (solution, watch)
        };
        // The limit that was asked for, not what was left of it, describes the run.
        spec.stop.time_limit = self.args.method.stop.stop().time_limit;
        let labels = hard(&solution.factor, Some(self.components));
        let objective = solution.last.loss;
        Ok(Run { spec, solution, watch, objective, labels })
    }

    fn is_over(&self, deadline: Option<Instant>) -> bool {
        self.interrupted.load(Ordering::Relaxed)
            || deadline.is_some_and(|end| Instant::now() >= end)
    }
}
