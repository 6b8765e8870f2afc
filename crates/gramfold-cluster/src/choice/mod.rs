//! A number of clusters from what a graph shows by itself.
//!
//! Three witnesses are heard, each of whom is often right where another is wrong: the eigenvalues of the weights, those of the walks,
//! and the modularity of the labels that were found for every k. The k is chosen that most of them speak for, up to a tenth. All of
//! them would cut long clusters, so that where a tree of the links clearly falls apart into some number of parts, and not into what they agree on,
//! that number is chosen. docs/cluster.md has the table behind this.

mod modularity;
mod separation;
mod spectrum;

use gramfold_linalg::Symmetric;

use crate::{Diagonal, Measure, Normalise, Prepared, Similarity, Walks, similar};
use separation::Parts;

pub use modularity::modularity;
pub use separation::separations;
pub use spectrum::leading_eigenvalues;

/// What is known of each k.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The numbers of clusters that were tried.
    pub k: Vec<usize>,
    /// The modularity of the labels for each; none where too many clusters are empty.
    pub modularity: Vec<Option<f64>>,
    /// Leading eigenvalues of the weights, normalised: [`spectra`].
    pub weights: Vec<f64>,
    /// Leading eigenvalues of the walks, normalised.
    pub walks: Vec<f64>,
    /// How clearly a tree of the links falls apart into each number of clusters: [`separations`].
    pub separation: Vec<Option<f64>>,
}

/// A number of clusters, and who spoke for which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The number chosen.
    pub k: usize,
    /// By the sharpest gap among the eigenvalues of the weights.
    pub by_weights: Option<usize>,
    /// By the largest gap among those of the walks.
    pub by_walks: Option<usize>,
    /// By the largest modularity.
    pub by_modularity: Option<usize>,
    /// By parts that barely touch, where that is not what was agreed on.
    pub by_parts: Option<usize>,
}

impl Evidence {
    /// The number of clusters, from 2 on, that most of the evidence speaks for; none without any.
    ///
    /// ```
    /// use gramfold_cluster::Evidence;
    ///
    /// let evidence = Evidence {
    ///     k: vec![2, 3, 4],
    ///     modularity: vec![Some(0.3), Some(0.5), Some(0.4)],
    ///     weights: vec![1.0, 0.9, 0.85, 0.3, 0.29, 0.28, 0.26, 0.25, 0.24, 0.23],
    ///     ..Evidence::default()
    /// };
    /// assert_eq!(evidence.choose().map(|choice| choice.k), Some(3));
    /// ```
    pub fn choose(&self) -> Option<Choice> {
        let tried = || {
            let pairs = self.k.iter().copied().zip(&self.modularity);
            pairs.filter_map(|(k, value)| Some((k, (*value)?))).filter(|(k, _)| *k > 1)
        };
        let by_weights = best(tried().filter_map(|(k, _)| Some((k, sharpness(&self.weights, k)?))));
        let by_walks = best(tried().filter_map(|(k, _)| Some((k, gap(&self.walks, k)?))));
        let by_modularity = best(tried());
        let votes: Vec<usize> =
            [by_weights, by_walks, by_modularity].into_iter().flatten().collect();
        let support = |k: usize| {
            let near = votes.iter().filter(|vote| is_near(**vote, k)).count();
            (near, votes.iter().filter(|vote| **vote == k).count())
        };
        // The first among equals, where `max_by_key` would take the last.
        let voted = votes.iter().copied().rev().max_by_key(|k| support(*k))?;
        let agreed = votes.len() < 2 || support(voted).0 > 1;
        let separation = self.k.iter().copied().zip(self.separation.iter().copied());
        let parts =
            Parts::of(tried().filter_map(|(k, _)| {
                Some((k, separation.clone().find(|(other, _)| *other == k)?.1?))
            }));
        let by_parts = parts.count(agreed.then_some(voted));
        Some(Choice { k: by_parts.unwrap_or(voted), by_weights, by_walks, by_modularity, by_parts })
    }
}

