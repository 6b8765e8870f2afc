//! The nearest neighbours of every point: exact, blocked, pruned.
//!
//! Points are gathered into cells of a few hundred (`cells`). The points of one cell search the
//! others together, nearest cell first (`search`): a cell is skipped for a point that lies farther
//! from the cell's ball than its neighbours so far, and otherwise one matrix product in `f32` gives
//! bounds on all the distances. Only pairs that those bounds cannot rule out are measured in `f64`,
//! so the answer is that of brute force. In few dimensions almost every cell is skipped; in many,
//! almost none, and the matrix product makes up for it.

mod best;
mod cells;
mod duplicates;
mod search;

use gramfold_linalg::Mat;
use rayon::prelude::*;

use best::Best;
use cells::Cells;

/// The same number of neighbours for every point, nearest first, equal distances by index.
pub(crate) struct Neighbours {
    count: usize,
    all: Vec<Neighbour>,
}

/// One neighbour: ‖x_i − x_j‖² and j.
pub(crate) type Neighbour = (f64, u32);

impl Neighbours {
    /// The neighbours of point `i`.
    pub(crate) fn of(&self, i: usize) -> &[Neighbour] {
        &self.all[i * self.count..(i + 1) * self.count]
    }
}

/// The `count` nearest neighbours of every point, itself excluded; `count` is below the number of points.
pub(crate) fn nearest(points: &Mat, count: usize) -> Neighbours {
    let groups = duplicates::groups(points);
    // A point has at most `count` neighbours among its copies and equal distances go by index, so
    // that nobody looks beyond the first count + 1 copies: a pile of duplicates costs nothing.
    let kept = groups.iter().flat_map(|group| &group[..group.len().min(count + 1)]);
    let cells = Cells::new(points, kept.copied().collect());
    let found: Vec<Vec<Best>> =
        (0..cells.len()).into_par_iter().map(|cell| search::search(&cells, cell, count)).collect();
    let mut all = vec![(0.0, 0); points.rows() * count];
    for (id, best) in cells.ids().iter().zip(found.iter().flatten()) {
        let at = *id as usize * count;
        all[at..at + count].copy_from_slice(best.as_slice());
    }
    for group in groups.iter().filter(|group| group.len() > count + 1) {
        for &id in &group[count + 1..] {
            let at = id as usize * count;
            for (slot, &copy) in all[at..at + count].iter_mut().zip(group) {
                *slot = (0.0, copy);
            }
        }
    }
    Neighbours { count, all }
}

/// ‖a − b‖², the same bits for ‖b − a‖²: eight running sums, which vectorise, in a fixed order.
fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a8, a_tail) = a.as_chunks::<8>();
    let (b8, b_tail) = b.as_chunks::<8>();
    for (a, b) in a8.iter().zip(b8) {
        for l in 0..8 {
            sums[l] += (a[l] - b[l]) * (a[l] - b[l]);
        }
    }
    let tail: f64 = a_tail.iter().zip(b_tail).map(|(a, b)| (a - b) * (a - b)).sum();
    sums.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(points: &Mat, count: usize) -> Vec<Vec<Neighbour>> {
        let n = points.rows();
        let one = |i: usize| {
            let mut all: Vec<Neighbour> = (0..n)
                .filter(|&j| j != i)
                .map(|j| (squared_distance(points.row(i), points.row(j)), j as u32))
                .collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            all.truncate(count);
            all
        };
        (0..n).map(one).collect()
    }

    fn assert_exact(points: &Mat, count: usize) {
        let found = nearest(points, count);
        for (i, expected) in naive(points, count).iter().enumerate() {
            assert_eq!(found.of(i), expected, "point {i}");
        }
    }

    /// Clumps of very different sizes, so that cells are skipped and f32 alone would be wrong.
    fn clumps(n: usize, d: usize) -> Mat {
        Mat::from_fn(n, d, |i, j| {
            let clump = (i % 5) as f64;
            let wave = ((i * d + j) as f64 * 12.9898).sin() * 43758.5453;
            clump + (wave - wave.floor() - 0.5) * 0.01_f64.powf(clump)
        })
    }

    #[test]
    fn the_neighbours_are_those_of_brute_force() {
        for (n, d) in [(2, 1), (40, 3), (700, 1), (1500, 2), (1500, 13), (1200, 60)] {
            assert_exact(&clumps(n, d), (n - 1).min(9));
        }
    }

    #[test]
    fn duplicates_and_a_lattice_of_ties_go_by_index() {
        assert_exact(&Mat::from_fn(900, 2, |i, j| [(i % 30) as f64, (i / 30) as f64][j]), 6);
        assert_exact(&Mat::from_fn(1000, 2, |i, _| (i % 3) as f64), 5);
        assert_exact(&Mat::zeros(300, 4), 8);
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let points = clumps(3000, 7);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| nearest(&points, 12).all)
        };
        assert_eq!(run(1), run(3));
    }

    proptest! {
        #[test]
        fn small_sets_of_any_points(
            d in 1_usize..4,
            data in prop::collection::vec(prop::sample::select(vec![0.0, 1.0, -1.0, 0.3, 1e-30, 0.7]), 8..160),
            count in 1_usize..6,
        ) {
            let n = data.len() / d;
            prop_assume!(n > count);
            assert_exact(&Mat::from_row_major(n, d, data[..n * d].to_vec()), count);
        }
    }
}
