//! The data of a program, normalised and sorted by position.

use gramfold_linalg::{Csr, norm};

use super::{
    super::parts::{Part, parts},
    Operator, Pattern, RankOne,
};
use crate::{Cone, Error, Scale, Sdp, scale::norms};

/// How far inside its limits a multiplier is put.
const ROOM: f64 = 1e-13;

impl Operator {
    /// Normalises the data of a program.
    pub(in super::super) fn new(sdp: &Sdp) -> Result<Self, Error> {
        let m = sdp.constraints();
        let count = sdp.cones().len();
        let mut of_blocks: Vec<Vec<Part>> = Vec::with_capacity(count);
        for block in 0..count {
            of_blocks.push(parts(sdp, block));
        }
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

        let mut blocks = Vec::with_capacity(count);
        let mut rank_ones = Vec::new();
        let mut weights = Vec::new();
        let mut by_matrix: Vec<Vec<(u32, f64)>> = vec![Vec::new(); m + 1];
        for (index, cone) in sdp.cones().iter().enumerate() {
            let first = weights.len();
            let mut places: Vec<(u32, u32)> = of_blocks[index]
                .iter()
                .flat_map(|part| part.entries.iter().map(|e| (e.row, e.col)))
                .collect();
            places.sort_unstable();
            places.dedup();
            let triangle: Vec<(u32, u32, f64)> = places.iter().map(|&(i, j)| (i, j, 1.0)).collect();
            let matrix = Csr::from_triangle(cone.size(), &triangle).map_err(|_| {
                Error::OutOfRange { matrix: 0, block: index, row: cone.size(), col: 0 }
            })?;
            let slot = |place| places.partition_point(|other| *other < place) as u32;
            let entries = (0..matrix.dim()).flat_map(|i| matrix.row(i).map(move |(j, _)| (i, j)));
            let slots = entries.map(|(i, j)| slot((i.min(j) as u32, i.max(j) as u32))).collect();
            let mut own = Vec::new();
            for part in &of_blocks[index] {
                let scale = 1.0 / norms[part.matrix];
                for e in &part.entries {
                    let slot = places.partition_point(|place| *place < (e.row, e.col));
                    by_matrix[part.matrix].push(((first + slot) as u32, e.value * scale));
                }
                for (weight, vector) in &part.rank_ones {
                    own.push(rank_ones.len());
                    rank_ones.push(RankOne {
                        matrix: part.matrix,
                        weight: weight * scale,
                        vector: vector.clone(),
                    });
                }
            }
            weights.extend(places.iter().map(|(i, j)| if i == j { 1.0 } else { 2.0 }));
            let (rows, cols) = places.into_iter().unzip();
            blocks.push(Pattern {
                nonnegative: matches!(cone, Cone::Nonnegative(_)),
                size: cone.size(),
                first,
                rows,
                cols,
                matrix,
                slots,
                rank_ones: own,
            });
        }
        let mut starts = vec![0];
        let mut entries = Vec::new();
        for of in by_matrix {
            entries.extend(of);
            starts.push(entries.len());
        }
        let limits = limits(&blocks, &starts, &entries, weights.len());
        let cost = norms[0];
        let norms = norms[1..].to_vec();
        let scale = Scale::of(sdp);
        Ok(Self {
            blocks,
            rank_ones,
            starts,
            entries,
            weights,
            rhs,
            limits,
            norms,
            primal,
            cost,
            scale,
        })
    }
}

/// The limits on single multipliers that nonnegative variables imply: c_j − a·y_k ≥ 0.
fn limits(
    blocks: &[Pattern],
    starts: &[usize],
    entries: &[(u32, f64)],
    slots: usize,
) -> Vec<(usize, f64, f64)> {
    let mut cost = vec![0.0; slots];
    entries[..starts[1]].iter().for_each(|&(slot, value)| cost[slot as usize] = value);
    let mut only: Vec<Option<(usize, f64)>> = vec![None; slots];
    let mut count = vec![0_usize; slots];
    for k in 1..starts.len() - 1 {
        for &(slot, value) in &entries[starts[k]..starts[k + 1]] {
            count[slot as usize] += 1;
            only[slot as usize] = Some((k - 1, value));
        }
    }
    let mut limits = Vec::new();
    for block in blocks.iter().filter(|block| block.nonnegative) {
        for slot in block.first..block.first + block.rows.len() {
            if let (1, Some((k, value))) = (count[slot], only[slot]) {
                let limit = cost[slot] / value;
                // A little inside, so that a proof with rounding finds the slack positive.
                let inside = ROOM * (1.0 + limit.abs());
                limits.push((k, limit - value.signum() * inside, value.signum()));
            }
        }
    }
    limits
}
