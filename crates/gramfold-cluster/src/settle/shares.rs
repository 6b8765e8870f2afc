//! How likely each node is of each cluster, given the links.
//!
//! With the rates ω of [`Blocks`] and π_q the share of the nodes that are of cluster q, node i is of cluster q with probability
//!
//! ```text
//! p_iq ∝ π_q·exp(ln(ω_q/ω_0)·Σ_j w_ij·p_jq − (ω_q − ω_0)·d_i·Σ_{j≠i} d_j·p_jq/W)
//! ```
//!
//! if the other nodes are where their p says: the mean-field form of Bayes' rule. Rates, π and probabilities are found in turns, beginning at
//! labels (variational expectation and maximisation). So nodes in doubt draw others in parts, and how much a large cluster must be
//! preferred before a node joins it is estimated, and not chosen.

use gramfold_linalg::Mat;

use super::{blocks::Blocks, links::Links};
use crate::membership::sizes;

/// Probabilities of a node that change by less than this, summed over clusters, hardly change; rounds end where they do in the mean.
const CHANGE: f64 = 0.01;

/// Rounds at most, and links times clusters that all of them may look at: half a minute on huge graphs.
const ROUNDS: usize = 50;
const WORK: usize = 1 << 33;

/// A cluster whose logarithm is so far below that of the likeliest has probability zero.
const FAR: f64 = 12.0;

/// By this share of all links two logarithms must differ to tell more than rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// The likeliest cluster of every node, beginning at labels, and the logarithm of how likely links are under the clusters; the labels
/// themselves where links are no likelier under others. Nodes without links stay, and of each cluster the node with the most links
/// into it, so that none is emptied on the way. Where that node is left alone and links are likelier with it elsewhere, the cluster
/// is left empty.
pub(super) fn likeliest(links: &Links, labels: Vec<usize>, k: usize) -> (Vec<usize>, f64) {
    let mut shares = Shares::new(links, &labels, k);
    let mut blocks = shares.blocks.clone();
    let before = blocks.log_likelihood(links.whole);
    shares.settle();
    let mut found = shares.labels();
    blocks.relabel(links, &labels, &found);
    let mut likely = blocks.log_likelihood(links.whole);
    let rounding = ROUNDING * links.whole;
    for (node, to) in shares.alone(&found) {
        let mut moved = blocks.clone();
        moved.move_node(links, &found, node, to);
        let likelier = moved.log_likelihood(links.whole);
        if likelier > likely + rounding {
            found[node] = to;
            (blocks, likely) = (moved, likelier);
        }
    }
    if likely > before + rounding { (found, likely) } else { (labels, before) }
}

/// No cluster.
const NONE: u32 = u32::MAX;

struct Shares<'a> {
    links: &'a Links<'a>,
    /// p, a row a node.
    of: Mat,
    /// The cluster of nodes that are of one for certain; [`NONE`] for others.
    only: Vec<u32>,
    /// Whether a node keeps its label.
    stays: Vec<bool>,
    /// Of each cluster the node that does, so that the cluster is not emptied.
    last: Vec<Option<usize>>,
    /// Whether a node that is linked to it changed since it was looked at.
    waits: Vec<bool>,
    /// Sums over `of`, kept as it changes.
    blocks: Blocks,
    /// Clusters that have nodes with links.
    there: Vec<bool>,
    /// Of one node: the weight of its links into each cluster, and what follows for its probabilities.
    into: Vec<f64>,
    new: Vec<f64>,
}

/// What draws a node to a cluster: ln π, and what is multiplied by the weight of its links there and by its degree.
struct Pull {
    size: f64,
    links: f64,
    degree: f64,
}

impl<'a> Shares<'a> {
    fn new(links: &'a Links<'a>, labels: &[usize], k: usize) -> Self {
        let of = Mat::from_fn(labels.len(), k, |i, q| if labels[i] == q { 1.0 } else { 0.0 });
        let to_own = links.to_own(labels);
        let blocks = Blocks::new(links, labels, &to_own, k);
        let mut most = vec![(-1.0, None); k];
        for (i, (&label, own)) in labels.iter().zip(to_own).enumerate() {
            if links.degrees[i] > 0.0 && own > most[label].0 {
                most[label] = (own, Some(i));
            }
        }
        let last: Vec<Option<usize>> = most.into_iter().map(|(_, node)| node).collect();
        let mut stays: Vec<bool> = links.degrees.iter().map(|&degree| degree == 0.0).collect();
        last.iter().flatten().for_each(|&node| stays[node] = true);
        let waits = vec![true; labels.len()];
        let there = blocks.nodes.iter().map(|&nodes| nodes > 0.0).collect();
        let only = labels.iter().map(|&label| label as u32).collect();
        Self {
            links,
            of,
            only,
            stays,
            last,
            waits,
            blocks,
            there,
            into: vec![0.0; k],
            new: vec![0.0; k],
        }
    }

