//! Tables into points.

use std::path::Path;

use gramfold_linalg::Mat;

use super::{
    Missing, Points, TableOptions,
    columns::{Roles, roles},
    header::{self, Header},
    select::Names,
};
use crate::{
    Error, Notes,
    fields::{is_hole, number, shown},
    finite, foreign, input, labels,
    name::repeated,
    notes::counted,
    npy,
    records::{Records, Text},
};

/// What is read.
const TABLE: &str = "a table in text or a NumPy array (.npy)";

/// Reads points, one a row, from a NumPy array or a table in text, each plain or gzipped.
///
/// The columns of a table are separated by tabs, semicolons, commas or blanks, as they are on its first line; fields
/// may stand between quotation marks, doubled within them. That line is a header if nothing on it is a number, or if it
/// counts the columns as pandas does where they have no names. Lines that begin with `#` or `%` are comments. A column
/// that names or counts the rows, is called like a known class, or holds text is no coordinate, which the notes say.
pub fn read_points(path: &Path, options: &TableOptions) -> Result<Points, Error> {
    let bytes = input::read(path)?;
    let hint = "save it as CSV, or with numpy.save";
    foreign::refuse(path, &bytes, TABLE, hint)?;
    let found = match bytes.trim_ascii_start() {
        [b'P', b'K', 3, 4, ..] => Some("an npz archive"),
        [b'{' | b'[', ..] => Some("JSON"),
        [b'<', ..] => Some("XML"),
        _ => None,
    };
    if let Some(found) = found {
        return Err(Error::in_file(path, TABLE, found).with_hint(hint));
    }
    let mut points = if bytes.starts_with(npy::MAGIC) {
        array(path, npy::parse(path, &bytes)?, options)?
    } else {
        parse(path, &bytes, options)?
    };
    if options.standardise {
        standardise(&mut points);
    }
    Ok(points)
}

/// Rows of an array, of which columns may be chosen by number.
fn array(path: &Path, whole: Mat, options: &TableOptions) -> Result<Points, Error> {
    let names = Names { path, header: None, count: whole.cols() };
    for (flag, text) in [("--id-column", &options.id), ("--label-column", &options.label)] {
        if text.is_some() {
            let expected = format!("a table in text for {flag}");
            return Err(Error::in_file(path, expected, "a NumPy array"));
        }
    }
    let mut notes = Notes::default();
    let mut matrix = match &options.columns {
        None => whole,
        Some(text) => {
            let places = names.places("--columns", text)?;
            Mat::from_fn(whole.rows(), places.len(), |i, j| whole[(i, places[j])])
        }
    };
    if options.missing == Missing::Refuse {
        finite::check(path, &matrix)?;
    }
    let filled = fill(path, &mut matrix, [], options.missing)?;
    let read = counted(matrix.rows(), "point");
    notes.say(format!("{read} of {}", counted(matrix.cols(), "column")));
    notes.said.extend(filled);
    finite::check(path, &matrix)?;
    Ok(Points { matrix, names: None, columns: None, labels: None, notes })
}

/// Reads a table from the bytes of the file; `path` is for messages.
fn parse(path: &Path, bytes: &[u8], options: &TableOptions) -> Result<Points, Error> {
    let text = Text::new(path, bytes)?;
    let mut records = text.records();
    let header = header::detect(&records);
    let Some(first) = records.clone().next() else {
        return Err(records.empty("at least one point"));
    };
    let column_names: Vec<String> =
        first.clone().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
    if header != Header::Absent {
        records.next();
        if records.clone().next().is_none() {
            return Err(records
                .empty("at least one point")
                .with_hint("the only line has no number on it and was taken for a header"));
        }
    }
    // A header may leave out the corner above an index, as R writes it.
    let columns = records.clone().next().map_or(0, Iterator::count);
    let mut column_names = column_names;
    if header == Header::Names && column_names.len() + 1 == columns {
        column_names.insert(0, String::new());
    }
    if header != Header::Absent && column_names.len() != columns {
        let expected = format!("{columns} names as there are columns");
        return Err(Error::at_line(
            path,
            text.records().number_after(0),
            expected,
            column_names.len().to_string(),
        ));
    }
    let names = Names {
        path,
        header: (header != Header::Absent).then_some(&column_names[..]),
        count: columns,
    };
    let mut notes = Notes::default();
    let mut said = Notes::default();
    let roles = roles(&records, &names, header, options, &mut said)?;
    let (mut matrix, mut ids, mut classes) = entries(&records, &roles, &names, options.missing)?;
    let filled = fill(path, &mut matrix, [&mut ids, &mut classes], options.missing)?;
    let read = counted(matrix.rows(), "point");
    notes.say(format!("{read} of {}", counted(roles.coordinates.len(), "column")));
    match header {
        Header::Absent => {}
        Header::Names => notes.say("header skipped"),
        Header::Numbers => notes.say("header of numbers skipped"),
    }
    notes.said.append(&mut said.said);
    notes.warnings.append(&mut said.warnings);
    notes.said.extend(filled);
    let labels = roles.label.map(|_| labels::of_classes(&classes));
    let mut ids = roles.id.map(|_| ids);
    if options.id.is_none()
        && let Some(id) = ids.as_deref().and_then(repeated)
    {
        notes.warn(format!("two rows are called `{id}`: rows are numbered instead"));
        ids = None;
    }
    let columns = (header == Header::Names)
        .then(|| roles.coordinates.iter().map(|&place| column_names[place].clone()).collect());
    Ok(Points { matrix, names: ids, columns, labels, notes })
}

