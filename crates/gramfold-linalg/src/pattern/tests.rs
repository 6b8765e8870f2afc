use super::*;
use crate::CsrError;

fn wave(n: usize, r: usize, phase: f64) -> Mat {
    Mat::from_fn(n, r, |i, j| ((i * 3 + j * 5) as f64 * 0.7 + phase).sin())
}

/// Some places, one twice, one on the diagonal; row 1 stays empty if n > 2.
fn places(n: usize) -> Vec<(u32, u32)> {
    let far = (0..n).flat_map(|i| [(i, (i * 7 + 3) % n), (i, (i * i + 1) % n), (i, 0)]);
    let kept = far.filter(|&(i, j)| n <= 2 || (i != 1 && j != 1));
    kept.map(|(i, j)| (i as u32, j as u32)).collect()
}

/// Blocks of columns split each row's entries, in order.
#[test]
fn blocks_hold_every_entry_once() {
    let n = 5000;
    let places: Vec<(u32, u32)> =
        (0..n).flat_map(|i| [(i, (7 * i + 3) % n), (i, (i * 31 + 9) % n)]).collect();
    let (pattern, _) = Pattern::mirrored(n as usize, &places).unwrap();
    let (mut seen, mut calls) = (vec![0; pattern.len()], 0);
    by_blocks(&pattern.starts, &pattern.columns, n as usize, near(20), |ranges| {
        for &[from, to] in ranges {
            seen[from..to].iter_mut().for_each(|times| *times += 1);
        }
        calls += 1;
    });
    assert!(calls > 1 && seen.iter().all(|times| *times == 1));
    // The same product as by parts.
    let (x, v) = (wave(n as usize, 20, 0.1), wave(n as usize, 20, 1.3));
    let c: Vec<f64> = (0..pattern.len()).map(|k| 1.0 + (k as f64).cos()).collect();
    let (mut one, mut two) = (c.clone(), c.clone());
    pattern.line(&x, &v, &mut one, &mut two);
    let weights: Vec<f64> = one.iter().zip(&c).map(|(one, c)| one * c).collect();
    let (mut expected, mut found) = (Mat::zeros(n as usize, 20), Mat::zeros(n as usize, 20));
    pattern.apply(&weights, &x, &mut expected);
    pattern.curvature_product(&c, &x, &v, &mut found);
    assert!(found.distance(&expected) <= 1e-13 * expected.norm());
    assert!(pattern.rough_curvature_product(&c, &x, &v, &mut Vec::new(), &mut found));
    assert!(found.distance(&expected) <= 1e-6 * expected.norm());
}

/// The fused passes against sampled products and a product with their values.
#[test]
fn a_curvature_product_is_that_of_its_parts() {
    let n = 150;
    let places: Vec<(u32, u32)> =
        (0..n).flat_map(|i| [(i, (7 * i + 3) % n), (i, (i * i) % n)]).collect();
    let (pattern, _) = Pattern::mirrored(n as usize, &places).unwrap();
    let c: Vec<f64> = (0..pattern.len()).map(|k| 1.0 + (k as f64).cos()).collect();
    let mut room = Vec::new(); // Kept, with what was there before.
    for r in [1, 2, 5, 8, 20, 23, 32] {
        let (x, v) = (wave(n as usize, r, 0.1), wave(n as usize, r, 1.3));
        let (mut first, mut second) = (vec![0.0; c.len()], vec![0.0; c.len()]);
        pattern.sample(&x, &v, &mut first);
        pattern.sample(&v, &x, &mut second);
        let weights = first.iter().zip(&second).zip(&c).map(|((a, b), c)| c * (a + b));
        let weights: Vec<f64> = weights.collect();
        let (mut expected, mut found) = (Mat::zeros(n as usize, r), Mat::zeros(n as usize, r));
        pattern.apply(&weights, &x, &mut expected);
        pattern.curvature_product(&c, &x, &v, &mut found);
        assert!(found.distance(&expected) <= 1e-13 * expected.norm(), "{r} columns");
        // In single precision, of numbers that it holds only when they are scaled.
        let (mut large, mut small, mut rough) = (x.clone(), v.clone(), x.clone());
        large.scale(1e60);
        small.scale(1e-50);
        assert!(pattern.rough_curvature_product(&c, &large, &small, &mut room, &mut rough));
        rough.scale(1e-70);
        assert!(rough.distance(&expected) <= 1e-6 * expected.norm(), "{r} columns");
        let ones = vec![1.0; c.len()];
        pattern.curvature_product(&ones, &x, &v, &mut found);
        assert!(pattern.rough_curvature_product(&[], &x, &v, &mut room, &mut rough));
        assert!(rough.distance(&found) <= 1e-6 * found.norm(), "{r} columns");
        large.scale(1e200);
        assert!(
            !pattern.rough_curvature_product(&c, &large, &v, &mut room, &mut rough),
            "overflows"
        );
        let (mut one, mut two, mut square) = (c.clone(), c.clone(), c.clone());
        pattern.line(&x, &v, &mut one, &mut two);
        pattern.sample(&v, &v, &mut square);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-13 * r as f64;
        let crossed = one.iter().zip(first.iter().zip(&second));
        assert!(crossed.into_iter().all(|(one, (a, b))| close(*one, a + b)), "{r} columns");
        assert!(two.iter().zip(&square).all(|(two, square)| close(*two, *square)), "{r} columns");
    }
}

