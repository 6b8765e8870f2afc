//! Labels of nodes: a line for each.

use std::{
    collections::HashMap,
    io::{self, Write},
    path::Path,
};

use crate::{
    Error,
    fields::{Separator, is_misquoted, number, shown},
    input,
    lines::Lines,
    name::name,
    quoted::quoted,
    write_atomically,
};

/// Beyond it not every integer is a float.
const EXACT: f64 = 9007199254740992.0;

/// What a file says of which node is in which class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The label of each node, in the order of the file; none where it is negative.
    pub labels: Vec<Option<usize>>,
    /// The name of each node, if the file has them.
    pub names: Option<Vec<String>>,
}

/// Reads labels, plain or gzipped: one integer a line, or a name and an integer.
///
/// The columns are separated by tabs, semicolons, commas or blanks, as they are on the first line,
/// which is a header if its label is not a number. Lines that begin with `#` or `%` are comments.
/// A negative label means that there is none. No name may come twice.
pub fn read_labels(path: &Path) -> Result<Labels, Error> {
    parse(path, &input::read(path)?)
}

/// Writes labels, one a line in the order of the nodes, after the name and a tab if there are names.
///
/// # Panics
/// If there are not as many names as labels.
pub fn write_labels(path: &Path, labels: &[usize], names: Option<&[String]>) -> Result<(), Error> {
    if let Some(names) = names {
        assert_eq!(names.len(), labels.len(), "a name for each label");
    }
    write_atomically(path, |writer| match names {
        None => labels.iter().try_for_each(|label| writeln!(writer, "{label}")),
        Some(names) => names.iter().zip(labels).try_for_each(|(name, label)| {
            write_name(writer, name)?;
            writeln!(writer, "\t{label}")
        }),
    })
}

/// Writes a name such that it is read as it was.
fn write_name(writer: &mut dyn Write, name: &str) -> io::Result<()> {
    let marked = name.starts_with(['#', '%', '"', '\u{feff}']) || name.contains(['\t', '\n']);
    // Two numbers and a label would be read as three columns.
    let separated = Separator::detect(format!("{name}\t0").as_bytes()) == Separator::Byte(b'\t');
    if !marked && separated && name.trim_ascii() == name {
        return writer.write_all(name.as_bytes());
    }
    if name.contains(['"', '\n']) {
        let shown = quoted(name.as_bytes());
        return Err(io::Error::other(format!("the name {shown} does not fit a line")));
    }
    write!(writer, "\"{name}\"")
}

/// Reads from the bytes of the file; `path` is for messages.
fn parse(path: &Path, bytes: &[u8]) -> Result<Labels, Error> {
    let mut lines = Lines::new(path, bytes);
    let mut start = lines.clone();
    let Some(first) = lines.next() else {
        return Err(lines.empty("at least one label"));
    };
    let separator = Separator::detect(first);
    let fields: Vec<_> = separator.fields(first).take(3).collect();
    let (columns, first_line) = (fields.len(), lines.number());
    let ([label] | [_, label]) = fields[..] else {
        let found = separator.fields(first).count().to_string();
        return Err(lines.error("1 column (label) or 2 (name, label)", found));
    };
    if number(label).is_some() || label.is_empty() || fields.iter().any(|f| is_misquoted(f)) {
        lines = start.clone();
    } else {
        start = lines.clone();
    }

    let (mut labels, mut names) = (Vec::new(), Vec::new());
    let mut seen = HashMap::new();
    while let Some(line) = lines.next() {
        let mut fields = separator.fields(line);
        if separator.fields(line).count() != columns {
            let found = fields.count().to_string();
            return Err(lines.error(
                format!(
                    "{} as on line {first_line}",
                    if columns == 1 { "1 column" } else { "2 columns" }
                ),
                found,
            ));
        }
        if columns == 2
            && let Some(field) = fields.next()
        {
            names.push(name(field, &lines)?);
            if let Some(first) = seen.insert(field, labels.len()) {
                let found =
                    format!("{} again after line {}", quoted(field), start.number_after(first));
                return Err(lines.error("each name once", found));
            }
        }
        labels.push(label_of(fields.next(), &lines)?);
    }
    if labels.is_empty() {
        return Err(lines.empty("at least one label"));
    }
    Ok(Labels { labels, names: (columns == 2).then_some(names) })
}

