//! Recovery from measurements: phase retrieval (a_iᵀZa_i = b_i) and matrix sensing (⟨A_i, Z⟩ = b_i).

use gramfold::{
    Error, Loss, Problem, Spec,
    linalg::{Krylov, KrylovOptions, Mat},
    loss::map::{Map, Matrices, RankOne},
    registry::{Component, Data},
    start::{self, Start},
};
use serde::{Deserialize, Serialize};

use crate::{amplitudes, folded_spec};

/// What a row of a table of measurements holds before its last number, b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// The n entries of a vector a: b = aᵀZa.
    Vectors,
    /// The n² entries of a matrix A, row by row: b = ⟨A, Z⟩.
    Matrices,
    /// Nothing: the entries of A that are not zero are listed, and b is apart from them.
    Sparse,
}

/// An entry of one of many sparse matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseEntry {
    /// Which matrix, from zero.
    pub measurement: u32,
    /// Its row, from zero.
    pub row: u32,
    /// Its column, from zero.
    pub column: u32,
    /// What is there, added to what else is.
    pub value: f64,
}

/// Measurements of an n×n matrix, and what came out.
pub struct Measurements {
    /// What was measured.
    pub map: Box<dyn Map>,
    /// b.
    pub targets: Vec<f64>,
    kind: Measured,
}

impl Measurements {
    /// Of a table whose last column is b.
    pub fn of(table: &Mat, kind: Measured) -> Result<Self, Error> {
        let (m, columns) = (table.rows(), table.cols());
        if columns < 2 {
            let message = "a measurement needs a column for each number, and a last one for b";
            return Err(Error::data(message));
        }
        let measuring = (0..m).flat_map(|i| &table.row(i)[..columns - 1]);
        refuse_scale(measuring.fold(0.0, |largest, a| largest.max(a.abs())))?;
        let targets = table.column(columns - 1).collect();
        let map: Box<dyn Map> = match kind {
            Measured::Sparse => return Err(Error::data("sparse matrices are no table")),
            Measured::Vectors => {
                Box::new(RankOne::new(Mat::from_fn(m, columns - 1, |i, j| table[(i, j)])))
            }
            Measured::Matrices => {
                let n = (columns - 1).isqrt();
                if n * n != columns - 1 {
                    let message = "columns before b are not the n² entries of a matrix";
                    return Err(Error::data(format!("{} {message}", columns - 1)));
                }
                let entries = |k: usize| {
                    let row = &table.row(k)[..n * n];
                    let nonzero = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
                    nonzero.map(|(at, value)| ((at / n) as u32, (at % n) as u32, *value)).collect()
                };
                let matrices: Vec<Vec<_>> = (0..m).map(entries).collect();
                Box::new(Matrices::new(n, &matrices)?)
            }
        };
        Ok(Self { map, targets, kind })
    }

    /// Of n×n matrices whose entries are listed, and what came out for each of them.
    pub fn sparse(n: usize, entries: &[SparseEntry], targets: Vec<f64>) -> Result<Self, Error> {
        refuse_scale(entries.iter().fold(0.0, |largest, entry| largest.max(entry.value.abs())))?;
        let mut matrices = vec![Vec::new(); targets.len()];
        for entry in entries {
            let Some(matrix) = matrices.get_mut(entry.measurement as usize) else {
                let (k, count) = (entry.measurement, targets.len());
                let there = format!("there are {count}, numbered from 0");
                return Err(Error::data(format!("measurement {k} has no target: {there}")));
            };
            matrix.push((entry.row, entry.column, entry.value));
        }
        if let Some(empty) = matrices.iter().position(Vec::is_empty) {
            let message = format!("measurement {empty} has a target, but no entries");
            return Err(Error::data(message));
        }
        let map = Box::new(Matrices::new(n, &matrices)?);
        Ok(Self { map, targets, kind: Measured::Sparse })
    }

    /// The loss that a spec names.
    pub fn loss(self, spec: &Spec) -> Result<Box<dyn Loss>, Error> {
        spec.loss(Data::Measured { map: self.map, targets: self.targets, weights: None })
    }

