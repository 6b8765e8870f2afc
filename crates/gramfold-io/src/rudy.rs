//! Graphs as rudy and the Gset write them: `n m`, then m lines `i j w` with nodes from 1.

use std::path::Path;

use gramfold_linalg::{Csr, Symmetric};

use crate::{
    Error, Graph, Notes,
    edge_list::{Edges, assemble},
    fields::{Separator, integer, number, shown},
    graph::GraphOptions,
    limits::{LARGEST, most_rows},
    lines::Lines,
};

/// Reads a graph whose first line has two numbers and whose others, if it says that there are any, have three, plain or
/// gzipped; none if the first two lines are not made so.
///
/// Nodes that no edge has exist all the same. Weights must be finite.
pub(crate) fn parse(
    path: &Path,
    bytes: &[u8],
    options: GraphOptions,
) -> Result<Option<Graph>, Error> {
    let mut lines = Lines::new(path, bytes);
    let fields = |line| Separator::Blanks.fields(line);
    let mut look = lines.clone();
    let Some((n, m)) = look.next().and_then(|line| {
        let mut fields = fields(line);
        let sizes = (integer(fields.next()?)?, integer(fields.next()?)?);
        fields.next().is_none().then_some(sizes)
    }) else {
        return Ok(None);
    };
    // `3 0` alone has as many edges as it says: none.
    let fits = match look.next() {
        Some(line) => fields(line).count() == 3,
        None => n > 0 && m == 0,
    };
    if !fits {
        return Ok(None);
    }
    lines.next();
    // Each edge takes at least six bytes with its line end: nothing is allocated on the word of the header alone.
    let held = lines.rest().len() as u64 / 6 + 1;
    if n > LARGEST || n > most_rows(held) {
        return Err(lines.error("a number of nodes in proportion to the edges", n.to_string()));
    }
    let mut edges = Vec::with_capacity(m.min(held) as usize);
    let node = |field: Option<&[u8]>, lines: &Lines<'_>| match field.and_then(integer) {
        Some(node) if 1 <= node && node <= n => Ok((node - 1) as u32),
        _ => Err(lines.error(format!("a node from 1 to {n}"), shown(field))),
    };
    while let Some(line) = lines.next() {
        let mut fields = fields(line);
        let (i, j) = (node(fields.next(), &lines)?, node(fields.next(), &lines)?);
        let field = fields.next();
        let weight = field.and_then(number).filter(|weight| weight.is_finite());
        let weight = weight.ok_or_else(|| lines.error("a finite weight", shown(field)))?;
        if let Some(more) = fields.next() {
            return Err(lines.error("two nodes and a weight", shown(Some(more))));
        }
        edges.push((i.min(j), i.max(j), weight));
    }
    if edges.len() as u64 != m {
        let expected = format!("{m} edges, as the first line says");
        return Err(Error::in_file(path, expected, edges.len().to_string()));
    }
    let loops = edges.iter().filter(|(i, j, _)| i == j).count();
    let matrix = Csr::from_triangle(n as usize, &edges)
        .map_err(|error| Error::not_symmetric(path, error))?;
    if matrix.stored() == 2 * edges.len() - loops {
        return Ok(Some(Symmetric::from(matrix).into()));
    }
    // Only where some edge is repeated.
    let edges = Edges {
        ends: edges.iter().map(|&(i, j, _)| (i, j)).collect(),
        weights: edges.iter().map(|edge| edge.2).collect(),
    };
    let mut notes = Notes::default();
    let mut start = Lines::new(path, bytes);
    start.next();
    let line = |k| Some(start.number_after(k));
    let matrix = assemble(path, &edges, n as usize, options, &line, &mut notes)?;
    Ok(Some(Graph { matrix: matrix.into(), names: None, notes }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Duplicates;

    fn read(text: &str) -> Result<Option<Graph>, String> {
        parse(Path::new("g"), text.as_bytes(), GraphOptions::default())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn nodes_count_from_one_and_may_be_alone() {
        let graph = read(" 4 2\n1 2 1\n3 2 -2.5\n").unwrap().unwrap();
        let expected = Csr::from_triangle(4, &[(0, 1, 1.0), (1, 2, -2.5)]).unwrap();
        assert_eq!(graph, Symmetric::from(expected).into());
    }

    #[test]
    fn no_edges_are_as_many_as_the_header_says() {
        let lone = Csr::from_triangle(3, &[]).unwrap();
        assert_eq!(read("3 0\n"), Ok(Some(Symmetric::from(lone).into())));
    }

    #[test]
    fn other_lists_are_left_to_others() {
        for text in ["1 2\n2 3\n", "1 2 1\n2 3 1\n", "a b\n1 2 3\n", "", "0 0\n"] {
            assert_eq!(read(text), Ok(None), "{text:?}");
        }
    }

    #[test]
    fn edges_that_come_again_follow_the_rule() {
        let text = "3 3\n1 2 1\n2 3 1\n2 1 4\n";
        let read_as = |duplicates| {
            let options = GraphOptions { duplicates, ..GraphOptions::default() };
            parse(Path::new("g"), text.as_bytes(), options).map_err(|error| error.to_string())
        };
        let weight = |duplicates| read_as(duplicates).unwrap().unwrap().matrix.get(0, 1);
        assert_eq!((weight(Duplicates::First), weight(Duplicates::Sum)), (1.0, 5.0));
        let message = read_as(Duplicates::Refuse).unwrap_err();
        assert!(message.starts_with("g:4: expected each edge once"), "{message}");
    }

    #[test]
    fn faults_have_their_line() {
        for (text, message) in [
            ("3 1\n1 4 1\n", "g:2: expected a node from 1 to 3, found `4`"),
            ("3 2\n1 2 1\n0 2 1\n", "g:3: expected a node from 1 to 3, found `0`"),
            ("3 1\n1 2 x\n", "g:2: expected a finite weight, found `x`"),
            ("3 1\n1 2 inf\n", "g:2: expected a finite weight, found `inf`"),
            ("3 2\n1 2 1\n1 3 1 1\n", "g:3: expected two nodes and a weight, found `1`"),
            ("3 2\n1 2 1\n", "g: expected 2 edges, as the first line says, found 1"),
            (
                "4000000000 1\n1 2 1\n",
                "g:1: expected a number of nodes in proportion to the edges, found 4000000000",
            ),
        ] {
            assert_eq!(read(text), Err(message.to_owned()), "{text:?}");
        }
    }
}