impl Choice {
    /// The reason in words.
    pub fn reason(&self) -> String {
        let said = [
            (self.by_weights, "the sharpest gap of the eigenvalues of the weights"),
            (self.by_walks, "the largest gap of the eigenvalues of the walks"),
            (self.by_modularity, "the largest modularity"),
        ];
        let said: Vec<(usize, &str)> =
            said.into_iter().filter_map(|(k, who)| Some((k?, who))).collect();
        let near = said.iter().filter(|(k, _)| is_near(*k, self.k)).count();
        let why = match (self.by_parts, said.len()) {
            (Some(k), _) => {
                format!("the links clearly fall apart into {k} parts, which counts for more than: ")
            }
            (None, 0 | 1) => String::new(),
            (None, all) if near == all => "all agree, up to a tenth: ".to_owned(),
            (None, _) if near > 1 => "most agree, up to a tenth: ".to_owned(),
            (None, _) => "no two agree, so that the first counts: ".to_owned(),
        };
        let at: Vec<String> = said.iter().map(|(k, who)| format!("{who} is at {k}")).collect();
        why + &at.join(", ")
    }
}

/// Whether two numbers of clusters are the same up to a tenth.
fn is_near(a: usize, b: usize) -> bool {
    10 * a.abs_diff(b) <= a.max(b)
}

/// The k of the largest value, the first among equals.
fn best(values: impl Iterator<Item = (usize, f64)>) -> Option<usize> {
    let larger = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
    values.filter(|(_, value)| !value.is_nan()).reduce(larger).map(|(k, _)| k)
}

/// λ_k − λ_{k+1}.
fn gap(values: &[f64], k: usize) -> Option<f64> {
    Some(values.get(k - 1)? - values.get(k)?)
}

/// Eigenvalues after a gap that it is compared with.
const AFTER: usize = 5;

/// The gap at k over the mean of those that follow: a spectrum that is dense from there on is what chance leaves.
fn sharpness(values: &[f64], k: usize) -> Option<f64> {
    let after = (values.get(k)? - values.get(k + AFTER)?) / AFTER as f64;
    Some(gap(values, k)? / (after + 1e-9 * values[0].abs()))
}

