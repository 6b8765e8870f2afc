//! `cargo xtask check`: every check of the project. `cargo xtask bench`: what the claims of speed rest on.

#![forbid(unsafe_code)]

mod bench;
mod browser;
mod checks;
mod command;
mod python;

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let passed = match arguments[..] {
        ["check"] => checks::run(),
        ["browser"] => browser::check(),
        ["python"] => python::check(),
        ["bench", "rule"] => bench::rule(),
        ["bench", "cluster"] => bench::cluster(false),
        ["bench", "cluster", "--quick"] => bench::cluster(true),
        ["bench", "sdp"] => bench::sdp(false),
        ["bench", "sdp", "--quick"] => bench::sdp(true),
        _ => {
            command::say(
                "usage: cargo xtask check | cargo xtask browser | cargo xtask python | cargo xtask bench {rule, cluster [--quick], sdp [--quick]}",
            );
            false
        }
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
