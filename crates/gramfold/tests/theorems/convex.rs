//! T7 and T9: the convex problem behind the split, and rows in balls that end on spheres.

use gramfold::{
    Problem, Split,
    linalg::{Mat, symmetric_eigen},
    loss::{Linear, Quadratic},
    registry,
};

use crate::common::{
    Random, assert_close, assert_near, component, dense, eigenvalues, inner, limit, outer, product,
    regulariser, scaled, stationarity, sum, top,
};

/// Factors U√Σ and V√Σ of a square matrix UΣVᵀ of rank r, and its nuclear norm.
fn balanced(z: &Mat, r: usize) -> (Mat, Mat, f64) {
    let n = z.rows();
    // The eigenvalues of [0, Z; Zᵀ, 0] are ±σ, with the eigenvectors (u, ±v)/√2.
    let both = Mat::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
        (true, false) => z[(i, j - n)],
        (false, true) => z[(j, i - n)],
        _ => 0.0,
    });
    let eigen = symmetric_eigen(&both).unwrap();
    let part = |from: usize| {
        Mat::from_fn(n, r, |i, k| {
            let at = 2 * n - 1 - k;
            (2.0 * eigen.values[at]).sqrt() * eigen.vectors[(at, from + i)]
        })
    };
    (part(0), part(n), eigen.values[n..].iter().sum())
}

fn trace(z: &Mat) -> f64 {
    (0..z.rows()).map(|i| z[(i, i)]).sum()
}

fn half_distance(x: &Mat, y: &Mat) -> f64 {
    0.5 * sum(1.0, x, -1.0, y).norm_squared()
}

/// Changes the basis of the columns at random: X·B and Y·B⁻ᵀ for an invertible B, made of single steps.
fn rebased(random: &mut Random, x: &Mat, y: &Mat, size: f64) -> (Mat, Mat) {
    let (mut x, mut y, r) = (x.clone(), y.clone(), x.cols());
    for _ in 0..4 * r {
        let (a, b) = (random.whole(0, r - 1), random.whole(0, r - 1));
        let t = size * random.normal();
        for i in 0..x.rows() {
            if a == b {
                x[(i, a)] *= t.exp();
                y[(i, a)] /= t.exp();
            } else {
                x[(i, a)] += t * x[(i, b)];
                y[(i, b)] -= t * y[(i, a)];
            }
        }
    }
    (x, y)
}

/// [X, w], one column more.
fn with_column(x: &Mat, mut w: impl FnMut(usize) -> f64) -> Mat {
    let r = x.cols();
    let last: Vec<f64> = (0..x.rows()).map(&mut w).collect();
    Mat::from_fn(x.rows(), r + 1, |i, j| if j < r { x[(i, j)] } else { last[i] })
}

#[test]
fn t7_balanced_factors_are_the_nearest_to_each_other() {
    let mut random = Random(131);
    for trial in 0..60 {
        let n = random.whole(2, 7);
        let r = random.whole(1, n);
        let left = random.mat(n, r);
        // Any matrix, a symmetric one, and a positive semidefinite one.
        let right = match trial % 3 {
            0 => random.mat(n, r),
            1 => Mat::from_fn(n, r, |i, j| if j == 0 { -left[(i, j)] } else { left[(i, j)] }),
            _ => left.clone(),
        };
        let z = outer(&left, &right);
        let (x, y, nuclear) = balanced(&z, r);
        assert_near(&outer(&x, &y), &z, 1e-10, "XYᵀ");
        let least = nuclear - trace(&z);
        assert_close(half_distance(&x, &y), least, 1e-10, "½‖X − Y‖²");
        if trial % 3 == 2 {
            assert!(least.abs() <= 1e-10 * (1.0 + nuclear), "{least:e}");
            assert_near(&x, &y, 1e-6, "X = Y");
        } else {
            assert!(least > 1e-6, "{least:e}");
        }

        // Other factors of Z are no nearer, near the balanced ones or far, nor with a column more.
        let wider = (with_column(&x, |_| random.normal()), with_column(&y, |_| 0.0));
        for size in [0.01, 0.1, 1.0] {
            for (x, y) in [(&x, &y), (&left, &right), (&wider.0, &wider.1)] {
                let (x, y) = rebased(&mut random, x, y, size);
                assert_near(&outer(&x, &y), &z, 1e-8 * (1.0 + x.norm() * y.norm()), "XYᵀ");
                let found = half_distance(&x, &y);
                assert!(found >= least - 1e-10 * (1.0 + nuclear), "{found} below {least}");
            }
        }
        // With the ridge, what the split computes at the balanced factors is the convex objective.
        let (a, lambda, gamma) = (random.symmetric(n), random.uniform(), random.uniform());
        let h = regulariser(&format!("ridge:lambda={lambda}"));
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, r).unwrap();
        let f = 0.5 * sum(1.0, &z, -1.0, &a).norm_squared();
        let convex = f + (gamma + 0.5 * lambda) * nuclear - gamma * trace(&z);
        let split = Split::new(&problem, x, y, gamma).unwrap();
        assert_close(split.objective(), convex, 1e-10, "F");
    }
}

