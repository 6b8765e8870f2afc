//! Graphs whose file declares its nodes before, or beside, its edges.

use std::{collections::HashMap, path::Path};

use crate::{
    Error, Graph, Notes,
    edge_list::{Edges, assemble},
    graph::GraphOptions,
    limits::refuse_too_many,
    name::{repeated, unless_numbers},
    notes::counted,
    quoted::quoted,
};

/// A graph that is being read.
pub(crate) struct Builder<'a> {
    path: &'a Path,
    numbers: HashMap<String, u32>,
    /// By what the file knows the nodes, and what it calls them.
    ids: Vec<String>,
    names: Vec<String>,
    edges: Edges<u32>,
    /// The line of each edge, where the format has lines.
    lines: Vec<usize>,
    /// Whether the file says that edges have a direction.
    pub(crate) directed: bool,
    /// Whether some edge has no weight of its own.
    unweighted: bool,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(path: &'a Path) -> Self {
        Self {
            path,
            numbers: HashMap::new(),
            ids: Vec::new(),
            names: Vec::new(),
            edges: Edges { ends: Vec::new(), weights: Vec::new() },
            lines: Vec::new(),
            directed: false,
            unweighted: false,
        }
    }

    /// The number of a node, which is new if it has not been seen.
    pub(crate) fn node(&mut self, id: &str) -> u32 {
        if let Some(&number) = self.numbers.get(id) {
            return number;
        }
        let number = self.ids.len() as u32;
        self.numbers.insert(id.to_owned(), number);
        self.ids.push(id.to_owned());
        self.names.push(id.to_owned());
        number
    }

    /// Declares a node under its name, which may come once.
    pub(crate) fn declare(
        &mut self,
        id: &str,
        name: Option<&str>,
        line: usize,
    ) -> Result<(), Error> {
        if self.numbers.contains_key(id) {
            let found = format!("{} again", quoted(id.as_bytes()));
            return Err(self.error(line, "each node once", found));
        }
        let number = self.node(id) as usize;
        if let Some(name) = name {
            name.clone_into(&mut self.names[number]);
        }
        Ok(())
    }

    /// By what the file knows the nodes.
    pub(crate) fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The number of a node that must have been declared.
    pub(crate) fn declared(&self, id: &str, line: usize) -> Result<u32, Error> {
        let number = self.numbers.get(id).copied();
        number.ok_or_else(|| self.error(line, "a node of the graph", quoted(id.as_bytes())))
    }

    /// Adds an edge, which counts one where it has no weight; a line of zero is none.
    pub(crate) fn edge(
        &mut self,
        ends: (u32, u32),
        weight: Option<f64>,
        line: usize,
    ) -> Result<(), Error> {
        self.unweighted |= weight.is_none();
        let weight = weight.unwrap_or(1.0);
        if !weight.is_finite() {
            return Err(self.error(line, "a finite weight", format!("{weight:?}")));
        }
        self.edges.ends.push(ends);
        self.edges.weights.push(weight);
        self.lines.push(line);
        Ok(())
    }

    /// `path:line: expected …, found …`, without a line where it is zero.
    pub(crate) fn error(&self, line: usize, expected: &str, found: impl Into<String>) -> Error {
        match line {
            0 => Error::in_file(self.path, expected, found),
            line => Error::at_line(self.path, line, expected, found),
        }
    }

    /// The graph.
    pub(crate) fn finish(self, options: GraphOptions) -> Result<Graph, Error> {
        let count = self.ids.len();
        if count == 0 {
            return Err(Error::in_file(self.path, "at least one node", "none"));
        }
        refuse_too_many(self.path, count)?;
        let mut notes = Notes { unweighted: self.unweighted, ..Notes::default() };
        if self.directed {
            notes.say(format!("{} taken without direction", counted(self.edges.ends.len(), "arc")));
        }
        let line = |k: usize| self.lines.get(k).copied().filter(|line| *line > 0);
        let matrix = assemble(self.path, &self.edges, count, options, &line, &mut notes)?;
        let distinct = repeated(&self.names).is_none();
        if !distinct {
            notes.warn("two nodes have the same name: nodes are called by their identifiers");
        }
        let names = unless_numbers(if distinct { self.names } else { self.ids });
        Ok(Graph { matrix: matrix.into(), names, notes })
    }
}