/// The eigenvalues of a graph's weights and of its walks that a choice among up to `most` clusters rests on; none of walks where
/// there are none.
pub fn spectra(
    graph: &Symmetric,
    diagonal: Diagonal,
    most: usize,
    seed: u64,
) -> (Vec<f64>, Vec<f64>) {
    let count = most + AFTER + 1;
    let of = |similarity: Similarity, normalise: Normalise| {
        let prepared: Prepared = similar(graph, similarity, normalise, diagonal, seed).ok()?;
        leading_eigenvalues(&prepared.matrix, count)
    };
    // Negative weights cannot be normalised.
    let weights = of(Similarity::Weights, Normalise::Regularised)
        .or_else(|| of(Similarity::Weights, Normalise::None));
    let walks = Walks { measure: Measure::Logarithm, ..Walks::default() };
    let walks = of(Similarity::Walks(walks), Normalise::Regularised);
    (weights.unwrap_or_default(), walks.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Csr;

    use super::*;

    /// Cliques of `size`, in a ring.
    fn cliques(count: usize, size: usize) -> (Symmetric, Vec<usize>) {
        let mut entries = Vec::new();
        for clique in 0..count {
            let first = clique * size;
            for i in first..first + size {
                entries.extend((first..i).map(|j| (i as u32, j as u32, 1.0)));
            }
            let (a, b) = (first as u32, (first + size) as u32 % (count * size) as u32);
            entries.push((a.max(b), a.min(b), 1.0));
        }
        let labels = (0..count * size).map(|i| i / size).collect();
        (Csr::from_triangle(count * size, &entries).unwrap().into(), labels)
    }

    #[test]
    fn planted_cliques_are_counted() {
        for count in [3, 5, 9] {
            let (graph, labels) = cliques(count, 8);
            let (weights, walks) = spectra(&graph, Diagonal::Keep, 12, 1);
            let k: Vec<usize> = (2..=12).collect();
            let separation = separations(&graph, &k);
            // Merged or cut labels for the other k.
            let of = |k: usize| {
                let cut = |(i, c): (usize, &usize)| {
                    if k <= count {
                        (*c).min(k - 1)
                    } else if i % 8 == 0 {
                        c % (k - count) + count
                    } else {
                        *c
                    }
                };
                let labels: Vec<usize> = labels.iter().enumerate().map(cut).collect();
                Some(modularity(&graph, &labels))
            };
            let modularity = k.iter().map(|k| of(*k)).collect();
            let choice = Evidence { k, modularity, weights, walks, separation }.choose().unwrap();
            assert_eq!(choice.k, count, "{choice:?}");
            assert_eq!(choice.by_modularity, Some(count));
            assert!(choice.reason().contains(&format!("modularity is at {count}")));
        }
    }

    #[test]
    fn two_that_agree_outvote_one_and_else_the_weights_decide() {
        let falls = |at: usize| {
            (0..40).map(|i| if i < at { 1.0 } else { 0.1 } - 1e-3 * f64::from(i as u32)).collect()
        };
        let at = |weights: usize, walks: usize, modular: usize| {
            let k: Vec<usize> = (2..=30).collect();
            let modularity = k.iter().map(|k| Some(-(k.abs_diff(modular) as f64))).collect();
            let (weights, walks) = (falls(weights), falls(walks));
            let evidence = Evidence { k, modularity, weights, walks, ..Evidence::default() };
            let choice = evidence.choose().unwrap();
            let reason = choice.reason();
            (choice.k, reason.split(':').next().unwrap().to_owned())
        };
        assert_eq!(at(5, 8, 8), (8, "most agree, up to a tenth".into()));
        let first = "no two agree, so that the first counts";
        assert_eq!(at(5, 8, 12), (5, first.into()));
        assert_eq!(at(5, 20, 21), (20, "most agree, up to a tenth".into()));
        assert_eq!(at(20, 21, 21), (21, "all agree, up to a tenth".into()));
    }

    #[test]
    fn parts_that_barely_touch_are_counted_before_what_others_agree_on() {
        let falls = |at: usize| (0..40).map(|i| f64::from(i < at)).collect::<Vec<f64>>();
        let with = |separation: &[(usize, f64)]| {
            let k: Vec<usize> = (2..=30).collect();
            let of = |k: &usize| separation.iter().find(|(other, _)| other == k).map(|s| s.1);
            let separation = k.iter().map(of).collect();
            let modularity = k.iter().map(|k| Some(-(k.abs_diff(12) as f64))).collect();
            let (weights, walks) = (falls(18), falls(18));
            Evidence { k, modularity, weights, walks, separation }.choose().unwrap()
        };
        let choice = with(&[(2, 5.0), (3, 1.2), (18, 1.1)]);
        assert_eq!((choice.k, choice.by_parts), (2, Some(2)));
        let reason = choice.reason();
        assert!(
            reason.starts_with("the links clearly fall apart into 2 parts, which counts for more")
        );
        // Not clearly, or not more clearly than into another number, or also into what was agreed on.
        for other in [&[(2, 2.5), (3, 1.2)][..], &[(2, 5.0), (3, 4.5)], &[(2, 5.0), (18, 2.1)]] {
            assert_eq!((with(other).k, with(other).by_parts), (18, None), "{other:?}");
        }
        // Parts that do not touch at all count where nothing else is clear.
        assert_eq!(with(&[(2, 1e6), (5, 1.4)]).k, 2);
        assert_eq!(with(&[(2, 1e6), (5, 8.0)]).k, 5);
    }

    #[test]
    fn what_was_not_tried_or_leaves_a_cluster_empty_is_not_chosen() {
        assert_eq!(Evidence::default().choose(), None);
        let evidence = Evidence {
            k: vec![1, 2, 3],
            modularity: vec![Some(0.0), Some(0.1), None],
            weights: vec![1.0, 0.9, 0.8, 0.1],
            walks: vec![1.0, 0.9, 0.6, 0.1],
            separation: vec![None, Some(1.0), Some(9.0)],
        };
        let choice = evidence.choose().unwrap();
        assert_eq!((choice.k, choice.by_weights, choice.by_walks), (2, None, Some(2)));
    }
}
