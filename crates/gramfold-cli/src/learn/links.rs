//! Files of pairs that belong together or apart.

use std::{collections::HashMap, path::Path};

use anyhow::bail;

use super::Nodes;
use crate::output;

/// A pair of nodes, and whether they belong together.
pub(crate) struct Link {
    pub(crate) pair: (u32, u32),
    pub(crate) together: bool,
    /// Where the file says so.
    pub(crate) line: usize,
}

/// Reads lines of two nodes, and 1 where they belong together, -1 where they do not. `what` they are is for messages.
///
/// # Errors
/// By the line that is none.
pub(crate) fn read_links(nodes: &Nodes, path: &Path, what: &str) -> anyhow::Result<Vec<Link>> {
    let expected = format!("two {what}, and 1 or -1");
    let mut links = Vec::new();
    for (pair, row) in nodes.read(path, 2, &expected)? {
        let (place, columns) = (row.at(path), row.fields.len());
        let Some(together) = sign(row.fields.get(2).map(String::as_str)) else {
            bail!("{place}: expected 1 or -1 after the {what}");
        };
        if columns > 3 {
            bail!("{place}: expected {expected}, found {columns} columns");
        }
        links.push(Link { pair: (pair[0] as u32, pair[1] as u32), together, line: row.line });
    }
    Ok(links)
}

/// Warns of the first pair that is said to belong together and apart.
pub(crate) fn warn_of_contradictions(links: &[Link], nodes: &Nodes, path: &Path) {
    let mut said = HashMap::new();
    for Link { pair: (i, j), together, line } in links {
        let (first, at) = *said.entry((i.min(j), i.max(j))).or_insert((together, line));
        if first != together {
            let (i, j) = (nodes.name(*i as usize), nodes.name(*j as usize));
            output::warning(&format!(
                "{}:{line}: {i} and {j} are said to belong together and apart, here and on line {at}",
                path.display()
            ));
            return;
        }
    }
}

/// Whether a pair belongs together.
fn sign(text: Option<&str>) -> Option<bool> {
    match text?.trim().to_ascii_lowercase().as_str() {
        "1" | "+1" | "1.0" | "must" | "must-link" | "same" | "together" => Some(true),
        "-1" | "-1.0" | "cannot" | "cannot-link" | "different" | "apart" => Some(false),
        _ => None,
    }
}
