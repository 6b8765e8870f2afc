//! From the nodes' names in the file to their numbers from zero.

use std::collections::HashMap;

use super::{edges::Edges, layout::Layout};
use crate::{Error, fields::integer, limits::refuse_too_many, name::name, records::Records};

/// The table that numbers integers has a place for every integer up to the largest: at most this
/// many for each edge, or the integers are sorted instead.
const PLACES_PER_EDGE: u64 = 8;

/// Edges between numbered nodes.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) edges: Edges<u32>,
    /// How many nodes there are.
    pub(super) count: usize,
    /// Their names; none if these are 0, 1, …, count − 1.
    pub(super) names: Option<Vec<String>>,
}

/// Reads nodes that are integers, numbered by size; none if any is not.
pub(super) fn integers(records: &Records<'_>, layout: Layout) -> Result<Option<Numbered>, Error> {
    let read = Edges::read(records.clone(), layout, |field, _| Ok(integer(field)))?;
    let Some(Edges { ends, weights }) = read else {
        return Ok(None);
    };
    let largest = ends.iter().map(|&(i, j)| i.max(j)).max().unwrap_or(0);
    let (ids, ends) = if largest / PLACES_PER_EDGE <= ends.len() as u64 {
        by_table(&ends, largest)
    } else {
        by_order(&ends)
    };
    let count = ids.len();
    refuse_too_many(records.path(), count)?;
    let consecutive = ids.last().is_none_or(|&last| last == count as u64 - 1);
    let names = (!consecutive).then(|| ids.iter().map(ToString::to_string).collect());
    Ok(Some(Numbered { edges: Edges { ends, weights }, count, names }))
}

/// The distinct integers in order, and the ends as places among them.
type Places = (Vec<u64>, Vec<(u32, u32)>);

fn by_table(ends: &[(u64, u64)], largest: u64) -> Places {
    let mut table = vec![0_u32; largest as usize + 1];
    for &(i, j) in ends {
        table[i as usize] = 1;
        table[j as usize] = 1;
    }
    let mut ids = Vec::new();
    for (id, place) in (0..).zip(&mut table) {
        if *place == 1 {
            *place = ids.len() as u32;
            ids.push(id);
        }
    }
    let ends = ends.iter().map(|&(i, j)| (table[i as usize], table[j as usize])).collect();
    (ids, ends)
}

fn by_order(ends: &[(u64, u64)]) -> Places {
    let mut ids: Vec<_> = ends.iter().flat_map(|&(i, j)| [i, j]).collect();
    ids.sort_unstable();
    ids.dedup();
    let place = |id| ids.partition_point(|&other| other < id) as u32;
    let ends = ends.iter().map(|&(i, j)| (place(i), place(j))).collect();
    (ids, ends)
}

/// Reads nodes with any names, numbered as they first appear.
pub(super) fn names(records: &Records<'_>, layout: Layout) -> Result<Numbered, Error> {
    let mut numbers = HashMap::new();
    let mut names = Vec::new();
    let edges = Edges::read(records.clone(), layout, |field, records| {
        if let Some(&number) = numbers.get(field) {
            return Ok(Some(number));
        }
        let number = names.len() as u32;
        names.push(name(field, records)?);
        numbers.insert(field, number);
        Ok(Some(number))
    })?;
    refuse_too_many(records.path(), names.len())?;
    let edges = edges.unwrap_or(Edges { ends: Vec::new(), weights: Vec::new() });
    Ok(Numbered { edges, count: names.len(), names: Some(names) })
}
