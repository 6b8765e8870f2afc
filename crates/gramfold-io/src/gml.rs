//! GML, the graph modelling language: nested lists of keys and values.

use std::path::Path;

use quick_xml::escape::resolve_predefined_entity;

use crate::{
    Error, Graph, builder::Builder, fields::number, graph::GraphOptions, input, quoted::quoted,
};

/// Lists within lists that are followed.
const DEPTH: usize = 64;

/// Reads the first graph of a GML file.
///
/// A node is called by its `label`, else by its `id`. The weight of an edge is its `weight`, else its `value`, else one.
pub(crate) fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    let text = input::text(path, bytes, "text in UTF-8")?;
    let mut tokens = Tokens { path, text, at: 0, line: 1 };
    let mut builder = Builder::new(path);
    let mut edges = Vec::new();
    while let Some(key) = tokens.next()? {
        match (key, tokens.value()?) {
            (Token::Word("graph"), Token::Open) => {
                graph(&mut tokens, &mut builder, &mut edges)?;
                for Edge { source, target, weight, line } in edges {
                    let end = |id: Option<&str>| match id {
                        Some(id) => builder.declared(id, line),
                        None => Err(builder.error(line, "an edge with source and target", "none")),
                    };
                    let ends = (end(source)?, end(target)?);
                    builder.edge(ends, weight, line)?;
                }
                return builder.finish(options);
            }
            (_, Token::Open) => tokens.skip_list()?,
            _ => {}
        }
    }
    Err(Error::in_file(path, "a list `graph [ … ]`", "none"))
}

/// An edge, whose ends may be declared after it.
struct Edge<'a> {
    source: Option<&'a str>,
    target: Option<&'a str>,
    weight: Option<f64>,
    line: usize,
}

fn graph<'a>(
    tokens: &mut Tokens<'a>,
    builder: &mut Builder<'_>,
    edges: &mut Vec<Edge<'a>>,
) -> Result<(), Error> {
    loop {
        let Some(key) = tokens.key()? else { return Ok(()) };
        let line = tokens.line;
        match (key, tokens.value()?) {
            ("directed", Token::Word(word)) => builder.directed = word == "1",
            ("node", Token::Open) => {
                let mut item = Item::read(tokens)?;
                let Some(id) = item.id else {
                    return Err(builder.error(line, "a node with an id", "none"));
                };
                builder.declare(id, item.label.take().as_deref(), line)?;
            }
            ("edge", Token::Open) => {
                let Item { source, target, weight, value, .. } = Item::read(tokens)?;
                edges.push(Edge { source, target, weight: weight.or(value), line });
            }
            (_, Token::Open) => tokens.skip_list()?,
            _ => {}
        }
    }
}

/// What a node or an edge has that is used.
#[derive(Default)]
struct Item<'a> {
    id: Option<&'a str>,
    label: Option<String>,
    source: Option<&'a str>,
    target: Option<&'a str>,
    weight: Option<f64>,
    value: Option<f64>,
}

impl<'a> Item<'a> {
    fn read(tokens: &mut Tokens<'a>) -> Result<Self, Error> {
        let mut item = Self::default();
        loop {
            let Some(key) = tokens.key()? else { return Ok(item) };
            match (key, tokens.value()?) {
                (_, Token::Open) => tokens.skip_list()?,
                ("id", Token::Word(word)) => item.id = Some(word),
                ("source", Token::Word(word)) => item.source = Some(word),
                ("target", Token::Word(word)) => item.target = Some(word),
                ("label", Token::Word(word)) => item.label = Some(word.to_owned()),
                ("label", Token::Text(text)) => item.label = Some(unescaped(text)),
                ("weight", Token::Word(word)) => match number(word.as_bytes()) {
                    Some(weight) => item.weight = Some(weight),
                    None => return Err(tokens.unexpected("a weight", Some(Token::Word(word)))),
                },
                ("value", Token::Word(word)) => item.value = number(word.as_bytes()),
                _ => {}
            }
        }
    }
}

