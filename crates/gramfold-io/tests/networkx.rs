//! A graph that networkx saved in each of its formats; the files are in `data/`.

use std::path::{Path, PathBuf};

use gramfold_io::{Graph, GraphOptions, read_graph};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The weight between two nodes by their names; zero if there is no such node.
fn weight(graph: &Graph, a: &str, b: &str) -> f64 {
    let names = graph.names.as_ref().expect("names");
    let place = |name: &str| names.iter().position(|other| other == name);
    place(a).zip(place(b)).map_or(0.0, |(i, j)| graph.matrix.get(i, j))
}

#[track_caller]
fn check(name: &str, nodes: [&str; 3], weights: [f64; 3], lone: bool) {
    let graph = read_graph(&file(name), GraphOptions::default()).unwrap();
    assert_eq!(graph.matrix.dim(), 3 + usize::from(lone), "{name}");
    let [a, b, c] = nodes;
    let found = [weight(&graph, a, b), weight(&graph, b, c), weight(&graph, c, a)];
    assert_eq!(found, weights, "{name}");
    assert!(graph.notes.warnings.is_empty(), "{name}: {:?}", graph.notes.warnings);
    let names = graph.names.unwrap();
    assert_eq!(names.iter().any(|name| name == "lone"), lone, "{name}");
}

#[test]
fn every_format_with_names_weights_and_lone_nodes_is_read() {
    let nodes = ["Ann Lee", "bob", "Cé \"q\""];
    for name in [
        "named.gml",
        "named.graphml",
        "named.gexf",
        "named.net",
        "node-link.json",
        "adjacency.json",
        "cytoscape.json",
        "matrix.csv",
    ] {
        check(name, nodes, [1.5, 2.0, 0.25], true);
    }
    // Lists of edges have no node without one.
    for name in ["list.csv", "comma.edgelist"] {
        check(name, nodes, [1.5, 2.0, 0.25], false);
    }
}

#[test]
fn formats_without_blanks_in_names_are_read() {
    let nodes = ["ann", "bob", "cy"];
    for name in ["plain.edgelist", "weighted.edgelist"] {
        check(name, nodes, [1.5, 2.0, 0.25], false);
    }
    check("plain.multiline", nodes, [1.5, 2.0, 0.25], true);
    check("plain.adjlist", nodes, [1.0, 1.0, 1.0], true);
}

#[test]
fn formats_without_names_are_read() {
    for name in ["h.g6", "h.s6"] {
        let graph = read_graph(&file(name), GraphOptions::default()).unwrap();
        assert_eq!((graph.matrix.dim(), graph.matrix.stored()), (4, 6), "{name}");
        assert_eq!(graph.names, None, "{name}");
    }
}
