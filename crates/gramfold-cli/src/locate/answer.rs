//! A layout as it is written: what is claimed, the files, the summary and the page.

use gramfold::{Spec, certificate::significant, linalg::Symmetric};
use gramfold_learn::{
    Observations,
    locate::{Anchors, Reason, undetermined},
};
use gramfold_report::{Axis, Cell, Chart, Item, Network, Page, Table};
use serde::{Deserialize, Serialize};

use super::{
    input,
    residuals::{FAR, NEGLIGIBLE, Residuals},
};
use crate::{
    answer::{self, Head},
    learn::{Fit, Fitted, Nodes, field},
    pages::{names, on_axes, rounded, short},
    store::{Claims, Part},
};

/// Nodes that are not determined and named in the claims; the table has all.
const NAMED: usize = 20;

/// Rows of a table that are shown.
const ROWS: usize = 30;

/// Residuals beyond this many times their root mean square stand out, unless they are negligible beside the distances.
const FAR_OFF: f64 = 2.0;

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    /// Distances that are known.
    pub(crate) distances: usize,
    /// Nodes whose positions are known.
    pub(crate) anchors: usize,
    /// Whether the positions are in the frame of the anchors.
    pub(crate) framed: bool,
    /// The root of the mean squared residual of a distance, relative to that of the distances.
    pub(crate) relative_error: f64,
    /// The largest residual of a distance.
    pub(crate) largest_residual: f64,
    /// Distances that are off by far more than most.
    pub(crate) outliers: usize,
    /// Nodes that the distances do not determine …
    pub(crate) undetermined: usize,
    /// … of which the first are these, with the reasons.
    pub(crate) named: Vec<String>,
}

/// A layout.
pub(crate) struct Answer<'a> {
    fitted: Fitted<'a>,
    matrix: &'a Symmetric,
    distances: &'a Observations,
    anchors: &'a Anchors,
    nodes: &'a Nodes,
    free: Vec<(usize, Reason)>,
    pub(super) residuals: Residuals,
}

impl<'a> Answer<'a> {
    /// `distances` are those of `matrix`.
    pub(crate) fn of(
        fitted: Fitted<'a>,
        matrix: &'a Symmetric,
        distances: &'a Observations,
        anchors: &'a Anchors,
        nodes: &'a Nodes,
    ) -> Self {
        let positions = &fitted.solution.factor;
        let free = undetermined(distances, anchors, fitted.spec.rank, positions);
        let residuals = Residuals::of(distances, positions);
        Self { fitted, matrix, distances, anchors, nodes, free, residuals }
    }

    /// The nodes that are not determined, as a table.
    pub(super) fn free_csv(&self) -> String {
        let row =
            |(i, reason): &(usize, Reason)| format!("{},{reason}\n", field(&self.nodes.name(*i)));
        format!("node,reason\n{}", self.free.iter().map(row).collect::<String>())
    }
}

impl answer::Answer for Answer<'_> {
    type Spec = Spec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<Spec, Details> {
        let word = |(i, reason): &(usize, Reason)| format!("{} ({reason})", self.nodes.name(*i));
        let details = Details {
            fit: self.fitted.fit(),
            distances: self.distances.len(),
            anchors: self.anchors.len(),
            framed: self.anchors.len() > self.fitted.spec.rank,
            relative_error: self.residuals.relative_error(),
            largest_residual: self.residuals.largest(),
            outliers: self.residuals.outliers(),
            undetermined: self.free.len(),
            named: self.free.iter().take(NAMED).map(word).collect(),
        };
        self.fitted.claims(head, details)
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let (anchors, nodes) = (self.anchors, self.nodes);
        let mut parts = vec![
            Part::array("positions", &self.fitted.solution.factor),
            Part::lines("trace", self.fitted.trace),
            Part::symmetric("distances", self.matrix),
            Part::bytes("residuals", "residuals.csv", self.residuals.csv(nodes)),
            Part::bytes("undetermined", "undetermined.csv", self.free_csv()),
        ];
        if !anchors.is_empty() {
            parts.push(Part::bytes("anchors", "anchors.csv", input::anchors_csv(anchors, nodes)));
        }
        parts.extend(nodes.part());
        parts
    }

    fn summary(&self, claims: &Claims<Spec, Details>) -> String {
        let details = &claims.details;
        format!(
            "{} nodes in {} dimensions, {} distances, {} anchors; {}\n\
             the distances are met to {} of their size, the worst is {} off{}\n\
             {}\n\
             {}; objective {}\n\
             {}\n",
            claims.nodes,
            claims.rank,
            details.distances,
            details.anchors,
            if details.framed { "in the frame of the anchors" } else { "centred" },
            significant(details.relative_error),
            significant(details.largest_residual),
            outliers(details),
            determined(details),
            self.fitted.run_in_words(claims),
            significant(claims.objective),
            self.fitted.certificate,
        )
    }

    fn page(&self, claims: &Claims<Spec, Details>, line: &str) -> Page {
        let details = &claims.details;
        let title = format!("Positions of {}", claims.input.name());
        let subtitle = format!(
            "{} nodes in {} dimensions, {} distances",
            claims.nodes, claims.rank, details.distances
        );
        let met = short(details.relative_error);
        let seen = if self.free.is_empty() { "Determined" } else { "Not determined" };
        let mut answer = vec![
            Item::headline(format!("The distances are met to {met} of their size")),
            Item::finding(seen, determined(details)),
        ];
        if details.outliers > 0 {
            answer.push(Item::finding("Folded, or wrong", outliers(details).trim_start()));
        }
        answer.extend(self.layout().map(Item::from));
        Page::new(title, subtitle)
            .section("Answer", answer)
            .section("Certificate", self.fitted.result(claims, line))
            .section("Residuals", self.residuals_section())
            .section("Convergence", self.fitted.convergence("stress"))
    }
}

