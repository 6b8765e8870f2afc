//! Every γ rule against its formula, evaluated naively with dense matrices.

use gramfold::{
    PenaltyRule, Problem, Regulariser, Split,
    linalg::Mat,
    loss::Quadratic,
    registry::{self, RULES},
};

use crate::common::{
    Random, assert_close, complete, component, dense, inner, outer, product, regulariser,
    regularisers, sum, symmetric_part, top,
};

/// What the formulas are made of.
struct Point {
    a: Mat,
    x: Mat,
    y: Mat,
    gamma: f64,
}

impl Point {
    fn random(random: &mut Random, h: &dyn Regulariser, n: usize) -> Self {
        let (a, gamma) = (random.symmetric(n), 0.2 + random.uniform());
        // Factors that vanished or agree leave nothing to measure.
        loop {
            let (x, y) = (random.feasible(h, n, 2), random.feasible(h, n, 2));
            if x.norm() > 0.0 && y.norm() > 0.0 && x.distance(&y) > 1e-6 {
                return Self { a, x, y, gamma };
            }
        }
    }

    fn gradient(&self) -> Mat {
        sum(1.0, &outer(&self.x, &self.y), -1.0, &self.a)
    }

    fn difference(&self) -> Mat {
        sum(1.0, &self.x, -1.0, &self.y)
    }

    fn loss(&self) -> f64 {
        0.5 * self.gradient().norm_squared()
    }

    /// ‖factor‖₂².
    fn square(factor: &Mat) -> f64 {
        top(&product(&factor.transposed(), factor))
    }

    /// γ_k by the formula of the rule with its default parameters, if γ_{k−1} is this γ.
    fn expected(&self, rule: &str, h: &dyn Regulariser, initial: f64) -> f64 {
        let (g, d) = (self.gradient(), self.difference());
        let size = d.norm_squared();
        let squares = self.x.norm_squared() + self.y.norm_squared();
        let mismatch = squares / (2.0 * inner(&self.x, &self.y).abs());
        let check = (inner(&d, &product(&g, &d)) / (2.0 * 0.3 * size) - 0.25 * h.sigma()).max(0.0);
        let tau = 1.0 - 2.0 * inner(&self.x, &self.y) / squares;
        let mixed = (check + 1e-3).max(0.5 * tau * g.norm());
        match rule {
            "fixed" => 2.0,
            "dynamic" => mixed.min(self.gamma),
            "dynamic-max" => mixed,
            // At one point the lag of the printed form makes no difference.
            "adp" | "adp-printed" => self.gamma * mismatch,
            "agd" => {
                let slope = inner(&d, &product(&g.transposed(), &self.x));
                (Self::square(&self.x) + 2.0 * slope / size).max(0.0) + 1e-3
            }
            "agd-printed" => {
                let slope = -inner(&d, &product(&g, &self.y));
                (Self::square(&self.y) + 2.0 * slope / size).max(0.0) + 1e-3
            }
            "pca" => (1.0 / size.sqrt()).clamp(1e-3, 1e3),
            "pca-printed" => (1.0 / size.sqrt().sqrt()).clamp(1e-3, 1e3),
            "lorads" | "zhu" | "kuang" => self.gamma,
            "safe" => {
                let values = 0.5 * (h.value(&self.x) + h.value(&self.y));
                let objective = self.loss() + values + 0.5 * self.gamma * size;
                let bound = 1.1 * (0.5 * objective).sqrt() - 0.25 * h.sigma() + 1e-3;
                bound.min(self.gamma)
            }
            "spectral" => {
                let threshold = 0.5 * top(&symmetric_part(&g)) - 0.25 * h.sigma();
                let floor = 0.3 * self.y.norm_squared() / self.y.cols() as f64;
                (1.1 * threshold).max(floor).max(-0.55 * h.sigma())
            }
            _ => panic!("write the formula of `{rule}` (γ₀ = {initial}) here"),
        }
    }
}

#[test]
fn every_rule_is_its_formula() {
    let mut random = Random(71);
    for trial in 0..40 {
        for h in regularisers() {
            let point = Point::random(&mut random, &*h, [2, 6, 12, 30][trial % 4]);
            let loss = Quadratic::new(dense(&point.a));
            let problem = Problem::new(&loss, &*h, 2).unwrap();
            for entry in RULES {
                let mut rule = registry::rule(&complete(entry)).unwrap();
                let mut split =
                    Split::new(&problem, point.x.clone(), point.y.clone(), point.gamma).unwrap();
                let initial = rule.initial(&split);
                split.set_gamma(point.gamma);
                let mut found = rule.update(&split);
                if entry.name == "spectral" {
                    // It tracks λmax by a few Lanczos steps a look: at a point that stands still it gets there.
                    found = (0..1000).map(|_| rule.update(&split)).last().unwrap();
                }
                let expected = point.expected(entry.name, &*h, initial);
                // Well inside the margin δ = 10 %.
                let tolerance = if entry.name == "spectral" { 0.05 } else { 1e-9 };
                assert_close(found, expected, tolerance, entry.name);
            }
        }
    }
}

