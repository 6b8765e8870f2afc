//! How close A·Y comes to what the memory of this machine allows. Part of `cargo xtask bench cluster`.
//!
//! For each matrix, width and number of threads three times are taken: of a stream over as many bytes
//! as A, Y and A·Y hold; of a gather that touches every cache line of the rows of Y that A's column
//! indices name, in A's order, and computes nothing; and of A·Y. The larger of the first two is the
//! roofline. The gather relies on the processor to overlap its loads: the kernel, which prefetches,
//! can beat it. Prints one JSON object a line.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)] // A benchmark reports to the terminal.

use std::{env, fs, hint::black_box, time::Instant};

use gramfold_linalg::{Csr, Mat, Symmetric};
use rayon::prelude::*;
use serde_json::json;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Doubles in a cache line.
const LINE: usize = 8;

/// Rows, or doubles, that one task reads.
const CHUNK: usize = 1 << 12;

/// Doubles that the stream reads: 256 MB, more than any cache.
const STREAM: usize = 1 << 25;

/// A matrix to measure.
struct Graph {
    name: &'static str,
    dim: usize,
    /// Stored entries of each row, about.
    degree: usize,
    banded: bool,
    widths: &'static [usize],
}

const QUICK: &[Graph] = &[
    Graph { name: "random", dim: 100_000, degree: 20, banded: false, widths: &[8, 16, 32] },
    Graph { name: "banded", dim: 100_000, degree: 20, banded: true, widths: &[8, 16, 32] },
];

const FULL: &[Graph] = &[
    Graph { name: "random", dim: 1_000_000, degree: 20, banded: false, widths: &[8, 16, 32] },
    Graph { name: "banded", dim: 1_000_000, degree: 20, banded: true, widths: &[8, 16, 32] },
    Graph { name: "random", dim: 1_000_000, degree: 50, banded: false, widths: &[32] },
];

fn main() {
    let quick = env::args().any(|argument| argument == "--quick");
    let stream: Vec<f64> = (0..STREAM).map(|i| (i % 7) as f64).collect();
    let bandwidths = [1, 2].map(|threads| {
        let bytes = (STREAM * size_of::<f64>()) as f64;
        on(threads, || bytes / fastest(|| sum(&stream)))
    });
    drop(stream);
    for graph in if quick { QUICK } else { FULL } {
        let matrix = graph.build();
        let starts: Vec<(usize, usize)> = starts(&matrix);
        let columns: Vec<u32> =
            (0..graph.dim).flat_map(|i| matrix.row(i).map(|(j, _)| j as u32)).collect();
        let matrix = Symmetric::from(matrix);
        for &width in graph.widths {
            let y = Mat::from_fn(graph.dim, width, |i, j| ((i + j) % 5) as f64);
            let mut product = Mat::zeros(graph.dim, width);
            for (threads, bandwidth) in [1, 2].into_iter().zip(bandwidths) {
                let gather =
                    on(threads, || fastest(|| touch(&starts, &columns, y.as_slice(), width)));
                let apply = on(threads, || fastest(|| matrix.apply(&y, &mut product)));
                // A's values and indices, Y, and the result, each moved once.
                let bytes = matrix.stored() * 12 + 16 * graph.dim * width;
                let roofline = gather.max(bytes as f64 / bandwidth);
                println!(
                    "{}",
                    json!({
                        "matrix": graph.name,
                        "banded": graph.banded,
                        "dim": graph.dim,
                        "degree": graph.degree,
                        "stored": matrix.stored(),
                        "width": width,
                        "threads": threads,
                        "stream_bytes_per_second": bandwidth,
                        "gather_seconds": gather,
                        "gather_bytes_per_second":
                            (matrix.stored() * (8 * width + 4)) as f64 / gather,
                        "seconds": apply,
                        "share": roofline / apply,
                        "peak_memory_bytes": peak_memory(),
                    })
                );
            }
        }
    }
}

impl Graph {
    /// The same matrix as `spmm.py` builds.
    fn build(&self) -> Csr {
        let half = self.degree / 2;
        let entries: Vec<(u32, u32, f64)> = (0..self.dim * half)
            .map(|e| {
                let (i, j) = if self.banded {
                    (e / half, (e / half + 1 + e % half) % self.dim)
                } else {
                    let index = |at: usize| (mix(at as u64) % self.dim as u64) as usize;
                    (index(2 * e), index(2 * e + 1))
                };
                (i as u32, j as u32, 1.0)
            })
            .collect();
        Csr::from_triangle(self.dim, &entries).expect("invariant: indices are below the dimension")
    }
}

/// The e-th output of SplitMix64 from state 0.
fn mix(e: u64) -> u64 {
    let z = (e + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Begin and end of each chunk of rows among the column indices.
fn starts(matrix: &Csr) -> Vec<(usize, usize)> {
    let rows: Vec<usize> = (0..matrix.dim()).collect();
    let mut end = 0;
    rows.chunks(CHUNK)
        .map(|rows| {
            let begin = end;
            end += rows.iter().map(|&i| matrix.row(i).count()).sum::<usize>();
            (begin, end)
        })
        .collect()
}

/// The sum, in eight independent chains so that loads and not additions limit it.
fn sum(values: &[f64]) -> f64 {
    let partial = |values: &[f64]| {
        let mut sums = [0.0; LINE];
        for line in values.chunks_exact(LINE) {
            sums.iter_mut().zip(line).for_each(|(sum, value)| *sum += value);
        }
        sums.iter().sum::<f64>()
    };
    values.par_chunks(CHUNK).map(partial).sum()
}

/// One value of every cache line of the rows that the indices name.
fn touch(starts: &[(usize, usize)], columns: &[u32], y: &[f64], width: usize) -> f64 {
    let partial = |&(begin, end): &(usize, usize)| {
        let mut sums = [0.0; 4];
        for (at, &column) in columns[begin..end].iter().enumerate() {
            let row = &y[column as usize * width..][..width];
            sums[at % 4] += row.iter().step_by(LINE).sum::<f64>();
        }
        sums.iter().sum::<f64>()
    };
    starts.par_iter().map(partial).sum()
}

/// Runs the work in a pool of its own.
fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("invariant: threads can be started").install(work)
}

/// The shortest of several times, after one that warms up.
fn fastest<T>(mut work: impl FnMut() -> T) -> f64 {
    black_box(work());
    let time = || {
        let clock = Instant::now();
        black_box(work());
        clock.elapsed().as_secs_f64()
    };
    std::iter::repeat_with(time).take(7).fold(f64::INFINITY, f64::min)
}

/// The largest resident memory so far, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
