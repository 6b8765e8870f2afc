//! Small inputs: graphs of every shape, tables of points, programs with and without a solution.

use super::random::Random;

/// A graph as a list of edges.
pub(super) struct Graph {
    pub(super) nodes: usize,
    pub(super) edges: Vec<(usize, usize, f64)>,
}

impl Graph {
    /// A graph of one of several shapes, with weights of one of several kinds.
    pub(super) fn draw(random: &mut Random, negative: bool) -> Self {
        let most = if random.chance(0.1) { 60 } else { 14 };
        let nodes = random.between(2, most);
        let shape = random.between(0, 6);
        let density = random.unit();
        let mut pairs = Vec::new();
        for i in 0..nodes {
            for j in i + 1..nodes {
                let edge = match shape {
                    0 => j == i + 1,
                    1 => i == 0,
                    2 => j == i + 1 || (i == 0 && j + 1 == nodes),
                    3 => (i < nodes / 2) != (j < nodes / 2),
                    4 => i % 3 == j % 3 || random.chance(0.05),
                    _ => random.chance(density),
                };
                if edge {
                    pairs.push((i, j));
                }
            }
        }
        if pairs.is_empty() {
            pairs.push((0, 1));
        }
        let kind = random.between(0, 3);
        let scale = 10_f64.powf(16.0 * random.unit() - 8.0);
        let mut weight = || match kind {
            0 => 1.0,
            1 => random.between(1, 9) as f64,
            2 => scale * (0.1 + random.unit()),
            _ if negative => random.unit() - 0.5,
            _ => random.unit() + 1e-3,
        };
        let mut edges: Vec<_> = pairs.into_iter().map(|(i, j)| (i, j, weight())).collect();
        if random.chance(0.15) {
            edges.push((0, 0, 1.0));
        }
        Self { nodes, edges }
    }

    /// Text, and the ending of its name: an edge list, or Matrix Market.
    pub(super) fn text(&self, random: &mut Random) -> (String, &'static str) {
        if random.chance(0.4) {
            // Nodes that no edge has are possible here.
            let nodes = self.nodes + random.between(0, 2);
            let mut text = format!(
                "%%MatrixMarket matrix coordinate real symmetric\n{nodes} {nodes} {}\n",
                self.edges.len()
            );
            for (i, j, w) in &self.edges {
                text += &format!("{} {} {w:e}\n", j + 1, i + 1);
            }
            return (text, "mtx");
        }
        let named = random.chance(0.3);
        let name = |i: &usize| if named { format!("node{i}") } else { i.to_string() };
        let plain = self.edges.iter().all(|(_, _, w)| *w == 1.0);
        let line = |(i, j, w): &(usize, usize, f64)| {
            let weight = if plain { String::new() } else { format!(" {w:e}") };
            format!("{} {}{weight}\n", name(i), name(j))
        };
        (self.edges.iter().map(line).collect::<Vec<_>>().concat(), "txt")
    }
}

/// A table of points in a few heaps.
pub(super) fn points(random: &mut Random) -> String {
    let (rows, columns, heaps) =
        (random.between(3, 40), random.between(1, 4), random.between(1, 4));
    let row = |i: usize, random: &mut Random| {
        let entries: Vec<String> =
            (0..columns).map(|_| format!("{}", (i % heaps) as f64 * 3.0 + random.unit())).collect();
        entries.join(",") + "\n"
    };
    (0..rows).map(|i| row(i, random)).collect::<Vec<_>>().concat()
}

/// A class for each of so many nodes.
pub(super) fn classes(nodes: usize, random: &mut Random) -> String {
    (0..nodes).map(|_| format!("{}\n", random.between(0, 3))).collect::<Vec<_>>().concat()
}

/// A program in SDPA's format: feasible by construction, or as it comes.
pub(super) fn program(random: &mut Random) -> String {
    let constraints = random.between(1, 5);
    let blocks: Vec<i64> = (0..random.between(1, 3))
        .map(|_| {
            let size = *random.pick(&[1_i64, 2, 3, 4, 5]);
            if random.chance(0.3) { -size } else { size }
        })
        .collect();
    let scale = 10_f64.powf(8.0 * random.unit() - 4.0);
    let whole = random.chance(0.5);
    let number = |random: &mut Random| {
        if whole { random.between(0, 6) as f64 - 3.0 } else { scale * (random.unit() - 0.5) }
    };
    let mut entries = String::new();
    let mut traces = vec![0.0; constraints + 1];
    for (matrix, trace) in traces.iter_mut().enumerate() {
        for (block, size) in blocks.iter().enumerate() {
            for i in 1..=size.unsigned_abs() {
                for j in i..=size.unsigned_abs() {
                    if (*size < 0 && i != j) || random.chance(0.5) {
                        continue;
                    }
                    let value = number(random);
                    if i == j {
                        *trace += value;
                    }
                    entries += &format!("{matrix} {} {i} {j} {value:e}\n", block + 1);
                }
            }
        }
    }
    // c = A(I): the identity is feasible, and the problem has an interior.
    let feasible = random.chance(0.7);
    let rhs: Vec<String> = (1..=constraints)
        .map(|i| format!("{:e}", if feasible { traces[i] } else { number(random) }))
        .collect();
    let sizes: Vec<String> = blocks.iter().map(i64::to_string).collect();
    format!("{constraints}\n{}\n{}\n{}\n{entries}", blocks.len(), sizes.join(" "), rhs.join(" "))
}
