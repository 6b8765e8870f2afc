//! Data on stdout, messages on stderr; a closed pipe is not an error.

use std::{
    io::{self, IsTerminal, Write},
    mem,
    path::Path,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// What the command has said on stderr. There is one stderr, and so one log of it.
static LOG: Mutex<Log> =
    Mutex::new(Log { quiet: false, stdin: String::new(), notes: Vec::new(), warnings: Vec::new() });

/// Whether a line on the terminal says what is being done.
static LINE: AtomicBool = AtomicBool::new(false);

struct Log {
    /// Whether notes are only kept.
    quiet: bool,
    /// Where the standard input is kept while it is read; nothing if it is not.
    stdin: String,
    notes: Vec<String>,
    warnings: Vec<String>,
}

fn log() -> MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a command that is to be quiet or not.
pub(crate) fn begin(quiet: bool) {
    *log() = Log { quiet, stdin: String::new(), notes: Vec::new(), warnings: Vec::new() };
}

/// From now on a file is called the standard input, which it holds.
pub(crate) fn keep_stdin_in(path: &Path) {
    log().stdin = path.to_string_lossy().into_owned();
}

/// What is said, with names that the user knows.
fn told(text: &str) -> String {
    match &log().stdin {
        kept if kept.is_empty() => text.to_owned(),
        kept => text.replace(kept.as_str(), "standard input"),
    }
}

/// Replaces the line on the terminal that says what is being done; by nothing where that is empty.
pub(crate) fn line(text: &str) {
    let _ = write!(io::stderr().lock(), "\r\x1b[2K{text}");
    LINE.store(!text.is_empty(), Ordering::Relaxed);
}

/// Makes room for what stays.
fn clear_line() {
    if LINE.load(Ordering::Relaxed) {
        line("");
    }
}

/// Writes data to stdout.
pub(crate) fn data(text: &str) -> anyhow::Result<()> {
    clear_line();
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a message to stderr; nobody can be told if that fails.
pub(crate) fn message(text: &str) {
    clear_line();
    let _ = writeln!(io::stderr().lock(), "{}", told(text));
}

/// Says what was read, and keeps it for the claims.
pub(crate) fn note(text: &str) {
    let quiet = log().quiet;
    if !quiet {
        message(text);
    }
    let told = told(text);
    log().notes.push(told);
}

/// Warns on stderr, and keeps it for the claims.
pub(crate) fn warning(text: &str) {
    message(&format!("warning: {text}"));
    let told = told(text);
    log().warnings.push(told);
}

/// The notes and the warnings so far.
pub(crate) fn said() -> (Vec<String>, Vec<String>) {
    let mut log = log();
    (mem::take(&mut log.notes), mem::take(&mut log.warnings))
}

/// Writes an error to stderr, its first word red on a terminal that wants colour.
pub(crate) fn error(error: &anyhow::Error) {
    let coloured = io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let label = if coloured { "\x1b[1;31merror\x1b[0m" } else { "error" };
    message(&format!("{label}: {error:#}"));
}

/// Whether an error is only that the reader of stdout has gone.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