/// The label in a field of the last line, which may be an integer written as a float.
fn label_of(field: Option<&[u8]>, lines: &Lines<'_>) -> Result<Option<usize>, Error> {
    match field.and_then(number) {
        Some(label) if label.fract() == 0.0 && label.abs() < EXACT => {
            Ok((label >= 0.0).then_some(label as usize))
        }
        _ => Err(lines.error("an integer label", shown(field))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Labels, String> {
        parse(Path::new("l"), text.as_bytes()).map_err(|error| error.to_string())
    }

    fn labels(labels: &[Option<usize>], names: &[&str]) -> Labels {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        Labels { labels: labels.to_vec(), names: (!names.is_empty()).then_some(names) }
    }

    #[test]
    fn one_or_two_columns_are_read() {
        let expected = labels(&[Some(2), None, Some(0)], &[]);
        assert_eq!(read("# x\r\n2\r\n-1\r\n\r\n0"), Ok(expected.clone()));
        assert_eq!(read("label\n2.0\n-1.0e+00\n0\n"), Ok(expected));
        let expected = labels(&[Some(2), None, Some(0)], &["a b", "c", "7"]);
        assert_eq!(read("a b\t2\nc\t-1\n7\t0\n"), Ok(expected.clone()));
        assert_eq!(read("name,label\n\"a b\",2\nc , -1\n7,0\n"), Ok(expected.clone()));
        assert_eq!(read("\"a b\" 2\nc -1\n7 0\n"), Ok(expected));
    }

    #[test]
    fn bad_labels_are_refused() {
        let refuses = |text: &str, message: &str| {
            assert_eq!(read(text).unwrap_err(), format!("l{message}"), "{text:?}");
        };
        refuses("", ": expected at least one label, found an empty file");
        refuses("label\n", ": expected at least one label, found none");
        refuses("a b 1\n", ":1: expected 1 column (label) or 2 (name, label), found 3");
        refuses("1\n1 2\n", ":2: expected 1 column as on line 1, found 2");
        refuses("a 1\n2\n", ":2: expected 2 columns as on line 1, found 1");
        refuses("1.5\n", ":1: expected an integer label, found `1.5`");
        refuses("nan\n", ":1: expected an integer label, found `nan`");
        refuses("1\nx\n", ":2: expected an integer label, found `x`");
        refuses("1\n9007199254740992\n", ":2: expected an integer label, found `9007199254740992`");
        refuses("a,1\n,2\n", ":2: expected a name, found an empty field");
        refuses("a,1\nb,\n", ":2: expected an integer label, found an empty field");
        refuses(
            "n l\n#\na 1\nb 1\na 2\n",
            ":5: expected each name once, found `a` again after line 3",
        );
    }

    #[test]
    fn a_file_has_a_line_for_each_node() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("labels");
        write_labels(&path, &[1, 0], None).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n0\n");
        let names = ["a b".to_owned(), "#c".to_owned()];
        write_labels(&path, &[1, 0], Some(&names)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a b\t1\n\"#c\"\t0\n");
        let names = ["a\nb".to_owned()];
        assert_eq!(
            write_labels(&path, &[1], Some(&names)).unwrap_err().to_string(),
            format!(
                "{}: cannot write the file: the name `a\\nb` does not fit a line",
                path.display()
            )
        );
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let _ = parse(Path::new("l"), &bytes);
        }

        #[test]
        fn plausible_text_never_panics(text in "([0-9a\"., \t-]{1,8}\r?\n){0,8}") {
            let _ = read(&text);
        }

        #[test]
        fn labels_come_back(
            nodes in prop::collection::btree_map("[^\"\n]{1,6}", 0_usize..9, 1..9),
            named: bool,
        ) {
            let (names, values): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("labels");
            write_labels(&path, &values, named.then_some(&names)).unwrap();
            let read = read_labels(&path).unwrap();
            prop_assert_eq!(read.labels, values.into_iter().map(Some).collect::<Vec<_>>());
            prop_assert_eq!(read.names, named.then_some(names));
        }
    }
}
