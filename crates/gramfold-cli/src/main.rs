//! `gramfold`: the program.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use gramfold::linalg::Guarded;

/// Asks for huge pages, with which products with large random sparse matrices wait less for their gathered rows,
/// and keeps what is freed for what is asked for next. What cannot be had is said in a sentence.
#[global_allocator]
static ALLOCATOR: Guarded<mimalloc::MiMalloc> = Guarded::new(mimalloc::MiMalloc, small_pages);

/// Bytes of an input from which huge pages pay.
#[cfg(target_os = "linux")]
const LARGE: u64 = 1 << 14;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    #[cfg(target_os = "linux")]
    if gramfold_cli::largest_file(&arguments) > LARGE {
        // A kernel that cannot is none the worse.
        let _ = rustix::thread::disable_transparent_huge_pages(false);
    }
    ExitCode::from(gramfold_cli::main(arguments))
}

/// Each huge page is cleared as a whole when it is first touched, which takes a command on a few dozen nodes a tenth of its time.
fn small_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
