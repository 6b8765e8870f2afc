//! What `locate` claims: the fit, its residuals, and which nodes are free.

use std::{fs, path::Path};

use anyhow::Context;
use gramfold::{Problem, Regulariser, Spec, registry::Component, regulariser::Zero};
use gramfold_io::read_rows;
use gramfold_learn::locate::{self, Anchors};

use super::{
    Again,
    factorisation::{Factors, certified, measured},
    report::Report,
};
use crate::{
    learn::Nodes,
    locate::{
        claims::{Located, Residuals, free_csv, named},
        input,
    },
    store::Saved,
};

/// Checks a directory of `locate`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<Spec, Located>::open(directory)?;
    let (claims, claimed) = (&saved.claims, &saved.claims.details);
    let matrix = saved.symmetric("distances")?;
    let nodes = Nodes::saved(&saved, matrix.dim())?;
    let distances = input::distances(&matrix, &nodes)?;
    let dim = claims.spec.rank;
    let anchors = if claims.files.contains_key("anchors") {
        let path = saved.path("anchors")?;
        let mut rows = read_rows(&path, 1, "an anchor")?;
        rows.remove(0);
        input::coordinates(&path, nodes.resolve(&path, rows, 1)?, dim)?
    } else {
        Anchors::none(dim)
    };
    let framed = anchors.len() > dim;
    let loss = locate::loss(&distances)?;
    let regulariser: &dyn Regulariser = if framed { &anchors } else { &Zero };
    let problem = Problem::new(&*loss, regulariser, dim)?;
    let x = saved.array("positions")?;
    let factors = Factors { factor: x.clone(), x: x.clone(), y: x.clone() };
    let claimed_certificate = &claimed.fit.certificate;
    let scales = measured(&problem);
    let found = certified(&problem, &saved, factors, claimed_certificate, scales, report)?;

    let residuals = Residuals::of(&distances, &x);
    let path = saved.path("residuals")?;
    let mut rows = read_rows(&path, 4, "two nodes, a distance and a residual")?;
    rows.remove(0);
    let mut holds = rows.len() == residuals.list.len();
    for ((pair, row), found) in nodes.resolve(&path, rows, 2)?.iter().zip(&residuals.list) {
        let written: f64 = row.fields[3].parse().context("a residual is no number")?;
        holds &= (pair[0], pair[1]) == (found.0, found.1)
            && (written - found.3).abs() <= 1e-12 * found.2;
    }
    report.claim("residuals are those of the positions", holds);
    let free = locate::undetermined(&distances, &anchors, dim, &x);
    let written = fs::read_to_string(saved.path("undetermined")?)?;
    report
        .claim("undetermined nodes are those of the distances", written == free_csv(&free, &nodes));

    let details = Located {
        fit: found.fit.clone(),
        distances: distances.len(),
        anchors: anchors.len(),
        framed,
        relative_error: residuals.relative_error(),
        largest_residual: residuals.largest().map_or(0.0, |(_, _, _, off)| off.abs()),
        outliers: residuals.outliers(),
        undetermined: free.len(),
        named: named(&free, &nodes),
    };
    let spec = Spec {
        loss: Component::named("square"),
        data: "distances".into(),
        regulariser: Component::named(if framed { "anchors" } else { "zero" }),
        ..claims.spec.clone()
    };
    found.again(claims, spec, details)
}
