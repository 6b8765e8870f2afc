//! Files of other programs that are not read, by what they begin with.

use std::path::Path;

use memchr::memmem;

use crate::{Error, lines::BYTE_ORDER_MARK, npy};

/// What such files begin with, and what they are.
const KINDS: [(&[u8], &str); 6] = [
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"\xd0\xcf\x11\xe0", "a spreadsheet"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
];

/// What the file is, if it is none that is read.
fn kind(bytes: &[u8]) -> Option<&'static str> {
    if let Some((_, kind)) = KINDS.iter().find(|(start, _)| bytes.starts_with(start)) {
        return Some(kind);
    }
    let start = &bytes[..bytes.len().min(4096)];
    if start.starts_with(b"PK") && memmem::find(start, b"[Content_Types].xml").is_some() {
        return Some("a spreadsheet");
    }
    let array = start.starts_with(npy::MAGIC) || start.starts_with(b"PK");
    if !array && start.contains(&0) {
        return Some("binary data");
    }
    let text = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start).trim_ascii_start();
    let word = text.split(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
    let until = |end: &[u8]| memmem::find(text, end).unwrap_or(usize::MAX);
    let dot = matches!(word, b"graph" | b"digraph" | b"strict")
        && until(b"{") < until(b"[").min(until(b"\n").max(80));
    dot.then_some("a DOT file")
}

/// Refuses such a file by name, with what to write instead.
pub(crate) fn refuse(
    path: &Path,
    bytes: &[u8],
    expected: &str,
    hint: &'static str,
) -> Result<(), Error> {
    match kind(bytes) {
        None => Ok(()),
        Some(kind) => Err(Error::in_file(path, expected, kind).with_hint(hint)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_programs_are_called_by_their_names() {
        for (bytes, expected) in [
            (&b"PAR1\x15"[..], Some("a Parquet file")),
            (b"PK\x03\x04....[Content_Types].xml", Some("a spreadsheet")),
            (b"PK\x03\x04....data.npy", None),
            (b"strict digraph \"x\" {\n a -> b [w=1];\n}", Some("a DOT file")),
            (b"graph {\n}", Some("a DOT file")),
            (b"graph [ node [ id 0 label \"{\" ] ]", None),
            (b"graph theory {\n", Some("a DOT file")),
            (b"graphs,b\n{,}\n", None),
            (b"a b\nc \0\n", Some("binary data")),
            (b"\x93NUMPY\x01\0v\0{", None),
            (b"", None),
        ] {
            assert_eq!(kind(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
