//! Finds the structure: constraints that fix or bound the diagonal, and at most one that is rank-one.
//!
//! In normalised form: min ⟨C', XXᵀ⟩ + Σ d_i t_i² with ‖x_i‖² (+ t_i²) = 1, and Xᵀv = 0 where there is a plane.

use gramfold_linalg::{Csr, Mat, norm};

use crate::{Cone, Entry, Point, Primal, Scale, Sdp};

/// How far an entry may be from v_i v_j, relatively, to count as rank-one.
const RANK_ONE: f64 = 1e-14;

/// The share of the others that one |v_i| may be: beyond it the plane leaves next to nothing, or nothing at all.
const ROOM: f64 = 0.7;

/// Where the slack of a row lives: Z_ii ≤ b_i is Z_ii + slack = b_i.
#[derive(Clone, Copy, Debug)]
struct Slack {
    block: usize,
    index: usize,
    /// slack = size·t².
    size: f64,
    /// The cost of t², normalised.
    cost: f64,
}

/// One row of the factor.
#[derive(Clone, Copy, Debug)]
struct Row {
    index: usize,
    constraint: usize,
    rhs: f64,
    /// The length of the row, √(b/a).
    length: f64,
    slack: Option<Slack>,
}

/// ⟨σvvᵀ, Z⟩ = b. With level = b/σ = 0 it says Xᵀv = 0; with level > 0 a further unit row e and
/// Xᵀv = √level·e say the same, so that every plane passes through the origin.
#[derive(Clone, Debug)]
struct Plane {
    constraint: usize,
    sign: f64,
    level: f64,
    /// v; of the rows of the factor once they are known.
    normal: Vec<f64>,
}

impl Plane {
    /// √level, where there is a further row.
    fn lift(&self) -> Option<f64> {
        (self.level > 0.0).then(|| self.level.sqrt())
    }
}

/// A problem whose constraints fix the diagonal (Max-Cut), bound it, and cut it by at most one plane (bisection).
#[derive(Clone, Debug)]
pub struct DiagonalProgram {
    cones: Vec<Cone>,
    constraints: usize,
    block: usize,
    rows: Vec<Row>,
    plane: Option<Plane>,
    cost: Csr,
    slack_costs: Option<Vec<Option<f64>>>,
    pub(super) unit: f64,
}

/// What the engine found, in normalised form.
pub(super) struct Normalised<'a> {
    /// Unit rows; the last column is t where rows have slacks.
    pub(super) x: &'a Mat,
    pub(super) y: &'a [f64],
    /// The multiplier of the plane: S' = C' − Diag(y) − `along`·vvᵀ.
    pub(super) along: f64,
}

impl DiagonalProgram {
    /// The structure of a problem, if it has it: one semidefinite block whose every diagonal entry is in
    /// exactly one constraint a·Z_ii = b or a·Z_ii + e·slack = b with a, e, b > 0, no other constraint but at most one
    /// ⟨±vvᵀ, Z⟩ = b, and a cost without rank-one parts.
    pub fn detect(sdp: &Sdp) -> Option<Self> {
        if sdp.rank_ones().iter().any(|part| part.matrix == 0) {
            return None;
        }
        let block = main_block(sdp)?;
        let size = sdp.cones()[block].size();
        let plane = find_plane(sdp, block)?;
        let planar = plane.as_ref().map_or(usize::MAX, |plane| plane.constraint);
        let mut coupled = vec![false; size];
        for Entry { row, col, .. } in sdp.entries(0, block).iter().filter(|e| e.row != e.col) {
            (coupled[*row as usize], coupled[*col as usize]) = (true, true);
        }
        if let Some(plane) = &plane {
            plane.normal.iter().zip(&mut coupled).for_each(|(v, coupled)| *coupled |= *v != 0.0);
        }
        let mut rows = Vec::new();
        for i in (0..sdp.constraints()).filter(|&i| i != planar) {
            rows.push(find_row(sdp, i, block, &coupled)?);
        }
        rows.sort_by_key(|row| row.index);
        if !covers_once(sdp, block, &rows) {
            return None;
        }
        let structure = Self::assemble(sdp, block, rows, plane);
        structure.has_room().then_some(structure)
    }

