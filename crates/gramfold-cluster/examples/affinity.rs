//! Times the self-tuning graph of a Gaussian mixture: `affinity [points] [dimensions] [clusters] [spread]`.

use std::time::Instant;

use gramfold_cluster::self_tuning;
use gramfold_linalg::Mat;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

#[expect(clippy::print_stdout, reason = "a program")]
fn main() {
    let numbers: Vec<f64> =
        std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let number = |at: usize, default: f64| numbers.get(at).copied().unwrap_or(default);
    let (n, d) = (number(0, 1e5) as usize, number(1, 50.0) as usize);
    let (clusters, spread) = (number(2, 10.0) as usize, number(3, 1.0));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
    let centres = Mat::from_fn(clusters, d, |_, _| spread * normal());
    let points = Mat::from_fn(n, d, |i, j| centres[(i % clusters, j)] + normal());
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let clock = Instant::now();
        let graph = pool.install(|| self_tuning(&points, None)).expect("finite points");
        let seconds = clock.elapsed().as_secs_f64();
        println!(
            "{n} x {d}, {clusters} clusters, {threads} threads: {seconds:.2} s, {} stored",
            graph.stored()
        );
    }
}
