//! Shared by the law, theorem and certificate tests: random data, naive dense algebra, short runs.
//!
//! Everything here is written as the formula reads, so that it can judge the kernels.

#![allow(dead_code, reason = "each test binary uses its own part")]

pub(crate) mod custom;

use gramfold::{
    Method, Problem, Regulariser, Solution, Split, Stop,
    linalg::{Csr, Dense, Mat, Symmetric, symmetric_eigen},
    loss::Composite,
    registry::{self, Component, Entry, MAPS, SCALARS},
    solve_from,
};

/// SplitMix64: small, and the same numbers for ever.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform on [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform on low..=high.
    pub(crate) fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.uniform() * (high - low + 1) as f64) as usize
    }

    /// Standard normal, by Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    pub(crate) fn mat(&mut self, rows: usize, cols: usize) -> Mat {
        Mat::from_fn(rows, cols, |_, _| self.normal())
    }

    pub(crate) fn positive(&mut self, rows: usize, cols: usize) -> Mat {
        Mat::from_fn(rows, cols, |_, _| self.uniform())
    }

    pub(crate) fn symmetric(&mut self, n: usize) -> Mat {
        let m = self.mat(n, n);
        sum(0.5, &m, 0.5, &m.transposed())
    }

    /// A factor in the domain of the regulariser.
    pub(crate) fn feasible(&mut self, h: &dyn Regulariser, rows: usize, cols: usize) -> Mat {
        let mut x = self.mat(rows, cols);
        h.prox(x.as_mut_slice(), cols, f64::MIN_POSITIVE);
        x
    }
}

