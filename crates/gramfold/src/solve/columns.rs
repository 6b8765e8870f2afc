//! Two columns become one, and the column that this frees takes what the residual R = A − XXᵀ has most of, for
//! ½‖A − XXᵀ‖² over X ≥ 0.
//!
//! A column √ρ·u with u ≥ 0, ‖u‖ = 1 and ρ = uᵀRu > 0 gains ½ρ²; merging two columns costs ½λ₂², λ₂ the smaller
//! eigenvalue of their 2×2 matrix of inner products, if the others stay.

use gramfold_linalg::{Gram, Mat};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Split;

/// Random vectors that find the rows of R with the largest norm, rows from which u is sought, the most steps of that, and the
/// share by which a step must raise ρ for another to be taken. All that follow a step are taken to raise it by at most so
/// many times as much.
const PROBES: usize = 8;
const ROWS: usize = 4;
const STEPS: usize = 10;
const GROWTH: f64 = 5e-4;
const AHEAD: f64 = 4.0;

/// Two columns made one, which frees the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merger {
    kept: usize,
    freed: usize,
    /// Of the kept and the freed column in the new one.
    weights: (f64, f64),
    /// What the objective rises by.
    pub(super) cost: f64,
}

impl Merger {
    /// Makes the two columns of a factor one, and the other √ρ·u.
    pub(super) fn exchange(&self, rho: f64, u: &[f64], factor: &mut Mat) {
        let Self { kept, freed, weights: (a, b), .. } = *self;
        for (i, u) in u.iter().enumerate() {
            factor[(i, kept)] = a * factor[(i, kept)] + b * factor[(i, freed)];
            factor[(i, freed)] = rho.sqrt() * u;
        }
    }
}

/// The pair whose merger costs least; none of a single column. Of the 2×2 matrix of inner products the larger eigenvalue λ₁
/// belongs to the best single column, a combination with weights ≥ 0, and the smaller one is what it loses: ½λ₂².
pub(super) fn cheapest_merger(split: &Split<'_>) -> Option<Merger> {
    let mut gram = Gram::new(split.x().cols());
    let gram = gram.of(split.x(), split.y());
    let pairs = (0..gram.cols()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| merger(gram, i, j)).min_by(|a, b| a.cost.total_cmp(&b.cost))
}

fn merger(gram: &Mat, i: usize, j: usize) -> Merger {
    let (kept, freed) = if gram[(i, i)] >= gram[(j, j)] { (i, j) } else { (j, i) };
    let (p, q, r) = (gram[(kept, kept)], gram[(freed, freed)], 0.5 * (gram[(i, j)] + gram[(j, i)]));
    let (mean, radius) = (0.5 * (p + q), (0.25 * (p - q).powi(2) + r * r).sqrt());
    let smaller = (mean - radius).max(0.0);
    // The eigenvector (c, s) of λ₁; the column c·x + s·x' has square length λ₁.
    let angle = 0.5 * (2.0 * r).atan2(p - q);
    Merger { kept, freed, weights: (angle.cos(), angle.sin()), cost: 0.5 * smaller * smaller }
}

/// A unit vector u ≥ 0 with a large ρ = uᵀRu, and ρ, by projected power steps from rows of R that are long; none where no ρ will
/// be `enough`, and each is given up where its own will not.
pub(super) fn missing(split: &Split<'_>, seed: u64, enough: f64) -> Option<(f64, Vec<f64>)> {
    let (x, y, evaluation) = (split.x(), split.y(), split.evaluation());
    let n = x.rows();
    let rows = long_rows(split, seed);
    let mut u = Mat::zeros(n, rows.len());
    rows.iter().enumerate().for_each(|(j, &i)| u[(i, j)] = 1.0);
    let mut image = Mat::zeros(n, rows.len());
    // A shift by the size of a typical eigenvalue keeps the steps from jumping between signs.
    let shift = 0.5 * x.norm_squared() / x.cols() as f64;
    let mut rho = vec![0.0; rows.len()];
    for step in 0..=STEPS {
        evaluation.apply_symmetric(x, y, &u, &mut image);
        let before = std::mem::replace(&mut rho, sums(&image, &u, |image, u| -image * u));
        let [most, most_before] =
            [&rho, &before].map(|rho| rho.iter().copied().fold(0.0, f64::max));
        if step == STEPS || most_before > 0.0 && most <= (1.0 + GROWTH) * most_before {
            break;
        }
        image.zip(&u, |image, u| (shift * u - image).max(0.0));
        let squares = sums(&image, &image, |a, b| a * b);
        let scale = |square: &f64| if *square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        let scales: Vec<f64> = squares.iter().map(scale).collect();
        for row in image.as_mut_slice().chunks_exact_mut(scales.len()) {
            row.iter_mut().zip(&scales).for_each(|(entry, scale)| *entry *= scale);
        }
        std::mem::swap(&mut u, &mut image);
        // The others go on alone.
        let hopeful = |j: &usize| step < 2 || rho[*j] + AHEAD * (rho[*j] - before[*j]) >= enough;
        let kept: Vec<usize> = (0..rho.len()).filter(hopeful).collect();
        if kept.is_empty() {
            return None;
        }
        if kept.len() < rho.len() {
            u = Mat::from_fn(n, kept.len(), |i, j| u[(i, kept[j])]);
            image = Mat::zeros(n, kept.len());
            rho = kept.iter().map(|&j| rho[j]).collect();
        }
    }
    let best = (0..rho.len()).max_by(|&a, &b| rho[a].total_cmp(&rho[b])).unwrap_or(0);
    let found = rho.get(best).copied().filter(|rho| *rho > 0.0 && *rho >= enough)?;
    Some((found, u.column(best).collect()))
}

