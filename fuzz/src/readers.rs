//! Every parser of files.

use std::{
    fs,
    io::{Cursor, Write},
    path::Path,
};

use flate2::{Compression, write::GzEncoder};
use gramfold_io::{
    Asymmetry, Duplicates, Graph, GraphOptions, TableOptions, read_dense, read_graph, read_labels,
    read_matrix_market, read_npy, read_npz, read_points, read_sdpa, write_labels,
    write_matrix_market, write_npy,
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{Target, seeds};

/// Inputs of a short run.
const FEW: usize = 4000;

const fn target(
    name: &'static str,
    run: fn(&[u8], &Path),
    seeds: fn() -> Vec<Vec<u8>>,
    words: &'static [&'static str],
) -> Target {
    Target { name, run, seeds, words, few: FEW }
}

pub(crate) fn targets() -> Vec<Target> {
    vec![
        target("matrix-market", matrix_market, seeds::matrix_market, seeds::MATRIX_MARKET),
        target("edge-list", edge_list, seeds::edge_list, seeds::NUMBERS),
        target("rudy", rudy, seeds::rudy, seeds::NUMBERS),
        target("npy", npy, seeds::npy, seeds::NPY),
        target("npz", npz, seeds::npz, seeds::NPY),
        target("npz-members", npz_members, seeds::npz_members, seeds::NPY),
        target("sdpa", sdpa, seeds::sdpa, seeds::NUMBERS),
        target("table", table, seeds::table, seeds::NUMBERS),
        target("labels", labels, seeds::labels, seeds::NUMBERS),
        target("gzip", gzip, seeds::gzip, seeds::NUMBERS),
    ]
}

/// Writes the input to a file.
fn file(directory: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = directory.join(name);
    fs::write(&path, bytes).expect("room for an input");
    path
}

/// How a file that is not symmetric is taken.
const BOTH: [Asymmetry; 2] = [Asymmetry::Refuse, Asymmetry::Average];

fn matrix_market(bytes: &[u8], directory: &Path) {
    let path = file(directory, "a.mtx", bytes);
    for asymmetry in BOTH {
        if let Ok(matrix) = read_matrix_market(&path, asymmetry) {
            // What is written is read back to the same bits; a large one would only take time.
            if matrix.dim() < 1000 {
                let copy = directory.join("copy.mtx");
                write_matrix_market(&copy, &matrix).expect("what was read can be written");
                let again = read_matrix_market(&copy, Asymmetry::Refuse);
                assert_eq!(
                    again.expect("what was written can be read").to_dense(),
                    matrix.to_dense()
                );
            }
        }
    }
}

fn edge_list(bytes: &[u8], directory: &Path) {
    let path = file(directory, "a.txt", bytes);
    for asymmetry in BOTH {
        for duplicates in [Duplicates::First, Duplicates::Refuse, Duplicates::Sum] {
            if let Ok(graph) =
                read_graph(&path, GraphOptions { asymmetry, duplicates, holes: true })
            {
                fits(&graph);
            }
        }
    }
}

fn rudy(bytes: &[u8], directory: &Path) {
    let path = file(directory, "a.txt", bytes);
    if let Ok(graph) = read_graph(&path, GraphOptions::default()) {
        fits(&graph);
    }
}

/// A graph has a name for each node or none, and finite weights.
pub(crate) fn fits(graph: &Graph) {
    if let Some(names) = &graph.names {
        assert_eq!(names.len(), graph.matrix.dim());
    }
    assert!(graph.matrix.values().all(f64::is_finite));
}

fn npy(bytes: &[u8], directory: &Path) {
    let path = file(directory, "a.npy", bytes);
    if let Ok(matrix) = read_npy(&path) {
        let copy = directory.join("copy.npy");
        write_npy(&copy, &matrix).expect("what was read can be written");
        let again = read_npy(&copy).expect("what was written can be read");
        let bits =
            |m: &gramfold_linalg::Mat| m.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&again), bits(&matrix));
    }
    for asymmetry in BOTH {
        let _ = read_dense(&path, asymmetry);
    }
    let _ = read_points(&path, &TableOptions::default());
}

fn npz(bytes: &[u8], directory: &Path) {
    let path = file(directory, "a.npz", bytes);
    for asymmetry in BOTH {
        if let Ok(matrix) = read_npz(&path, asymmetry) {
            fits(&matrix.into());
        }
    }
}

/// The arrays of an archive, whose checksums a mutation of the whole would not meet: each a length in two bytes, and
/// so many bytes.
fn npz_members(bytes: &[u8], directory: &Path) {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, member) in seeds::MEMBERS.iter().zip(parts(bytes)) {
        writer.start_file(format!("{name}.npy"), options).expect("room in memory");
        writer.write_all(member).expect("room in memory");
    }
    npz(&writer.finish().expect("room in memory").into_inner(), directory);
}

/// Splits at lengths.
fn parts(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let ([low, high], rest) = bytes.split_first_chunk::<2>().map(|(a, b)| (*a, b))?;
        let (part, after) =
            rest.split_at(usize::from(u16::from_le_bytes([low, high])).min(rest.len()));
        bytes = after;
        Some(part)
    })
}

fn sdpa(bytes: &[u8], directory: &Path) {
    let path = file(directory, "a.dat-s", bytes);
    if let Ok(file) = read_sdpa(&path) {
        let _ = file.program();
    }
}

fn table(bytes: &[u8], directory: &Path) {
    let path = file(directory, "a.csv", bytes);
    if let Ok(points) = read_points(&path, &TableOptions::default()) {
        assert!(points.matrix.as_slice().iter().all(|value| value.is_finite()));
    }
}

fn labels(bytes: &[u8], directory: &Path) {
    let path = file(directory, "a.txt", bytes);
    if let Ok(labels) = read_labels(&path, None)
        && labels.classes.is_none()
        && let Some(all) = labels.labels.iter().copied().collect::<Option<Vec<_>>>()
    {
        let copy = directory.join("copy.txt");
        write_labels(&copy, &all, labels.names.as_deref()).expect("what was read can be written");
        assert_eq!(
            read_labels(&copy, Some(all.len())).expect("what was written can be read"),
            labels
        );
    }
}

/// The bytes as they are, and compressed, so that the checksum is met.
fn gzip(bytes: &[u8], directory: &Path) {
    let _ = read_graph(&file(directory, "a.txt.gz", bytes), GraphOptions::default());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("room in memory");
    let zipped = encoder.finish().expect("room in memory");
    // What is compressed already would be unpacked once, and then not be text.
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        let plain = read_labels(&file(directory, "a.txt", bytes), None);
        let unzipped = read_labels(&file(directory, "a.txt.gz", &zipped), None);
        assert_eq!(plain.ok(), unzipped.ok());
    }
}