/// A·B.
pub(crate) fn product(a: &Mat, b: &Mat) -> Mat {
    assert_eq!(a.cols(), b.rows());
    Mat::from_fn(a.rows(), b.cols(), |i, j| (0..a.cols()).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

/// XYᵀ.
pub(crate) fn outer(x: &Mat, y: &Mat) -> Mat {
    product(x, &y.transposed())
}

/// αA + βB.
pub(crate) fn sum(alpha: f64, a: &Mat, beta: f64, b: &Mat) -> Mat {
    Mat::from_fn(a.rows(), a.cols(), |i, j| alpha * a[(i, j)] + beta * b[(i, j)])
}

/// αA.
pub(crate) fn scaled(alpha: f64, a: &Mat) -> Mat {
    sum(alpha, a, 0.0, a)
}

/// ⟨A, B⟩.
pub(crate) fn inner(a: &Mat, b: &Mat) -> f64 {
    a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| a * b).sum()
}

/// ½(A + Aᵀ).
pub(crate) fn symmetric_part(a: &Mat) -> Mat {
    sum(0.5, a, 0.5, &a.transposed())
}

/// Eigenvalues, smallest first.
pub(crate) fn eigenvalues(a: &Mat) -> Vec<f64> {
    symmetric_eigen(a).expect("finite").values
}

/// The largest eigenvalue.
pub(crate) fn top(a: &Mat) -> f64 {
    *eigenvalues(a).last().expect("not empty")
}

pub(crate) fn dense(a: &Mat) -> Symmetric {
    Dense::symmetrised(a.clone()).into()
}

/// The same matrix, its nonzeros stored.
pub(crate) fn sparse(a: &Mat) -> Symmetric {
    let n = a.rows();
    let entries: Vec<_> = (0..n * n)
        .map(|e| ((e / n) as u32, (e % n) as u32, a[(e / n, e % n)]))
        .filter(|e| e.2 != 0.0)
        .collect();
    Csr::from_entries(n, &entries).expect("symmetric").into()
}

/// A component from its text.
pub(crate) fn component(text: &str) -> Component {
    text.parse().expect("a component")
}

pub(crate) fn regulariser(text: &str) -> Box<dyn Regulariser> {
    registry::regulariser(&component(text)).expect("a regulariser")
}

/// A component with every required parameter given, so that the whole registry can be built.
pub(crate) fn complete<T: ?Sized>(entry: &Entry<T>) -> Component {
    let mut component = Component::named(entry.name);
    for parameter in entry.parameters.iter().filter(|p| p.default.is_none()) {
        component = component.with(parameter.name, 2.0);
    }
    component
}

/// Every scalar function of every kind of measurements on n×n matrices, with and without weights; and sums of two.
pub(crate) fn composites(n: usize, seed: u64) -> Vec<Composite> {
    let mut random = Random(seed);
    let mut all = Vec::new();
    for (map, scalar) in MAPS.iter().flat_map(|m| SCALARS.iter().map(move |s| (m, s))) {
        let plain = composite(map.name, &complete(scalar).to_string(), n, &mut random);
        let other = composite("entries", "square", n, &mut random).scaled(0.3).expect("positive");
        let c = dense(&random.symmetric(n));
        all.push(match all.len() % 5 {
            0 => plain.plus(other).expect("one size"),
            1 => plain.with_linear(c).expect("one size"),
            _ => plain,
        });
    }
    all
}

/// A scalar function of measurements of one kind, with random targets and, sometimes, weights.
pub(crate) fn composite(map: &str, scalar: &str, n: usize, random: &mut Random) -> Composite {
    let entry = MAPS.iter().find(|entry| entry.name == map).expect("a map");
    let scalar = registry::scalar(&component(scalar)).expect("a scalar function");
    let map = (entry.example)(n, &mut || 2.0 * random.uniform() - 1.0);
    let m = map.observations();
    let targets: Vec<f64> = (0..m).map(|_| scalar.nearest_target(random.normal())).collect();
    let weights: Vec<f64> = (0..m).map(|_| 0.2 + random.uniform()).collect();
    let weights = (random.uniform() < 0.5).then_some(&weights[..]);
    Composite::new(map, scalar, &targets, weights).expect("a loss")
}

/// Every regulariser, with its defaults and with every parameter larger.
pub(crate) fn regularisers() -> Vec<Box<dyn Regulariser>> {
    let mut all = Vec::new();
    for entry in registry::REGULARISERS {
        let plain = complete(entry);
        all.push(registry::regulariser(&plain).expect("built"));
        if !entry.parameters.is_empty() {
            let larger = entry.parameters.iter().fold(plain, |component, parameter| {
                component.with(parameter.name, 2.5 * parameter.default.unwrap_or(1.0))
            });
            all.push(registry::regulariser(&larger).expect("built"));
        }
    }
    all
}

pub(crate) fn method(algorithm: &str, rule: &str, stop: Stop) -> Method {
    Method {
        algorithm: registry::algorithm(&component(algorithm)).expect("an algorithm"),
        rule: registry::rule(&component(rule)).expect("a rule"),
        stop,
    }
}

/// AM at a fixed γ until the split problem is stationary to 1e-12, symmetric or not.
pub(crate) fn limit(problem: &Problem<'_>, gamma: f64, x: &Mat, y: &Mat) -> Solution {
    // No blow-up at a fixed γ that descends; a start at 0 would be one by any relative measure.
    let (asymmetry, blow_up) = (f64::INFINITY, f64::INFINITY);
    let stop = Stop { stationarity: 1e-12, asymmetry, blow_up, ..Stop::default() };
    let rule = format!("fixed:gamma={gamma}");
    let method = method("am:tolerance=1e-14", &rule, stop.max_iterations(20_000));
    solve_from(problem, method, x.clone(), y.clone(), &mut ()).expect("compatible")
}

/// The stationarity of (X, Y) at γ.
pub(crate) fn stationarity(problem: &Problem<'_>, x: &Mat, y: &Mat, gamma: f64) -> f64 {
    Split::new(problem, x.clone(), y.clone(), gamma).expect("fits").stationarity()
}

/// Fails unless |a − b| ≤ tolerance·(1 + |b|).
#[track_caller]
pub(crate) fn assert_close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{what}: {a} against {b}");
}

/// Fails unless ‖A − B‖ ≤ tolerance·(1 + ‖B‖).
#[track_caller]
pub(crate) fn assert_near(a: &Mat, b: &Mat, tolerance: f64, what: &str) {
    let distance = sum(1.0, a, -1.0, b).norm();
    assert!(distance <= tolerance * (1.0 + b.norm()), "{what}: {distance:e} apart");
}
