//! Points, and what is known of them.

use std::{collections::HashMap, path::Path};

use anyhow::bail;
use gramfold::linalg::Mat;
use gramfold_io::{Labels, read_labels, read_points};
use gramfold_learn::{Comparison, MetricModel, Supervision, comparisons};

use crate::{
    cli::{MetricArgs, say},
    learn::{Link, Nodes, read_links, warn_of_contradictions},
};

/// What the command works on.
pub(crate) struct Input {
    pub(crate) points: Mat,
    /// What the points are called.
    pub(crate) nodes: Nodes,
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) known: Known,
}

/// What is known of the points.
pub(crate) enum Known {
    Classes(Classes),
    Pairs { must: Vec<(u32, u32)>, cannot: Vec<(u32, u32)> },
    Triplets(Vec<Comparison>),
}

/// The class of each point.
pub(crate) struct Classes {
    pub(crate) labels: Vec<usize>,
    pub(crate) names: Option<Vec<String>>,
}

impl Classes {
    pub(crate) fn count(&self) -> usize {
        self.labels.iter().max().map_or(0, |most| most + 1)
    }
}

impl Known {
    /// What the metric is fitted to.
    pub(crate) fn supervision(&self, points: &Mat, model: &MetricModel) -> Supervision {
        match self {
            Self::Classes(classes) => Supervision::Comparisons(comparisons(
                points,
                &classes.labels,
                model.targets,
                model.impostors,
            )),
            Self::Pairs { must, cannot } => {
                Supervision::Pairs { must: must.clone(), cannot: cannot.clone() }
            }
            Self::Triplets(triplets) => Supervision::Comparisons(triplets.clone()),
        }
    }

    /// The name of the loss.
    pub(crate) fn loss(&self) -> &'static str {
        match self {
            Self::Pairs { .. } => "pairs",
            _ => "logistic",
        }
    }
}

/// Reads the points, and what is known of them.
pub(super) fn read(args: &MetricArgs, path: &Path) -> anyhow::Result<Input> {
    let points = read_points(path, &args.table.options())?;
    say(path, &points.notes);
    let n = points.matrix.rows();
    let nodes = Nodes::new(n, points.names);
    let known = if let Some(path) = &args.pairs {
        pairs(&nodes, path)?
    } else if let Some(path) = &args.triplets {
        Known::Triplets(triplets(&nodes, path)?)
    } else if let Some(path) = &args.labels {
        let read = read_labels(path, Some(n))?;
        Known::Classes(classes(joined(read, nodes.names(), n, path)?, path)?)
    } else if let Some(labels) = points.labels {
        Known::Classes(classes(labels, path)?)
    } else {
        bail!(
            "nothing is known of the points: give --labels, --label-column, --pairs or --triplets"
        );
    };
    if let Known::Classes(classes) = &known {
        if classes.count() < 2 {
            bail!("there is only one class: a metric needs at least two");
        }
        if classes.count() == n {
            bail!("every point has a class of its own: a metric needs points of the same class");
        }
    }
    if (1..n).all(|i| points.matrix.row(i) == points.matrix.row(0)) {
        bail!("{}: all points are equal: no metric tells them apart", path.display());
    }
    Ok(Input { points: points.matrix, nodes, columns: points.columns, known })
}

/// Pairs of points that belong together or apart.
fn pairs(nodes: &Nodes, path: &Path) -> anyhow::Result<Known> {
    let links = read_links(nodes, path, "points")?;
    let (mut must, mut cannot) = (Vec::new(), Vec::new());
    for Link { pair, together, line } in &links {
        if pair.0 == pair.1 {
            let name = nodes.name(pair.0 as usize);
            bail!("{}:{line}: {name} is paired with itself: leave it out", path.display());
        }
        if *together { &mut must } else { &mut cannot }.push(*pair);
    }
    warn_of_contradictions(&links, nodes, path);
    Ok(Known::Pairs { must, cannot })
}

