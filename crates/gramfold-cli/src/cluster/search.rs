//! Restarts and the choice of k.

use std::ops::RangeInclusive;

use gramfold::{
    Problem, Record, Solution, Spec, Split, linalg::Symmetric, registry::Component,
    regulariser::Nonnegative,
};
use gramfold_cluster::{
    Components, Diagonal, agreement, modularity, separations, settled, sizes, spectra,
};

use super::{
    claims::{Restarts, Scan},
    ordered::Ordered,
};
use crate::{factorisation::Turn, store::Status};

/// How much lower the objective of a scan's run must be to be preferred to the run that the chosen k would have had by itself.
const LOWER: f64 = 1e-9;

/// The most runs whose labels are compared, each with each.
const COMPARED: usize = 1000;

/// What is asked.
pub(crate) struct Asked<'a> {
    /// The numbers of clusters.
    pub(crate) k: RangeInclusive<usize>,
    /// Runs from different starts, if their number is given.
    pub(crate) restarts: Option<usize>,
    pub(crate) diagonal: Diagonal,
    pub(crate) seed: u64,
    /// The run for one k and one restart.
    pub(crate) spec: &'a dyn Fn(usize, usize) -> Spec,
}

impl Asked<'_> {
    /// Whether k is to be chosen.
    fn scans(&self) -> bool {
        self.k.end() > self.k.start()
    }
}

/// Makes the runs.
pub(crate) trait Runner {
    /// Runs a spec; what was seen comes with the answer.
    fn run(
        &mut self,
        problem: &Problem<'_>,
        spec: &Spec,
        turn: Turn,
    ) -> anyhow::Result<(Solution, Vec<Record>)>;

    /// What has ended the search before all of its runs, if anything has.
    fn ended(&self) -> Option<Status>;

    /// Says what is done between the runs.
    fn say(&self, _next: &str) {}
}

/// Runs from several starts, for each k.
pub(crate) struct Search<'a, R> {
    pub(crate) asked: Asked<'a>,
    pub(crate) graph: &'a Symmetric,
    pub(crate) factorised: &'a Ordered,
    pub(crate) components: &'a Components,
    pub(crate) runner: R,
}

/// What one start came to. Its factors are in the order of what is factorised, its labels in that of the nodes.
pub(crate) struct Candidate {
    pub(crate) spec: Spec,
    pub(crate) solution: Solution,
    pub(crate) trace: Vec<Record>,
    objective: f64,
    pub(crate) labels: Vec<usize>,
}

impl Candidate {
    fn is_full(&self) -> bool {
        is_full(&sizes(&self.labels, self.spec.rank))
    }

    /// Whether it is preferred to another one.
    fn beats(&self, other: &Self) -> bool {
        let (a, b) = (self.objective, other.objective);
        (self.is_full(), a < b - LOWER * b.abs()) > (other.is_full(), false)
    }
}

/// What the search found.
pub(crate) struct Found {
    pub(crate) best: Candidate,
    pub(crate) restarts: Restarts,
    pub(crate) scan: Option<Scan>,
    /// What ended the search before all of its runs had ended.
    pub(crate) cut_short: Option<Status>,
}

/// The runs for one k.
struct Runs {
    k: usize,
    best: Candidate,
    summary: Restarts,
    /// Whether each had its time.
    whole: bool,
}

