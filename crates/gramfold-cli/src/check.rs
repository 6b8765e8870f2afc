//! `gramfold check`: recompute every claim of a saved solution from its files alone.

use std::process::ExitCode;

use gramfold::{Certificate, Problem, Status, loss::Quadratic};

use crate::{
    cli::CheckArgs,
    output,
    saved::{self, Saved},
};

/// How far a recomputed number may be from the claimed one, relative to the problem's scale.
const ROUNDING: f64 = 1e-9;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let Saved { claims, matrix, factor, x, y } = saved::read(&args.directory)?;
    let regulariser = claims.spec.regulariser()?;
    let loss = Quadratic::new(matrix);
    let problem = Problem::new(&loss, &*regulariser, claims.spec.rank)?;
    let tolerance = claims.spec.stop.stationarity;
    let now = Certificate::of(&problem, &x, &y, claims.gamma, tolerance)?;

    let mut mean = x.clone();
    mean.zip(&y, |x, y| 0.5 * (x + y));
    let value_scale = now.loss.abs() + ROUNDING * loss.matrix().norm_squared();
    let slope_scale = loss.matrix().norm_squared().sqrt() + x.norm() * y.norm();
    let residual_is_small =
        now.split_stationarity <= tolerance && now.asymmetry <= claims.spec.stop.asymmetry;
    let relative_error = saved::relative_error(now.loss, loss.matrix());
    let bound = now.lower_bound.map(|bound| bound.value);

    let mut report = Report::default();
    report.claim("factor.npy is ½(X + Y)", mean == factor);
    report.claim("dim and stored describe the matrix", {
        claims.dim == loss.matrix().dim() && claims.stored == loss.matrix().stored()
    });
    report.claim("status", claims.status != Status::Converged || residual_is_small);
    report.number("objective", claims.objective, now.loss, value_scale);
    report.number("regularisation", claims.regularisation, now.regularisation, value_scale);
    report.number("relative_error", claims.relative_error, relative_error, 1.0);
    report.number("asymmetry", claims.asymmetry, now.asymmetry, 1.0);
    report.number("threshold", claims.threshold, now.threshold, slope_scale);
    report.claim("exact", !claims.exact || now.exact);
    report.claim("optimal", !claims.optimal || now.optimal);
    match (claims.lower_bound, bound) {
        (None, _) => report.claim("gap", claims.gap.is_none()),
        (Some(_), None) => report.claim("lower_bound", false),
        (Some(claimed), Some(found)) => {
            // A weaker claim than can be proved is no lie.
            report.claim("lower_bound", claimed <= found + ROUNDING * value_scale);
            let gap = claims.objective + claims.regularisation - claimed;
            report.number("gap", claims.gap.unwrap_or(f64::NAN), gap, value_scale);
        }
    }
    report.claim("certificate agrees with the summary", {
        let certificate = &claims.certificate;
        certificate.exact == claims.exact
            && certificate.optimal == claims.optimal
            && certificate.gamma == claims.gamma
            && certificate.threshold == claims.threshold
            && certificate.loss == claims.objective
            && certificate.lower_bound.map(|bound| bound.value) == claims.lower_bound
    });
    let verdict = if report.failed == 0 { "every claim holds" } else { "NOT every claim holds" };
    output::data(&format!("{}{verdict}\n{now}\n", report.text))?;
    Ok(if report.failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The claims looked at so far.
#[derive(Default)]
struct Report {
    text: String,
    failed: usize,
}

impl Report {
    fn claim(&mut self, what: &str, holds: bool) {
        self.failed += usize::from(!holds);
        self.text += &format!("{} {what}\n", if holds { "✓" } else { "✗" });
    }

    fn number(&mut self, what: &str, claimed: f64, found: f64, scale: f64) {
        let holds = (claimed - found).abs() <= ROUNDING * scale || claimed == found;
        let mut text = format!("{what} = {found:.9e}");
        if !holds {
            text += &format!(", but {claimed:.9e} is claimed");
        }
        self.claim(&text, holds);
    }
}
