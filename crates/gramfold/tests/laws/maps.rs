//! Maps against their own matrices.

use gramfold::{linalg::Mat, registry::MAPS};

use crate::common::{Random, assert_close, assert_near, inner, outer, product, sum};

/// A_k, all of it, by the adjoint of a unit vector.
fn matrix(map: &dyn gramfold::loss::map::Map, k: usize) -> Mat {
    let n = map.dim();
    let s: Vec<f64> = (0..map.len()).map(|l| f64::from(l == k)).collect();
    let mut values = vec![0.0; map.stored()];
    map.load(&s, &mut values);
    let mut out = Mat::from_fn(n, n, |_, _| f64::NAN);
    map.apply(&s, &values, &Mat::identity(n), &mut out);
    out
}

#[test]
fn a_map_measures_with_the_matrices_of_its_adjoint() {
    let mut random = Random(71);
    for entry in MAPS {
        for n in [1, 4, 9] {
            let map = (entry.example)(n, &mut || 2.0 * random.uniform() - 1.0);
            assert_eq!((map.name(), map.dim()), (entry.name, n));
            let m = map.len();
            assert_eq!(map.expand(&vec![1.0; map.observations()]).len(), m);
            let matrices: Vec<Mat> = (0..m).map(|k| matrix(&*map, k)).collect();
            let (x, y) = (random.mat(n, 3), random.mat(n, 3));
            let (mut image, mut tangent) = (vec![f64::NAN; m], vec![f64::NAN; m]);
            map.image(&x, &y, &mut image);
            map.tangent(&x, &y, &mut tangent);
            let z = outer(&x, &y);
            for (k, a) in matrices.iter().enumerate() {
                assert_close(image[k], inner(a, &z), 1e-12, entry.name);
                assert_close(
                    tangent[k],
                    inner(a, &z) + inner(a, &z.transposed()),
                    1e-12,
                    entry.name,
                );
            }
            // The transpose, the size and the bounds.
            let s: Vec<f64> = (0..m).map(|_| random.normal()).collect();
            let mut turned = s.clone();
            let whole = |s: &[f64]| {
                let zero = Mat::zeros(n, n);
                matrices.iter().zip(s).fold(zero, |all, (a, s)| sum(1.0, &all, *s, a))
            };
            map.transpose(&s, &mut turned);
            assert_near(&whole(&turned), &whole(&s).transposed(), 1e-12, entry.name);
            assert!(map.size(&s) >= whole(&s).norm() * (1.0 - 1e-12), "{}", entry.name);
            let c: Vec<f64> = s.iter().map(|s| s.abs()).collect();
            for _ in 0..20 {
                let z = random.mat(n, n);
                let measured: f64 =
                    matrices.iter().zip(&c).map(|(a, c)| c * inner(a, &z).powi(2)).sum();
                let share = measured / z.norm_squared();
                assert!(map.norm_squared(&c) >= share * (1.0 - 1e-12), "{}", entry.name);
                assert!(map.least_squared(&c) <= share * (1.0 + 1e-12), "{}", entry.name);
            }
            // What single rows see, where the map can tell.
            let (mut grams, mut squares) = (vec![f64::NAN; 9 * n], vec![f64::NAN; n]);
            if map.row_grams(&c, &x, &mut grams) && map.row_squares(&c, &x, &mut squares) {
                let images: Vec<Mat> = matrices.iter().map(|a| product(a, &x)).collect();
                for (at, gram) in grams.iter().enumerate() {
                    let (i, a, b) = (at / 9, at / 3 % 3, at % 3);
                    let images = images.iter().zip(&c);
                    let naive: f64 = images.map(|(v, c)| c * v[(i, a)] * v[(i, b)]).sum();
                    assert_close(*gram, naive, 1e-12, entry.name);
                }
                for (gram, square) in grams.chunks_exact(9).zip(&squares) {
                    assert_close(gram[0] + gram[4] + gram[8], *square, 1e-12, entry.name);
                }
            }
            let mut values = vec![0.0; map.stored()];
            map.load(&s, &mut values);
            let mut diagonal = vec![f64::NAN; n];
            if map.diagonal(&s, &values, &mut diagonal) {
                let whole = whole(&s);
                (0..n).for_each(|i| assert_close(diagonal[i], whole[(i, i)], 1e-12, entry.name));
            }
            let v = random.positive(n, 1);
            let mut absolute = Mat::zeros(n, 1);
            map.absolute(&c, &v, &mut absolute);
            let entrywise = Mat::from_fn(n, n, |i, j| {
                matrices.iter().zip(&c).map(|(a, c)| c * a[(i, j)].abs()).sum()
            });
            let least = product(&entrywise, &v);
            assert!((0..n).all(|i| absolute[(i, 0)] >= least[(i, 0)] - 1e-12), "{}", entry.name);
        }
    }
}
