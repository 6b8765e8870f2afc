//! Distances and anchors, as files have them.

use std::path::Path;

use anyhow::bail;
use gramfold::linalg::{Mat, Symmetric};
use gramfold_learn::{Observations, locate::Anchors};

use crate::learn::{Nodes, field};

/// The distances off the diagonal, which must be positive.
pub(super) fn distances(matrix: &Symmetric, nodes: &Nodes) -> anyhow::Result<Observations> {
    let stored = Observations::stored(matrix);
    let mut distances = Observations { dim: stored.dim, places: Vec::new(), values: Vec::new() };
    for (&(i, j), &distance) in stored.places.iter().zip(&stored.values) {
        let (a, b) = (nodes.name(i as usize), nodes.name(j as usize));
        if i == j && distance == 0.0 {
            continue;
        }
        if i == j {
            bail!("the distance of {a} from itself is {distance}, not 0: leave it out");
        }
        if distance <= 0.0 {
            bail!("the distance between {a} and {b} is {distance}: expected a positive number");
        }
        if !(distance * distance).is_normal() {
            bail!(
                "the distance between {a} and {b} is {distance:e}, which cannot be squared: use another unit"
            );
        }
        distances.places.push((i, j));
        distances.values.push(distance);
    }
    if distances.is_empty() {
        bail!("there are no distances");
    }
    Ok(distances)
}

/// Reads anchors: a node and D coordinates a line.
pub(super) fn anchors(path: &Path, nodes: &Nodes, dim: usize) -> anyhow::Result<Anchors> {
    let rows = nodes.read(path, 1, &format!("a node and {dim} coordinates"))?;
    coordinates(path, rows, dim)
}

/// The coordinates behind the nodes.
pub(super) fn coordinates(
    path: &Path,
    rows: Vec<(Vec<usize>, gramfold_io::Row)>,
    dim: usize,
) -> anyhow::Result<Anchors> {
    let mut positions = Vec::with_capacity(rows.len() * dim);
    let mut places = Vec::with_capacity(rows.len());
    for (node, row) in rows {
        let numbers = row.fields.iter().skip(1).map(|text| text.parse::<f64>());
        let numbers: Vec<f64> = numbers.filter_map(Result::ok).filter(|v| v.is_finite()).collect();
        if numbers.len() != dim || row.fields.len() != dim + 1 {
            let found = row.fields.join(" ");
            bail!("{}: expected a node and {dim} coordinates, found `{found}`", row.at(path));
        }
        if places.contains(&(node[0] as u32)) {
            bail!("{}: {} is given twice", row.at(path), row.fields[0]);
        }
        positions.extend(numbers);
        places.push(node[0] as u32);
    }
    let positions = Mat::from_row_major(places.len(), dim, positions);
    Ok(Anchors::new(places, positions)?)
}

/// Anchors as a table.
pub(super) fn anchors_csv(anchors: &Anchors, nodes: &Nodes) -> String {
    let dim = anchors.positions().cols();
    let axes: Vec<String> = (1..=dim).map(|axis| format!("x{axis}")).collect();
    let mut text = format!("node,{}\n", axes.join(","));
    for (k, &row) in anchors.rows().iter().enumerate() {
        let numbers: Vec<String> =
            anchors.positions().row(k).iter().map(|v| format!("{v:?}")).collect();
        text += &format!("{},{}\n", field(&nodes.name(row as usize)), numbers.join(","));
    }
    text
}
