//! What is fuzzed: a target takes bytes and hands them to one way into the program. It must come back, whatever they are,
//! without a panic, in little time and in little memory.
//!
//! `cargo xtask fuzz` runs the targets under libFuzzer, guided by coverage; `cargo test` runs each for a moment with
//! [`Mutator`]. Seeds are made by the targets: nothing of the corpus is kept in the repository.

#![forbid(unsafe_code)]

mod exchange;
mod learning;
mod mutate;
mod program;
mod readers;
mod scratch;
mod seeds;

use std::{alloc::System, path::Path};

use cap::Cap;

pub use mutate::Mutator;
pub use scratch::Scratch;

/// The most memory that a process may hold at any time, in bytes: an allocation beyond it fails, which ends the process.
pub const MEMORY: usize = 1 << 30;

/// The most seconds that one input may take.
pub const SECONDS: u64 = 20;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, MEMORY);

/// One way into the program.
pub struct Target {
    /// What it is called on the command line.
    pub name: &'static str,
    /// Takes an input; the directory is its own.
    pub run: fn(&[u8], &Path),
    /// Inputs to begin with, which reach far.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of the format, for the mutations.
    pub words: &'static [&'static str],
    /// How many inputs make a short run.
    pub few: usize,
}

/// Every target.
pub fn targets() -> Vec<Target> {
    let readers = readers::targets().into_iter().chain(exchange::targets());
    readers.chain(program::targets()).chain(learning::targets()).collect()
}

/// The target of that name.
pub fn target(name: &str) -> Option<Target> {
    targets().into_iter().find(|target| target.name == name)
}
