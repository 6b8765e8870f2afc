//! A sparse symmetric matrix as a short sum of outer products p qᵀ.
//!
//! X A W = Σ (Xp)(Wq)ᵀ, and its cost is the number of terms. A row of entries and its mirror image, as in control
//! problems, are two outer products however long the row is: a small set of rows that touches every entry (a vertex
//! cover, found greedily) gives two terms a row; writing each nonzero row by itself gives one.

use std::ops::Range;

use super::coefficients::Part;
use crate::Entry;

/// A sparse vector.
type Sparse = Vec<(u32, f64)>;

/// Outer products p qᵀ of many matrices, one after the other.
pub(super) type Terms = Vec<(Sparse, Sparse)>;

/// Appends the outer products of one matrix, whose diagonal entries come at half their value.
pub(super) fn decompose(
    n: usize,
    entries: &[Entry],
    parts: &[Part],
    terms: &mut Terms,
) -> Range<usize> {
    let start = terms.len();
    for Part { weight, vector } in parts {
        terms.push(square(*weight, vector));
    }
    if let Some((vector, sign)) = rank_one(n, entries) {
        terms.push(square(sign, &vector));
    } else if !entries.is_empty() {
        by_rows(entries, terms);
    }
    start..terms.len()
}

/// weight·vvᵀ.
fn square(weight: f64, vector: &[f64]) -> (Sparse, Sparse) {
    let vector: Sparse =
        (0u32..).zip(vector).filter(|v| *v.1 != 0.0).map(|v| (v.0, *v.1)).collect();
    let weighted = vector.iter().map(|(i, v)| (*i, weight * v)).collect();
    (vector, weighted)
}

/// v and ±1 if the entries are ±vvᵀ up to rounding.
fn rank_one(n: usize, entries: &[Entry]) -> Option<(Vec<f64>, f64)> {
    let pivot = entries.iter().filter(|e| e.row == e.col);
    let pivot = pivot.max_by(|a, b| a.value.abs().total_cmp(&b.value.abs()))?;
    let (sign, root) = (pivot.value.signum(), (2.0 * pivot.value.abs()).sqrt());
    let mut vector = vec![0.0; n];
    for e in entries {
        if e.row == pivot.row {
            vector[e.col as usize] = sign * e.value / root;
        } else if e.col == pivot.row {
            vector[e.row as usize] = sign * e.value / root;
        }
    }
    vector[pivot.row as usize] = root;
    let support = vector.iter().filter(|v| **v != 0.0).count();
    if entries.len() != support * (support + 1) / 2 {
        return None;
    }
    let close = |e: &Entry| {
        let full = if e.row == e.col { 2.0 * e.value } else { e.value };
        let outer = sign * vector[e.row as usize] * vector[e.col as usize];
        (outer - full).abs() <= 8.0 * f64::EPSILON * full.abs()
    };
    entries.iter().all(close).then_some((vector, sign))
}

