//! Tables as pandas, spreadsheets and R write them.

use std::fs;

use gramfold_io::{Missing, Points, TableOptions, read_points, write_npy};
use gramfold_linalg::Mat;
use proptest::prelude::*;

fn read_with(text: &[u8], options: &TableOptions) -> Result<Points, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.csv");
    fs::write(&path, text).unwrap();
    let start = directory.path().display().to_string() + "/";
    read_points(&path, options).map_err(|error| error.to_string().replace(&start, ""))
}

fn read(text: &str) -> Result<Points, String> {
    read_with(text.as_bytes(), &TableOptions::default())
}

/// What `DataFrame.to_csv` writes: a header, an index, strings and holes.
const FRAME: &str = ",height,\"kind, \"\"of\"\"\",width,species\n\
                     0,1.0,red,2.0,setosa\n1,,blue,3.0,virginica\n2,5.0,red,7.0,setosa\n3,4.0,red,,setosa\n";

#[test]
fn tables_with_and_without_header_are_read() {
    let expected = Mat::from_row_major(2, 3, vec![1.0, -2.5, 0.0, 3.0, 4e9, 5.0]);
    for text in [
        "1,-2.5,0\n3,4e9,5",
        "a, b, c\r\n1, -2.5, 0 \r\n\r\n# middle\r\n3, 4e9, +5\r\n",
        "% x\n\"a b\"\tb\tc\n1\t-2.5\t0\n3\t4e9\t5\n",
        "  1 -2.5   0\n3 4e9 5\n",
        "x;y;z\n1;-2.5;0\n3;4e9;5\n",
    ] {
        assert_eq!(read(text).unwrap().matrix, expected, "{text:?}");
    }
    assert_eq!(read("1\n2\n").unwrap().matrix, Mat::from_row_major(2, 1, vec![1.0, 2.0]));
}

#[test]
fn a_header_of_numbers_and_an_index_are_no_points() {
    let header: Vec<String> = (0..64).map(|k| k.to_string()).collect();
    let row = vec!["0.5"; 64].join(",");
    let text = format!("{}\n{row}\n{row}\n", header.join(","));
    let points = read(&text).unwrap();
    assert_eq!((points.matrix.rows(), points.matrix.cols()), (2, 64));
    assert_eq!(points.notes.line(), "2 points of 64 columns; header of numbers skipped");

    let indexed = read(",0,1\n0,0.5,1\n1,0.25,2\n2,0.5,0\n").unwrap();
    assert_eq!((indexed.matrix.rows(), indexed.matrix.cols()), (3, 2));
    assert_eq!(indexed.names.unwrap(), ["0", "1", "2"]);

    let counted = read("1,0.5\n2,0.25\n3,0.5\n").unwrap();
    assert_eq!(counted.matrix.cols(), 1);
    assert!(counted.notes.warnings[0].starts_with("column 1 counts the rows"));
}

#[test]
fn a_frame_with_index_strings_and_holes_is_read() {
    assert_eq!(
        read(FRAME).unwrap_err(),
        "x.csv:3: expected a finite number in the column `height`, found an empty field; \
         pass `--missing drop` to leave out such rows, or `--missing mean`"
    );
    let mut options = TableOptions { missing: Missing::Drop, ..TableOptions::default() };
    let points = read_with(FRAME.as_bytes(), &options).unwrap();
    assert_eq!(points.matrix, Mat::from_row_major(2, 2, vec![1.0, 2.0, 5.0, 7.0]));
    assert_eq!(points.names.unwrap(), ["0", "2"]);
    assert_eq!(
        points.notes.line(),
        "2 points of 2 columns; header skipped; names of the points in column 1; \
         2 rows with holes left out"
    );
    let warnings = &points.notes.warnings;
    assert_eq!(warnings[0], "column `kind, \"of\"` is text and was left out");
    assert!(warnings[1].starts_with("column `species` looks like known classes"), "{warnings:?}");

    options.missing = Missing::Mean;
    options.label = Some("species".into());
    let points = read_with(FRAME.as_bytes(), &options).unwrap();
    let filled = [1.0, 2.0, 10.0 / 3.0, 3.0, 5.0, 7.0, 4.0, 4.0];
    assert_eq!(points.matrix, Mat::from_row_major(4, 2, filled.to_vec()));
    let labels = points.labels.unwrap();
    assert_eq!(labels.labels, [Some(0), Some(1), Some(0), Some(0)]);
    assert_eq!(labels.classes.unwrap(), ["setosa", "virginica"]);

    options.columns = Some("width".into());
    options.id = Some("kind, \"of\"".into());
    options.standardise = true;
    let points = read_with(FRAME.as_bytes(), &options).unwrap();
    assert_eq!((points.matrix.cols(), points.names.unwrap()[1].as_str()), (1, "blue"));
    let column = points.matrix.as_slice();
    let square: f64 = column.iter().map(|v| v * v).sum();
    assert!(column.iter().sum::<f64>().abs() < 1e-12 && (square - 4.0).abs() < 1e-12);
}

#[test]
fn names_that_come_again_are_left_out_unless_they_are_asked_for() {
    let text = "name,u,v\na,0,0.5\nb,1,0.25\na,2,0.5\n";
    let points = read(text).unwrap();
    assert_eq!((points.names, points.matrix.rows()), (None, 3));
    assert_eq!(points.notes.warnings, ["two rows are called `a`: rows are numbered instead"]);
    let options = TableOptions { id: Some("name".into()), ..TableOptions::default() };
    assert_eq!(read_with(text.as_bytes(), &options).unwrap().names.unwrap(), ["a", "b", "a"]);
}

