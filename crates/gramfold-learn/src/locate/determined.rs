//! Which points the distances leave free.

use gramfold::linalg::{Csr, Mat, SparseCholesky};

use super::{Anchors, paths::Neighbours, weight, with_anchors};
use crate::Observations;

/// Work that looking for pairs of points that hold the rest together may take.
const PAIRS_WORK: usize = 60_000_000;

/// Work that a factorisation of the rigidity matrix may take.
const RIGID_WORK: f64 = 1e9;

/// Random motions that are tried.
const MOTIONS: usize = 4;

/// The shift under which motions without resistance grow, relative to the mean resistance.
const SHIFT: f64 = 1e-11;

/// A motion of a point below this share of the largest one is none.
const STILL: f64 = 1e-3;

/// Why a point is not determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No distances connect it with the anchors, or with most of the points.
    Apart,
    /// It has fewer than D + 1 distances to points that are determined.
    FewDistances,
    /// It hangs on D points about which it can be reflected.
    Reflected,
    /// It can move without changing any distance.
    Flexible,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Apart => "not connected",
            Self::FewDistances => "too few distances",
            Self::Reflected => "can be reflected",
            Self::Flexible => "can move",
        })
    }
}

/// Points that the distances do not determine, in order, each with the first reason that was found. `x` are positions with these
/// distances, about. In the plane, points that can be reflected are looked for where there are not too many points; beyond
/// that, and in other dimensions, what is not named may still be ambiguous.
pub fn undetermined(
    distances: &Observations,
    anchors: &Anchors,
    dim: usize,
    x: &Mat,
) -> Vec<(usize, Reason)> {
    let neighbours = Neighbours::new(&with_anchors(distances, anchors, dim));
    let n = distances.dim;
    let framed = anchors.len() > dim;
    let mut anchored = vec![false; n];
    if framed {
        anchors.rows().iter().for_each(|&row| anchored[row as usize] = true);
    }
    let mut reasons: Vec<Option<Reason>> = vec![None; n];
    apart(&neighbours, &anchored, framed, dim, &mut reasons);
    few(&neighbours, &anchored, dim, &mut reasons);
    if dim <= 2 {
        reflected(&neighbours, &anchored, dim, &mut reasons);
        few(&neighbours, &anchored, dim, &mut reasons);
    }
    flexible(distances, &anchored, x, &mut reasons);
    let found = reasons.into_iter().enumerate();
    found.filter_map(|(node, reason)| Some((node, reason?))).collect()
}

/// Those outside of the groups that are anchored, or outside of the largest one.
fn apart(
    neighbours: &Neighbours,
    anchored: &[bool],
    framed: bool,
    dim: usize,
    reasons: &mut [Option<Reason>],
) {
    let (group, count) = neighbours.groups();
    let (mut sizes, mut held) = (vec![0_usize; count], vec![0_usize; count]);
    for (&group, &anchored) in group.iter().zip(anchored) {
        sizes[group as usize] += 1;
        held[group as usize] += usize::from(anchored);
    }
    let largest = (0..count).max_by_key(|&g| (sizes[g], count - g)).unwrap_or(0);
    for (node, &group) in group.iter().enumerate() {
        let group = group as usize;
        let good = if framed { held[group] > dim } else { group == largest };
        if !good && !anchored[node] {
            reasons[node] = Some(Reason::Apart);
        }
    }
}

/// Those with fewer than D + 1 distances to others that are determined, again and again.
fn few(neighbours: &Neighbours, anchored: &[bool], dim: usize, reasons: &mut [Option<Reason>]) {
    let mut open: Vec<usize> = (0..reasons.len()).collect();
    while let Some(node) = open.pop() {
        if reasons[node].is_some() || anchored[node] {
            continue;
        }
        let around = neighbours.of(node).iter().map(|&(other, _)| other as usize);
        let good = around.clone().filter(|&other| reasons[other].is_none()).count();
        // As few points as these are all known from each other.
        if good <= dim && good + 1 < count(reasons) {
            reasons[node] = Some(Reason::FewDistances);
            open.extend(around);
        }
    }
}

fn count(reasons: &[Option<Reason>]) -> usize {
    reasons.iter().filter(|reason| reason.is_none()).count()
}

