//! Graphs from any format.

use std::{fs, io, path::Path};

use gramfold_linalg::Symmetric;

use crate::{
    Asymmetry, Duplicates, Error, extension::extension, quoted::quoted, read_dense, read_edge_list,
    read_matrix_market, read_npz, rudy::read_rudy,
};

/// A graph: its weights, and what its nodes are called.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The weight of the edge between i and j at (i, j); loops are on the diagonal.
    pub matrix: Symmetric,
    /// The name of each node, if it is not just its number from zero.
    pub names: Option<Vec<String>>,
}

impl From<Symmetric> for Graph {
    fn from(matrix: Symmetric) -> Self {
        Self { matrix, names: None }
    }
}

/// Reads a graph in the format that its file's name ends in.
///
/// Matrix Market is `.mtx`, a dense NumPy array `.npy`, a SciPy sparse matrix `.npz` and a list of
/// edges `.txt`, `.tsv`, `.csv` or `.edges`; each may be gzipped, then `.gz` comes after it. Edges
/// that a list repeats are refused: [`read_edge_list`] can add them. A list in the form of rudy and the Gset, whose
/// first line `n m` counts the nodes and edges and whose others `i j w` number the nodes from one, is known by that.
pub fn read_graph(path: &Path, asymmetry: Asymmetry) -> Result<Graph, Error> {
    let extension = extension(path);
    match extension.as_str() {
        "mtx" => read_matrix_market(path, asymmetry).map(Into::into),
        "npy" => read_dense(path, asymmetry).map(Into::into),
        "npz" => read_npz(path, asymmetry).map(Into::into),
        "txt" | "tsv" | "csv" | "edges" => match read_rudy(path)? {
            Some(graph) => Ok(graph),
            None => read_edge_list(path, asymmetry, Duplicates::default()),
        },
        _ => {
            // A name says nothing of what is not there, or is no file.
            let failed = |cause| Error::Read { path: path.to_owned(), cause };
            if fs::metadata(path).map_err(failed)?.is_dir() {
                return Err(failed(io::ErrorKind::IsADirectory.into()));
            }
            let expected = "a name that ends in .mtx, .npy, .npz, .txt, .tsv, .csv or .edges, \
                            with or without .gz";
            let found = match extension.as_str() {
                "" => "no such ending".to_owned(),
                other => quoted(format!(".{other}").as_bytes()),
            };
            Err(Error::in_file(path, expected, found)
                .with_hint("rename the file to say what it holds"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};
    use gramfold_linalg::{Csr, Dense};

    use super::*;
    use crate::{write_matrix_market, write_npy};

    #[test]
    fn the_name_says_the_format() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let sparse = Symmetric::from(Csr::from_triangle(2, &[(0, 1, 2.0)]).unwrap());
        write_matrix_market(&at("a.mtx"), &sparse).unwrap();
        write_npy(&at("a.npy"), &sparse.to_dense()).unwrap();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"0\t1\t2\n").unwrap();
        fs::write(at("a.TSV.gz"), encoder.finish().unwrap()).unwrap();
        for name in ["a.txt", "a.csv", "a.edges"] {
            fs::write(at(name), "0 1 2\n").unwrap();
        }
        let dense = Symmetric::from(Dense::symmetrised(sparse.to_dense()));
        for name in ["a.mtx", "a.npy", "a.TSV.gz", "a.txt", "a.csv", "a.edges"] {
            let expected = if name == "a.npy" { &dense } else { &sparse };
            let graph = read_graph(&at(name), Asymmetry::Refuse).unwrap();
            assert_eq!(graph, expected.clone().into(), "{name}");
        }
    }

    #[test]
    fn other_names_are_refused_with_the_known_ones() {
        let directory = tempfile::tempdir().unwrap();
        let message = |path: &Path| read_graph(path, Asymmetry::Refuse).unwrap_err().to_string();
        for (name, found) in
            [("g.gml", "`.gml`"), ("g.gz", "no such ending"), ("g", "no such ending")]
        {
            let path = directory.path().join(name);
            fs::write(&path, "").unwrap();
            assert_eq!(
                message(&path),
                format!(
                    "{}: expected a name that ends in .mtx, .npy, .npz, .txt, .tsv, .csv or \
                     .edges, with or without .gz, found {found}; \
                     rename the file to say what it holds",
                    path.display()
                )
            );
        }
        let missing = directory.path().join("missing");
        assert!(message(&missing).contains("missing: cannot read the file: "));
        assert!(message(directory.path()).ends_with(": cannot read the file: is a directory"));
    }
}
