//! The commands that learn, from end to end: what they write must check out.

use std::{fs, path::Path};

use crate::{
    Target,
    program::{gramfold, holds},
    seeds,
};

/// Inputs of a short run: each is a whole command.
const FEW: usize = 25;

pub(crate) const ENTRIES: &str =
    "0,0,1\n0,1,0.5\n1,1,2\n1,2,-1\n2,2,1.5\n0,3,0.25\n3,3,1\n2,3,0.75\n";
pub(crate) const DISTANCES: &str = "a,b,3\nb,c,4\na,c,5\nc,d,2\nb,d,4.5\na,d,5.5\n";
pub(crate) const CORRELATIONS: &str =
    ",u,v,w,x\nu,1,0.5,0.4,0.1\nv,0.5,1,0.3,0.2\nw,0.4,0.3,1,0.15\nx,0.1,0.2,0.15,1\n";
pub(crate) const CLASSES: &str =
    "s,t,class\n0,1,a\n0.5,1.5,a\n3,0,b\n3.5,0.5,b\n0.2,0.9,a\n2.8,0.1,b\n0.1,1.2,a\n3.1,0.3,b\n";
pub(crate) const INTENSITIES: &str =
    "1,0,0,1\n0,1,0,4\n0,0,1,0.25\n1,1,0,9\n1,0,1,2.25\n0,1,1,6.25\n1,-1,0,1\n0.5,0.5,0.5,3.0625\n";
const SPARSE: &str = "measurement,row,column,value\n0,0,0,1\n1,0,1,1\n2,1,1,0.5\n2,0,0,0.5\n";
pub(crate) const PAIRS: &str = "0 1 1\n2 5 -1\n3 4 1\n";
pub(crate) const PROBLEM: &str = "rank = 2\nregulariser = \"ridge:lambda=0.1\"\nstart = \"spectral\"\n\n[[term]]\nmap = \"entries\"\n\
     file = \"data.csv\"\nloss = \"huber:delta=0.5\"\n\n[stop]\nmax_iterations = 50\n";
pub(crate) const MATRIX: &str =
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 1 1\n2 2 3\n3 3 1\n";

const PROBLEM_WORDS: &[&str] = &[
    "rank = 1",
    "regulariser = \"nonnegative\"",
    "l1:mu=0.1",
    "simplex-rows",
    "algorithm = \"am\"",
    "lbfgs",
    "gauss-newton",
    "rule = \"dynamic\"",
    "nodes = 7",
    "[[term]]",
    "map = \"distances\"",
    "rank-one",
    "matrices",
    "matrix",
    "sparse",
    "targets = \"data.csv\"",
    "loss = \"poisson\"",
    "logistic",
    "squared-hinge",
    "at-most",
    "scale = 2.0",
    "[linear]",
    "laplacian = true",
    "[stop]",
    "tolerance = 1e-3",
    "time_limit = 1",
];

pub(crate) fn targets() -> Vec<Target> {
    let target = |name, run, seeds| Target { name, run, seeds, words: seeds::NUMBERS, few: FEW };
    vec![
        target("complete", complete, || texts(&[ENTRIES, "a,b,3\nb,c,3\na,c,3\n"])),
        target("locate", locate, || texts(&[DISTANCES, "0,1,1\n"])),
        target("factors", factors, || texts(&[CORRELATIONS, "1,0.5\n0.5,1\n"])),
        target("correlation", correlation, || texts(&[CORRELATIONS, "1,2\n2,1\n"])),
        target("metric", metric, || texts(&[CLASSES])),
        target("recover", recover, || texts(&[INTENSITIES, "1,0,0,1,2\n0,1,1,0,3\n"])),
        target("sparse", sparse, || texts(&[SPARSE, "0,0,2,1\n1,1,1,1\n2,0,1,1\n2,1,0,-1\n"])),
        target("kernel", kernel, || texts(&[PAIRS, "0 1 1\n", "0 5 -1\n5 0 1\n"])),
        Target { words: PROBLEM_WORDS, ..target("fit", fit, || texts(&[PROBLEM])) },
    ]
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Runs a command on its input, and checks what comes out.
fn run(bytes: &[u8], directory: &Path, name: &str, line: &[&str]) {
    fs::write(directory.join(name), bytes).expect("room for an input");
    let flags = ["--out", "./out", "--time-limit", "1", "--threads", "1", "--quiet"];
    if gramfold(directory, &[line, &flags].concat()) < 2 {
        holds(directory);
    }
}

fn complete(bytes: &[u8], directory: &Path) {
    let flags: &[&str] = [
        &["--rank", "1", "--ridge", "0.1", "--biases", "1"],
        &["--rank", "2", "--ridge", "0", "--biases", "none", "--folds", "0"][..],
        &["--folds", "2", "--loss", "huber"],
    ][bytes.len() % 3];
    run(
        bytes,
        directory,
        "a.csv",
        &[&["complete", "./a.csv", "--max-iter", "100"], flags].concat(),
    );
}

fn locate(bytes: &[u8], directory: &Path) {
    let dim = ["1", "2", "3"][bytes.len() % 3];
    run(bytes, directory, "a.csv", &["locate", "./a.csv", "--dim", dim, "--max-iter", "100"]);
}

fn factors(bytes: &[u8], directory: &Path) {
    let rotate = ["varimax", "promax", "none"][bytes.len() % 3];
    run(bytes, directory, "a.csv", &["factors", "./a.csv", "-k", "1", "--rotate", rotate]);
}

fn correlation(bytes: &[u8], directory: &Path) {
    let rank = ["1", "2", "3"][bytes.len() % 3];
    run(bytes, directory, "a.csv", &["correlation", "./a.csv", "--rank", rank]);
}

fn metric(bytes: &[u8], directory: &Path) {
    let line = ["metric", "./a.csv", "--label-column", "class", "--max-iter", "50", "--folds"];
    let folds = ["0", "2"][bytes.len() % 2];
    run(bytes, directory, "a.csv", &[&line[..], &[folds]].concat());
}

fn recover(bytes: &[u8], directory: &Path) {
    let of = ["vectors", "matrices"][bytes.len() % 2];
    run(bytes, directory, "a.csv", &["recover", "./a.csv", "--of", of, "--max-iter", "100"]);
}

/// The entries of sparse matrices are drawn; what they measured is always the same.
fn sparse(bytes: &[u8], directory: &Path) {
    fs::write(directory.join("t.csv"), "1\n2\n3\n").expect("room for targets");
    let line =
        ["recover", "./a.csv", "--of", "sparse", "--targets", "./t.csv", "--max-iter", "100"];
    run(bytes, directory, "a.csv", &line);
}

/// The pairs are drawn; the graph is always the same.
fn kernel(bytes: &[u8], directory: &Path) {
    fs::write(directory.join("a.txt"), "0 1\n1 2\n2 3\n3 4\n4 0\n4 5\n").expect("room for a graph");
    run(bytes, directory, "p.txt", &["kernel", "./a.txt", "--pairs", "./p.txt"]);
}

/// The description is drawn; its data are always the same.
fn fit(bytes: &[u8], directory: &Path) {
    fs::write(directory.join("data.csv"), ENTRIES).expect("room for data");
    run(bytes, directory, "a.toml", &["fit", "./a.toml"]);
}