/// Rows of R that are long, and not much alike, by what R makes of random signs.
fn long_rows(split: &Split<'_>, seed: u64) -> Vec<usize> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut signs = Mat::zeros(split.x().rows(), PROBES);
    for rows in signs.as_mut_slice().chunks_mut(u64::BITS as usize) {
        let bits: u64 = random.random();
        rows.iter_mut().zip(0..).for_each(|(sign, at)| *sign = (bits >> at & 1) as f64 * 2.0 - 1.0);
    }
    let mut image = Mat::zeros(split.x().rows(), PROBES);
    split.evaluation().apply_symmetric(split.x(), split.y(), &signs, &mut image);
    apart(&image)
}

/// Σ_i term(a_ij, b_ij) for each column j.
fn sums(a: &Mat, b: &Mat, term: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; a.cols()];
    let rows = a.as_slice().chunks_exact(a.cols()).zip(b.as_slice().chunks_exact(a.cols()));
    for (a, b) in rows {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += term(*a, *b);
        }
    }
    sums
}

/// A few long rows that are not much alike: rows of one missing cluster lead to the same u.
fn apart(image: &Mat) -> Vec<usize> {
    let rows = image.as_slice().chunks_exact(image.cols());
    let square = |row: &[f64]| row.iter().map(|value| value * value).sum::<f64>();
    let mut longest: Vec<(f64, usize)> =
        rows.enumerate().map(|(i, row)| (square(row), i)).collect();
    let by_length = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let candidates = (16 * ROWS).min(longest.len());
    if candidates < longest.len() {
        longest.select_nth_unstable_by(candidates, by_length);
        longest.truncate(candidates);
    }
    longest.sort_unstable_by(by_length);
    let mut chosen: Vec<(f64, usize)> = Vec::with_capacity(ROWS);
    for (square, i) in longest {
        let dot = |j: usize| gramfold_linalg::dot(image.row(i), image.row(j));
        if chosen.len() < ROWS
            && chosen.iter().all(|&(other, j)| dot(j).powi(2) <= 0.5 * square * other)
        {
            chosen.push((square, i));
        }
    }
    chosen.into_iter().map(|(_, i)| i).collect()
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Dense;

    use super::*;
    use crate::{
        Problem, Spec, loss::Quadratic, registry::Component, regulariser::Nonnegative, solve,
    };

    /// Ones in blocks of these sizes, on a background.
    fn blocks(sizes: &[usize], background: f64) -> Mat {
        let of: Vec<usize> =
            sizes.iter().enumerate().flat_map(|(block, &size)| vec![block; size]).collect();
        Mat::from_fn(of.len(), of.len(), |i, j| if of[i] == of[j] { 1.0 } else { background })
    }

    fn at<'p>(problem: &Problem<'p>, x: &Mat) -> Split<'p> {
        Split::new(problem, x.clone(), x.clone(), 1.0).unwrap()
    }

    #[test]
    fn a_merger_costs_what_the_best_single_column_loses() {
        let n = 12;
        let x = Mat::from_fn(n, 3, |i, j| ((3 * i + 5 * j * j + i * j) as f64).sin().abs());
        let loss = Quadratic::new(Dense::symmetrised(blocks(&[n], 0.0)));
        let problem = Problem::new(&loss, &Nonnegative, 3).unwrap();
        let split = at(&problem, &x);
        let gram = Gram::new(3).of(&x, &x).clone();
        let mergers = [(1, 0), (2, 0), (2, 1)].map(|(i, j)| merger(&gram, i, j));
        let cheapest = cheapest_merger(&split).unwrap().cost;
        assert!(mergers.iter().all(|merger| merger.cost >= cheapest));
        assert!(mergers.iter().any(|merger| merger.cost == cheapest));
        for Merger { kept, freed, weights: (a, b), cost } in mergers {
            assert!(a >= 0.0 && b >= 0.0);
            let lost = |a: f64, b: f64| {
                let entry = |i: usize, j: usize| {
                    let z = |i: usize| a * x[(i, kept)] + b * x[(i, freed)];
                    x[(i, kept)] * x[(j, kept)] + x[(i, freed)] * x[(j, freed)] - z(i) * z(j)
                };
                (0..n * n).map(|at| entry(at / n, at % n).powi(2)).sum::<f64>() / 2.0
            };
            assert!((lost(a, b) - cost).abs() < 1e-12 * (1.0 + cost), "{} {cost}", lost(a, b));
            for (da, db) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)] {
                assert!(lost(a + da, b + db) > cost);
            }
        }
    }

    #[test]
    fn a_cluster_without_a_column_is_what_the_residual_has_most_of() {
        let sizes = [10, 8, 6];
        let loss = Quadratic::new(Dense::symmetrised(blocks(&sizes, 0.0)));
        let problem = Problem::new(&loss, &Nonnegative, 2).unwrap();
        let x = Mat::from_fn(24, 2, |i, j| {
            f64::from(if j == 0 { i < 10 } else { (10..18).contains(&i) })
        });
        let (rho, u) = missing(&at(&problem, &x), 0, 5.0).unwrap();
        assert!((rho - 6.0).abs() < 1e-3, "{rho}");
        assert!(missing(&at(&problem, &x), 0, 7.0).is_none());
        for (i, u) in u.into_iter().enumerate() {
            let expected = if i < 18 { 0.0 } else { 1.0 / 6.0_f64.sqrt() };
            assert!((u - expected).abs() < 1e-2, "{i}: {u}");
        }
    }

    /// One cluster has two columns and one has none: without an exchange that is where a run stays, since no entry of
    /// X that is zero has a reason to grow.
    #[test]
    fn a_run_leaves_a_poor_local_minimum() {
        let sizes = [12, 10, 8, 8];
        let loss = Quadratic::new(Dense::symmetrised(blocks(&sizes, 0.0)));
        let problem = Problem::new(&loss, &Nonnegative, 4).unwrap();
        let column = |i: usize| match i {
            0..6 => 0,
            6..12 => 1,
            12..22 => 2,
            22..30 => 3,
            _ => 4,
        };
        let start = Mat::from_fn(38, 4, |i, j| if column(i) == j { 0.9 } else { 0.0 });
        let end = |algorithm: &str| {
            let mut spec = Spec { rank: 4, ..Spec::default() };
            spec.algorithm = Component::named(algorithm);
            let solution = solve(&problem, spec.method().unwrap(), &start, &mut ()).unwrap();
            solution.last.loss
        };
        let (stuck, left) = (end("ham-extrapolated"), end("auto"));
        assert!((stuck - 32.0).abs() < 1e-6 && left < 1e-6, "{stuck} {left}");
    }

    /// The same where n is not small, so that what an exchange promises is asked first.
    #[test]
    fn a_large_run_leaves_a_poor_local_minimum() {
        let sizes = [220, 200, 150, 150];
        let loss = Quadratic::new(Dense::symmetrised(blocks(&sizes, 0.0)));
        let problem = Problem::new(&loss, &Nonnegative, 4).unwrap();
        let column = |i: usize| match i {
            0..110 => 0,
            110..220 => 1,
            220..420 => 2,
            420..570 => 3,
            _ => 4,
        };
        let start = Mat::from_fn(720, 4, |i, j| if column(i) == j { 0.9 } else { 0.0 });
        let end = |exchange: f64| {
            let mut spec = Spec { rank: 4, ..Spec::default() };
            spec.algorithm = Component::named("auto").with("exchange", exchange);
            solve(&problem, spec.method().unwrap(), &start, &mut ()).unwrap().last.loss
        };
        let (stuck, left) = (end(0.0), end(1.0));
        assert!((stuck - 11_250.0).abs() < 1e-3 && left < 1e-3, "{stuck} {left}");
    }

    /// X = 0 is best, and nothing is gained on the way: a run must end there all the same, and limits must hold.
    #[test]
    fn a_run_ends_where_nothing_can_be_gained() {
        let n = 8;
        let laplacian = Mat::from_fn(n, n, |i, j| {
            if i == j { -2.0 } else { f64::from((i + 1) % n == j || (j + 1) % n == i) }
        });
        let loss = Quadratic::new(Dense::symmetrised(laplacian));
        let problem = Problem::new(&loss, &Nonnegative, 3).unwrap();
        let start = Mat::from_fn(n, 3, |i, j| 0.1 * (i + j + 1) as f64);
        // A run that waits for something to be gained takes ten times as long to the looser tolerance.
        for (tolerance, limit, enough) in [(1e-2, 10_000, 100), (1e-6, 300, 300), (1e-2, 3, 3)] {
            let mut spec = Spec { rank: 3, ..Spec::default() };
            spec.stop = spec.stop.tolerance(tolerance).max_iterations(limit);
            let solution = solve(&problem, spec.method().unwrap(), &start, &mut ()).unwrap();
            assert!(solution.last.iteration <= enough, "{:?}", solution.last);
        }
    }
}