#[test]
fn the_start_of_every_rule_is_its_formula() {
    let mut random = Random(72);
    let h = regulariser("ridge");
    let point = Point::random(&mut random, &*h, 6);
    let loss = Quadratic::new(dense(&point.a));
    let problem = Problem::new(&loss, &*h, 2).unwrap();
    let x = &point.x;
    let folded = Point { a: point.a.clone(), x: x.clone(), y: x.clone(), gamma: 0.0 };
    for entry in RULES {
        let mut rule = registry::rule(&complete(entry)).unwrap();
        let split = Split::new(&problem, x.clone(), x.clone(), 0.0).unwrap();
        let expected = match entry.name {
            "fixed" => 2.0,
            "dynamic" | "dynamic-max" | "pca" | "pca-printed" => folded.loss().sqrt(),
            "adp" | "adp-printed" | "agd" | "agd-printed" => 1e-5,
            "lorads" => 1.0 / 6.0_f64.sqrt(),
            "safe" => 1.1 * (0.5 * (folded.loss() + h.value(x))).sqrt() - 0.25 + 1e-3,
            "spectral" => 0.3 * x.norm_squared() / 2.0, // The floor: λmax is first looked at after a step.
            "zhu" => 0.5 * (top(&product(&point.a, &point.a)).sqrt() + folded.gradient().norm()),
            "kuang" => point.a.as_slice().iter().fold(0.0_f64, |m, v| m.max(*v)).powi(2),
            other => panic!("write γ₀ of `{other}` here"),
        };
        assert_close(rule.initial(&split), expected, 0.01, entry.name);
    }
}

/// γ over `points`, one update at each.
fn follow(rule: &mut dyn PenaltyRule, h: &dyn Regulariser, points: &[Point]) -> Vec<f64> {
    let mut gammas: Vec<f64> = Vec::new();
    for (k, point) in points.iter().enumerate() {
        let loss = Quadratic::new(dense(&point.a));
        let problem = Problem::new(&loss, h, 2).unwrap();
        let previous = gammas.last().copied().unwrap_or(0.0);
        let split = Split::new(&problem, point.x.clone(), point.y.clone(), previous).unwrap();
        gammas.push(if k == 0 { rule.initial(&split) } else { rule.update(&split) });
    }
    gammas
}

#[test]
fn lorads_grows_by_a_fifth_every_five_iterations_up_to_its_cap() {
    let mut random = Random(73);
    let h = regulariser("zero");
    let points: Vec<_> = (0..13).map(|_| Point::random(&mut random, &*h, 4)).collect();
    let mut rule = registry::rule(&component("lorads")).unwrap();
    let gammas = follow(&mut *rule, &*h, &points);
    for (k, gamma) in gammas.iter().enumerate() {
        let expected = [0.5, 0.6, 0.72][k / 5];
        assert_close(*gamma, expected, 1e-14, "lorads");
    }
    let mut capped = registry::rule(&component("lorads:factor=10,cap=20")).unwrap();
    assert_eq!(follow(&mut *capped, &*h, &points)[12], 20.0);
}

#[test]
fn adp_as_printed_lags_by_one_iteration() {
    let mut random = Random(74);
    let h = regulariser("zero");
    let points: Vec<_> = (0..6).map(|_| Point::random(&mut random, &*h, 5)).collect();
    let growth = |k: usize| Point { gamma: 1.0, ..clone(&points[k]) }.expected("adp", &*h, 0.0);
    for (name, lag) in [("adp", 0), ("adp-printed", 1)] {
        let mut rule = registry::rule(&component(name)).unwrap();
        let gammas = follow(&mut *rule, &*h, &points);
        let mut expected = 1e-5;
        for (k, gamma) in gammas.iter().enumerate().skip(1) {
            expected *= growth(k - lag);
            assert!((gamma / expected - 1.0).abs() < 1e-12, "{name} at {k}");
        }
    }
}

fn clone(point: &Point) -> Point {
    let Point { a, x, y, gamma } = point;
    Point { a: a.clone(), x: x.clone(), y: y.clone(), gamma: *gamma }
}

#[test]
fn safe_never_rises_and_never_leaves_its_floor() {
    let mut random = Random(75);
    let h = regulariser("zero");
    let points: Vec<_> = (0..8).map(|_| Point::random(&mut random, &*h, 5)).collect();
    let mut rule = registry::rule(&component("safe:floor=0.2")).unwrap();
    let gammas = follow(&mut *rule, &*h, &points);
    let floor = 0.2 * 0.5 * points[0].y.norm_squared();
    assert!(gammas.windows(2).all(|w| w[1] <= w[0]) && gammas.iter().all(|g| *g >= floor));
}
