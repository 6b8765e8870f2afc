//! The files in which programs exchange graphs.

use std::{fs, path::Path};

use gramfold_io::{Asymmetry, Duplicates, GraphOptions, read_graph};

use crate::{Target, readers::fits};

/// Inputs of a short run.
const FEW: usize = 2000;

const XML_WORDS: &[&str] = &[
    "<graphml>",
    "<gexf>",
    "<graph edgedefault=\"undirected\">",
    "<node id=\"a\"/>",
    "<edge source=\"a\" target=\"b\"/>",
    "<key id=\"d0\" for=\"edge\" attr.name=\"weight\"/>",
    "<data key=\"d0\">2</data>",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "&amp;",
    "&#0;",
    "<!DOCTYPE x [<!ENTITY a \"b\">]>",
];

const JSON_WORDS: &[&str] = &[
    "\"nodes\"",
    "\"links\"",
    "\"edges\"",
    "\"id\"",
    "\"source\"",
    "\"weight\"",
    "null",
    "[",
    "{",
];

const GML_WORDS: &[&str] =
    &["graph [", "node [", "edge [", "id", "label", "source", "target", "value", "]", "&quot;"];

const PAJEK_WORDS: &[&str] = &["*Vertices", "*Edges", "*Arcs", "*Matrix", "*Edgeslist", "\"", "%"];

pub(crate) fn targets() -> Vec<Target> {
    vec![
        Target { name: "gml", run: gml, seeds: gml_seeds, words: GML_WORDS, few: FEW },
        Target { name: "xml", run: xml, seeds: xml_seeds, words: XML_WORDS, few: FEW },
        Target { name: "json", run: json, seeds: json_seeds, words: JSON_WORDS, few: FEW },
        Target { name: "pajek", run: pajek, seeds: pajek_seeds, words: PAJEK_WORDS, few: FEW },
        Target { name: "adjacency", run: adjacency, seeds: adjacency_seeds, words: &[], few: FEW },
        Target { name: "graph6", run: graph6, seeds: graph6_seeds, words: &[], few: FEW },
        Target { name: "similarities", run: dense, seeds: dense_seeds, words: &[], few: FEW },
    ]
}

fn read(bytes: &[u8], directory: &Path, name: &str) {
    let path = directory.join(name);
    fs::write(&path, bytes).expect("room for an input");
    for asymmetry in [Asymmetry::Refuse, Asymmetry::Average] {
        for duplicates in [Duplicates::Refuse, Duplicates::Sum] {
            if let Ok(graph) =
                read_graph(&path, GraphOptions { asymmetry, duplicates, holes: false })
            {
                fits(&graph);
            }
        }
    }
}

fn gml(bytes: &[u8], directory: &Path) {
    read(bytes, directory, "a.gml");
}

fn xml(bytes: &[u8], directory: &Path) {
    read(bytes, directory, "a.graphml");
    read(bytes, directory, "a.gexf");
}

fn json(bytes: &[u8], directory: &Path) {
    read(bytes, directory, "a.json");
}

fn pajek(bytes: &[u8], directory: &Path) {
    read(bytes, directory, "a.net");
}

fn adjacency(bytes: &[u8], directory: &Path) {
    read(bytes, directory, "a.adjlist");
}

fn graph6(bytes: &[u8], directory: &Path) {
    read(bytes, directory, "a.g6");
    read(bytes, directory, "a.s6");
}

fn dense(bytes: &[u8], directory: &Path) {
    read(bytes, directory, "a.csv");
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn gml_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "graph [\n directed 0\n node [ id 0 label \"a\" ]\n node [ id 1 label \"b &amp; c\" ]\n \
         edge [ source 0 target 1 value 2.5 ]\n]\n",
        "Creator \"x\"\ngraph [ multigraph 1 node [ id 5 ] node [ id 7 graphics [ x 1.0 ] ] \
         edge [ source 5 target 7 weight 1 ] edge [ source 7 target 5 weight 1 ] ]",
    ])
}

fn xml_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "<?xml version=\"1.0\"?>\n<graphml><key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\
         <graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/>\
         <edge source=\"a\" target=\"b\"><data key=\"d0\">1.5</data></edge></graph></graphml>",
        "<gexf version=\"1.2\"><graph defaultedgetype=\"undirected\"><nodes><node id=\"0\" label=\"x\"/>\
         <node id=\"1\" label=\"y\"/></nodes><edges><edge id=\"0\" source=\"0\" target=\"1\" weight=\"2\"/></edges>\
         </graph></gexf>",
    ])
}

fn json_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "{\"directed\": false, \"nodes\": [{\"id\": \"a\"}, {\"id\": 1}], \
         \"links\": [{\"source\": \"a\", \"target\": 1, \"weight\": 2.5}]}",
        "{\"nodes\": [{\"id\": 0}, {\"id\": 1}], \"edges\": [{\"source\": 0, \"target\": 1}]}",
        "{\"nodes\": [{\"id\": 0}], \"adjacency\": [[{\"id\": 0}]]}",
    ])
}

fn pajek_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "*Vertices 3\n1 \"a\"\n2 \"b c\" 0.1 0.2\n3 \"d\"\n*Edges\n1 2 1.5\n2 3\n",
        "*Vertices 2\n*Arcs\n1 2 1\n2 1 1\n",
        "*Vertices 2\n*Matrix\n0 1\n1 0\n",
        "*Vertices 3\n*Edgeslist\n1 2 3\n",
    ])
}

fn adjacency_seeds() -> Vec<Vec<u8>> {
    texts(&["# list\n0 1 2\n1 2\n2\n", "a b\nb c\n"])
}

fn graph6_seeds() -> Vec<Vec<u8>> {
    texts(&["DQc\n", ">>graph6<<C~\n", ":An\n", ">>sparse6<<:Fa@x^\n", "~?@?\n"])
}

fn dense_seeds() -> Vec<Vec<u8>> {
    texts(&[",a,b\na,1,0.5\nb,0.5,1\n", "1,0.5\n0.5,1\n", "a;b\n0;1\n1;0\n"])
}