    fn assemble(sdp: &Sdp, block: usize, rows: Vec<Row>, mut plane: Option<Plane>) -> Self {
        let mut place = vec![None; sdp.cones()[block].size()];
        for (k, row) in rows.iter().enumerate() {
            place[row.index] = Some(k);
        }
        let mut entries = Vec::with_capacity(sdp.entries(0, block).len());
        for Entry { row, col, value } in sdp.entries(0, block) {
            if let (Some(i), Some(j)) = (place[*row as usize], place[*col as usize]) {
                entries.push((i as u32, j as u32, value * rows[i].length * rows[j].length));
            }
        }
        let lift = plane.as_ref().and_then(Plane::lift);
        let n = rows.len() + usize::from(lift.is_some());
        if let Some(Plane { normal, .. }) = &mut plane {
            let own = rows.iter().map(|row| normal[row.index] * row.length);
            *normal = own.chain(lift.map(|root| -root)).collect();
        }
        let slack_costs = rows.iter().any(|row| row.slack.is_some()).then(|| {
            let mut costs: Vec<_> =
                rows.iter().map(|row| row.slack.map(|slack| slack.cost)).collect();
            costs.resize(n, None);
            costs
        });
        let cost = Csr::from_triangle(n, &entries).expect("invariant: entries inside the block");
        let (cones, constraints) = (sdp.cones().to_vec(), sdp.constraints());
        let unit = Scale::of(sdp).objective;
        Self { cones, constraints, block, rows, plane, cost, slack_costs, unit }
    }

    /// Whether unit rows reach the plane with room to spare: Σ v_i x_i = 0 needs no |v_i| above the sum of the others.
    fn has_room(&self) -> bool {
        let Some(normal) = self.normal() else { return true };
        let total: f64 = normal.iter().map(|v| v.abs()).sum();
        normal.iter().all(|v| v.abs() <= ROOM * (total - v.abs()))
    }

    /// The number of rows of the factor.
    pub fn rows(&self) -> usize {
        self.cost.dim()
    }

    /// C' = DCD, D the lengths of the rows.
    pub(super) fn cost(&self) -> &Csr {
        &self.cost
    }

    /// The cost of t_i² for the rows that have slacks.
    pub(super) fn slack_costs(&self) -> Option<&[Option<f64>]> {
        self.slack_costs.as_deref()
    }

    /// v of Xᵀv = 0.
    pub(super) fn normal(&self) -> Option<&[f64]> {
        self.plane.as_ref().map(|plane| &*plane.normal)
    }

    /// The point of the problem as stated.
    pub(super) fn point(&self, found: &Normalised<'_>) -> Point {
        let Normalised { x, y, along } = found;
        let rank = x.cols() - usize::from(self.slack_costs.is_some());
        let mut dual = vec![0.0; self.constraints];
        let mut primal: Vec<Primal> = self.cones.iter().map(Primal::zero).collect();
        let size = self.cones[self.block].size();
        primal[self.block] = Primal::Factor(Mat::zeros(size, rank.max(1)));
        for (i, row) in self.rows.iter().enumerate() {
            dual[row.constraint] = y[i] / row.rhs;
            if let Primal::Factor(factor) = &mut primal[self.block] {
                let own = factor.row_mut(row.index).iter_mut();
                own.zip(&x.row(i)[..rank]).for_each(|(out, x)| *out = row.length * x);
            }
            if let Some(slack) = row.slack {
                let t = x[(i, rank)];
                match &mut primal[slack.block] {
                    // Off-diagonal entries among slacks are seen by no matrix.
                    Primal::Factor(factor) => factor[(slack.index, 0)] = slack.size.sqrt() * t,
                    Primal::Diagonal(diagonal) => diagonal[slack.index] = slack.size * t * t,
                    Primal::Dense(_) => {}
                }
            }
        }
        if let Some(plane) = &self.plane {
            let further = plane.lift().map(|_| y[self.rows.len()] / plane.level);
            let level = further.unwrap_or(*along);
            dual[plane.constraint] = level / plane.sign;
        }
        Point { primal, dual }
    }

