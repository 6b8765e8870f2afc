//! What `recover` claims.

use std::path::Path;

use gramfold::{Problem, Spec};
use gramfold_learn::Measurements;

use super::{
    Again,
    factorisation::{Factors, certified, measured},
    report::Report,
};
use crate::{learn::Fit, recover::claims::Details, store::Saved};

/// Checks a directory of `recover`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let (claims, claimed) = (&saved.claims, &saved.claims.details);
    let table = saved.array("measurements")?;
    let spec = &claims.spec;
    let loss = Measurements::of(&table, claimed.measured)?.loss(spec)?;
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, spec.rank)?;
    let certificate = &claimed.fit.certificate;
    let found =
        certified(&problem, &saved, Factors::of(&saved)?, certificate, measured(&problem), report)?;
    let fit = Fit::of(found.products, found.certificate);
    let all = Measurements::of(&table, claimed.measured)?;
    let details = Details::of(fit.clone(), claimed.measured, &all, &saved.array("factor")?);
    let again = fit.claims(claims, spec.clone(), found.status, &found.sizes, details);
    let (scales, unchecked, words) = (found.scales, found.unchecked, found.words);
    Ok(Again { claims: serde_json::to_value(again)?, scales, unchecked, words })
}
