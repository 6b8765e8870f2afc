//! The rigidity matrix J of a layout: motions that no distance resists, and distances that nothing else implies.

use gramfold::linalg::{Csr, Mat, SparseCholesky};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Observations;

/// Work that a factorisation of JᵀJ may take.
const WORK: f64 = 1e9;

/// Random motions, and random loads, that are tried.
const TRIED: usize = 4;

/// The shift under which motions without resistance grow, relative to the mean resistance.
const SHIFT: f64 = 1e-11;

/// A motion of a point below this share of the largest one is none.
const STILL: f64 = 1e-3;

/// A distance that bears less than this share of a load is free of it.
const UNLOADED: f64 = 1e-6;

/// Points that may move, joined by distances to each other and to points that may not.
pub(super) struct Framework {
    d: usize,
    /// The numbers of the points that may move.
    place: Vec<Option<u32>>,
    /// The number of each distance, its ends, and rows of J, which are unit vectors about.
    edges: Vec<(usize, [usize; 2])>,
    rows: Vec<f64>,
    cholesky: SparseCholesky,
    shift: f64,
}

impl Framework {
    /// The points `inside`, of which those that are `fixed` may not move, and the distances between them that are `kept`; none
    /// where nothing may move or the work would be too much.
    pub(super) fn new(
        distances: &Observations,
        inside: &[bool],
        fixed: &[bool],
        kept: &[bool],
        x: &Mat,
    ) -> Option<Self> {
        let d = x.cols();
        let mut count = 0_u32;
        let number = |node: usize| {
            let moves = inside[node] && !fixed[node];
            count += u32::from(moves);
            moves.then(|| count - 1)
        };
        let place: Vec<Option<u32>> = (0..x.rows()).map(number).collect();
        let size = count as usize * d;
        let (mut edges, mut rows, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        let mut trace = 0.0;
        let places = distances.places.iter().zip(&distances.values).enumerate();
        for (edge, (&(i, j), distance)) in places {
            let ends = [i as usize, j as usize];
            let moves = ends.iter().any(|&node| place[node].is_some());
            if !(kept[edge] && moves && ends.iter().all(|&node| inside[node])) {
                continue;
            }
            let row: Vec<f64> =
                (0..d).map(|l| (x[(ends[0], l)] - x[(ends[1], l)]) / distance).collect();
            let at = |node: usize, l: usize| place[node].map(|p| p * d as u32 + l as u32);
            for a in 0..d {
                for b in 0..d {
                    let value = row[a] * row[b];
                    for node in ends {
                        if let (Some(row), Some(column), true) = (at(node, a), at(node, b), a <= b)
                        {
                            entries.push((row, column, value));
                            trace += if a == b { value } else { 0.0 };
                        }
                    }
                    if let (Some(row), Some(column)) = (at(ends[0], a), at(ends[1], b)) {
                        entries.push((row, column, -value));
                    }
                }
            }
            edges.push((edge, ends));
            rows.extend(row);
        }
        let matrix = Csr::from_triangle(size, &entries).ok().filter(|_| size > 0)?;
        let mut cholesky = SparseCholesky::analyse(&matrix)?;
        // Without distances everything moves, under any shift.
        let shift = if trace > 0.0 { SHIFT * trace / size as f64 } else { 1.0 };
        let done = cholesky.flops() <= WORK && cholesky.factorise(|_| shift);
        done.then_some(Self { d, place, edges, rows, cholesky, shift })
    }

    /// Which points move in a motion that no distance resists: random ones are amplified by (JᵀJ + shift)⁻¹.
    pub(super) fn moving(&self) -> Vec<bool> {
        let size = self.place.iter().flatten().count() * self.d;
        let mut v = random(size);
        let mut scratch = v.clone();
        let start = v.norm();
        for _ in 0..2 {
            self.cholesky.solve(&mut v, &mut scratch);
        }
        // Two solves amplify by 1/shift² what nothing resists, and by far less what something does.
        if v.norm() / start * self.shift * self.shift < 1e-5 {
            return vec![false; self.place.len()];
        }
        let length = |p: u32| {
            let rows = (0..self.d).map(|axis| v.row(p as usize * self.d + axis));
            rows.flatten().map(|v| v * v).sum::<f64>().sqrt()
        };
        let largest = self.place.iter().flatten().map(|p| length(*p)).fold(0.0, f64::max);
        self.place.iter().map(|p| p.is_some_and(|p| length(p) > STILL * largest)).collect()
    }

    /// Which distances no others imply: what is left of random loads on the distances, after the points have given way to
    /// them, is the stresses in balance, and such a distance bears none.
    pub(super) fn not_implied(&self) -> Vec<usize> {
        let mut load = random(self.edges.len());
        let size = self.place.iter().flatten().count() * self.d;
        let (mut motion, mut scratch) = (Mat::zeros(size, TRIED), Mat::zeros(size, TRIED));
        // What the shift leaves is taken out again.
        for _ in 0..3 {
            motion.as_mut_slice().fill(0.0);
            self.each(|edge, p, sign, g| {
                for (l, g) in g.iter().enumerate() {
                    let out = motion.row_mut(p + l);
                    let terms = out.iter_mut().zip(load.row(edge));
                    terms.for_each(|(out, load)| *out += sign * g * load);
                }
            });
            self.cholesky.solve(&mut motion, &mut scratch);
            self.each(|edge, p, sign, g| {
                for (l, g) in g.iter().enumerate() {
                    let terms = load.row_mut(edge).iter_mut().zip(motion.row(p + l));
                    terms.for_each(|(load, motion)| *load -= sign * g * motion);
                }
            });
        }
        let free = |&(at, _): &(usize, _)| load.row(at).iter().all(|s: &f64| s.abs() < UNLOADED);
        let numbered = self.edges.iter().map(|edge| edge.0).enumerate();
        numbered.filter(free).map(|(_, edge)| edge).collect()
    }

    /// Each end that may move of each distance: the distance, where the point's coordinates begin, a sign, and the row of J.
    fn each(&self, mut of: impl FnMut(usize, usize, f64, &[f64])) {
        let rows = self.rows.chunks_exact(self.d);
        for (edge, ((_, ends), row)) in self.edges.iter().zip(rows).enumerate() {
            for (&node, sign) in ends.iter().zip([1.0, -1.0]) {
                if let Some(p) = self.place[node] {
                    of(edge, p as usize * self.d, sign, row);
                }
            }
        }
    }
}

/// Numbers between −1 and 1, always the same.
fn random(rows: usize) -> Mat {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    Mat::from_fn(rows, TRIED, |_, _| random.random_range(-1.0..1.0))
}
