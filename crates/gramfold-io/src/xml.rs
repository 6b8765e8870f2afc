//! GraphML and GEXF.

use std::{collections::HashMap, path::Path};

use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};

use crate::{
    Error, Graph, builder::Builder, fields::number, graph::GraphOptions, input, quoted::quoted,
};

/// Reads a graph from GraphML or GEXF, whichever the names of the elements say.
///
/// In GraphML a node is called by its `id` and the weight of an edge is its datum whose key has the name `weight`, else
/// `value`; in GEXF a node is called by its `label` and the weight is the attribute of that name. It is one if absent.
pub(crate) fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    let text = input::text(path, bytes, "XML in UTF-8")?;
    let mut document = Document { path, text, reader: Reader::from_str(text), counted: (0, 1) };
    let mut state = State::new(path);
    loop {
        let (event, line) = document.next()?;
        match event {
            Event::Start(element) => state.open(&element, line, false)?,
            Event::Empty(element) => state.open(&element, line, true)?,
            Event::End(element) => state.close(element.local_name().as_ref(), line)?,
            Event::Text(text) => state.datum_text(&text),
            Event::CData(text) => state.datum_text(&text),
            Event::GeneralRef(reference) => {
                if let Ok(Some(character)) = reference.resolve_char_ref() {
                    state.datum_text(character.encode_utf8(&mut [0; 4]));
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    state.finish(options)
}

/// The events of a file, with their lines.
struct Document<'a> {
    path: &'a Path,
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The line, from one, of a position.
    counted: (usize, usize),
}

impl<'a> Document<'a> {
    fn next(&mut self) -> Result<(Event<'a>, usize), Error> {
        let before = self.reader.buffer_position() as usize;
        let line = self.line(before);
        match self.reader.read_event() {
            Ok(event) => Ok((event, line)),
            Err(error) => {
                let at = (self.reader.error_position() as usize).max(before);
                let line = self.line(at);
                Err(Error::at_line(self.path, line, "well-formed XML", format!("a fault: {error}")))
            }
        }
    }

    fn line(&mut self, position: usize) -> usize {
        let (from, line) = self.counted;
        let position = position.min(self.text.len());
        if position > from {
            let between = &self.text.as_bytes()[from..position];
            self.counted = (position, line + memchr::memchr_iter(b'\n', between).count());
        }
        self.counted.1
    }
}

/// What is being read.
struct State<'a> {
    builder: Builder<'a>,
    /// The identifiers of GraphML's keys for weights of edges, with their defaults.
    keys: HashMap<String, (Key, Option<f64>)>,
    edges: Vec<Edge>,
    /// Whether an element `edge` is open.
    in_edge: bool,
    /// The key and the text of the datum or default that is open.
    datum: Option<(String, String)>,
    /// The key whose default may follow.
    defining: Option<String>,
    seen: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Key {
    Weight,
    Value,
}

struct Edge {
    source: String,
    target: String,
    weight: Option<f64>,
    value: Option<f64>,
    line: usize,
}

impl<'a> State<'a> {
    fn new(path: &'a Path) -> Self {
        Self {
            builder: Builder::new(path),
            keys: HashMap::new(),
            edges: Vec::new(),
            in_edge: false,
            datum: None,
            defining: None,
            seen: false,
        }
    }

    fn open(&mut self, element: &BytesStart<'_>, line: usize, empty: bool) -> Result<(), Error> {
        let attribute = |name: &str| -> Option<String> {
            let found = element.try_get_attribute(name).ok().flatten()?;
            found.normalized_value(XmlVersion::Implicit1_0).ok().map(Into::into)
        };
        let required = |name: &str| {
            attribute(name).ok_or_else(|| {
                let expected = format!("an attribute `{name}`");
                self.builder.error(line, &expected, quoted(element.name().0.as_bytes()))
            })
        };
        match element.local_name().as_ref() {
            "graph" => {
                self.seen = true;
                let kind = attribute("edgedefault").or_else(|| attribute("defaultedgetype"));
                self.builder.directed = kind.as_deref() == Some("directed");
            }
            "key" => {
                let name = attribute("attr.name").unwrap_or_default();
                let of_edges = matches!(attribute("for").as_deref(), None | Some("edge" | "all"));
                let key = match name.as_str() {
                    "weight" => Some(Key::Weight),
                    "value" => Some(Key::Value),
                    _ => None,
                };
                if let (Some(key), true) = (key, of_edges) {
                    let id = required("id")?;
                    self.keys.insert(id.clone(), (key, None));
                    self.defining = (!empty).then_some(id);
                }
            }
            "default" => {
                self.datum =
                    self.defining.clone().filter(|_| !empty).map(|key| (key, String::new()));
            }
            "node" => {
                let id = required("id")?;
                self.builder.declare(&id, attribute("label").as_deref(), line)?;
            }
            "edge" => {
                let (source, target) = (required("source")?, required("target")?);
                let weight = match attribute("weight") {
                    Some(text) => Some(self.weight(&text, line)?),
                    None => None,
                };
                self.edges.push(Edge { source, target, weight, value: None, line });
                self.in_edge = !empty;
            }
            "data" if self.in_edge && !empty => {
                let key = required("key")?;
                self.datum = self.keys.contains_key(&key).then_some((key, String::new()));
            }
            _ => {}
        }
        Ok(())
    }

    fn datum_text(&mut self, text: &str) {
        if let Some((_, datum)) = &mut self.datum {
            *datum += text;
        }
    }

    fn close(&mut self, element: &str, line: usize) -> Result<(), Error> {
        match element {
            "edge" => self.in_edge = false,
            "key" => self.defining = None,
            "data" | "default" => {
                let Some((key, text)) = self.datum.take() else { return Ok(()) };
                let weight = self.weight(text.trim(), line)?;
                let entry = self.keys.get_mut(&key);
                match (entry, self.edges.last_mut()) {
                    (Some(entry), _) if element == "default" => entry.1 = Some(weight),
                    (Some((Key::Weight, _)), Some(edge)) => edge.weight = Some(weight),
                    (Some((Key::Value, _)), Some(edge)) => edge.value = Some(weight),
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn weight(&self, text: &str, line: usize) -> Result<f64, Error> {
        let weight = number(text.as_bytes()).filter(|weight| weight.is_finite());
        weight.ok_or_else(|| self.builder.error(line, "a finite weight", quoted(text.as_bytes())))
    }

    fn finish(mut self, options: GraphOptions) -> Result<Graph, Error> {
        if !self.seen {
            return Err(self.builder.error(0, "an element `graph` of GraphML or GEXF", "none"));
        }
        let default = |kind| self.keys.values().find(|key| key.0 == kind).and_then(|key| key.1);
        let (weight, value) = (default(Key::Weight), default(Key::Value));
        for edge in self.edges {
            let ends = (
                self.builder.declared(&edge.source, edge.line)?,
                self.builder.declared(&edge.target, edge.line)?,
            );
            let weight = edge.weight.or(weight).or(edge.value).or(value);
            self.builder.edge(ends, weight, edge.line)?;
        }
        self.builder.finish(options)
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
    fn graphml_has_keys_defaults_and_references() {
        let text = "<?xml version='1.0'?>\n<graphml><key id='d0' for='edge' attr.name='weight'>\
                    <default>3</default></key><key id='d1' for='node' attr.name='weight'/>\n\
                    <graph edgedefault='undirected'>\n<node id='a &amp; b'><data key='d1'>x</data></node>\
                    <node id='&lt;script&gt;'/><node id='c'/>\n\
                    <edge source='a &amp; b' target='&lt;script&gt;'><data key='d0'> 2.5 </data></edge>\n\
                    <edge source='c' target='&lt;script&gt;'/></graph></graphml>";
        let graph = read(text).unwrap();
        assert_eq!(graph.names.unwrap(), ["a & b", "<script>", "c"]);
        assert_eq!((graph.matrix.get(0, 1), graph.matrix.get(1, 2)), (2.5, 3.0));
    }

    #[test]
    fn faults_have_their_line() {
        let wrapped = |inside: &str| format!("<graphml>\n<graph>\n{inside}\n</graph></graphml>");
        for (text, message) in [
            (wrapped("<node/>"), "g:3: expected an attribute `id`, found `node`"),
            (
                wrapped("<node id='a'/><edge source='a' target='b'/>"),
                "g:3: expected a node of the graph, found `b`",
            ),
            ("<svg/>".into(), "g: expected an element `graph` of GraphML or GEXF, found none"),
        ] {
            assert_eq!(read(&text).unwrap_err(), message, "{text:?}");
        }
        let message = read("<graphml>\n<graph>\n</node>").unwrap_err();
        assert!(message.starts_with("g:3: expected well-formed XML, found a fault: "), "{message}");
    }

    proptest! {
        #[test]
        fn plausible_text_never_panics(
            text in "<graphml><graph>(<node id='[ab]'/>|<edge source='a' target='b'>|</edge>|<data key='d'>|</data>|&lt;|<!-- x|\"|<){0,12}"
        ) {
            let _ = read(&text);
        }
    }
}
