//! A fitted factor, certified again from the files of a directory.

use anyhow::Context;
use gramfold::{
    Certificate, Problem, Record, Solution, Spec, certificate::Proof, linalg::Mat, loss::Quadratic,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Again, report::Report, scales::Scales};
use crate::{
    answer::{Answer, Head},
    learn::{Fit, Fitted},
    store::{Claims, Saved, Status},
};

/// How a run was asked for: nothing in the files tells.
const ASKED: &[&str] = &["spec.algorithm", "spec.rule", "spec.start", "spec.stop"];

/// A residual that was measured within the tolerance may be this much beyond it when it is measured again.
const AGAIN: f64 = 1.001;

/// A run made again from the factors of a directory.
pub(crate) struct Certified {
    solution: Solution,
    certificate: Certificate,
    status: Status,
    scales: Scales,
    words: String,
    pub(crate) unchecked: Vec<&'static str>,
}

impl Certified {
    /// The run as it would be written; the steps before its end are not looked at.
    pub(crate) fn fitted<'a>(&'a self, spec: &'a Spec) -> Fitted<'a> {
        let Self { solution, certificate, .. } = self;
        Fitted { spec, solution, certificate, trace: &[] }
    }

    /// What an answer of it claims.
    pub(crate) fn again<A: Answer<Spec = Spec>, D>(
        &self,
        saved: &Saved<Spec, D>,
        answer: &A,
    ) -> anyhow::Result<Again> {
        let claims = answer.claims(Head::of(&saved.claims));
        let claims = Claims { status: self.status, ..claims };
        Again::new(claims, self.scales, self.unchecked.clone(), self.words.clone())
    }
}

/// The scales of a problem whose data are measurements: f(0), and the sizes that its slopes have.
fn measured(problem: &Problem<'_>) -> impl Fn(&Certificate) -> Scales {
    let (at_zero, constants) = (problem.loss.at_zero().abs(), problem.loss.constants());
    move |certificate| {
        let bound = certificate.lower_bound.map_or(0.0, |bound| bound.value.abs());
        let value = certificate.loss.abs() + bound + 1e-4 * at_zero;
        Scales::of_values(value, constants.smoothness * constants.scale + constants.slope)
    }
}

/// The answer and both halves of the split.
pub(crate) struct Factors {
    pub(crate) factor: Mat,
    pub(crate) x: Mat,
    pub(crate) y: Mat,
}

impl Factors {
    /// As they were written.
    pub(crate) fn of<S: DeserializeOwned, D: DeserializeOwned>(
        saved: &Saved<S, D>,
    ) -> anyhow::Result<Self> {
        Ok(Self { factor: saved.array("factor")?, x: saved.array("X")?, y: saved.array("Y")? })
    }
}

/// Computes the certificate of the factors of a directory again, of a loss of measurements.
pub(crate) fn certified<D: DeserializeOwned>(
    problem: &Problem<'_>,
    saved: &Saved<Spec, D>,
    factors: Factors,
    claimed: &Fit,
    report: &mut Report,
) -> anyhow::Result<Certified> {
    scaled(problem, saved, factors, claimed, measured(problem), report)
}

/// The same for the factorisation of a matrix, whose rows and those of the factors are in one order.
pub(crate) fn factorised<D: DeserializeOwned>(
    loss: &Quadratic,
    saved: &Saved<Spec, D>,
    factors: Factors,
    claimed: &Fit,
    report: &mut Report,
) -> anyhow::Result<Certified> {
    let regulariser = saved.claims.spec.regulariser()?;
    let problem = Problem::new(loss, &*regulariser, saved.claims.spec.rank)?;
    let size = claimed.certificate.lower_bound.map_or(0.0, |bound| bound.value.abs());
    let norm_squared = loss.matrix().norm_squared();
    let scales = |certificate: &Certificate| {
        let value = certificate.loss.abs() + size + 1e-4 * norm_squared;
        Scales::of_values(value, norm_squared.sqrt())
    };
    scaled(&problem, saved, factors, claimed, scales, report)
}

