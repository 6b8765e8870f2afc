//! The model: what was asked for, and what held-out entries say.

use std::ops::ControlFlow;

use anyhow::bail;
use gramfold::{Observer, Record, Spec, linalg::Mat, registry::Component};
use gramfold_learn::{Asked, Choice, Folds, Model, Observations, choose, with_scale};

use crate::{
    cli::{CompleteArgs, FOLDS},
    factorisation::Watch,
    output,
    watch::Deadline,
};

/// The loss, with its scale where the flags leave that open, and the factor that told it. Of a limited time at most a quarter is spent on that.
pub(super) fn scaled(
    args: &CompleteArgs,
    observed: &Observations,
    shrinkage: Option<f64>,
    watch: &mut Watch,
) -> anyhow::Result<(Component, Option<Mat>)> {
    let end = Deadline::after(watch.deadline.left().map(|left| left / 4));
    let mut searching = Searching { watch, end, runs: 0, what: "choosing the scale" };
    Ok(with_scale(&args.loss, observed, args.rank, shrinkage, args.run.seed, &mut searching)?)
}

/// Chooses what the flags leave open. Of a limited time at most half is spent on that.
pub(super) fn search(
    args: &CompleteArgs,
    observed: &Observations,
    model: Model,
    shrinkages: Vec<Option<f64>>,
    base: &Spec,
    watch: &mut Watch,
) -> anyhow::Result<Choice> {
    if args.folds == 0 {
        if args.rank.is_none() || args.ridge.is_none() {
            bail!("--folds 0 holds nothing out to choose by: give --rank and --ridge");
        }
        return Ok(Choice { model, score: None, trials: Vec::new(), cut_short: false });
    }
    if observed.len() < args.folds.min(FOLDS) {
        bail!(
            "{} entries are too few to hold some out: give --rank, --ridge and --folds 0",
            observed.len()
        );
    }
    if args.folds == 1 || args.folds > observed.len() {
        bail!(
            "--folds {} is not allowed: there are {} entries, to be held out in at least 2 parts; --folds 0 holds nothing out",
            args.folds,
            observed.len()
        );
    }
    let asked = Asked { rank: args.rank, ridge: args.ridge, shrinkages };
    let folds = Folds::new(observed.len(), args.folds, args.run.seed);
    let mut base = base.clone();
    base.stop.time_limit = None;
    let end = Deadline::after(watch.deadline.left().map(|left| left / 2));
    let mut searching = Searching { watch, end, runs: 0, what: "choosing the model" };
    Ok(choose(observed, &model, &asked, &base, &folds, &mut searching)?)
}

/// Says what a search that was cut short left open.
pub(super) fn warn_cut_short(args: &CompleteArgs) {
    let left = match (args.rank, args.ridge) {
        (None, None) => "rank and ridge were chosen",
        (None, Some(_)) => "the rank was chosen",
        (Some(_), None) => "the ridge was chosen",
        (Some(_), Some(_)) => "the held-out error was measured",
    };
    output::warning(&format!("stopped before {left}"));
}

/// Watches the search.
struct Searching<'a> {
    watch: &'a mut Watch,
    end: Deadline,
    runs: usize,
    what: &'static str,
}

impl Searching<'_> {
    fn go_on(&mut self) -> ControlFlow<()> {
        let said = format!("{}, fit {}", self.what, self.runs);
        if self.end.is_over() || self.watch.is_over() {
            ControlFlow::Break(())
        } else {
            self.watch.busy(&said)
        }
    }
}

impl Observer for Searching<'_> {
    fn observe(&mut self, record: &Record) -> ControlFlow<()> {
        self.runs += usize::from(record.iteration == 0);
        self.go_on()
    }

    fn starting(&mut self, _: f64, _: f64) -> ControlFlow<()> {
        self.go_on()
    }
}