#[test]
fn t7_the_split_solves_the_convex_problem() {
    // For ½‖Z − A‖² each eigenvalue α of A has its own problem: |α + γ| less γ + λ/2, with the sign of α + γ.
    let mut random = Random(132);
    let mut definite = 0;
    for trial in 0..30 {
        let n = random.whole(1, 5);
        let a = random.symmetric(n);
        let lambda = 0.2 * random.uniform();
        let gamma = top(&scaled(-1.0, &a)).max(0.1) * [0.1, 0.3, 0.7][trial % 3];
        let eigen = symmetric_eigen(&a).unwrap();
        let shrunk = |alpha: f64| {
            let size = ((alpha + gamma).abs() - gamma - 0.5 * lambda).max(0.0);
            size.copysign(alpha + gamma)
        };
        let expected = Mat::from_fn(n, n, |i, j| {
            (0..n)
                .map(|k| shrunk(eigen.values[k]) * eigen.vectors[(k, i)] * eigen.vectors[(k, j)])
                .sum()
        });
        let h = regulariser(&format!("ridge:lambda={lambda}"));
        let loss = Quadratic::new(dense(&a));
        let problem = Problem::new(&loss, &*h, n).unwrap();
        let (x, y) = (random.mat(n, n), random.mat(n, n));
        let solution = limit(&problem, gamma, &x, &y);
        assert_near(&outer(&solution.x, &solution.y), &expected, 1e-5, "Z");
        // The penalty is exact where Z ⪰ 0, and only there.
        let is_definite = shrunk(eigen.values[0]) >= 0.0;
        let apart = solution.x.distance(&solution.y);
        assert_eq!(apart < 1e-3, is_definite, "{apart:e}");
        definite += usize::from(is_definite);
    }
    assert!(definite > 5 && definite < 25, "{definite}");
}

/// A random symmetric matrix with a zero diagonal.
fn hollow(random: &mut Random, n: usize) -> Mat {
    let mut c = random.symmetric(n);
    (0..n).for_each(|i| c[(i, i)] = 0.0);
    c
}

#[test]
fn t9_rows_in_balls_end_on_spheres_for_any_gamma() {
    let mut random = Random(133);
    let h = regulariser("row-ball");
    for trial in 0..30 {
        let n = random.whole(2, 7);
        let c = hollow(&mut random, n);
        let shift = top(&c) * (1.0 + 0.2 * random.uniform());
        let loss = Linear::new(dense(&sum(1.0, &c, -shift, &Mat::identity(n))));
        let problem = Problem::new(&loss, &*h, n).unwrap();
        let gamma = [1e-4, 1e-2, 1.0][trial % 3];
        let (x, y) = (random.feasible(&*h, n, n), random.feasible(&*h, n, n));
        let solution = limit(&problem, gamma, &x, &y);
        let x = &solution.x;
        assert_near(x, &solution.y, 1e-6, "X = Y");
        for i in 0..n {
            let length: f64 = x.row(i).iter().map(|x| x * x).sum();
            assert_close(length, 1.0, 1e-9, "a row's length");
        }
        // CX = Diag(d)X and C − Diag(d) ⪰ 0: the best unit rows there are.
        let image = product(&c, x);
        let d: Vec<f64> = (0..n).map(|i| (0..n).map(|k| image[(i, k)] * x[(i, k)]).sum()).collect();
        let slack = Mat::from_fn(n, n, |i, j| if i == j { -d[i] } else { c[(i, j)] });
        assert!(product(&slack, x).norm() <= 1e-4 * c.norm(), "{trial}");
        assert!(eigenvalues(&slack)[0] >= -1e-3 * c.norm(), "{trial}: {}", eigenvalues(&slack)[0]);
        assert_close(inner(&c, &outer(x, x)), d.iter().sum(), 1e-9, "⟨C, XXᵀ⟩");
    }
}

#[test]
fn t9_needs_the_shift_and_the_balls() {
    // x₁y₂ + x₂y₁ over |x_i| ≤ 1: without a shift (1, 1) and (−1, −1) stay apart at a small γ.
    let c = Mat::from_row_major(2, 2, vec![0.0, 1.0, 1.0, 0.0]);
    let h = regulariser("row-ball");
    let ones = Mat::from_row_major(2, 1, vec![1.0, 1.0]);
    let opposite = scaled(-1.0, &ones);
    let gamma = 0.1;
    let plain = Linear::new(dense(&c));
    let problem = Problem::new(&plain, &*h, 1).unwrap();
    assert!(stationarity(&problem, &ones, &opposite, gamma) < 1e-14);
    let shifted = Linear::new(dense(&sum(1.0, &c, -1.0, &Mat::identity(2))));
    let problem = Problem::new(&shifted, &*h, 1).unwrap();
    assert!(stationarity(&problem, &ones, &opposite, gamma) > 1e-3);

    // Spheres: where X is critical, so is (X, −X), whatever γ, as no gradient GY + γD is along the sphere.
    let mut random = Random(134);
    let c = hollow(&mut random, 5);
    let g = sum(1.0, &c, -top(&c), &Mat::identity(5));
    let loss = Linear::new(dense(&g));
    let problem = Problem::new(&loss, &*h, 5).unwrap();
    let start = random.feasible(&*h, 5, 5);
    let x = limit(&problem, 0.1, &start, &start).x;
    for gamma in [0.1, 1.0, 100.0] {
        let gradient = sum(-1.0, &product(&g, &x), 2.0 * gamma, &x);
        for i in 0..5 {
            let outwards: f64 = gradient.row(i).iter().zip(x.row(i)).map(|(g, x)| g * x).sum();
            let along = gradient.row(i).iter().zip(x.row(i)).map(|(g, x)| g - outwards * x);
            assert!(along.map(f64::abs).fold(0.0, f64::max) < 1e-5);
        }
        // In balls it is not: the rows are drawn inwards.
        assert!(stationarity(&problem, &x, &scaled(-1.0, &x), gamma) > 1e-3);
    }
    let refused = registry::regulariser(&component("sphere")).err().unwrap().to_string();
    assert!(refused.contains("row-ball"), "{refused}");
}
