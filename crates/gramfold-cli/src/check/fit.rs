//! What `fit` claims: the run, from the description and the data that were kept.

use std::{fs, path::Path};

use anyhow::Context;
use gramfold::{Problem, Spec};

use super::{
    Again,
    factorisation::{Factors, certified, measured},
    report::Report,
};
use crate::{
    fit::{Described, Details, load},
    learn::Constants,
    store::Saved,
};

/// Checks a directory of `fit`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let (claims, claimed) = (&saved.claims, &saved.claims.details);
    let path = saved.path("problem")?;
    let text = fs::read_to_string(&path).context("cannot read the description")?;
    let described = Described::parse(text, &path)?;
    let spec = described.spec(&claims.spec)?;
    let loaded = load(&described, &|role, _| saved.path(role))?;
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&*loaded.loss, &*regulariser, spec.rank)?;
    let certificate = &claimed.fit.certificate;
    let found =
        certified(&problem, &saved, Factors::of(&saved)?, certificate, measured(&problem), report)?;
    let (fit, terms) = (found.fit.clone(), described.description.terms.len());
    let details = Details { fit, terms, constants: Constants::of(&problem) };
    found.again(claims, spec, details)
}
