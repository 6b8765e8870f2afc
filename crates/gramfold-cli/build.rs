//! How the program is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| std::env::var(key).is_ok_and(|found| found == value);
    // At a fixed address 18 000 pointers need not be moved at every start, which takes some tenths of a millisecond. Libraries, stack and
    // heap are still where the system wants them.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