#[test]
fn bad_tables_are_refused() {
    let refuses = |text: &str, message: &str| {
        assert_eq!(read(text).unwrap_err(), format!("x.csv{message}"), "{text:?}");
    };
    refuses("", ": expected at least one point, found an empty file");
    refuses(
        "a,b\n",
        ": expected at least one point, found none; \
         the only line has no number on it and was taken for a header",
    );
    refuses("a,b\n1,2\n\n1,2,3\n", ":4: expected 2 columns as on line 2, found 3");
    refuses("#\n1 2\n1\n", ":3: expected 2 columns as on line 2, found 1");
    refuses(
        "1,2\n1,x\n",
        ":2: expected a finite number in the column 2, found `x`; \
         mend it, or choose the columns with --columns",
    );
    refuses(
        "a,b\n1,inf\n",
        ":2: expected a finite number in the column `b`, found `inf`; mend it, or leave it empty and pass --missing",
    );
    refuses("a,b,c\n1,2\n", ":1: expected 2 names as there are columns, found 3");
    refuses("\"a\",b\n\"c\",d\n", ": expected a column of numbers, found 2 columns without one");
    let options = TableOptions { columns: Some("a-c".into()), ..TableOptions::default() };
    assert!(read_with(b"a,b\n1,2\n", &options).unwrap_err().contains("a column `c`"));
}

#[test]
fn arrays_are_points_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.npy");
    let points = Mat::from_row_major(2, 2, vec![1.0, 2.0, 3.0, f64::NAN]);
    write_npy(&path, &points).unwrap();
    let message = read_points(&path, &TableOptions::default()).unwrap_err().to_string();
    assert!(message.ends_with("x.npy: expected finite entries, found NaN at (2, 2)"), "{message}");
    let options = TableOptions { missing: Missing::Mean, ..TableOptions::default() };
    let filled = read_points(&path, &options).unwrap();
    assert_eq!(filled.matrix, Mat::from_row_major(2, 2, vec![1.0, 2.0, 3.0, 2.0]));
    let options = TableOptions { columns: Some("1".into()), ..TableOptions::default() };
    assert_eq!(read_points(&path, &options).unwrap().matrix.as_slice(), [1.0, 3.0]);
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        let options = TableOptions { missing: Missing::Drop, standardise: true, ..TableOptions::default() };
        let _ = read_with(&bytes, &options);
    }

    #[test]
    fn plausible_text_never_panics(text in "([0-9a.e,;\" \t-]{1,12}\r?\n){0,8}") {
        if let Ok(points) = read(&text) {
            prop_assert!(points.matrix.as_slice().iter().all(|v| v.is_finite()));
        }
    }

    #[test]
    fn points_come_back_bit_for_bit(
        (columns, entries) in (2_usize..6, 1_usize..9).prop_flat_map(|(columns, rows)| {
            let finite = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL;
            (Just(columns), prop::collection::vec(finite, columns * rows))
        }),
        separator in "[,;\t ]",
    ) {
        let line = |row: &[f64]| {
            row.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(&separator) + "\n"
        };
        let text: String = entries.chunks(columns).map(line).collect();
        let points = read(&text).unwrap().matrix;
        prop_assert_eq!(points.cols(), columns);
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(points.as_slice()), bits(&entries));
    }
}

#[test]
fn columns_that_were_added_to_those_of_pandas_are_known_by_their_names() {
    let rows: Vec<String> = (0..20).map(|i| format!("{}.5,{i}.25,{}\n", i % 7, i % 2)).collect();
    let rows = rows.concat();
    let added = read(&format!("0,1,target\n{rows}")).unwrap();
    assert_eq!((added.matrix.rows(), added.matrix.cols()), (20, 2));
    assert!(added.notes.warnings[0].starts_with("column `target` looks like known classes"));
    // Without a name nothing is left out, but it is said.
    let rows: Vec<String> = rows.lines().map(|row| format!("0.5,{row}\n")).collect();
    let rows = rows.concat();
    let unnamed = read(&format!("0,1,2,3\n{rows}")).unwrap();
    assert_eq!((unnamed.matrix.rows(), unnamed.matrix.cols()), (20, 4));
    assert_eq!(
        unnamed.notes.warnings,
        [
            "column `3` is taken as a coordinate, but has only 2 whole numbers: if these are known classes, pass --label-column 3"
        ]
    );
    let coordinates = read("x,y\n1,2\n3,4\n0,1\n").unwrap();
    assert_eq!((coordinates.matrix.cols(), coordinates.notes.warnings.len()), (2, 0));
}

#[test]
fn spreadsheets_of_other_places_are_read() {
    let expected = Mat::from_row_major(2, 2, vec![1.5, -2.0, 0.25, 1e3]);
    for text in ["a;b\n1,5;-2\n0,25;1000\n", "a\tb\n1,5\t-2\n0,25\t1000\n"] {
        assert_eq!(read(text).unwrap().matrix, expected, "{text:?}");
        let mut wide = vec![0xff, 0xfe];
        wide.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(read_with(&wide, &TableOptions::default()).unwrap().matrix, expected);
    }
    let parquet = read_with(b"PAR1\x15\x04", &TableOptions::default()).unwrap_err();
    assert_eq!(
        parquet,
        "x.csv: expected a table in text or a NumPy array (.npy), found a Parquet file; save it as CSV, or with numpy.save"
    );
}
