//! The kernels of measurements and of projected gradients against plain loops, over odd sizes and widths, and the same bits on
//! any number of threads.

use std::ops::Range;

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

/// a·b, one term after the other.
fn naive_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Ranks: all up to 40, and multiples of 8 beyond.
fn ranks() -> impl Strategy<Value = usize> {
    prop_oneof![3 => 1..=40_usize, 1 => (1..=8_usize).prop_map(|k| 8 * k)]
}

/// A pattern whose rows differ in length: random places, sometimes a full row, and sometimes empty rows at both ends.
fn uneven(n: usize, count: usize, seed: u64) -> Pattern {
    let empty = if seed.is_multiple_of(3) { 0 } else { n / 5 };
    let inside = n - 2 * empty;
    let mut all = places(inside, count, seed);
    if seed.is_multiple_of(2) {
        let full = (seed / 6) as usize % inside;
        all.extend((0..inside).map(|j| (full as u32, j as u32)));
    }
    let moved: Vec<_> = all.iter().map(|&(i, j)| (i + empty as u32, j + empty as u32)).collect();
    Pattern::mirrored(n, &moved).unwrap().0
}

/// A random factor that is NaN in the rows that have no entries: no kernel may look at these.
fn factor(pattern: &Pattern, r: usize, seed: u64) -> Mat {
    let plain = random(pattern.dim(), r, seed);
    let is_empty = |i: usize| pattern.row(i).is_empty();
    Mat::from_fn(pattern.dim(), r, |i, j| if is_empty(i) { f64::NAN } else { plain[(i, j)] })
}

