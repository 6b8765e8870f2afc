//! Edge lists into graphs.

use std::path::Path;

use super::{
    assemble::assemble,
    attributes::without_dictionaries,
    layout::{Header, Layout, only_counts},
    nodes::{Numbered, integers, names},
};
use crate::{
    Error, Graph, Notes,
    graph::GraphOptions,
    records::{Records, Text},
};

/// Reads an undirected graph from the bytes of a list of edges; `path` is for messages.
///
/// Each line holds two nodes and perhaps a weight, one if it is absent, between tabs, semicolons,
/// commas or blanks: what the first line has, all have; or after the nodes a dictionary of attributes, as networkx
/// writes it. Lines that begin with `#` or `%` are
/// comments; names may stand between quotation marks. A first line is a header if neither of its
/// nodes is an integer and its weight is not a number; without weights, if the nodes of all other
/// lines are integers; and if it has `source` and `target`, `from` and `to` or the like, by which the columns are then
/// found among others. A first line that counts the nodes and the edges, with no room for doubt, is passed over.
///
/// Where all nodes are integers they are numbered by size, else as they first appear; a node that
/// no edge has does not exist. Edges from a node to itself go on the diagonal. Weights must be finite; they may be
/// negative or zero.
pub(crate) fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    let plain = without_dictionaries(path, bytes)?;
    let text = Text::new(path, plain.as_ref().map_or(bytes, |plain| &plain.text))?;
    let mut records = text.records();
    if matches!(&text, Text::Plain(lines, _) if only_counts(lines)) {
        records.next();
    }
    let layout = Layout::of(&records)?;
    let unweighted = plain.as_ref().map_or(layout.weight.is_none(), |plain| plain.unweighted);
    let mut notes = Notes { unweighted, ..Notes::default() };
    let numbered = match layout.header {
        Header::Absent => numbered(&records, layout)?,
        Header::Present => {
            records.next();
            notes.say("header skipped");
            numbered(&records, layout)?
        }
        Header::Possible => {
            let whole = records.clone();
            records.next();
            match integers(&records, layout)? {
                Some(numbered) if numbered.count > 0 => {
                    notes.say("header skipped");
                    numbered
                }
                _ => {
                    records = whole;
                    names(&records, layout)?
                }
            }
        }
    };
    let Numbered { edges, count, names } = numbered;
    if count == 0 {
        return Err(records.empty("at least one edge"));
    }
    let line = |k| Some(records.number_after(k));
    let matrix = assemble(path, &edges, count, options, &line, &mut notes)?.into();
    Ok(Graph { matrix, names, notes })
}

