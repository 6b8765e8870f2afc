//! The commands that learn: their small inputs and their flags.

use super::{inputs::Graph, random::Random, request::choice};

/// Their names.
pub(super) const COMMANDS: [&str; 8] =
    ["complete", "locate", "factors", "metric", "correlation", "recover", "kernel", "fit"];

/// Draws the input of a command and its flags; `write` puts down files.
pub(super) fn draw(
    command: &str,
    random: &mut Random,
    write: &dyn Fn(&str, &str),
) -> (String, Vec<String>) {
    let truth = Truth::draw(random);
    let mut flags = Vec::new();
    let input = match command {
        "complete" => {
            write("in.csv", &truth.entries(random));
            flags.extend(choice(random, "--loss", &["square", "huber", "huber:delta=0.5"]));
            flags.extend(choice(random, "--rank", &["1", "2", "3"]));
            flags.extend(choice(random, "--ridge", &["0", "0.1", "1e6"]));
            flags.extend(choice(random, "--biases", &["none", "auto", "0", "2"]));
            flags.extend(choice(random, "--folds", &["0", "2"]));
            if random.chance(0.3) {
                write("pairs.txt", "0 1\n1 0\n");
                flags.extend(["--predict".into(), "pairs.txt".into()]);
            }
            "in.csv"
        }
        "locate" => {
            write("in.csv", &truth.distances(random));
            flags.extend(["--dim".into(), random.between(1, 3).to_string()]);
            "in.csv"
        }
        "factors" => {
            write("in.csv", &truth.whole(random));
            flags.extend(["-k".into(), random.between(1, 3).to_string()]);
            flags.extend(choice(random, "--rotate", &["varimax", "promax", "none"]));
            "in.csv"
        }
        "correlation" => {
            write("in.csv", &truth.whole(random));
            flags.extend(["--rank".into(), random.between(1, 3).to_string()]);
            "in.csv"
        }
        "metric" => {
            write("in.csv", &truth.classes(random));
            flags.extend(["--label-column".into(), "class".into()]);
            flags.extend(choice(random, "--rank", &["1", "2"]));
            flags.extend(choice(random, "--folds", &["0", "2"]));
            "in.csv"
        }
        "recover" => {
            let matrices = random.chance(0.3);
            write("in.csv", &truth.measurements(random, matrices));
            if matrices {
                flags.extend(["--of".into(), "matrices".into()]);
            }
            flags.extend(choice(random, "--rank", &["1", "2"]));
            flags.extend(choice(random, "--loss", &["square", "huber:delta=0.3"]));
            flags.extend(choice(random, "--ridge", &["0", "0.1", "1e6"]));
            "in.csv"
        }
        "kernel" => {
            let graph = Graph::draw(random, false);
            let line = |(i, j, w): &(usize, usize, f64)| format!("{i} {j} {w:e}\n");
            write("in.txt", &graph.edges.iter().map(line).collect::<Vec<_>>().concat());
            let (i, j, _) = graph.edges[0];
            let (k, l, _) = graph.edges[graph.edges.len() - 1];
            write("pairs.txt", &format!("{i} {j} 1\n{k} {l} {}\n", random.pick(&[1, -1])));
            flags.extend(["--pairs".into(), "pairs.txt".into()]);
            flags.extend(choice(random, "--loss", &["squared-hinge", "logistic"]));
            flags.extend(choice(random, "--ridge", &["0.1", "1e6"]));
            "in.txt"
        }
        _ => {
            write("in.toml", &truth.problem(random, write));
            "in.toml"
        }
    };
    if command != "fit" {
        flags.extend(choice(random, "--max-iter", &["0", "1", "50", "2000"]));
    }
    (input.into(), flags)
}

/// Points, whose inner products are measured.
struct Truth {
    points: Vec<Vec<f64>>,
    /// What everything is multiplied by, and how much it is off.
    scale: f64,
    noise: f64,
    /// The share that is known.
    share: f64,
}

impl Truth {
    fn draw(random: &mut Random) -> Self {
        let (rows, columns) = (random.between(2, 16), random.between(1, 3));
        let kind = random.between(0, 5);
        let point = |random: &mut Random| match kind {
            0 => vec![0.0; columns],
            1 => vec![1.0; columns],
            _ => (0..columns).map(|_| 2.0 * random.unit() - 1.0).collect(),
        };
        let points = (0..rows).map(|_| point(random)).collect();
        let scale = if random.chance(0.5) { 1.0 } else { 10_f64.powf(16.0 * random.unit() - 8.0) };
        let noise = *random.pick(&[0.0, 0.0, 1e-3, 0.3]);
        Self { points, scale, noise, share: 0.2 + 0.8 * random.unit() }
    }

    fn nodes(&self) -> usize {
        self.points.len()
    }

    fn off(&self, random: &mut Random) -> f64 {
        self.noise * (random.unit() - 0.5)
    }

