//! Which points no D others cut off from the anchors, or from most points: D + 1 paths that share no point lead there.

use crate::adjacency::Neighbours;

/// Of points that are not anchored, cliques from which the largest core is looked for.
const ATTEMPTS: usize = 16;

const NONE: usize = usize::MAX;

/// The points that hold together.
pub(super) struct Core {
    /// Which they are.
    pub(super) held: Vec<bool>,
    /// The anchors, or D + 1 points with all distances between them: what they are held by.
    pub(super) base: Vec<usize>,
}

impl Core {
    /// The core of the points `inside`: around the anchored ones, or without any of them the largest one that was found around a
    /// clique. None where there is no clique.
    pub(super) fn of(
        neighbours: &Neighbours,
        inside: &[bool],
        anchored: &[bool],
        dim: usize,
    ) -> Option<Self> {
        let all: Vec<usize> = (0..inside.len()).filter(|&node| inside[node]).collect();
        let base: Vec<usize> = all.iter().copied().filter(|&node| anchored[node]).collect();
        if !base.is_empty() {
            let held = Search::new(neighbours, inside, dim + 1).hold(&base);
            return Some(Self { held, base });
        }
        let degree = |node: usize| neighbours.of(node).len();
        let mut order = all.clone();
        order.sort_by_key(|&node| (usize::MAX - degree(node), node));
        let (mut best, mut most): (Option<Self>, usize) = (None, 0);
        let mut attempts = 0;
        for node in order {
            if best.as_ref().is_some_and(|core| core.held[node]) {
                continue;
            }
            let Some(base) = clique(neighbours, inside, node, dim + 1) else { continue };
            let held = Search::new(neighbours, inside, dim + 1).hold(&base);
            let count = held.iter().filter(|held| **held).count();
            if count > most {
                (best, most) = (Some(Self { held, base }), count);
            }
            attempts += 1;
            if 2 * most > all.len() || attempts == ATTEMPTS {
                break;
            }
        }
        best
    }
}

/// So many points around one with all distances between them, those with the most distances first.
fn clique(
    neighbours: &Neighbours,
    inside: &[bool],
    node: usize,
    size: usize,
) -> Option<Vec<usize>> {
    let adjacent = |a: usize, b: usize| neighbours.of(a).iter().any(|end| end.0 as usize == b);
    let mut around: Vec<usize> = neighbours.of(node).iter().map(|end| end.0 as usize).collect();
    around.retain(|&other| inside[other]);
    around.sort_by_key(|&other| (usize::MAX - neighbours.of(other).len(), other));
    let mut found = vec![node];
    for other in around {
        if found.len() == size {
            break;
        }
        if found.iter().all(|&member| adjacent(member, other)) {
            found.push(other);
        }
    }
    (found.len() == size).then_some(found)
}

/// Unit flows from one point at a time to those that are held, through points.
struct Search<'a> {
    neighbours: &'a Neighbours,
    inside: &'a [bool],
    /// D + 1.
    paths: usize,
    held: Vec<bool>,
    /// Neighbours that are held.
    near: Vec<usize>,
    /// The point before on the path through each, if there is one.
    before: Vec<usize>,
    /// Whether a way leads into a point, and out of it, in the present search, and from where.
    into: Vec<Option<Side>>,
    out_of: Vec<Option<Side>>,
    touched: Vec<usize>,
}

/// One side of a point that has room for one path.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    In(usize),
    Out(usize),
}

impl<'a> Search<'a> {
    fn new(neighbours: &'a Neighbours, inside: &'a [bool], paths: usize) -> Self {
        let n = inside.len();
        Self {
            neighbours,
            inside,
            paths,
            held: vec![false; n],
            near: vec![0; n],
            before: vec![NONE; n],
            into: vec![None; n],
            out_of: vec![None; n],
            touched: Vec::new(),
        }
    }

    /// Whether each point is held, by the base or by paths to it.
    fn hold(mut self, base: &[usize]) -> Vec<bool> {
        self.grow(base.to_vec());
        let mut cut_off = vec![false; self.held.len()];
        for node in 0..self.held.len() {
            if !self.inside[node] || self.held[node] || cut_off[node] {
                continue;
            }
            // Points that D others cut off stay so, whatever is held beyond.
            match self.cut(node) {
                None => self.grow(vec![node]),
                Some(side) => side.into_iter().for_each(|node| cut_off[node] = true),
            }
        }
        self.held
    }

