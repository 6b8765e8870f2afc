//! Where the nodes go: forces between them, cooled down (Fruchterman and Reingold, 1991).

use super::Network;
use crate::number::range;

/// Rounds for a small graph; a large one, whose rounds are dear, has fewer.
const ROUNDS: usize = 300;

/// Pairs of nodes that are gone through in all.
const WORK: usize = 150_000_000;

/// The pull to the middle, which keeps parts without an edge between them in sight.
const GRAVITY: f64 = 0.35;

/// A place in the unit square for each node.
pub(crate) fn places(network: &Network) -> Vec<(f64, f64)> {
    let n = network.names.len();
    let mut at = start(network);
    if n < 2 {
        return vec![(0.5, 0.5); n];
    }
    let spring = (1.0 / n as f64).sqrt();
    let heaviest = network.edges.iter().fold(0.0_f64, |most, edge| most.max(edge.2.abs()));
    let rounds = (WORK / (n * n)).clamp(30, ROUNDS);
    let mut forces = vec![(0.0, 0.0); n];
    for round in 0..rounds {
        for (i, force) in forces.iter_mut().enumerate() {
            *force = (-GRAVITY * at[i].0 * spring, -GRAVITY * at[i].1 * spring);
            for (j, &other) in at.iter().enumerate() {
                if i != j {
                    let (dx, dy) = (at[i].0 - other.0, at[i].1 - other.1);
                    let push = spring * spring / (dx * dx + dy * dy).max(1e-6);
                    *force = (force.0 + dx * push, force.1 + dy * push);
                }
            }
        }
        for &(i, j, weight) in &network.edges {
            if i == j || i >= n || j >= n || heaviest == 0.0 {
                continue;
            }
            let (dx, dy) = (at[i].0 - at[j].0, at[i].1 - at[j].1);
            let pull = (dx * dx + dy * dy).sqrt() / spring * (weight.abs() / heaviest).sqrt();
            for (node, sign) in [(i, -1.0), (j, 1.0)] {
                forces[node].0 += sign * dx * pull;
                forces[node].1 += sign * dy * pull;
            }
        }
        let heat = 0.1 * (1.0 - round as f64 / rounds as f64);
        for (place, &(fx, fy)) in at.iter_mut().zip(&forces) {
            let length = (fx * fx + fy * fy).sqrt().max(1e-12);
            let step = length.min(heat) / length;
            *place = (place.0 + fx * step, place.1 + fy * step);
        }
    }
    scaled(&at)
}

/// Groups on a circle, their nodes in a spiral around them.
fn start(network: &Network) -> Vec<(f64, f64)> {
    let groups = network.group.iter().max().map_or(1, |last| last + 1) as f64;
    let mut seen = vec![0.0_f64; groups as usize];
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let place = |&group: &usize| {
        let turn = std::f64::consts::TAU * group as f64 / groups;
        let k = seen[group];
        seen[group] += 1.0;
        let (radius, angle) = (0.02 * k.sqrt(), golden * k);
        let far = if groups > 1.0 { 0.5 } else { 0.0 };
        (far * turn.cos() + radius * angle.cos(), far * turn.sin() + radius * angle.sin())
    };
    network.group.iter().map(place).collect()
}

/// Into the unit square, each side filled.
fn scaled(at: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let side = |value: fn(&(f64, f64)) -> f64| {
        let (low, high) = range(at.iter().map(value));
        (low, if high > low { high - low } else { 1.0 })
    };
    let ((left, width), (top, height)) = (side(|p| p.0), side(|p| p.1));
    at.iter().map(|&(x, y)| ((x - left) / width, (y - top) / height)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cliques() -> Network {
        let names = (0..12).map(|i| i.to_string()).collect();
        let mut edges = vec![(0, 6, 1.0)];
        for i in 0..12 {
            edges.extend((0..i).filter(|j| i / 6 == j / 6).map(|j| (i, j, 1.0)));
        }
        // All in one group, so that only the edges tell the cliques apart.
        Network::new("two cliques", names, vec![0; 12]).edges(edges)
    }

    #[test]
    fn what_is_joined_is_near_and_the_same_every_time() {
        let network = cliques();
        let at = places(&network);
        let distance = |i: usize, j: usize| (at[i].0 - at[j].0).hypot(at[i].1 - at[j].1);
        let mut within: f64 = 0.0;
        let mut between = f64::MAX;
        for i in 1..6 {
            within = within.max(distance(i, 1 + i % 5));
            between = between.min(distance(i, 6 + i));
        }
        assert!(within < between, "{within} {between}");
        assert_eq!(at, places(&network));
        assert!(at.iter().all(|p| (0.0..=1.0).contains(&p.0) && (0.0..=1.0).contains(&p.1)));
    }

    #[test]
    fn odd_graphs_have_places() {
        let lone = Network::new("", vec!["a".into()], vec![0]);
        assert_eq!(places(&lone), [(0.5, 0.5)]);
        let two = Network::new("", vec!["a".into(), "b".into()], vec![0, 1])
            .edges(vec![(0, 9, 1.0), (1, 1, 1.0)]);
        assert!(places(&two).iter().all(|p| p.0.is_finite() && p.1.is_finite()));
        assert!(places(&Network::default()).is_empty());
    }
}