/// Those that D points cut off from the rest: the parts that a removed point and an articulation point leave.
fn reflected(
    neighbours: &Neighbours,
    anchored: &[bool],
    dim: usize,
    reasons: &mut [Option<Reason>],
) {
    let n = neighbours.len();
    let edges: usize = (0..n).map(|node| neighbours.of(node).len()).sum();
    if dim == 2 && n.saturating_mul(n + edges) > PAIRS_WORK {
        return;
    }
    let removed: Vec<Option<usize>> =
        if dim == 2 { (0..n).map(Some).collect() } else { vec![None] };
    let mut search = Articulation::new(n);
    for without in removed {
        if without.is_some_and(|node| reasons[node].is_some()) {
            continue;
        }
        let inside: Vec<bool> =
            (0..n).map(|node| reasons[node].is_none() && Some(node) != without).collect();
        for part in search.cut_off(neighbours, &inside, anchored) {
            for node in part {
                if !anchored[node] {
                    reasons[node].get_or_insert(Reason::Reflected);
                }
            }
        }
    }
}

/// Tarjan's search, without recursion.
struct Articulation {
    order: Vec<usize>,
    low: Vec<usize>,
    size: Vec<usize>,
    held: Vec<usize>,
}

impl Articulation {
    fn new(n: usize) -> Self {
        Self { order: vec![0; n], low: vec![0; n], size: vec![0; n], held: vec![0; n] }
    }

    /// The parts that articulation points of the graph `inside` cut off: those without the most anchors, or points.
    fn cut_off(
        &mut self,
        neighbours: &Neighbours,
        inside: &[bool],
        anchored: &[bool],
    ) -> Vec<Vec<usize>> {
        let n = inside.len();
        let Some(root) = (0..n)
            .filter(|&node| inside[node])
            .max_by_key(|&node| (anchored[node], neighbours.of(node).len()))
        else {
            return Vec::new();
        };
        self.order.fill(0);
        let total = inside.iter().filter(|inside| **inside).count();
        let total_held = (0..n).filter(|&node| inside[node] && anchored[node]).count();
        let (mut stack, mut visited) = (vec![(root, usize::MAX, 0_usize)], Vec::new());
        let mut time = 0;
        let mut cuts: Vec<(usize, usize)> = Vec::new(); // (articulation point, child)
        while let Some(&mut (node, parent, ref mut next)) = stack.last_mut() {
            if *next == 0 {
                time += 1;
                (self.order[node], self.low[node]) = (time, time);
                (self.size[node], self.held[node]) = (1, usize::from(anchored[node]));
                visited.push(node);
            }
            if let Some(&(other, _)) = neighbours.of(node).get(*next) {
                *next += 1;
                let other = other as usize;
                if !inside[other] || other == parent {
                    continue;
                }
                if self.order[other] > 0 {
                    self.low[node] = self.low[node].min(self.order[other]);
                } else {
                    stack.push((other, node, 0));
                }
                continue;
            }
            stack.pop();
            if parent != usize::MAX {
                self.low[parent] = self.low[parent].min(self.low[node]);
                self.size[parent] += self.size[node];
                self.held[parent] += self.held[node];
                if self.low[node] >= self.order[parent] {
                    cuts.push((parent, node));
                }
            }
        }
        let mut parts = Vec::new();
        for (at, child) in cuts {
            // The subtree of the child is one side, all else but the point the other.
            let (size, held) = (self.size[child], self.held[child]);
            let others = (total_held - held, total - size - 1);
            if others.1 == 0 {
                continue;
            }
            let last = self.order[child] + size;
            let within = |node: usize| (self.order[child]..last).contains(&self.order[node]);
            let child_side = (held, size) <= others;
            let side =
                visited.iter().copied().filter(|&node| node != at && within(node) == child_side);
            parts.push(side.collect());
        }
        // What the root does not reach hangs on the removed points alone.
        let unreached: Vec<usize> =
            (0..n).filter(|&node| inside[node] && self.order[node] == 0).collect();
        parts.push(unreached);
        parts
    }
}

