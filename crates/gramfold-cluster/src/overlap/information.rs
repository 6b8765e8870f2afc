//! Normalised mutual information of overlapping clusters, as McDaid, Greene and Hurley define it ("Normalized mutual
//! information to evaluate overlapping community finding algorithms", arXiv:1110.2515): the variant NMI_max.

use super::members;
use crate::Error;

/// 1 if both covers have the same clusters, 0 if neither says anything of the other. Each cover lists the clusters of
/// every node.
pub fn overlapping_nmi(one: &[Vec<usize>], two: &[Vec<usize>]) -> Result<f64, Error> {
    let n = one.len();
    if two.len() != n {
        return Err(Error::Lengths { left: n, right: two.len() });
    }
    if n == 0 {
        return Err(Error::TooFew { what: "nodes", given: 0, needed: 1 });
    }
    let (one, two) = (members(one), members(two));
    let joint = joint(&one, &two, n);
    let transposed: Vec<Vec<usize>> =
        (0..two.len()).map(|j| joint.iter().map(|row| row[j]).collect()).collect();
    let (left, left_given) = entropies(&one, &two, &joint, n as f64);
    let (right, right_given) = entropies(&two, &one, &transposed, n as f64);
    let information = 0.5 * (left - left_given + right - right_given);
    let largest = left.max(right);
    // Covers without information agree if they are the same.
    Ok(if largest > 0.0 { information / largest } else { f64::from(u8::from(one == two)) })
}

/// How many nodes clusters of both covers have in common.
fn joint(one: &[Vec<usize>], two: &[Vec<usize>], n: usize) -> Vec<Vec<usize>> {
    let mut clusters = vec![Vec::new(); n];
    for (j, cluster) in two.iter().enumerate() {
        for &node in cluster {
            clusters[node].push(j);
        }
    }
    let row = |cluster: &Vec<usize>| {
        let mut shared = vec![0; two.len()];
        cluster.iter().flat_map(|&node| &clusters[node]).for_each(|&j| shared[j] += 1);
        shared
    };
    one.iter().map(row).collect()
}

/// Σ H(X_i) and Σ H(X_i | Y).
fn entropies(xs: &[Vec<usize>], ys: &[Vec<usize>], joint: &[Vec<usize>], n: f64) -> (f64, f64) {
    let h = |count: f64| if count > 0.0 { -count / n * (count / n).log2() } else { 0.0 };
    let (mut own, mut given) = (0.0, 0.0);
    for (x, shared) in xs.iter().zip(joint) {
        let size = x.len() as f64;
        let alone = h(size) + h(n - size);
        own += alone;
        let conditional = ys.iter().zip(shared).filter_map(|(y, &both)| {
            let (both, other) = (both as f64, y.len() as f64);
            let (only_x, only_y, neither) = (size - both, other - both, n - size - other + both);
            // A cluster that tells of the complement of another does not count as like it.
            let alike = h(both) + h(neither) >= h(only_x) + h(only_y);
            alike.then(|| h(both) + h(neither) + h(only_x) + h(only_y) - h(other) - h(n - other))
        });
        given += conditional.fold(alone, f64::min);
    }
    (own, given)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nmi(one: &[&[usize]], two: &[&[usize]]) -> f64 {
        let cover = |nodes: &[&[usize]]| nodes.iter().map(|node| node.to_vec()).collect::<Vec<_>>();
        overlapping_nmi(&cover(one), &cover(two)).unwrap()
    }

    #[test]
    fn hand_computed_covers() {
        let halves: [&[usize]; 4] = [&[0], &[0], &[1], &[1]];
        assert!((nmi(&halves, &[&[1], &[1], &[0], &[0]]) - 1.0).abs() < 1e-15);
        assert!(nmi(&halves, &[&[0], &[1], &[0], &[1]]).abs() < 1e-15);
        // One half alone: H(X) = 2, H(X|Y) = 1, H(Y) = 1, H(Y|X) = 0.
        assert!((nmi(&halves, &[&[0], &[0], &[], &[]]) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn an_overlap_is_worth_something() {
        // {0,1,2}, {2,3} against {0,1}, {2,3}. H(3 of 4) = 2 − ¾·log₂3, H(2 of 4) = 1; {2,3} is found, and of {0,1,2}
        // and {0,1} both = 2, only one side 1, neither 1: joint entropy 1.5.
        let three = 2.0 - 0.75 * 3_f64.log2();
        let information = 0.5 * ((three + 1.0) - (1.5 - 1.0) + 2.0 - (1.5 - three));
        let found = nmi(&[&[0], &[0], &[0, 1], &[1]], &[&[0], &[0], &[1], &[1]]);
        assert!((found - information / 2.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn all_in_one_cluster_says_nothing() {
        assert_eq!(nmi(&[&[0], &[0]], &[&[1], &[1]]), 1.0);
        assert_eq!(nmi(&[&[0], &[0]], &[&[0], &[1]]), 0.0);
    }
}
