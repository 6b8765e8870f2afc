//! Data on stdout, messages on stderr; a closed pipe is not an error.

use std::io::{self, IsTerminal, Write};

/// Writes data to stdout.
pub(crate) fn data(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a message to stderr; nobody can be told if that fails.
pub(crate) fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Warns on stderr.
pub(crate) fn warning(text: &str) {
    message(&format!("warning: {text}"));
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
