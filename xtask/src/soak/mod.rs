//! `cargo xtask soak`: random commands on random small inputs, stopped, killed and gone on with, each answer checked.

mod inputs;
mod learning;
mod process;
mod random;
mod request;
mod tamper;
mod trial;

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use crate::command::{cargo, program, root, say};
use random::Random;
use request::Request;
use trial::Trial;

/// Findings after which it is time to mend them.
const ENOUGH: usize = 20;

/// Runs trials for so many minutes, or the one of that number alone; false if anything was found.
pub(crate) fn run(minutes: f64, only: Option<u64>) -> bool {
    let arguments = ["build", "--quiet", "--workspace", "--bin", "gramfold"];
    if !cargo("the program", &arguments) {
        return false;
    }
    let binary = program();
    let kept = root().join("target/soak");
    let (clock, limit) = (Instant::now(), Duration::from_secs_f64(minutes * 60.0));
    let (mut trials, mut commands, mut found) = (0, 0, 0);
    let mut number = only.unwrap_or_else(first);
    while found < ENOUGH
        && (only.is_none() || trials == 0)
        && (only.is_some() || clock.elapsed() < limit)
    {
        let directory = kept.join(number.to_string());
        if fs::remove_dir_all(&directory).is_err() && directory.exists() {
            say(&format!("cannot clear {}", directory.display()));
            return false;
        }
        if let Err(error) = fs::create_dir_all(&directory) {
            say(&format!("cannot create {}: {error}", directory.display()));
            return false;
        }
        let mut random = Random::new(number);
        let request = Request::draw(&mut random, &directory);
        let mut trial = Trial::new(&binary, directory.clone());
        trial.run(&request, &mut random);
        trials += 1;
        commands += trial.commands;
        if trial.findings.is_empty() {
            let _ = fs::remove_dir_all(&directory);
        } else {
            found += 1;
            tell(number, &trial, &directory);
        }
        number = number.wrapping_add(1);
    }
    let seconds = clock.elapsed().as_secs_f64();
    say(&format!(
        "{trials} trials, {commands} commands in {seconds:.0} s; {found} trials found something"
    ));
    found == 0
}

/// Another sequence of trials each time, unless one is asked for by its number.
fn first() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs()) << 20
}

fn tell(number: u64, trial: &Trial, directory: &Path) {
    say(&format!(
        "\ntrial {number}, kept in {}; again with cargo xtask soak --trial {number}",
        directory.display()
    ));
    for finding in &trial.findings {
        say(&format!("  {}\n    {}", finding.what, finding.line));
    }
}
