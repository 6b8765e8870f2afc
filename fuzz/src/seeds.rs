//! Inputs to begin with, and the words of their formats.

use std::io::{Cursor, Write};

use flate2::{Compression, write::GzEncoder};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

pub(crate) const NUMBERS: &[&str] =
    &["#", "%", "source", "target", "\t", ";", ",", "\"", "-", "{", "}"];

pub(crate) const MATRIX_MARKET: &[&str] = &[
    "%%MatrixMarket matrix",
    "coordinate",
    "array",
    "real",
    "integer",
    "pattern",
    "complex",
    "general",
    "symmetric",
    "skew-symmetric",
    "hermitian",
    "double",
];

pub(crate) const NPY: &[&str] = &[
    "'descr': '<f8'",
    "'>f4'",
    "'<i8'",
    "'|b1'",
    "'|u1'",
    "'<f2'",
    "'fortran_order': True",
    "'shape': (3,)",
    "(2, 2)",
    "(0, 0)",
    "()",
    "csr",
    "csc",
    "coo",
];

pub(crate) const CLAIMS: &[&str] =
    &["null", "true", "false", "{}", "[]", "\"inf\"", "\"solved\"", "\"converged\""];

/// The arrays of a sparse matrix of SciPy, in the order of the parts of an input.
pub(crate) const MEMBERS: [&str; 7] =
    ["format", "shape", "data", "indices", "indptr", "row", "col"];

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub(crate) fn matrix_market() -> Vec<Vec<u8>> {
    texts(&[
        "%%MatrixMarket matrix coordinate real symmetric\n% note\n3 3 3\n1 1 2\n2 1 -1.5e0\n3 3 4\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n4 3\n",
        "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 7\n2 1 7\n",
        "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2.5\n-3\n",
        "%%MatrixMarket matrix array real general\n2 2\n1\n2\n2\n3\n",
    ])
}

pub(crate) fn edge_list() -> Vec<Vec<u8>> {
    texts(&[
        "0 1\n1 2\n2 0\n",
        "source\ttarget\tweight\na\tb\t1.5\nb\tc\t-2\n",
        "# list\n10,20,1\n20,10,1\n30,30,2\n",
        "\"a b\";\"c\";3\nc;d;4e-3\n",
        "4 3\n1 2\n2 3\n3 4\n",
    ])
}

pub(crate) fn graphs() -> Vec<Vec<u8>> {
    edge_list().into_iter().chain(rudy()).collect()
}

pub(crate) fn rudy() -> Vec<Vec<u8>> {
    texts(&["4 2\n1 2 1\n3 2 -2.5\n", " 3 0\n", "3 3\n1 2 1\n2 3 1\n1 3 1\n", "5 1\n1 1 3\n"])
}

pub(crate) fn sdpa() -> Vec<Vec<u8>> {
    texts(&[
        "\"note\"\n2 = mdim\n2 = nblocks\n{2, -1}\n{1.0, 2}\n0 1 1 1 1\n0 1 2 2 3\n1 1 1 2 0.5\n2 2 1 1 1\n",
        "1\n1\n3\n1\n0 1 1 2 1\n0 1 2 3 -1\n1 1 1 1 1\n1 1 2 2 1\n1 1 3 3 1\n",
        "* note\n0\n1\n2\n\n0 1 1 1 1\n",
    ])
}

pub(crate) fn table() -> Vec<Vec<u8>> {
    texts(&["x,y\n1,2\n3,4\n", "1 2 3\n4 5 6\n", "1;2\n-3e4;0.5\n", "\"a\"\t\"b\"\n1\t2\n"])
}

pub(crate) fn labels() -> Vec<Vec<u8>> {
    texts(&["0\n1\n-1\n2\n", "node,class\na,0\nb,1\n", "# classes\nx\t3\ny\t0\n", "1.0\n2e0\n"])
}

/// An npy file.
fn array(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).expect("a short header").to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &length, header.as_bytes(), data].concat()
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn integers(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

pub(crate) fn npy() -> Vec<Vec<u8>> {
    vec![
        array("<f8", "(2, 2)", &doubles(&[1.0, 2.0, 2.0, -3.0])),
        array("<f4", "(3,)", &[0; 12]),
        array(">i4", "(2, 1)", &integers(&[1, 2])),
        array("|b1", "(1, 2)", &[1, 0]),
        array("<u2", "(2, 2)", &[1, 0, 2, 0, 2, 0, 3, 0]),
    ]
}

/// The arrays of the same small matrix in three formats.
fn members() -> Vec<Vec<(&'static str, Vec<u8>)>> {
    let common = |format: &[u8]| {
        vec![
            ("format", array(&format!("|S{}", format.len()), "()", format)),
            ("shape", array("<i4", "(2,)", &integers(&[2, 2]))),
            ("data", array("<f8", "(2,)", &doubles(&[1.5, 1.5]))),
        ]
    };
    let compressed = |format: &[u8]| {
        let mut arrays = common(format);
        arrays.push(("indices", array("<i4", "(2,)", &integers(&[1, 0]))));
        arrays.push(("indptr", array("<i4", "(3,)", &integers(&[0, 1, 2]))));
        arrays
    };
    let mut listed = common(b"coo");
    listed.push(("row", array("<i4", "(2,)", &integers(&[0, 1]))));
    listed.push(("col", array("<i4", "(2,)", &integers(&[1, 0]))));
    vec![compressed(b"csr"), compressed(b"csc"), listed]
}

pub(crate) fn npz() -> Vec<Vec<u8>> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let archive = |arrays: Vec<(&str, Vec<u8>)>| {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in arrays {
            writer.start_file(format!("{name}.npy"), options).expect("room in memory");
            writer.write_all(&bytes).expect("room in memory");
        }
        writer.finish().expect("room in memory").into_inner()
    };
    members().into_iter().map(archive).collect()
}

pub(crate) fn npz_members() -> Vec<Vec<u8>> {
    let joined = |arrays: Vec<(&str, Vec<u8>)>| {
        let part = |name: &&str| {
            let bytes =
                arrays.iter().find(|(member, _)| member == name).map(|(_, bytes)| &bytes[..]);
            let bytes = bytes.unwrap_or_default();
            [&u16::try_from(bytes.len()).expect("a short array").to_le_bytes()[..], bytes].concat()
        };
        MEMBERS.iter().map(part).collect::<Vec<_>>().concat()
    };
    members().into_iter().map(joined).collect()
}

pub(crate) fn gzip() -> Vec<Vec<u8>> {
    let zipped = |bytes: &Vec<u8>| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).expect("room in memory");
        encoder.finish().expect("room in memory")
    };
    edge_list().iter().map(zipped).chain(labels()).collect()
}
