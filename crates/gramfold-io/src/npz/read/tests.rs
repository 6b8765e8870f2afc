use std::io::{Cursor, Write};

use gramfold_linalg::Csr;
use proptest::prelude::*;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::*;
use crate::npy::tests::file;

type Members = Vec<(&'static str, Vec<u8>)>;

fn zipped(members: &Members, method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in members {
        writer.start_file(format!("{name}.npy"), options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn read(members: &Members, asymmetry: Asymmetry) -> Result<Symmetric, String> {
    let read = |method| parse(Path::new("a.npz"), &zipped(members, method), asymmetry);
    let stored = read(CompressionMethod::Stored).map_err(|error| error.to_string());
    let deflated = read(CompressionMethod::Deflated).map_err(|error| error.to_string());
    assert_eq!(stored, deflated);
    stored
}

fn longs(values: &[i64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    file("<i8", "False", &format!("({},)", values.len()), &data)
}

fn ints(values: &[i32]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    file("<i4", "False", &format!("({},)", values.len()), &data)
}

fn floats(values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    file("<f8", "False", &format!("({},)", values.len()), &data)
}

fn format(name: &str) -> Vec<u8> {
    file("|S3", "False", "()", name.as_bytes())
}

/// [[0, 2, 0], [1, 0, 3], [0, 3, 0]] by rows.
fn compressed(name: &str) -> Members {
    vec![
        ("indices", ints(&[1, 0, 2, 1])),
        ("indptr", ints(&[0, 1, 3, 4])),
        ("format", format(name)),
        ("shape", longs(&[3, 3])),
        ("data", floats(&[2.0, 1.0, 3.0, 3.0])),
    ]
}

fn with(mut members: Members, name: &'static str, bytes: Vec<u8>) -> Members {
    members.retain(|(other, _)| *other != name);
    members.push((name, bytes));
    members
}

#[track_caller]
fn refuses(members: &Members, message: &str) {
    assert_eq!(read(members, Asymmetry::Average).unwrap_err(), format!("a.npz{message}"));
}

#[test]
fn every_format_gives_the_matrix() {
    let entries = [(0, 1, 2.0), (1, 0, 2.0), (1, 2, 3.0), (2, 1, 3.0)];
    let expected = Symmetric::from(Csr::from_entries(3, &entries).unwrap());
    let data = floats(&[2.0, 2.0, 3.0, 3.0]);
    for name in ["csr", "csc"] {
        let members = with(compressed(name), "data", data.clone());
        assert_eq!(read(&members, Asymmetry::Refuse), Ok(expected.clone()));
    }
    let members = vec![
        ("row", longs(&[1, 1, 2, 0, 0])),
        ("col", longs(&[2, 0, 1, 1, 1])),
        ("format", file("<U3", "False", "()", b"c\0\0\0o\0\0\0o\0\0\0")),
        ("shape", longs(&[3, 3])),
        ("data", ints(&[3, 2, 3, 1, 1])),
        ("_is_array", file("|b1", "False", "()", &[1])),
    ];
    assert_eq!(read(&members, Asymmetry::Refuse), Ok(expected));
}

#[test]
fn entries_without_a_place_are_left_out() {
    let members = with(compressed("csr"), "indptr", ints(&[0, 0, 0, 0]));
    let expected = Csr::from_entries(3, &[]).unwrap();
    assert_eq!(read(&members, Asymmetry::Refuse), Ok(expected.into()));
}

#[test]
fn an_asymmetric_matrix_is_refused_or_averaged() {
    for (name, at) in
        [("csr", "2.0 at (1, 2) but 1.0 at (2, 1)"), ("csc", "1.0 at (1, 2) but 2.0 at (2, 1)")]
    {
        let members = compressed(name);
        assert_eq!(
            read(&members, Asymmetry::Refuse).unwrap_err(),
            format!(
                "a.npz: expected a symmetric matrix, found {at}, the largest difference \
                 (1.0); pass `--symmetrise` to use ½(A + Aᵀ)"
            )
        );
        let entries = [(0, 1, 1.5), (1, 2, 3.0)];
        let expected = Csr::from_triangle(3, &entries).unwrap();
        assert_eq!(read(&members, Asymmetry::Average), Ok(expected.into()));
    }
}

#[test]
fn arrays_that_do_not_fit_are_refused() {
    let refuses = |name, bytes, message: &str| {
        refuses(&with(compressed("csr"), name, bytes), &format!("/{name}.npy: expected {message}"));
    };
    refuses(
        "format",
        format("dia"),
        "a sparse format `csr`, `csc` or `coo`, found `dia`; \
         convert the matrix with `tocsr()` before `save_npz`",
    );
    refuses("format", ints(&[1]), "a string, found `<i4`");
    refuses("shape", longs(&[3, 2]), "a square matrix (3 columns), found 2 columns");
    refuses("shape", longs(&[3]), "the numbers of rows and columns, found another array");
    refuses("shape", longs(&[0, 0]), "at least one row, found none: the matrix is empty");
    refuses("shape", longs(&[-1, -1]), "at least one row, found none: the matrix is empty");
    refuses(
        "shape",
        longs(&[i64::MAX, i64::MAX]),
        "at most 2147483648 rows, found 9223372036854775807",
    );
    refuses(
        "indices",
        ints(&[1]),
        "an array with one dimension and 4 entries, found the shape (1)",
    );
    refuses("indices", floats(&[0.0; 4]), "entries that are integers, found `<f8`");
    refuses("indices", ints(&[1, 0, 3, 1]), "indices between 0 and 2, found 3 (entry 2)");
    refuses("indices", ints(&[1, -1, 3, 1]), "indices between 0 and 2, found -1 (entry 1)");
    refuses(
        "indptr",
        ints(&[0, 4]),
        "an array with one dimension and 4 entries, found the shape (2)",
    );
    refuses(
        "indptr",
        ints(&[0, 3, 1, 4]),
        "offsets from 0 to 4 that never decrease, found 1 after 3 (row 2)",
    );
    refuses(
        "indptr",
        ints(&[0, 3, 3, 5]),
        "offsets from 0 to 4 that never decrease, found 5 after 3 (row 3)",
    );
    refuses("indptr", ints(&[1, 3, 3, 4]), "offsets from 0 to 4, found 1 first");
    refuses(
        "data",
        floats(&[0.0; 10]),
        "at most 9 entries, found 10; call `sum_duplicates()` before `save_npz`",
    );
    refuses(
        "data",
        file("<f8", "False", "(2, 2)", &[0; 32]),
        "an array with one dimension, found 2 dimensions",
    );
    refuses(
        "data",
        file("<c16", "False", "(4,)", &[0; 64]),
        "entries that are floats (`f8`, `f4`), integers or booleans, found `<c16`; \
         convert the array with `astype('<f8')`",
    );
    for length in [31, 33] {
        refuses(
            "data",
            file("<f8", "False", "(4,)", &vec![0; length]),
            &format!("32 bytes for 4 entries of type `<f8`, found {length}"),
        );
    }
}

#[test]
fn no_more_is_unpacked_than_a_header_promises() {
    let bomb = file("<f8", "False", "(4,)", &vec![0; 1 << 24]);
    refuses(
        &with(compressed("csr"), "data", bomb),
        "/data.npy: expected 32 bytes for 4 entries of type `<f8`, found 33",
    );
    let promise = file("<f8", "False", "(9000000000,)", &[0; 32]);
    let members = with(compressed("csr"), "data", promise);
    refuses(
        &with(members, "shape", longs(&[100000, 100000])),
        "/indptr.npy: expected an array with one dimension and 100001 entries, \
         found the shape (4)",
    );
    refuses(
        &with(compressed("csr"), "shape", longs(&[1 << 30, 1 << 30])),
        "/data.npy: expected at most 160064 rows for 4 entries, found 1073741824; \
         leave out the rows and columns that are empty",
    );
}

#[test]
fn what_is_not_finite_is_refused() {
    let values = floats(&[2.0, 2.0, f64::NAN, 3.0]);
    refuses(
        &with(compressed("csr"), "data", values),
        ": expected finite entries, found NaN at (2, 3)",
    );
    let members = vec![
        ("row", ints(&[0; 4])),
        ("col", ints(&[0; 4])),
        ("format", format("coo")),
        ("shape", longs(&[2, 2])),
        ("data", floats(&[1e308; 4])),
    ];
    refuses(&members, ": expected finite entries, found inf at (1, 1)");
}

#[test]
fn other_files_are_refused() {
    let refuses = |bytes: &[u8], message: &str| {
        let found = parse(Path::new("a.npz"), bytes, Asymmetry::Refuse).unwrap_err();
        assert_eq!(found.to_string(), format!("a.npz: expected {message}"));
    };
    refuses(b"", "an npz file, which begins with PK, found an empty file");
    refuses(b"\x93NUMPY", "an npz file, which begins with PK, found `\u{fffd}NUM`");
    let plain = zipped(&vec![("x", ints(&[1]))], CompressionMethod::Stored);
    refuses(
        &plain,
        "a sparse matrix with an array `format`, found an npz file without it; \
         write the matrix with `scipy.sparse.save_npz`",
    );
    let whole = zipped(&compressed("csr"), CompressionMethod::Deflated);
    for length in 4..whole.len() {
        let read = parse(Path::new("a.npz"), &whole[..length], Asymmetry::Refuse);
        let message = read.unwrap_err().to_string();
        assert!(
            message.starts_with("a.npz: expected a complete zip archive, found a damaged one (")
        );
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        let _ = parse(Path::new("a.npz"), &bytes, Asymmetry::Refuse);
        let bytes = [b"PK\x03\x04", &bytes[..]].concat();
        let _ = parse(Path::new("a.npz"), &bytes, Asymmetry::Refuse);
    }

    #[test]
    fn a_damaged_file_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        deflated: bool,
    ) {
        let methods = [CompressionMethod::Stored, CompressionMethod::Deflated];
        let mut bytes = zipped(&compressed("csr"), methods[usize::from(deflated)]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = parse(Path::new("a.npz"), &bytes, Asymmetry::Average);
    }

    #[test]
    fn arbitrary_arrays_never_panic(
        name in "csr|csc|coo",
        dim in -1_i64..5,
        starts in prop::collection::vec(-1..7_i32, 0..6),
        indices in prop::collection::vec(-1..5_i32, 0..6),
        data in prop::collection::vec(any::<f64>(), 0..6),
    ) {
        let members = vec![
            ("format", format(&name)),
            ("shape", longs(&[dim, dim])),
            ("indptr", ints(&starts)),
            ("indices", ints(&indices)),
            ("row", ints(&starts)),
            ("col", ints(&indices)),
            ("data", floats(&data)),
        ];
        if let Ok(matrix) = read(&members, Asymmetry::Average) {
            prop_assert!(matrix.values().all(f64::is_finite));
        }
    }

    #[test]
    fn a_matrix_comes_back_bit_for_bit(
        lower in prop::collection::btree_map((0_u32..9, 0_u32..9), -9.0..9.0, 0..40),
        name in "csr|csc|coo",
    ) {
        let lower: Vec<_> =
            lower.into_iter().filter(|((i, j), _)| i >= j).map(|((i, j), v)| (i, j, v)).collect();
        let matrix = Csr::from_triangle(9, &lower).unwrap();
        let (mut starts, mut rows, mut columns) = (vec![0], Vec::new(), Vec::new());
        for i in 0..9_i64 {
            columns.extend(matrix.row(i as usize).map(|(j, _)| i64::try_from(j).unwrap()));
            rows.resize(columns.len(), i);
            starts.push(i64::try_from(columns.len()).unwrap());
        }
        let members = vec![
            ("format", format(&name)),
            ("shape", longs(&[9, 9])),
            ("indptr", longs(&starts)),
            ("indices", longs(&columns)),
            ("row", longs(&rows)),
            ("col", longs(&columns)),
            ("data", floats(matrix.values())),
        ];
        prop_assert_eq!(read(&members, Asymmetry::Refuse), Ok(matrix.into()));
    }
}