impl Answer<'_> {
    /// The layout on its first two axes, if it is small enough.
    fn layout(&self) -> Option<Network> {
        let x = &self.fitted.solution.factor;
        let n = x.rows();
        if n > Network::MOST {
            return None;
        }
        let mut group = vec![0; n];
        for (node, _) in &self.free {
            group[*node] = 1;
        }
        for &row in self.anchors.rows() {
            group[row as usize] = 2;
        }
        let places = (0..n).map(|i| on_axes(x, i)).collect();
        let list = &self.residuals.list;
        let squares: f64 = list.iter().map(|(_, _, distance, _)| distance * distance).sum();
        let size = (squares / list.len() as f64).sqrt();
        let far_off = size * (FAR_OFF * self.residuals.relative_error()).max(NEGLIGIBLE);
        let edges: Vec<_> = list.iter().map(|&(i, j, _, off)| (i, j, off.abs())).collect();
        let axes = if x.cols() > 2 { ", on the first two axes" } else { "" };
        let strained = if edges.iter().any(|(_, _, off)| *off > far_off) {
            "; those that are off by more than twice the root mean square stand out"
        } else {
            ""
        };
        let caption = format!("Lines are the known distances{axes}{strained}");
        // The legend has only the groups that there are.
        let kinds = ["determined", "not determined", "anchors"].map(String::from);
        let present: Vec<usize> = (0..kinds.len()).filter(|kind| group.contains(kind)).collect();
        let called = present.iter().map(|kind| kinds[*kind].clone()).collect();
        let place = |kind: &usize| present.iter().position(|other| other == kind).unwrap_or(0);
        let group = group.iter().map(place).collect();
        let network = Network::new("The layout", names(n, self.nodes.names()), group);
        Some(network.groups(called).edges(edges).placed(places).strained(far_off).caption(caption))
    }

    fn residuals_section(&self) -> Vec<Item> {
        let mut list = self.residuals.list.clone();
        let points = list.iter().map(|(_, _, distance, off)| (*distance, *off));
        let mut points: Vec<(f64, f64)> = points.collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let chart = Chart::new("Residuals by distance")
            .x(Axis::linear("distance"))
            .y(Axis::linear("fitted − known"))
            .points("distances", points);
        list.sort_by(|a, b| b.3.abs().total_cmp(&a.3.abs()));
        let rows = list.into_iter().take(ROWS).map(|(i, j, distance, off)| {
            let [i, j] = [i, j].map(|node| Cell::from(self.nodes.name(node)));
            vec![i, j, distance.into(), rounded(off).into()]
        });
        let headers = ["i", "j", "distance", "fitted − known"];
        let table = Table::new("The largest residuals", headers).rows(rows);
        vec![vec![chart].into(), table.into()]
    }
}

/// What outliers mean, in words.
fn outliers(details: &Details) -> String {
    let (count, are) = match details.outliers {
        0 => return String::new(),
        1 => ("one is".into(), "this distance is"),
        more => (format!("{more} are"), "these distances are"),
    };
    format!(
        "\n{count} off by more than {FAR} times what most are: {are} wrong, or a part of the layout is folded over (try another --seed)"
    )
}

/// Which nodes are not determined, in words.
fn determined(details: &Details) -> String {
    if details.undetermined == 0 {
        return "no node is seen to be undetermined".into();
    }
    let more = details.undetermined - details.named.len();
    let tail =
        if more > 0 { format!(" and {more} more in undetermined.csv") } else { String::new() };
    let nodes = if details.undetermined == 1 { "node is" } else { "nodes are" };
    format!(
        "{} {nodes} not determined by the distances: {}{tail}",
        details.undetermined,
        details.named.join(", ")
    )
}
