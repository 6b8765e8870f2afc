//! What the commands that learn were asked.

use anyhow::bail;
use gramfold::linalg::{Csr, Dense, Mat, Symmetric};
use gramfold_learn::{
    Biases, Choice, Links, Measured, MetricModel, Observations, Rotation, locate::Anchors,
    standardised,
};

use super::{Origin, Question, To};
use crate::{
    answer::Answer,
    complete,
    correlation::{self, CorrelationSpec},
    factors, kernel,
    learn::{Fitted, Nodes},
    locate,
    metric::{self, Classes, Input, Known},
    recover,
    store::Status,
};

/// A matrix to be completed, and the model that was chosen for it.
pub struct Completion {
    /// What is known of it.
    pub observed: Observations,
    /// What each node has of its own.
    pub biases: Biases,
    /// The model, and why.
    pub choice: Choice,
}

impl Question for Completion {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let Self { observed, biases, choice } = self;
        let entries = symmetric(observed)?;
        let factor = &fitted.solution.factor;
        let answer = complete::Answer {
            fitted,
            entries: &entries,
            observed,
            nodes: &Nodes::new(observed.dim, None),
            choice,
            biases,
            predicted: &complete::Predictions::largest(None, observed, biases, factor),
            pairs_given: false,
        };
        let mut claims = answer.claims(origin.head("complete"));
        if choice.cut_short && claims.status.is_answer() {
            claims.status = Status::TimeLimit;
        }
        to.write_as(origin, claims, &answer)
    }
}

/// Points to be placed.
pub struct Location {
    /// Between them.
    pub distances: Observations,
    /// Points whose places are known.
    pub anchors: Anchors,
}

impl Question for Location {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let Self { distances, anchors } = self;
        let (matrix, nodes) = (symmetric(distances)?, Nodes::new(distances.dim, None));
        let answer = locate::Answer::of(fitted, &matrix, distances, anchors, &nodes);
        to.write(origin, "locate", &answer)
    }
}

/// Correlations to be explained by factors.
pub struct Factors {
    /// Of the variables.
    pub correlations: Dense,
    /// How the loadings are turned.
    pub rotation: Rotation,
}

impl Question for Factors {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let nodes = Nodes::new(self.correlations.dim(), None);
        let answer = factors::Answer::of(fitted, &self.correlations, &nodes, self.rotation);
        to.write(origin, "factors", &answer)
    }
}

/// Points of classes, to be told apart by a metric.
pub struct Metric {
    /// One a row.
    pub points: Mat,
    /// The class of each, numbered from zero.
    pub classes: Vec<usize>,
    /// How the metric is fitted.
    pub model: MetricModel,
    /// Whether features are taken in units of their deviations.
    pub standardised: bool,
}

impl Question for Metric {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let known = Known::Classes(Classes { labels: self.classes.clone(), names: None });
        let nodes = Nodes::new(self.points.rows(), None);
        let input = Input { points: self.points.clone(), nodes, columns: None, known };
        let deviations = metric::scales(&self.points, !self.standardised);
        let points = standardised(&self.points, (&vec![0.0; deviations.len()], &deviations));
        let supervision = input.known.supervision(&points, &self.model);
        let units = (self.standardised, &deviations[..]);
        let answer = metric::Answer::of(fitted, &input, &self.model, &supervision, units, None);
        to.write(origin, "metric", &answer)
    }
}

/// A matrix to be recovered.
pub struct Recovery {
    /// A measurement a row, what came out in the last column.
    pub table: Mat,
    /// What stands before that.
    pub kind: Measured,
}

impl Question for Recovery {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let given = recover::Given::Table(self.table.clone(), self.kind);
        let answer = recover::Answer::of(fitted, &given)?;
        to.write(origin, "recover", &answer)
    }
}

/// A kernel to be learnt on a graph.
pub struct Kernel {
    /// Along whose edges it is smooth.
    pub graph: Symmetric,
    /// Pairs of nodes that belong together or apart.
    pub links: Links,
    /// How much its roughness counts.
    pub smoothness: f64,
}

impl Question for Kernel {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let Self { graph, links, smoothness } = self;
        let nodes = &Nodes::new(graph.dim(), None);
        let smoothness = *smoothness;
        let answer = kernel::Answer { fitted, graph, nodes, links, smoothness };
        to.write(origin, "kernel", &answer)
    }
}

/// A matrix that a correlation matrix is to be near to.
pub struct Correlation {
    /// Symmetric.
    pub matrix: Mat,
}

impl Question for Correlation {
    fn write(&self, origin: &Origin, fitted: Fitted<'_>, to: &To<'_>) -> anyhow::Result<()> {
        let Fitted { spec, solution, trace, .. } = fitted;
        let (a, x) = (&self.matrix, &solution.factor);
        let question = gramfold_learn::Correlation::new(a, spec.rank)?;
        let answer = correlation::Answer {
            spec: CorrelationSpec::of(spec),
            status: solution.status.into(),
            question: &question,
            a,
            nodes: &Nodes::new(a.rows(), None),
            factor: x,
            certificate: &question.certify(x, spec.stop.stationarity, &|| false)?,
            dual: &question.multipliers(x),
            last: &solution.last,
            trace,
        };
        to.write(origin, "correlation", &answer)
    }
}

/// The matrix whose stored entries are these.
fn symmetric(observed: &Observations) -> anyhow::Result<Symmetric> {
    let places = observed.places.iter().zip(&observed.values);
    let entries: Vec<(u32, u32, f64)> = places.map(|(&(i, j), &v)| (i, j, v)).collect();
    match Csr::from_triangle(observed.dim, &entries) {
        Ok(matrix) => Ok(matrix.into()),
        Err(error) => bail!("the entries make no symmetric matrix: {error:?}"),
    }
}
