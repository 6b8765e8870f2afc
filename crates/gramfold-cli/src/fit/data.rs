//! The files that a description names, as a loss.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use gramfold::{
    Loss,
    linalg::Symmetric,
    loss::{Composite, map::Map},
    registry::{self, Data, MapData},
};
use gramfold_io::{
    Graph, GraphOptions, Row, TableOptions, most_rows, read_graph, read_points, read_rows,
};
use gramfold_learn::{Measured, Measurements, laplacian};

use super::description::{Described, Kind, Term};
use crate::learn::{Sparse, number, without_header};

/// What the files come to.
pub(crate) struct Loaded {
    pub(crate) loss: Box<dyn Loss>,
    /// What the rows of the factor are called, if the files have names.
    pub(crate) names: Option<Vec<String>>,
}

/// Reads the files of a description; `find` says where the file of a role is.
pub(crate) fn load(
    described: &Described,
    find: &dyn Fn(&str, &str) -> anyhow::Result<PathBuf>,
) -> anyhow::Result<Loaded> {
    let description = &described.description;
    let graph = match &description.linear {
        Some(linear) => Some(matrix(&find("linear", linear.file.get_ref())?)?),
        None => None,
    };
    let mut lists = Vec::new();
    for (number, term) in description.terms.iter().enumerate() {
        let path = find(&role(number), term.file.get_ref())?;
        let (rows, first) = match term.map.get_ref() {
            Kind::Entries | Kind::Distances => (list(&path)?, 0),
            Kind::Sparse => (Sparse::lines(&path)?, 1),
            _ => (Vec::new(), 0),
        };
        let targets = term.targets.as_ref();
        let targets =
            targets.map(|file| find(&targets_role(number), file.get_ref())).transpose()?;
        lists.push(List { path, targets, rows, first });
    }
    let given = graph.as_ref().and_then(|graph| graph.names.clone());
    let said = description.nodes.as_ref().map_or(0, |nodes| *nodes.get_ref());
    let least = graph.as_ref().map_or(0, |graph| graph.matrix.dim()).max(said);
    let nodes = Nodes::of(&lists, given, least)?;
    let mut whole: Option<Composite> = None;
    for (term, list) in description.terms.iter().zip(&lists) {
        let path = &list.path;
        let component = described.loss(term)?;
        if *term.map.get_ref() == Kind::Matrix {
            if description.terms.len() > 1 || description.linear.is_some() || term.scale.is_some() {
                let fault = "a loss of a whole matrix stands alone: measure its `entries` to add it to others";
                return Err(described.at(term.map.span(), fault));
            }
            let Graph { matrix, names, .. } = self::matrix(path)?;
            described.refuse_other_size(matrix.dim())?;
            let loss = registry::loss(&component, Data::Matrix(matrix))?;
            return Ok(Loaded { loss, names });
        }
        let Observed { map, targets, weights } = observe(term, list, &nodes)?;
        let scalar = registry::scalar(&component)?;
        let loss = Composite::new(map, scalar, &targets, weights.as_deref())
            .with_context(|| path.display().to_string())?;
        let loss = match &term.scale {
            Some(scale) => {
                let factor = *scale.get_ref();
                loss.scaled(factor).map_err(|_| {
                    let fault = format!("scale = {factor} is not allowed: it must be positive");
                    described.at(scale.span(), fault)
                })?
            }
            None => loss,
        };
        whole = Some(match whole {
            Some(whole) => whole.plus(loss)?,
            None => loss,
        });
    }
    let mut loss = whole.context("invariant: there is a term")?;
    described.refuse_other_size(loss.dim())?;
    if let (Some(linear), Some(graph)) = (&description.linear, graph) {
        let scale = linear.scale.as_ref().map_or(1.0, |scale| *scale.get_ref());
        if let Some(given) = linear.scale.as_ref().filter(|_| !scale.is_finite()) {
            let fault = format!("scale = {scale} is not allowed: it must be finite");
            return Err(described.at(given.span(), fault));
        }
        let matrix = if linear.laplacian {
            laplacian(&graph.matrix, scale)?.into()
        } else {
            scaled(&graph.matrix, scale)
        };
        loss = loss.with_linear(matrix)?;
    }
    Ok(Loaded { loss: Box::new(loss), names: nodes.names })
}

/// The role of the file of a term.
pub(crate) fn role(number: usize) -> String {
    format!("term-{}", number + 1)
}

/// The role of the file of its targets, if it has one.
pub(crate) fn targets_role(number: usize) -> String {
    format!("{}-targets", role(number))
}

/// A file that was read as lines.
struct List {
    path: PathBuf,
    targets: Option<PathBuf>,
    rows: Vec<Row>,
    /// The first of two columns that name nodes.
    first: usize,
}

impl List {
    /// The two nodes of a line.
    fn nodes<'a>(&self, row: &'a Row) -> &'a [String] {
        &row.fields[self.first..self.first + 2]
    }

    /// The nodes of all lines.
    fn names(&self) -> impl Iterator<Item = &String> {
        self.rows.iter().flat_map(|row| self.nodes(row))
    }
}

