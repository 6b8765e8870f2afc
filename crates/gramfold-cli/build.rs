//! How the program is linked: so that it starts soon, which is most of the time that a small graph takes.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    let gnu = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    // Where all is asked to be static, it is linked so already.
    if !gnu || features.split(',').any(|feature| feature == "crt-static") {
        return;
    }
    // At a fixed address 18 000 pointers need not be moved at every start, which takes some tenths of a millisecond. Stack and heap
    // are still where the system wants them.
    println!("cargo:rustc-link-arg-bins=-no-pie");
    // And no library needs to be found, mapped and bound, which takes some tenths more.
    if env::var("HOST").is_ok_and(|host| is("TARGET", &host))
        && let Some(directory) = archives()
    {
        println!("cargo:rustc-link-arg-bins=-static");
        println!("cargo:rustc-link-arg-bins=-L{}", directory.display());
    }
}

/// What the program would be bound to at its start; what unwinds a stack comes with the compiler.
const LIBRARIES: [&str; 6] = ["c", "m", "rt", "pthread", "util", "dl"];

/// A directory in which the linker finds archives under the names of the libraries; none where the system has no such archives.
fn archives() -> Option<PathBuf> {
    let directory = PathBuf::from(env::var_os("OUT_DIR")?).join("archives");
    fs::create_dir_all(&directory).ok()?;
    let (c, unwinding, helpers) =
        (archive("libc.a")?, archive("libgcc_eh.a")?, archive("libgcc.a")?);
    // They call each other.
    let group = |name: &str, first: &str| {
        let text = format!("GROUP ( \"{first}\" \"{unwinding}\" \"{helpers}\" \"{c}\" )\n");
        fs::write(directory.join(format!("lib{name}.a")), text).ok()
    };
    group("gcc_s", &unwinding)?;
    for name in LIBRARIES {
        group(name, &archive(&format!("lib{name}.a"))?)?;
    }
    Some(directory)
}

/// Where the linker has an archive.
fn archive(name: &str) -> Option<String> {
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    let said = Command::new(linker).arg(format!("-print-file-name={name}")).output().ok()?;
    let path = String::from_utf8(said.stdout).ok()?.trim_end().to_owned();
    Path::new(&path).is_absolute().then_some(path)
}
