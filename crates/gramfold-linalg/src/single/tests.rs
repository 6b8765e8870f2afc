use super::*;
use crate::Symmetric;

fn graph(n: usize) -> Csr {
    let entries: Vec<_> = (0..n as u32)
        .flat_map(|i| {
            (1..6_u32).map(move |k| (i, (i * 7 + k * k) % n as u32, f64::from(i % 5 + k) / 7.0))
        })
        .collect();
    Csr::symmetrised(n, &entries).unwrap()
}

/// Entries that single precision holds exactly.
fn factor(n: usize, r: usize, shift: usize) -> Mat {
    Mat::from_fn(n, r, |i, j| f64::from(((i * 13 + j * 7 + shift) as f64).sin().abs() as f32))
}

struct Expected {
    x: Mat,
    last: Mat,
    sums: [f64; 3],
}

/// The half step in `f64`, written as the formula reads.
fn naive(a: &Symmetric, x: &Mat, y: &Mat, last: &Mat, gamma: f64, weight: f64) -> Expected {
    let (n, r) = (x.rows(), x.cols());
    let mut product = Mat::zeros(n, r);
    a.apply(y, &mut product);
    let h = Mat::from_fn(r, r, |i, j| {
        (0..n).map(|k| y[(k, i)] * y[(k, j)]).sum::<f64>() + gamma * f64::from(i == j)
    });
    let mut m = x.clone();
    for i in 0..r {
        for k in 0..n {
            let others: f64 = (0..r).filter(|&j| j != i).map(|j| m[(k, j)] * h[(j, i)]).sum();
            let target = product[(k, i)] + gamma * y[(k, i)] - others;
            m[(k, i)] = (target / h[(i, i)]).max(0.0);
        }
    }
    let mut new = m.clone();
    new.zip(last, |m, last| (m + weight * (m - last)).max(0.0));
    let sums = [product.dot(&new), new.distance(y).powi(2), new.distance(x).powi(2)];
    Expected { x: new, last: m, sums }
}

#[test]
fn a_half_step_matches_a_naive_loop() {
    for (n, r) in [(1, 1), (7, 3), (33, 5), (1100, 32), (40, 35)] {
        let a = graph(n).into_single();
        let (x, y, last) = (factor(n, r, 1), factor(n, r, 2), factor(n, r, 3));
        let symmetric = Symmetric::from(a.clone());
        let expected = naive(&symmetric, &x, &y, &last, 0.6, 0.4);
        let (mut x, mut last) = (Single::nearest(&x), Single::nearest(&last));
        let y = Single::nearest(&y);
        let gram = y.gram(&y);
        let mut sums = Sums::new(r);
        let step = HalfStep { matrix: &a, other: &y, gram: &gram, gamma: 0.6, weight: 0.4 };
        step.run(&mut x, &mut last, &mut sums);
        let size = 1.0 + expected.x.norm();
        assert!(x.to_mat().distance(&expected.x) < 2e-5 * size, "n = {n}, r = {r}");
        assert!(last.to_mat().distance(&expected.last) < 2e-5 * size, "n = {n}, r = {r}");
        let found = [sums.product, sums.distance, sums.change];
        for (found, expected) in found.iter().zip(expected.sums) {
            assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "n = {n}, r = {r}");
        }
        assert!(sums.gram.distance(&x.gram(&x)) < 1e-12 * (1.0 + sums.gram.norm()));
        let mut of_mat = crate::Gram::new(r);
        let wide = x.to_mat();
        assert!(sums.gram.distance(of_mat.of(&wide, &wide)) < 1e-12 * (1.0 + sums.gram.norm()));
    }
}

#[test]
fn a_half_step_has_the_same_bits_on_any_number_of_threads() {
    let (n, r) = (3000, 9);
    let a = graph(n).into_single();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut x = Single::nearest(&factor(n, r, 1));
            let (y, mut last) = (Single::nearest(&factor(n, r, 2)), x.clone());
            let gram = y.gram(&y);
            let mut sums = Sums::new(r);
            let step = HalfStep { matrix: &a, other: &y, gram: &gram, gamma: 0.6, weight: 0.4 };
            step.run(&mut x, &mut last, &mut sums);
            (x, last, sums.gram, sums.product.to_bits(), sums.distance.to_bits())
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn a_matrix_in_single_precision_is_the_nearest_one() {
    let n = 300;
    let double = Symmetric::from(graph(n));
    let single = Symmetric::from(graph(n).into_single());
    assert_eq!((single.dim(), single.stored()), (double.dim(), double.stored()));
    let rounded = Mat::from_fn(n, n, |i, j| f64::from(double.get(i, j) as f32));
    assert_eq!(single.to_dense(), rounded);
    assert!(single.values().zip(double.values()).all(|(s, d)| s == f64::from(d as f32)));
    assert!((single.norm_squared() - rounded.norm_squared()).abs() < 1e-12 * single.norm_squared());
    assert_eq!(single.max_abs(), rounded.max_abs());
    for r in [1, 5, 40] {
        let v = factor(n, r, 0);
        let (mut expected, mut found) = (Mat::zeros(n, r), Mat::zeros(n, r));
        crate::multiply(1.0, &rounded, &v, &mut expected);
        single.apply(&v, &mut found);
        assert!(found.distance(&expected) < 1e-13 * (1.0 + expected.norm()));
        let Symmetric::Single(a) = &single else { unreachable!() };
        let narrow = Single::nearest(&v);
        let mut out = Single::zeros(n, r);
        a.apply_single(&narrow, &mut out);
        assert!(out.to_mat().distance(&expected) < 1e-6 * (1.0 + expected.norm()));
        let mut rows = vec![0.0; 3 * r];
        a.apply_rows_widened(&narrow, 17, &mut rows);
        single.apply_rows(&v, 17, &mut expected.as_mut_slice()[..3 * r]);
        let near = rows.iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-13);
        assert!(near, "r = {r}");
    }
}

#[test]
fn products_with_vectors_and_small_matrices_match_those_of_f64() {
    let (n, r) = (2100, 6);
    let wide = factor(n, r, 4);
    let x = Single::nearest(&wide);
    let v: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
    let vector = Mat::from_row_major(n, 1, v.clone());
    let expected = crate::Gram::new(1).of(&wide, &vector).clone();
    let along = x.transpose_times(&v);
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(near(&along, expected.as_slice()));
    let mut out = v.clone();
    x.add_times(0.5, &along, &mut out);
    let mut other = vector.clone();
    crate::accumulate(0.5, &wide, &expected, &mut other);
    assert!(near(&out, other.as_slice()));
    let s = Mat::from_fn(r, 3, |i, j| (i + 2 * j) as f64);
    let mut product = Mat::zeros(n, 3);
    crate::multiply(1.0, &wide, &s, &mut product);
    assert!(near(x.times(&s).as_slice(), product.as_slice()));
}