    /// The signal that intensities come from, where it is found by its signs: a start of rank one next to the answer.
    pub fn signal(&self, seed: u64, stop: &dyn Fn() -> bool) -> Option<Mat> {
        match self.kind {
            Measured::Vectors => amplitudes::signal(&*self.map, &self.targets, seed, stop),
            Measured::Matrices | Measured::Sparse => None,
        }
    }

    /// A sentence where they are too few for a matrix of the rank, or where no matrix meets them.
    pub fn warning(&self, rank: usize) -> Option<String> {
        let (m, needed) = (self.targets.len(), unknowns(self.map.dim(), rank));
        let few = (m < needed).then(|| {
            format!(
                "{m} measurements do not determine the {needed} numbers of a matrix of rank {rank}"
            )
        });
        let negative = match self.kind {
            Measured::Vectors => self.targets.iter().filter(|b| **b < 0.0).count(),
            Measured::Matrices | Measured::Sparse => 0,
        };
        let unmet = (negative > 0).then(|| {
            let are = if negative == 1 { "measurement is" } else { "measurements are" };
            format!("{negative} {are} negative and cannot be met: aᵀZa is never below 0")
        });
        let both: Vec<String> = few.into_iter().chain(unmet).collect();
        (!both.is_empty()).then(|| both.join("; "))
    }

    /// ‖𝒜(XXᵀ) − b‖/‖b‖.
    pub fn relative_residual(&self, x: &Mat) -> f64 {
        let mut image = vec![0.0; self.map.len()];
        self.map.image(x, x, &mut image);
        let square = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>();
        let residual = square(&mut image.iter().zip(&self.targets).map(|(z, b)| z - b));
        let size = square(&mut self.targets.iter().copied());
        if size == 0.0 { residual.sqrt() } else { (residual / size).sqrt() }
    }
}

/// Fourth powers of what measures are taken, and must neither over- nor underflow; the core library looks at the targets.
fn refuse_scale(largest: f64) -> Result<(), Error> {
    if largest != 0.0 && !(1e-70..=1e70).contains(&largest) {
        return Err(Error::Scale { size: largest });
    }
    Ok(())
}

/// Lanczos steps for a start, and the residual that is enough.
const STEPS: usize = 120;
const ROUGH: f64 = 1e-3;

/// The share of a start that is random. Eigenvectors with zeros, as of measurements of single entries, are saddle points of a
/// rank that is too small to see the rest.
const RANDOM: f64 = 1e-2;

/// The leading eigenvectors of what the loss says at 0, scaled to the data: for intensities this needs more than a few
/// steps of a power method, since the eigenvalue that counts stands little above the others.
/// Where `stop` says so, those that are known by then.
pub fn leading_start(
    problem: &Problem<'_>,
    seed: u64,
    stop: &dyn Fn() -> bool,
) -> Result<Mat, Error> {
    let (n, r) = (problem.dim(), problem.rank);
    let mut pull = |v: &Mat, out: &mut Mat| problem.loss.pull(v, out);
    let basis = (2 * r + 40).min(n);
    let steps = STEPS.max(2 * basis);
    let options = KrylovOptions { wanted: r, basis, ..KrylovOptions::largest(steps, ROUGH) };
    let ritz = Krylov::new(n, seed).run_until(stop, &mut pull, None, options);
    let ritz = ritz.ok_or(Error::Overflow)?;
    let weight = |j: usize| ritz.values.get(j).map_or(0.0, |value| value.max(0.0).sqrt());
    let known = ritz.vectors.rows();
    let mut x =
        Mat::from_fn(n, r, |i, j| if j < known { weight(j) * ritz.vectors[(j, i)] } else { 0.0 });
    if x.norm() == 0.0 {
        return Ok(start::random(problem, seed));
    }
    let aside = start::random(problem, seed);
    x.axpy(RANDOM * x.norm() / aside.norm(), &aside);
    let mut evaluation = problem.loss.evaluation(r);
    evaluation.folded(&x);
    if let Some(best) = evaluation.best_multiple(&x) {
        x.scale(best.sqrt());
    }
    Ok(x)
}

