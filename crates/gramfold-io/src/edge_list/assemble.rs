//! From mentions of edges to a symmetric matrix.

use std::path::Path;

use gramfold_linalg::Csr;

use super::edges::Edges;
use crate::{Asymmetry, Error, Notes, graph::GraphOptions, notes::counted};

/// What to do with an edge that a file mentions more than once, in either direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Take the weight of the first mention.
    #[default]
    First,
    /// Add the weights.
    Sum,
    /// Refuse it, with both lines.
    Refuse,
}

/// The weights as a matrix, each edge in both directions; `line` says on which line an edge is, if the format has lines.
pub(crate) fn assemble(
    path: &Path,
    edges: &Edges<u32>,
    count: usize,
    options: GraphOptions,
    line: &dyn Fn(usize) -> Option<usize>,
    notes: &mut Notes,
) -> Result<Csr, Error> {
    if u32::try_from(edges.ends.len()).is_err() {
        let found = edges.ends.len().to_string();
        return Err(Error::in_file(path, format!("at most {} edges", u32::MAX), found));
    }
    let (starts, sorted) = by_smaller_end(count, &edges.ends);
    let mut triangle = Vec::with_capacity(edges.ends.len());
    let mut fault: Option<Fault> = None;
    let (mut repeated, mut differing) = (0, 0);
    for i in 0..count {
        let row = &sorted[starts[i]..starts[i + 1]];
        for same in row.chunk_by(|a, b| a.0 == b.0) {
            let first = edges.weight(same[0].1 as usize);
            repeated += same.len() - 1;
            differing += usize::from(same.iter().any(|&(_, k)| edges.weight(k as usize) != first));
            match weight(edges, same, options) {
                Ok(weight) => triangle.push((i as u32, same[0].0, weight)),
                // The first of the file, not of the matrix.
                Err(found) if fault.as_ref().is_none_or(|f| found.second < f.second) => {
                    fault = Some(found);
                }
                Err(_) => {}
            }
        }
    }
    if let Some(fault) = fault {
        return Err(fault.error(path, edges, line));
    }
    say(notes, repeated, differing, options);
    Csr::from_triangle(count, &triangle).map_err(|error| Error::not_symmetric(path, error))
}

/// How often edges came again, and what became of it.
fn say(notes: &mut Notes, repeated: usize, differing: usize, options: GraphOptions) {
    if repeated == 0 {
        return;
    }
    let mentions = counted(repeated, "repeated mention");
    match (options.asymmetry, options.duplicates) {
        (Asymmetry::Average, _) => notes.say(format!("{mentions} of edges, directions averaged")),
        (_, Duplicates::Sum) => notes.say(format!("{mentions} of edges added")),
        _ => notes.say(format!("{mentions} of edges, of which the first counts")),
    }
    if differing > 0 && (options.asymmetry, options.duplicates) == <_>::default() {
        let edges = counted(differing, "edge");
        let verb = if differing == 1 { "comes" } else { "come" };
        notes.warn(format!(
            "{edges} {verb} again with another weight, of which the first counts: pass `--duplicates sum` to add \
             them, or `--symmetrise` to take the mean of both directions"
        ));
    }
}

/// For each node the edges of which it is the smaller end, as the larger end and the edge: sorted,
/// with where those of each node start.
fn by_smaller_end(count: usize, ends: &[(u32, u32)]) -> (Vec<usize>, Vec<(u32, u32)>) {
    let mut starts = vec![0; count + 1];
    for &(i, j) in ends {
        starts[i.min(j) as usize + 1] += 1;
    }
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut sorted = vec![(0, 0); ends.len()];
    for (k, &(i, j)) in (0..).zip(ends) {
        let at = &mut next[i.min(j) as usize];
        sorted[*at] = (i.max(j), k);
        *at += 1;
    }
    for i in 0..count {
        sorted[starts[i]..starts[i + 1]].sort_unstable();
    }
    (starts, sorted)
}

/// The weight of an edge from all its mentions, in the order of the file.
fn weight(
    edges: &Edges<u32>,
    mentions: &[(u32, u32)],
    options: GraphOptions,
) -> Result<f64, Fault> {
    let place = |k: usize| mentions[k].1 as usize;
    if mentions.len() == 1 {
        return Ok(edges.weight(place(0)));
    }
    let combined = |direction: Option<bool>| {
        let backwards = |k: usize| edges.ends[k].0 > edges.ends[k].1;
        let these = mentions
            .iter()
            .map(|&(_, k)| k as usize)
            .filter(|&k| direction.is_none_or(|direction| direction == backwards(k)));
        let mut weight: Option<f64> = None;
        let mut before = 0;
        for k in these {
            weight = Some(match (weight, options.duplicates) {
                (None, _) => edges.weight(k),
                (Some(first), Duplicates::First) => first,
                (Some(sum), Duplicates::Sum) => sum + edges.weight(k),
                (Some(_), Duplicates::Refuse) => {
                    return Err(Fault { kind: Kind::Duplicate, first: before, second: k });
                }
            });
            before = k;
        }
        Ok(weight)
    };
    let weight = match options.asymmetry {
        Asymmetry::Refuse => combined(None)?,
        Asymmetry::Average => match (combined(Some(false))?, combined(Some(true))?) {
            (Some(forth), Some(back)) => Some(0.5 * forth + 0.5 * back),
            (forth, back) => forth.or(back),
        },
    };
    match weight {
        Some(weight) if weight.is_finite() => Ok(weight),
        _ => {
            Err(Fault { kind: Kind::Infinite, first: place(0), second: place(mentions.len() - 1) })
        }
    }
}

/// What is wrong between two mentions of an edge.
#[derive(Debug)]
struct Fault {
    kind: Kind,
    first: usize,
    second: usize,
}

#[derive(Debug)]
enum Kind {
    Duplicate,
    Infinite,
}

impl Fault {
    fn error(
        &self,
        path: &Path,
        edges: &Edges<u32>,
        line: &dyn Fn(usize) -> Option<usize>,
    ) -> Error {
        let (expected, found, hint) = match self.kind {
            Kind::Duplicate => (
                "each edge once",
                match line(self.first) {
                    Some(line) => format!("a duplicate edge: line {line} has the same nodes"),
                    None => format!(
                        "edge {} between the same nodes as edge {}",
                        self.second + 1,
                        self.first + 1
                    ),
                },
                "pass `--duplicates first` or `--duplicates sum`",
            ),
            Kind::Infinite => (
                "a finite sum of weights",
                format!("{:?} more than fits", edges.weight(self.second)),
                "scale the weights down",
            ),
        };
        match line(self.second) {
            Some(number) => Error::at_line(path, number, expected, found),
            None => Error::in_file(path, expected, found),
        }
        .with_hint(hint)
    }
}