/// The row and the column of every stored entry.
fn entries(pattern: &Pattern) -> Vec<(usize, usize)> {
    let column = |k: usize| pattern.columns()[k] as usize;
    (0..pattern.dim()).flat_map(|i| pattern.row(i).map(move |k| (i, column(k)))).collect()
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
    fn judged_and_summed(n in rows(), r in ranks(), count in 0..4000_usize, seed: u64) {
        let pattern = uneven(n, count, seed);
        let x = factor(&pattern, r, seed ^ 1);
        let targets = random(pattern.len(), 1, seed ^ 2);
        let b = targets.as_slice();
        let judge = |entries: Range<usize>, image: &[f64], slopes: &mut [f64]| {
            assert!(entries.len() == image.len() && entries.len() == slopes.len());
            let each = entries.zip(image).zip(slopes);
            each.map(|((k, z), slope)| {
                *slope = z - b[k];
                b[k] * z
            })
            .sum::<f64>()
        };
        let (found, image, slopes, product) = on_any_threads(|| {
            let (mut image, mut slopes) = (vec![f64::NAN; b.len()], vec![f64::NAN; b.len()]);
            let mut out = Mat::from_fn(n, r, |_, _| f64::NAN);
            let found = pattern.judged(&x, judge, &mut image, &mut slopes, Some(&mut out));
            (found, image, slopes, out)
        });
        let without = on_any_threads(|| {
            let (mut image, mut slopes) = (vec![f64::NAN; b.len()], vec![f64::NAN; b.len()]);
            (pattern.judged(&x, judge, &mut image, &mut slopes, None), image, slopes)
        });
        prop_assert!(without.0 == found && without.1 == image && without.2 == slopes);
        let sums = on_any_threads(|| pattern.summed(&x, |entries, image| {
            assert_eq!(entries.len(), image.len());
            let weighted = entries.zip(image).map(|(k, z)| b[k] * z);
            [image.iter().sum(), weighted.sum()]
        }));
        let (mut expected, mut plain, mut weighted) = (Mat::zeros(n, r), 0.0, 0.0);
        for (k, (i, j)) in entries(&pattern).into_iter().enumerate() {
            let z = naive_dot(x.row(i), x.row(j));
            prop_assert!((image[k] - z).abs() <= 1e-13 * (1.0 + r as f64));
            prop_assert_eq!(slopes[k], image[k] - b[k]);
            plain += z;
            weighted += b[k] * z;
            for c in 0..r {
                expected[(i, c)] += (z - b[k]) * x[(j, c)];
            }
        }
        close(&product, &expected);
        let allowed = 1e-13 * (1.0 + (r * b.len()) as f64);
        prop_assert!((found - weighted).abs() <= allowed);
        prop_assert!((sums[0] - plain).abs() <= allowed && (sums[1] - weighted).abs() <= allowed);
    }

    /// Enough rows that the factors are gone through in blocks of columns, too.
    #[test]
    fn lines(n in rows(), r in ranks(), count in 0..4000_usize, seed: u64) {
        let pattern = uneven(n, count, seed);
        let (x, p) = (factor(&pattern, r, seed ^ 1), factor(&pattern, r, seed ^ 2));
        let (one, two) = on_any_threads(|| {
            let (mut one, mut two) = (vec![f64::NAN; pattern.len()], vec![f64::NAN; pattern.len()]);
            pattern.line(&x, &p, &mut one, &mut two);
            (one, two)
        });
        for (k, (i, j)) in entries(&pattern).into_iter().enumerate() {
            let linear = naive_dot(x.row(i), p.row(j)) + naive_dot(p.row(i), x.row(j));
            prop_assert!((one[k] - linear).abs() <= 1e-13 * (1.0 + r as f64));
            prop_assert!((two[k] - naive_dot(p.row(i), p.row(j))).abs() <= 1e-13 * (1.0 + r as f64));
        }
    }

    #[test]
    fn models_and_samples_of_some_rows(
        n in prop_oneof![1..120_usize, 200..300_usize],
        r in ranks(),
        count in 0..1500_usize,
        (kind, seed) in (0..3_usize, any::<u64>()),
    ) {
        let pattern = uneven(n, count, seed);
        let y = factor(&pattern, r, seed ^ 1);
        let first = (seed >> 7) as usize % n;
        let some = first..n.min(first + 1 + (seed >> 20) as usize % 30);
        let own = pattern.row(first).start..pattern.row(some.end - 1).end;
        // Slopes and curvatures; curvatures that are all ones; no slopes.
        let slopes = random(if kind == 2 { 0 } else { own.len() }, 1, seed ^ 2);
        let mut curvatures = random(own.len(), 1, seed ^ 3).as_slice().to_vec();
        if kind == 1 {
            curvatures.fill(1.0);
        }
        let slopes = slopes.as_slice();
        let mut gradients = vec![f64::NAN; if kind == 2 { 0 } else { some.len() * r }];
        let mut grams = vec![f64::NAN; some.len() * r * r];
        pattern.row_models(some.clone(), slopes, &curvatures, &y, &mut gradients, &mut grams);
        let given = random(some.len(), r, seed ^ 4);
        let mut sampled = vec![f64::NAN; own.len()];
        pattern.sample_given(first, given.as_slice(), &y, &mut sampled);

        let mut slope = Mat::zeros(some.len(), r);
        let mut gram = Mat::zeros(some.len(), r * r);
        for (at, i) in some.enumerate() {
            for k in pattern.row(i) {
                let (row, k) = (y.row(pattern.columns()[k] as usize), k - own.start);
                let expected = naive_dot(given.row(at), row);
                prop_assert!((sampled[k] - expected).abs() <= 1e-13 * (1.0 + r as f64));
                for a in 0..r {
                    slope[(at, a)] += slopes.get(k).map_or(0.0, |slope| slope * row[a]);
                    for b in 0..r {
                        gram[(at, a * r + b)] += curvatures[k] * row[a] * row[b];
                    }
                }
            }
        }
        close(&Mat::from_row_major(gram.rows(), r * r, grams), &gram);
        if kind != 2 {
            close(&Mat::from_row_major(slope.rows(), r, gradients), &slope);
        }
    }

    #[test]
    fn rough_curvature_products(
        n in rows(),
        r in ranks(),
        count in 1..4000_usize,
        (ones, large, seed) in (any::<bool>(), -40..40_i32, any::<u64>()),
    ) {
        // Few places twice: equal terms are all rounded the same way, and their errors add up.
        let pattern = uneven(n, count.min(4 * n), seed);
        let (mut x, mut v) = (random(n, r, seed ^ 1), random(n, r, seed ^ 2));
        // Out of the range of single precision.
        x.scale(10_f64.powi(large));
        v.scale(10_f64.powi(-2 * large));
        let c = random(if ones { 0 } else { pattern.len() }, 1, seed ^ 3);
        let c = c.as_slice();
        let (done, found) = on_any_threads(|| {
            let mut out = Mat::from_fn(n, r, |_, _| 7.0);
            // What earlier calls left there does not matter.
            let mut room = vec![[f32::NAN; 8]; count];
            let done = pattern.rough_curvature_product(c, &x, &v, &mut room, &mut out);
            (done, out)
        });
        prop_assert!(done || r > 32);
        if !done {
            prop_assert!(found.as_slice().iter().all(|value| *value == 7.0));
            return Ok(());
        }
        // Six digits of the sizes of what is added up, and fewer in rows of many entries.
        let (mut expected, mut size) = (Mat::zeros(n, r), Mat::zeros(n, r));
        for (k, (i, j)) in entries(&pattern).into_iter().enumerate() {
            let c = c.get(k).copied().unwrap_or(1.0);
            let both = naive_dot(x.row(i), v.row(j)) + naive_dot(v.row(i), x.row(j));
            let norm = |m: &Mat, i: usize| naive_dot(m.row(i), m.row(i)).sqrt();
            let most = norm(&x, i) * norm(&v, j) + norm(&v, i) * norm(&x, j);
            for a in 0..r {
                expected[(i, a)] += c * both * x[(j, a)];
                size[(i, a)] += (c * most * x[(j, a)]).abs();
            }
        }
        for (i, a) in (0..n).flat_map(|i| (0..r).map(move |a| (i, a))) {
            let error = (found[(i, a)] - expected[(i, a)]).abs();
            let allowed = 1e-6_f64.max(5e-8 * (pattern.row(i).len() as f64).sqrt()) * size[(i, a)];
            prop_assert!(error <= allowed, "{error:e} of {:e}", size[(i, a)]);
        }
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
