//! The similarity for a graph of which nothing is known but itself.
//!
//! Walks bring out clusters where nodes have few or many neighbours, as they do in graphs that grew, and those know each
//! other. Where they do not, as in graphs that are nearly random, a few steps lead anywhere; and where all have about as many,
//! as in graphs of nearest neighbours, the weights say it as well at a tenth of the price. docs/cluster.md has the measurements
//! behind this.

use gramfold_linalg::Symmetric;

use super::{Similarity, Walks, similar};
use crate::{Diagonal, Error, Normalise, Prepared, rows};

/// Mean local clustering coefficients below this make a graph nearly random.
const CLUSTERED: f64 = 0.05;

/// Standard deviations of the number of neighbours below this share of its mean make a graph even.
const EVEN: f64 = 0.4;

/// Stored weights from which on walks cost more than they are worth: ten for each of them are needed.
const LARGE: usize = 2_000_000;

/// Nodes whose neighbourhoods are looked at, at most.
const LOOKED_AT: usize = 2000;

impl Similarity {
    /// The default for a graph: walks if it is clustered and uneven, else the weights; these also if some are negative, as
    /// no walk can use them, if most pairs have one, as walks have nothing to add then, or if there are very many.
    pub fn of(a: &Symmetric) -> Self {
        let present = a.values().filter(|&value| value != 0.0).count();
        let refused = 2 * present > a.dim() * a.dim() || a.values().any(|value| value < 0.0);
        if refused
            || present > LARGE
            || is_even(neighbours(a))
            || clustering(a, CLUSTERED) < CLUSTERED
        {
            Self::Weights
        } else {
            Self::Walks(Walks::default())
        }
    }

    /// How it is best normalised: walks compare with chance already.
    pub fn normalise(self) -> Normalise {
        match self {
            Self::Walks(_) => Normalise::None,
            Self::Weights | Self::Mixed(_) => Normalise::Regularised,
        }
    }
}

/// What is to be factorised where no similarity was asked for, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// What is factorised.
    pub similarity: Similarity,
    /// How it is normalised.
    pub normalise: Normalise,
    /// The matrix.
    pub prepared: Prepared,
}

/// [`similar`] with what was asked for, and defaults for the rest. The default similarity is [`Similarity::of`] the graph;
/// where its walks meet nowhere more often than by chance, or leave the range of numbers, it is the weights.
pub fn similar_or_default(
    a: &Symmetric,
    similarity: Option<Similarity>,
    normalise: Option<Normalise>,
    diagonal: Diagonal,
    seed: u64,
) -> Result<Chosen, Error> {
    let with = |similarity: Similarity| {
        let normalise = normalise.unwrap_or(similarity.normalise());
        let prepared = similar(a, similarity, normalise, diagonal, seed)?;
        Ok(Chosen { similarity, normalise, prepared })
    };
    match similarity {
        Some(similarity) => with(similarity),
        None => with(Similarity::of(a)).or_else(|_| with(Similarity::Weights)),
    }
}

/// Whether all nodes have about as many neighbours, as in graphs of nearest neighbours.
pub(crate) fn is_even(neighbours: impl Iterator<Item = usize>) -> bool {
    unevenness(neighbours) < EVEN
}

/// How many neighbours each node has.
fn neighbours(a: &Symmetric) -> impl Iterator<Item = usize> {
    (0..a.dim()).map(|node| {
        let mut neighbours = 0;
        rows::for_each(a, node, |j, _| neighbours += usize::from(j != node));
        neighbours
    })
}

