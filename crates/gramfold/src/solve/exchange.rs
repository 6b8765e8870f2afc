//! Leaving a poor local minimum: runs that came to rest go on with columns exchanged, and the better of the two is kept.
//!
//! Rest, exchange, run, keep the better. A run rests where a round of iterations gains next to nothing. An exchange is tried
//! where what it gains is not far below what it costs, and given up where it does not soon fall below what there was.

use gramfold_linalg::Mat;

use super::columns::{cheapest_merger, missing};
use crate::{Memory, Split};

/// A look at the run follows every so many iterations, and this share of all that was gained over X = 0 is next to
/// nothing for a round of them.
const ROUND: usize = 5;
const SLOW: f64 = 1e-4;

/// ½ρ² must be this share of ½λ₂²: the iterations after an exchange add to the one and take from the other. On eleven graphs of more
/// than 512 nodes with two or three k each, by weights and by walks, all six trials that gained more than 1e-5 of the objective had
/// more (a seventh gained 7e-6), and 79 of 100 failures less. Where n is small a trial costs next to nothing, and on a contact
/// network of a school some succeed with a sixth.
const PROMISING: f64 = 0.8;
const SMALL: usize = 512;
const PROMISING_IF_SMALL: f64 = 0.1;

/// Where n is not small nothing is sought if the cheapest merger costs more than this share of all that was gained: what is missing would
/// have to be as large as what was found. On those graphs all that succeeded cost less than a tenth. A run with two columns
/// in one cluster has a cheap merger, wherever it started.
const DEAR: f64 = 0.2;

/// An exchange that lowers the objective by less than this share of all that was gained is no success.
const WORTH: f64 = 1e-6;

/// A trial that succeeds has taken back most of what the exchange cost after one round: it may be above the old objective by
/// this share of that. On eleven graphs from three starts each most successes were, and few failures.
const QUARTER: f64 = 0.25;

/// The most iterations that a trial may take to get below the old objective. One that fails is the last: on those graphs the
/// second cheapest merger never succeeded where the cheapest had failed.
const PATIENCE: usize = 25;

/// More than any count that is stored: a damaged checkpoint may hold anything.
const MOST: usize = 1 << 40;

/// The counts of a checkpoint.
const COUNTS: [&str; 6] = ["next", "rests", "seen", "began", "exchanged", "settled"];

/// What is known between the looks.
#[derive(Default)]
pub(super) struct Exchange {
    /// The iteration of the next look, and whether the run rests there.
    next: usize,
    rests: bool,
    /// The objective at the last look or exchange, and its iteration.
    last: Option<f64>,
    seen: usize,
    /// What a trial goes back to if it fails, and since when it is tried.
    before: Option<Before>,
    began: usize,
    exchanged: usize,
    settled: bool,
}

struct Before {
    x: Mat,
    /// None where it was X.
    y: Option<Mat>,
    objective: f64,
    /// What the exchange added to the objective.
    rise: f64,
    /// What a success must gain: more than the run might have gained without it.
    least: f64,
}

impl Exchange {
    /// Before a run.
    pub(super) fn new() -> Self {
        Self { next: ROUND, ..Self::default() }
    }

    /// Whether there is to be a look at this iteration.
    pub(super) fn is_due(&self, iteration: usize) -> bool {
        !self.settled && iteration >= self.next
    }

    /// The run rests: whether something is left to be tried, which a look at this iteration will tell.
    pub(super) fn rested(&mut self, iteration: usize) -> bool {
        (self.next, self.rests) = (iteration, true);
        !self.settled
    }

    /// Looks at a run that paused; true if the factors were moved.
    pub(super) fn look(&mut self, split: &mut Split<'_>, iteration: usize) -> bool {
        let rests = std::mem::take(&mut self.rests);
        self.next = iteration + ROUND;
        let objective = split.objective();
        let elapsed = iteration.saturating_sub(self.seen).max(1) as f64;
        let fallen = self.saw(objective, iteration);
        let Some(before) = &self.before else {
            let gained = gained(split);
            // Where X = 0 is best there is nothing to compare with, and nothing to wait for.
            let slow = rests || gained <= 0.0 || fallen <= SLOW * gained;
            return slow && self.exchange(split, iteration, fallen);
        };
        if objective < before.objective - before.least {
            self.before = None;
            self.exchanged += 1;
            return false;
        }
        let age = iteration.saturating_sub(self.began);
        // As far again as in what is left of its time, at the present speed.
        let left = PATIENCE.saturating_sub(age) as f64;
        let above = objective - before.objective;
        let hopeless = above > left * fallen / elapsed || above > QUARTER * before.rise;
        (hopeless || rests || left == 0.0) && self.retreat(split, iteration)
    }

