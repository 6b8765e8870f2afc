//! A graph that networkx saved in each of its formats; the files are in `data/`.

use std::path::{Path, PathBuf};

use gramfold_io::{Duplicates, Graph, GraphOptions, read_graph};

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

/// What `data/odd.py` writes: a ring of names that need care. Its first edge has the given weight.
#[track_caller]
fn check_odd(name: &str, first: f64) {
    let nodes = ["Ann Lee", "C\"é, x", "\u{202e}<script>", "#hash", "{brace}", "日本"];
    let options = GraphOptions { duplicates: Duplicates::Sum, ..GraphOptions::default() };
    let graph = read_graph(&file(name), options).unwrap();
    assert_eq!((graph.matrix.dim(), graph.matrix.stored()), (6, 12), "{name}");
    for (k, expected) in [first, 2.0, 0.25, 4.0, 0.5, 3.0].into_iter().enumerate() {
        assert_eq!(weight(&graph, nodes[k], nodes[(k + 1) % 6]), expected, "{name}: {}", nodes[k]);
    }
    assert!(graph.notes.warnings.is_empty(), "{name}: {:?}", graph.notes.warnings);
}

#[test]
fn odd_names_parallel_edges_and_arcs_come_through_every_format() {
    for ending in [
        ".gml",
        ".graphml",
        ".gexf",
        ".net",
        ".edgelist",
        "-link.json",
        "-adjacency.json",
        "-cytoscape.json",
        "-edges.csv",
        "-edges.tsv",
    ] {
        for (prefix, first) in [("odd", 1.5), ("odd-multi", 2.5), ("odd-arcs", 3.0)] {
            check_odd(&format!("{prefix}{ending}"), first);
        }
    }
    for name in ["odd-weighted.edgelist", "odd.adjlist"] {
        check_odd(name, 1.5);
    }
}

#[test]
fn odd_names_and_decimal_commas_come_through_tables() {
    for name in ["odd-matrix.csv", "odd-matrix-german.csv"] {
        let graph = read_graph(&file(name), GraphOptions::default()).unwrap();
        assert_eq!(graph.matrix.dim(), 6, "{name}");
        assert_eq!(weight(&graph, "#hash", "{brace}"), 4.0, "{name}");
        assert_eq!(weight(&graph, "日本", "Ann Lee"), 3.0, "{name}");
    }
}
