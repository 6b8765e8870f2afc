//! Chains of moves (Kernighan and Lin; Fiduccia and Mattheyses): each node moves once, best first, even at a loss, and the
//! best of all the partitions on the way is kept.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::moves::Partition;
use crate::Stop;

/// Losing moves in a row after which a chain is given up.
const PATIENCE: usize = 1000;

/// A node and its gain when it was pushed: stale if that has changed.
#[derive(Clone, Copy, PartialEq)]
struct Move {
    gain: f64,
    node: usize,
}

impl Eq for Move {}

impl Ord for Move {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Move {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Repeats chains until one gains nothing, `most` are done or `stop` says so. With `halves` the sizes of the sides stay as
/// they are.
pub(super) fn improve(partition: &mut Partition<'_>, halves: bool, most: usize, stop: Stop<'_>) {
    for _ in 0..most {
        if stop() || !chain(partition, halves) {
            break;
        }
    }
}

/// One chain; whether it gained anything.
fn chain(partition: &mut Partition<'_>, halves: bool) -> bool {
    let n = partition.len();
    // With halves one heap for each side, and they take turns; else one heap for all.
    let heap_of = |side: bool| usize::from(halves && side);
    let mut heaps = [BinaryHeap::new(), BinaryHeap::new()];
    for node in 0..n {
        heaps[heap_of(partition.side()[node])].push(Move { gain: partition.gain(node), node });
    }
    let mut moved = vec![false; n];
    let (mut order, mut pending) = (Vec::new(), Vec::new());
    let (mut total, mut best, mut kept) = (0.0, 0.0, 0);
    let mut turn = 0;
    while order.len() < n && order.len() - kept < PATIENCE {
        let Some(Move { gain, node }) = next(&mut heaps[turn], partition, &moved) else { break };
        total += gain;
        moved[node] = true;
        order.push(node);
        partition.flip(node, |j, gain| {
            if !moved[j] {
                // Which heap j is in follows from its side, which has not changed.
                pending.push(Move { gain, node: j });
            }
        });
        for change in pending.drain(..) {
            heaps[heap_of(partition.side()[change.node])].push(change);
        }
        if halves {
            turn = 1 - turn;
        }
        let balanced = !halves || order.len().is_multiple_of(2);
        if balanced && total > best + partition.noise() {
            (best, kept) = (total, order.len());
        }
    }
    for &node in order[kept..].iter().rev() {
        partition.flip(node, |_, _| {});
    }
    kept > 0
}

/// The best move that is not stale.
fn next(heap: &mut BinaryHeap<Move>, partition: &Partition<'_>, moved: &[bool]) -> Option<Move> {
    while let Some(best) = heap.pop() {
        if !moved[best.node] && best.gain == partition.gain(best.node) {
            return Some(best);
        }
    }
    None
}
