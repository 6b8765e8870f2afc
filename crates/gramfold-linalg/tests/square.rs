//! Products, factors and inverses of square matrices against plain loops, over odd sizes and thread counts.

use gramfold_linalg::{
    Mat, NoFactor, Operand, cholesky, cholesky_inverse, cholesky_solve, product,
    sum_of_outer_products,
};

const SIZES: [usize; 9] = [0, 1, 2, 63, 64, 65, 192, 193, 331];

fn wave(rows: usize, cols: usize, shift: usize) -> Mat {
    Mat::from_fn(rows, cols, |i, j| ((i * 13 + j * 7 + shift) as f64).sin())
}

fn naive(alpha: f64, a: &Mat, b: &Mat) -> Mat {
    Mat::from_fn(a.rows(), b.cols(), |i, j| {
        alpha * (0..a.cols()).map(|k| a[(i, k)] * b[(k, j)]).sum::<f64>()
    })
}

fn definite(n: usize) -> Mat {
    let b = wave(n, n, 1);
    let mut m = naive(1.0, &b.transposed(), &b);
    (0..n).for_each(|i| m[(i, i)] += 0.5);
    Mat::from_fn(n, n, |i, j| m[(i.min(j), i.max(j))])
}

fn on<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

#[test]
fn products_match_loops_on_any_number_of_threads() {
    for n in SIZES {
        let (p, q, r) = (n, n / 2 + 1, n / 3 + 2);
        let (a, b, c) = (wave(p, q, 0), wave(q, r, 5), wave(p, r, 9));
        let (at, bt) = (a.transposed(), b.transposed());
        let expected = naive(-1.5, &a, &b);
        for (a, b) in [
            (Operand::Plain(&a), Operand::Plain(&b)),
            (Operand::Transposed(&at), Operand::Plain(&b)),
            (Operand::Plain(&a), Operand::Transposed(&bt)),
            (Operand::Transposed(&at), Operand::Transposed(&bt)),
        ] {
            let run = |threads, add| {
                let mut out = c.clone();
                on(threads, || product(-1.5, a, b, add, &mut out));
                out
            };
            let mut once = run(1, false);
            assert!(once.distance(&expected) < 1e-10, "n = {n}");
            assert_eq!(once.as_slice(), run(3, false).as_slice(), "n = {n}");
            once.axpy(1.0, &c);
            assert!(once.distance(&run(2, true)) < 1e-10, "n = {n}");
        }
    }
}

#[test]
fn outer_products_add_up() {
    for (n, k) in [(0, 0), (1, 3), (7, 0), (7, 5), (40, 9)] {
        let (g, v) = (wave(k, n, 2), wave(k, n, 4));
        let mut out = Mat::from_fn(n, n, |_, _| 7.0);
        sum_of_outer_products(g.as_slice(), v.as_slice(), n, out.as_mut_slice());
        assert!(out.distance(&naive(1.0, &g.transposed(), &v)) < 1e-12, "n = {n}, k = {k}");
    }
}

#[test]
fn factors_solves_and_inverses_match_their_definitions_on_any_number_of_threads() {
    for n in SIZES {
        let m = definite(n);
        let run = |threads| {
            on(threads, || {
                let mut factor = m.clone();
                cholesky(factor.as_mut_slice(), n, &|| false).unwrap();
                let mut inverse = Mat::zeros(n, n);
                cholesky_inverse(&factor, &mut inverse);
                let upper =
                    |mat: &Mat| Mat::from_fn(n, n, |i, j| if i <= j { mat[(i, j)] } else { 0.0 });
                (upper(&factor), upper(&inverse))
            })
        };
        let (factor, inverse) = run(1);
        let again = run(3);
        assert_eq!(factor.as_slice(), again.0.as_slice(), "n = {n}");
        assert_eq!(inverse.as_slice(), again.1.as_slice(), "n = {n}");
        let scale = 1.0 + m.norm();
        assert!(naive(1.0, &factor.transposed(), &factor).distance(&m) < 1e-12 * scale, "n = {n}");
        let full = Mat::from_fn(n, n, |i, j| inverse[(i.min(j), i.max(j))]);
        let error = naive(1.0, &m, &full).distance(&Mat::identity(n));
        assert!(error < 1e-8 * (1.0 + n as f64), "n = {n}: {error}");
        let x: Vec<f64> = (0..n).map(|i| (i as f64).cos()).collect();
        let mut found: Vec<f64> =
            (0..n).map(|i| m.row(i).iter().zip(&x).map(|(m, x)| m * x).sum()).collect();
        cholesky_solve(factor.as_slice(), &mut found);
        assert!(x.iter().zip(&found).all(|(x, f)| (x - f).abs() < 1e-7), "n = {n}");
    }
}

#[test]
fn what_is_not_definite_has_no_factor_and_a_stop_is_heard() {
    for n in [2, 193, 300] {
        for at in [0, n / 2, n - 1] {
            for wrong in [-1.0, f64::NAN] {
                let mut m = Mat::identity(n);
                m[(at, at)] = wrong;
                let refused = cholesky(m.as_mut_slice(), n, &|| false);
                assert_eq!(refused, Err(NoFactor::Indefinite), "n = {n}, {wrong}");
            }
        }
        let mut m = Mat::identity(n);
        assert_eq!(cholesky(m.as_mut_slice(), n, &|| true), Err(NoFactor::Stopped));
    }
}
