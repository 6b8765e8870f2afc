//! Graphs from any format.

use std::path::Path;

use gramfold_linalg::Symmetric;

use crate::{
    Asymmetry, Duplicates, Error, Notes, adjacency, dense, edge_list,
    extension::extension,
    foreign, gml, graph6, input, json,
    lines::{BYTE_ORDER_MARK, Lines},
    matrix_market, matrix_text, npy, npz, pajek, rudy, xml,
};

/// A graph, or any symmetric matrix: its weights, and what its nodes are called.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The weight of the edge between i and j at (i, j); loops are on the diagonal.
    pub matrix: Symmetric,
    /// The name of each node, if it is not just its number from zero.
    pub names: Option<Vec<String>>,
    /// What was read.
    pub notes: Notes,
}

impl From<Symmetric> for Graph {
    fn from(matrix: Symmetric) -> Self {
        Self { matrix, names: None, notes: Notes::default() }
    }
}

/// What to do with files that say one thing twice, or not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphOptions {
    /// What to do with a matrix that differs from its transpose.
    pub asymmetry: Asymmetry,
    /// What to do with an edge that comes again.
    pub duplicates: Duplicates,
    /// Whether NaN and empty fields of a whole matrix are entries that are not known, and left out. They are faults otherwise.
    pub holes: bool,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    MatrixMarket,
    Npy,
    Npz,
    Gml,
    Xml,
    Pajek,
    Json,
    Adjacency,
    Graph6,
    /// A list of edges, plain or as rudy writes it, or a matrix as a table.
    Text,
}