/// The run that recovers a matrix; `base` has the rank, the regulariser, the limits and the seed.
pub fn recover_spec(loss: Component, data: &str, base: &Spec) -> Spec {
    let mut spec = folded_spec(base.rank, loss, data, base);
    // Residuals vanish at the answer, where Gauss–Newton is Newton.
    spec.algorithm = Component::named("auto");
    // A tenth, for errors of the signal itself.
    spec.stop.stationarity *= 0.1;
    spec.start = Start::Spectral;
    spec
}

/// The same next to the answer, where steps of Gauss–Newton take more passes than they save.
pub fn near_spec(spec: &Spec) -> Spec {
    Spec { algorithm: Component::named("lbfgs"), ..spec.clone() }
}

/// The numbers that determine XXᵀ for an n×r matrix X.
pub fn unknowns(n: usize, r: usize) -> usize {
    n * r - r * (r - 1) / 2
}

#[cfg(test)]
mod tests {
    use gramfold::{
        Problem, Spec, Status, Stop,
        linalg::dot,
        loss::Composite,
        registry::{Component, scalar},
        regulariser::Zero,
    };
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn normal(rows: usize, cols: usize, seed: u64) -> Mat {
        // Box and Muller on a generator whose numbers are known.
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut uniform = || {
            use rand::RngExt;
            random.random::<f64>().max(1e-300)
        };
        Mat::from_fn(rows, cols, |_, _| {
            (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
        })
    }

    #[test]
    fn single_entries_are_no_trap() {
        // a = e_i: the leading eigenvector is one of them, where the others feel nothing.
        let table = Mat::from_fn(4, 5, |i, j| match j {
            4 => [1.0, 4.0, 9.0, 16.0][i],
            j => f64::from(i == j),
        });
        let (x, status) = solve(&table, Measured::Vectors, 1);
        assert_eq!(status, Status::Converged);
        for i in 0..4 {
            assert!((x[(i, 0)].abs() - (i + 1) as f64).abs() < 1e-5, "{x:?}");
        }
    }

    fn solve(table: &Mat, kind: Measured, rank: usize) -> (Mat, Status) {
        let measured = Measurements::of(table, kind).unwrap();
        let scalar = scalar(&Component::named("square")).unwrap();
        let loss = Composite::new(measured.map, scalar, &measured.targets, None).unwrap();
        let problem = Problem::new(&loss, &Zero, rank).unwrap();
        let spec = Spec {
            rank,
            algorithm: Component::named("lbfgs"),
            stop: Stop::default(),
            ..Spec::default()
        };
        let start = leading_start(&problem, 0, &|| false).unwrap();
        let solution = gramfold::solve(&problem, spec.method().unwrap(), &start, &mut ()).unwrap();
        (solution.factor, solution.status)
    }

    #[test]
    fn a_signal_comes_back_from_its_intensities() {
        let (n, m) = (40, 160);
        for seed in 0..5 {
            let (signal, a) = (normal(n, 1, 100 + seed), normal(m, n, seed));
            let table = Mat::from_fn(m, n + 1, |i, j| {
                if j < n { a[(i, j)] } else { dot(a.row(i), signal.as_slice()).powi(2) }
            });
            let (x, status) = solve(&table, Measured::Vectors, 1);
            assert_eq!(status, Status::Converged);
            let mut other = x.clone();
            other.scale(-1.0);
            let error = x.distance(&signal).min(other.distance(&signal)) / signal.norm();
            assert!(error < 1e-5, "{seed}: {error}");
        }
    }

    #[test]
    fn signs_find_a_signal_from_few_intensities_or_say_that_they_do_not() {
        let (n, m) = (60, 180);
        let mut found = 0;
        for seed in 0..10 {
            let (signal, a) = (normal(n, 1, 200 + seed), normal(m, n, 300 + seed));
            let table = Mat::from_fn(m, n + 1, |i, j| {
                if j < n { a[(i, j)] } else { dot(a.row(i), signal.as_slice()).powi(2) }
            });
            let measured = Measurements::of(&table, Measured::Vectors).unwrap();
            if let Some(x) = measured.signal(seed, &|| false) {
                let mut other = x.clone();
                other.scale(-1.0);
                let error = x.distance(&signal).min(other.distance(&signal)) / signal.norm();
                assert!(error < 1e-6, "{seed}: {error}");
                found += 1;
            }
        }
        assert!(found >= 7, "{found} of 10");
        let lost = Mat::from_fn(3, 3, |i, j| if j == 2 { -1.0 } else { (i + j) as f64 });
        let measured = Measurements::of(&lost, Measured::Vectors).unwrap();
        assert!(measured.signal(0, &|| false).is_none());
        let said = measured.warning(1).unwrap();
        assert_eq!(said, "3 measurements are negative and cannot be met: aᵀZa is never below 0");
    }

    #[test]
    fn a_matrix_comes_back_from_inner_products() {
        let (n, r, m) = (8, 2, 45);
        let (truth, a) = (normal(n, r, 3), normal(m, n * n, 4));
        let z = Mat::from_fn(n, n, |i, j| dot(truth.row(i), truth.row(j)));
        let table = Mat::from_fn(m, n * n + 1, |i, j| {
            if j < n * n { a[(i, j)] } else { dot(a.row(i), z.as_slice()) }
        });
        let measured = Measurements::of(&table, Measured::Matrices).unwrap();
        assert_eq!((measured.map.dim(), unknowns(n, r)), (8, 15));
        let again = Measurements::of(&table, Measured::Matrices).unwrap();
        assert!(again.relative_residual(&truth) < 1e-12);
        let (x, _) = solve(&table, Measured::Matrices, r);
        let found = Mat::from_fn(n, n, |i, j| dot(x.row(i), x.row(j)));
        assert!(found.distance(&z) < 1e-5 * z.norm());
    }

    /// Entries that are listed measure what the same matrices measure when they are written out.
    #[test]
    fn sparse_matrices_measure_what_whole_ones_do() {
        let entry =
            |measurement, row, column, value| SparseEntry { measurement, row, column, value };
        let entries = [
            entry(1, 2, 2, 4.0),
            entry(0, 0, 1, 1.5),
            entry(1, 0, 2, -1.0),
            entry(0, 0, 1, 0.5),
            entry(1, 2, 0, 3.0),
        ];
        let sparse = Measurements::sparse(3, &entries, vec![7.0, 8.0]).unwrap();
        let table = Mat::from_fn(2, 10, |k, at| match (k, at) {
            (k, 9) => 7.0 + k as f64,
            (0, 1) => 2.0,
            (1, 2) => -1.0,
            (1, 6) => 3.0,
            (1, 8) => 4.0,
            _ => 0.0,
        });
        let whole = Measurements::of(&table, Measured::Matrices).unwrap();
        let x = normal(3, 2, 8);
        let image = |measured: &Measurements| {
            let mut image = vec![0.0; 2];
            measured.map.image(&x, &x, &mut image);
            image
        };
        assert_eq!(sparse.targets, whole.targets);
        assert_eq!(image(&sparse), image(&whole));
        let first = 2.0 * dot(x.row(0), x.row(1));
        assert!((image(&sparse)[0] - first).abs() < 1e-14);
        let refused = |entries: &[SparseEntry], targets: Vec<f64>| {
            Measurements::sparse(3, entries, targets).map(|_| ()).unwrap_err().to_string()
        };
        let said = refused(&entries, vec![7.0]);
        assert_eq!(said, "measurement 1 has no target: there are 1, numbered from 0");
        let said = refused(&entries[1..2], vec![7.0, 8.0]);
        assert_eq!(said, "measurement 1 has a target, but no entries");
    }

    #[test]
    fn other_shapes_are_refused() {
        assert!(Measurements::of(&Mat::zeros(3, 1), Measured::Vectors).is_err());
        assert!(Measurements::of(&Mat::zeros(3, 4), Measured::Matrices).is_err());
    }
}
