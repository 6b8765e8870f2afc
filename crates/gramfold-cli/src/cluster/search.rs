//! Restarts and the choice of k.

use gramfold::{
    Problem, Record, Solution, Spec, Split, linalg::Symmetric, loss::Quadratic,
    regulariser::Nonnegative,
};
use gramfold_cluster::{Components, agreement, modularity, settled, sizes, spectra};

use super::claims::{Restarts, Scan};
use crate::{
    cli::ClusterArgs,
    factorisation::{self, Turn, Watch},
    resources::{Moment, Spent},
    store::Status,
};

/// How much lower the objective of a scan's run must be to be preferred to the run that the chosen k would have had by itself.
const LOWER: f64 = 1e-9;

/// Runs from several starts, for each k.
pub(super) struct Search<'a> {
    pub(super) args: &'a ClusterArgs,
    pub(super) graph: &'a Symmetric,
    pub(super) loss: &'a Quadratic,
    pub(super) components: &'a Components,
    pub(super) watch: Watch,
    /// What the starts of the runs took.
    pub(super) starts: Spent,
}

/// One run.
pub(super) struct Run {
    pub(super) spec: Spec,
    pub(super) solution: Solution,
    pub(super) trace: Vec<Record>,
    objective: f64,
    pub(super) labels: Vec<usize>,
}

impl Run {
    /// Whether every cluster has a node: a labelling that leaves one empty is one for fewer clusters.
    fn is_full(&self) -> bool {
        !sizes(&self.labels, self.spec.rank).contains(&0)
    }

    /// Whether it is preferred to another one.
    fn beats(&self, other: &Self) -> bool {
        let (a, b) = (self.objective, other.objective);
        (self.is_full(), a < b - LOWER * b.abs()) > (other.is_full(), false)
    }
}

/// What the search found.
pub(super) struct Found {
    pub(super) best: Run,
    pub(super) restarts: Restarts,
    pub(super) scan: Option<Scan>,
    /// What ended the search before all of its runs had ended.
    pub(super) cut_short: Option<Status>,
}

/// The runs for one k.
struct Runs {
    k: usize,
    best: Run,
    summary: Restarts,
    /// Whether each had its time.
    whole: bool,
}

impl Search<'_> {
    /// Tries every k of a range, and runs the chosen one as it would be run by itself.
    pub(super) fn run(&mut self) -> anyhow::Result<Found> {
        let (first, count) = (*self.args.k.start(), self.args.k.clone().count());
        let again = self.args.restarts.unwrap_or(1);
        if !self.args.scans() {
            let Runs { best, summary, whole, .. } = self.runs(first, (0, again, again), false)?;
            let cut_short = self.cut_short(whole);
            return Ok(Found { best, restarts: summary, scan: None, cut_short });
        }
        let each = self.args.restarts_of_scan();
        let turns = count * each + again;
        let mut tried: Vec<Runs> = Vec::new();
        for k in self.args.k.clone() {
            if !tried.is_empty() && self.watch.is_over() {
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
        if self.watch.is_over() {
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

    /// What is known of each k that was tried, without a choice.
    fn scan(&self, tried: &[Runs]) -> Scan {
        let (most, seed) = (*self.args.k.end(), self.args.run.seed);
        let (weights, walks) = spectra(self.graph, self.args.diagonal, most, seed);
        let full = |runs: &&Runs| runs.best.is_full();
        let modular = |runs: &Runs| modularity(self.graph, &runs.best.labels);
        Scan {
            recommended: None,
            reason: String::new(),
            k: tried.iter().map(|runs| runs.k).collect(),
            modularity: tried.iter().map(|runs| Some(runs).filter(full).map(modular)).collect(),
            weights,
            walks,
            agreement: tried
                .iter()
                .map(|runs| runs.summary.agreement.filter(|_| runs.best.is_full()))
                .collect(),
            objective: tried.iter().map(|runs| runs.summary.best).collect(),
            not_tried: self.args.k.clone().skip(tried.len()).collect(),
            rule: Scan::RULE.into(),
        }
    }

    fn cut_short(&self, whole: bool) -> Option<Status> {
        match (whole, self.watch.is_interrupted()) {
            (true, _) => None,
            (false, true) => Some(Status::Interrupted),
            (false, false) => Some(Status::TimeLimit),
        }
    }

    /// The runs for one k: the number of the first of them, how many there are, and how many there are in all.
    fn runs(
        &mut self,
        k: usize,
        (first, wanted, turns): (usize, usize, usize),
        scanning: bool,
    ) -> anyhow::Result<Runs> {
        let mut runs: Vec<Run> = Vec::new();
        for restart in 0..wanted {
            if !runs.is_empty() && self.watch.is_over() {
                break;
            }
            let which =
                if wanted > 1 { format!("run {} of {wanted}", restart + 1) } else { String::new() };
            let scan = if self.args.scans() { format!("k = {k}") } else { String::new() };
            let label = format!("{scan} {which}").trim().to_owned();
            let turn = Turn { run: first + restart, of: turns, label };
            runs.push(self.once(k, restart, scanning, turn)?);
        }
        let whole =
            runs.len() == wanted && runs.iter().all(|run| !run.solution.status.is_cut_short());
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
        Ok(Runs { k, best: runs.swap_remove(best), summary, whole })
    }

    fn once(
        &mut self,
        k: usize,
        restart: usize,
        scanning: bool,
        turn: Turn,
    ) -> anyhow::Result<Run> {
        let spec = self.args.spec(k, restart, scanning);
        let problem = Problem::new(self.loss, &Nonnegative, k)?;
        gramfold::linalg::know_the_caches(); // Begun with the program; no part of this run's time.
        let begun = Moment::now();
        let solution = factorisation::run(&problem, &spec, turn, &mut self.watch)?;
        self.starts += self.watch.started.take().map_or_else(Spent::default, |at| begun.until(at));
        let trace = std::mem::take(&mut self.watch.trace);
        let labels = settled(&solution.factor, self.graph, self.components);
        // Of the answer ½(X + Y), which a run that was cut off may have far from f(XYᵀ).
        let objective = if solution.x == solution.y {
            solution.last.loss
        } else {
            let (x, y) = (solution.factor.clone(), solution.factor.clone());
            Split::new(&problem, x, y, 0.0)?.loss()
        };
        Ok(Run { spec, solution, trace, objective, labels })
    }
}
