//! A clustering against the truth.

use crate::{Contingency, Error};

/// How well a clustering recovers known classes; 1 is perfect for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The share of nodes in the right class, over all one-to-one matchings of clusters to classes.
    pub accuracy: f64,
    /// Mutual information over the mean of the two entropies.
    pub nmi: f64,
    /// The adjusted Rand index.
    pub ari: f64,
    /// Nodes whose class is known: only those count.
    pub labelled: usize,
}

/// Scores `labels` against `truth`, in which a negative class means unknown.
///
/// ```
/// use gramfold_cluster::score;
///
/// let score = score(&[0, 0, 1, 1, -1], &[1, 1, 0, 0, 0])?;
/// assert_eq!((score.accuracy, score.labelled), (1.0, 4));
/// # Ok::<(), gramfold_cluster::Error>(())
/// ```
pub fn score(truth: &[i64], labels: &[usize]) -> Result<Score, Error> {
    if truth.len() != labels.len() {
        return Err(Error::Lengths { left: truth.len(), right: labels.len() });
    }
    let known = truth.iter().zip(labels).filter(|(class, _)| **class >= 0);
    let (classes, clusters): (Vec<i64>, Vec<usize>) = known.unzip();
    if classes.is_empty() {
        return Err(Error::TooFew { what: "node of known class", given: 0, needed: 1 });
    }
    let table = Contingency::new(&classes, &clusters)?;
    let (accuracy, nmi, ari) = (table.accuracy(), table.nmi(), table.ari());
    Ok(Score { accuracy, nmi, ari, labelled: classes.len() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// scikit-learn 1.9.1 (and SciPy's linear_sum_assignment) on the same labellings.
    #[test]
    fn the_numbers_of_scikit_learn() {
        type Label = fn(i64) -> i64;
        let cases: [(i64, Label, Label, [f64; 3]); 3] = [
            (
                200,
                |i| (i * i + 3 * i) % 7,
                |i| ((i * i + 3 * i) % 7 + i64::from(i % 5 == 0)) % 6,
                [0.8, 0.6909547126451095, 0.5972432775178519],
            ),
            (
                200,
                |i| i / 50,
                |i| (i / 40 + 2 * i64::from(i % 9 == 0)) % 5,
                [0.62, 0.4453757359630567, 0.3844391319559331],
            ),
            (
                1000,
                |i| i % 10,
                |i| i * i % 13,
                [0.104, 0.000407679590078947, -0.006858343809950358],
            ),
        ];
        for (n, class, cluster, expected) in cases {
            let truth: Vec<i64> = (0..n).map(class).collect();
            let labels: Vec<usize> = (0..n).map(|i| cluster(i) as usize).collect();
            let score = score(&truth, &labels).unwrap();
            for (ours, theirs) in [score.accuracy, score.nmi, score.ari].iter().zip(expected) {
                assert!((ours - theirs).abs() < 1e-13, "{ours} against {theirs}");
            }
        }
    }

    #[test]
    fn unknown_classes_are_ignored() {
        let all = score(&[0, 1, 0, 1], &[0, 1, 1, 1]).unwrap();
        let some = score(&[-1, 0, 1, -7, 0, 1], &[5, 0, 1, 2, 1, 1]).unwrap();
        assert_eq!(all, some);
        assert_eq!(
            score(&[-1, -1], &[0, 1]).unwrap_err().to_string(),
            "expected at least 1 node of known class, found 0"
        );
        assert!(score(&[0], &[0, 1]).is_err());
    }

    proptest! {
        #[test]
        fn names_do_not_matter(
            nodes in prop::collection::vec((-1_i64..4, 0_usize..5), 1..60),
            names in Just(vec![3_usize, 17, 40, 41, 99]).prop_shuffle(),
        ) {
            let (truth, labels): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
            prop_assume!(truth.iter().any(|&class| class >= 0));
            let plain = score(&truth, &labels).unwrap();
            let renamed: Vec<usize> = labels.iter().map(|&label| names[label]).collect();
            let other = score(&truth, &renamed).unwrap();
            prop_assert_eq!(plain.accuracy, other.accuracy);
            prop_assert!((plain.nmi - other.nmi).abs() < 1e-12);
            prop_assert!((plain.ari - other.ari).abs() < 1e-12);
            let same: Vec<i64> = labels.iter().map(|&label| i64::try_from(label).unwrap()).collect();
            let perfect = score(&same, &renamed).unwrap();
            prop_assert!(perfect.accuracy == 1.0 && perfect.ari == 1.0);
            prop_assert!((perfect.nmi - 1.0).abs() < 1e-12);
        }
    }
}
