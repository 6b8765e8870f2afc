//! A kernel as it is written: what is claimed, the files, the summary and the page.

use gramfold::{
    Spec,
    linalg::{Dense, Mat, Symmetric, dot},
};
use gramfold_learn::{Links, principal_axes};
use gramfold_report::{Axis, Chart, Item, Network, Page};
use serde::{Deserialize, Serialize};

use crate::{
    answer::{self, Head},
    learn::{Fit, Fitted, Nodes, field},
    pages::{drawing, matrix_picture, names, on_axes, percent},
    store::{Claims, Part},
};

/// Nodes beyond which the kernel itself is not drawn.
const WHOLE: usize = 2000;

/// Nodes beyond which only the first are on the axes.
const DRAWN: usize = 3000;

/// What only this command has to say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Details {
    #[serde(flatten)]
    pub(crate) fit: Fit,
    /// The weight of ⟨L, Z⟩.
    pub(crate) smoothness: f64,
    /// Pairs that belong together, and that do not.
    together: usize,
    apart: usize,
    /// The share of pairs whose entry of XXᵀ has the right sign.
    kept: f64,
}

/// A kernel, and what it was learnt from.
pub(crate) struct Answer<'a> {
    pub(crate) fitted: Fitted<'a>,
    pub(crate) graph: &'a Symmetric,
    pub(crate) nodes: &'a Nodes,
    pub(crate) links: &'a Links,
    /// The weight of ⟨L, Z⟩.
    pub(crate) smoothness: f64,
}

impl answer::Answer for Answer<'_> {
    type Spec = Spec;
    type Details = Details;

    fn claims(&self, head: Head) -> Claims<Spec, Details> {
        let Self { fitted, links, smoothness, .. } = *self;
        let together = links.signs.iter().filter(|sign| **sign > 0.0).count();
        let apart = links.signs.len() - together;
        let kept = links.kept(&fitted.solution.factor);
        fitted.claims(head, Details { fit: fitted.fit(), smoothness, together, apart, kept })
    }

    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = self.fitted.parts();
        parts.push(Part::symmetric("graph", self.graph));
        parts.push(Part::new("pairs", "pairs.csv", |out| {
            for ((i, j), sign) in self.links.pairs.iter().zip(&self.links.signs) {
                let name = |node: u32| field(&self.nodes.name(node as usize));
                writeln!(out, "{},{},{sign}", name(*i), name(*j))?;
            }
            Ok(())
        }));
        parts.extend(self.nodes.part());
        parts
    }

    fn summary(&self, claims: &Claims<Spec, Details>) -> String {
        let Details { together, apart, kept, .. } = claims.details;
        format!(
            "{} nodes, rank {}; {together} pairs together, {apart} apart: {} have the right sign\n{}\n{}\n",
            claims.nodes,
            claims.rank,
            percent(kept),
            self.fitted.run_in_words(claims),
            self.fitted.certificate,
        )
    }

    fn page(&self, claims: &Claims<Spec, Details>, line: &str) -> Page {
        let Self { fitted, graph, nodes, links, .. } = self;
        let (n, x) = (claims.nodes, &fitted.solution.factor);
        let names = names(n, nodes.names());
        let title = format!("A kernel on {}", claims.input.name());
        let headline = match claims.details.kept {
            1.0 => format!("All {} pairs have the right sign", links.pairs.len()),
            kept => format!("{} of {} pairs have the right sign", percent(kept), links.pairs.len()),
        };
        let axes = principal_axes(x);
        let side: Vec<usize> = (0..n).map(|i| usize::from(axes[(i, 0)] < 0.0)).collect();
        let called = vec!["one side of the first axis".to_owned(), "the other".to_owned()];
        let mut pictures: Vec<Item> =
            drawing(graph, &names, &side, called).map(Item::from).into_iter().collect();
        pictures.push(embedding(&axes, &names, links));
        if n <= WHOLE {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by(|a, b| axes[(*a, 0)].total_cmp(&axes[(*b, 0)]));
            let z = Mat::from_fn(n, n, |i, j| dot(x.row(i), x.row(j)));
            let picture =
                matrix_picture("The kernel XXᵀ", &Dense::symmetrised(z).into(), &order, &names);
            pictures.push(picture.caption("Nodes in the order of the first axis").into());
        }
        Page::new(title, format!("{n} nodes, rank {}", claims.rank))
            .section("Answer", vec![Item::headline(headline)])
            .section("Certificate", fitted.result(claims, line))
            .section("Pictures", pictures)
            .section("Convergence", fitted.convergence("f(XYᵀ)"))
    }
}

/// The nodes on the first two axes, with the pairs that are known where there is room for names.
fn embedding(axes: &Mat, names: &[String], links: &Links) -> Item {
    let title = "Nodes on the first axes of the kernel";
    let shown = axes.rows().min(DRAWN);
    let places: Vec<(f64, f64)> = (0..shown).map(|i| on_axes(axes, i)).collect();
    if axes.rows() > Network::MOST {
        let chart = Chart::new(title)
            .x(Axis::linear("first axis"))
            .y(Axis::linear("second axis"))
            .named_points("nodes", places, names[..shown].to_vec());
        return vec![chart].into();
    }
    let mut group = vec![0; shown];
    let mut edges = Vec::with_capacity(links.pairs.len());
    for (&(i, j), sign) in links.pairs.iter().zip(&links.signs) {
        let (i, j) = (i as usize, j as usize);
        (group[i], group[j]) = (1, 1);
        edges.push((i, j, -sign)); // Pairs that are apart stand out.
    }
    Network::new(title, names.to_vec(), group)
        .groups(vec!["in no pair".into(), "in a pair".into()])
        .placed(places)
        .edges(edges)
        .strained(0.0)
        .caption("Grey lines join pairs that belong together, red lines pairs that belong apart")
        .into()
}
