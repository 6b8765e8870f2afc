//! The data of a program, normalised and stacked.

use std::sync::Arc;

use gramfold::loss::map::Matrices;
use gramfold_linalg::norm;

use super::{
    super::parts::{Part, parts},
    BlockRows, Limit, Program,
};
use crate::{Cone, Error, Scale, Sdp, scale::norms};

/// How far inside its limits a multiplier is put.
const ROOM: f64 = 1e-13;

impl Program {
    /// Normalises the data of a program.
    pub(in super::super) fn new(sdp: &Sdp) -> Result<Self, Error> {
        let m = sdp.constraints();
        let count = sdp.cones().len();
        let of_blocks: Vec<Vec<Part>> = (0..count).map(|block| parts(sdp, block)).collect();
        // Norms over all blocks: an entry and a rank-one part of one matrix do not overlap by accident only,
        // so their inner product is counted too.
        let mut squares = vec![0.0; m + 1];
        for part in of_blocks.iter().flatten() {
            squares[part.matrix] += part.norm_squared();
        }
        // Squares of very large and very small numbers cannot be had: other norms serve as well.
        let length = |(square, norm): (&f64, f64)| match *square {
            1e-280..1e280 => square.sqrt(),
            _ if norm > 0.0 => norm,
            _ => 1.0,
        };
        let norms: Vec<f64> = squares.iter().zip(norms(sdp)).map(length).collect();
        let mut rhs: Vec<f64> = sdp.rhs().iter().zip(&norms[1..]).map(|(b, n)| b / n).collect();
        // Of the shares of the largest, whose squares neither overflow nor vanish.
        let largest = rhs.iter().fold(0.0_f64, |most, b| most.max(b.abs()));
        let shares: Vec<f64> = rhs.iter().map(|b| b / largest).collect();
        let size = largest * norm(&shares);
        let primal = if size > 0.0 && size.is_finite() { size } else { 1.0 };
        for b in &mut rhs {
            *b /= primal;
        }

        let mut blocks: Vec<BlockRows> = Vec::with_capacity(count);
        let mut entries: Vec<Vec<(u32, u32, f64)>> = vec![Vec::new(); m + 1];
        let mut limits = Vec::new();
        let mut first = 0;
        for (cone, parts) in sdp.cones().iter().zip(&of_blocks) {
            for part in parts {
                let norm = norms[part.matrix];
                // The map takes the symmetric part of what it is given: one entry stands for both of a pair.
                entries[part.matrix].extend(part.entries.iter().map(|e| {
                    let value = if e.row == e.col { e.value } else { 2.0 * e.value };
                    (e.row + first as u32, e.col + first as u32, value / norm)
                }));
            }
            let nonnegative = matches!(cone, Cone::Nonnegative(_));
            if nonnegative {
                limits.extend(limits_of(cone.size(), parts, &norms));
            }
            let touching = parts.iter().filter(|part| part.matrix > 0).count();
            let range = first..first + cone.size();
            first = range.end;
            blocks.push(BlockRows { nonnegative, range, touching });
        }
        let mut map = Matrices::new(first, &entries).map_err(|_| Error::OutOfRange {
            matrix: 0,
            block: count.saturating_sub(1),
            row: first,
            col: 0,
        })?;
        for (rows, parts) in blocks.iter().zip(of_blocks) {
            for Part { matrix, rank_ones, .. } in parts {
                for (weight, vector) in rank_ones {
                    map.add_rank_one(matrix, weight / norms[matrix], rows.range.start, vector);
                }
            }
        }
        let (cost, norms) = (norms[0], norms[1..].to_vec());
        let (map, scale) = (Arc::new(map), Scale::of(sdp));
        Ok(Self { map, blocks, rhs, limits, norms, primal, cost, scale })
    }
}

/// The limits on single multipliers that the variables of a nonnegative block imply: c_j − a·y_k ≥ 0.
fn limits_of(size: usize, parts: &[Part], norms: &[f64]) -> Vec<Limit> {
    let mut cost = vec![0.0; size];
    let mut only: Vec<Option<(usize, f64)>> = vec![None; size];
    let mut count = vec![0_usize; size];
    for part in parts {
        for entry in &part.entries {
            let (at, value) = (entry.row as usize, entry.value / norms[part.matrix]);
            if part.matrix == 0 {
                cost[at] = value;
            } else {
                count[at] += 1;
                only[at] = Some((part.matrix - 1, value));
            }
        }
    }
    let single = only.into_iter().zip(count).map(|(only, count)| only.filter(|_| count == 1));
    let limits = single.zip(cost).filter_map(|(only, cost)| {
        let (constraint, entry) = only?;
        let limit = cost / entry;
        // A little inside, so that a proof with rounding finds the slack positive.
        let value = limit - entry.signum() * ROOM * (1.0 + limit.abs());
        Some(Limit { constraint, value, from_above: entry > 0.0 })
    });
    limits.collect()
}
