//! Labels of nodes: a line for each.

use std::{
    collections::HashMap,
    io::{self, Write},
    path::Path,
};

use crate::{
    Error,
    fields::{Separator, integer, is_hole, is_misquoted, number, shown},
    input,
    lines::Lines,
    name::name,
    notes::counted,
    quoted::quoted,
    records::{Records, Text},
    write_atomically,
};

/// Beyond it not every integer is a float.
const EXACT: f64 = 9007199254740992.0;

/// What a file says of which node is in which class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The label of each node, in the order of the file; none where it is negative, empty or `NA`.
    pub labels: Vec<Option<usize>>,
    /// What each label is called, if they are words in the file: label l is the l-th of them.
    pub classes: Option<Vec<String>>,
    /// The name of each node, if the file has them.
    pub names: Option<Vec<String>>,
}

/// What programs and people call the column of classes.
const HEADERS: [&str; 8] =
    ["label", "class", "cluster", "community", "target", "truth", "group", "category"];

/// Reads labels, plain or gzipped: a class a line, or a name and a class. A class is an integer or a word.
///
/// The columns are separated by tabs, semicolons, commas or blanks, as they are on the first line. That line is a header
/// if its name is empty, if its class is called `label`, `class` or the like, if it is the only one that is not a number, or if it is one more
/// than the `expected` number of nodes and its class does not come again. Lines that begin with `#` or `%` are comments.
/// A negative label means that there is none. No name may come twice.
pub fn read_labels(path: &Path, expected: Option<usize>) -> Result<Labels, Error> {
    parse(path, &input::read(path)?, expected)
}

/// Writes labels, one a line in the order of the nodes, after the name and a tab if there are names.
///
/// # Panics
/// If there are not as many names as labels.
pub fn write_labels(path: &Path, labels: &[usize], names: Option<&[String]>) -> Result<(), Error> {
    write_atomically(path, |out| labels_to(out, labels, names))
}

/// Writes the bytes of such a file.
///
/// # Panics
/// If there is not a name for each label.
pub fn labels_to(
    out: &mut dyn Write,
    labels: &[usize],
    names: Option<&[String]>,
) -> io::Result<()> {
    let Some(names) = names else {
        // Each that comes often is formatted once.
        let most = labels.iter().max().map_or(0, |most| most.saturating_add(1)).min(labels.len());
        let lines: Vec<String> = (0..most).map(|label| format!("{label}\n")).collect();
        return labels.iter().try_for_each(|&label| match lines.get(label) {
            Some(line) => out.write_all(line.as_bytes()),
            None => writeln!(out, "{label}"),
        });
    };
    assert_eq!(names.len(), labels.len(), "a name for each label");
    names.iter().zip(labels).try_for_each(|(name, label)| {
        write_name(out, name)?;
        writeln!(out, "\t{label}")
    })
}

/// Writes a name such that it is read as it was.
fn write_name(writer: &mut dyn Write, name: &str) -> io::Result<()> {
    let marked = name.starts_with(['#', '%', '\u{feff}']) || name.contains('"');
    // Two numbers and a label would be read as three columns.
    let separated = Separator::detect(format!("{name}\t0").as_bytes()) == Separator::Byte(b'\t');
    let plain = !marked && !name.contains(['\t', '\n', '\r']) && name.trim_ascii() == name;
    if plain && separated && !name.is_empty() {
        return writer.write_all(name.as_bytes());
    }
    write!(writer, "\"{}\"", name.replace('"', "\"\""))
}

/// Reads from the bytes of the file; `path` is for messages.
fn parse(path: &Path, bytes: &[u8], expected: Option<usize>) -> Result<Labels, Error> {
    let mut text = Text::new(path, bytes)?;
    if let Text::Plain(lines, separator @ Separator::Blanks) = &mut text
        && words_only(lines.clone())
    {
        *separator = Separator::Line;
    }
    let mut records = text.records();
    let Some(first) = records.clone().next() else {
        return Err(records.empty("at least one label"));
    };
    let fields: Vec<_> = first.collect();
    let (columns, first_line) = (fields.len(), records.number_after(0));
    let ([label] | [_, label]) = fields[..] else {
        let error = Error::at_line(
            path,
            first_line,
            "1 column (label) or 2 (name, label)",
            columns.to_string(),
        );
        return Err(error);
    };
    // An index of pandas has an empty corner above it.
    let corner = columns == 2 && fields[0].is_empty();
    if corner || is_header(label, &records, columns, expected) {
        records.next();
    }
    let start = records.clone();
    let (mut classes, mut names) = (Vec::new(), Vec::new());
    let mut seen = HashMap::new();
    while let Some(mut record) = records.next() {
        let found = record.clone().count();
        if found != columns {
            let expected = counted(columns, "column");
            return Err(
                records.error(format!("{expected} as on line {first_line}"), found.to_string())
            );
        }
        if columns == 2
            && let Some(field) = record.next()
        {
            names.push(name(field, &records)?);
            if let Some(first) = seen.insert(field, classes.len()) {
                let found =
                    format!("{} again after line {}", quoted(field), start.number_after(first));
                return Err(records.error("each name once", found));
            }
        }
        let field = record.next().unwrap_or_default();
        match str::from_utf8(field) {
            Ok(class) => classes.push(class.to_owned()),
            Err(_) => {
                return Err(records
                    .error("a label in UTF-8", shown(Some(field)))
                    .with_hint("convert the file to UTF-8"));
            }
        }
    }
    if classes.is_empty() {
        return Err(records.empty("at least one label"));
    }
    Ok(Labels { names: (columns == 2).then_some(names), ..of_classes(&classes) })
}

