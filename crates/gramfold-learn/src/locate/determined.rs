//! Which points the distances leave free.

use gramfold::linalg::Mat;

use super::{Anchors, core::Core, rigid::Framework, with_anchors};
use crate::{Observations, adjacency::Neighbours};

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
    /// Without a distance that no others imply it could move: there may be other places where that distance is met.
    Ambiguous,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Apart => "not connected",
            Self::FewDistances => "too few distances",
            Self::Reflected => "can be reflected",
            Self::Flexible => "can move",
            Self::Ambiguous => "may have another place",
        })
    }
}

/// Points that the distances do not determine, in order, each with the first reason that was found. `x` are positions with these
/// distances, about.
///
/// In the plane, points in general position that are not named have no other places (Hendrickson; Jackson and Jordán); in other
/// dimensions they may have. Huge layouts are not tested for motions, nor those without anchors and cliques for reflections.
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
    // What is left without those that are free may have fewer distances to hold it.
    loop {
        let before = count(&reasons);
        let base = reflected(&neighbours, &anchored, dim, &mut reasons);
        few(&neighbours, &anchored, dim, &mut reasons);
        flexible(distances, &base, x, &mut reasons);
        few(&neighbours, &anchored, dim, &mut reasons);
        if count(&reasons) == before {
            break;
        }
    }
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
    let mut left = count(reasons);
    let mut open: Vec<usize> = (0..reasons.len()).collect();
    while let Some(node) = open.pop() {
        if reasons[node].is_some() || anchored[node] {
            continue;
        }
        let around = neighbours.of(node).iter().map(|&(other, _)| other as usize);
        let good = around.clone().filter(|&other| reasons[other].is_none()).count();
        // As few points as these are all known from each other.
        if good <= dim && good + 1 < left {
            reasons[node] = Some(Reason::FewDistances);
            left -= 1;
            open.extend(around);
        }
    }
}

fn count(reasons: &[Option<Reason>]) -> usize {
    reasons.iter().filter(|reason| reason.is_none()).count()
}

/// Those that D points cut off from the rest. Returns what the rest is held by: anchors, or points that lie still by agreement.
fn reflected(
    neighbours: &Neighbours,
    anchored: &[bool],
    dim: usize,
    reasons: &mut [Option<Reason>],
) -> Vec<usize> {
    let inside: Vec<bool> = reasons.iter().map(Option::is_none).collect();
    if let Some(Core { held, base }) = Core::of(neighbours, &inside, anchored, dim) {
        for (node, reason) in reasons.iter_mut().enumerate() {
            if inside[node] && !held[node] && !anchored[node] {
                *reason = Some(Reason::Reflected);
            }
        }
        return base;
    }
    // Without cliques, the two ends of some distance: in the plane they leave no motion of the whole.
    let first = (0..inside.len()).filter(|&node| inside[node]);
    let Some(first) = first.max_by_key(|&node| neighbours.of(node).len()) else {
        return Vec::new();
    };
    let mut others = neighbours.of(first).iter().map(|end| end.0 as usize);
    let second = others.find(|&other| dim > 1 && inside[other]);
    if dim > 2 { Vec::new() } else { std::iter::once(first).chain(second).collect() }
}

/// Those that can move while the base lies still, and those that could without distances that no others imply.
fn flexible(distances: &Observations, base: &[usize], x: &Mat, reasons: &mut [Option<Reason>]) {
    if base.is_empty() {
        return;
    }
    let mut fixed = vec![false; reasons.len()];
    for &node in base {
        fixed[node] = true;
    }
    let mut kept = vec![true; distances.len()];
    for reason in [Reason::Flexible, Reason::Ambiguous] {
        let inside: Vec<bool> = reasons.iter().map(Option::is_none).collect();
        let frame = |kept: &[bool]| Framework::new(distances, &inside, &fixed, kept, x);
        if reason == Reason::Ambiguous {
            let Some(whole) = frame(&kept) else { return };
            let not_implied = whole.not_implied();
            if not_implied.is_empty() {
                return;
            }
            for edge in not_implied {
                kept[edge] = false;
            }
        }
        let Some(framework) = frame(&kept) else { return };
        for (node, moves) in framework.moving().into_iter().enumerate() {
            if moves {
                reasons[node] = Some(reason);
            }
        }
    }
}

#[cfg(test)]
mod tests;
