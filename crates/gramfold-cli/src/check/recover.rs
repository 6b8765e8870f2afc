//! What `recover` claims.

use std::path::Path;

use gramfold::{Problem, Spec};

use super::{
    Again,
    factorisation::{Factors, certified, measured},
    report::Report,
};
use crate::{
    recover::{claims::Details, given::Given},
    store::Saved,
};

/// Checks a directory of `recover`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let (claims, claimed) = (&saved.claims, &saved.claims.details);
    let given = Given::saved(&saved, claimed.measured)?;
    let spec = &claims.spec;
    let loss = given.measured()?.loss(spec)?;
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loss, &*regulariser, spec.rank)?;
    let certificate = &claimed.fit.certificate;
    let found =
        certified(&problem, &saved, Factors::of(&saved)?, certificate, measured(&problem), report)?;
    let all = given.measured()?;
    let details = Details::of(found.fit.clone(), claimed.measured, &all, &saved.array("factor")?);
    found.again(claims, spec.clone(), details)
}