    /// Holds these, and all that then have D + 1 neighbours that are held.
    fn grow(&mut self, mut open: Vec<usize>) {
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut self.held[node], true) {
                continue;
            }
            for &(other, _) in self.neighbours.of(node) {
                let other = other as usize;
                self.near[other] += 1;
                if self.inside[other] && !self.held[other] && self.near[other] >= self.paths {
                    open.push(other);
                }
            }
        }
    }

    /// The points that fewer than D + 1 cut off together with this one; none if enough paths lead out.
    fn cut(&mut self, source: usize) -> Option<Vec<usize>> {
        let mut on_paths: Vec<usize> = Vec::new();
        let mut side = None;
        for _ in 0..self.paths {
            let end = self.augment(source);
            if let Some(end) = end {
                self.reroute(source, end, &mut on_paths);
            } else {
                let reached = |&node: &usize| self.out_of[node].is_some();
                side = Some(self.touched.iter().copied().filter(reached).collect());
            }
            for node in self.touched.drain(..) {
                (self.into[node], self.out_of[node]) = (None, None);
            }
            if side.is_some() {
                break;
            }
        }
        for node in on_paths {
            self.before[node] = NONE;
        }
        side
    }

    /// Looks for one more path, which may push others aside; the point that is held where it ends.
    fn augment(&mut self, source: usize) -> Option<usize> {
        self.out_of[source] = Some(Side::Out(source));
        self.touched.push(source);
        let mut open = std::collections::VecDeque::from([Side::Out(source)]);
        while let Some(at) = open.pop_front() {
            match at {
                Side::Out(node) => {
                    if node != source && self.before[node] != NONE {
                        self.reach(Side::In(node), at, &mut open);
                    }
                    let neighbours = self.neighbours;
                    for &(other, _) in neighbours.of(node) {
                        let other = other as usize;
                        if self.inside[other] && other != source && self.before[other] != node {
                            self.reach(Side::In(other), at, &mut open);
                        }
                    }
                }
                Side::In(node) if self.before[node] != NONE => {
                    self.reach(Side::Out(self.before[node]), at, &mut open);
                }
                Side::In(node) if self.held[node] => return Some(node),
                Side::In(node) => self.reach(Side::Out(node), at, &mut open),
            }
        }
        None
    }

    fn reach(&mut self, side: Side, from: Side, open: &mut std::collections::VecDeque<Side>) {
        let (node, reached) = match side {
            Side::In(node) => (node, &mut self.into[node]),
            Side::Out(node) => (node, &mut self.out_of[node]),
        };
        if reached.is_none() {
            *reached = Some(from);
            self.touched.push(node);
            open.push_back(side);
        }
    }

    /// Takes the way that was found into the paths.
    fn reroute(&mut self, source: usize, end: usize, on_paths: &mut Vec<usize>) {
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        let mut at = Side::In(end);
        while at != Side::Out(source) {
            let from = match at {
                Side::In(node) => self.into[node],
                Side::Out(node) => self.out_of[node],
            };
            let from = from.expect("invariant: it was reached from somewhere");
            match (from, at) {
                (Side::Out(a), Side::In(b)) if a != b => taken.push((a, b)),
                (Side::In(b), Side::Out(a)) if a != b => left.push(b),
                _ => {}
            }
            at = from;
        }
        for node in left {
            self.before[node] = NONE;
        }
        for (a, b) in taken {
            self.before[b] = a;
            on_paths.push(b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Observations;

    /// Whether no `paths` − 1 points cut a point off from the base, by trying all of them.
    fn by_removal(n: usize, places: &[(u32, u32)], base: &[usize], node: usize) -> bool {
        let reaches = |a: usize, b: usize| {
            let (mut seen, mut open) = (vec![false; n], vec![node]);
            seen[node] = true;
            while let Some(at) = open.pop() {
                if base.contains(&at) {
                    return true;
                }
                for &(i, j) in places {
                    for (i, j) in [(i as usize, j as usize), (j as usize, i as usize)] {
                        if i == at && j != a && j != b && !seen[j] {
                            seen[j] = true;
                            open.push(j);
                        }
                    }
                }
            }
            false
        };
        let others: Vec<usize> = (0..n).filter(|&other| other != node).collect();
        others.iter().all(|&a| others.iter().all(|&b| reaches(a, b)))
    }

    #[test]
    fn paths_tell_what_removing_pairs_tells() {
        let mut state = 7_u64;
        let mut draw = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        let (mut some, mut all) = (0, 0);
        for round in 0..60 {
            let n = 6 + round % 9;
            let mut places: Vec<(u32, u32)> = vec![(0, 1), (0, 2), (1, 2)];
            for _ in 0..2 * n {
                let (i, j) = (draw(n) as u32, draw(n) as u32);
                let place = (i.min(j), i.max(j));
                if i != j && !places.contains(&place) {
                    places.push(place);
                }
            }
            let values = vec![1.0; places.len()];
            let distances = Observations { dim: n, places: places.clone(), values };
            let neighbours = Neighbours::new(&distances);
            let held = Search::new(&neighbours, &vec![true; n], 3).hold(&[0, 1, 2]);
            for (node, held) in held.into_iter().enumerate().skip(3) {
                let expected = by_removal(n, &places, &[0, 1, 2], node);
                assert_eq!(held, expected, "round {round}, node {node}: {places:?}");
                (some, all) = (some + usize::from(expected), all + 1);
            }
        }
        assert!(some > all / 10 && some < all * 9 / 10, "{some} of {all} are held");
    }
}
