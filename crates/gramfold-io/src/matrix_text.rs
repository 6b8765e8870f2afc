//! Symmetric matrices as tables of text, with or without the names of rows and columns.

use std::path::Path;

use gramfold_linalg::Mat;

use crate::{
    Error, Graph, GraphOptions, Notes,
    fields::{is_hole, number, shown},
    name::{repeated, unless_numbers},
    records::{Record, Records, Text},
    symmetry,
};

/// Reads a table with as many lines as columns; none if it is no such table.
///
/// More than three columns of numbers are a matrix; two or three are where they cannot well be edges, see [`is_small`]. So are
/// columns whose names, on the first line after an empty or any
/// other corner, are those with which the lines begin, as pandas writes a frame with an index; or a first line of names
/// above as many lines of numbers.
pub(crate) fn parse(
    path: &Path,
    bytes: &[u8],
    options: GraphOptions,
) -> Result<Option<Graph>, Error> {
    let entry = |field: &[u8]| match number(field) {
        None if options.holes && is_hole(field) => Some(f64::NAN),
        found => found,
    };
    let text = Text::new(path, bytes)?;
    let mut records = text.records();
    let Some(first) = records.clone().next() else { return Ok(None) };
    let header: Vec<&[u8]> = first.collect();
    let columns = header.len();
    if columns < 2 {
        return Ok(None);
    }
    let numbers = |records: &Records<'_>| {
        records.clone().next().is_some_and(|mut record| record.all(|f| entry(f).is_some()))
    };
    let mut notes = Notes::default();
    let wide = |records: &Records<'_>| columns > 3 || is_small(records, columns);
    let (skip, names) = if is_labelled(&records, &header, entry) {
        records.next();
        notes.say("names on the first line and in the first column");
        (1, Some(&header[1..]))
    } else if wide(&records) && numbers(&records) && records.clone().count() == columns {
        (0, None)
    } else if header.iter().all(|field| number(field).is_none()) {
        let mut others = records.clone();
        others.next();
        if !wide(&others) || !numbers(&others) || others.clone().count() != columns {
            return Ok(None);
        }
        records = others;
        notes.say("names on the first line");
        (0, Some(&header[..]))
    } else if columns > 3 && numbers(&records) {
        let expected = format!("a square matrix ({columns} lines as there are columns)");
        return Err(Error::in_file(path, expected, format!("{} lines", records.count()))
            .with_hint("pass --points to `cluster` for a table of feature vectors"));
    } else {
        return Ok(None);
    };
    let dim = columns - skip;
    let mut values = Vec::with_capacity(records.most(2 * columns).min(dim) * dim);
    while let Some(record) = records.next() {
        let found = record.clone().count();
        if found != columns {
            let expected = format!("{columns} columns as on the first line");
            return Err(records.error(expected, found.to_string()));
        }
        for field in record.skip(skip) {
            let taken = |value: &f64| value.is_finite() || (options.holes && value.is_nan());
            match entry(field).filter(taken) {
                Some(value) => values.push(value),
                None => return Err(records.error("a finite number", shown(Some(field)))),
            }
        }
    }
    let matrix = symmetry::whole(path, Mat::from_row_major(dim, dim, values), options)?;
    let owned = |name: &&[u8]| String::from_utf8_lossy(name).into_owned();
    let names: Option<Vec<_>> = names.map(|names| names.iter().map(owned).collect());
    if let Some(name) = names.as_deref().and_then(repeated) {
        notes.warn(format!("two nodes are called `{name}`: nodes are numbered instead"));
        return Ok(Some(Graph { matrix, names: None, notes }));
    }
    let names = names.and_then(unless_numbers);
    Ok(Some(Graph { matrix, names, notes }))
}

/// Whether two or three lines of as many numbers are a matrix and no edges: a node would be called by a number that is not whole
/// or below zero, or three lines are symmetric and name one edge twice, as a matrix with equal numbers on its diagonal does.
fn is_small(records: &Records<'_>, columns: usize) -> bool {
    let mut values = Vec::with_capacity(9);
    for record in records.clone().take(columns + 1) {
        values.extend(record.map_while(number));
    }
    if values.len() != columns * columns {
        return false;
    }
    let at = |i: usize, j: usize| values[columns * i + j];
    let is_node = |value: f64| value >= 0.0 && value.fract() == 0.0;
    let nodes = (0..columns).all(|i| is_node(at(i, 0)) && is_node(at(i, 1)));
    let symmetric = (0..columns).all(|i| (0..i).all(|j| at(i, j) == at(j, i)));
    !nodes || (columns == 3 && symmetric && at(0, 0) == at(1, 1))
}

/// Whether the lines begin with the names of the columns.
fn is_labelled(
    records: &Records<'_>,
    header: &[&[u8]],
    entry: impl Fn(&[u8]) -> Option<f64>,
) -> bool {
    let mut others = records.clone();
    others.next();
    let numbers = |mut record: Record<'_>| record.all(|field| entry(field).is_some());
    let first = others.clone().next().map(|mut record| {
        record.next();
        record
    });
    if header.len() < 3 || number(header[0]).is_some() || !first.is_some_and(numbers) {
        return false;
    }
    let mut names = header[1..].iter();
    let same =
        others.all(|mut record| record.next().is_some_and(|field| names.next() == Some(&field)));
    same && names.next().is_none()
}

#[cfg(test)]
mod tests {
    use gramfold_linalg::Symmetric;

    use super::*;

    fn read(text: &str) -> Result<Option<Graph>, String> {
        read_with(text, GraphOptions::default())
    }

