//! Graphs in JSON: node-link and adjacency data, as networkx writes them, and Cytoscape's elements.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::{Error, Graph, builder::Builder, fields::integer, graph::GraphOptions, quoted::quoted};

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    directed: bool,
    nodes: Option<Vec<Node>>,
    #[serde(alias = "edges")]
    links: Option<Vec<Link>>,
    adjacency: Option<Vec<Vec<Link>>>,
    elements: Option<Elements>,
}

#[derive(Deserialize)]
struct Node {
    id: Option<Value>,
    name: Option<Value>,
}

#[derive(Deserialize)]
struct Link {
    source: Option<Value>,
    target: Option<Value>,
    id: Option<Value>,
    weight: Option<f64>,
    value: Option<Value>,
}

#[derive(Deserialize)]
struct Elements {
    #[serde(default)]
    nodes: Vec<Wrapped<Node>>,
    #[serde(default)]
    edges: Vec<Wrapped<Link>>,
}

#[derive(Deserialize)]
struct Wrapped<T> {
    data: T,
}

/// Reads `{"nodes": [{"id": …}], "links": [{"source": …, "target": …, "weight": …}]}`, where `links` may be `edges`;
/// networkx's adjacency data; or Cytoscape's elements. Without a `weight` an edge has its `value`, else one.
pub(crate) fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    let document: Document = serde_json::from_slice(bytes).map_err(|error| {
        let found = format!("a fault: {error}");
        Error::at_line(path, error.line().max(1), "a graph in JSON (node-link data)", found)
    })?;
    let mut builder = Builder::new(path);
    builder.directed = document.directed;
    let (nodes, links) = match document.elements {
        Some(elements) => (
            Some(elements.nodes.into_iter().map(|node| node.data).collect()),
            Some(elements.edges.into_iter().map(|edge| edge.data).collect()),
        ),
        None => (document.nodes, document.links),
    };
    let Some(nodes) = nodes else {
        return Err(Error::in_file(path, "a list `nodes`", "none"));
    };
    for node in &nodes {
        let id = name(path, node.id.as_ref().or(node.name.as_ref()), "a node with an `id`")?;
        builder.declare(&id, None, 0)?;
    }
    // Where no id is a number, not even in quotation marks, a number is a place in the list, as D3 has it.
    let numbered = builder.ids().iter().any(|id| integer(id.as_bytes()).is_some());
    let end = |builder: &Builder<'_>, value: Option<&Value>, what: &str| {
        if let (Some(place), false) = (value.and_then(Value::as_u64), numbered)
            && place < nodes.len() as u64
        {
            return Ok(place as u32);
        }
        builder.declared(&name(path, value, what)?, 0)
    };
    if let Some(adjacency) = document.adjacency {
        if adjacency.len() > nodes.len() {
            let expected = format!("{} lists in `adjacency`, one for each node", nodes.len());
            return Err(Error::in_file(path, expected, adjacency.len().to_string()));
        }
        for (source, links) in (0..).zip(&adjacency) {
            for link in links {
                let target = end(&builder, link.id.as_ref(), "a neighbour with an `id`")?;
                // Without direction each edge is in the lists of both its ends.
                if document.directed || source <= target {
                    builder.edge((source, target), weight(link), 0)?;
                }
            }
        }
        return builder.finish(options);
    }
    let Some(links) = links else {
        return Err(Error::in_file(path, "a list `links` or `edges`", "none"));
    };
    for link in &links {
        let source = end(&builder, link.source.as_ref(), "an edge with a `source`")?;
        let target = end(&builder, link.target.as_ref(), "an edge with a `target`")?;
        builder.edge((source, target), weight(link), 0)?;
    }
    builder.finish(options)
}

fn weight(link: &Link) -> Option<f64> {
    link.weight.or_else(|| link.value.as_ref()?.as_f64())
}

/// What a value is called: text as it is, anything else as JSON writes it.
fn name(path: &Path, value: Option<&Value>, expected: &str) -> Result<String, Error> {
    match value {
        None | Some(Value::Null) => Err(Error::in_file(path, expected, "one without")),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other @ (Value::Number(_) | Value::Bool(_) | Value::Array(_))) => {
            Ok(other.to_string())
        }
        Some(other) => Err(Error::in_file(path, expected, quoted(other.to_string().as_bytes()))),
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
    fn the_forms_of_json_give_the_same_graph() {
        for text in [
            r#"{"directed": false, "multigraph": false, "graph": {}, "nodes": [{"x": 1, "id": "a"}, {"id": "b"}, {"id": "c"}],
                "links": [{"weight": 2.5, "source": "a", "target": "b"}, {"source": "b", "target": "c"}]}"#,
            r#"{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
                "edges": [{"value": 2.5, "source": 0, "target": 1}, {"source": 1, "target": 2, "value": "x"}]}"#,
            r#"{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}],
                "adjacency": [[{"weight": 2.5, "id": "b"}], [{"weight": 2.5, "id": "a"}, {"id": "c"}], [{"id": "b"}]]}"#,
            r#"{"elements": {"nodes": [{"data": {"id": "a"}}, {"data": {"id": "b"}}, {"data": {"id": "c"}}],
                "edges": [{"data": {"source": "a", "target": "b", "weight": 2.5}}, {"data": {"source": "b", "target": "c"}}]}}"#,
        ] {
            let graph = read(text).unwrap();
            assert_eq!(graph.names.unwrap(), ["a", "b", "c"], "{text}");
            let weights = [(0, 1), (1, 2), (0, 2)].map(|(i, j)| graph.matrix.get(i, j));
            assert_eq!(weights, [2.5, 1.0, 0.0], "{text}");
            assert_eq!(graph.notes.said, [""; 0], "{text}");
        }
        // networkx writes Cytoscape's ids as text and the ends of edges as they were.
        let mixed = r#"{"elements": {"nodes": [{"data": {"id": "1"}}, {"data": {"id": "0"}}, {"data": {"id": "2"}}],
                        "edges": [{"data": {"source": 1, "target": 2}}]}}"#;
        let graph = read(mixed).unwrap();
        assert_eq!(
            (graph.names.unwrap(), graph.matrix.get(0, 2)),
            (vec!["1".into(), "0".into(), "2".into()], 1.0)
        );
        let numbered =
            r#"{"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]}"#;
        assert_eq!(read(numbered).unwrap().names, None);
    }

    #[test]
    fn faults_are_named() {
        for (text, message) in [
            ("{}", "g: expected a list `nodes`, found none"),
            (
                r#"{"nodes": [{}], "links": []}"#,
                "g: expected a node with an `id`, found one without",
            ),
            (
                r#"{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}"#,
                "g: expected a node of the graph, found `2`",
            ),
            (r#"{"nodes": [{"id": 1}]}"#, "g: expected a list `links` or `edges`, found none"),
        ] {
            assert_eq!(read(text).unwrap_err(), message, "{text}");
        }
        let message = read("{\n\"nodes\": [}").unwrap_err();
        assert!(
            message.starts_with("g:2: expected a graph in JSON (node-link data), found a fault"),
            "{message}"
        );
        let deep = format!("{{\"nodes\": {}", "[".repeat(100_000));
        assert!(read(&deep).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let _ = parse(Path::new("g"), &bytes, GraphOptions::default());
        }
    }
}