/// Triplets of three different points.
fn triplets(nodes: &Nodes, path: &Path) -> anyhow::Result<Vec<Comparison>> {
    let expected = "three points i j l: i is nearer to j than to l";
    let mut triplets = Vec::new();
    for (points, row) in nodes.read(path, 3, expected)? {
        let (place, columns) = (row.at(path), row.fields.len());
        if columns > 3 {
            bail!("{place}: expected {expected}, found {columns} columns");
        }
        let [of, near, far] = [points[0] as u32, points[1] as u32, points[2] as u32];
        if of == near || of == far || near == far {
            bail!("{place}: a point stands twice in the triplet: expected three different ones");
        }
        triplets.push(Comparison { of, near, far });
    }
    Ok(triplets)
}

/// Labels in the order of the points: by name where both have names.
fn joined(read: Labels, names: Option<&[String]>, n: usize, path: &Path) -> anyhow::Result<Labels> {
    if let (Some(known), Some(names)) = (&read.names, names) {
        let by_name: HashMap<&str, Option<usize>> =
            known.iter().map(String::as_str).zip(read.labels.iter().copied()).collect();
        let find = |name: &String| by_name.get(name.as_str()).copied().flatten();
        let labels = names.iter().map(find).collect();
        return Ok(Labels { labels, classes: read.classes, names: None });
    }
    if read.labels.len() != n {
        let found = read.labels.len();
        bail!("{}: expected a class for each of the {n} points, found {found}", path.display());
    }
    Ok(read)
}

/// Classes numbered from zero without gaps.
fn classes(read: Labels, path: &Path) -> anyhow::Result<Classes> {
    let missing = read.labels.iter().position(Option::is_none);
    if let Some(i) = missing {
        bail!("{}: point {} has no class", path.display(), i + 1);
    }
    let labels: Vec<usize> = read.labels.into_iter().flatten().collect();
    let mut used: Vec<usize> = labels.clone();
    used.sort_unstable();
    used.dedup();
    let place = |label: &usize| used.partition_point(|other| other < label);
    let names = match read.classes {
        Some(names) => used.iter().map(|label| names[*label].clone()).collect(),
        None => used.iter().map(usize::to_string).collect(),
    };
    let labels = labels.iter().map(place).collect();
    Ok(Classes { labels, names: Some(names) })
}

/// What was compared as a table: its columns, and its numbers. Triplets i, j, l; pairs i, j, ±1.
pub(super) fn table(known: &Supervision) -> (usize, Vec<f64>) {
    let numbers = match known {
        Supervision::Comparisons(all) => {
            all.iter().flat_map(|c| [c.of, c.near, c.far].map(f64::from)).collect()
        }
        Supervision::Pairs { must, cannot } => {
            let row = |sign: f64| move |(i, j): &(u32, u32)| [f64::from(*i), f64::from(*j), sign];
            must.iter().flat_map(row(1.0)).chain(cannot.iter().flat_map(row(-1.0))).collect()
        }
    };
    (3, numbers)
}

/// What a table says was compared; none where it is not one of so many points.
pub(crate) fn from_table(table: &Mat, pairs: bool, points: usize) -> Option<Known> {
    let point = |value: f64| {
        let whole = value >= 0.0 && value.fract() == 0.0 && value < points as f64;
        whole.then_some(value as u32)
    };
    if table.cols() != 3 {
        return None;
    }
    let mut all = Vec::new();
    let (mut must, mut cannot) = (Vec::new(), Vec::new());
    for k in 0..table.rows() {
        let row = table.row(k);
        let (i, j) = (point(row[0])?, point(row[1])?);
        if !pairs {
            all.push(Comparison { of: i, near: j, far: point(row[2])? });
        } else if row[2] == 1.0 {
            must.push((i, j));
        } else if row[2] == -1.0 {
            cannot.push((i, j));
        } else {
            return None;
        }
    }
    Some(if pairs { Known::Pairs { must, cannot } } else { Known::Triplets(all) })
}
