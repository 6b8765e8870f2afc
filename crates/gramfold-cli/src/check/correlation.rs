//! What `correlation` claims: the matrix, and the proof of how near one can be.

use std::path::Path;

use anyhow::Context;
use gramfold::Record;
use gramfold_learn::Correlation;

use super::{Again, report::Report, scales::Scales};
use crate::{
    correlation::claims::{CorrelationSpec, Details, claims},
    learn::Nodes,
    store::{Saved, Status},
};

/// A residual that was measured within the tolerance may be this much beyond it when it is measured again.
const AGAIN: f64 = 1.001;

/// How the run was asked for.
const ASKED: &[&str] = &["spec.tolerance", "spec.max_iterations"];

/// Checks a directory of `correlation`.
pub(super) fn check(directory: &Path, report: &mut Report) -> anyhow::Result<Again> {
    let saved = Saved::<CorrelationSpec, Details>::open(directory)?;
    let claimed = &saved.claims;
    let (a, x) = (saved.array("A")?, saved.array("factor")?);
    let question = Correlation::new(&a, claimed.spec.rank)?;
    anyhow::ensure!(
        (x.rows(), x.cols()) == (a.rows(), claimed.spec.rank)
            && x.is_finite()
            && a == a.transposed(),
        "the factor does not fit the matrix"
    );
    Nodes::saved(&saved, a.rows())?;
    let trace = saved.lines::<Record>("trace")?;
    let last = trace.last().context("the trace is empty")?;
    let dual = saved.column("dual")?;
    let near =
        |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * a.abs().max(question.matrix.as_mat().norm());
    let multipliers = question.multipliers(&x);
    let same = dual.len() == multipliers.len() && dual.iter().zip(&multipliers).all(near);
    report.claim("dual holds the multipliers of the factor", same);
    let residual = last.stationarity.unwrap_or(f64::INFINITY);
    let converged = residual <= AGAIN * claimed.spec.tolerance;
    let possible = match claimed.status {
        Status::Converged => converged,
        Status::MaxIterations => last.iteration >= claimed.spec.max_iterations,
        status => !status.is_answer(),
    };
    let status = if possible { claimed.status } else { Status::Stalled };
    // A proof that was cut short is made again as far as it went.
    let (spec, brief) = (claimed.spec.clone(), claimed.details.certificate.brief);
    let certificate = question.certify(&x, spec.tolerance, &|| brief)?;
    let again = claims(claimed, spec, status, &question, (&x, certificate), last);
    report.claim("every row has length one", again.details.length_error <= 1e-12);
    let scales =
        Scales::of_values(again.objective + question.matrix.as_mat().norm_squared(), a.norm());
    let words = crate::correlation::claims::proof(&again) + "\n";
    let mut unchecked = ASKED.to_vec();
    if possible && !matches!(status, Status::Converged | Status::MaxIterations) {
        unchecked.push("status");
    }
    Ok(Again { claims: serde_json::to_value(again)?, scales, unchecked, words })
}
