//! Running programs, and saying so.

use std::{
    env,
    io::{Write, stderr},
    path::{Path, PathBuf},
    process::Command,
};

/// Runs cargo; false, and said, if it fails.
pub(crate) fn cargo(name: &str, arguments: &[&str]) -> bool {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).env("RUSTDOCFLAGS", "-D warnings");
    run(name, &mut command)
}

/// Runs a program; false, and said, if it fails.
pub(crate) fn run(name: &str, command: &mut Command) -> bool {
    let arguments: Vec<_> = command.get_args().map(|a| a.to_string_lossy()).collect();
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
    say(&format!("\n== {name}: {program} {}", arguments.join(" ")));
    let passed = command.status().is_ok_and(|status| status.success());
    if !passed {
        say(&format!("== {name}: FAILED"));
    }
    passed
}

/// The program, as the tests of the workspace have built it.
pub(crate) fn program() -> PathBuf {
    target().join("debug/gramfold")
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// One line for the person who waits.
pub(crate) fn say(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().expect("invariant: xtask is a directory of the repository").to_path_buf()
}
