//! What was not observed and is predicted to be large.

use std::{cmp::Reverse, collections::BinaryHeap};

use gramfold::linalg::{Mat, Total, norm};

use crate::{Biases, Observations, completion::predict};

/// More than the rounding of a product of rows, relative to their norms.
const SLACK: f64 = 1e-9;

/// The `count` pairs i < j with the largest predictions among those that were not observed, the largest first.
pub fn largest_missing(
    observed: &Observations,
    biases: &Biases,
    factor: &Mat,
    count: usize,
) -> Vec<(usize, usize, f64)> {
    let n = observed.dim;
    let mut partners = vec![Vec::new(); n];
    for &(i, j) in &observed.places {
        partners[i.min(j) as usize].push(i.max(j));
    }
    let norms: Vec<f64> = (0..n).map(|i| norm(factor.row(i))).collect();
    let mut known = vec![false; n];
    let mut floor = f64::NEG_INFINITY;
    // The least of those kept is on top.
    let mut kept: BinaryHeap<(Reverse<Total>, usize, usize)> = BinaryHeap::new();
    for (i, partners) in partners.iter().enumerate() {
        for &j in partners {
            known[j as usize] = true;
        }
        // x_i·x_j is at most ‖x_i‖·‖x_j‖: most pairs need no more to be seen to be below those that are kept.
        let own = (1.0 + SLACK) * norms[i];
        let reaches = |j: usize, floor: f64| {
            let (bias, reach) = (biases.at(i, j), own * norms[j]);
            bias + reach + SLACK * bias.abs() >= floor
        };
        for (j, known) in known.iter().enumerate().skip(i + 1) {
            if !reaches(j, floor) || *known {
                continue;
            }
            let value = predict(biases, factor, i, j);
            if kept.len() < count {
                kept.push((Reverse(Total(value)), i, j));
            } else if let Some(mut least) = kept.peek_mut()
                && value > least.0.0.0
            {
                *least = (Reverse(Total(value)), i, j);
            }
            if kept.len() == count {
                floor = kept.peek().map_or(f64::INFINITY, |least| least.0.0.0);
            }
        }
        for &j in partners {
            known[j as usize] = false;
        }
    }
    let sorted = kept.into_sorted_vec().into_iter();
    sorted.map(|(Reverse(Total(value)), i, j)| (i, j, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_a_full_table() {
        let n = 12;
        let factor = Mat::from_fn(n, 2, |i, j| ((7 * i + 3 * j) % 11) as f64 - 4.0);
        let biases = Biases::from_values((0..n).map(|i| ((5 * i) % 7) as f64).collect());
        let places: Vec<(u32, u32)> = (0..12)
            .flat_map(|i| (i..12).map(move |j| (i, j)))
            .filter(|(i, j)| (i + j) % 3 == 0)
            .collect();
        let values = vec![0.0; places.len()];
        let observed = Observations { dim: n, places: places.clone(), values };
        let mut all = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                if !places.contains(&(i as u32, j as u32)) {
                    all.push((i, j, predict(&biases, &factor, i, j)));
                }
            }
        }
        all.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
        for count in [0, 1, 5, all.len(), all.len() + 3] {
            let found: Vec<f64> =
                largest_missing(&observed, &biases, &factor, count).iter().map(|p| p.2).collect();
            let expected: Vec<f64> = all.iter().take(count).map(|p| p.2).collect();
            assert_eq!(found, expected);
        }
    }
}
