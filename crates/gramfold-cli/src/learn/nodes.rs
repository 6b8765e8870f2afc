//! What nodes are called, in files that speak of them.

use std::{collections::HashMap, fs, path::Path};

use anyhow::bail;
use gramfold_io::{Row, read_rows};

use serde::de::DeserializeOwned;

use crate::{
    output,
    store::{Part, Saved},
};

/// The nodes of a problem, by name or by number from zero.
pub(crate) struct Nodes {
    count: usize,
    names: Option<Vec<String>>,
    places: HashMap<String, usize>,
}

impl Nodes {
    pub(crate) fn new(count: usize, names: Option<Vec<String>>) -> Self {
        let named = names.iter().flatten().cloned();
        let places = named.zip(0..).collect();
        Self { count, names, places }
    }

    /// Their names, where they have any.
    pub(crate) fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// What one is called.
    pub(crate) fn name(&self, node: usize) -> String {
        self.names.as_ref().map_or_else(|| node.to_string(), |names| names[node].clone())
    }

    /// The node of a name; integers may be written with zeros before them.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let number = name.parse::<u64>().ok();
        if self.names.is_none() {
            return usize::try_from(number?).ok().filter(|node| *node < self.count);
        }
        let exact = self.places.get(name);
        exact.or_else(|| self.places.get(&number?.to_string())).copied()
    }

    /// Reads lines that begin with `width` nodes. A first line that names none of them is a header.
    ///
    /// # Errors
    /// By the line, where a node is not known.
    pub(crate) fn read(
        &self,
        path: &Path,
        width: usize,
        what: &str,
    ) -> anyhow::Result<Vec<(Vec<usize>, Row)>> {
        let mut rows = read_rows(path, width, what)?;
        let unknown = |row: &Row| row.fields[..width].iter().all(|name| self.find(name).is_none());
        if rows.len() > 1 && unknown(&rows[0]) {
            rows.remove(0);
            output::note(&format!("{}: header skipped", path.display()));
        }
        self.resolve(path, rows, width)
    }

    /// The nodes that lines begin with.
    ///
    /// # Errors
    /// By the line, where a node is not known.
    pub(crate) fn resolve(
        &self,
        path: &Path,
        rows: Vec<Row>,
        width: usize,
    ) -> anyhow::Result<Vec<(Vec<usize>, Row)>> {
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let mut nodes = Vec::with_capacity(width);
            for name in &row.fields[..width] {
                let Some(node) = self.find(name) else {
                    bail!("{}: there is no node `{name}`", row.at(path));
                };
                nodes.push(node);
            }
            found.push((nodes, row));
        }
        Ok(found)
    }

    /// The file `names.txt`: a name a line, in node order, with `\\n` for a line break and `\\\\` for `\\`. None where nodes
    /// have only numbers.
    pub(crate) fn part(&self) -> Option<Part<'static>> {
        let names = self.names.as_ref()?;
        let escaped = |name: &String| {
            name.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r") + "\n"
        };
        let text: String = names.iter().map(escaped).collect();
        Some(Part::bytes("names", "names.txt", text))
    }

    /// The nodes of a directory that was written: named where it has `names.txt`.
    pub(crate) fn saved<S, D>(saved: &Saved<S, D>, count: usize) -> anyhow::Result<Self>
    where
        S: DeserializeOwned,
        D: DeserializeOwned,
    {
        if !saved.claims.files.contains_key("names") {
            return Ok(Self::new(count, None));
        }
        let text = fs::read_to_string(saved.path("names")?)?;
        let names: Vec<String> = text.split_terminator('\n').map(unescaped).collect();
        if names.len() != count {
            bail!("there are {} names for {count} nodes", names.len());
        }
        Ok(Self::new(count, Some(names)))
    }
}

fn unescaped(line: &str) -> String {
    let mut name = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        name.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                _ => '\\',
            },
            other => other,
        });
    }
    name
}

/// A field of a table whose fields are separated by commas.
pub(crate) fn field(name: &str) -> String {
    let plain = !name.contains([',', '"', '\n', '\r', '#', '%', ';', '\t']) && name.trim() == name;
    if plain && !name.is_empty() {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_by_name_or_by_number() {
        let numbered = Nodes::new(3, None);
        assert_eq!(
            (numbered.find("2"), numbered.find("3"), numbered.find("a")),
            (Some(2), None, None)
        );
        let named = Nodes::new(2, Some(vec!["7".into(), "ann".into()]));
        assert_eq!(unescaped(r"a\\n\nb"), "a\\n\nb");
        assert_eq!(
            (named.find("007"), named.find("ann"), named.find("0")),
            (Some(0), Some(1), None)
        );
    }
}
