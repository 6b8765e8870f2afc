//! What `recover` claims.

use std::path::Path;

use gramfold::{Problem, Spec};
use gramfold_learn::Measurements;

use super::{
    Again,
    factorisation::{Factors, certified, measured},
    report::Report,
};
use crate::{recover::claims::Details, store::Saved};

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
    let all = Measurements::of(&table, claimed.measured)?;
    let details = Details::of(found.fit.clone(), claimed.measured, &all, &saved.array("factor")?);
    found.again(claims, spec.clone(), details)
}