/// Those that move in a motion that no distance resists. Random motions are amplified by the inverse of JᵀJ with a tiny
/// shift, and what turns and moves the whole is taken out.
fn flexible(distances: &Observations, anchored: &[bool], x: &Mat, reasons: &mut [Option<Reason>]) {
    let d = x.cols();
    // Numbers of the points that may move.
    let mut place = vec![None; x.rows()];
    let mut count = 0_u32;
    for node in 0..x.rows() {
        if reasons[node].is_none() && !anchored[node] {
            place[node] = Some(count);
            count += 1;
        }
    }
    if count == 0 {
        return;
    }
    let size = count as usize * d;
    let mut entries = Vec::new();
    let mut trace = 0.0;
    let inside = |node: usize| reasons[node].is_none();
    for (&(i, j), distance) in distances.places.iter().zip(&distances.values) {
        let (i, j) = (i as usize, j as usize);
        if !inside(i) || !inside(j) {
            continue;
        }
        let w = 4.0 * weight(*distance);
        for a in 0..d {
            for b in 0..d {
                let value = w * (x[(i, a)] - x[(j, a)]) * (x[(i, b)] - x[(j, b)]);
                let at = |node: usize, axis: usize| place[node].map(|p| p * d as u32 + axis as u32);
                for node in [i, j] {
                    if let (Some(row), Some(column), true) = (at(node, a), at(node, b), a <= b) {
                        entries.push((row, column, value));
                        trace += if a == b { value } else { 0.0 };
                    }
                }
                if let (Some(row), Some(column)) = (at(i, a), at(j, b)) {
                    entries.push((row, column, -value));
                }
            }
        }
    }
    let Ok(matrix) = Csr::from_triangle(size, &entries) else { return };
    let Some(mut cholesky) = SparseCholesky::analyse(&matrix) else { return };
    let shift = SHIFT * trace / size as f64;
    if cholesky.flops() > RIGID_WORK || !cholesky.factorise(|_| shift) {
        return;
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut v = Mat::from_fn(size, MOTIONS, |_, _| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    });
    let mut scratch = v.clone();
    let trivial =
        if anchored.iter().any(|a| *a) { Vec::new() } else { rigid_motions(x, &place, size) };
    let start = v.norm();
    for _ in 0..2 {
        take_out(&trivial, &mut v);
        cholesky.solve(&mut v, &mut scratch);
    }
    take_out(&trivial, &mut v);
    // Two solves amplify by 1/shift² what nothing resists, and by far less what something does.
    let amplified = v.norm() / start * shift * shift;
    if amplified < 1e-5 {
        return;
    }
    let length = |p: u32| {
        let rows = (0..d).map(|axis| v.row(p as usize * d + axis));
        rows.flatten().map(|v| v * v).sum::<f64>().sqrt()
    };
    let largest = (0..count).map(length).fold(0.0, f64::max);
    for node in 0..x.rows() {
        if place[node].is_some_and(|p| length(p) > STILL * largest) {
            reasons[node] = Some(Reason::Flexible);
        }
    }
}

/// An orthonormal basis of the motions of the whole: D shifts and D(D − 1)/2 turns.
fn rigid_motions(x: &Mat, place: &[Option<u32>], size: usize) -> Vec<Vec<f64>> {
    let d = x.cols();
    let mut motions: Vec<Vec<f64>> = Vec::new();
    let mut add = |motion: &dyn Fn(usize, usize) -> f64| {
        let mut v = vec![0.0; size];
        for (node, place) in place.iter().enumerate() {
            if let Some(place) = place {
                (0..d).for_each(|axis| v[*place as usize * d + axis] = motion(node, axis));
            }
        }
        for _ in 0..2 {
            for other in &motions {
                let along: f64 = v.iter().zip(other).map(|(a, b)| a * b).sum();
                v.iter_mut().zip(other).for_each(|(v, other)| *v -= along * other);
            }
        }
        let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        if norm > 0.0 {
            for v in &mut v {
                *v /= norm;
            }
            motions.push(v);
        }
    };
    for a in 0..d {
        add(&|_, axis| f64::from(axis == a));
    }
    for a in 0..d {
        for b in a + 1..d {
            add(&|node, axis| {
                if axis == a {
                    x[(node, b)]
                } else if axis == b {
                    -x[(node, a)]
                } else {
                    0.0
                }
            });
        }
    }
    motions
}

fn take_out(motions: &[Vec<f64>], v: &mut Mat) {
    for _ in 0..2 {
        for motion in motions {
            for j in 0..v.cols() {
                let along: f64 = motion.iter().zip(v.column(j)).map(|(a, b)| a * b).sum();
                for (i, m) in motion.iter().enumerate() {
                    v[(i, j)] -= along * m;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
