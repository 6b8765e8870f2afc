//! What `metric` claims: the fit, and the points as the metric sees them.

use std::path::Path;

use anyhow::Context;
use gramfold::{
    Problem, Spec,
    linalg::{Mat, multiply},
    registry::Component,
    regulariser::Zero,
};
use gramfold_learn::standardised;

use super::{
    Again,
    factorisation::{Factors, certified, mean, measured},
    report::Report,
};
use crate::{
    learn::Nodes,
    metric::{claims::Details, from_table, in_units, scales},
    store::Saved,
};

/// Of classes, which were not kept, and of runs on parts of the points.
const OTHER_RUNS: &[&str] = &["accuracy", "model.targets", "model.impostors", "model.margin"];

/// Checks a directory of `metric`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let (claims, claimed) = (&saved.claims, &saved.claims.details);
    let raw = saved.array("points")?;
    Nodes::saved(&saved, raw.rows())?;
    let deviations = scales(&raw, !claimed.standardised);
    let points = standardised(&raw, (&vec![0.0; raw.cols()], &deviations));
    let table = saved.array("compared")?;
    let pairs = claimed.known == "pairs";
    let known = from_table(&table, pairs, raw.rows());
    let known = known.context("what was compared is not of these points")?;
    let loss = claimed.model.loss(&points, &known)?;
    let problem = Problem::new(&loss, &Zero, claimed.model.rank)?;
    let (x, y) = (saved.array("X")?, saved.array("Y")?);
    let certificate = &claimed.fit.certificate;
    let scale = measured(&problem);
    let factors = Factors { factor: mean(&x, &y), x: x.clone(), y: y.clone() };
    let mut found = certified(&problem, &saved, factors, certificate, scale, report)?;

    let near = |role: &str, expected: &Mat| -> anyhow::Result<bool> {
        let array = saved.array(role)?;
        let same = (array.rows(), array.cols()) == (expected.rows(), expected.cols());
        Ok(same && array.distance(expected) <= 1e-9 * expected.norm())
    };
    let factor = in_units(&mean(&x, &y), &deviations);
    report.claim("factor is ½(X + Y) in the units of the points", near("factor", &factor)?);
    let mut transformed = Mat::zeros(raw.rows(), factor.cols());
    multiply(1.0, &raw, &factor, &mut transformed);
    report.claim("transformed is points times factor", near("transformed", &transformed)?);
    let known = if pairs { "pairs" } else { "comparisons" }.to_owned();
    let details =
        Details { fit: found.fit.clone(), known, compared: table.rows(), ..claimed.clone() };
    let spec = Spec {
        rank: claimed.model.rank,
        loss: Component::named(if pairs { "pairs" } else { "logistic" }),
        data: "lifted".into(),
        regulariser: Component::named("zero"),
        ..claims.spec.clone()
    };
    found.unchecked.extend(OTHER_RUNS);
    found.again(claims, spec, details)
}