/// One term for each nonzero row, or two for each row of a cover, whichever is fewer.
fn by_rows(entries: &[Entry], terms: &mut Terms) {
    let mut support: Vec<u32> = entries.iter().flat_map(|e| [e.row, e.col]).collect();
    support.sort_unstable();
    support.dedup();
    let local = |v: u32| support.partition_point(|s| *s < v);
    // Every entry in the row of either end; a diagonal entry once, at its full value.
    let mut rows: Vec<Vec<(u32, f64, usize)>> = vec![Vec::new(); support.len()];
    for (at, e) in entries.iter().enumerate() {
        if e.row == e.col {
            rows[local(e.row)].push((e.row, 2.0 * e.value, at));
        } else {
            rows[local(e.row)].push((e.col, e.value, at));
            rows[local(e.col)].push((e.row, e.value, at));
        }
    }
    let mut covered = vec![false; entries.len()];
    let mut left: Vec<usize> = rows.iter().map(Vec::len).collect();
    let mut cover = Terms::new();
    while let Some((row, _)) = left.iter().enumerate().rev().max_by_key(|(_, left)| **left) {
        if left[row] == 0 || cover.len() >= support.len() {
            break;
        }
        let name = support[row];
        let (mut diagonal, mut others) = (0.0, Sparse::new());
        for &(other, value, at) in &rows[row] {
            if covered[at] {
                continue;
            }
            covered[at] = true;
            left[row] -= 1;
            if other == name {
                diagonal = value;
            } else {
                left[local(other)] -= 1;
                others.push((other, value));
            }
        }
        if !others.is_empty() {
            cover.push((others.clone(), vec![(name, 1.0)]));
        }
        if diagonal != 0.0 {
            others.push((name, diagonal));
        }
        cover.push((vec![(name, 1.0)], others));
    }
    if covered.iter().all(|c| *c) && cover.len() < support.len() {
        terms.append(&mut cover);
    } else {
        for (name, row) in support.iter().zip(&rows) {
            let row: Sparse = row.iter().map(|(other, value, _)| (*other, *value)).collect();
            terms.push((vec![(*name, 1.0)], row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written_out(n: usize, terms: &Terms, range: Range<usize>) -> Vec<f64> {
        let mut a = vec![0.0; n * n];
        for term in range {
            for (i, p) in &terms[term].0 {
                for (j, q) in &terms[term].1 {
                    a[*i as usize * n + *j as usize] += p * q;
                }
            }
        }
        a
    }

    fn matrix(n: usize, entries: &[Entry]) -> Vec<f64> {
        let mut a = vec![0.0; n * n];
        for e in entries {
            a[e.row as usize * n + e.col as usize] += e.value;
            a[e.col as usize * n + e.row as usize] += e.value;
        }
        a
    }

    fn check(n: usize, entries: &[Entry], most: usize) {
        let mut terms = Terms::default();
        decompose(n, &entries[..1], &[], &mut terms);
        let range = decompose(n, entries, &[], &mut terms);
        assert!(range.len() <= most, "{} terms", range.len());
        let (found, expected) = (written_out(n, &terms, range), matrix(n, entries));
        assert!(found.iter().zip(&expected).all(|(f, e)| (f - e).abs() < 1e-14));
    }

    #[test]
    fn outer_products_add_up_to_the_matrix() {
        let entry = |row: u32, col: u32, value: f64| Entry { row, col, value };
        check(5, &[entry(1, 1, 0.5)], 1);
        check(5, &[entry(1, 3, 2.0)], 2);
        // An arrow: one row and its mirror image.
        let arrow: Vec<Entry> = (0..5).map(|j| entry(0, j, 1.0 + f64::from(j))).collect();
        check(5, &arrow, 2);
        // A diagonal.
        let diagonal: Vec<Entry> = (0..5).map(|j| entry(j, j, 1.0 + f64::from(j))).collect();
        check(5, &diagonal, 5);
        // All ones, and minus all ones.
        for sign in [1.0, -1.0] {
            let ones: Vec<Entry> = (0..5)
                .flat_map(|i| {
                    (i..5).map(move |j| entry(i, j, if i == j { 0.5 } else { 1.0 } * sign))
                })
                .collect();
            check(5, &ones, 1);
            // One entry away from rank one.
            let mut broken = ones.clone();
            broken[3].value = 0.25;
            check(5, &broken, 5);
        }
        // Anything.
        let some: Vec<Entry> = (0..6u32)
            .flat_map(|i| (i..6).map(move |j| (i, j)))
            .filter(|(i, j)| (i * 5 + j * 3) % 4 != 0)
            .map(|(i, j)| entry(i, j, f64::from(i * 7 + j).sin()))
            .collect();
        check(6, &some, 6);
    }

    #[test]
    fn a_rank_one_part_is_one_term() {
        let mut terms = Terms::default();
        let part = Part { weight: -2.0, vector: vec![1.0, 0.0, 3.0] };
        let range = decompose(3, &[], &[part], &mut terms);
        assert_eq!(range.len(), 1);
        let a = written_out(3, &terms, range);
        assert_eq!(a, [-2.0, 0.0, -6.0, 0.0, 0.0, 0.0, -6.0, 0.0, -18.0]);
    }
}
