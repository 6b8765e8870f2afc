//! What `complete` claims: the fit, its biases and its predictions.

use std::path::Path;

use anyhow::{Context, bail};
use gramfold::{Problem, Spec};
use gramfold_io::read_rows;
use gramfold_learn::{Biases, Determined, Model, Observations, predict};

use super::{
    Again,
    factorisation::{Factors, certified, measured},
    report::Report,
};
use crate::{
    complete::{
        claims::{Completed, Sampling},
        judged::Judged,
        predictions::probability,
    },
    learn::Nodes,
    store::Saved,
};

/// Of runs whose answers were not kept.
const OTHER_RUNS: &[&str] = &["held_out", "trials", "pairs_given"];

/// Checks a directory of `complete`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Completed>::open(directory)?;
    let (claims, claimed) = (&saved.claims, &saved.claims.details);
    let observed = Observations::stored(&saved.symmetric("entries")?);
    let model = Model {
        loss: claims.spec.loss.clone(),
        rank: claims.spec.rank,
        ridge: claims.spec.regulariser.parameters.get("lambda").copied().unwrap_or(0.0),
        shrinkage: claimed.shrinkage,
    };
    let biases = match model.shrinkage {
        Some(shrinkage) => {
            let written = saved.column("biases")?;
            let fitted = Biases::fit(&observed, shrinkage);
            if written.len() != observed.dim {
                bail!("there are {} biases for {} nodes", written.len(), observed.dim);
            }
            let largest = observed.values.iter().fold(0.0_f64, |most, b| most.max(b.abs()));
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * largest;
            report.claim(
                "biases are those of the entries",
                written.iter().zip(fitted.values()).all(near),
            );
            Biases::from_values(written)
        }
        None => Biases::none(observed.dim),
    };
    let loss = model.loss_of(&biases, &observed)?;
    let regulariser = claims.spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, claims.spec.rank)?;
    let scales = measured(&problem);
    let factors = Factors::of(&saved)?;
    let factor = factors.factor.clone();
    let claimed_certificate = &claimed.fit.certificate;
    let mut found = certified(&problem, &saved, factors, claimed_certificate, scales, report)?;

    let nodes = Nodes::saved(&saved, observed.dim)?;
    let path = saved.path("predictions")?;
    let probable = Judged::by(&claims.spec.loss.name) == Judged::Probabilities;
    let width = 3 + usize::from(probable);
    let mut rows = read_rows(&path, width, "two nodes and a prediction")?;
    rows.remove(0);
    let predictions = rows.len();
    let mut holds = true;
    for (pair, row) in nodes.resolve(&path, rows, 2)? {
        let value: f64 = row.fields[2].parse().context("a prediction is no number")?;
        let again = predict(&biases, &factor, pair[0], pair[1]);
        holds &= (value - again).abs() <= 1e-12 * (value.abs() + factor.norm_squared());
        if probable {
            let found: f64 = row.fields[3].parse().context("a probability is no number")?;
            holds &= (found - probability(value)).abs() <= 1e-12;
        }
    }
    report.claim("predictions are those of the factor", holds);

    let determined = Determined::of(&observed, claims.spec.rank);
    let details = Completed {
        fit: found.fit.clone(),
        observations: observed.len(),
        warning: determined.warning(claims.spec.rank),
        sampling: Sampling::of(&determined),
        predictions,
        ..claimed.clone()
    };
    found.unchecked.extend(OTHER_RUNS);
    let spec = Spec { data: "entries".into(), ..claims.spec.clone() };
    found.again(claims, spec, details)
}