fn numbered(records: &Records<'_>, layout: Layout) -> Result<Numbered, Error> {
    match integers(records, layout)? {
        Some(numbered) => Ok(numbered),
        None => names(records, layout),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gramfold_linalg::{Csr, Symmetric};
    use proptest::prelude::*;

    use super::*;
    use crate::{Asymmetry, Duplicates};

    fn read(text: &str) -> Graph {
        let graph = parse(Path::new("g"), text.as_bytes(), GraphOptions::default()).unwrap();
        Graph { notes: Notes::default(), ..graph }
    }

    fn graph(entries: &[(u32, u32, f64)], names: &[&str]) -> Graph {
        let count = entries.iter().map(|e| e.0.max(e.1)).max().unwrap() + 1;
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        Graph {
            matrix: Csr::from_triangle(count as usize, entries).unwrap().into(),
            names: (!names.is_empty()).then_some(names),
            notes: Notes::default(),
        }
    }

    fn options(asymmetry: Asymmetry, duplicates: Duplicates) -> GraphOptions {
        GraphOptions { asymmetry, duplicates, holes: false }
    }

    #[track_caller]
    fn refuses(text: &str, message: &str) {
        let read =
            parse(Path::new("g"), text.as_bytes(), options(Asymmetry::Refuse, Duplicates::Refuse));
        assert_eq!(read.unwrap_err().to_string(), message, "{text:?}");
    }

    #[test]
    fn every_separator_gives_the_same_graph() {
        let expected = graph(&[(0, 1, 1.0), (1, 2, -2.5), (2, 2, 3.0)], &[]);
        for separator in ["\t", ",", ";", " ", " \t  ", ", ", " ; "] {
            let text = "# made by hand\r\n0,1,1\r\n\n% middle\n 2,1,-25e-1 \n2,2,3";
            assert_eq!(read(&text.replace(',', separator)), expected, "{separator:?}");
        }
        assert_eq!(read("0 1\n2 1\n"), graph(&[(0, 1, 1.0), (1, 2, 1.0)], &[]));
    }

    #[test]
    fn integers_keep_their_order_and_names_their_appearance() {
        let path = [(0, 1, 1.0), (1, 2, 1.0)];
        assert_eq!(read("2 3\n1 2"), graph(&path, &["1", "2", "3"]));
        assert_eq!(
            read("007 3000000000000\n7 5"),
            graph(&[(0, 1, 1.0), (1, 2, 1.0)], &["5", "7", "3000000000000"])
        );
        assert_eq!(read("b a\na c"), graph(&path, &["b", "a", "c"]));
        assert_eq!(read("2 1\n1 x"), graph(&path, &["2", "1", "x"]));
        assert_eq!(
            read("\"New York\",\"a, b\"\n\"a, b\",c"),
            graph(&path, &["New York", "a, b", "c"])
        );
        assert_eq!(
            read("18446744073709551616 1\n1 x"),
            graph(&path, &["18446744073709551616", "1", "x"])
        );
    }

    #[test]
    fn counts_are_passed_over() {
        let triangle = graph(&[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0), (0, 0, 1.0)], &[]);
        assert_eq!(read("3 4\n0 1\n1 2\n2 0\n0 0\n"), triangle);
        assert_eq!(read("9 1\n0 1 2.5\n"), graph(&[(0, 1, 2.5)], &[]));
    }

    #[test]
    fn headers_are_skipped() {
        let edge = [(0, 1, 1.0)];
        assert_eq!(read("source,target\na,b"), graph(&edge, &["a", "b"]));
        assert_eq!(read("u,v\n0,1"), graph(&edge, &[]));
        assert_eq!(read("u\tv\tw\na\tb\t1"), graph(&edge, &["a", "b"]));
        assert_eq!(read("u v"), graph(&edge, &["u", "v"]));
        assert_eq!(read("u v\nv w"), graph(&[(0, 1, 1.0), (1, 2, 1.0)], &["u", "v", "w"]));
        refuses("source,target\n", "g: expected at least one edge, found none");
    }

    #[test]
    fn an_edge_that_comes_again_is_taken_once_added_or_refused() {
        let text = "u,v\n0,1\n#\n1,1\n1,0\n0,1\n1,1\n";
        refuses(
            text,
            "g:5: expected each edge once, found a duplicate edge: line 2 has the same nodes; \
             pass `--duplicates first` or `--duplicates sum`",
        );
        let read_as = |text: &str, asymmetry, duplicates| {
            parse(Path::new("g"), text.as_bytes(), options(asymmetry, duplicates)).unwrap()
        };
        let first = read_as(text, Asymmetry::Refuse, Duplicates::First);
        assert_eq!(first.matrix, graph(&[(0, 1, 1.0), (1, 1, 1.0)], &[]).matrix);
        assert_eq!(
            first.notes.line(),
            "header skipped; 3 repeated mentions of edges, of which the first counts"
        );
        assert_eq!(first.notes.warnings, [""; 0]);
        let sum = read_as(text, Asymmetry::Refuse, Duplicates::Sum);
        assert_eq!(sum.matrix, graph(&[(0, 1, 3.0), (1, 1, 2.0)], &[]).matrix);

        let text = "a b 1\nb a 4\na b 2\nb c 7\n";
        let first = read_as(text, Asymmetry::Refuse, Duplicates::First);
        assert_eq!(first.matrix, graph(&[(0, 1, 1.0), (1, 2, 7.0)], &[]).matrix);
        assert!(first.notes.warnings[0].starts_with("1 edge comes again with another weight"));
        // The directions apart: 1 + 2 forth and 4 back.
        let mean = read_as(text, Asymmetry::Average, Duplicates::Sum);
        assert_eq!(mean.matrix, graph(&[(0, 1, 3.5), (1, 2, 7.0)], &[]).matrix);
        let large = "0 1 1e308\n0 1 1e308";
        let large =
            parse(Path::new("g"), large.as_bytes(), options(Asymmetry::Refuse, Duplicates::Sum));
        assert_eq!(
            large.unwrap_err().to_string(),
            "g:2: expected a finite sum of weights, found 1e308 more than fits; \
             scale the weights down"
        );
    }

    #[test]
    fn bad_lines_are_refused() {
        refuses("0 1\n1 2 3", "g:2: expected 2 columns as on line 1, found 3");
        refuses("#\n0 1 1\n1 2", "g:3: expected 3 columns as on line 2, found 2");
        refuses("0,1\n1 2", "g:2: expected 2 columns as on line 1, found 1");
        refuses("0 1 x", "g:1: expected a finite weight, found `x`");
        refuses("0 1 1\n1 2 NaN", "g:2: expected a finite weight, found `NaN`");
        refuses("0 1 1\n1 2 -inf", "g:2: expected a finite weight, found `-inf`");
        refuses("0 1 1\n1 2 1e999", "g:2: expected a finite weight, found `1e999`");
        refuses("0,1,", "g:1: expected a finite weight, found an empty field");
        refuses("a,b\n,c", "g:2: expected a name, found an empty field");
        refuses(
            "a,b\n\"c,d",
            "g:2: expected a field between quotation marks, found `\"c,d`; \
             close every quotation mark, and write one within a field twice",
        );
        let bytes = b"a \xff\xfe";
        let read = parse(Path::new("g"), bytes, GraphOptions::default());
        assert_eq!(
            read.unwrap_err().to_string(),
            "g:1: expected a name in UTF-8, found `\u{fffd}\u{fffd}`; convert the file to UTF-8"
        );
    }

    fn asymmetry() -> impl Strategy<Value = Asymmetry> {
        prop_oneof![Just(Asymmetry::Refuse), Just(Asymmetry::Average)]
    }

    fn duplicates() -> impl Strategy<Value = Duplicates> {
        prop_oneof![Just(Duplicates::Refuse), Just(Duplicates::Sum), Just(Duplicates::First)]
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>, a in asymmetry(), d in duplicates()) {
            let _ = parse(Path::new("g"), &bytes, options(a, d));
        }

        #[test]
        fn plausible_text_never_panics(
            text in "([0-9a\",; \t]{1,4}[ ,;\t][0-9b\"]{0,20}[ ,;\t]?[0-9.e-]{0,5}\r?\n){0,8}",
            a in asymmetry(),
            d in duplicates(),
        ) {
            if let Ok(graph) = parse(Path::new("g"), text.as_bytes(), options(a, d)) {
                prop_assert!(graph.matrix.values().all(f64::is_finite));
                prop_assert!(graph.names.is_none_or(|names| names.len() == graph.matrix.dim()));
            }
        }

        #[test]
        fn a_graph_comes_back_bit_for_bit(
            weights in prop::collection::btree_map(
                (0_u32..30, 0_u32..30),
                (prop::num::f64::NORMAL | prop::num::f64::ZERO, any::<bool>(), any::<bool>()),
                1..60,
            ),
            shift in 0_u32..3,
        ) {
            // Each edge once, from the smaller node, so that the order of the lines is the map's.
            let edges: BTreeMap<_, _> =
                weights.into_iter().map(|((i, j), w)| ((i.min(j), i.max(j)), w)).collect();
            let mut text = String::new();
            for (&(i, j), &(weight, turned, both)) in &edges {
                let (i, j) = if turned { (j + shift, i + shift) } else { (i + shift, j + shift) };
                text += &format!("{i}\t{j}\t{weight:?}\n");
                if both && i != j {
                    text += &format!("{j}\t{i}\t{weight:?}\n");
                }
            }
            let graph = read(&text);
            let names = graph.names.unwrap_or_else(|| {
                (0..graph.matrix.dim()).map(|i| i.to_string()).collect()
            });
            let ids: Vec<u32> = names.iter().map(|name| name.parse().unwrap()).collect();
            prop_assert!(ids.is_sorted());
            let place = |id| ids.binary_search(&(id + shift)).unwrap() as u32;
            let entries: Vec<_> =
                edges.iter().map(|(&(i, j), w)| (place(i), place(j), w.0)).collect();
            let expected = Symmetric::from(Csr::from_triangle(ids.len(), &entries).unwrap());
            prop_assert_eq!(&graph.matrix, &expected);
        }
    }
}
