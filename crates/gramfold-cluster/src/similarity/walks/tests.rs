use gramfold_linalg::Mat;

use super::*;

/// Two weighted rings of six nodes with chords, joined by one edge; the last node is alone.
fn rings() -> Symmetric {
    let mut edges = Vec::new();
    for ring in 0..2_u32 {
        for i in 0..6 {
            edges.push((6 * ring + i, 6 * ring + (i + 1) % 6, 1.0 + 0.3 * f64::from(i)));
            edges.push((6 * ring + i, 6 * ring + (i + 2) % 6, 0.5));
        }
    }
    edges.push((0, 7, 0.8));
    edges.push((3, 3, 0.7));
    Csr::from_triangle(13, &edges).unwrap().into()
}

/// p_ij by powers of the dense transition matrix.
fn meetings(a: &Symmetric, window: usize) -> (Mat, Vec<f64>) {
    let (a, n) = (a.to_dense(), a.dim());
    let degrees: Vec<f64> = (0..n).map(|i| a.row(i).iter().sum()).collect();
    let volume: f64 = degrees.iter().sum();
    let step = |i: usize, j: usize| if degrees[i] > 0.0 { a[(i, j)] / degrees[i] } else { 0.0 };
    let mut power = Mat::from_fn(n, n, |i, j| f64::from(i == j));
    let mut sum = Mat::zeros(n, n);
    for _ in 0..window {
        power = Mat::from_fn(n, n, |i, j| (0..n).map(|k| power[(i, k)] * step(k, j)).sum());
        sum.zip(&power, |s, p| s + p);
    }
    (Mat::from_fn(n, n, |i, j| degrees[i] / volume * sum[(i, j)] / window as f64), degrees)
}

fn walks(window: usize, samples: f64, measure: Measure) -> Walks {
    Walks { window, samples: Some(samples), measure }
}

#[test]
fn the_exact_similarity_is_that_of_the_formula() {
    let a = rings();
    for window in [1, 2, 5] {
        let (p, degrees) = meetings(&a, window);
        let volume: f64 = degrees.iter().sum();
        for measure in [Measure::Logarithm, Measure::Root, Measure::Indicator] {
            let found = walks(window, 1.0, measure).similarity(&a, 0).unwrap();
            for i in 0..13 {
                for j in 0..13 {
                    let ratio = p[(i, j)] * volume * volume / (degrees[i] * degrees[j]);
                    let expected = match measure {
                        _ if i == j || ratio <= 1.0 || ratio.is_nan() => 0.0,
                        Measure::Logarithm => ratio.ln(),
                        Measure::Root => (ratio - 1.0).sqrt(),
                        Measure::Indicator => 1.0,
                    };
                    assert!((found.get(i, j) - expected).abs() < 1e-12);
                }
            }
        }
    }
}

#[test]
fn sampled_meetings_have_the_mean_of_the_exact_ones_and_no_more_variance_than_chance() {
    let a = rings();
    let graph = Graph::new(&a).unwrap();
    for (window, samples) in [(1, 3.0), (3, 1.7), (5, 10.0)] {
        let (p, _) = meetings(&a, window);
        let runs = 2000;
        let (mut sum, mut squares) = (Mat::zeros(13, 13), Mat::zeros(13, 13));
        let mut walked = 0.0;
        for seed in 0..runs {
            let there = sampled::walks(&graph, window, samples, seed);
            walked += there.walks() as f64 / runs as f64;
            for i in 0..13 {
                for same in there.row(i).chunk_by(|a, b| a == b) {
                    let (j, count) = (same[0] as usize, same.len() as f64);
                    sum[(i, j)] += count;
                    squares[(i, j)] += count * count;
                }
            }
        }
        let number = samples * graph.stored() as f64;
        assert!((walked - number).abs() < 0.05);
        let mut excess: f64 = 0.0;
        for i in 0..13 {
            for j in 0..13 {
                let expected = number * p[(i, j)];
                let mean = sum[(i, j)] / runs as f64;
                let variance = squares[(i, j)] / runs as f64 - mean * mean;
                // Five standard deviations of a mean of that many draws of the binomial distribution.
                let binomial = expected * (1.0 - p[(i, j)]);
                let allowed = 5.0 * (binomial / runs as f64).sqrt() + 1e-9;
                assert!((mean - expected).abs() <= allowed, "({i}, {j}): {mean} for {expected}");
                if binomial > 0.5 {
                    excess = excess.max(variance / binomial);
                }
            }
        }
        assert!(excess < 1.2, "variance {excess} times the binomial one");
    }
}

#[test]
fn many_samples_give_the_exact_similarity() {
    let a = rings();
    let graph = Graph::new(&a).unwrap();
    let many = walks(4, 1.0, Measure::Logarithm);
    let sampled = many.of_walks(&graph, sampled::walks(&graph, 4, 20_000.0, 3));
    let exact = many.exact(&a, &graph);
    for i in 0..13 {
        for j in 0..13 {
            assert!((sampled.get(i, j) - exact.get(i, j)).abs() < 0.03, "({i}, {j})");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let edges: Vec<_> = (0..3000_u32)
        .flat_map(|i| (1..4).map(move |s| (i, (i * s + 7 * s) % 3000, f64::from(s))))
        .collect();
    let a = Symmetric::from(Csr::from_triangle(3000, &edges).unwrap());
    let made = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let some = walks(5, 3.0, Measure::Root);
        assert!(!some.exactly(&Graph::new(&a).unwrap()));
        pool.install(|| some.similarity(&a, 11).unwrap())
    };
    let one = made(1);
    assert_eq!(one, made(2));
    assert_eq!(one, made(5));
    assert!(one.stored() > 10_000);
}
