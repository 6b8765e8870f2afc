//! How dense links are within clusters and between them.
//!
//! With d_i the degree of node i and W the sum of all degrees, chance puts links of weight d_i·d_j/W between nodes i and j. Here it
//! is ω_q times that if both are of cluster q, and ω_0 times that if they are of different ones: the degree-corrected stochastic block model
//! (Karrer and Newman, "Stochastic blockmodels and community structure in networks", 2011) with one rate between all clusters. With one rate within
//! all clusters, too, it is what modularity assumes, whose resolution is (ω_1 − ω_0)/ln(ω_1/ω_0) (Newman, "Equivalence between
//! modularity optimization and maximum likelihood methods for community detection", 2016).

use super::links::Links;

/// Sums over the nodes of each cluster, of which a node may be in part.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    /// The weight of the links between its nodes, each from both ends.
    pub(super) within: Vec<f64>,
    /// D_q, their degrees.
    pub(super) volumes: Vec<f64>,
    /// Those with links, counted.
    pub(super) nodes: Vec<f64>,
}

impl Blocks {
    /// `to_own` is [`Links::to_own`] of the labels.
    pub(super) fn new(links: &Links, labels: &[usize], to_own: &[f64], k: usize) -> Self {
        let mut blocks = Self { within: vec![0.0; k], volumes: vec![0.0; k], nodes: vec![0.0; k] };
        for ((&label, &degree), own) in labels.iter().zip(&links.degrees).zip(to_own) {
            blocks.within[label] += own;
            blocks.volumes[label] += degree;
            blocks.nodes[label] += if degree > 0.0 { 1.0 } else { 0.0 };
        }
        blocks
    }

    /// From those of labels to those of others.
    pub(super) fn relabel(&mut self, links: &Links, labels: &[usize], others: &[usize]) {
        let mut labels = labels.to_vec();
        for (i, &to) in others.iter().enumerate() {
            if labels[i] != to {
                self.move_node(links, &labels, i, to);
                labels[i] = to;
            }
        }
    }

    /// From those of labels to those where one node has another.
    pub(super) fn move_node(&mut self, links: &Links, labels: &[usize], node: usize, to: usize) {
        let from = labels[node];
        links.of(node, |j, weight| {
            // Each link is counted from both ends.
            if labels[j] == from {
                self.within[from] -= 2.0 * weight;
            } else if labels[j] == to {
                self.within[to] += 2.0 * weight;
            }
        });
        let degree = links.degrees[node];
        self.volumes[from] -= degree;
        self.volumes[to] += degree;
        let one = if degree > 0.0 { 1.0 } else { 0.0 };
        self.nodes[from] -= one;
        self.nodes[to] += one;
    }

    /// The weight of the links to which ω_0 applies and W times what chance puts there, both from both ends, and the rate ω_q within
    /// every other cluster: those at which the links are the likeliest, if no ω_q is below ω_0. A cluster whose own links would say so
    /// counts with those between clusters, and has no rate of its own (pooling of adjacent violators).
    fn pooled(&self, whole: f64) -> (f64, f64, Vec<Option<f64>>) {
        // A cluster without links has no rate, and one of which only rounding is left may have none.
        let own = |(within, volume): (&f64, &f64)| {
            let rate = within / volume * (whole / volume);
            if rate.is_finite() { rate } else { 0.0 }
        };
        let own: Vec<f64> = self.within.iter().zip(&self.volumes).map(own).collect();
        let mut sparsest: Vec<usize> = (0..own.len()).collect();
        sparsest.sort_by(|&a, &b| own[a].total_cmp(&own[b]));
        let squares: f64 = self.volumes.iter().map(|volume| volume * volume).sum();
        let mut weight = whole - self.within.iter().sum::<f64>();
        let mut chance = whole * whole - squares;
        let mut rates: Vec<_> = own.into_iter().map(Some).collect();
        for q in sparsest {
            if rates[q].is_some_and(|rate| rate < weight / chance * whole) {
                weight += self.within[q];
                chance += self.volumes[q] * self.volumes[q];
                rates[q] = None;
            }
        }
        (weight, chance, rates)
    }

    /// The most likely ω_0 and every ω_q ≥ ω_0. Between clusters there is at least half a link, for a rate must be positive.
    pub(super) fn rates(&self, whole: f64) -> (f64, Vec<f64>) {
        let (weight, chance, own) = self.pooled(whole);
        let between = weight.max(1.0) * whole / chance.max(whole);
        let rate = |own: Option<f64>| match own {
            Some(rate) if rate > between => rate.min(f64::MAX.sqrt()),
            _ => between,
        };
        (between, own.into_iter().map(rate).collect())
    }