    /// Rounds until probabilities hardly change.
    fn settle(&mut self) {
        let enough = CHANGE * self.links.nodes() as f64;
        let most = WORK / (self.links.stored() * self.there.len());
        for _ in 0..most.clamp(2, ROUNDS) {
            if self.round() < enough {
                break;
            }
        }
    }

    /// Rates, then the probabilities of every node in turn; how much these changed. A node that is of one cluster for certain is
    /// not looked at while those linked to it hardly change.
    fn round(&mut self) -> f64 {
        let pulls = self.pulls();
        let mut changes = 0.0;
        for i in 0..self.stays.len() {
            let looked_at = self.only[i] == NONE || std::mem::take(&mut self.waits[i]);
            if self.stays[i] || !looked_at {
                continue;
            }
            let change = self.node(i, &pulls);
            if change > CHANGE {
                self.links.of(i, |j, _| self.waits[j] = true);
            }
            changes += change;
        }
        changes
    }

    fn pulls(&self) -> Vec<Pull> {
        let whole = self.links.whole;
        let (between, own) = self.blocks.rates(whole);
        // Each cluster is taken to have a node more, so that π is never zero.
        let there = self.there.iter().filter(|&&there| there).count();
        let nodes = self.blocks.nodes.iter().sum::<f64>() + there as f64;
        let pull = |(&own, &count): (&f64, &f64)| Pull {
            size: ((count + 1.0) / nodes).ln(),
            links: (own / between).ln(),
            degree: (own - between) / whole,
        };
        own.iter().zip(&self.blocks.nodes).map(pull).collect()
    }

    /// New probabilities of a node; how much they changed.
    fn node(&mut self, i: usize, pulls: &[Pull]) -> f64 {
        let Self { links, of, only, blocks, there, into, new, .. } = self;
        match into.len() {
            2 => add_links::<2>(links, i, of, into),
            3 => add_links::<3>(links, i, of, into),
            4 => add_links::<4>(links, i, of, into),
            _ => {
                into.fill(0.0);
                links.of(i, |j, weight| match only[j] {
                    NONE => {
                        into.iter_mut().zip(of.row(j)).for_each(|(into, p)| *into += weight * p);
                    }
                    q => into[q as usize] += weight,
                });
            }
        }
        let (degree, old) = (links.degrees[i], of.row_mut(i));
        let mut most = f64::NEG_INFINITY;
        for (q, pull) in pulls.iter().enumerate() {
            let others = blocks.volumes[q] - degree * old[q];
            let log = pull.size + pull.links * into[q] - pull.degree * degree * others;
            new[q] = if there[q] { log } else { f64::NEG_INFINITY };
            most = most.max(new[q]);
        }
        let mut sum = 0.0;
        for p in new.iter_mut() {
            *p = match *p - most {
                0.0 => 1.0,
                less if less < -FAR => 0.0,
                less => less.exp(),
            };
            sum += *p;
        }
        let mut change = 0.0;
        for (q, (p, old)) in new.iter().zip(old).enumerate() {
            let p = p / sum;
            let step = p - *old;
            if step != 0.0 {
                // Links within are counted from both ends.
                blocks.within[q] += 2.0 * step * into[q];
                blocks.volumes[q] += step * degree;
                blocks.nodes[q] += step;
                *old = p;
                change += step.abs();
            }
        }
        // The exponential of the likeliest is one.
        let certain = if sum == 1.0 { new.iter().position(|&p| p == 1.0) } else { None };
        only[i] = certain.map_or(NONE, |q| q as u32);
        change
    }

    /// Nodes that are alone in their cluster, and the likeliest of the others.
    fn alone(&mut self, labels: &[usize]) -> Vec<(usize, usize)> {
        let k = self.there.len();
        let (sizes, pulls) = (sizes(labels, k), self.pulls());
        let several = self.there.iter().filter(|&&there| there).count() > 1;
        let mut alone = Vec::new();
        for q in (0..k).filter(|&q| several && sizes[q] == 1) {
            if let Some(node) = self.last[q] {
                self.there[q] = false;
                self.node(node, &pulls);
                self.there[q] = true;
                alone.push((node, likeliest_of(self.of.row(node))));
            }
        }
        alone
    }

    /// The likeliest clusters.
    fn labels(&self) -> Vec<usize> {
        (0..self.of.rows()).map(|i| likeliest_of(self.of.row(i))).collect()
    }
}

/// The largest of probabilities, the first among equals.
fn likeliest_of(row: &[f64]) -> usize {
    (1..row.len()).fold(0, |best, q| if row[q] > row[best] { q } else { best })
}

