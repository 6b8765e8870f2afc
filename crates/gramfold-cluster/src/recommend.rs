//! A number of clusters from a stability curve.
//!
//! S(k) is the mean pairwise adjusted Rand index of several runs with k clusters. Without structure
//! it declines with k: few clusters can be cut in few ways, and k = 2 is often stable for that
//! reason alone. Structure shows where S *rises against* that decline. So every k earns
//!
//! ```text
//! e(k) = S(k) + (S(k) − min_{l ≤ k} S(l))
//! ```
//!
//! its stability plus its rise above the lowest value so far. Clusters that are real are stable one
//! by one, so that merging some of them is often as stable as the truth; the largest k whose e(k)
//! is within a tolerance of the best is recommended. The tolerance is min(0.02, 1/(4k)): two runs
//! that each cut one of k true clusters in two, not the same one, differ by 1/(2k) in the index, and
//! half of that keeps one cluster too many from passing as a tie.
//!
//! If the ties reach the end of the curve, then stability has set no upper limit (the runs may
//! all be the same). The objective decides: the elbow among the ties, which is the k farthest
//! below the chord from the first to the last, if it is below by a tenth of the drop; otherwise
//! the largest.

/// The tolerance for few clusters: what a handful of runs leave undecided.
const TOLERANCE: f64 = 0.02;

/// Share of the drop of the objective that makes an elbow.
const ELBOW: f64 = 0.1;

/// The number of clusters that a curve of `(k, stability, objective)` speaks for.
///
/// The rule: the largest k whose stability plus rise above the running minimum of the curve is
/// within min(0.02, 1/(4k)) of the best, or the elbow of the objective if such k reach the end of
/// the curve. A single cluster is always stable and is recommended only if nothing else was tried;
/// 1 for an empty curve. Stabilities that are NaN are left out.
///
/// ```
/// use gramfold_cluster::recommend;
///
/// let curve = [(2, 0.7, 9.0), (3, 0.6, 7.0), (4, 0.98, 4.0), (5, 0.8, 3.9)];
/// assert_eq!(recommend(&curve), 4);
/// ```
pub fn recommend(curve: &[(usize, f64, f64)]) -> usize {
    let mut curve: Vec<_> =
        curve.iter().copied().filter(|&(k, stability, _)| k >= 2 && !stability.is_nan()).collect();
    curve.sort_by_key(|&(k, ..)| k);
    let mut lowest = f64::INFINITY;
    let earned: Vec<f64> = curve
        .iter()
        .map(|&(_, stability, _)| {
            lowest = lowest.min(stability);
            stability + (stability - lowest)
        })
        .collect();
    let best = earned.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let tolerance = |k: usize| TOLERANCE.min(0.25 / k as f64);
    let ties: Vec<(usize, f64)> = curve
        .iter()
        .zip(&earned)
        .filter(|&(&(k, ..), &earned)| earned >= best - tolerance(k))
        .map(|(&(k, _, objective), _)| (k, objective))
        .collect();
    match (ties.last(), curve.last()) {
        (Some(&(tied, _)), Some(&(end, ..))) if tied == end => elbow(&ties).unwrap_or(tied),
        (Some(&(tied, _)), _) => tied,
        _ => 1,
    }
}

/// The k where a falling objective is farthest below its chord, if far enough.
fn elbow(ties: &[(usize, f64)]) -> Option<usize> {
    let (&(first, high), &(last, low)) = (ties.first()?, ties.last()?);
    let drop = high - low;
    if !(drop > 0.0 && drop.is_finite()) {
        return None;
    }
    let below = |&(k, objective): &(usize, f64)| {
        let chord = high - drop * (k - first) as f64 / (last - first) as f64;
        ((chord - objective) / drop, k)
    };
    let far = ties.iter().map(below).filter(|(share, _)| *share >= ELBOW);
    far.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, seq::SliceRandom};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::agreement;

    /// What a run with k clusters makes of K planted ones: too few merge at random, too many cut at
    /// random; some nodes are misplaced.
    fn run(planted: usize, k: usize, random: &mut Xoshiro256PlusPlus) -> Vec<usize> {
        const SIZE: usize = 40;
        let mut names: Vec<usize> = (0..planted).collect();
        names.shuffle(random);
        let cut: Vec<usize> = names.iter().copied().take(k.saturating_sub(planted)).collect();
        let mut label = |node: usize| {
            if random.random::<f64>() < 0.03 {
                return random.random_range(0..k);
            }
            let cluster = node / SIZE;
            match cut.iter().position(|&c| c == cluster) {
                Some(extra) if random.random() => planted + extra,
                _ => names[cluster].min(k - 1),
            }
        };
        (0..SIZE * planted).map(&mut label).collect()
    }

    #[test]
    fn planted_partitions_are_found() {
        for planted in [2, 3, 5, 8, 12, 20] {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(planted as u64);
            let curve: Vec<_> = (1..planted * 2)
                .map(|k| {
                    let runs: Vec<_> = (0..10).map(|_| run(planted, k, &mut random)).collect();
                    (k, agreement(&runs).unwrap(), 1.0 / k as f64)
                })
                .collect();
            assert_eq!(recommend(&curve), planted, "{curve:?}");
        }
    }

    fn stabilities(values: &[f64]) -> Vec<(usize, f64, f64)> {
        values.iter().zip(2..).map(|(&stability, k)| (k, stability, 0.0)).collect()
    }

    #[test]
    fn a_rise_beats_the_trivial_stability_of_two() {
        assert_eq!(recommend(&stabilities(&[1.0, 0.6, 0.55, 0.7, 0.9, 0.7])), 6);
    }

    #[test]
    fn noise_on_a_decline_does_not() {
        assert_eq!(recommend(&stabilities(&[0.9, 0.5, 0.3, 0.33, 0.3])), 2);
    }

    #[test]
    fn of_a_plateau_the_largest() {
        assert_eq!(recommend(&stabilities(&[1.0, 0.99, 0.995, 0.99, 0.7, 0.6])), 5);
    }

    #[test]
    fn runs_that_are_all_the_same_leave_it_to_the_objective() {
        let curve = [(2, 1.0, 10.0), (3, 1.0, 6.0), (4, 1.0, 2.0), (5, 1.0, 1.8), (6, 1.0, 1.6)];
        assert_eq!(recommend(&curve), 4);
        let line = [(2, 1.0, 4.0), (3, 1.0, 3.0), (4, 1.0, 2.0)];
        assert_eq!(recommend(&line), 4);
    }

    #[test]
    fn degenerate_curves() {
        assert_eq!(recommend(&[]), 1);
        assert_eq!(recommend(&[(1, 1.0, 0.0)]), 1);
        assert_eq!(recommend(&[(1, 1.0, 0.0), (3, 0.2, f64::NAN)]), 3);
        assert_eq!(recommend(&[(2, f64::NAN, 0.0), (4, 0.1, 0.0), (3, 0.5, 0.0)]), 3);
    }
}
