//! Chains of moves (Kernighan and Lin; Fiduccia and Mattheyses): each node moves once, best first, even at a loss, and the
//! best of all the partitions on the way is kept.

use std::{cmp::Reverse, collections::BinaryHeap};

use gramfold_linalg::Total;

use super::moves::Partition;
use crate::Stop;

/// Losing moves in a row after which a chain is given up.
const PATIENCE: usize = 1000;

/// A node and its gain when it was pushed: stale if that has changed. The best comes first, of equals the first node.
type Move = (Total, Reverse<usize>);

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
        heaps[heap_of(partition.side[node])].push((Total(partition.gain[node]), Reverse(node)));
    }
    let mut moved = vec![false; n];
    let (mut order, mut pending) = (Vec::new(), Vec::new());
    let (mut total, mut best, mut kept) = (0.0, 0.0, 0);
    let mut turn = 0;
    while order.len() < n && order.len() - kept < PATIENCE {
        let Some((gain, node)) = next(&mut heaps[turn], partition, &moved) else { break };
        total += gain;
        moved[node] = true;
        order.push(node);
        partition.flip(node, |j, gain| {
            if !moved[j] {
                // Which heap j is in follows from its side, which has not changed.
                pending.push((Total(gain), Reverse(j)));
            }
        });
        for change in pending.drain(..) {
            heaps[heap_of(partition.side[change.1.0])].push(change);
        }
        if halves {
            turn = 1 - turn;
        }
        let balanced = !halves || order.len().is_multiple_of(2);
        if balanced && total > best + partition.noise {
            (best, kept) = (total, order.len());
        }
    }
    for &node in order[kept..].iter().rev() {
        partition.flip(node, |_, _| {});
    }
    kept > 0
}

/// The best move that is not stale: what it gains, and its node.
fn next(
    heap: &mut BinaryHeap<Move>,
    partition: &Partition<'_>,
    moved: &[bool],
) -> Option<(f64, usize)> {
    while let Some((Total(gain), Reverse(node))) = heap.pop() {
        if !moved[node] && gain == partition.gain[node] {
            return Some((gain, node));
        }
    }
    None
}