/// One pass against a sampled product and a product with the slopes.
#[test]
fn what_is_judged_in_one_pass_is_that_of_its_parts() {
    for (n, r) in [(2, 1), (150, 5), (150, 8), (700, 20), (90, 35)] {
        let (pattern, _) = Pattern::mirrored(n, &places(n)).unwrap();
        let x = wave(n, r, 0.1);
        let b: Vec<f64> = (0..pattern.len()).map(|k| (k as f64).cos()).collect();
        let judge = |entries: Range<usize>, z: &[f64], slopes: &mut [f64]| {
            let each = z.iter().zip(&b[entries]).zip(slopes);
            each.map(|((z, b), slope)| {
                *slope = z - b;
                0.5 * *slope * *slope
            })
            .sum()
        };
        let (mut image, mut slopes) = (b.clone(), b.clone());
        let mut found = Mat::zeros(n, r);
        let value = pattern.judged(&x, judge, &mut image, &mut slopes, Some(&mut found));
        let (mut sampled, mut expected) = (b.clone(), Mat::zeros(n, r));
        pattern.sample(&x, &x, &mut sampled);
        assert_eq!(image, sampled);
        let plain: Vec<f64> = sampled.iter().zip(&b).map(|(z, b)| z - b).collect();
        assert_eq!(slopes, plain);
        pattern.apply(&plain, &x, &mut expected);
        assert!(found.distance(&expected) <= 1e-13 * expected.norm(), "{n} × {r}");
        let sum: f64 = plain.iter().map(|s| 0.5 * s * s).sum();
        assert!((value - sum).abs() <= 1e-12 * sum);
        assert_eq!(value, pattern.judged(&x, judge, &mut image, &mut slopes, None));
        let [sum, weighted] = pattern.summed(&x, |range, z| {
            assert_eq!(range.len(), z.len());
            let weighted = range.zip(z).map(|(k, z)| k as f64 * z);
            [z.iter().sum(), weighted.sum()]
        });
        let expected = image.iter().enumerate().map(|(k, z)| k as f64 * z).sum::<f64>();
        let size = image.iter().enumerate().map(|(k, z)| (k as f64 * z).abs()).sum::<f64>();
        assert!((sum - image.iter().sum::<f64>()).abs() <= 1e-13 * size);
        assert!((weighted - expected).abs() <= 1e-13 * size);
    }
}

#[test]
fn a_pattern_holds_every_place_and_its_mirror() {
    let given = [(0, 2), (1, 1), (2, 0), (2, 1)];
    let (pattern, from) = Pattern::mirrored(3, &given).unwrap();
    assert_eq!((pattern.len(), pattern.dim()), (7, 3));
    for i in 0..3 {
        let columns = &pattern.columns()[pattern.row(i)];
        assert!(columns.is_sorted());
        for k in pattern.row(i) {
            let (a, b) = given[from[k] as usize];
            let j = pattern.columns()[k];
            assert!((a, b) == (i as u32, j) || (b, a) == (i as u32, j));
            let there = pattern.mirror()[k] as usize;
            assert!(pattern.row(j as usize).contains(&there));
            assert_eq!((pattern.columns()[there] as usize, from[there]), (i, from[k]));
        }
    }
    let outside = Pattern::mirrored(2, &[(0, 2)]);
    assert_eq!(outside, Err(CsrError::OutOfRange { row: 0, column: 2 }));
}