/// The standard deviation of the number of neighbours over its mean; nodes without any do not count.
fn unevenness(neighbours: impl Iterator<Item = usize>) -> f64 {
    let (mut nodes, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for neighbours in neighbours.filter(|&count| count > 0) {
        let neighbours = neighbours as f64;
        nodes += 1.0;
        sum += neighbours;
        squares += neighbours * neighbours;
    }
    let mean: f64 = sum / nodes;
    if nodes == 0.0 { 0.0 } else { (squares / nodes - mean * mean).max(0.0).sqrt() / mean }
}

/// The mean, over nodes with two neighbours or more, of the share of pairs of neighbours that are joined; of evenly
/// spaced nodes where there are many.
pub fn local_clustering(a: &Symmetric) -> f64 {
    clustering(a, f64::INFINITY)
}

/// [`local_clustering`], or something above `enough` as soon as it must be.
fn clustering(a: &Symmetric, enough: f64) -> f64 {
    let n = a.dim();
    let step = n.div_ceil(LOOKED_AT).max(1);
    let looked_at = n.div_ceil(step) as f64;
    // One for the neighbours of the node that is looked at: of bytes, so that they stay near.
    let mut marked = vec![0_u8; n];
    let (mut sum, mut nodes) = (0.0, 0);
    let mut neighbours = Vec::new();
    for node in (0..n).step_by(step) {
        neighbours.clear();
        rows::for_each(a, node, |j, _| neighbours.push(j));
        neighbours.retain(|&j| j != node);
        if neighbours.len() < 2 {
            continue;
        }
        for &neighbour in &neighbours {
            marked[neighbour] = 1;
        }
        let mut joined = 0;
        for &neighbour in &neighbours {
            // Each pair is counted once, and none is left marked.
            marked[neighbour] = 0;
            rows::for_each(a, neighbour, |j, _| joined += u64::from(marked[j]));
        }
        let degree = neighbours.len() as f64;
        sum += (2 * joined) as f64 / (degree * (degree - 1.0));
        nodes += 1;
        if sum > enough * looked_at {
            return sum / looked_at;
        }
    }
    if nodes == 0 { 0.0 } else { sum / f64::from(nodes) }
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;

    use super::*;

    fn graph(n: usize, edges: &[(u32, u32, f64)]) -> Symmetric {
        Csr::from_triangle(n, edges).unwrap().into()
    }

    #[test]
    fn the_unevenness_of_a_triangle_with_a_tail_and_a_node_alone() {
        let tail = graph(5, &[(0, 1, 2.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 5.0), (1, 1, 1.0)]);
        // Two, two, three and one neighbours: a mean of two and a variance of one half.
        assert!((unevenness(neighbours(&tail)) - 0.125_f64.sqrt()).abs() < 1e-15);
        assert_eq!(unevenness(neighbours(&graph(3, &[]))), 0.0);
    }

    #[test]
    fn the_coefficient_of_a_triangle_with_a_tail() {
        let tail = [(0, 1, 2.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 5.0), (1, 1, 1.0)];
        // Nodes 0 and 1: their one pair is joined; node 2: one pair of three; node 3 has one neighbour.
        let expected = (1.0 + 1.0 + 1.0 / 3.0) / 3.0;
        assert!((local_clustering(&graph(5, &tail)) - expected).abs() < 1e-15);
        assert_eq!(local_clustering(&graph(3, &[(0, 1, 1.0)])), 0.0);
        // No more than the first node of five is looked at.
        assert_eq!(clustering(&graph(5, &tail), 0.15), 1.0 / 5.0);
        assert_eq!(clustering(&graph(5, &tail), 0.5), expected);
    }

    #[test]
    fn walks_that_say_nothing_leave_it_to_the_weights() {
        // The degrees have no inverses among the numbers.
        let star = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 2)];
        let star = graph(6, &star.map(|(i, j)| (i, j, 5e-324)));
        let walks = Similarity::of(&star);
        assert!(matches!(walks, Similarity::Walks(_)));
        assert!(similar_or_default(&star, Some(walks), None, Diagonal::Keep, 0).is_err());
        let chosen = similar_or_default(&star, None, None, Diagonal::Keep, 0).unwrap();
        assert_eq!(chosen.similarity, Similarity::Weights);
        assert_eq!(chosen.normalise, Normalise::Regularised);
    }

    #[test]
    fn the_choice_follows_the_graph() {
        let ring: Vec<_> = (0..20_u32).map(|i| (i, (i + 1) % 20, 1.0)).collect();
        let with = |more: &[(u32, u32, f64)]| graph(21, &[&ring, more].concat());
        let every =
            |step: usize| (0..20_u32).step_by(step).map(|i| (20, i, 1.0)).collect::<Vec<_>>();
        // Uneven without a triangle, even with them, and both.
        let (open, wheel) = (with(&every(2)), with(&every(1)));
        assert!(unevenness(neighbours(&open)) > EVEN && local_clustering(&open) == 0.0);
        assert_eq!(Similarity::of(&open), Similarity::Weights);
        let chords: Vec<_> = (0..20_u32).map(|i| (i, (i + 2) % 20, 1.0)).collect();
        assert_eq!(Similarity::of(&with(&chords)), Similarity::Weights);
        assert!(matches!(Similarity::of(&wheel), Similarity::Walks(_)));
        let complete: Vec<_> = (0..5).flat_map(|i| (0..i).map(move |j| (i, j, 1.0))).collect();
        assert_eq!(Similarity::of(&graph(5, &complete)), Similarity::Weights);
        let signed = graph(9, &[(0, 1, 1.0), (1, 2, -1.0), (0, 2, 1.0)]);
        assert_eq!(Similarity::of(&signed), Similarity::Weights);
    }
}
