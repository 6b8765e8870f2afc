//! A command with its flags, and the files that it reads.

use std::{fs, path::Path};

use super::{
    inputs::{Graph, classes, points, program},
    learning,
    random::Random,
};

/// What is asked of the program.
pub(super) struct Request {
    /// The command, the input and the flags, without those that name outputs.
    pub(super) arguments: Vec<String>,
    /// Whether it can go on from a checkpoint.
    pub(super) resumes: bool,
    /// Its time limit, in seconds.
    pub(super) limit: Option<f64>,
}

impl Request {
    /// Draws one, and writes its files.
    pub(super) fn draw(random: &mut Random, directory: &Path) -> Self {
        let write = |name: &str, text: &str| {
            fs::write(directory.join(name), text).expect("room for a small file");
        };
        let mut flags: Vec<String> = Vec::new();
        let mut limit = None;
        let mut resumes = true;
        let older =
            ["factor", "factor", "cluster", "cluster", "solve", "maxcut", "theta", "bisect"];
        let command = if random.chance(0.5) {
            *random.pick(&learning::COMMANDS)
        } else {
            *random.pick(&older)
        };
        let input = if learning::COMMANDS.contains(&command) {
            let (input, drawn) = learning::draw(command, random, &write);
            flags.extend(drawn);
            input
        } else if command == "solve" {
            write("in.dat-s", &program(random));
            flags.extend(choice(random, "--method", &["auto", "interior", "lowrank", "split"]));
            "in.dat-s".into()
        } else if command == "cluster" && random.chance(0.15) {
            write("in.csv", &points(random));
            flags.push("--points".into());
            "in.csv".into()
        } else {
            let graph = Graph::draw(random, matches!(command, "factor" | "maxcut"));
            let (text, ending) = graph.text(random);
            let ending = if command == "factor" { "mtx" } else { ending };
            let text = if command == "factor" { matrix(&graph) } else { text };
            write(&format!("in.{ending}"), &text);
            if command == "cluster" && random.chance(0.3) {
                write("classes.txt", &classes(graph.nodes, random));
                flags.extend(["--truth".into(), "classes.txt".into()]);
            }
            format!("in.{ending}")
        };
        match command {
            "factor" => {
                resumes = false;
                flags.extend(["--rank".into(), random.between(1, 4).to_string()]);
                match random.between(0, 3) {
                    0 => flags.push("--nonnegative".into()),
                    1 => flags.extend([
                        "--ridge".into(),
                        format!("{:e}", 10_f64.powf(4.0 * random.unit() - 3.0)),
                    ]),
                    _ => {}
                }
                method(random, &mut flags);
            }
            "cluster" => {
                let k = random.between(1, 4);
                let range = if random.chance(0.15) {
                    format!("{k}..{}", k + random.between(1, 2))
                } else {
                    k.to_string()
                };
                flags.extend(["-k".into(), range]);
                flags.extend(choice(random, "--normalise", &["symmetric", "regularised", "none"]));
                flags.extend(choice(random, "--diagonal", &["keep", "zero", "degree"]));
                flags.extend(choice(random, "--restarts", &["1", "3"]));
                method(random, &mut flags);
            }
            "theta" if random.chance(0.3) => flags.push("--plus".into()),
            _ => {}
        }
        flags.extend(choice(random, "--tol", &["1e-2", "1e-4", "1e-8"]));
        flags.extend(choice(random, "--seed", &["1", "7", "1362"]));
        flags.extend(choice(random, "--threads", &["1", "2", "3"]));
        if random.chance(0.2) {
            let seconds = 10_f64.powf(3.0 * random.unit() - 3.0);
            flags.extend(["--time-limit".into(), format!("{seconds:.4}")]);
            limit = Some(seconds);
        }
        let arguments = [command.to_owned(), input].into_iter().chain(flags).collect();
        Self { arguments, resumes, limit }
    }
}

/// A flag with one of the values, or not at all.
pub(super) fn choice(random: &mut Random, flag: &str, values: &[&str]) -> Vec<String> {
    if random.chance(0.5) { vec![flag.into(), (*random.pick(values)).into()] } else { Vec::new() }
}

fn method(random: &mut Random, flags: &mut Vec<String>) {
    flags.extend(choice(
        random,
        "--algorithm",
        &["auto", "am", "ham", "ham-extrapolated", "gauss-newton", "admm"],
    ));
    flags.extend(choice(
        random,
        "--rule",
        &["spectral", "dynamic", "adp", "fixed:gamma=1", "fixed:gamma=1e-3", "kuang"],
    ));
    flags.extend(choice(random, "--start", &["random", "spectral"]));
    flags.extend(choice(random, "--max-iter", &["0", "1", "50", "3000"]));
}

fn matrix(graph: &Graph) -> String {
    let nodes = graph.nodes;
    let mut text = format!(
        "%%MatrixMarket matrix coordinate real symmetric\n{nodes} {nodes} {}\n",
        graph.edges.len()
    );
    for (i, j, w) in &graph.edges {
        text += &format!("{} {} {w:e}\n", j + 1, i + 1);
    }
    text
}