    fn product(&self, i: usize, j: usize) -> f64 {
        self.points[i].iter().zip(&self.points[j]).map(|(a, b)| a * b).sum()
    }

    /// A line for each pair that is known, and for the first one.
    fn pairs(
        &self,
        random: &mut Random,
        mut line: impl FnMut(usize, usize, &mut Random) -> Option<String>,
    ) -> String {
        let mut text = String::new();
        for i in 0..self.nodes() {
            for j in i..self.nodes() {
                if text.is_empty() || random.chance(self.share) {
                    text += &line(i, j, random).unwrap_or_default();
                }
            }
        }
        text
    }

    fn entries(&self, random: &mut Random) -> String {
        self.pairs(random, |i, j, random| {
            let value = self.scale * (self.product(i, j) + self.off(random));
            Some(format!("{i},{j},{value:e}\n"))
        })
    }

    fn distances(&self, random: &mut Random) -> String {
        self.pairs(random, |i, j, random| {
            let square = self.product(i, i) + self.product(j, j) - 2.0 * self.product(i, j);
            let distance = self.scale * (square.max(0.0).sqrt() + self.off(random).abs());
            (distance > 0.0).then(|| format!("{i},{j},{distance:e}\n"))
        })
    }

    /// A matrix of correlations, nearly.
    fn whole(&self, random: &mut Random) -> String {
        let n = self.nodes();
        let size = |i: usize| (self.product(i, i) + 0.3).sqrt();
        let off: Vec<f64> = (0..n * n).map(|_| self.off(random)).collect();
        let entry = |i: usize, j: usize| {
            let (i, j) = (i.min(j), i.max(j));
            if i == j { 1.0 } else { self.product(i, j) / (size(i) * size(j)) + off[i * n + j] }
        };
        let line = |i: usize| {
            let row: Vec<String> = (0..n).map(|j| format!("{:e}", entry(i, j))).collect();
            row.join(",") + "\n"
        };
        (0..n).map(line).collect()
    }

    /// A table of points with their classes.
    fn classes(&self, random: &mut Random) -> String {
        let mut text: String =
            (0..self.points[0].len()).fold(String::new(), |text, j| text + &format!("x{j},"));
        text += "class\n";
        let rows = self.nodes().max(6);
        for i in 0..rows {
            let point = &self.points[i % self.nodes()];
            for value in point {
                text += &format!("{:e},", self.scale * (value + (i % 2) as f64 + self.off(random)));
            }
            text += if i % 2 == 0 { "a\n" } else { "b\n" };
        }
        text
    }

    /// aᵀZa, or ⟨A, Z⟩, of random a or A.
    fn measurements(&self, random: &mut Random, matrices: bool) -> String {
        let n = self.nodes().min(6);
        let mut text = String::new();
        for _ in 0..random.between(1, 4 * n) {
            let a: Vec<f64> = (0..n).map(|_| 2.0 * random.unit() - 1.0).collect();
            let mut measured = self.off(random);
            let mut row = Vec::new();
            for i in 0..n {
                for j in 0..n {
                    measured += a[i] * a[j] * self.product(i, j);
                    row.push(a[i] * a[j]);
                }
            }
            for value in if matrices { &row } else { &a } {
                text += &format!("{value:e},");
            }
            text += &format!("{:e}\n", self.scale * measured);
        }
        text
    }

    /// A description, with its data beside it.
    fn problem(&self, random: &mut Random, write: &dyn Fn(&str, &str)) -> String {
        let (map, data) = match random.between(0, 3) {
            0 => ("entries", self.entries(random)),
            1 => ("distances", self.distances(random)),
            2 => ("rank-one", self.measurements(random, false)),
            _ => ("matrices", self.measurements(random, true)),
        };
        write("data.csv", &data);
        let loss = random.pick(&[
            "square",
            "square",
            "huber:delta=0.5",
            "at-least",
            "at-most",
            "logistic",
            "squared-hinge",
            "smoothed-hinge",
            "poisson",
        ]);
        let regulariser = random.pick(&[
            "zero",
            "ridge:lambda=0.1",
            "ridge:lambda=1e6",
            "nonnegative",
            "l1:mu=0.1",
            "l1:mu=1e6",
            "box:below=-1,above=1",
            "row-ball:radius=1",
            "simplex-rows",
            "column-group:mu=0.1",
            "mcp:mu=0.1,theta=3",
        ]);
        let algorithm = random.pick(&["auto", "auto", "am", "admm", "lbfgs", "gauss-newton"]);
        let start = random.pick(&["random", "spectral"]);
        let rank = random.between(1, 3);
        let iterations = random.pick(&[1, 30, 500]);
        format!(
            "rank = {rank}\nregulariser = \"{regulariser}\"\nalgorithm = \"{algorithm}\"\nstart = \"{start}\"\n\n\
             [[term]]\nmap = \"{map}\"\nfile = \"data.csv\"\nloss = \"{loss}\"\n\n[stop]\nmax_iterations = {iterations}\n"
        )
    }
}