impl Format {
    /// What the first bytes say, and only where these say nothing the name.
    fn of(path: &Path, bytes: &[u8]) -> Self {
        let [graph6, sparse6] = graph6::HEADERS.map(|header| (header, Self::Graph6));
        let known = [(npy::MAGIC, Self::Npy), (b"PK\x03\x04", Self::Npz), graph6, sparse6];
        if let Some((_, format)) = known.into_iter().find(|(start, _)| bytes.starts_with(start)) {
            return format;
        }
        let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
        let begins = |(word, _): &(&[u8], Self)| {
            text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        let known: [(&[u8], Self); 3] =
            [(b"%%MatrixMarket", Self::MatrixMarket), (b"<", Self::Xml), (b"{", Self::Json)];
        if let Some((_, format)) = known.into_iter().find(begins) {
            return format;
        }
        let first = Lines::new(path, bytes).next().unwrap_or_default().trim_ascii_start();
        let word =
            first.split(|b| b.is_ascii_whitespace() || *b == b'[').next().unwrap_or_default();
        match extension(path).as_str() {
            _ if word.eq_ignore_ascii_case(b"*vertices")
                || word.eq_ignore_ascii_case(b"*network") =>
            {
                Self::Pajek
            }
            "mtx" => Self::MatrixMarket,
            "npy" => Self::Npy,
            "npz" => Self::Npz,
            "gml" => Self::Gml,
            "net" | "paj" => Self::Pajek,
            "json" => Self::Json,
            "graphml" | "gexf" | "xml" => Self::Xml,
            "adjlist" | "adj" => Self::Adjacency,
            "g6" | "s6" => Self::Graph6,
            _ if matches!(word, b"graph" | b"Creator")
                && memchr::memmem::find(bytes, b"[").is_some() =>
            {
                Self::Gml
            }
            _ => Self::Text,
        }
    }
}

/// Reads a graph or a symmetric matrix, whatever the format: Matrix Market, NumPy, SciPy, GML, GraphML, GEXF, Pajek,
/// graph6, JSON (node-link), adjacency lists (`.adjlist`), tables with as many lines as columns, the lists of rudy and the Gset,
/// whose first line `n m` counts nodes and edges and whose others `i j w` number the nodes from one, and lists of edges.
///
/// What the file begins with decides, then what its name ends in; any may be gzipped. Edges have no direction: (b, a)
/// is another mention of (a, b), and `options.duplicates` says what becomes of those. A matrix that is
/// symmetric but for rounding is taken as symmetric.
pub fn read_graph(path: &Path, options: GraphOptions) -> Result<Graph, Error> {
    let bytes = input::read(path)?;
    parse(path, &bytes, options)
}

fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    foreign::refuse(path, bytes, "a graph or a matrix", "write it as GraphML, GML, JSON or CSV")?;
    let asymmetry = options.asymmetry;
    match Format::of(path, bytes) {
        Format::MatrixMarket => {
            let mut graph = Graph::from(matrix_market::parse(path, bytes, asymmetry)?);
            graph.notes.unweighted = matrix_market::is_pattern(path, bytes);
            Ok(graph)
        }
        Format::Npy => dense::parse(path, bytes, options).map(Into::into),
        Format::Npz => npz::parse(path, bytes, asymmetry).map(Into::into),
        Format::Gml => gml::parse(path, bytes, options),
        Format::Xml => xml::parse(path, bytes, options),
        Format::Pajek => pajek::parse(path, bytes, options),
        Format::Json => json::parse(path, bytes, options),
        Format::Adjacency => adjacency::parse(path, bytes, options),
        Format::Graph6 => graph6::parse(path, bytes, options),
        Format::Text if adjacency::is_multiline(path, bytes) => {
            adjacency::parse(path, bytes, options)
        }
        Format::Text => {
            if let Some(graph) = rudy::parse(path, bytes, options)? {
                return Ok(graph);
            }
            match matrix_text::parse(path, bytes, options)? {
                Some(graph) => Ok(graph),
                None => edge_list::parse(path, bytes, options),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use flate2::{Compression, write::GzEncoder};
    use gramfold_linalg::{Csr, Dense};

    use super::*;
    use crate::{write_matrix_market, write_npy};

    #[test]
    fn names_and_first_bytes_say_the_format() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let sparse = Symmetric::from(Csr::from_triangle(2, &[(0, 1, 2.0)]).unwrap());
        write_matrix_market(&at("a.mtx"), &sparse).unwrap();
        write_npy(&at("a.npy"), &sparse.to_dense()).unwrap();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"0\t1\t2\n").unwrap();
        fs::write(at("a.TSV.gz"), encoder.finish().unwrap()).unwrap();
        for name in ["a.txt", "a.csv", "a.edges", "a.edgelist", "a.g6x", "noname"] {
            fs::write(at(name), "0 1 2\n").unwrap();
        }
        fs::write(at("b.txt"), "*Vertices 2\n1 0\n2 1\n*Edges\n1 2 2\n").unwrap();
        fs::write(
            at("c.txt"),
            "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 weight 2 ] ]",
        )
        .unwrap();
        fs::copy(at("a.mtx"), at("d.txt")).unwrap();
        let dense = Symmetric::from(Dense::symmetrised(sparse.to_dense()));
        for name in [
            "a.mtx",
            "a.npy",
            "a.TSV.gz",
            "a.txt",
            "a.csv",
            "a.edges",
            "a.edgelist",
            "a.g6x",
            "noname",
            "b.txt",
            "c.txt",
            "d.txt",
        ] {
            let expected = if name == "a.npy" { &dense } else { &sparse };
            let graph = read_graph(&at(name), GraphOptions::default()).unwrap();
            assert_eq!(graph, expected.clone().into(), "{name}");
        }
    }

    #[test]
    fn what_is_not_there_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let message =
            |path: &Path| read_graph(path, GraphOptions::default()).unwrap_err().to_string();
        let missing = directory.path().join("missing");
        assert!(message(&missing).contains("missing: cannot read the file: "));
        assert!(message(directory.path()).contains(": cannot read the file: "));
        let empty = directory.path().join("empty.gml");
        fs::write(&empty, "").unwrap();
        assert!(message(&empty).ends_with("expected a list `graph [ … ]`, found none"));
    }
}
