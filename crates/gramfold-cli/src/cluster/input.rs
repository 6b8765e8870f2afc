//! The graph to cluster, and the classes to compare with.

use std::path::Path;

use anyhow::bail;
use gramfold::linalg::Symmetric;
use gramfold_io::{Asymmetry, Graph, read_graph, read_labels, read_points};

use crate::cli::ClusterArgs;

/// Reads the graph, or builds it from points.
pub(super) fn read(args: &ClusterArgs, path: &Path) -> anyhow::Result<Graph> {
    if args.points {
        let points = read_points(path)?;
        let graph = gramfold_cluster::self_tuning(&points, args.neighbours)?;
        return Ok(Graph { matrix: Symmetric::from(graph), names: None });
    }
    let asymmetry = if args.symmetrise { Asymmetry::Average } else { Asymmetry::Refuse };
    let graph = read_graph(path, asymmetry)?;
    let n = graph.matrix.dim();
    if *args.k.end() > n {
        bail!("-k {} is not allowed: the graph has only {n} nodes", args.k.end());
    }
    Ok(graph)
}

/// The known class of each node, in node order; −1 where there is none.
pub(super) fn truth(args: &ClusterArgs, graph: &Graph) -> anyhow::Result<Option<Vec<i64>>> {
    let Some(path) = &args.truth else { return Ok(None) };
    let read = read_labels(path)?;
    let class =
        |label: Option<usize>| label.map_or(-1, |label| i64::try_from(label).unwrap_or(i64::MAX));
    let n = graph.matrix.dim();
    if let (Some(names), Some(nodes)) = (&read.names, &graph.names) {
        let by_name: std::collections::HashMap<_, _> = names.iter().zip(&read.labels).collect();
        let classes = nodes.iter().map(|node| by_name.get(node).map_or(-1, |label| class(**label)));
        return Ok(Some(classes.collect()));
    }
    if read.labels.len() != n {
        let found = read.labels.len();
        bail!("{}: expected a label for each of the {n} nodes, found {found}", path.display());
    }
    Ok(Some(read.labels.into_iter().map(class).collect()))
}