/// The text with its character references, such as `&#228;` and `&amp;`, resolved.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out += &rest[..start];
        rest = &rest[start..];
        let end = rest.find(';').filter(|end| *end < 12);
        let character = end.and_then(|end| {
            let name = &rest[1..end];
            let Some(code) = name.strip_prefix('#') else {
                return resolve_predefined_entity(name)?.chars().next();
            };
            let code = match code.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => code.parse(),
            };
            char::from_u32(code.ok()?)
        });
        if let (Some(character), Some(end)) = (character, end) {
            out.push(character);
            rest = &rest[end + 1..];
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out + rest
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'a> {
    Open,
    Close,
    /// A key or a number.
    Word(&'a str),
    /// What is between quotation marks.
    Text(&'a str),
}

struct Tokens<'a> {
    path: &'a Path,
    text: &'a str,
    at: usize,
    /// Of the last token.
    line: usize,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Result<Option<Token<'a>>, Error> {
        let bytes = self.text.as_bytes();
        // Comments begin a line; elsewhere the mark is within a word.
        while let Some(&byte) = bytes.get(self.at) {
            let begins = self.at == 0 || bytes[self.at - 1] == b'\n';
            if byte == b'#' && begins {
                let length = memchr::memchr(b'\n', &bytes[self.at..]);
                self.at = length.map_or(bytes.len(), |length| self.at + length);
            } else if byte.is_ascii_whitespace() {
                self.line += usize::from(byte == b'\n');
                self.at += 1;
            } else if self.text[self.at..].starts_with('\u{feff}') {
                self.at += 3;
            } else {
                break;
            }
        }
        let Some(&first) = bytes.get(self.at) else { return Ok(None) };
        let start = self.at;
        match first {
            b'[' | b']' => {
                self.at += 1;
                Ok(Some(if first == b'[' { Token::Open } else { Token::Close }))
            }
            b'"' => {
                let closing = memchr::memchr(b'"', &bytes[start + 1..]);
                let length = closing.ok_or_else(|| {
                    let found = Some(Token::Text(&self.text[start..]));
                    self.unexpected("a closing quotation mark", found)
                })?;
                let text = &self.text[start + 1..start + 1 + length];
                self.at = start + length + 2;
                self.line += memchr::memchr_iter(b'\n', text.as_bytes()).count();
                Ok(Some(Token::Text(text)))
            }
            _ => {
                let ends =
                    |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b'"');
                let length = bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
                self.at = start + length;
                Ok(Some(Token::Word(&self.text[start..self.at])))
            }
        }
    }

    /// The next key of a list; none at its end.
    fn key(&mut self) -> Result<Option<&'a str>, Error> {
        match self.next()? {
            Some(Token::Close) => Ok(None),
            Some(Token::Word(key)) => Ok(Some(key)),
            other => Err(self.unexpected("a key or `]`", other)),
        }
    }

    /// What follows a key.
    fn value(&mut self) -> Result<Token<'a>, Error> {
        match self.next()? {
            Some(token) if token != Token::Close => Ok(token),
            other => Err(self.unexpected("a value", other)),
        }
    }

    /// To the end of the list that was opened last.
    fn skip_list(&mut self) -> Result<(), Error> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Some(Token::Open) if depth < DEPTH => depth += 1,
                Some(Token::Open) => {
                    let expected = format!("at most {DEPTH} lists within each other");
                    return Err(Error::at_line(self.path, self.line, expected, "more"));
                }
                Some(Token::Close) => depth -= 1,
                Some(_) => {}
                None => return Err(self.unexpected("`]`", None)),
            }
        }
        Ok(())
    }

    #[cold]
    fn unexpected(&self, expected: &str, found: Option<Token<'_>>) -> Error {
        let found = match found {
            None => "the end of the file".to_owned(),
            Some(Token::Open) => "`[`".to_owned(),
            Some(Token::Close) => "`]`".to_owned(),
            Some(Token::Word(text) | Token::Text(text)) => quoted(text.as_bytes()),
        };
        Error::at_line(self.path, self.line, expected, found)
    }
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
    fn labels_weights_and_isolated_nodes_are_read() {
        let text = "Creator \"me\"\n# c\ngraph [\n directed 1\n node [ id 7 label \"J&#246;rg &amp; &quot;Co&quot;\" \
                    graphics [ x 1 y [ z 2 ] ] ]\n node [ id 3 ]\n node [ id 5 label \"alone\" ]\n\
                    edge [ source 7 target 3 value 2.5 ]\n]\n";
        let graph = read(text).unwrap();
        assert_eq!(graph.names.unwrap(), ["Jörg & \"Co\"", "3", "alone"]);
        assert_eq!(graph.matrix.dim(), 3);
        assert_eq!(graph.matrix.get(0, 1), 2.5);
        assert_eq!(graph.notes.line(), "1 arc taken without direction");
    }

    #[test]
    fn faults_have_their_line() {
        for (text, message) in [
            (
                "graph [\nnode [ id 1 ]\nnode [ id 1 ]\n]",
                "g:3: expected each node once, found `1` again",
            ),
            (
                "graph [\nnode [ id 1 ]\nedge [ source 1 target 2 ]\n]",
                "g:3: expected a node of the graph, found `2`",
            ),
            ("graph [\nnode [ label \"x\" ]\n]", "g:2: expected a node with an id, found none"),
            ("graph [\nnode [ id 1 ]\n", "g:3: expected a key or `]`, found the end of the file"),
            (
                "graph [\nnode [ id 1 label \"x ]\n",
                "g:2: expected a closing quotation mark, found `\"x ]\\n`",
            ),
            ("a 1\n", "g: expected a list `graph [ … ]`, found none"),
            ("graph [ ]", "g: expected at least one node, found none"),
        ] {
            assert_eq!(read(text).unwrap_err(), message, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn plausible_text_never_panics(text in "graph \\[( ?(node|edge|id|source|target|label|\\[|\\]|1|2|\"|#|\n|é)){0,30}") {
            let _ = read(&text);
        }
    }
}
