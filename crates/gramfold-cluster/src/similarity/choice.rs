//! The similarity for a graph of which nothing is known but itself.
//!
//! Walks bring out clusters where the neighbours of a node know each other. Where they do not, as in graphs that are
//! nearly random, a few steps lead anywhere, and the edges themselves must have their say. docs/cluster.md has the
//! measurements behind this.

use gramfold_linalg::Symmetric;

use super::{Measure, Similarity, Walks, similar};
use crate::{Diagonal, Error, Normalise, Prepared, rows};

/// Mean local clustering coefficients below this make a graph nearly random.
const CLUSTERED: f64 = 0.05;

/// Nodes whose neighbourhoods are looked at, at most.
const LOOKED_AT: usize = 2000;

impl Similarity {
    /// The default for a graph: walks if it is clustered, the mean of weights and walks if not. Weights if some are
    /// negative, as no walk can use them, or if most pairs have one, as walks have nothing to add then.
    pub fn of(a: &Symmetric) -> Self {
        let present = a.values().filter(|&value| value != 0.0).count();
        if 2 * present > a.dim() * a.dim() || a.values().any(|value| value < 0.0) {
            Self::Weights
        } else if local_clustering(a) < CLUSTERED {
            Self::Mixed(Walks { measure: Measure::Logarithm, ..Walks::default() })
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

/// The mean, over nodes with two neighbours or more, of the share of pairs of neighbours that are joined; of evenly
/// spaced nodes where there are many.
pub fn local_clustering(a: &Symmetric) -> f64 {
    let n = a.dim();
    let mut marked = vec![usize::MAX; n];
    let (mut sum, mut nodes) = (0.0, 0);
    for node in (0..n).step_by(n.div_ceil(LOOKED_AT).max(1)) {
        let mut neighbours = Vec::new();
        rows::for_each(a, node, |j, _| {
            if j != node {
                neighbours.push(j);
                marked[j] = node;
            }
        });
        let degree = neighbours.len() as f64;
        if neighbours.len() < 2 {
            continue;
        }
        let mut joined = 0;
        for neighbour in neighbours {
            rows::for_each(a, neighbour, |j, _| {
                joined += usize::from(marked[j] == node && j != neighbour);
            });
        }
        sum += joined as f64 / (degree * (degree - 1.0));
        nodes += 1;
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
    fn the_coefficient_of_a_triangle_with_a_tail() {
        let tail = [(0, 1, 2.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 5.0), (1, 1, 1.0)];
        // Nodes 0 and 1: their one pair is joined; node 2: one pair of three; node 3 has one neighbour.
        let expected = (1.0 + 1.0 + 1.0 / 3.0) / 3.0;
        assert!((local_clustering(&graph(5, &tail)) - expected).abs() < 1e-15);
        assert_eq!(local_clustering(&graph(3, &[(0, 1, 1.0)])), 0.0);
    }

    #[test]
    fn walks_that_say_nothing_leave_it_to_the_weights() {
        // On two nodes with loops of the size of their edge a walk is at either as often as by chance.
        for weight in [0.49, 1e-200, 1e200] {
            let pair = graph(2, &[(0, 1, weight)]);
            let refused =
                similar(&pair, Similarity::of(&pair), Normalise::None, Diagonal::Degree, 0);
            assert!(refused.is_err() || weight != 0.49);
            let chosen = similar_or_default(&pair, None, None, Diagonal::Degree, 0).unwrap();
            assert_eq!(chosen.similarity, Similarity::Weights);
            assert_eq!(chosen.normalise, Normalise::Regularised);
            let walks = Some(Similarity::Walks(Walks::default()));
            assert!(similar_or_default(&pair, walks, None, Diagonal::Degree, 0).is_err());
        }
    }

    #[test]
    fn the_choice_follows_the_graph() {
        let ring: Vec<_> = (0..20_u32).map(|i| (i, (i + 1) % 20, 1.0)).collect();
        assert!(matches!(Similarity::of(&graph(20, &ring)), Similarity::Mixed(_)));
        let chords = (0..20_u32).map(|i| (i, (i + 2) % 20, 1.0));
        let band: Vec<_> = ring.iter().copied().chain(chords).collect();
        assert!(matches!(Similarity::of(&graph(20, &band)), Similarity::Walks(_)));
        let complete: Vec<_> = (0..5).flat_map(|i| (0..i).map(move |j| (i, j, 1.0))).collect();
        assert_eq!(Similarity::of(&graph(5, &complete)), Similarity::Weights);
        let signed = graph(9, &[(0, 1, 1.0), (1, 2, -1.0), (0, 2, 1.0)]);
        assert_eq!(Similarity::of(&signed), Similarity::Weights);
    }
}
