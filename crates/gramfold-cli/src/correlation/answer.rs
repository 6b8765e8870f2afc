//! A correlation matrix as it is written: what is claimed, the files, the summary and the page.

use gramfold::{
    Certificate, Record, Spec,
    certificate::significant,
    linalg::{Dense, Mat, dot, norm},
};
use gramfold_learn::Correlation;
use gramfold_report::{Item, Page};
use serde::{Deserialize, Serialize};

use crate::{
    answer::{self, Head, Sizes},
    convergence::{Names, convergence},
    learn::Nodes,
    pages::{matrix_picture, names, short},
    store::{Bound, Claims, Part, Side, Status},
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
    distance: f64,
    /// How far the multipliers are from making X critical.
    stationarity: f64,
    /// The largest | ‖x_i‖ − 1 |.
    pub(super) length_error: f64,
    /// Products of A with an n×r matrix.
    products: f64,
    /// No correlation matrix of the rank is nearer.
    optimal: bool,
    /// Of ½‖Z − (A + Diag y)‖² over all Z ⪰ 0 of the rank, with y = dual.npy.
    pub(super) certificate: Certificate,
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

/// The nearest correlation matrix XXᵀ of a rank to A.
pub(crate) struct Answer<'a> {
    pub(crate) spec: CorrelationSpec,
    pub(crate) status: Status,
    pub(crate) question: &'a Correlation,
    pub(crate) a: &'a Mat,
    pub(crate) nodes: &'a Nodes,
    /// X, what is proved of it, and its multipliers.
    pub(crate) factor: &'a Mat,
    pub(crate) certificate: &'a Certificate,
    pub(crate) dual: &'a [f64],
    /// The end of the run, and all of it.
    pub(crate) last: &'a Record,
    pub(crate) trace: &'a [Record],
}

impl answer::Answer for Answer<'_> {
    type Spec = CorrelationSpec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<CorrelationSpec, Details> {
        let Self { question, certificate, last, .. } = *self;
        let x = self.factor;
        let objective = question.objective(x);
        let bound = certificate.lower_bound.zip(question.lower_bound(x, certificate));
        let bound =
            bound.map(|(inner, value)| Bound { value, side: Side::Lower, proof: inner.proof });
        let lengths = (0..x.rows()).map(|i| (norm(x.row(i)) - 1.0).abs());
        let details = Details {
            distance: (2.0 * objective).sqrt(),
            stationarity: certificate.stationarity,
            length_error: lengths.fold(0.0, f64::max),
            products: last.products,
            optimal: certificate.optimal,
            certificate: certificate.clone(),
        };
        let sizes = Sizes { rank: x.cols(), nodes: x.rows(), iterations: last.iteration };
        head.claims(self.spec.clone(), self.status, &sizes, details).valued(objective, bound)
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = vec![
            Part::array("factor", self.factor),
            Part::array("A", self.a),
            Part::column("dual", self.dual),
            Part::lines("trace", self.trace),
        ];
        parts.extend(self.nodes.part());
        parts
    }

    fn summary(&self, claims: &Claims<CorrelationSpec, Details>) -> String {
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

    fn page(&self, claims: &Claims<CorrelationSpec, Details>, line: &str) -> Page {
        let Self { a, factor: x, .. } = *self;
        let n = a.rows();
        let title = format!("The nearest correlation matrix to {}", claims.input.name());
        let headline = format!(
            "A correlation matrix of rank {} at a distance of {}",
            claims.rank,
            short(claims.details.distance)
        );
        let certificate = vec![
            if claims.details.optimal {
                Item::good(proof(claims))
            } else {
                Item::finding("Bound", proof(claims))
            },
            Item::text(format!(
                "{} after {} iterations, {:.2} s.",
                claims.status, claims.iterations, claims.cost.seconds
            )),
            Item::command(line),
        ];
        let z = Mat::from_fn(n, n, |i, j| dot(x.row(i), x.row(j)));
        let all = || a.as_slice().iter().chain(z.as_slice()).copied();
        let range = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let (order, names) = ((0..n).collect::<Vec<_>>(), names(n, self.nodes.names()));
        let picture = |title: &str, matrix: &Mat| {
            let matrix = Dense::symmetrised(matrix.clone()).into();
            matrix_picture(title, &matrix, &order, &names).range(range).into()
        };
        let objectives = Names { primal: "f(XXᵀ)", dual: "" };
        let charts = convergence(self.trace, &objectives, claims.spec.tolerance);
        Page::new(title, format!("{n} variables"))
            .section("Answer", vec![Item::headline(headline)])
            .section("Certificate", certificate)
            .section("Pictures", vec![picture("A", a), picture("XXᵀ", &z)])
            .section("Convergence", vec![charts.into()])
    }
}

/// What is proved, in words.
pub(crate) fn proof(claims: &Claims<CorrelationSpec, Details>) -> String {
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
