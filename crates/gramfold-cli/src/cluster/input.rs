//! The graph to cluster, and the classes to compare with.

use std::{collections::HashMap, path::Path};

use anyhow::bail;
use gramfold::linalg::Symmetric;
use gramfold_io::{Graph, Labels, Notes, read_labels, read_points, repeated};

use crate::cli::{ClusterArgs, say};

/// What the command works on.
pub(super) struct Input {
    pub(super) graph: Graph,
    pub(super) truth: Option<Truth>,
}

/// Known classes.
pub(super) struct Truth {
    /// The class of each node; −1 where there is none.
    pub(super) classes: Vec<i64>,
    /// What the classes are called, if they are words.
    pub(super) names: Option<Vec<String>>,
}

/// Reads the graph, or builds it from points, and the classes.
pub(super) fn read(args: &ClusterArgs, path: &Path) -> anyhow::Result<Input> {
    let (graph, labels) = if args.points {
        let points = read_points(path, &args.table.options())?;
        say(path, &points.notes);
        if let Some(name) = points.names.as_deref().and_then(repeated) {
            let path = path.display();
            bail!(
                "{path}: two points are called `{name}`: choose a column whose names differ with --id-column, or leave it out"
            );
        }
        let graph = gramfold_cluster::self_tuning(&points.matrix, args.neighbours)?;
        let matrix = Symmetric::from(graph);
        (Graph { matrix, names: points.names, notes: points.notes }, points.labels)
    } else {
        let graph = args.read.read(path)?;
        say(path, &unlike_nodes(graph.names.as_deref().unwrap_or_default()));
        (graph, None)
    };
    let n = graph.matrix.dim();
    if *args.k.end() > n {
        let what =
            if args.points { "table has only {n} points" } else { "graph has only {n} nodes" };
        bail!("-k {} is not allowed: the {}", args.k.end(), what.replace("{n}", &n.to_string()));
    }
    let truth = match (&args.truth, labels) {
        (Some(path), _) => Some(truth(path, &graph)?),
        (None, Some(labels)) => Some(Truth {
            classes: labels.labels.iter().map(|label| class(*label)).collect(),
            names: labels.classes,
        }),
        (None, None) => None,
    };
    Ok(Input { graph, truth })
}

/// A warning where nodes are called by fractions: a table of points in the plane can be read as a list of edges.
fn unlike_nodes(names: &[String]) -> Notes {
    let number = |name: &String| {
        name.replacen(',', ".", 1).parse::<f64>().ok().filter(|value| value.is_finite())
    };
    let whole = |value: f64| value.fract() == 0.0;
    let mut notes = Notes::default();
    if names.iter().all(|name| number(name).is_some())
        && let Some(name) = names.iter().find(|name| !number(name).is_none_or(whole))
    {
        notes.warnings.push(format!(
            "nodes are called by fractions, as {name}: if these lines are points, read them with --points"
        ));
    }
    notes
}

fn class(label: Option<usize>) -> i64 {
    label.map_or(-1, |label| i64::try_from(label).unwrap_or(i64::MAX))
}

/// The classes of a file in the order of the nodes: by name where both have names, else by order.
fn truth(path: &Path, graph: &Graph) -> anyhow::Result<Truth> {
    let n = graph.matrix.dim();
    let read = read_labels(path, Some(n))?;
    let mut notes = Notes::default();
    if let Some(Joined { labels, unknown, others }) = joined(&read, graph) {
        if unknown == n {
            bail!("{} has no class for any node of the graph: check the names", path.display());
        }
        if unknown > 0 {
            let have = if unknown == 1 { "has" } else { "have" };
            notes.warnings.push(format!("{unknown} of the {n} nodes {have} no class here"));
        }
        if others > 0 {
            let are = if others == 1 { "name is" } else { "names are" };
            notes.said.push(format!("{others} {are} not in the graph"));
        }
        say(path, &notes);
        let classes = labels.into_iter().map(class).collect();
        return Ok(Truth { classes, names: read.classes });
    }
    if read.labels.len() != n {
        let found = read.labels.len();
        bail!("{}: expected a label for each of the {n} nodes, found {found}", path.display());
    }
    if graph.names.is_some() || read.names.is_some() {
        let (which, other) = if read.names.is_some() {
            ("the graph", "this file")
        } else {
            ("this file", "the graph")
        };
        notes.warnings.push(format!(
            "{which} has no names, so the classes are taken in the order of the nodes, which {other} may not have"
        ));
    }
    say(path, &notes);
    Ok(Truth { classes: read.labels.into_iter().map(class).collect(), names: read.classes })
}

/// The label of each node by its name.
struct Joined {
    labels: Vec<Option<usize>>,
    /// Nodes that the file does not have.
    unknown: usize,
    /// Names of the file that the graph does not have.
    others: usize,
}

/// Joins by name; none where names do not say which node is which. Nodes without names have numbers, which a file may
/// count from zero or from one.
fn joined(read: &Labels, graph: &Graph) -> Option<Joined> {
    let names = read.names.as_ref()?;
    let by_name: HashMap<&str, Option<usize>> =
        names.iter().map(String::as_str).zip(read.labels.iter().copied()).collect();
    let join = |nodes: &mut dyn Iterator<Item = String>| {
        let mut joined = Joined { labels: Vec::new(), unknown: 0, others: 0 };
        for node in nodes {
            let found = by_name.get(node.as_str());
            joined.unknown += usize::from(found.is_none());
            joined.labels.push(found.copied().flatten());
        }
        joined.others = names.len() + joined.unknown - joined.labels.len();
        joined
    };
    if let Some(nodes) = &graph.names {
        return Some(join(&mut nodes.iter().cloned()));
    }
    let n = graph.matrix.dim();
    (0..=1)
        .map(|first| join(&mut (first..first + n).map(|i| i.to_string())))
        .find(|joined| joined.unknown == 0 && names.len() == n)
}
