//! Small files that ask for much memory, as a user meets them under a limit on it.
#![cfg(unix)]

use std::{
    fs,
    io::Write,
    process::{Command, Output},
};

use crate::common::text;
use flate2::{Compression, write::GzEncoder};
use tempfile::TempDir;

/// Runs the program on a file with this content, with at most so many kilobytes of address space.
fn limited(kilobytes: usize, name: &str, content: &[u8], arguments: &str) -> Output {
    let directory = TempDir::new().expect("a temporary directory");
    fs::write(directory.path().join(name), content).expect("written");
    let program = env!("CARGO_BIN_EXE_gramfold");
    let line = format!("ulimit -v {kilobytes}; exec {program} {arguments}");
    let mut shell = Command::new("sh");
    shell.current_dir(directory.path()).args(["-c", &line]).output().expect("a shell starts")
}

/// One sentence and exit code 2.
#[track_caller]
fn refused(output: &Output) {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
}

#[test]
fn a_block_of_rows_that_no_entry_touches_costs_next_to_nothing() {
    for rows in [20_000, 100_000] {
        let program = format!("1\n1\n{rows}\n1\n0 1 1 1 1\n1 1 1 1 1\n");
        let output = limited(
            2_000_000,
            "b.dat-s",
            program.as_bytes(),
            "solve b.dat-s --threads 1 --time-limit 60",
        );
        let message = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{rows} rows: {message}");
        assert!(text(&output.stdout).contains("objective 1"), "{}", text(&output.stdout));
    }
}

#[test]
fn headers_that_ask_for_millions_of_rows_are_refused() {
    refused(&limited(1_000_000, "many.txt", b"16000000 0\n", "maxcut many.txt --threads 1"));
    refused(&limited(1_000_000, "many.txt", b"16000000 0\n", "cluster many.txt -k 2 --threads 1"));
    let header = b"%%MatrixMarket matrix coordinate real symmetric\n16000000 16000000 1\n1 1 1\n";
    refused(&limited(1_000_000, "m.mtx", header, "factor m.mtx --rank 2 --threads 1"));
    let block = b"1\n1\n-16000000\n1\n0 1 1 1 1\n1 1 1 1 1\n";
    refused(&limited(1_000_000, "d.dat-s", block, "solve d.dat-s --threads 1"));
}

#[test]
fn memory_that_there_is_not_is_a_sentence() {
    // A factor of 100 000 rows and 10 000 columns is 8 GB.
    let header = b"%%MatrixMarket matrix coordinate real symmetric\n100000 100000 1\n1 1 1\n";
    let output = limited(2_000_000, "m.mtx", header, "factor m.mtx --rank 10000 --threads 1");
    refused(&output);
    assert!(text(&output.stderr).contains("memory"), "{}", text(&output.stderr));
}

#[test]
fn a_gzip_stream_that_unpacks_to_far_more_is_refused_unless_it_is_trusted() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(b"3 1\n1 2 1\n").expect("written");
    let blank = vec![b'\n'; 1 << 20];
    (0..300).for_each(|_| encoder.write_all(&blank).expect("written"));
    let bomb = encoder.finish().expect("written");
    refused(&limited(4_000_000, "g.txt.gz", &bomb, "maxcut g.txt.gz --threads 1"));
    let trusted = limited(4_000_000, "g.txt.gz", &bomb, "maxcut g.txt.gz --threads 1 --any-ratio");
    assert_eq!(trusted.status.code(), Some(0), "{}", text(&trusted.stderr));
}