    /// A point of the problem as stated in normalised form: rows of the factor, slacks in the last column.
    /// None if the point is of another problem, or has a row of length 0.
    pub(super) fn normalise(&self, point: &Point) -> Option<Mat> {
        let Primal::Factor(factor) = point.primal.get(self.block)? else { return None };
        if factor.rows() != self.cones[self.block].size() || factor.cols() == 0 {
            return None;
        }
        let rank = factor.cols();
        let mut x = Mat::zeros(self.rows(), rank + usize::from(self.slack_costs.is_some()));
        for (i, row) in self.rows.iter().enumerate() {
            let own = x.row_mut(i);
            own[..rank].copy_from_slice(factor.row(row.index));
            own[..rank].iter_mut().for_each(|v| *v /= row.length);
            if let Some(slack) = row.slack {
                own[rank] = match point.primal.get(slack.block)? {
                    Primal::Factor(factor) => norm(factor.row(slack.index)) / slack.size.sqrt(),
                    Primal::Diagonal(u) => (u.get(slack.index)?.max(0.0) / slack.size).sqrt(),
                    Primal::Dense(_) => return None,
                };
            }
        }
        if let Some(plane) = &self.plane
            && let Some(root) = plane.lift()
        {
            let last = self.rows.len();
            for (i, normal) in plane.normal[..last].iter().enumerate() {
                for j in 0..rank {
                    x[(last, j)] += normal * x[(i, j)] / root;
                }
            }
        }
        let whole = |i: usize| {
            let length = norm(x.row(i));
            length > 0.0 && length.is_finite()
        };
        (0..x.rows()).all(whole).then_some(x)
    }
}

/// The semidefinite block with off-diagonal entries, if there is at most one; else the first.
fn main_block(sdp: &Sdp) -> Option<usize> {
    let mut found = None;
    for (block, cone) in sdp.cones().iter().enumerate() {
        if matches!(cone, Cone::Nonnegative(_)) {
            continue;
        }
        let entries = (0..=sdp.constraints()).flat_map(|matrix| sdp.entries(matrix, block));
        let ones = sdp.rank_ones().iter().any(|part| part.block == block);
        if ones || entries.into_iter().any(|entry| entry.row != entry.col) {
            if found.is_some() {
                return None;
            }
            found = Some(block);
        }
    }
    let first = sdp.cones().iter().position(|cone| matches!(cone, Cone::Semidefinite(n) if *n > 0));
    found.or(first)
}

/// The one constraint that is not diagonal, and v: `None` outside if there are two, or one is not rank-one.
#[allow(clippy::option_option)]
fn find_plane(sdp: &Sdp, block: usize) -> Option<Option<Plane>> {
    let mut found = None;
    for constraint in 0..sdp.constraints() {
        let matrix = constraint + 1;
        let entries = sdp.entries(matrix, block);
        let mut ones = sdp.rank_ones().iter().filter(|part| part.matrix == matrix);
        let one = ones.next();
        if one.is_none() && entries.iter().all(|entry| entry.row == entry.col) {
            continue;
        }
        let elsewhere =
            (0..sdp.cones().len()).any(|b| b != block && !sdp.entries(matrix, b).is_empty());
        if found.is_some() || elsewhere || ones.next().is_some() {
            return None;
        }
        let (sign, normal) = match one {
            Some(one) => {
                if !entries.is_empty() || one.block != block || one.weight == 0.0 {
                    return None;
                }
                let scale = one.weight.abs().sqrt();
                (one.weight.signum(), one.vector.iter().map(|v| v * scale).collect())
            }
            None => root_of(entries, sdp.cones()[block].size())?,
        };
        let level = sdp.rhs()[constraint] / sign;
        if level < 0.0 || normal.iter().all(|v| *v == 0.0) {
            return None;
        }
        found = Some(Plane { constraint, sign, level, normal });
    }
    Some(found)
}

