//! Pajek's networks: `*Vertices n`, a line for each, then `*Arcs` and `*Edges` between their numbers.

use std::path::Path;

use crate::{
    Error, Graph,
    builder::Builder,
    fields::{Separator, integer, number, shown},
    graph::GraphOptions,
    limits::{LARGEST, most_rows},
    lines::BYTE_ORDER_MARK,
    quoted::quoted,
};

/// What the lines are that are being read.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Vertices,
    /// `i j w` a line.
    Pairs,
    /// `i j k l …` a line: from i to each of the others.
    Lists,
    /// Row after row of weights.
    Matrix,
    /// Something that is not used.
    Other,
}

/// Reads a network; vertices without a line are called by their number, counted from one.
pub(crate) fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let mut builder = Builder::new(path);
    let mut names: Vec<Option<String>> = Vec::new();
    let mut section = Section::Other;
    let mut edges: Vec<(u32, u32, Option<f64>, usize)> = Vec::new();
    let mut row = 0;
    for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let text = text.trim_ascii();
        if text.is_empty() || text[0] == b'%' {
            continue;
        }
        let mut fields = Separator::Blanks.fields(text);
        let first = fields.next().unwrap_or_default();
        // The first field may be empty, between quotation marks.
        if let Some(word) = first.strip_prefix(b"*") {
            section = match word.to_ascii_lowercase().as_slice() {
                b"vertices" => {
                    let field = fields.next();
                    let count = field.and_then(integer).filter(|n| *n > 0 && *n <= LARGEST);
                    let count = count.filter(|n| *n <= most_rows(bytes.len() as u64));
                    let Some(count) = count else {
                        let expected = "a number of vertices in proportion to the file";
                        return Err(Error::at_line(path, line, expected, shown(field)));
                    };
                    names.resize(count as usize, None);
                    Section::Vertices
                }
                b"arcs" | b"edges" | b"arcslist" | b"edgeslist" | b"matrix" if names.is_empty() => {
                    return Err(Error::at_line(path, line, "`*Vertices` first", quoted(first)));
                }
                kind @ (b"arcs" | b"edges") => {
                    builder.directed |= kind == b"arcs";
                    Section::Pairs
                }
                kind @ (b"arcslist" | b"edgeslist") => {
                    builder.directed |= kind == b"arcslist";
                    Section::Lists
                }
                b"matrix" => {
                    builder.directed = true;
                    Section::Matrix
                }
                _ => Section::Other,
            };
            continue;
        }
        let vertex = |field: Option<&[u8]>| match field.and_then(integer) {
            Some(number) if 1 <= number && number <= names.len() as u64 => Ok(number as u32 - 1),
            _ => {
                let expected = format!("a vertex from 1 to {}", names.len());
                Err(Error::at_line(path, line, expected, shown(field)))
            }
        };
        match section {
            Section::Other => {}
            Section::Vertices => {
                let place = vertex(Some(first))? as usize;
                let name = label(text[first.len()..].trim_ascii_start());
                if !name.is_empty() {
                    names[place] = Some(String::from_utf8_lossy(name).into_owned());
                }
            }
            Section::Pairs => {
                let (i, j) = (vertex(Some(first))?, vertex(fields.next())?);
                // Words after the nodes are properties of the drawing.
                edges.push((i, j, fields.next().and_then(number), line));
            }
            Section::Lists => {
                let i = vertex(Some(first))?;
                for field in fields {
                    edges.push((i, vertex(Some(field))?, None, line));
                }
            }
            Section::Matrix => {
                let all = Separator::Blanks.fields(text);
                for (j, field) in all.enumerate() {
                    let weight = number(field).ok_or_else(|| {
                        Error::at_line(path, line, "a weight", shown(Some(field)))
                    })?;
                    if weight != 0.0 {
                        if row >= names.len() || j >= names.len() {
                            let expected = format!("{0} rows of {0} weights", names.len());
                            return Err(Error::at_line(path, line, expected, "more"));
                        }
                        edges.push((row as u32, j as u32, Some(weight), line));
                    }
                }
                row += 1;
            }
        }
    }
    if names.is_empty() {
        return Err(Error::in_file(path, "a line `*Vertices n`", "none"));
    }
    for (k, name) in (1..).zip(&names) {
        let number = k.to_string();
        builder.declare(&number, name.as_deref(), 0)?;
    }
    for (i, j, weight, line) in edges {
        builder.edge((i, j), weight, line)?;
    }
    builder.finish(options)
}

/// The label with which the text begins. One between quotation marks ends with the first of them that a blank follows:
/// some programs write marks within a label as they are.
fn label(text: &[u8]) -> &[u8] {
    let blank = |at: usize| text.get(at).is_none_or(u8::is_ascii_whitespace);
    if let [b'"', inside @ ..] = text
        && let Some(end) = memchr::memchr_iter(b'"', inside).find(|&at| blank(at + 2))
    {
        return &inside[..end];
    }
    let end = (0..text.len()).find(|&at| blank(at)).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Graph, String> {
        parse(Path::new("g"), text.as_bytes(), GraphOptions::default())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn vertices_edges_lists_and_matrices_are_read() {
        let graph = read(
            "*Vertices 4\n1 \"Ann \"B\"\" 0.1 0.2 ellipse\n3 c\n*Edges\n1 3 2.5\n*Edgeslist\n2 3 4\n",
        )
        .unwrap();
        assert_eq!(graph.names.unwrap(), ["Ann \"B\"", "2", "c", "4"]);
        let weights = [(0, 2), (1, 2), (1, 3), (0, 1)].map(|(i, j)| graph.matrix.get(i, j));
        assert_eq!(weights, [2.5, 1.0, 1.0, 0.0]);
        let graph = read("*vertices 2\n*matrix\n0 3\n3 0\n").unwrap();
        assert_eq!(
            (graph.matrix.get(0, 1), graph.names),
            (3.0, Some(vec!["1".into(), "2".into()]))
        );
    }

    #[test]
    fn faults_have_their_line() {
        for (text, message) in [
            ("*Vertices 2\n*Edges\n1 3\n", "g:3: expected a vertex from 1 to 2, found `3`"),
            ("*Vertices 2\n\"\" 1\n", "g:2: expected a vertex from 1 to 2, found an empty field"),
            (
                "*Vertices x\n",
                "g:1: expected a number of vertices in proportion to the file, found `x`",
            ),
            (
                "*Vertices 99999999999\n",
                "g:1: expected a number of vertices in proportion to the file, found `99999999999`",
            ),
            ("*Arcs\n1 2\n", "g:1: expected `*Vertices` first, found `*Arcs`"),
            ("x\n", "g: expected a line `*Vertices n`, found none"),
        ] {
            assert_eq!(read(text).unwrap_err(), message, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn plausible_text_never_panics(text in "(\\*(vertices|arcs|edges|matrix|arcslist) ?[0-3]?\n|[0-3] [0-3]( \"?[a0.5]{1,3})?\n|\\*\n){0,9}") {
            let _ = read(&text);
        }
    }
}