/// into ← the weight of a node's links into each of K clusters: so few that it costs less to add all than to ask for those in doubt.
fn add_links<const K: usize>(links: &Links<'_>, i: usize, of: &Mat, into: &mut [f64]) {
    let rows = of.as_slice().as_chunks::<K>().0;
    let mut sums = [0.0; K];
    links.of(i, |j, weight| sums.iter_mut().zip(&rows[j]).for_each(|(sum, p)| *sum += weight * p));
    into.copy_from_slice(&sums);
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::{Csr, Symmetric};
    use proptest::prelude::*;

    use super::*;
    use crate::components;

    proptest! {
        #[test]
        fn a_round_follows_the_formula_and_keeps_its_sums(
            edges in prop::collection::vec((0_u32..9, 0_u32..9, 1_u8..4), 4..40),
            labels in prop::collection::vec(0_usize..6, 9),
            k in prop::sample::select(vec![2, 3, 4, 6]),
            rounds in 0_usize..3,
        ) {
            let labels: Vec<usize> = labels.into_iter().map(|label| label % k).collect();
            let mut edges: Vec<_> = edges.into_iter().filter(|(i, j, _)| i > j).collect();
            edges.sort_unstable();
            edges.dedup_by_key(|edge| (edge.0, edge.1));
            let edges: Vec<_> = edges.into_iter().map(|(i, j, w)| (i, j, f64::from(w))).collect();
            let graph: Symmetric = Csr::from_triangle(9, &edges).unwrap().into();
            let Some(links) = Links::new(&graph, &components(&graph).neighbours) else { return Ok(()) };
            let mut shares = Shares::new(&links, &labels, k);
            for _ in 0..rounds {
                shares.round();
            }
            let (whole, degrees) = (links.whole, &links.degrees);
            let weight = |i: usize, j: usize| {
                let mut found = 0.0;
                links.of(i, |to, weight| found += if to == j { weight } else { 0.0 });
                found
            };
            let p = |shares: &Shares, i: usize, q: usize| shares.of.row(i)[q];
            // The sums that are kept, from all pairs of nodes.
            let sums = |shares: &Shares, q: usize| {
                let within = (0..9).flat_map(|i| (0..9).map(move |j| (i, j)));
                let within: f64 = within.map(|(i, j)| weight(i, j) * p(shares, i, q) * p(shares, j, q)).sum();
                let volume: f64 = (0..9).map(|i| degrees[i] * p(shares, i, q)).sum();
                let nodes: f64 = (0..9).filter(|&i| degrees[i] > 0.0).map(|i| p(shares, i, q)).sum();
                [within, volume, nodes]
            };
            // One node by the formula, where it is free to move.
            let free = (0..9).find(|&i| !shares.stays[i]);
            if let Some(i) = free {
                let (between, own) = shares.blocks.rates(whole);
                let there: Vec<usize> = (0..k).filter(|&q| shares.there[q]).collect();
                let linked = degrees.iter().filter(|&&degree| degree > 0.0).count();
                let chance = |q: usize| {
                    let [_, _, nodes] = sums(&shares, q);
                    let drawn: f64 = (0..9).map(|j| weight(i, j) * p(&shares, j, q)).sum();
                    let others: f64 = (0..9).filter(|&j| j != i).map(|j| degrees[j] * p(&shares, j, q)).sum();
                    let pi = (nodes + 1.0) / (linked + there.len()) as f64;
                    pi * (own[q] / between).powf(drawn) * (-(own[q] - between) * degrees[i] * others / whole).exp()
                };
                let chances: Vec<f64> = there.iter().map(|&q| chance(q)).collect();
                let pulls = shares.pulls();
                let before = shares.of.row(i).to_vec();
                let change = shares.node(i, &pulls);
                for (&q, chance) in there.iter().zip(&chances) {
                    let expected = chance / chances.iter().sum::<f64>();
                    prop_assert!((p(&shares, i, q) - expected).abs() < 1e-4, "{} {expected}", p(&shares, i, q));
                }
                let steps: f64 = before.iter().zip(shares.of.row(i)).map(|(a, b)| (a - b).abs()).sum();
                prop_assert!((change - steps).abs() < 1e-12);
            }
            for q in 0..k {
                let kept = [shares.blocks.within[q], shares.blocks.volumes[q], shares.blocks.nodes[q]];
                for (kept, sum) in kept.into_iter().zip(sums(&shares, q)) {
                    prop_assert!((kept - sum).abs() < 1e-9, "{kept} {sum}");
                }
            }
            for i in 0..9 {
                prop_assert!((shares.of.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-9);
                let only = shares.only[i];
                prop_assert!(only == NONE || p(&shares, i, only as usize) == 1.0);
            }
        }
    }
}
