//! A metric as it is written: what is claimed, the files, the summary and the page.

use gramfold::{
    Spec,
    linalg::{Mat, dot, multiply},
};
use gramfold_learn::{MetricModel, Supervision, principal_axes, spread, standardised};
use gramfold_report::{Axis, Chart, Item, Page, Table};
use serde::{Deserialize, Serialize};

use super::{
    in_units,
    input::{self, Input, Known},
};
use crate::{
    answer::{self, Head},
    learn::{Fit, Fitted},
    pages::{factor_picture, names, on_axes, percent, rounded},
    store::{Claims, Part},
};

/// Points beyond which a drawing shows only the first.
const DRAWN: usize = 3000;

/// Features that the table lists.
const LISTED: usize = 40;

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    pub(crate) model: MetricModel,
    /// What was learnt from: `comparisons` or `pairs`, and how many.
    pub(crate) known: String,
    compared: usize,
    /// Whether features were taken in units of their deviations.
    pub(crate) standardised: bool,
    /// Of held-out points, where classes are known.
    pub(crate) accuracy: Option<Accuracy>,
}

/// How often the nearest neighbours vote for the right class.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Accuracy {
    /// The neighbours that vote.
    pub(crate) neighbours: usize,
    /// The parts that were held out, one after the other.
    pub(crate) folds: usize,
    /// In the Euclidean metric.
    pub(crate) before: f64,
    /// In the metric that was learnt without them.
    pub(crate) after: f64,
}

/// A metric.
pub(crate) struct Answer<'a> {
    fitted: Fitted<'a>,
    input: &'a Input,
    model: &'a MetricModel,
    standardised: bool,
    accuracy: Option<Accuracy>,
    /// L for the features as they are.
    pub(super) factor: Mat,
    pub(super) transformed: Mat,
    compared: Mat,
}

impl<'a> Answer<'a> {
    /// `deviations` are the units in which features were taken, if they were standardised.
    pub(crate) fn of(
        fitted: Fitted<'a>,
        input: &'a Input,
        model: &'a MetricModel,
        supervision: &Supervision,
        (standardised, deviations): (bool, &[f64]),
        accuracy: Option<Accuracy>,
    ) -> Self {
        let factor = in_units(&fitted.solution.factor, deviations);
        let mut transformed = Mat::zeros(input.points.rows(), factor.cols());
        multiply(1.0, &input.points, &factor, &mut transformed);
        let (columns, numbers) = input::table(supervision);
        let compared = Mat::from_row_major(numbers.len() / columns, columns, numbers);
        Self { fitted, input, model, standardised, accuracy, factor, transformed, compared }
    }
}

impl answer::Answer for Answer<'_> {
    type Spec = Spec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<Spec, Details> {
        let pairs = matches!(self.input.known, Known::Pairs { .. });
        let details = Details {
            fit: self.fitted.fit(),
            model: self.model.clone(),
            known: if pairs { "pairs" } else { "comparisons" }.into(),
            compared: self.compared.rows(),
            standardised: self.standardised,
            accuracy: self.accuracy,
        };
        self.fitted.claims(head, details)
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.retain(|part| part.role != "factor");
        parts.extend([
            Part::array("factor", &self.factor),
            Part::array("points", &self.input.points),
            Part::array("transformed", &self.transformed),
            Part::array("compared", &self.compared),
        ]);
        parts.extend(self.input.nodes.part());
        parts
    }

    fn summary(&self, claims: &Claims<Spec, Details>) -> String {
        let Details { compared, known, .. } = &claims.details;
        let mut text = format!("L: {}x{}; {compared} {known}\n", claims.nodes, claims.rank);
        if let Some(Accuracy { neighbours, folds, before, after }) = self.accuracy {
            text += &format!(
                "{neighbours} nearest neighbours of held-out points ({folds} parts): {} right before, {} after\n",
                percent(before),
                percent(after)
            );
        }
        text + &format!("{}\n{}\n", self.fitted.run_in_words(claims), self.fitted.certificate)
    }

    fn page(&self, claims: &Claims<Spec, Details>, line: &str) -> Page {
        let Self { input: Input { points, known, columns, .. }, factor, .. } = self;
        let title = format!("A metric for {}", claims.input.name());
        let subtitle =
            format!("{} points of {} features, rank {}", points.rows(), claims.nodes, claims.rank);
        let features = names(claims.nodes, columns.as_deref());
        let order: Vec<usize> = (0..claims.nodes).collect();
        // Features differ in their units: only in those of their deviations can what they do be compared.
        let (means, deviations) = spread(points);
        let scaled =
            Mat::from_fn(factor.rows(), factor.cols(), |i, j| factor[(i, j)] * deviations[i]);
        let (before, units) = if self.standardised {
            (&standardised(points, (&means, &deviations)), "in units of its deviation")
        } else {
            (points, "as it is")
        };
        let pictures: Vec<Item> = vec![
            Item::text(format!("Before the metric, each feature is taken {units}.")),
            vec![
                drawing("Before: leading axes of the points", before, known),
                drawing("After: leading axes in the metric", &self.transformed, known),
            ]
            .into(),
            factor_picture("L", &scaled, &order, &features)
                .caption("A row a feature, in units of its deviation")
                .into(),
        ];
        Page::new(title, subtitle)
            .section("Answer", answer_section(claims, &scaled, &features))
            .section("Certificate", self.fitted.result(claims, line))
            .section("Pictures", pictures)
            .section("Convergence", self.fitted.convergence("f(XYᵀ)"))
    }
}

/// `factor` is L for features in units of their deviations.
fn answer_section(claims: &Claims<Spec, Details>, factor: &Mat, features: &[String]) -> Vec<Item> {
    let details = &claims.details;
    let headline = match &details.accuracy {
        Some(accuracy) => format!(
            "{} of held-out points are classified right, {} before",
            percent(accuracy.after),
            percent(accuracy.before)
        ),
        None => {
            format!("A metric of rank {} from {} {}", claims.rank, details.compared, details.known)
        }
    };
    let mut weights: Vec<(usize, f64)> =
        (0..factor.rows()).map(|i| (i, dot(factor.row(i), factor.row(i)))).collect();
    weights.sort_by(|a, b| b.1.total_cmp(&a.1));
    let rows = weights.into_iter().take(LISTED);
    let table = Table::new(
        "What counts: the diagonal of M = LLᵀ, each feature in units of its deviation",
        ["feature", "weight"],
    )
    .rows(rows.map(|(i, weight)| vec![features[i].clone().into(), rounded(weight).into()]));
    vec![Item::headline(headline), table.into()]
}

/// The first two principal axes of points, in the colours of their classes.
fn drawing(title: &str, points: &Mat, known: &Known) -> Chart {
    let (n, d) = (points.rows(), points.cols());
    let means: Vec<f64> = (0..d).map(|j| points.column(j).sum::<f64>() / n as f64).collect();
    let axes = principal_axes(&Mat::from_fn(n, d, |i, j| points[(i, j)] - means[j]));
    let at = |i: usize| on_axes(&axes, i);
    let chart = Chart::new(title).x(Axis::linear("first axis")).y(Axis::linear("second axis"));
    let Known::Classes(classes) = known else {
        return chart.points("points", (0..n.min(DRAWN)).map(at).collect());
    };
    let called = names(classes.count(), classes.names.as_deref());
    called.into_iter().enumerate().fold(chart, |chart, (class, name)| {
        let of = (0..n.min(DRAWN)).filter(|i| classes.labels[*i] == class);
        chart.points(name, of.map(at).collect())
    })
}
