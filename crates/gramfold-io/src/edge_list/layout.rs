//! What the first line tells of all: separator, number of columns, header or not.

use crate::{
    Error,
    fields::{Separator, integer, is_misquoted, number},
    lines::Lines,
    records::Records,
};

/// What programs call the two ends of an edge in the header of a list without weights.
const HEADERS: [[&str; 2]; 4] =
    [["source", "target"], ["from", "to"], ["src", "dst"], ["node1", "node2"]];

/// What they call the weight.
const WEIGHTS: [&str; 2] = ["weight", "value"];

/// How the lines of a list are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layout {
    /// How many columns each line has.
    pub(super) columns: usize,
    /// Where the two ends of an edge are.
    pub(super) ends: [usize; 2],
    /// Where its weight is, if there is one.
    pub(super) weight: Option<usize>,
    /// The number of the first line.
    pub(super) line: usize,
    pub(super) header: Header,
}

/// Whether the first line names the columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Header {
    /// It is an edge.
    Absent,
    /// It is a header.
    Present,
    /// It is a header if every other line has integers where it has words.
    Possible,
}

/// Whether the first line only counts: nodes and edges, as graphs for Max-Cut have it. It is an edge unless it cannot
/// well be one: as many lines follow as it says, with nodes up to its first number, which its second is beyond (or the
/// lines have a weight, and it has none).
pub(super) fn only_counts(lines: &Lines<'_>) -> bool {
    let mut lines = lines.clone();
    let Some(first) = lines.next() else { return false };
    let separator = Separator::detect(first);
    let fields: Vec<_> = separator.fields(first).take(3).collect();
    let [nodes, edges] = fields[..] else { return false };
    let (Some(nodes), Some(edges)) = (integer(nodes), integer(edges)) else { return false };
    // In this order: a list that is no such file is told by its number of lines, mostly after a few.
    let limit = usize::try_from(edges).unwrap_or(usize::MAX).saturating_add(1);
    if lines.clone().take(limit).count() as u64 != edges {
        return false;
    }
    let mut weighted = false;
    let within = lines.all(|line| {
        let mut fields = Separator::detect(line).fields(line);
        let mut node = || fields.next().and_then(integer).is_some_and(|node| node <= nodes);
        let both = node() && node();
        weighted |= fields.next().is_some();
        both
    });
    within && (edges > nodes || weighted)
}

impl Layout {
    /// Looks at the first record, which stays to be read.
    pub(super) fn of(records: &Records<'_>) -> Result<Self, Error> {
        let mut records = records.clone();
        let Some(first) = records.next() else {
            return Err(records.empty("at least one edge"));
        };
        let fields: Vec<_> = first.collect();
        let (columns, line) = (fields.len(), records.number());
        if let Some((ends, weight)) = named(&fields) {
            return Ok(Self { columns, ends, weight, line, header: Header::Present });
        }
        if !matches!(columns, 2 | 3) {
            let expected = "2 columns (source, target) or 3 (and weight)";
            return Err(records.error(expected, columns.to_string()).with_hint(
                "a table of points is read with --points; a list with more columns needs a header with `source`, \
                 `target` and `weight`, a matrix as many lines as columns, an adjacency list a name that ends in .adjlist",
            ));
        }
        let header = match fields[..] {
            [source, target, ..] if integer(source).is_some() || integer(target).is_some() => {
                Header::Absent
            }
            _ if fields.iter().any(|field| is_misquoted(field)) => Header::Absent,
            [_, _, weight] if number(weight).is_none() && !weight.is_empty() => Header::Present,
            [_, _] => Header::Possible,
            _ => Header::Absent,
        };
        let weight = (columns == 3).then_some(2);
        Ok(Self { columns, ends: [0, 1], weight, line, header })
    }

    /// Whether the columns are source, target and perhaps weight, in this order and no others.
    pub(super) fn is_plain(&self) -> bool {
        self.ends == [0, 1] && (self.columns == 2 || self.weight == Some(2) && self.columns == 3)
    }
}

