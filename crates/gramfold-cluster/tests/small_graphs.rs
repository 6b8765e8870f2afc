//! Every graph with up to seven nodes, every number of clusters: the way of the command `cluster`, from the weights to
//! the labels.

use std::collections::BTreeSet;

use gramfold::{
    Problem, Record, Spec, Status, factorise, loss::Quadratic, registry::Component, start::Start,
};
use gramfold_cluster::{
    Diagonal, Error, Normalise, components, prepare, relabel, settled, similar_or_default, soft,
};
use gramfold_linalg::Csr;

/// The graphs of n nodes up to isomorphism, each as the set of its edges {i, j}, i < j.
fn graphs(n: usize) -> Vec<Vec<(usize, usize)>> {
    let mut found = BTreeSet::from([0_u32]);
    for nodes in 2..=n {
        // Every graph of these nodes is one of fewer nodes and a last one with any neighbours.
        found = found
            .iter()
            .flat_map(|graph| (0..1_u32 << (nodes - 1)).map(move |last| (*graph, last)))
            .map(|(graph, last)| {
                let edges = bits(nodes - 1, graph)
                    .chain((0..nodes - 1).filter(|i| last >> i & 1 == 1).map(|i| (i, nodes - 1)));
                canonical(nodes, &edges.collect::<Vec<_>>())
            })
            .collect();
    }
    found.into_iter().map(|graph| bits(n, graph).collect()).collect()
}

/// The place of {i, j}, i < j, among the pairs.
fn place(i: usize, j: usize) -> usize {
    j * (j - 1) / 2 + i
}

fn bits(n: usize, graph: u32) -> impl Iterator<Item = (usize, usize)> {
    (1..n)
        .flat_map(|j| (0..j).map(move |i| (i, j)))
        .filter(move |&(i, j)| graph >> place(i, j) & 1 == 1)
}

/// The least of the numbers that its edges have under any order of the nodes by degree.
fn canonical(n: usize, edges: &[(usize, usize)]) -> u32 {
    let degree = |i: usize| edges.iter().filter(|(a, b)| *a == i || *b == i).count();
    let mut degrees: Vec<usize> = (0..n).map(degree).collect();
    let mut order = Vec::with_capacity(n);
    let of: Vec<usize> = degrees.clone();
    degrees.sort_unstable();
    let mut least = u32::MAX;
    arrange(&of, &degrees, &mut order, &mut |order: &[usize]| {
        let mut at = [0; 8];
        order.iter().enumerate().for_each(|(position, node)| at[*node] = position);
        let number = edges
            .iter()
            .fold(0, |number, &(a, b)| number | 1 << place(at[a].min(at[b]), at[a].max(at[b])));
        least = least.min(number);
    });
    least
}

/// Calls `see` with every order of the nodes in which their degrees are these.
fn arrange(of: &[usize], degrees: &[usize], order: &mut Vec<usize>, see: &mut dyn FnMut(&[usize])) {
    if order.len() == of.len() {
        return see(order);
    }
    for node in 0..of.len() {
        if of[node] == degrees[order.len()] && !order.contains(&node) {
            order.push(node);
            arrange(of, degrees, order, see);
            order.pop();
        }
    }
}

#[test]
fn every_small_graph_is_clustered() {
    let counts: Vec<usize> = (1..=7).map(|n| graphs(n).len()).collect();
    assert_eq!(counts, [1, 2, 4, 11, 34, 156, 1044], "the known numbers of graphs");
    let (mut runs, mut converged) = (0, 0);
    for (n, edges) in (1..=7).flat_map(|n| graphs(n).into_iter().map(move |edges| (n, edges))) {
        let entries: Vec<_> = edges.iter().map(|&(i, j)| (i as u32, j as u32, 1.0)).collect();
        let weights = Csr::from_triangle(n, &entries).unwrap().into();
        let prepared = match prepare(&weights, Normalise::default(), Diagonal::default()) {
            Err(Error::NoWeight { .. }) if edges.is_empty() => continue,
            prepared => prepared.unwrap(),
        };
        let components = components(&weights);
        let loss = Quadratic::new(prepared.matrix);
        for k in 1..=n {
            let spec = Spec {
                rank: k,
                regulariser: Component::named("nonnegative"),
                start: Start::Spectral,
                ..Spec::default()
            };
            let regulariser = spec.regulariser().unwrap();
            let problem = Problem::new(&loss, &*regulariser, k).unwrap();
            let mut trace: Vec<Record> = Vec::new();
            let solution = factorise(&problem, &spec, &mut trace)
                .unwrap_or_else(|error| panic!("{edges:?}, k = {k}: {error}"));
            let certificate = solution.certify(&problem, 1e-6).unwrap();
            let bound = certificate.lower_bound.expect("a bound");
            assert!(bound.value <= certificate.loss + 1e-9, "{edges:?}, k = {k}: {certificate:?}");
            assert!(certificate.loss <= 0.5 * loss.matrix().norm_squared() + 1e-9, "{edges:?}");
            let labels = relabel(&settled(&solution.factor, &weights, &components), k);
            assert_eq!(labels.labels.len(), n);
            assert!(labels.labels.iter().all(|label| *label < k));
            assert!(soft(&solution.factor).is_finite());
            runs += 1;
            converged += usize::from(solution.status == Status::Converged);
        }
    }
    assert!(runs > 8000 && converged > runs * 9 / 10, "{converged} of {runs}");
}

#[test]
fn the_default_refuses_no_small_graph_that_has_an_edge() {
    for (n, edges) in (1..=6).flat_map(|n| graphs(n).into_iter().map(move |edges| (n, edges))) {
        let entries: Vec<_> = edges.iter().map(|&(i, j)| (i as u32, j as u32, 1.5)).collect();
        let weights = Csr::from_triangle(n, &entries).unwrap().into();
        for diagonal in [Diagonal::Keep, Diagonal::Zero, Diagonal::Degree] {
            let chosen = similar_or_default(&weights, None, None, diagonal, 3);
            if edges.is_empty() {
                assert!(matches!(chosen, Err(Error::NoWeight { .. })), "{chosen:?}");
            } else {
                let matrix = chosen.unwrap_or_else(|error| panic!("{edges:?}: {error}"));
                assert!(matrix.prepared.matrix.norm_squared() > 0.0, "{edges:?}");
            }
        }
    }
}
