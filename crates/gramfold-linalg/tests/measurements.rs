//! The kernels of measurements and of projected gradients against plain loops, over odd sizes and widths, and the same bits on
//! any number of threads.

use gramfold_linalg::{
    Bent, Combination, Mat, Pattern, dot, invert_each, multiply, row_products, solve_each,
};
use proptest::prelude::*;

mod common;
use common::{close, on_any_threads, random, rows, width};

/// Places (i, j) of an n×n matrix that depend on the seed.
fn places(n: usize, count: usize, seed: u64) -> Vec<(u32, u32)> {
    let picks = random(count, 2, seed);
    let place = |p: f64| ((f64::midpoint(p, 1.0) * n as f64) as usize).min(n - 1) as u32;
    (0..count).map(|k| (place(picks[(k, 0)]), place(picks[(k, 1)]))).collect()
}

/// n random positive semidefinite r×r matrices, one after the other.
fn grams(n: usize, r: usize, seed: u64) -> Vec<f64> {
    let factors = random(n * r, r, seed);
    let gram = |at: usize| {
        let (i, a, b) = (at / (r * r), at / r % r, at % r);
        dot(factors.row(i * r + a), factors.row(i * r + b))
    };
    (0..n * r * r).map(gram).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn patterns(n in 1..200_usize, r in width(), count in 0..1500_usize, seed: u64) {
        let (pattern, _) = Pattern::mirrored(n, &places(n, count, seed)).unwrap();
        let (x, y) = (random(n, r, seed ^ 1), random(n, r, seed ^ 2));
        let values = random(pattern.len(), 1, seed ^ 3).as_slice().to_vec();
        let sampled = on_any_threads(|| {
            let mut out = vec![f64::NAN; pattern.len()];
            pattern.sample(&x, &y, &mut out);
            out
        });
        let product = on_any_threads(|| {
            let mut out = Mat::from_fn(n, r, |_, _| f64::NAN);
            pattern.apply(&values, &y, &mut out);
            out
        });
        let curved = on_any_threads(|| {
            let mut out = Mat::from_fn(n, r, |_, _| f64::NAN);
            pattern.curvature_product(&values, &x, &y, &mut out);
            out
        });
        let (mut expected, mut bent) = (Mat::zeros(n, r), Mat::zeros(n, r));
        for i in 0..n {
            for k in pattern.row(i) {
                let j = pattern.columns()[k] as usize;
                prop_assert!((sampled[k] - dot(x.row(i), y.row(j))).abs() < 1e-12 * (1.0 + r as f64));
                let both = dot(x.row(i), y.row(j)) + dot(y.row(i), x.row(j));
                for c in 0..r {
                    expected[(i, c)] += values[k] * y[(j, c)];
                    bent[(i, c)] += values[k] * both * x[(j, c)];
                }
            }
        }
        close(&product, &expected);
        close(&curved, &bent);
    }

    #[test]
    fn a_system_for_each_row(n in 1..40_usize, r in 1..35_usize, shift in 0.1..3.0_f64, seed: u64) {
        let (matrices, right) = (grams(n, r, seed), random(n, r, seed ^ 1));
        let mut x = right.clone();
        solve_each(&matrices, shift, r, x.as_mut_slice());
        let shifts: Vec<f64> = (0..n).map(|i| shift + i as f64).collect();
        let mut inverses = matrices.clone();
        invert_each(&mut inverses, &shifts, r);
        for i in 0..n {
            let own = Mat::from_row_major(r, r, matrices[i * r * r..(i + 1) * r * r].to_vec());
            let inverse = Mat::from_row_major(r, r, inverses[i * r * r..(i + 1) * r * r].to_vec());
            let mut product = Mat::zeros(r, r);
            multiply(1.0, &own, &inverse, &mut product);
            product.axpy(shifts[i], &inverse);
            prop_assert!(product.distance(&Mat::identity(r)) < 1e-8 * (1.0 + own.norm()));
            for a in 0..r {
                let found = dot(own.row(a), x.row(i)) + shift * x[(i, a)];
                prop_assert!((found - right[(i, a)]).abs() < 1e-8 * (1.0 + own.norm()));
            }
        }
    }

    #[test]
    fn directions_that_bend_at_zero(n in rows(), r in width(), nonnegative: bool, seed: u64) {
        let mut x = random(n, r, seed);
        x.as_mut_slice().iter_mut().for_each(|x| *x = x.max(0.0));
        let [gradient, before, last] = [1, 2, 3].map(|k| random(n, r, seed ^ k));
        let weights: Vec<f64> = (0..r).map(|j| 1.0 / (1.0 + j as f64)).collect();
        let bent =
            Bent { x: &x, gradient: &gradient, before: &before, weights: &weights, nonnegative };
        let shares = Combination { gradient: 0.8, change: -0.3, step: 0.2 };
        let (products, direction, slope) = on_any_threads(|| {
            let mut direction = last.clone();
            let slope = bent.direct(shares, &mut direction);
            (bent.products(&last), direction, slope)
        });
        let (mut sums, mut expected, mut along) = ([0.0; 4], Mat::zeros(n, r), 0.0);
        for i in 0..n {
            for j in 0..r {
                let (x, g, s, w) = (x[(i, j)], gradient[(i, j)], last[(i, j)], weights[j]);
                let y = g - before[(i, j)];
                let free = !nonnegative || g <= 0.0 || x > w * g;
                if free {
                    let terms = [s * g, s * y, w * y * y, w * y * g];
                    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
                }
                let d = -(0.8 * w * g - 0.3 * w * y + 0.2 * s);
                expected[(i, j)] = if !free || (nonnegative && x + d < 0.0) { -x } else { d };
                along += g * expected[(i, j)];
            }
        }
        close(&direction, &expected);
        let found = [
            products.step_gradient,
            products.step_change,
            products.change_change,
            products.change_gradient,
            slope,
        ];
        for (found, expected) in found.into_iter().zip(sums.into_iter().chain([along])) {
            prop_assert!((found - expected).abs() <= 1e-11 * (1.0 + (n * r) as f64));
        }
    }

    #[test]
    fn products_of_rows(m in 1..40_usize, n in 1..40_usize, width in 1..70_usize, seed: u64) {
        let single = |m: &Mat| m.as_slice().iter().map(|v| *v as f32).collect::<Vec<f32>>();
        let (a, b) = (single(&random(m, width, seed)), single(&random(n, width, seed ^ 1)));
        let mut out = vec![f32::NAN; m * n];
        row_products(&a, &b, width, &mut out);
        for (i, a) in a.chunks(width).enumerate() {
            for (j, b) in b.chunks(width).enumerate() {
                let expected: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum();
                prop_assert!((f64::from(out[i * n + j]) - expected).abs() < 1e-4);
            }
        }
    }
}