/// The same with the scales of any loss.
fn scaled<D: DeserializeOwned>(
    problem: &Problem<'_>,
    saved: &Saved<Spec, D>,
    factors: Factors,
    claimed: &Fit,
    scales: impl Fn(&Certificate) -> Scales,
    report: &mut Report,
) -> anyhow::Result<Certified> {
    let (claims, claimed) = (&saved.claims, &claimed.certificate);
    let Factors { factor, x, y } = factors;
    let trace = saved.lines::<Value>("trace")?;
    claims.spec.method()?;
    let stop = &claims.spec.stop;
    let of = |brief: bool| {
        let recompute = if brief { Certificate::brief } else { Certificate::of };
        recompute(problem, &x, &y, claimed.gamma, stop.stationarity)
    };
    let certificate = of(claimed.brief)?;
    let words = if certificate.brief { of(false)?.to_string() } else { certificate.to_string() };
    let halves = mean(&x, &y);
    report.claim("factor is ½(X + Y)", halves == factor);
    let last = last(&trace).context("the trace is not one of a factorisation")?;
    report.claim("gamma is that of the trace", last.gamma == claimed.gamma);
    let scales = scales(&certificate);
    let certificate = no_better_than(claimed, certificate, &scales);
    // Who asked for X = Y was told of the problem itself, too.
    let unsplit =
        stop.asymmetry == f64::INFINITY || certificate.stationarity <= AGAIN * stop.stationarity;
    let critical = certificate.split_stationarity <= AGAIN * stop.stationarity
        && certificate.asymmetry <= AGAIN * stop.asymmetry
        && unsplit;
    let (status, unchecked) = status(claims, critical, last.iteration);
    // What is claimed is claimed of the factor that was written, if it is one of the problem.
    let fits = (factor.rows(), factor.cols()) == (x.rows(), x.cols());
    let (factor, gamma) = (if fits { factor } else { halves }, claimed.gamma);
    let solution = Solution { factor, x, y, gamma, status: gramfold::Status::Converged, last };
    Ok(Certified { solution, certificate, status, scales, words: words + "\n", unchecked })
}

pub(crate) fn mean(x: &Mat, y: &Mat) -> Mat {
    let mut mean = x.clone();
    if (x.rows(), x.cols()) == (y.rows(), y.cols()) {
        mean.zip(y, |x, y| 0.5 * (x + y));
    }
    mean
}

/// What the end of a trace says of the run; what it says of the factors is computed again.
///
/// None where the iterations do not follow each other: the start may be shown twice, and so may a last point that was gone
/// back to.
fn last(trace: &[Value]) -> Option<Record> {
    let number = |step: &Value| step.get("iteration")?.as_u64();
    let numbers: Vec<u64> = trace.iter().map(number).collect::<Option<_>>()?;
    let follows = |a: &u64, b: &u64| *b == *a || *b == a + 1;
    let last = trace.last()?;
    (numbers.first() == Some(&0) && numbers.is_sorted_by(follows)).then_some(Record {
        iteration: *numbers.last()? as usize,
        products: last.get("products")?.as_f64()?,
        gamma: last.get("gamma").and_then(Value::as_f64).unwrap_or(f64::NAN),
        loss: f64::NAN,
        split_objective: f64::NAN,
        threshold: None,
        norm: f64::NAN,
        distance: f64::NAN,
        asymmetry: f64::NAN,
        stationarity: None,
        change: None,
        seconds: f64::NAN,
    })
}

/// The status that the files speak for. Which limit ended a run that did not converge, they do not say.
fn status<D>(
    claims: &Claims<Spec, D>,
    critical: bool,
    iterations: usize,
) -> (Status, Vec<&'static str>) {
    let stop = &claims.spec.stop;
    let possible = match claims.status {
        Status::Converged => critical,
        Status::MaxIterations => iterations >= stop.max_iterations,
        status => !status.is_answer(),
    };
    let instead = if critical { Status::Converged } else { Status::Stalled };
    let mut unchecked = ASKED.to_vec();
    let cut_off = matches!(claims.status, Status::Converged | Status::MaxIterations);
    if possible && !cut_off {
        unchecked.push("status");
    }
    (if possible { claims.status } else { instead }, unchecked)
}

/// A claimed bound that is weaker than what was found is as true as the one found, and everything that follows from it.
fn no_better_than(claimed: &Certificate, mut found: Certificate, scales: &Scales) -> Certificate {
    let weaker = match (claimed.lower_bound, found.lower_bound) {
        (Some(claimed), Some(found)) => {
            claimed.value <= found.value + scales.value()
                && !is_stronger(claimed.proof, found.proof)
        }
        (None, _) => true,
        (Some(_), None) => false,
    };
    if weaker {
        let same = claimed.gap.zip(found.gap).is_some_and(|(a, b)| (a - b).abs() <= scales.value());
        found.lower_bound = claimed.lower_bound;
        let gap = found.lower_bound.map(|bound| found.loss + found.regularisation - bound.value);
        found.gap = gap.filter(|gap| gap.is_finite());
        found.optimal &= same || claimed.optimal;
    }
    found
}

/// Whether a proof says more than another.
pub(super) fn is_stronger(a: Proof, b: Proof) -> bool {
    let failure = |proof: Proof| match proof {
        Proof::Rigorous => 0.0,
        Proof::Probabilistic { failure, .. } => failure,
        Proof::Estimate => 1.0,
    };
    failure(a) < failure(b) * (1.0 - 1e-9)
}

/// The run as it was asked for, of the loss that these commands have.
pub(crate) fn whole(spec: &Spec) -> Spec {
    let Spec { loss, data, .. } = Spec::default();
    Spec { loss, data, ..spec.clone() }
}