/// Where a header that names them has the ends and the weight.
fn named(fields: &[&[u8]]) -> Option<([usize; 2], Option<usize>)> {
    let place =
        |name: &str| fields.iter().position(|field| field.eq_ignore_ascii_case(name.as_bytes()));
    let ends = HEADERS.iter().find_map(|[from, to]| Some([place(from)?, place(to)?]))?;
    let weight = WEIGHTS.iter().find_map(|name| place(name));
    // Without such a name a third column is the weight, whatever it is called.
    let third = (fields.len() == 3 && ends == [0, 1]).then_some(2);
    Some((ends, weight.or(third)))
}
#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::records::Text;

    fn layout(text: &str) -> Result<Layout, String> {
        let text = Text::new(Path::new("a"), text.as_bytes()).unwrap();
        Layout::of(&text.records()).map_err(|error| error.to_string())
    }

    #[test]
    fn headers_are_told_from_edges() {
        for (line, header) in [
            ("1 2", Header::Absent),
            ("1 b", Header::Absent),
            ("1 2 x", Header::Absent),
            ("a b 0.5", Header::Absent),
            ("a b nan", Header::Absent),
            ("\"a b c", Header::Absent),
            ("a,b,", Header::Absent),
            ("a b", Header::Possible),
            ("Source,Target", Header::Present),
            ("from to", Header::Present),
            ("a b c", Header::Present),
        ] {
            assert_eq!(layout(line).unwrap().header, header, "{line}");
        }
    }

    #[test]
    fn a_line_of_counts_is_told_from_an_edge() {
        for (text, counts) in [
            ("3 4\n1 2\n2 3\n3 1\n1 1\n", true),
            ("3,4\n0,1\n\n# x\n1,2\n2,0\n1,1\n", true),
            ("4 2\n1 2 0.5\n2 3 1\n", true),
            ("4 2\n1 2\n2 3\n", false), // It may be an edge.
            ("3 4\n1 2\n2 3\n3 1\n", false),
            ("3 4\n1 2\n2 3\n3 1\n1 4\n", false),
            ("3 4\n1 2\n2 3\n3 a\n1 1\n", false),
            ("3 4 1\n1 2 1\n2 3 1\n3 1 1\n1 1 1\n", false),
            ("0 1\n1 2\n", false),
            ("a b\n", false),
            ("", false),
        ] {
            assert_eq!(only_counts(&Lines::new(Path::new("a"), text.as_bytes())), counts, "{text}");
        }
    }

    #[test]
    fn separator_and_columns_are_those_of_the_first_line() {
        let expected =
            Layout { columns: 3, ends: [0, 1], weight: Some(2), line: 3, header: Header::Absent };
        assert_eq!(layout("# x\n\n1;2;3\n4,5\n"), Ok(expected));
    }

    #[test]
    fn columns_are_found_by_their_names() {
        for (line, ends, weight) in [
            (",source,target,weight", [1, 2], Some(3)),
            ("Id;Source;Type;Target;Weight", [1, 3], Some(4)),
            ("from,to,count", [0, 1], Some(2)),
            ("weight,to,from", [2, 1], Some(0)),
            ("src dst kind label", [0, 1], None),
        ] {
            let layout = layout(line).unwrap();
            assert_eq!(
                (layout.ends, layout.weight, layout.header),
                (ends, weight, Header::Present)
            );
        }
    }

    #[test]
    fn other_numbers_of_columns_are_refused() {
        let columns = "expected 2 columns (source, target) or 3 (and weight), found";
        assert!(layout("\n1\n").unwrap_err().starts_with(&format!("a:2: {columns} 1; ")));
        assert!(layout("1 2 3 4 5").unwrap_err().starts_with(&format!("a:1: {columns} 5; ")));
        assert_eq!(layout("").unwrap_err(), "a: expected at least one edge, found an empty file");
        assert_eq!(layout("%").unwrap_err(), "a: expected at least one edge, found none");
    }
}
