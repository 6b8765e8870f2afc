//! Rank, ridge and biases by cross-validation.

use std::ops::ControlFlow;

use gramfold::{Error, Loss, Observer, Record, Spec, Status, linalg::Mat, registry};
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

/// Of ranks whose held-out losses are equal up to this share, the smallest is taken.
const EQUAL: f64 = 0.02;

/// A held-out loss below this share of that of the prediction 0 is none: the runs are not more precise.
const NOTHING: f64 = 1e-6;

/// What is given, and what is to be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The rank; none to have it chosen.
    pub rank: Option<usize>,
    /// The ridge; none to have it chosen.
    pub ridge: Option<f64>,
    /// The shrinkages of the biases to choose from, none for a model without them.
    pub shrinkages: Vec<Option<f64>>,
}

/// One model that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Its rank.
    pub rank: usize,
    /// Its ridge.
    pub ridge: f64,
    /// The shrinkage of its biases, if it has any.
    pub shrinkage: Option<f64>,
    /// The mean loss over what was held out, by which models are compared.
    pub loss: f64,
    /// The root of the mean squared error there.
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

/// Chooses what was left open, and measures the errors of the choice on held-out observations.
///
/// Ridges are compared at a middling rank, with each kind of biases; then ranks at the best ridge, and ridges once more at
/// the best rank. Of ranks that are equally good within two in a hundred, the smallest is taken.
pub fn choose(
    observed: &Observations,
    model: &Model,
    asked: &Asked,
    base: &Spec,
    folds: &Folds,
    observer: &mut dyn Observer,
) -> Result<Choice, Error> {
    let scalar = registry::scalar(&model.loss)?;
    let mut search = Search {
        observed,
        base: Spec { stop: base.stop.clone().tolerance(ROUGH), ..base.clone() },
        folds,
        rounds: if observed.len() > EVERY_FOLD { 1 } else { folds.count() },
        watch: Watch { observer, stopped: false },
        trials: Vec::new(),
        nothing: NOTHING * observed.values.iter().map(|b| scalar.at(0.0, *b)[0]).sum::<f64>()
            / observed.len().max(1) as f64,
        best: None,
    };
    let most = observed.dim.min(observed.len() / observed.dim.max(1)).max(1);
    let ranks: Vec<usize> = match asked.rank {
        Some(rank) => vec![rank],
        None => RANKS.into_iter().filter(|&r| r == 1 || r <= most).collect(),
    };
    let ridges = |shrinkage: Option<f64>| -> Result<Vec<f64>, Error> {
        if let Some(ridge) = asked.ridge {
            return Ok(vec![ridge]);
        }
        let model = Model { shrinkage, ..model.clone() };
        let scale = largest_ridge(&*model.prepare(observed)?.1);
        Ok(RIDGES.iter().map(|share| share * scale).collect())
    };
    let middling = ranks[ranks.len() / 2];
    let mut models = Vec::new();
    for &shrinkage in &asked.shrinkages {
        let with = |ridge| Model { rank: middling, ridge, shrinkage, ..model.clone() };
        models.extend(ridges(shrinkage)?.into_iter().map(with));
    }
    let mut now = search.best_of(&models, 0.0)?;
    if ranks.len() > 1 {
        let with_rank = |rank: &usize| Model { rank: *rank, ..now.clone() };
        let models: Vec<Model> = ranks.iter().map(with_rank).collect();
        now = search.best_of(&models, EQUAL)?;
        let with_ridge = |ridge| Model { ridge, ..now.clone() };
        let models: Vec<Model> = ridges(now.shrinkage)?.into_iter().map(with_ridge).collect();
        now = search.best_of(&models, 0.0)?;
    }
    let score = search.best.filter(|best| best.model == now).map(|best| best.score);
    let (trials, cut_short) = (search.trials, search.watch.stopped);
    Ok(Choice { model: now, score, trials, cut_short })
}

/// A model and how it did.
#[derive(Clone)]
struct Judged {
    model: Model,
    score: Score,
}

struct Search<'a> {
    observed: &'a Observations,
    base: Spec,
    folds: &'a Folds,
    rounds: usize,
    watch: Watch<'a>,
    trials: Vec<Trial>,
    /// Losses up to this are none.
    nothing: f64,
    /// The model that was taken last.
    best: Option<Judged>,
}

impl Search<'_> {
    /// The first model whose loss is within `slack` of the least; the first of all where nothing could be judged.
    fn best_of(&mut self, models: &[Model], slack: f64) -> Result<Model, Error> {
        let mut judged: Vec<Judged> = Vec::new();
        for model in models {
            if self.watch.stopped {
                break;
            }
            let known = self.best.clone().filter(|best| best.model == *model);
            judged.extend(match known {
                Some(known) => Some(known),
                None => self.judge(model)?,
            });
        }
        let least = judged.iter().map(|judged| judged.score.loss).fold(f64::INFINITY, f64::min);
        let most = ((1.0 + slack) * least).max(self.nothing);
        let within = |judged: &Judged| judged.score.loss <= most;
        if let Some(best) = judged.into_iter().find(within) {
            self.best = Some(best.clone());
            return Ok(best.model);
        }
        Ok(self.best.as_ref().map_or_else(|| models[0].clone(), |best| best.model.clone()))
    }

    /// The errors of a model on what is held out; none if it was stopped on the way.
    fn judge(&mut self, model: &Model) -> Result<Option<Judged>, Error> {
        let scalar = registry::scalar(&model.loss)?;
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
        let score = Score::of(&predicted, &truth, &*scalar);
        let Model { rank, ridge, shrinkage, .. } = *model;
        let (loss, rmse) = (score.loss, score.rmse.value);
        self.trials.push(Trial { rank, ridge, shrinkage, loss, rmse });
        Ok(Some(Judged { model: model.clone(), score }))
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
pub(crate) fn largest_ridge(loss: &dyn Loss) -> f64 {
    let n = loss.dim();
    let zero = Mat::zeros(n, 1);
    let evaluation = loss.evaluation(1);
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