fn matrix(path: &Path) -> anyhow::Result<Graph> {
    let options = GraphOptions::default();
    Ok(read_graph(path, options)?)
}

fn scaled(matrix: &Symmetric, scale: f64) -> Symmetric {
    let mut dense = matrix.to_dense();
    dense.scale(scale);
    gramfold::linalg::Dense::symmetrised(dense).into()
}

/// Lines of two nodes and a value; a first one whose value is no number is a header.
fn list(path: &Path) -> anyhow::Result<Vec<Row>> {
    Ok(without_header(read_rows(path, 3, "two nodes and a value")?, 2))
}

/// The nodes that lists speak of: by number from zero where all are numbers, else by name in their order.
struct Nodes {
    count: usize,
    names: Option<Vec<String>>,
    places: HashMap<String, u32>,
}

impl Nodes {
    fn of(lists: &[List], given: Option<Vec<String>>, least: usize) -> anyhow::Result<Self> {
        let numbers = lists.iter().flat_map(List::names).map(|field| field.parse::<u32>().ok());
        let largest = numbers.collect::<Option<Vec<u32>>>().map(|all| all.into_iter().max());
        if given.is_none()
            && let Some(largest) = largest
        {
            let count = least.max(largest.map_or(0, |largest| largest as usize + 1));
            refuse_mostly_empty(count, lists)?;
            return Ok(Self { count, names: None, places: HashMap::new() });
        }
        let fixed = given.is_some();
        let mut names = given.unwrap_or_default();
        let mut places: HashMap<String, u32> = names.iter().cloned().zip(0..).collect();
        for list in lists {
            for row in &list.rows {
                for name in list.nodes(row) {
                    if fixed && !places.contains_key(name) {
                        bail!("{}: there is no node `{name}`", row.at(&list.path));
                    }
                    places.entry(name.clone()).or_insert_with(|| {
                        names.push(name.clone());
                        (names.len() - 1) as u32
                    });
                }
            }
        }
        let count = least.max(names.len());
        refuse_mostly_empty(count, lists)?;
        let names = (count == names.len()).then_some(names);
        Ok(Self { count, names, places })
    }

    fn find(&self, name: &str) -> Option<u32> {
        self.places.get(name).copied().or_else(|| name.parse().ok())
    }
}

/// Every node takes memory, whether anything is known of it or not.
fn refuse_mostly_empty(count: usize, lists: &[List]) -> anyhow::Result<()> {
    let lines: usize = lists.iter().map(|list| list.rows.len()).sum();
    let most = most_rows(lines as u64);
    if count as u64 > most {
        bail!(
            "{count} nodes are too many for {lines} lines of data, which may speak of {most}: number the nodes from zero without \
             gaps, or name them"
        );
    }
    Ok(())
}

struct Observed {
    map: Box<dyn Map>,
    targets: Vec<f64>,
    weights: Option<Vec<f64>>,
}

/// The measurements of a term.
fn observe(term: &Term, list: &List, nodes: &Nodes) -> anyhow::Result<Observed> {
    let (kind, List { path, rows, .. }) = (*term.map.get_ref(), list);
    if let (Kind::Sparse, Some(targets)) = (kind, &list.targets) {
        let sparse = Sparse::of((path, rows), targets, &|name| nodes.find(name))?;
        let measured = sparse.measured(nodes.count).with_context(|| path.display().to_string())?;
        let Measurements { map, targets, .. } = measured;
        return Ok(Observed { map, targets, weights: sparse.weights });
    }
    if matches!(kind, Kind::RankOne | Kind::Matrices) {
        let table = read_points(path, &TableOptions::default())?.matrix;
        let of = if kind == Kind::RankOne { Measured::Vectors } else { Measured::Matrices };
        let Measurements { map, targets, .. } =
            Measurements::of(&table, of).with_context(|| path.display().to_string())?;
        return Ok(Observed { map, targets, weights: None });
    }
    let (mut places, mut targets, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let node = |place: usize| {
            nodes.find(&row.fields[place]).context("invariant: every node was counted")
        };
        places.push((node(0)?, node(1)?));
        let value = number(path, row, 2)?;
        if kind == Kind::Distances && value < 0.0 {
            bail!("{}: the distance {value} is negative", row.at(path));
        }
        targets.push(if kind == Kind::Distances { value * value } else { value });
        if row.fields.len() > 3 {
            weights.push(number(path, row, 3)?);
        }
    }
    if !weights.is_empty() && weights.len() != targets.len() {
        bail!("{}: some lines have a weight and some have none", path.display());
    }
    let data = match kind {
        Kind::Entries => MapData::Entries(places),
        _ => MapData::Distances(places),
    };
    let map = data.map(nodes.count)?;
    Ok(Observed { map, targets, weights: (!weights.is_empty()).then_some(weights) })
}
