//! Adjacency lists: a line for each node with its neighbours, as networkx writes them.

use std::path::Path;

use crate::{
    Error, Graph,
    builder::Builder,
    edge_list::dictionary_weight,
    fields::{Separator, integer, number as number_of},
    graph::GraphOptions,
    lines::{BYTE_ORDER_MARK, Lines},
    quoted::quoted,
};

/// Reads lines `node neighbour neighbour …`; a node alone on its line has no edge, or those of other lines.
///
/// Lines that begin with `#` or `%` are comments. All weights are one, and an edge that both its ends have is one edge.
pub(crate) fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let separator = Lines::new(path, bytes).next().map_or(Separator::Blanks, Separator::detect);
    let mut builder = Builder::new(path);
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if matches!(line.first(), None | Some(b'#' | b'%')) {
            continue;
        }
        let mut node = None;
        for field in separator.fields(line) {
            let Ok(name) = str::from_utf8(field) else {
                return Err(Error::at_line(path, number, "a name in UTF-8", quoted(field)));
            };
            if name.is_empty() {
                continue;
            }
            let place = builder.node(name);
            match node {
                None => node = Some(place),
                Some(node) => builder.edge((node, place), 1.0, number)?,
            }
        }
    }
    builder.finish(options)
}

/// Whether the file is a list of neighbours a line each: `node degree`, then as many lines `neighbour {…}`.
pub(crate) fn is_multiline(path: &Path, bytes: &[u8]) -> bool {
    let lines = Lines::new(path, bytes);
    let fields = |line: &[u8]| {
        let mut fields = Separator::Blanks.fields(line);
        let pair = (fields.next().map(<[u8]>::to_vec), fields.next().map(<[u8]>::to_vec));
        (pair, fields.next().is_none())
    };
    let mut at_start = true;
    for line in lines {
        let ((_, second), two) = fields(line);
        let second = second.unwrap_or_default();
        if at_start && !(two && integer(&second).is_some()) {
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
pub(crate) fn parse_multiline(
    path: &Path,
    bytes: &[u8],
    options: GraphOptions,
) -> Result<Graph, Error> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let mut builder = Builder::new(path);
    let (mut node, mut left) = (0, 0);
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if matches!(line.first(), None | Some(b'#' | b'%')) {
            continue;
        }
        let mut fields = Separator::Blanks.fields(line);
        let first = fields.next().unwrap_or_default();
        let Ok(name) = str::from_utf8(first) else {
            return Err(Error::at_line(path, number, "a name in UTF-8", quoted(first)));
        };
        let place = builder.node(name);
        let rest = line[first.len()..].trim_ascii();
        if left == 0 {
            let refused = || Error::at_line(path, number, "a node and its degree", quoted(line));
            (node, left) = (place, integer(rest).ok_or_else(refused)?);
            continue;
        }
        let refused = |expected: &str| Error::at_line(path, number, expected, quoted(rest));
        let weight = match rest {
            [] => 1.0,
            [b'{', ..] => {
                let text =
                    dictionary_weight(rest).ok_or_else(|| refused("a dictionary of attributes"))?;
                number_of(text).ok_or_else(|| refused("a finite weight"))?
            }
            _ => return Err(refused("a neighbour and its attributes")),
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
        let graph =
            parse_multiline(Path::new("g"), text.as_bytes(), GraphOptions::default()).unwrap();
        assert_eq!(graph.names.unwrap(), ["lone", "a", "b", "c"]);
        let weights = [(1, 2), (1, 3), (2, 3), (0, 1)].map(|(i, j)| graph.matrix.get(i, j));
        assert_eq!(weights, [1.5, 1.0, 2.0, 0.0]);
        for text in ["a 2\nb 1\n", "a b\nb c\n", "0 1\n1 2\n", "a b {}\n"] {
            assert!(!is_multiline(Path::new("g"), text.as_bytes()), "{text:?}");
        }
        let empty = parse(Path::new("g"), b"# x\n", GraphOptions::default()).unwrap_err();
        assert_eq!(empty.to_string(), "g: expected at least one node, found none");
    }
}
