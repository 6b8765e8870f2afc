//! `gramfold check`: recompute every claim of a saved solution from its files alone.

use std::process::ExitCode;

use gramfold::{Certificate, Problem, Status, certificate::LOOSEST, loss::Quadratic};
use serde_json::Value;

use crate::{
    cli::CheckArgs,
    output,
    saved::{self, Saved},
};

/// How far a recomputed number may be from the claimed one, relative to the problem's scale …
const ROUNDING: f64 = 1e-9;

/// … or to itself, for residuals that are themselves near rounding.
const RELATIVE: f64 = 1e-5;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let Saved { claims, matrix, factor, x, y, trace } = saved::read(&args.directory)?;
    claims.spec.method()?;
    let regulariser = claims.spec.regulariser()?;
    let loss = Quadratic::new(matrix);
    let problem = Problem::new(&loss, &*regulariser, claims.spec.rank)?;
    let stop = &claims.spec.stop;
    let recompute = if claims.certificate.brief { Certificate::brief } else { Certificate::of };
    let now = recompute(&problem, &x, &y, claims.gamma, stop.stationarity)?;

    let mut mean = x.clone();
    mean.zip(&y, |x, y| 0.5 * (x + y));
    let value_scale = now.loss.abs() + ROUNDING * loss.matrix().norm_squared();
    let relative_error = saved::relative_error(now.loss, loss.matrix());
    let critical = now.split_stationarity <= stop.stationarity.min(LOOSEST)
        && now.asymmetry <= stop.asymmetry.min(LOOSEST);

    let mut report = Report::default();
    report.claim("factor.npy is ½(X + Y)", mean == factor);
    report.claim("dim and stored describe the matrix", {
        claims.dim == loss.matrix().dim() && claims.stored == loss.matrix().stored()
    });
    report.claim("status", claims.status != Status::Converged || critical);
    report.claim("iterations, products and gamma are those of the trace", {
        // The start may be shown twice, and so may a last point that was gone back to.
        let follows = |a: usize, b: usize| b == a || b == a + 1;
        trace.first().is_some_and(|first| first.iteration == 0)
            && trace.is_sorted_by(|a, b| follows(a.iteration, b.iteration))
            && trace.last().is_some_and(|last| {
                last.iteration == claims.iterations
                    && last.products == claims.products
                    && last.gamma == claims.gamma
            })
    });
    report.number("objective", claims.objective, now.loss, value_scale);
    report.number("regularisation", claims.regularisation, now.regularisation, value_scale);
    report.number("relative_error", claims.relative_error, relative_error, 1.0);
    report.claim("the summary repeats the certificate", {
        let certificate = &claims.certificate;
        (claims.exact, claims.optimal) == (certificate.exact, certificate.optimal)
            && claims.gamma == certificate.gamma
            && claims.threshold == certificate.threshold
            && claims.asymmetry == certificate.asymmetry
            && claims.objective == certificate.loss
            && claims.regularisation == certificate.regularisation
            && claims.lower_bound == certificate.lower_bound.map(|bound| bound.value)
            && claims.gap == certificate.gap
    });
    let (claimed, found) =
        (serde_json::to_value(&claims.certificate)?, serde_json::to_value(&now)?);
    report.compare("certificate", &claimed, &found, value_scale);

    let verdict = if report.failed == 0 { "every claim holds" } else { "NOT every claim holds" };
    // What a stopped run did not take the time to prove.
    let proved = if now.brief {
        Certificate::of(&problem, &x, &y, claims.gamma, stop.stationarity)?
    } else {
        now
    };
    output::data(&format!("{}{verdict}\n{proved}\n", report.text))?;
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
        let slack = (ROUNDING * scale).max(RELATIVE * claimed.abs().max(found.abs()));
        let holds = (claimed - found).abs() <= slack || claimed == found;
        let mut text = format!("{what} = {found:.9e}");
        if !holds {
            text += &format!(", but {claimed:.9e} is claimed");
        }
        self.claim(&text, holds);
    }

    /// Every field of the certificate: numbers up to rounding, all else to the letter.
    fn compare(&mut self, what: &str, claimed: &Value, found: &Value, scale: f64) {
        match (claimed, found) {
            (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
                for (key, value) in a {
                    let path = format!("{what}.{key}");
                    self.compare(&path, value, b.get(key).unwrap_or(&Value::Null), scale);
                }
            }
            (Value::Number(a), Value::Number(b)) => {
                let number = |n: &serde_json::Number| n.as_f64().unwrap_or(f64::NAN);
                self.number(what, number(a), number(b), scale);
            }
            _ if claimed == found => self.claim(&format!("{what}: {found}"), true),
            _ => self.claim(&format!("{what}: {found}, but {claimed} is claimed"), false),
        }
    }
}
