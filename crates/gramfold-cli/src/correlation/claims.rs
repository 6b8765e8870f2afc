//! What `correlation` claims.

use gramfold::{Certificate, Record, Spec, certificate::significant, linalg::Mat};
use gramfold_learn::Correlation;
use serde::{Deserialize, Serialize};

use crate::{
    session::{Envelope, Sizes},
    store::{Bound, Claims, Side, Status},
};

/// How the run was asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CorrelationSpec {
    pub(crate) rank: usize,
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: usize,
    pub(crate) time_limit: Option<f64>,
    pub(crate) seed: u64,
}

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    /// ‖XXᵀ − A‖.
    pub(crate) distance: f64,
    /// How far the multipliers are from making X critical.
    pub(crate) stationarity: f64,
    /// The largest | ‖x_i‖ − 1 |.
    pub(crate) length_error: f64,
    /// Products of A with an n×r matrix.
    pub(crate) products: f64,
    /// No correlation matrix of the rank is nearer.
    pub(crate) optimal: bool,
    /// Of ½‖Z − (A + Diag y)‖² over all Z ⪰ 0 of the rank, with y = dual.npy.
    pub(crate) certificate: Certificate,
}

impl CorrelationSpec {
    /// Of a run over X with rows of length one.
    pub(crate) fn of(spec: &Spec) -> Self {
        Self {
            rank: spec.rank,
            tolerance: spec.stop.stationarity,
            max_iterations: spec.stop.max_iterations,
            time_limit: spec.stop.time_limit.map(|limit| limit.as_secs_f64()),
            seed: spec.seed,
        }
    }
}

pub(crate) type CorrelationClaims = Claims<CorrelationSpec, Details>;

/// All that is claimed of X.
pub(crate) fn claims(
    envelope: &impl Envelope,
    spec: CorrelationSpec,
    status: impl Into<Status>,
    question: &Correlation,
    (x, certificate): (&Mat, Certificate),
    last: &Record,
) -> CorrelationClaims {
    let objective = question.objective(x);
    let bound = certificate.lower_bound.zip(question.lower_bound(x, &certificate));
    let bound = bound.map(|(inner, value)| Bound { value, side: Side::Lower, proof: inner.proof });
    let lengths = (0..x.rows()).map(|i| (gramfold::linalg::norm(x.row(i)) - 1.0).abs());
    let details = Details {
        distance: (2.0 * objective).sqrt(),
        stationarity: certificate.stationarity,
        length_error: lengths.fold(0.0, f64::max),
        products: last.products,
        optimal: certificate.optimal,
        certificate,
    };
    let sizes = Sizes { rank: x.cols(), nodes: x.rows(), iterations: last.iteration };
    envelope.claims(spec, status, &sizes, details).valued(objective, bound)
}

/// The summary for a person.
pub(super) fn summary(claims: &CorrelationClaims) -> String {
    let details = &claims.details;
    format!(
        "A: {n}x{n}; XXᵀ with rows of length one, rank {}: ‖XXᵀ − A‖ = {}\n\
         {} after {} iterations, {:.0} products with A, {:.2} s; objective {}\n{}\n",
        claims.rank,
        significant(details.distance),
        claims.status,
        claims.iterations,
        details.products,
        claims.cost.seconds,
        significant(claims.objective),
        proof(claims),
        n = claims.nodes,
    )
}

/// What is proved, in words.
pub(crate) fn proof(claims: &CorrelationClaims) -> String {
    match (claims.details.optimal, claims.bound) {
        (true, Some(bound)) => format!(
            "optimal: no correlation matrix of rank {} is nearer than {}",
            claims.rank,
            nearest(bound)
        ),
        (false, Some(bound)) => format!(
            "not proved optimal: none of rank {} is nearer than {}, this one is at {}",
            claims.rank,
            nearest(bound),
            significant(claims.details.distance)
        ),
        _ => "no bound is proved".into(),
    }
}

/// A bound on ½‖Z − A‖² as one on the distance ‖Z − A‖.
fn nearest(bound: Bound) -> Bound {
    // A hair less, since the root is rounded.
    Bound { value: (2.0 * bound.value.max(0.0)).sqrt() * (1.0 - f64::EPSILON), ..bound }
}
