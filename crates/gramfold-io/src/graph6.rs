//! graph6 and sparse6: a graph without weights in a line of printable characters (McKay, formats.txt of nauty).

use std::path::Path;

use crate::{
    Error, Graph, builder::Builder, graph::GraphOptions, limits::most_rows, quoted::quoted,
};

/// What files of the two formats may begin with.
pub(crate) const HEADERS: [&[u8]; 2] = [b">>graph6<<", b">>sparse6<<"];

/// Reads the first graph of the file.
pub(crate) fn parse(path: &Path, bytes: &[u8], options: GraphOptions) -> Result<Graph, Error> {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
    let line = HEADERS.iter().find_map(|header| line.strip_prefix(*header)).unwrap_or(line);
    let (sparse, line) = match line.strip_prefix(b":") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let refused = |expected: &str| Error::at_line(path, 1, expected, quoted(line));
    if line.is_empty() || line.iter().any(|byte| !(63..=126).contains(byte)) {
        return Err(refused("a graph in graph6 or sparse6"));
    }
    let (nodes, rest) = size(line).ok_or_else(|| refused("a number of nodes"))?;
    if nodes > most_rows(line.len() as u64) {
        return Err(refused("a number of nodes in proportion to the file"));
    }
    let mut builder = Builder::new(path);
    for node in 0..nodes {
        builder.declare(&node.to_string(), None, 0)?;
    }
    let mut bits =
        rest.iter().flat_map(|byte| (0..6).rev().map(move |k| ((byte - 63) >> k) & 1 == 1));
    if sparse {
        let width = u64::BITS - nodes.saturating_sub(1).leading_zeros();
        let mut current = 0;
        while let Some(step) = bits.next() {
            let mut other = 0;
            for _ in 0..width {
                let Some(bit) = bits.next() else { return builder.finish(options) };
                other = 2 * other + u64::from(bit);
            }
            current += u64::from(step);
            if current >= nodes {
                break;
            } else if other > current {
                current = other;
            } else {
                builder.edge((other as u32, current as u32), None, 1)?;
            }
        }
    } else {
        for j in 0..nodes {
            for i in 0..j {
                match bits.next() {
                    Some(true) => builder.edge((i as u32, j as u32), None, 1)?,
                    Some(false) => {}
                    None => return Err(refused("a bit for every pair of nodes")),
                }
            }
        }
    }
    builder.finish(options)
}

/// The number of nodes, in one, four or eight characters, and what follows it.
fn size(line: &[u8]) -> Option<(u64, &[u8])> {
    let value = |digits: &[u8]| digits.iter().fold(0, |n, byte| 64 * n + u64::from(byte - 63));
    match line {
        [126, 126, rest @ ..] => Some((value(rest.get(..6)?), &rest[6..])),
        [126, rest @ ..] => Some((value(rest.get(..3)?), &rest[3..])),
        [n, rest @ ..] => Some((u64::from(n - 63), rest)),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8]) -> Result<Graph, String> {
        parse(Path::new("g"), text, GraphOptions::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn examples_of_the_specification_are_read() {
        // 0-2, 0-4, 1-3, 3-4 on five nodes; and 0-1, 0-2, 1-2, 5-6 on seven.
        let dense = read(b">>graph6<<DQc\n").unwrap().matrix;
        assert_eq!((dense.dim(), dense.stored()), (5, 8));
        for (i, j) in [(0, 2), (0, 4), (1, 3), (3, 4)] {
            assert_eq!(dense.get(i, j), 1.0);
        }
        let sparse = read(b":Fa@x^\n").unwrap().matrix;
        assert_eq!((sparse.dim(), sparse.stored()), (7, 8));
        for (i, j) in [(0, 1), (0, 2), (1, 2), (5, 6)] {
            assert_eq!(sparse.get(i, j), 1.0);
        }
    }

    #[test]
    fn faults_are_named() {
        assert!(read(b">>graph6<<D\n").unwrap_err().contains("a bit for every pair of nodes"));
        assert!(read(b">>graph6<<~~~~~~~~\n").unwrap_err().contains("in proportion to the file"));
        assert!(read(b">>sparse6<<: \x01\n").unwrap_err().starts_with("g:1: expected a graph"));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(60_u8..=127, 0..12)) {
            let _ = read(&bytes);
        }
    }
}