/// (σ, v) with the entries those of σvvᵀ.
fn root_of(entries: &[Entry], size: usize) -> Option<(f64, Vec<f64>)> {
    let mut vector = vec![0.0; size];
    let mut sign = 0.0;
    for entry in entries.iter().filter(|entry| entry.row == entry.col) {
        if sign != 0.0 && entry.value.signum() != sign {
            return None;
        }
        sign = entry.value.signum();
        vector[entry.row as usize] = entry.value.abs().sqrt();
    }
    let support = vector.iter().filter(|v| **v != 0.0).count();
    let first = vector.iter().position(|v| *v != 0.0)?;
    if entries.len() != support * (support + 1) / 2 {
        return None;
    }
    for entry in entries.iter().filter(|entry| entry.row as usize == first) {
        vector[entry.col as usize] *= (entry.value * sign).signum();
    }
    let fits = |entry: &Entry| {
        let product = sign * vector[entry.row as usize] * vector[entry.col as usize];
        (product - entry.value).abs() <= RANK_ONE * entry.value.abs()
    };
    entries.iter().all(fits).then_some((sign, vector))
}

/// a·Z_ii (+ e·slack) = b with positive numbers, or none.
fn find_row(sdp: &Sdp, constraint: usize, block: usize, coupled: &[bool]) -> Option<Row> {
    let rhs = sdp.rhs()[constraint];
    let mut own: Option<Entry> = None;
    let mut slack: Option<(usize, Entry)> = None;
    for b in 0..sdp.cones().len() {
        for &entry in sdp.entries(constraint + 1, b) {
            if b == block && own.is_none() {
                own = Some(entry);
            } else if slack.is_none() {
                slack = Some((b, entry));
            } else {
                return None;
            }
        }
    }
    // Of two entries in the block itself, the slack is the one that nothing else couples.
    if let (Some(first), Some((b, second))) = (&mut own, &mut slack) {
        if *b == block && !coupled[first.row as usize] && coupled[second.row as usize] {
            std::mem::swap(first, second);
        }
        if *b == block && coupled[second.row as usize] {
            return None;
        }
    }
    let own = own?;
    let negative = slack.is_some_and(|(_, entry)| entry.value <= 0.0);
    let slack = slack.map(|(block, Entry { row, value, .. })| {
        let cost = sdp.entries(0, block).iter().find(|e| (e.row, e.col) == (row, row));
        let size = rhs / value;
        Slack { block, index: row as usize, size, cost: size * cost.map_or(0.0, |e| e.value) }
    });
    let length = (rhs / own.value).sqrt();
    let sound = own.value > 0.0 && rhs > 0.0 && length.is_finite() && !negative;
    sound.then_some(Row { index: own.row as usize, constraint, rhs, length, slack })
}

/// Whether every diagonal entry of every block is the subject or the slack of exactly one row.
fn covers_once(sdp: &Sdp, block: usize, rows: &[Row]) -> bool {
    let mut seen: Vec<Vec<bool>> =
        sdp.cones().iter().map(|cone| vec![false; cone.size()]).collect();
    for row in rows {
        let slack = row.slack.map(|slack| (slack.block, slack.index));
        for (block, index) in [(block, row.index)].into_iter().chain(slack) {
            if std::mem::replace(&mut seen[block][index], true) {
                return false;
            }
        }
    }
    seen.iter().flatten().all(|seen| *seen)
}
