//! Every kernel against a plain loop, over odd sizes and widths, and the same bits on any number of threads.

use gramfold_linalg::{
    Csr, Dense, Gram, Ldl, Mat, Order, Overshoot, Prox, Rows, Sweep, Symmetric, accumulate,
    cg_direction, cg_step, multiply, multiply_rows, project_shifted, retract, row_dots, sample,
};
use proptest::prelude::*;

mod common;
use common::{close, on_any_threads, random, rows, width};

/// X·S by three loops.
fn naive_product(x: &Mat, s: &Mat) -> Mat {
    Mat::from_fn(x.rows(), s.cols(), |i, j| (0..s.rows()).map(|k| x[(i, k)] * s[(k, j)]).sum())
}

/// A random symmetric sparse matrix with about `degree` entries a row, and the same dense.
fn sparse(n: usize, degree: usize, seed: u64) -> (Csr, Mat) {
    let picks = random(n, 2 * degree, seed);
    let mut dense = Mat::zeros(n, n);
    for i in 0..n {
        for k in 0..degree {
            let j = ((f64::midpoint(picks[(i, 2 * k)], 1.0) * n as f64) as usize).min(n - 1);
            (dense[(i, j)], dense[(j, i)]) = (picks[(i, 2 * k + 1)], picks[(i, 2 * k + 1)]);
        }
    }
    let entries: Vec<_> = (0..n * n)
        .map(|e| ((e / n) as u32, (e % n) as u32, dense[(e / n, e % n)]))
        .filter(|entry| entry.2 != 0.0)
        .collect();
    (Csr::from_entries(n, &entries).unwrap(), dense)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn grams_and_tall_times_small(n in rows(), r in width(), s in width(), seed: u64) {
        let (x, y, small) = (random(n, r, seed), random(n, s, seed ^ 1), random(r, s, seed ^ 2));
        let gram = on_any_threads(|| Gram::new(r).of(&x, &y).clone());
        close(&gram, &Mat::from_fn(r, s, |a, b| (0..n).map(|i| x[(i, a)] * y[(i, b)]).sum()));
        let product = on_any_threads(|| {
            let mut out = Mat::from_fn(n, s, |_, _| f64::NAN);
            multiply(2.5, &x, &small, &mut out);
            accumulate(-1.5, &x, &small, &mut out);
            out
        });
        close(&product, &naive_product(&x, &small));
    }

    #[test]
    fn reductions(n in rows(), r in width(), seed: u64) {
        let (x, y) = (random(n, r, seed), random(n, r, seed ^ 1));
        let found = on_any_threads(|| [x.dot(&y), x.norm_squared(), x.distance(&y), x.max_abs()]);
        let pairs = || x.as_slice().iter().zip(y.as_slice());
        let expected = [
            pairs().map(|(x, y)| x * y).sum::<f64>(),
            pairs().map(|(x, _)| x * x).sum(),
            pairs().map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt(),
            pairs().fold(0.0, |largest: f64, (x, _)| largest.max(x.abs())),
        ];
        for (found, expected) in found.iter().zip(expected) {
            prop_assert!((found - expected).abs() <= 1e-12 * (n * r) as f64);
        }
    }

    #[test]
    fn elementwise(n in rows(), r in width(), seed: u64) {
        let (x, y, z) = (random(n, r, seed), random(n, r, seed ^ 1), random(n, r, seed ^ 2));
        let found = on_any_threads(|| {
            let mut out = x.clone();
            out.scale(0.5);
            out.axpy(-0.3, &y);
            out.zip(&z, |a, b| a * b);
            out.zip2(&x, &y, |a, b, c| a + b * c);
            out
        });
        let at = |e: usize| (x.as_slice()[e], y.as_slice()[e], z.as_slice()[e]);
        let expected = Mat::from_fn(n, r, |i, j| {
            let (x, y, z) = at(i * r + j);
            (0.5 * x - 0.3 * y) * z + x * y
        });
        close(&found, &expected);
        prop_assert_eq!(x.transposed().transposed(), x);
    }

    #[test]
    fn products_with_rows_of_their_own(n in rows(), r in 1..12_usize, seed: u64) {
        let (v, half) = (random(n, r, seed), random(n * r, r, seed ^ 1));
        let entry = |i: usize, a: usize, b: usize| half[(i * r + a, b)] + half[(i * r + b, a)];
        let matrices: Vec<f64> = (0..n * r * r).map(|at| entry(at / (r * r), at / r % r, at % r)).collect();
        let found = on_any_threads(|| {
            let mut out = Mat::from_fn(n, r, |_, _| f64::NAN);
            multiply_rows(&matrices, &v, &mut out);
            out
        });
        close(&found, &Mat::from_fn(n, r, |i, b| (0..r).map(|a| v[(i, a)] * entry(i, a, b)).sum()));
    }

    #[test]
    fn samples_of_a_product(n in 1..90_usize, r in width(), count in 0..5000_usize, seed: u64) {
        let (x, y) = (random(n, r, seed), random(n, r, seed ^ 1));
        let place = |k: usize, step: usize| ((k * step + k / n) % n) as u32;
        let (left, right): (Vec<u32>, Vec<u32>) = (0..count).map(|k| (place(k, 7), place(k, 3))).unzip();
        for (x, y) in [(&x, &y), (&x, &x)] {
            let found = on_any_threads(|| {
                let mut out = vec![f64::NAN; count];
                sample(&left, &right, x, y, &mut out);
                out
            });
            let entry = |i: u32, j: u32| -> f64 {
                x.row(i as usize).iter().zip(y.row(j as usize)).map(|(a, b)| a * b).sum()
            };
            for ((&i, &j), found) in left.iter().zip(&right).zip(found) {
                prop_assert!((found - 0.5 * (entry(i, j) + entry(j, i))).abs() <= 1e-12 * (1.0 + r as f64));
            }
        }
    }

    #[test]
    fn solves_of_rows(n in rows(), r in 1..24_usize, shift in 0.1..3.0_f64, seed: u64) {
        let (root, b) = (random(r + 2, r, seed), random(n, r, seed ^ 1));
        let h = naive_product(&root.transposed(), &root);
        let solved = on_any_threads(|| {
            let mut ldl = Ldl::new(r);
            assert!(ldl.factorise(&h, shift));
            let mut rows = b.clone();
            ldl.solve_rows(&mut rows);
            rows
        });
        let shifted = Mat::from_fn(r, r, |i, j| h[(i, j)] + if i == j { shift } else { 0.0 });
        close(&naive_product(&solved, &shifted), &b);
    }

    #[test]
    fn column_sweeps(n in rows(), r in width(), gamma in 0.0..2.0_f64, weight in 0.0..1.0_f64, seed: u64) {
        let (root, linear) = (random(r + 1, r, seed), random(n, r, seed ^ 1));
        let (start, centre) = (random(n, r, seed ^ 2), random(n, r, seed ^ 3));
        let mut h = naive_product(&root.transposed(), &root);
        (0..r).for_each(|i| h[(i, i)] += gamma + 0.5);
        let given = || Rows { curvature: &h, linear: &linear, gamma, centre: &centre, prox: Prox::Nonnegative };
        for order in [Order::GaussSeidel, Order::Jacobi] {
            let sweep = Sweep { order, passes: 2, tolerance: 0.0 };
            let mut expected = start.clone();
            for _ in 0..2 {
                let before = expected.clone();
                for i in 0..n {
                    for j in 0..r {
                        let seen = if order == Order::Jacobi { &before } else { &expected };
                        let others: f64 = (0..r).filter(|&k| k != j).map(|k| seen[(i, k)] * h[(k, j)]).sum();
                        let pull = linear[(i, j)] + gamma * centre[(i, j)];
                        expected[(i, j)] = ((pull - others) / h[(j, j)]).max(0.0);
                    }
                }
            }
            let swept = on_any_threads(|| {
                let mut x = start.clone();
                sweep.run(&mut x, given());
                x
            });
            close(&swept, &expected);
            let (beyond, last) = on_any_threads(|| {
                let (mut x, mut last) = (start.clone(), centre.clone());
                sweep.run_beyond(&mut x, given(), Overshoot { weight, last: &mut last });
                (x, last)
            });
            prop_assert_eq!(&last, &swept);
            let mut overshot = swept;
            overshot.zip(&centre, |now, before| (now + weight * (now - before)).max(0.0));
            close(&beyond, &overshot);
        }
    }

    #[test]
    fn spheres(n in rows(), r in width(), alpha in -2.0..2.0_f64, seed: u64) {
        let zero = Mat::zeros(n, r);
        let (v, w, weights) = (random(n, r, seed), random(n, r, seed ^ 1), random(n, 1, seed ^ 2));
        let weights = weights.as_slice();
        let dot = |a: &Mat, b: &Mat, i: usize| -> f64 { a.row(i).iter().zip(b.row(i)).map(|(a, b)| a * b).sum() };
        let x = on_any_threads(|| {
            let mut x = Mat::zeros(n, r);
            retract(&v, &zero, &mut x);
            x
        });
        close(&x, &Mat::from_fn(n, r, |i, j| v[(i, j)] / dot(&v, &v, i).sqrt()));
        let dots = on_any_threads(|| {
            let mut out = vec![f64::NAN; n];
            row_dots(&v, &w, &mut out);
            out
        });
        prop_assert!((0..n).all(|i| (dots[i] - dot(&v, &w, i)).abs() <= 1e-12 * r as f64));

        let (projected, along) = on_any_threads(|| {
            let mut out = w.clone();
            let along = project_shifted(&x, weights, &v, &mut out, &mut Vec::new());
            (out, along)
        });
        let shifted = Mat::from_fn(n, r, |i, j| w[(i, j)] - weights[i] * v[(i, j)]);
        let expected = Mat::from_fn(n, r, |i, j| shifted[(i, j)] - dot(&x, &shifted, i) * x[(i, j)]);
        close(&projected, &expected);
        prop_assert!((along - v.dot(&expected)).abs() <= 1e-11 * (n * r) as f64);

        let (steps, residual, sum) = on_any_threads(|| {
            let (mut s, mut residual) = (x.clone(), w.clone());
            let sum = cg_step(alpha, weights, [&v, &x], [&mut s, &mut residual], &mut Vec::new());
            (s, residual, sum)
        });
        close(&steps, &Mat::from_fn(n, r, |i, j| x[(i, j)] + alpha * v[(i, j)]));
        let expected = Mat::from_fn(n, r, |i, j| w[(i, j)] - alpha * x[(i, j)]);
        close(&residual, &expected);
        let weighted: f64 = (0..n).map(|i| weights[i] * dot(&expected, &expected, i)).sum();
        prop_assert!((sum - weighted).abs() <= 1e-11 * (n * r) as f64);

        let direction = on_any_threads(|| {
            let mut p = v.clone();
            cg_direction(weights, &w, alpha, &mut p);
            p
        });
        close(&direction, &Mat::from_fn(n, r, |i, j| weights[i] * w[(i, j)] + alpha * v[(i, j)]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn products_with_symmetric_matrices(n in prop_oneof![1..70_usize, 380..400_usize], r in width(), seed: u64) {
        let (csr, dense) = sparse(n, 5, seed);
        let v = random(n, r, seed ^ 1);
        let expected = naive_product(&dense, &v);
        for a in [Symmetric::from(csr.clone()), Symmetric::from(Dense::symmetrised(dense.clone()))] {
            let found = on_any_threads(|| {
                let mut out = Mat::from_fn(n, r, |_, _| f64::NAN);
                a.apply(&v, &mut out);
                out
            });
            close(&found, &expected);
            let first = n / 3;
            let mut part = vec![f64::NAN; (n - first) * r];
            a.apply_rows(&v, first, &mut part);
            close(
                &Mat::from_row_major(n - first, r, part),
                &Mat::from_fn(n - first, r, |i, j| expected[(first + i, j)]),
            );
        }
        // Several chunks, and rows so long that several sums take turns.
        let (long, dense) = sparse(n.min(300), 60, seed ^ 2);
        let v = random(n.min(300), r, seed ^ 3);
        let found = on_any_threads(|| {
            let mut out = Mat::zeros(v.rows(), r);
            long.apply(&v, &mut out);
            out
        });
        close(&found, &naive_product(&dense, &v));
    }

    #[test]
    fn rows_that_are_symmetric_as_they_come(n in 1..90_usize, degree in 0..6_usize, r in width(), seed: u64) {
        let (csr, mut dense) = sparse(n, degree, seed);
        // An empty row somewhere.
        let empty = (seed % n as u64) as usize;
        (0..n).for_each(|j| (dense[(empty, j)], dense[(j, empty)]) = (0.0, 0.0));
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            for (j, value) in csr.row(i).filter(|entry| i != empty && entry.0 != empty) {
                columns.push(j as u32);
                values.push(value);
            }
            starts.push(columns.len());
        }
        let found = Csr::from_symmetric_rows(starts.clone(), columns.clone(), values.clone());
        prop_assert_eq!(found.parts(), (&starts[..], &columns[..], &values[..]));
        prop_assert!((0..n).all(|i| (0..n).all(|j| found.get(i, j) == dense[(i, j)])));
        // The same matrix as by the way that checks everything.
        let checked = Csr::from_rows(starts, columns, values).unwrap();
        prop_assert_eq!(&found, &checked);
        let v = random(n, r, seed ^ 1);
        let product = on_any_threads(|| {
            let mut out = Mat::from_fn(n, r, |_, _| f64::NAN);
            found.apply(&v, &mut out);
            out
        });
        close(&product, &naive_product(&dense, &v));
    }

    #[test]
    fn sweeps_over_spheres(n in 1..60_usize, r in width(), seed: u64) {
        let (csr, dense) = sparse(n, 4, seed);
        let start = random(n, r, seed ^ 1);
        let mut swept = start.clone();
        csr.sweep_spheres(&mut swept, &mut Vec::new());
        let mut expected = start;
        for i in 0..n {
            let pull: Vec<f64> = (0..r)
                .map(|c| (0..n).filter(|&j| j != i).map(|j| dense[(i, j)] * expected[(j, c)]).sum())
                .collect();
            let length = pull.iter().map(|p| p * p).sum::<f64>().sqrt();
            if length > 0.0 {
                (0..r).for_each(|c| expected[(i, c)] = -pull[c] / length);
            }
        }
        prop_assert!(swept.distance(&expected) <= 1e-8 * (1.0 + expected.norm()));
    }
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "sorted and symmetric rows")]
fn a_debug_build_refuses_rows_that_are_not_symmetric() {
    let _ = Csr::from_symmetric_rows(vec![0, 1, 2], vec![1, 0], vec![1.0, 2.0]);
}
