//! The page that shows a kernel.

use gramfold::{
    Record,
    linalg::{Dense, Mat, Symmetric, dot},
};
use gramfold_cluster::binned;
use gramfold_learn::{Links, principal_axes};
use gramfold_report::{Axis, Chart, Heatmap, Item, Network, Page};

use super::claims::KernelClaims;
use crate::{
    factorisation::charts,
    learn::{Nodes, result},
    pages::{BINS, bin_names, drawing, names, percent},
};

/// Nodes beyond which the kernel itself is not drawn.
const WHOLE: usize = 2000;

/// Nodes beyond which only the first are on the axes.
const DRAWN: usize = 3000;

/// Builds the page.
pub(super) fn page(
    claims: &KernelClaims,
    line: &str,
    graph: &Symmetric,
    nodes: &Nodes,
    links: &Links,
    x: &Mat,
    trace: &[Record],
) -> Page {
    let details = &claims.details;
    let n = claims.nodes;
    let names = names(n, nodes.names());
    let title = format!("A kernel on {}", claims.input.name());
    let headline = match details.kept {
        1.0 => format!("All {} pairs have the right sign", links.pairs.len()),
        kept => format!("{} of {} pairs have the right sign", percent(kept), links.pairs.len()),
    };
    let axes = principal_axes(x);
    let side: Vec<usize> = (0..n).map(|i| usize::from(axes[(i, 0)] < 0.0)).collect();
    let mut pictures: Vec<Item> = Vec::new();
    let called = vec!["one side of the first axis".to_owned(), "the other".to_owned()];
    pictures.extend(drawing(graph, &names, &side, called).map(Item::from));
    pictures.push(embedding(&axes, &names, links));
    if n <= WHOLE {
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| axes[(*a, 0)].total_cmp(&axes[(*b, 0)]));
        let bins = n.min(BINS);
        let z = Mat::from_fn(n, n, |i, j| dot(x.row(i), x.row(j)));
        let z: Symmetric = Dense::symmetrised(z).into();
        let called = bin_names(&names, &order, bins);
        let picture = Heatmap::new(
            "The kernel XXᵀ",
            bins,
            bins,
            binned(&z, &order, bins).as_slice().to_vec(),
        );
        let picture = picture.row_names(called.clone()).col_names(called);
        pictures.push(picture.caption("Nodes in the order of the first axis").into());
    }
    Page::new(title, format!("{n} nodes, rank {}", claims.rank))
        .section("Answer", vec![Item::headline(headline)])
        .section("Certificate", result(claims, &details.fit, line))
        .section("Pictures", pictures)
        .section("Convergence", vec![charts(claims.spec.stop.stationarity, trace).into()])
}

/// The nodes on the first two axes, with the pairs that are known where there is room for names.
fn embedding(axes: &Mat, names: &[String], links: &Links) -> Item {
    let title = "Nodes on the first axes of the kernel";
    let shown = axes.rows().min(DRAWN);
    let at = |i: usize| (axes[(i, 0)], if axes.cols() > 1 { axes[(i, 1)] } else { 0.0 });
    let places: Vec<(f64, f64)> = (0..shown).map(at).collect();
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
