//! From directed edges to a symmetric matrix.

use gramfold_linalg::Csr;

use super::{edges::Edges, nodes::Numbered};
use crate::{Asymmetry, Error, lines::Lines};

/// What to do with an edge that a list gives twice in the same direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// Refuse it, with both lines.
    #[default]
    Refuse,
    /// Add the weights.
    Sum,
}

/// The weights as a matrix, each edge in both directions; `lines` begin with the first edge.
///
/// An edge in both directions counts once if its weights are the same.
pub(super) fn assemble(
    lines: &Lines<'_>,
    numbered: &Numbered,
    asymmetry: Asymmetry,
    duplicates: Duplicates,
) -> Result<Csr, Error> {
    let Numbered { edges, count, .. } = numbered;
    if u32::try_from(edges.ends.len()).is_err() {
        let found = edges.ends.len().to_string();
        return Err(Error::in_file(lines.path(), format!("at most {} edges", u32::MAX), found));
    }
    let (starts, sorted) = by_smaller_end(*count, &edges.ends);
    let mut triangle = Vec::with_capacity(edges.ends.len());
    let mut fault: Option<Fault> = None;
    for i in 0..*count {
        let row = &sorted[starts[i]..starts[i + 1]];
        for same in row.chunk_by(|a, b| a.0 == b.0) {
            match weight(edges, same, asymmetry, duplicates) {
                Ok(weight) => triangle.push((i as u32, same[0].0, weight)),
                // The first of the file, not of the matrix.
                Err(found) if fault.as_ref().is_none_or(|f| found.second < f.second) => {
                    fault = Some(found);
                }
                Err(_) => {}
            }
        }
    }
    match fault {
        Some(fault) => Err(fault.error(lines, edges)),
        None => Csr::from_triangle(*count, &triangle)
            .map_err(|error| Error::not_symmetric(lines.path(), error)),
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

/// The weight of an edge from all its mentions, by their place in the file.
fn weight(
    edges: &Edges<u32>,
    mentions: &[(u32, u32)],
    asymmetry: Asymmetry,
    duplicates: Duplicates,
) -> Result<f64, Fault> {
    if let &[(_, only)] = mentions {
        return Ok(edges.weight(only as usize));
    }
    // The last mention in each direction, with the sum of the weights so far.
    let mut directions: [Option<(usize, f64)>; 2] = [None, None];
    for k in mentions.iter().map(|&(_, k)| k as usize) {
        let (i, j) = edges.ends[k];
        let direction = &mut directions[usize::from(i > j)];
        let before = match (*direction, duplicates) {
            (Some((first, _)), Duplicates::Refuse) => {
                return Err(Fault { kind: Kind::Duplicate, first, second: k });
            }
            (before, _) => before.map_or(0.0, |(_, sum)| sum),
        };
        *direction = Some((k, before + edges.weight(k)));
    }
    let last = mentions[mentions.len() - 1].1;
    let weight = match directions {
        [Some((a, forth)), Some((b, back))] if forth != back => {
            if asymmetry == Asymmetry::Refuse {
                let (first, second) = (a.min(b), a.max(b));
                let weights = if a < b { [forth, back] } else { [back, forth] };
                return Err(Fault { kind: Kind::Differing(weights), first, second });
            }
            0.5 * forth + 0.5 * back
        }
        [Some((_, weight)), _] | [None, Some((_, weight))] => weight,
        [None, None] => 0.0,
    };
    if weight.is_finite() {
        Ok(weight)
    } else {
        Err(Fault { kind: Kind::Infinite, first: mentions[0].1 as usize, second: last as usize })
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
    /// The weights in the two directions, in the order of the file.
    Differing([f64; 2]),
    Infinite,
}

impl Fault {
    fn error(&self, lines: &Lines<'_>, edges: &Edges<u32>) -> Error {
        let line = lines.number_after(self.first);
        let (expected, found, hint) = match self.kind {
            Kind::Duplicate => (
                "each edge once".to_owned(),
                format!("a duplicate edge: line {line} has the same nodes"),
                "add the weights of repeated edges, or remove the repetitions",
            ),
            Kind::Differing([first, second]) => (
                format!("the weight {first:?} that line {line} has in the other direction"),
                format!("{second:?}"),
                "pass `--symmetrise` to use the mean of both",
            ),
            Kind::Infinite => (
                "a finite sum of weights".to_owned(),
                format!("{:?} more than fits", edges.weight(self.second)),
                "scale the weights down",
            ),
        };
        let number = lines.number_after(self.second);
        Error::at_line(lines.path(), number, expected, found).with_hint(hint)
    }
}
