//! Nearest neighbours by brute force, and the classes that they vote for.

use gramfold::linalg::{Mat, dot, multiply};
use rayon::prelude::*;

/// Rows whose distances to all others are held at a time.
const ROWS: usize = 128;

/// For each row of `queries`, what `take` makes of its squared distances to the rows of `points`.
pub(crate) fn each<T: Send>(
    queries: &Mat,
    points: &Mat,
    take: impl Fn(usize, &[f64]) -> T + Sync,
) -> Vec<T> {
    let columns = points.transposed();
    let squares: Vec<f64> = (0..points.rows()).map(|j| dot(points.row(j), points.row(j))).collect();
    let starts: Vec<usize> = (0..queries.rows()).step_by(ROWS).collect();
    let parts = starts.into_par_iter().map(|first| {
        let count = ROWS.min(queries.rows() - first);
        let rows = Mat::from_fn(count, queries.cols(), |i, j| queries[(first + i, j)]);
        let mut distances = Mat::zeros(count, points.rows());
        multiply(-2.0, &rows, &columns, &mut distances);
        let taken = (0..count).map(|i| {
            let own = dot(rows.row(i), rows.row(i));
            let row = distances.row_mut(i);
            row.iter_mut().zip(&squares).for_each(|(d, square)| *d = (*d + own + square).max(0.0));
            take(first + i, row)
        });
        taken.collect::<Vec<T>>()
    });
    parts.collect::<Vec<_>>().into_iter().flatten().collect()
}

/// The `count` smallest among the allowed, the nearest first; equal ones by their number.
pub(crate) fn nearest(
    distances: &[f64],
    count: usize,
    allowed: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::with_capacity(count.min(distances.len()) + 1);
    for j in (0..distances.len()).filter(|j| allowed(*j)) {
        if best.len() == count && best.last().is_none_or(|last| distances[j] >= distances[*last]) {
            continue;
        }
        let place = best.partition_point(|b| distances[*b] <= distances[j]);
        best.insert(place, j);
        best.truncate(count);
    }
    best
}

/// The class that most of the neighbours have; of equals the smallest.
pub(crate) fn vote(neighbours: &[usize], classes: &[usize]) -> usize {
    let votes = |class: usize| neighbours.iter().filter(|j| classes[**j] == class).count();
    let mut best = (0, usize::MAX);
    for &j in neighbours {
        let found = (votes(classes[j]), classes[j]);
        if found.0 > best.0 || (found.0 == best.0 && found.1 < best.1) {
            best = found;
        }
    }
    best.1
}

/// How many of the queries have the class that the k nearest points vote for.
pub fn hits(
    (points, classes): (&Mat, &[usize]),
    (queries, truth): (&Mat, &[usize]),
    k: usize,
) -> usize {
    let right = each(queries, points, |i, distances| {
        vote(&nearest(distances, k, |_| true), classes) == truth[i]
    });
    right.into_iter().filter(|right| *right).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_and_neighbours_are_those_of_the_definition() {
        let points = Mat::from_fn(300, 3, |i, j| ((i * 37 + j * 11) % 101) as f64 / 7.0);
        let queries = Mat::from_fn(150, 3, |i, j| ((i * 13 + j * 29) % 97) as f64 / 5.0);
        let found = each(&queries, &points, |i, distances| {
            for (j, d) in distances.iter().enumerate() {
                let square: f64 = (0..3).map(|c| (queries[(i, c)] - points[(j, c)]).powi(2)).sum();
                assert!((d - square).abs() < 1e-9);
            }
            nearest(distances, 4, |j| j % 2 == 0)
        });
        for (i, found) in found.iter().enumerate() {
            let square = |j: usize| -> f64 {
                (0..3).map(|c| (queries[(i, c)] - points[(j, c)]).powi(2)).sum()
            };
            let mut all: Vec<f64> = (0..300).step_by(2).map(square).collect();
            all.sort_by(f64::total_cmp);
            for (j, d) in found.iter().zip(&all) {
                assert!((square(*j) - d).abs() < 1e-9, "{i}");
            }
        }
    }

    #[test]
    fn the_majority_wins_and_ties_go_to_the_smallest_class() {
        assert_eq!(vote(&[0, 1, 2], &[2, 1, 1]), 1);
        assert_eq!(vote(&[0, 1, 2], &[2, 1, 0]), 0);
    }
}