/// Whether lines hold one class each that may have several words: the first has one word that is no number, and some
/// other has more.
fn words_only(mut lines: Lines<'_>) -> bool {
    let words = |line| Separator::Blanks.fields(line).count();
    lines.next().is_some_and(|first| words(first) == 1 && number(first.trim_ascii()).is_none())
        && lines.any(|line| words(line) > 1)
}

/// Whether the first record names the columns.
fn is_header(label: &[u8], records: &Records<'_>, columns: usize, expected: Option<usize>) -> bool {
    if number(label).is_some() || label.is_empty() || is_misquoted(label) {
        return false;
    }
    let mut others = records.clone();
    others.next();
    let known = HEADERS.iter().any(|header| label.eq_ignore_ascii_case(header.as_bytes()));
    // Classes come again, names of columns do not.
    let mut again = others.clone().map(|mut record| record.nth(columns - 1));
    known
        || expected == Some(others.clone().count()) && !again.any(|class| class == Some(label))
        || others
            .all(|record| record.clone().nth(columns - 1).is_some_and(|f| integer(f).is_some()))
}

/// Integers as they are, words by their first appearance; none where nothing is known.
pub(crate) fn of_classes(classes: &[String]) -> Labels {
    let whole = |class: &str| {
        let label = number(class.as_bytes())?;
        (label.fract() == 0.0 && label.abs() < EXACT).then_some(label)
    };
    let known = |class: &&String| !is_hole(class.as_bytes());
    if classes.iter().filter(known).all(|class| whole(class).is_some()) {
        let label = |class: &String| whole(class).filter(|l| *l >= 0.0).map(|l| l as usize);
        let labels = classes.iter().map(label).collect();
        return Labels { labels, classes: None, names: None };
    }
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut words = Vec::new();
    let mut labels = Vec::with_capacity(classes.len());
    for class in classes {
        labels.push((!is_hole(class.as_bytes())).then(|| {
            *numbers.entry(class).or_insert_with(|| {
                words.push(class.clone());
                words.len() - 1
            })
        }));
    }
    Labels { labels, classes: Some(words), names: None }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Labels, String> {
        parse(Path::new("l"), text.as_bytes(), None).map_err(|error| error.to_string())
    }

    fn labels(labels: &[Option<usize>], names: &[&str]) -> Labels {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        Labels {
            labels: labels.to_vec(),
            classes: None,
            names: (!names.is_empty()).then_some(names),
        }
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

    /// A file for one node more than the graph has.
    #[test]
    fn a_line_more_than_nodes_is_a_header_unless_its_class_comes_again() {
        let read = |text: &str| parse(Path::new("l"), text.as_bytes(), Some(2)).unwrap().labels;
        assert_eq!(read("who,side\na,x\nb,y\n"), [Some(0), Some(1)]);
        assert_eq!(read("side\nx\ny\n"), [Some(0), Some(1)]);
        assert_eq!(read("a,x\nb,x\nc,y\n"), [Some(0), Some(0), Some(1)]);
    }

    #[test]
    fn classes_may_be_words_and_unknown() {
        let words =
            read("club\nMr. Hi\nOfficer\n\n# x\nNA\nMr. Hi\n".replace("club", "Class").as_str());
        let words = words.unwrap();
        assert_eq!(words.labels, [Some(0), Some(1), None, Some(0)]);
        assert_eq!(words.classes.unwrap(), ["Mr. Hi", "Officer"]);
        let named = read("\"a \"\"b\"\"\",x\nc,\nd,y\n").unwrap();
        assert_eq!(named.names.unwrap(), ["a \"b\"", "c", "d"]);
        assert_eq!(named.labels, [Some(0), None, Some(1)]);
        let series = read(",0\na,x\nb,y\n").unwrap();
        assert_eq!((series.labels.len(), series.names.unwrap()), (2, vec!["a".into(), "b".into()]));
        // A word more than there are nodes is a header.
        let parse = |n| parse(Path::new("l"), b"club\nx\ny\n", Some(n)).unwrap().labels.len();
        assert_eq!((parse(2), parse(3)), (2, 3));
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
        refuses("a,1\n,2\n", ":2: expected a name, found an empty field");
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
        let names = ["a\nb".to_owned(), "5\"".to_owned()];
        write_labels(&path, &[1, 0], Some(&names)).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "\"a\nb\"\t1\n\"5\"\"\"\t0\n");
        assert_eq!(read_labels(&path, None).unwrap().names, Some(names.to_vec()));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let _ = parse(Path::new("l"), &bytes, None);
        }

        #[test]
        fn plausible_text_never_panics(text in "([0-9a\"., \t-]{1,8}\r?\n){0,8}") {
            let _ = read(&text);
        }

        #[test]
        fn labels_come_back(
            nodes in prop::collection::btree_map("[^\r]{1,6}", 0_usize..9, 1..9),
            named: bool,
        ) {
            let (names, values): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("labels");
            write_labels(&path, &values, named.then_some(&names)).unwrap();
            let read = read_labels(&path, None).unwrap();
            prop_assert_eq!(read.labels, values.into_iter().map(Some).collect::<Vec<_>>());
            prop_assert_eq!(read.names, named.then_some(names));
        }
    }
}
