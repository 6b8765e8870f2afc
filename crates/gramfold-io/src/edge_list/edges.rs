//! The edges as the lines give them.

use super::layout::Layout;
use crate::{
    Error,
    fields::{number, shown},
    records::{Record, Records},
};

/// The shortest line: two digits, the space between and the end of the line.
const LEAST: usize = 4;

/// The edges of a file whose nodes are known as `N`, in its order.
#[derive(Debug)]
pub(crate) struct Edges<N> {
    /// Source and target of each.
    pub(crate) ends: Vec<(N, N)>,
    /// The weight of each; empty if all are one.
    pub(crate) weights: Vec<f64>,
}

impl<N> Edges<N> {
    /// The weight of edge `k`.
    pub(crate) fn weight(&self, k: usize) -> f64 {
        self.weights.get(k).copied().unwrap_or(1.0)
    }

    /// Reads all records from here, or none if `node` does not know a node by its name.
    pub(super) fn read<'a>(
        mut records: Records<'a>,
        layout: Layout,
        mut node: impl FnMut(&'a [u8], &Records<'a>) -> Result<Option<N>, Error>,
    ) -> Result<Option<Self>, Error> {
        // Most lines are longer: half the room is enough for them.
        let mut ends = Vec::with_capacity(records.most(LEAST) / 2);
        let mut weights = Vec::new();
        let plain = layout.is_plain();
        while let Some(mut record) = records.next() {
            let all = record.clone();
            let (source, target, weight) = if plain {
                let (Some(source), Some(target)) = (record.next(), record.next()) else {
                    return Err(miscounted(&records, layout, all));
                };
                let weight = record.next();
                if weight.is_some() != layout.weight.is_some() || record.next().is_some() {
                    return Err(miscounted(&records, layout, all));
                }
                (source, target, weight)
            } else {
                if record.count() != layout.columns {
                    return Err(miscounted(&records, layout, all));
                }
                let field = |place| all.clone().nth(place).unwrap_or_default();
                let [source, target] = layout.ends;
                (field(source), field(target), layout.weight.map(field))
            };
            let (Some(source), Some(target)) = (node(source, &records)?, node(target, &records)?)
            else {
                return Ok(None);
            };
            ends.push((source, target));
            if let Some(field) = weight {
                match number(field) {
                    Some(weight) if weight.is_finite() => weights.push(weight),
                    _ => return Err(records.error("a finite weight", shown(Some(field)))),
                }
            }
        }
        Ok(Some(Self { ends, weights }))
    }
}

#[cold]
fn miscounted(records: &Records<'_>, layout: Layout, record: Record<'_>) -> Error {
    let Layout { columns, line: first, .. } = layout;
    records.error(format!("{columns} columns as on line {first}"), record.count().to_string())
}