/// The coordinates, NaN where there are holes, and the names and classes of the points.
#[allow(clippy::type_complexity)]
fn entries(
    records: &Records<'_>,
    roles: &Roles,
    names: &Names<'_>,
    missing: Missing,
) -> Result<(Mat, Vec<String>, Vec<String>), Error> {
    let mut records = records.clone();
    let columns = roles.coordinates.len();
    let (mut rows, mut values) = (0, Vec::new());
    let (mut ids, mut classes) = (Vec::new(), Vec::new());
    while let Some(record) = records.next() {
        let mut wanted = roles.coordinates.iter().copied().peekable();
        for (place, field) in record.enumerate() {
            if Some(place) == roles.id {
                ids.push(String::from_utf8_lossy(field).into_owned());
            }
            if Some(place) == roles.label {
                let class = if is_hole(field) { &[][..] } else { field };
                classes.push(String::from_utf8_lossy(class).into_owned());
            }
            if wanted.next_if_eq(&place).is_none() {
                continue;
            }
            match number(field).filter(|value| value.is_finite()) {
                Some(value) => values.push(value),
                None if missing == Missing::Refuse => {
                    let expected = format!("a finite number in the column {}", names.called(place));
                    return Err(records.error(expected, shown(Some(field))).with_hint(
                        "pass `--missing drop` to leave out such rows, or `--missing mean`",
                    ));
                }
                None => values.push(f64::NAN),
            }
        }
        rows += 1;
    }
    Ok((Mat::from_row_major(rows, columns, values), ids, classes))
}

/// Leaves out rows with holes, also of the lists beside them, or fills them; what was done, if anything was.
fn fill<const N: usize>(
    path: &Path,
    matrix: &mut Mat,
    lists: [&mut Vec<String>; N],
    missing: Missing,
) -> Result<Option<String>, Error> {
    let holes = matrix.as_slice().iter().filter(|value| value.is_nan()).count();
    if holes == 0 {
        return Ok(None);
    }
    let (rows, columns) = (matrix.rows(), matrix.cols());
    if missing == Missing::Mean {
        for j in 0..columns {
            let known = (0..rows).map(|i| matrix[(i, j)]).filter(|value| !value.is_nan());
            let (sum, count) = known.fold((0.0, 0.0), |(sum, count), v| (sum + v, count + 1.0));
            if count == 0.0 {
                let expected = format!("a number in coordinate {}", j + 1);
                return Err(Error::in_file(path, expected, "holes only"));
            }
            for i in 0..rows {
                if matrix[(i, j)].is_nan() {
                    matrix[(i, j)] = sum / count;
                }
            }
        }
        return Ok(Some(format!("{} filled with the mean of the column", counted(holes, "hole"))));
    }
    let whole: Vec<bool> =
        (0..rows).map(|i| matrix.row(i).iter().all(|value| !value.is_nan())).collect();
    let kept: Vec<usize> = (0..rows).filter(|&i| whole[i]).collect();
    if kept.is_empty() {
        return Err(Error::in_file(path, "a row without holes", "none"));
    }
    *matrix = Mat::from_fn(kept.len(), columns, |i, j| matrix[(kept[i], j)]);
    for list in lists {
        let mut keep = whole.iter();
        list.retain(|_| keep.next().copied().unwrap_or(true));
    }
    Ok(Some(format!("{} with holes left out", counted(rows - kept.len(), "row"))))
}

/// Gives every column mean 0 and variance 1; one that is constant becomes 0.
fn standardise(points: &mut Points) {
    let (rows, columns) = (points.matrix.rows(), points.matrix.cols());
    let mut constant = 0;
    for j in 0..columns {
        let column = || (0..rows).map(|i| points.matrix[(i, j)]);
        // By the largest first: squares of large numbers would overflow.
        let scale = column().fold(0.0_f64, |most, value| most.max(value.abs()));
        let scale = if scale == 0.0 { 1.0 } else { scale };
        let mean = column().map(|v| v / scale).sum::<f64>() / rows as f64;
        let squares = column().map(|v| (v / scale - mean).powi(2)).sum::<f64>();
        let deviation = (squares / rows as f64).sqrt();
        let flat = column().all(|v| v == points.matrix[(0, j)]);
        constant += usize::from(flat);
        for i in 0..rows {
            let centred = points.matrix[(i, j)] / scale - mean;
            points.matrix[(i, j)] = if flat { 0.0 } else { centred / deviation };
        }
    }
    let flat = if constant > 0 { format!(", of which {constant} constant") } else { String::new() };
    points.notes.say(format!("columns standardised{flat}"));
}
