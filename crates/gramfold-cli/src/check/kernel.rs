//! What `kernel` claims.

use std::path::Path;

use gramfold::{Problem, Spec};

use super::{
    Again,
    factorisation::{Factors, certified, measured},
    report::Report,
};
use crate::{
    kernel::{claims::Details, links},
    learn::{Nodes, read_links},
    store::Saved,
};

/// Checks a directory of `kernel`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Details>::open(directory)?;
    let (claims, claimed) = (&saved.claims, &saved.claims.details);
    let graph = saved.symmetric("graph")?;
    let nodes = Nodes::saved(&saved, graph.dim())?;
    let links = links(&read_links(&nodes, &saved.path("pairs")?, "nodes")?);
    let spec = &claims.spec;
    let loss = links.loss(&graph, claimed.smoothness, &spec.loss)?;
    let regulariser = spec.regulariser()?;
    let problem = Problem::new(&loss, &*regulariser, spec.rank)?;
    let certificate = &claimed.fit.certificate;
    let found =
        certified(&problem, &saved, Factors::of(&saved)?, certificate, measured(&problem), report)?;
    let details =
        Details::of(found.fit.clone(), claimed.smoothness, &links, &saved.array("factor")?);
    let spec = Spec { data: "entries".into(), ..spec.clone() };
    found.again(claims, spec, details)
}