    fn read_with(text: &str, options: GraphOptions) -> Result<Option<Graph>, String> {
        parse(Path::new("m"), text.as_bytes(), options).map_err(|error| error.to_string())
    }

    #[test]
    fn names_that_come_again_are_left_out() {
        for text in ["a,b,a\n0,1,2\n1,0,3\n2,3,0\n", ",a,b,a\na,0,1,2\nb,1,0,3\na,2,3,0\n"] {
            let graph = read(text).unwrap().unwrap();
            assert_eq!((graph.names, graph.matrix.dim()), (None, 3), "{text}");
            assert_eq!(
                graph.notes.warnings,
                ["two nodes are called `a`: nodes are numbered instead"]
            );
        }
    }

    #[test]
    fn what_is_not_known_may_be_left_open() {
        let options = GraphOptions { holes: true, ..GraphOptions::default() };
        for text in [
            "0,1,2,nan\n1,0,,5\n2,NA,0,6\n,5,6,0\n",
            "0,1,2,\n,0,nan,\n,,0,\n,5,6,0\n",
            ",a,b,c,d\na,0,1,2,\nb,1,0,,5\nc,2,,0,6\nd,,5,6,0\n",
        ] {
            let graph = read_with(text, options).unwrap().unwrap();
            let Symmetric::Sparse(matrix) = &graph.matrix else { panic!("{text}: a dense matrix") };
            // Zeros are known, and what one triangle knows is known of the other.
            assert_eq!(matrix.stored(), 12, "{text}");
            assert_eq!((matrix.get(0, 1), matrix.get(1, 3), matrix.get(3, 2)), (1.0, 5.0, 6.0));
            assert!(!matches!(read(text), Ok(Some(_))), "{text}");
        }
        let said = read_with("0,1,2,nan\n3,0,1,5\n2,1,0,6\nnan,5,6,0\n", options).unwrap_err();
        assert!(said.contains("found 1.0 at (1, 2) but 3.0 at (2, 1)"), "{said}");
        let said = read_with("0,1,2,nan\n1,0,inf,5\n2,inf,0,6\nnan,5,6,0\n", options).unwrap_err();
        assert!(said.starts_with("m:2: expected a finite number"), "{said}");
    }

    #[test]
    fn tables_with_and_without_names_are_matrices() {
        let plain = "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0\n";
        let graph = read(plain).unwrap().unwrap();
        assert_eq!((graph.matrix.get(1, 3), graph.names), (5.0, None));
        for text in
            [",a,\"b \"\"x\"\"\"\na,1,0.5\n\"b \"\"x\"\"\",0.5,1\n", ";a;b\na;1;0.5\nb;0.5;1\n"]
        {
            let graph = read(text).unwrap().unwrap();
            assert_eq!((graph.matrix.dim(), graph.matrix.get(0, 1)), (2, 0.5));
            assert_eq!(graph.names.unwrap().len(), 2);
        }
        let header = "a,b,c,d\n".to_owned() + &plain.replace(' ', ",");
        assert_eq!(read(&header).unwrap().unwrap().names.unwrap(), ["a", "b", "c", "d"]);
        assert_eq!(read(",0,1\n0,1,0.5\n1,0.5,1\n").unwrap().unwrap().names, None);
    }

    #[test]
    fn small_tables_that_are_no_edges_are_matrices() {
        for text in [
            "1,0.9,0.7\n0.9,1,0.3\n0.7,0.3,1\n",
            "0 1 2\n1 0 3\n2 3 0\n",
            "a,b,c\n1,0.9,0.7\n0.9,1,0.3\n0.7,0.3,1\n",
            "1 1 -1\n1 1 1\n-1 1 1\n",
        ] {
            let graph = read(text).unwrap().unwrap();
            assert_eq!((graph.matrix.dim(), graph.names.is_some()), (3, text.starts_with('a')));
        }
        assert_eq!(read("1 0.5\n0.5 1\n").unwrap().unwrap().matrix.get(0, 1), 0.5);
        let said = read("1,0.9,0.7\n0.9,1,0.3\n0.6,0.3,1\n").unwrap_err();
        assert!(said.contains("`--symmetrise`"), "{said}");
        let said = read("1,0.9,nan\n0.9,1,0.3\nnan,0.3,1\n").unwrap_err();
        assert!(said.starts_with("m:1: expected a finite number"), "{said}");
    }

    #[test]
    fn lists_of_edges_are_left_to_others() {
        for text in [
            "0 1\n1 2\n",
            "1 2\n2 1\n",
            "1 2 3\n2 3 1\n3 1 2\n",
            "0 1 0.5\n1 2 0.25\n2 0 0.5\n",
            "source,target,weight\n0,1,0.5\n1,2,0.25\n2,0,0.5\n",
            "0 1 2\n1 2 3\n2 0 1\n",
            "a,b\nb,c\n",
            "",
            "x\n",
            "source,target,weight,kind\na,b,1,x\n",
        ] {
            assert_eq!(read(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn faults_are_named() {
        assert_eq!(
            read("1 2 3 4\n2 1 3 4\n").unwrap_err(),
            "m: expected a square matrix (4 lines as there are columns), found 2 lines; \
             pass --points to `cluster` for a table of feature vectors"
        );
        assert_eq!(
            read(",a,b\na,1,1\nb,x,1\n").unwrap_err(),
            "m:3: expected a finite number, found `x`"
        );
        assert!(read(",a,b\na,1,2\nb,1,1\n").unwrap_err().contains("`--symmetrise`"));
    }
}
