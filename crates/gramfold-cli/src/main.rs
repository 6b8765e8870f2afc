//! `gramfold`: the program.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use gramfold::linalg::Guarded;

/// Asks for huge pages, with which products with large random sparse matrices wait less for their gathered rows,
/// and keeps what is freed for what is asked for next. What cannot be had is said in a sentence.
#[global_allocator]
static ALLOCATOR: Guarded<mimalloc::MiMalloc> = Guarded(mimalloc::MiMalloc);

/// Bytes of an input from which huge pages pay.
const LARGE: u64 = 1 << 20;

fn main() -> ExitCode {
    spare_huge_pages();
    ExitCode::from(gramfold_cli::main(std::env::args_os()))
}

/// Does without huge pages where no argument is a large file: each is cleared as a whole when it is first touched, which
/// takes a small command a fifth of its time.
fn spare_huge_pages() {
    let large = |path| std::fs::metadata(path).is_ok_and(|file| file.len() > LARGE);
    #[cfg(target_os = "linux")]
    if !std::env::args_os().skip(1).any(large) {
        // A kernel that cannot is none the worse.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = large;
}
