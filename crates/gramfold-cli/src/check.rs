//! `gramfold check`: recompute every claim of a saved solution from its files alone.

use anyhow::bail;
use gramfold::{Certificate, Problem, Record, Spec, certificate::LOOSEST, loss::Quadratic};
use serde_json::Value;

use crate::{
    Exit,
    cli::CheckArgs,
    factorisation::{Factorisation, relative_error},
    output,
    store::{Saved, Status},
};

/// How far a recomputed number may be from the claimed one, relative to the problem's scale …
const ROUNDING: f64 = 1e-9;

/// … or to itself, for residuals that are themselves near rounding.
const RELATIVE: f64 = 1e-5;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    let command = Saved::<Value>::open(&args.directory)?.claims.command;
    if !matches!(command.as_str(), "factor" | "cluster") {
        let path = args.directory.display();
        bail!("{path} is of `{command}`, which `check` does not read: run the command again");
    }
    let saved = Saved::<Spec, Factorisation>::open(&args.directory)?;
    let (factor, x, y) = (saved.array("factor")?, saved.array("X")?, saved.array("Y")?);
    let (matrix, trace) = (saved.symmetric("A")?, saved.lines::<Record>("trace")?);
    let claims = &saved.claims;
    let details = &claims.details;
    claims.spec.method()?;
    let regulariser = claims.spec.regulariser()?;
    let loss = Quadratic::new(matrix);
    let problem = Problem::new(&loss, &*regulariser, claims.spec.rank)?;
    let stop = &claims.spec.stop;
    let recompute = if details.certificate.brief { Certificate::brief } else { Certificate::of };
    let now = recompute(&problem, &x, &y, details.gamma, stop.stationarity)?;

    let mut mean = x.clone();
    mean.zip(&y, |x, y| 0.5 * (x + y));
    let value_scale = now.loss.abs() + ROUNDING * loss.matrix().norm_squared();
    let relative_error = relative_error(now.loss, loss.matrix());
    let critical = now.split_stationarity <= stop.stationarity.min(LOOSEST)
        && now.asymmetry <= stop.asymmetry.min(LOOSEST);

    let mut report = Report::default();
    report.claim("factor.npy is ½(X + Y)", mean == factor);
    report.claim("nodes and stored describe the matrix", {
        claims.nodes == loss.matrix().dim() && details.stored == loss.matrix().stored()
    });
    report.claim("status", claims.status != Status::Converged || critical);
    report.claim("iterations, products and gamma are those of the trace", {
        // The start may be shown twice, and so may a last point that was gone back to.
        let follows = |a: usize, b: usize| b == a || b == a + 1;
        trace.first().is_some_and(|first| first.iteration == 0)
            && trace.is_sorted_by(|a, b| follows(a.iteration, b.iteration))
            && trace.last().is_some_and(|last| {
                last.iteration == claims.iterations
                    && last.products == details.products
                    && last.gamma == details.gamma
            })
    });
    report.number("loss", details.loss, now.loss, value_scale);
    report.number("regularisation", details.regularisation, now.regularisation, value_scale);
    report.number("relative_error", details.relative_error, relative_error, 1.0);
    report.claim("the summary repeats the certificate", {
        let certificate = &details.certificate;
        (details.exact, details.optimal) == (certificate.exact, certificate.optimal)
            && details.gamma == certificate.gamma
            && details.threshold == certificate.threshold
            && details.asymmetry == certificate.asymmetry
            && details.loss == certificate.loss
            && details.regularisation == certificate.regularisation
            && claims.objective == certificate.loss + certificate.regularisation
            && claims.bound == details.bound()
            && claims.gap == certificate.gap
    });
    let (claimed, found) =
        (serde_json::to_value(&details.certificate)?, serde_json::to_value(&now)?);
    report.compare("certificate", &claimed, &found, value_scale);

    let verdict = if report.failed == 0 { "every claim holds" } else { "NOT every claim holds" };
    // What a stopped run did not take the time to prove.
    let proved = if now.brief {
        Certificate::of(&problem, &x, &y, details.gamma, stop.stationarity)?
    } else {
        now
    };
    output::data(&format!("{}{verdict}\n{proved}\n", report.text))?;
    Ok(Exit::of(report.failed == 0))
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
