//! Tables of numbers: a point a line, a coordinate a column.

use std::path::Path;

use gramfold_linalg::Mat;

use crate::{
    Error,
    extension::extension,
    fields::{Separator, number, shown},
    finite, input,
    lines::Lines,
    npy,
    quoted::quoted,
};

/// Reads points, one a row, from an array in `.npy` or a table in `.csv`, `.tsv` or `.txt`, each
/// plain or gzipped, then with `.gz` after it.
///
/// The columns of a table are separated by tabs, semicolons, commas or blanks, as they are on its
/// first line; that line is a header if nothing on it is a number. Lines that begin with `#` or `%`
/// are comments. All lines must have as many columns, and every number must be finite.
pub fn read_points(path: &Path) -> Result<Mat, Error> {
    let extension = extension(path);
    match extension.as_str() {
        "npy" => {
            let points = npy::parse(path, &input::read(path)?)?;
            finite::check(path, &points)?;
            Ok(points)
        }
        "csv" | "tsv" | "txt" => parse(path, &input::read(path)?),
        _ => {
            let expected = "a name that ends in .npy, .csv, .tsv or .txt, with or without .gz";
            let found = match extension.as_str() {
                "" => "no such ending".to_owned(),
                other => quoted(format!(".{other}").as_bytes()),
            };
            Err(Error::in_file(path, expected, found)
                .with_hint("rename the file to say what it holds"))
        }
    }
}

/// Reads a table from the bytes of the file; `path` is for messages.
fn parse(path: &Path, bytes: &[u8]) -> Result<Mat, Error> {
    let mut lines = Lines::new(path, bytes);
    let whole = lines.clone();
    let Some(first) = lines.next() else {
        return Err(lines.empty("at least one point"));
    };
    let separator = Separator::detect(first);
    let columns = separator.fields(first).count();
    let first_line = lines.number();
    if separator.fields(first).any(|field| number(field).is_some()) {
        lines = whole;
    }
    let (mut rows, mut entries) = (0, Vec::new());
    while let Some(line) = lines.next() {
        for field in separator.fields(line) {
            match number(field) {
                Some(value) if value.is_finite() => entries.push(value),
                _ => return Err(lines.error("a finite number", shown(Some(field)))),
            }
        }
        rows += 1;
        if entries.len() != rows * columns {
            let found = separator.fields(line).count().to_string();
            return Err(lines.error(format!("{columns} columns as on line {first_line}"), found));
        }
    }
    if rows == 0 {
        return Err(lines
            .empty("at least one point")
            .with_hint("the only line has no number on it and was taken for a header"));
    }
    Ok(Mat::from_row_major(rows, columns, entries))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::write_npy;

    fn read(text: &str) -> Result<Mat, String> {
        parse(Path::new("x"), text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn tables_with_and_without_header_are_read() {
        let expected = Mat::from_row_major(2, 3, vec![1.0, -2.5, 0.0, 3.0, 4e9, 5.0]);
        for text in [
            "1,-2.5,0\n3,4e9,5",
            "a, b, c\r\n1, -2.5, 0 \r\n\r\n# middle\r\n3, 4e9, +5\r\n",
            "% x\n\"a b\"\tb\t\n1\t-2.5\t0\n3\t4e9\t5\n".replace("b\t\n", "b\tc\n").as_str(),
            "  1 -2.5   0\n3 4e9 5\n",
            "x;y;z\n1;-2.5;0\n3;4e9;5\n",
        ] {
            assert_eq!(read(text), Ok(expected.clone()), "{text:?}");
        }
        assert_eq!(read("1\n2\n"), Ok(Mat::from_row_major(2, 1, vec![1.0, 2.0])));
    }

    #[test]
    fn bad_tables_are_refused() {
        let refuses = |text: &str, message: &str| {
            assert_eq!(read(text).unwrap_err(), format!("x{message}"), "{text:?}");
        };
        refuses("", ": expected at least one point, found an empty file");
        refuses(
            "a,b\n",
            ": expected at least one point, found none; \
             the only line has no number on it and was taken for a header",
        );
        refuses("a,b\n1,2\n\n1,2,3\n", ":4: expected 2 columns as on line 1, found 3");
        refuses("#\n1 2\n1\n", ":3: expected 2 columns as on line 2, found 1");
        refuses("1,x\n", ":1: expected a finite number, found `x`");
        refuses("1,2\n1,x\n", ":2: expected a finite number, found `x`");
        refuses("1,2\n1,\n", ":2: expected a finite number, found an empty field");
        for value in ["nan", "NaN", "inf", "-Infinity", "1e999"] {
            let text = format!("a,b\n1,{value}\n");
            refuses(&text, &format!(":2: expected a finite number, found `{value}`"));
        }
    }

    #[test]
    fn the_name_says_the_format() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let points = Mat::from_row_major(2, 2, vec![1.0, 2.0, 3.0, f64::INFINITY]);
        write_npy(&at("x.npy"), &points).unwrap();
        let message = read_points(&at("x.npy")).unwrap_err().to_string();
        let expected = "x.npy: expected finite entries, found inf at (2, 2)";
        assert!(message.ends_with(expected), "{message}");
        let points = Mat::from_row_major(1, 2, vec![1.0, 2.0]);
        write_npy(&at("x.npy"), &points).unwrap();
        fs::write(at("x.csv"), "1,2").unwrap();
        for name in ["x.npy", "x.csv"] {
            assert_eq!(read_points(&at(name)).unwrap(), points);
        }
        for (name, found) in [("x.xls", "`.xls`"), ("x", "no such ending")] {
            assert_eq!(
                read_points(Path::new(name)).unwrap_err().to_string(),
                format!(
                    "{name}: expected a name that ends in .npy, .csv, .tsv or .txt, with or \
                     without .gz, found {found}; rename the file to say what it holds"
                )
            );
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let _ = parse(Path::new("x"), &bytes);
        }

        #[test]
        fn plausible_text_never_panics(text in "([0-9a.e,; \t-]{1,12}\r?\n){0,8}") {
            if let Ok(points) = read(&text) {
                prop_assert!(points.as_slice().iter().all(|v| v.is_finite()));
            }
        }

        #[test]
        fn points_come_back_bit_for_bit(
            (columns, entries) in (1_usize..6, 1_usize..9).prop_flat_map(|(columns, rows)| {
                let finite = prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
                (Just(columns), prop::collection::vec(finite, columns * rows))
            }),
            separator in "[,;\t ]",
        ) {
            let line = |row: &[f64]| {
                row.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(&separator) + "\n"
            };
            let text: String = entries.chunks(columns).map(line).collect();
            let points = read(&text).unwrap();
            prop_assert_eq!(points.cols(), columns);
            let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(points.as_slice()), bits(&entries));
        }
    }
}