impl<R: Runner> Search<'_, R> {
    /// Tries every k of a range, and runs the chosen one as it would be run by itself.
    pub(crate) fn run(&mut self) -> anyhow::Result<Found> {
        let (first, count) = (*self.asked.k.start(), self.asked.k.clone().count());
        let again = self.asked.restarts.unwrap_or(1);
        if !self.asked.scans() {
            let Runs { best, summary, whole, .. } = self.runs(first, (0, again, again), false)?;
            let cut_short = self.cut_short(whole);
            return Ok(Found { best, restarts: summary, scan: None, cut_short });
        }
        let each = self.asked.restarts.unwrap_or(2);
        let turns = count * each + again;
        let mut tried: Vec<Runs> = Vec::new();
        for k in self.asked.k.clone() {
            if !tried.is_empty() && self.is_over() {
                break;
            }
            tried.push(self.runs(k, ((k - first) * each, each, turns), true)?);
        }
        let mut scan = self.scan(&tried);
        let choice = scan.evidence().choose();
        scan.reason = choice.map_or(String::new(), |choice| choice.reason());
        let at = choice.and_then(|choice| tried.iter().position(|runs| runs.k == choice.k));
        let mut whole = tried.len() == count && tried.iter().all(|runs| runs.whole);
        let Runs { k, mut best, summary, .. } = tried.swap_remove(at.unwrap_or(0));
        if self.is_over() {
            whole = false;
        } else {
            let alone = self.runs(k, (count * each, again, turns), false)?;
            whole &= alone.whole;
            if !best.beats(&alone.best) {
                best = alone.best;
            }
        }
        scan.recommended = Some(k).filter(|_| at.is_some() && whole && best.is_full());
        let cut_short = self.cut_short(whole);
        Ok(Found { best, restarts: summary, scan: Some(scan), cut_short })
    }

    /// What is known of each k that was tried, without a choice. Where the search is over none will be recommended, and what
    /// takes long is not looked at.
    fn scan(&self, tried: &[Runs]) -> Scan {
        let (most, seed) = (*self.asked.k.end(), self.asked.seed);
        let k: Vec<usize> = tried.iter().map(|runs| runs.k).collect();
        let ((weights, walks), separation) = if self.is_over() {
            Default::default()
        } else {
            self.runner.say("choosing k …");
            (spectra(self.graph, self.asked.diagonal, most, seed), separations(self.graph, &k))
        };
        let full = |runs: &&Runs| runs.best.is_full();
        let modular = |runs: &Runs| modularity(self.graph, &runs.best.labels);
        Scan {
            recommended: None,
            reason: String::new(),
            separation,
            k,
            modularity: tried.iter().map(|runs| Some(runs).filter(full).map(modular)).collect(),
            weights,
            walks,
            agreement: tried
                .iter()
                .map(|runs| runs.summary.agreement.filter(|_| runs.best.is_full()))
                .collect(),
            objective: tried.iter().map(|runs| finite(runs.summary.best)).collect(),
            not_tried: self.asked.k.clone().skip(tried.len()).collect(),
            rule: Scan::RULE.into(),
        }
    }

    fn is_over(&self) -> bool {
        self.runner.ended().is_some()
    }

    fn cut_short(&self, whole: bool) -> Option<Status> {
        (!whole).then(|| self.runner.ended().unwrap_or(Status::TimeLimit))
    }

    /// The runs for one k: the number of the first of them, how many there are, and how many there are in all.
    fn runs(
        &mut self,
        k: usize,
        (first, wanted, turns): (usize, usize, usize),
        scanning: bool,
    ) -> anyhow::Result<Runs> {
        let (mut best, mut whole): (Option<Candidate>, _) = (None, true);
        let (mut objectives, mut labellings) = (Vec::new(), Vec::new());
        for restart in 0..wanted {
            if best.is_some() && self.is_over() {
                break;
            }
            let which =
                if wanted > 1 { format!("run {} of {wanted}", restart + 1) } else { String::new() };
            let scan = if self.asked.scans() { format!("k = {k}") } else { String::new() };
            let label = format!("{scan} {which}").trim().to_owned();
            let turn = Turn { run: first + restart, of: turns, label };
            let run = self.once(k, restart, scanning, turn)?;
            whole &= !run.solution.status.is_cut_short();
            objectives.push(run.objective);
            if labellings.len() < COMPARED {
                labellings.push(run.labels.clone());
            }
            // The first among equals. Of the others only this much is kept: a large graph has large factors.
            if best.as_ref().is_none_or(|best| run.objective.total_cmp(&best.objective).is_lt()) {
                best = Some(run);
            }
        }
        let best = best.expect("invariant: at least one run");
        whole &= objectives.len() == wanted;
        let agreement = if labellings.len() > 1 { Some(agreement(&labellings)?) } else { None };
        let summary = Restarts {
            runs: objectives.len(),
            best: best.objective,
            worst: objectives.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            agreement,
        };
        Ok(Runs { k, best, summary, whole })
    }

    fn once(
        &mut self,
        k: usize,
        restart: usize,
        scanning: bool,
        turn: Turn,
    ) -> anyhow::Result<Candidate> {
        let mut spec = (self.asked.spec)(k, restart);
        if scanning && spec.algorithm == Component::named("auto") {
            // Exchanges make runs agree at every k, and stability is what a scan is after.
            spec.algorithm = spec.algorithm.with("exchange", 0.0);
        }
        let problem = Problem::new(&self.factorised.loss, &Nonnegative, k)?;
        let (solution, trace) = self.runner.run(&problem, &spec, turn)?;
        let factor = self.factorised.restored(&solution.factor);
        let labels = settled(&factor, self.graph, self.components);
        // Of the answer ½(X + Y), which a run that was cut off may have far from f(XYᵀ).
        let objective = if solution.x == solution.y {
            solution.last.loss
        } else {
            let (x, y) = (solution.factor.clone(), solution.factor.clone());
            Split::new(&problem, x, y, 0.0)?.loss()
        };
        Ok(Candidate { spec, solution, trace, objective, labels })
    }
}

/// Whether clusters of these sizes have nodes, but for a tenth of them: labels that leave more empty are those of fewer clusters.
pub(super) fn is_full(sizes: &[usize]) -> bool {
    10 * sizes.iter().filter(|&&size| size == 0).count() <= sizes.len()
}

/// None where a run diverged.
fn finite(objective: f64) -> Option<f64> {
    Some(objective).filter(|objective| objective.is_finite())
}
