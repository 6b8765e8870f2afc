//! Rank and ridge by cross-validation.

use std::ops::ControlFlow;

use gramfold::{
    Error, Loss, Observer, Record, Spec, Status,
    linalg::Mat,
    loss::{Evaluation, Side},
};
use serde::{Deserialize, Serialize};

use crate::{Completion, Folds, Model, Observations, Score};

/// Ranks that are tried.
const RANKS: [usize; 8] = [1, 2, 3, 5, 8, 12, 20, 30];

/// Ridges that are tried, as shares of the least one whose answer is X = 0.
const RIDGES: [f64; 8] = [0.0, 0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7];

/// Above this many observations one part is held out once; below, each in turn.
const EVERY_FOLD: usize = 20_000;

/// The tolerance of the runs that are compared.
const ROUGH: f64 = 1e-4;

/// One model that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its rank.
    pub rank: usize,
    /// Its ridge.
    pub ridge: f64,
    /// The root of the mean squared error over what was held out.
    pub rmse: f64,
}

/// What was chosen, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The model.
    pub model: Model,
    /// Its errors on held-out observations; none where it was stopped before the first was judged.
    pub score: Option<Score>,
    /// All that were tried, in order.
    pub trials: Vec<Trial>,
    /// Whether the search was stopped before its end.
    pub cut_short: bool,
}

/// Chooses what `rank` or `ridge` leave open, and measures the errors of the choice on held-out observations.
///
/// Ridges are compared at a middling rank, ranks at the best ridge, and ridges once more at the best rank; of ranks that are
/// equally good within one in a hundred, the smallest is taken.
pub fn choose(
    observed: &Observations,
    model: &Model,
    (rank, ridge): (Option<usize>, Option<f64>),
    base: &Spec,
    folds: &Folds,
    observer: &mut dyn Observer,
) -> Result<Choice, Error> {
    let mut search = Search {
        observed,
        base: Spec { stop: base.stop.clone().tolerance(ROUGH), ..base.clone() },
        folds,
        rounds: if observed.len() > EVERY_FOLD { 1 } else { folds.count() },
        watch: Watch { observer, stopped: false },
        trials: Vec::new(),
        best: None,
    };
    let most = observed.dim.min(observed.len() / observed.dim.max(1)).max(1);
    let ranks: Vec<usize> = match rank {
        Some(rank) => vec![rank],
        None => RANKS.into_iter().filter(|&r| r == 1 || r <= most).collect(),
    };
    let scale = largest_ridge(&*model.prepare(observed)?.1);
    let ridges: Vec<f64> = match ridge {
        Some(ridge) => vec![ridge],
        None => RIDGES.iter().map(|share| share * scale).collect(),
    };
    let mut now = Model { rank: ranks[ranks.len() / 2], ridge: ridges[0], ..model.clone() };
    for round in 0..2 {
        let with_ridge = |ridge: &f64| Model { ridge: *ridge, ..now.clone() };
        now = search.best_of(ridges.iter().map(with_ridge).collect(), 0.0)?;
        if round == 0 && ranks.len() > 1 {
            let with_rank = |rank: &usize| Model { rank: *rank, ..now.clone() };
            now = search.best_of(ranks.iter().map(with_rank).collect(), 0.01)?;
        } else {
            break;
        }
    }
    let score = search.best.filter(|(of, _)| *of == now).map(|(_, score)| score);
    let (trials, cut_short) = (search.trials, search.watch.stopped);
    Ok(Choice { model: now, score, trials, cut_short })
}

struct Search<'a> {
    observed: &'a Observations,
    base: Spec,
    folds: &'a Folds,
    rounds: usize,
    watch: Watch<'a>,
    trials: Vec<Trial>,
    /// The errors of the model that was taken last.
    best: Option<(Model, Score)>,
}

impl Search<'_> {
    /// The first model whose error is within `slack` of the least; the first of all where nothing could be judged.
    fn best_of(&mut self, models: Vec<Model>, slack: f64) -> Result<Model, Error> {
        let mut judged: Vec<(Model, Score)> = Vec::new();
        for model in &models {
            if self.watch.stopped {
                break;
            }
            let known = self.best.as_ref().filter(|(of, _)| of == model).map(|(_, score)| *score);
            if let Some(score) = known.map_or_else(|| self.judge(model), |score| Ok(Some(score)))? {
                judged.push((model.clone(), score));
            }
        }
        let least = judged.iter().map(|(_, score)| score.rmse.value).fold(f64::INFINITY, f64::min);
        let within = |(_, score): &(Model, Score)| score.rmse.value <= (1.0 + slack) * least;
        if let Some(best) = judged.into_iter().find(within) {
            self.best = Some(best.clone());
            return Ok(best.0);
        }
        Ok(self.best.as_ref().map_or_else(|| models[0].clone(), |(model, _)| model.clone()))
    }

    /// The errors of a model on what is held out; none if it was stopped on the way.
    fn judge(&mut self, model: &Model) -> Result<Option<Score>, Error> {
        let (mut predicted, mut truth) = (Vec::new(), Vec::new());
        for fold in 0..self.rounds {
            let (kept, held) = self.folds.split(fold);
            let fit =
                Completion::fit(&self.observed.select(&kept), model, &self.base, &mut self.watch)?;
            if self.watch.stopped || fit.solution.status == Status::TimeLimit {
                self.watch.stopped = true;
                return Ok(None);
            }
            for &k in &held {
                let (i, j) = self.observed.places[k as usize];
                predicted.push(fit.predict(i as usize, j as usize));
                truth.push(self.observed.values[k as usize]);
            }
        }
        if predicted.is_empty() {
            return Ok(None);
        }
        let score = Score::of(&predicted, &truth);
        let (rank, ridge, rmse) = (model.rank, model.ridge, score.rmse.value);
        self.trials.push(Trial { rank, ridge, rmse });
        Ok(Some(score))
    }
}

/// Notices that the observer asked to stop.
struct Watch<'a> {
    observer: &'a mut dyn Observer,
    stopped: bool,
}

impl Observer for Watch<'_> {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        let flow = self.observer.observe(record);
        self.stopped |= flow.is_break();
        flow
    }

    fn starting(&mut self, share: f64, seconds: f64) -> ControlFlow<()> {
        let flow = self.observer.starting(share, seconds);
        self.stopped |= flow.is_break();
        flow
    }
}

/// The least λ for which X = 0 is a minimiser, 2λmax(−∇f(0)), roughly: a few steps of the power method.
fn largest_ridge(loss: &dyn Loss) -> f64 {
    let n = loss.dim();
    let zero = Mat::zeros(n, 1);
    let mut evaluation: Box<dyn Evaluation + '_> = loss.evaluation(1);
    evaluation.moved(Side::X, &zero);
    evaluation.moved(Side::Y, &zero);
    let mut v = Mat::from_fn(n, 1, |i, _| 1.0 + ((i * 37 + 11) % 101) as f64 / 101.0);
    let mut image = Mat::zeros(n, 1);
    let (mut largest, mut shift) = (0.0, 0.0);
    for step in 0..60 {
        let norm = v.norm();
        if norm == 0.0 {
            break;
        }
        v.scale(1.0 / norm);
        evaluation.apply(&zero, &zero, &v, &mut image);
        let rayleigh = -image.dot(&v);
        largest = f64::max(largest, rayleigh);
        // Half of the steps measure the norm, by which the others shift −∇f(0) so that its top leads.
        if step == 29 {
            shift = image.norm();
        }
        v.zip(&image, |v, image| shift * v - image);
    }
    2.0 * largest
}