#[test]
fn products_and_samples_match_naive_loops() {
    for (n, r) in [(1, 1), (7, 3), (70, 5), (150, 20), (66, 33)] {
        let (pattern, _) = Pattern::mirrored(n, &places(n)).unwrap();
        let (x, y) = (wave(n, r, 0.0), wave(n, r, 1.0));
        let mut sampled = vec![f64::NAN; pattern.len()];
        pattern.sample(&x, &y, &mut sampled);
        let values: Vec<f64> = (0..pattern.len()).map(|k| (k as f64).cos()).collect();
        let mut image = Mat::from_fn(n, r, |_, _| f64::NAN);
        pattern.apply(&values, &y, &mut image);
        let mut transposed = vec![0.0; pattern.len()];
        pattern.transpose(&values, &mut transposed);
        let mut back = Mat::zeros(n, r);
        pattern.apply(&transposed, &x, &mut back);
        assert!((image.dot(&x) - back.dot(&y)).abs() < 1e-10 * (1.0 + image.norm()));
        for i in 0..n {
            let mut expected = vec![0.0; r];
            for k in pattern.row(i) {
                let j = pattern.columns()[k] as usize;
                let dot: f64 = x.row(i).iter().zip(y.row(j)).map(|(a, b)| a * b).sum();
                assert!((sampled[k] - dot).abs() < 1e-12 * (1.0 + r as f64));
                expected.iter_mut().zip(y.row(j)).for_each(|(e, y)| *e += values[k] * y);
            }
            let apart = image.row(i).iter().zip(&expected).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-10);
        }
    }
}

#[test]
fn row_models_match_naive_sums() {
    for (n, r) in [(1, 1), (7, 3), (70, 5), (150, 20), (66, 33)] {
        let (pattern, _) = Pattern::mirrored(n, &places(n)).unwrap();
        let y = wave(n, r, 0.3);
        let rows = n / 3..n;
        let base = pattern.row(rows.start).start;
        let entries = pattern.len() - base;
        let slopes: Vec<f64> = (0..entries).map(|k| (k as f64).sin()).collect();
        let curvatures: Vec<f64> = (0..entries).map(|k| 1.0 + (k as f64).cos()).collect();
        let mut gradients = vec![f64::NAN; rows.len() * r];
        let mut grams = vec![f64::NAN; rows.len() * r * r];
        pattern.row_models(rows.clone(), &slopes, &curvatures, &y, &mut gradients, &mut grams);
        for (at, i) in rows.enumerate() {
            for a in 0..r {
                let of = |weights: &[f64], b: Option<usize>| -> f64 {
                    let each = pattern.row(i).map(|k| {
                        let row = y.row(pattern.columns()[k] as usize);
                        weights[k - base] * row[a] * b.map_or(1.0, |b| row[b])
                    });
                    each.sum()
                };
                assert!((gradients[at * r + a] - of(&slopes, None)).abs() < 1e-10);
                for b in 0..r {
                    let found = grams[(at * r + a) * r + b];
                    assert!((found - of(&curvatures, Some(b))).abs() < 1e-10, "{n} {r}");
                }
            }
        }
    }
}

/// Places in order make the pattern that they make in any order, and say the same of where entries came from.
#[test]
fn sorted_places_make_the_same_pattern() {
    for n in [1, 2, 9, 40] {
        let mut sorted: Vec<(u32, u32)> =
            places(n).iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
        sorted.sort_unstable();
        let turned: Vec<(u32, u32)> = sorted.iter().map(|&(i, j)| (j, i)).collect();
        let (pattern, from) = Pattern::mirrored(n, &sorted).unwrap();
        let (other, other_from) = Pattern::mirrored(n, &turned).unwrap();
        assert_eq!((&pattern.starts, &pattern.columns), (&other.starts, &other.columns));
        let own = |from: &[u32]| -> Vec<(u32, u32)> {
            from.iter().map(|&k| sorted[k as usize]).collect()
        };
        assert_eq!(own(&from), own(&other_from));
        for (k, &there) in pattern.mirror().iter().enumerate() {
            assert_eq!(
                (pattern.mirror()[there as usize] as usize, from[there as usize]),
                (k, from[k])
            );
            let row = pattern.row(pattern.columns[k] as usize);
            assert!(row.contains(&(there as usize)));
        }
    }
}