    /// Notes the objective, and says by how much it has fallen since it was noted.
    fn saw(&mut self, objective: f64, iteration: usize) -> f64 {
        self.seen = iteration;
        self.last.replace(objective).map_or(f64::INFINITY, |last| last - objective)
    }

    /// Goes back to where a trial started, unless it is better already; true if the factors were moved.
    pub(super) fn retreat(&mut self, split: &mut Split<'_>, iteration: usize) -> bool {
        let Some(before) = self.before.take() else { return false };
        self.settled = true;
        // A damaged checkpoint may hold other factors, too.
        let fits = |m: &Mat| (m.rows(), m.cols()) == (split.x().rows(), split.x().cols());
        if split.objective() <= before.objective
            || !fits(&before.x)
            || !before.y.as_ref().is_none_or(fits)
        {
            return false;
        }
        split.replace(before.x, before.y);
        self.saw(before.objective, iteration);
        true
    }

    fn exchange(&mut self, split: &mut Split<'_>, iteration: usize, fallen: f64) -> bool {
        let small = split.x().rows() <= SMALL;
        let cheapest =
            cheapest_merger(split).filter(|merger| small || merger.cost <= DEAR * gained(split));
        let found = cheapest.and_then(|merger| {
            let share = if small { PROMISING_IF_SMALL } else { PROMISING };
            let enough = (2.0 * share * merger.cost).sqrt();
            Some((merger, missing(split, self.exchanged as u64, enough)?))
        });
        let Some((merger, (rho, u))) = found else {
            self.settled = true;
            return false;
        };
        let (mut x, mut y) = (split.x().clone(), (!split.is_folded()).then(|| split.y().clone()));
        let outlook = if fallen.is_finite() { fallen } else { 0.0 };
        let least = outlook.max(WORTH * gained(split));
        let objective = split.objective();
        for factor in std::iter::once(&mut x).chain(&mut y) {
            merger.exchange(rho, &u, factor);
        }
        let (x, y) = split.replace(x, y);
        let rise = (split.objective() - objective).max(0.0);
        self.before = Some(Before { x, y, objective, rise, least });
        self.began = iteration;
        self.saw(split.objective(), iteration);
        true
    }

    pub(super) fn remember(&self, memory: &mut Memory) {
        let &Self { next, seen, began, exchanged, .. } = self;
        let counts = [next, self.rests.into(), seen, began, exchanged, self.settled.into()];
        COUNTS.iter().zip(counts).for_each(|(name, count)| memory.set_count(name, count));
        if let Some(last) = self.last {
            memory.set_number("last", last);
        }
        if let Some(before) = &self.before {
            memory.set("x", &before.x);
            if let Some(y) = &before.y {
                memory.set("y", y);
            }
            memory.set_number("objective", before.objective);
            memory.set_number("rise", before.rise);
            memory.set_number("least", before.least);
        }
    }

    pub(super) fn recall(memory: &Memory) -> Self {
        let [next, rests, seen, began, exchanged, settled] =
            COUNTS.map(|name| memory.count(name).unwrap_or(0).min(MOST));
        let before = || {
            Some(Before {
                x: memory.get("x")?.clone(),
                y: memory.get("y").cloned(),
                objective: memory.number("objective")?,
                rise: memory.number("rise")?,
                least: memory.number("least")?,
            })
        };
        let (last, before) = (memory.number("last"), before());
        let (rests, settled) = (rests > 0, settled > 0);
        Self { next, rests, last, seen, before, began, exchanged, settled }
    }
}

/// What the factors take off the objective of X = 0.
fn gained(split: &Split<'_>) -> f64 {
    split.problem().loss.at_zero() - split.objective()
}
