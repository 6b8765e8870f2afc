//! Lanczos and sparse factorisations against their definitions, over sizes beside the boundaries of segments and on any number
//! of threads.

mod common;

use common::{close, on_any_threads, random, rows, width};
use gramfold_linalg::{Csr, Krylov, KrylovOptions, Mat, SparseCholesky, Which};
use proptest::prelude::*;

/// D + Σ u_iu_iᵀ with three u_i, by its products.
fn operator(n: usize, seed: u64) -> impl Fn(&Mat, &mut Mat) + Sync {
    let (diagonal, tall) = (random(n, 1, seed), random(n, 3, seed.wrapping_add(1)));
    move |v, out| {
        for j in 0..v.cols() {
            for i in 0..n {
                out[(i, j)] = diagonal[(i, 0)] * v[(i, j)];
            }
            for k in 0..3 {
                let inner: f64 = (0..n).map(|i| tall[(i, k)] * v[(i, j)]).sum();
                (0..n).for_each(|i| out[(i, j)] += inner * tall[(i, k)]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn ritz_pairs(n in rows(), wanted in 1..6_usize, extra in 2..15_usize, seed: u64) {
        let apply = operator(n, seed);
        let (wanted, basis) = (wanted.min(n), (wanted + extra).min(n));
        let options = KrylovOptions { which: Which::Largest, wanted, basis, steps: 4 * basis, tolerance: 1e-10 };
        let (values, residuals, vectors) = on_any_threads(|| {
            let ritz = Krylov::new(n, seed).run(&mut |v, out| apply(v, out), None, options).unwrap();
            (ritz.values, ritz.residuals, ritz.vectors)
        });
        let size = values[0].abs() + 1.0;
        for (row, (value, residual)) in values.iter().zip(&residuals).enumerate() {
            let vector = Mat::from_fn(n, 1, |i, _| vectors[(row, i)]);
            let mut image = Mat::zeros(n, 1);
            apply(&vector, &mut image);
            let quotient = image.dot(&vector);
            prop_assert!((quotient - value).abs() <= 1e-10 * size, "{quotient} {value}");
            let naive = (0..n).map(|i| (image[(i, 0)] - value * vector[(i, 0)]).powi(2)).sum::<f64>().sqrt();
            prop_assert!((naive - residual).abs() <= 1e-8 * size, "{naive} {residual}");
            for other in 0..values.len() {
                let inner: f64 = (0..n).map(|i| vectors[(row, i)] * vectors[(other, i)]).sum();
                prop_assert!((inner - f64::from(row == other)).abs() <= 1e-10, "{row} {other}: {inner}");
            }
        }
    }

    #[test]
    fn sparse_systems(n in prop_oneof![1..80_usize, 250..300_usize], count in 0..900_usize, r in width(), seed: u64) {
        let places = random(count, 3, seed);
        let index = |x: f64| (((0.5 + 0.5 * x) * n as f64) as usize).min(n - 1);
        let mut dense = Mat::zeros(n, n);
        for k in 0..count {
            let (i, j) = (index(places[(k, 0)]), index(places[(k, 1)]));
            dense[(i, j)] = places[(k, 2)];
            dense[(j, i)] = places[(k, 2)];
        }
        let entries: Vec<_> = (0..n)
            .flat_map(|i| (0..=i).map(move |j| (i, j)))
            .filter(|&(i, j)| dense[(i, j)] != 0.0)
            .map(|(i, j)| (i as u32, j as u32, dense[(i, j)]))
            .collect();
        let matrix = Csr::from_triangle(n, &entries).unwrap();
        // Dominant rows make it definite, and one row less than that may not be.
        let shift = |i: usize| 0.5 + dense.row(i).iter().map(|e| e.abs()).sum::<f64>();
        let truth = random(n, r, seed.wrapping_add(2));
        let right = Mat::from_fn(n, r, |i, j| {
            shift(i) * truth[(i, j)] + (0..n).map(|k| dense[(i, k)] * truth[(k, j)]).sum::<f64>()
        });
        let solved = on_any_threads(|| {
            let mut cholesky = SparseCholesky::analyse(&matrix).unwrap();
            assert!(cholesky.factorise(shift));
            let (mut v, mut scratch) = (right.clone(), Mat::zeros(n, r));
            cholesky.solve(&mut v, &mut scratch);
            v
        });
        close(&solved, &truth);
        let negative = |i: usize| if i == n / 2 { -2.0 - shift(i) } else { shift(i) };
        prop_assert!(!SparseCholesky::analyse(&matrix).unwrap().factorise(negative));
    }
}
