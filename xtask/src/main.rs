//! `cargo xtask check`: every check of the project. `cargo xtask bench`: what the claims of speed rest on.
//! `cargo xtask fuzz`: inputs that nobody would write, for hours. `cargo xtask soak`: random commands, each answer checked.

#![forbid(unsafe_code)]

mod bench;
mod browser;
mod checks;
mod command;
mod fuzz;
mod python;
mod soak;

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    if let Some(code) = fuzz::compile() {
        return code;
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let passed = match arguments[..] {
        ["check"] => checks::run(),
        ["browser"] => {
            // As the tests build it, so that nothing is built twice.
            let program = ["test", "--workspace", "--test", "commands", "--no-run"];
            command::cargo("the program", &program) && browser::check()
        }
        ["python"] => python::check(),
        ["bench", "rule"] => bench::rule(),
        ["bench", "cluster"] => bench::cluster(false),
        ["bench", "cluster", "--quick"] => bench::cluster(true),
        ["bench", "whole"] => bench::whole(),
        ["bench", "labels"] => bench::labels(),
        ["bench", "sdp"] => bench::sdp(false),
        ["bench", "sdp", "--quick"] => bench::sdp(true),
        ["bench", "learn"] => bench::learn(false),
        ["bench", "learn", "--quick"] => bench::learn(true),
        ["bench", "python"] => bench::python(false),
        ["bench", "python", "--quick"] => bench::python(true),
        ["fuzz", "--minutes", minutes, ref targets @ ..] => match (minutes.parse(), named(targets))
        {
            (Ok(minutes), Some(targets)) => fuzz::run(minutes, &targets),
            _ => usage(),
        },
        ["soak", "--minutes", minutes] => match minutes.parse() {
            Ok(minutes) => soak::run(minutes, None),
            Err(_) => usage(),
        },
        ["soak", "--trial", number] => match number.parse() {
            Ok(number) => soak::run(0.0, Some(number)),
            Err(_) => usage(),
        },
        _ => usage(),
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The values of `--target` in what is left of the arguments.
fn named<'a>(arguments: &[&'a str]) -> Option<Vec<&'a str>> {
    arguments
        .chunks(2)
        .map(|pair| match *pair {
            ["--target", name] => Some(name),
            _ => None,
        })
        .collect()
}

fn usage() -> bool {
    command::say(
        "usage: cargo xtask check\n       \
         cargo xtask browser\n       \
         cargo xtask python\n       \
         cargo xtask bench {rule, cluster [--quick], whole, labels, sdp [--quick], learn [--quick], python [--quick]}\n       \
         cargo xtask fuzz --minutes N [--target NAME]…\n       \
         cargo xtask soak {--minutes N, --trial NUMBER}",
    );
    false
}
