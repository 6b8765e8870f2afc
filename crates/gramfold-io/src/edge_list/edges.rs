//! The edges as the lines give them.

use super::layout::Layout;
use crate::{
    Error,
    fields::{number, shown},
    lines::Lines,
};

/// The shortest line: two digits, the space between and the end of the line.
const LEAST: usize = 4;

/// The edges of a file whose nodes are known as `N`, in its order.
#[derive(Debug)]
pub(super) struct Edges<N> {
    /// Source and target of each.
    pub(super) ends: Vec<(N, N)>,
    /// The weight of each; empty if all are one.
    pub(super) weights: Vec<f64>,
}

impl<N> Edges<N> {
    /// The weight of edge `k`.
    pub(super) fn weight(&self, k: usize) -> f64 {
        self.weights.get(k).copied().unwrap_or(1.0)
    }

    /// Reads all lines from here, or none if `node` does not know a node by its name.
    pub(super) fn read<'a>(
        mut lines: Lines<'a>,
        layout: Layout,
        mut node: impl FnMut(&'a [u8], &Lines<'a>) -> Result<Option<N>, Error>,
    ) -> Result<Option<Self>, Error> {
        // Most lines are longer: half the room is enough for them.
        let mut ends = Vec::with_capacity(lines.rest().len() / LEAST / 2);
        let mut weights = Vec::new();
        while let Some(line) = lines.next() {
            let mut fields = layout.separator.fields(line);
            let (Some(source), Some(target)) = (fields.next(), fields.next()) else {
                return Err(miscounted(&lines, layout, line));
            };
            let weight = fields.next();
            if weight.is_some() != (layout.columns == 3) || fields.next().is_some() {
                return Err(miscounted(&lines, layout, line));
            }
            let (Some(source), Some(target)) = (node(source, &lines)?, node(target, &lines)?)
            else {
                return Ok(None);
            };
            ends.push((source, target));
            if let Some(field) = weight {
                match number(field) {
                    Some(weight) if weight.is_finite() => weights.push(weight),
                    _ => return Err(lines.error("a finite weight", shown(Some(field)))),
                }
            }
        }
        Ok(Some(Self { ends, weights }))
    }
}

#[cold]
fn miscounted(lines: &Lines<'_>, layout: Layout, line: &[u8]) -> Error {
    let Layout { separator, columns, line: first, .. } = layout;
    let found = separator.fields(line).count().to_string();
    lines.error(format!("{columns} columns as on line {first}"), found)
}