    /// The logarithm of how likely the links are at the rates that make them the most likely, up to what is the same for all labels.
    pub(super) fn log_likelihood(&self, whole: f64) -> f64 {
        // Each link was counted from both ends.
        let term = |weight: f64, rate: f64| {
            if weight > 0.0 && rate > 0.0 { 0.5 * weight * rate.ln() } else { 0.0 }
        };
        let (weight, chance, own) = self.pooled(whole);
        let within = self.within.iter().zip(own);
        let own =
            |(&within, rate): (&f64, Option<f64>)| rate.map_or(0.0, |rate| term(within, rate));
        term(weight, weight / chance * whole) + within.map(own).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Csr, Symmetric};
    use proptest::prelude::*;

    use super::*;
    use crate::components;

    proptest! {
        #[test]
        fn rates_are_the_most_likely_ones_of_all_pairs_of_nodes(
            edges in prop::collection::vec((0_u32..10, 0_u32..10), 1..40),
            labels in prop::collection::vec(0_usize..3, 10),
            other in prop::collection::vec(0.1_f64..4.0, 4),
        ) {
            let mut edges: Vec<_> = edges.into_iter().filter(|(i, j)| i > j).map(|(i, j)| (i, j, 2.0)).collect();
            edges.sort_by_key(|edge| (edge.0, edge.1));
            edges.dedup();
            let graph: Symmetric = Csr::from_triangle(10, &edges).unwrap().into();
            let Some(links) = Links::new(&graph, &components(&graph).neighbours) else { return Ok(()) };
            let (whole, degrees) = (links.whole, &links.degrees);
            let of = |labels: &[usize]| Blocks::new(&links, labels, &links.to_own(labels), 3);
            let turned: Vec<usize> = labels.iter().rev().copied().collect();
            let mut moved = of(&turned);
            moved.relabel(&links, &turned, &labels);
            let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
            let there = of(&labels);
            prop_assert!(same(&moved.within, &there.within));
            prop_assert!(same(&moved.volumes, &there.volumes));
            prop_assert!(same(&moved.nodes, &there.nodes));
            let blocks = Blocks::new(&links, &labels, &links.to_own(&labels), 3);
            // Poisson: weight·ln(mean) − mean over all ordered pairs, also of a node with itself, halved.
            let sum = |between: f64, own: &[f64]| -> f64 {
                let pair = |i: usize, j: usize| {
                    let rate = if labels[i] == labels[j] { own[labels[i]] } else { between };
                    let (weight, chance) = (f64::from(u8::from(i != j && graph.get(i, j) > 0.0)), degrees[i] * degrees[j] / whole);
                    (if weight > 0.0 { rate.ln() } else { 0.0 }) - rate * chance
                };
                let pairs = (0..10).flat_map(|i| (0..10).map(move |j| (i, j)));
                0.5 * pairs.map(|(i, j)| pair(i, j)).sum::<f64>()
            };
            let found = blocks.log_likelihood(whole) - 0.5 * whole;
            let (between, own) = blocks.rates(whole);
            // Where there is less than that between clusters, it is taken to be there.
            if blocks.pooled(whole).0 >= 1.0 {
                let there = sum(between, &own);
                prop_assert!((found - there).abs() < 1e-9 * (1.0 + found.abs()), "{found} {there}");
            }
            // No other rates are likelier, if none is below that between clusters.
            let no_likelier = |between: f64, own: &mut dyn Iterator<Item = f64>| {
                found >= sum(between, &own.map(|rate| rate.max(between)).collect::<Vec<_>>()) - 1e-9
            };
            prop_assert!(no_likelier(other[0], &mut other[1..].iter().copied()));
            for factor in [0.9, 1.1] {
                prop_assert!(no_likelier(between * factor, &mut own.iter().copied()));
                for nudged in 0..3 {
                    let rate = |(q, rate): (usize, &f64)| if q == nudged { rate * factor } else { *rate };
                    prop_assert!(no_likelier(between, &mut own.iter().enumerate().map(rate)));
                }
            }
            prop_assert!(own.iter().all(|rate| *rate >= between && rate.is_finite()));
            prop_assert!(between > 0.0 && between.is_finite());
        }
    }
}
