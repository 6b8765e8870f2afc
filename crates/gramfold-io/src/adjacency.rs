//! Adjacency lists: a line for each node with its neighbours, as networkx writes them.

use std::path::Path;

use crate::{
    Error, Graph,
    builder::Builder,
    edge_list::{attributes, dictionary},
    fields::{integer, number as number_of},
    graph::GraphOptions,
    lines::Lines,
    quoted::quoted,
};

/// Reads lines `node neighbour neighbour …`; a node alone on its line has no edge, or those of other lines. All weights are
/// one, and an edge that both its ends have is one edge. A list with a line for each neighbour is known by its form.
pub(crate) fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    if is_multiline(path, bytes) {
        return parse_multiline(path, bytes, options);
    }
    let (lines, separator) = Lines::fields(path, bytes);
    let mut builder = Builder::new(path);
    for (number, line) in lines.numbered() {
        let mut node = None;
        for field in separator.fields(line).filter(|field| !field.is_empty()) {
            let place = builder.node(name(path, number, field)?);
            match node {
                None => node = Some(place),
                Some(node) => builder.edge((node, place), None, number)?,
            }
        }
    }
    builder.finish(options)
}

/// A name, which may be anything but a dictionary: those are not read here.
fn name<'a>(path: &Path, line: usize, field: &'a [u8]) -> Result<&'a str, Error> {
    if field.starts_with(b"{") && (field.len() < 3 || memchr::memchr(b':', field).is_some()) {
        let expected = "the name of a neighbour";
        return Err(Error::at_line(path, line, expected, quoted(field))
            .with_hint("a list with attributes has a line for each neighbour"));
    }
    str::from_utf8(field).map_err(|_| Error::at_line(path, line, "a name in UTF-8", quoted(field)))
}

/// Whether the file is a list of neighbours a line each: `node degree`, then as many lines `neighbour {…}`.
pub(crate) fn is_multiline(path: &Path, bytes: &[u8]) -> bool {
    let (lines, separator) = Lines::fields(path, bytes);
    let mut at_start = true;
    for line in lines {
        let mut fields = separator.fields(line).skip(1);
        let second = fields.next().unwrap_or_default();
        if at_start && (integer(second).is_none() || fields.next().is_some()) {
            return false;
        }
        match second.first() {
            Some(b'{') => return !at_start && line.ends_with(b"}"),
            _ if second == b"0" => at_start = true,
            _ if at_start => at_start = false,
            _ => return false,
        }
    }
    false
}

/// Reads such a list, with the weights of the dictionaries.
fn parse_multiline(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    let (lines, separator) = Lines::fields(path, bytes);
    let mut builder = Builder::new(path);
    let (mut node, mut left) = (0, 0);
    for (number, line) in lines.numbered() {
        let refused = |expected: &str| Error::at_line(path, number, expected, quoted(line));
        let first = separator.fields(line).next().unwrap_or_default();
        let place = builder.node(name(path, number, first)?);
        let second = separator.fields(line).nth(1);
        if left == 0 {
            let degree = second.and_then(integer);
            (node, left) = (place, degree.ok_or_else(|| refused("a node and its degree"))?);
            continue;
        }
        let weight = match dictionary(line) {
            Some(at) => {
                let found = attributes(&line[at..]);
                let text = found.ok_or_else(|| refused("a dictionary of attributes"))?.weight;
                let weight =
                    text.map(|text| number_of(text).ok_or_else(|| refused("a finite weight")));
                weight.transpose()?
            }
            None if second.is_none() => None,
            None => return Err(refused("a neighbour and its attributes")),
        };
        builder.edge((node, place), weight, number)?;
        left -= 1;
    }
    builder.finish(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_and_lone_nodes_are_read() {
        let text = "#write.py\n# GMT\n#\na b c\nb c\nc\nd\n";
        let graph = parse(Path::new("g"), text.as_bytes(), GraphOptions::default()).unwrap();
        assert_eq!(graph.names.unwrap(), ["a", "b", "c", "d"]);
        let weights = [(0, 1), (0, 2), (1, 2), (2, 3)].map(|(i, j)| graph.matrix.get(i, j));
        assert_eq!(weights, [1.0, 1.0, 1.0, 0.0]);
        let text = "# x\nlone 0\na 2\nb {'weight': 1.5}\nc {}\nb 1\nc {'weight': 2}\nc 0\n";
        assert!(is_multiline(Path::new("g"), text.as_bytes()));
        let graph = parse(Path::new("g"), text.as_bytes(), GraphOptions::default()).unwrap();
        assert_eq!(graph.names.unwrap(), ["lone", "a", "b", "c"]);
        let weights = [(1, 2), (1, 3), (2, 3), (0, 1)].map(|(i, j)| graph.matrix.get(i, j));
        assert_eq!(weights, [1.5, 1.0, 2.0, 0.0]);
        for text in ["a 2\nb 1\n", "a b\nb c\n", "0 1\n1 2\n", "a b {}\n"] {
            assert!(!is_multiline(Path::new("g"), text.as_bytes()), "{text:?}");
        }
        let text = "a c\t2\nb\t{'weight': 1.5}\n#c\t{}\nb\t0\n";
        let graph = parse(Path::new("g"), text.as_bytes(), GraphOptions::default()).unwrap();
        assert_eq!(graph.names.unwrap(), ["a c", "b", "#c"]);
        let text = "a b {}\nb c {}\n";
        let error = parse(Path::new("g"), text.as_bytes(), GraphOptions::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "g:1: expected the name of a neighbour, found `{}`; \
             a list with attributes has a line for each neighbour"
        );
        let empty = parse(Path::new("g"), b"# x\n", GraphOptions::default()).unwrap_err();
        assert_eq!(empty.to_string(), "g: expected at least one node, found none");
    }
}
