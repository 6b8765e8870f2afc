//! Clusters that share nodes: what `--overlap` claims, writes and shows.

use std::collections::BTreeMap;

use gramfold::linalg::Mat;
use gramfold_cluster::{Memberships, overlapping};
use gramfold_report::{Cell, Item, Table, shortened};
use serde::{Deserialize, Serialize};

use crate::pages::{LETTERS, percent};

/// The file that holds the memberships.
pub(crate) const FILE: &str = "overlap.csv";

/// Rows of a table that are shown.
const ROWS: usize = 30;

/// What is claimed of overlapping clusters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Overlap {
    /// The share of a node's largest membership from which on another one counts.
    pub(crate) least: f64,
    /// Nodes of each cluster, those that it shares among them.
    pub(crate) sizes: Vec<usize>,
    /// Nodes that lie in several clusters.
    pub(crate) between: usize,
    /// The most clusters of a node.
    pub(crate) most: usize,
}

impl Overlap {
    /// The memberships of a factor, and what is claimed of them.
    pub(crate) fn of(factor: &Mat, labels: &[usize], least: f64) -> (Self, Memberships) {
        let memberships = overlapping(factor, labels, least);
        let mut sizes = vec![0; factor.cols()];
        for (cluster, _) in memberships.iter().flatten() {
            sizes[*cluster] += 1;
        }
        let between = memberships.iter().filter(|node| node.len() > 1).count();
        let most = memberships.iter().map(Vec::len).max().unwrap_or(0);
        (Self { least, sizes, between, most }, memberships)
    }

    /// One line of the summary.
    pub(crate) fn words(&self, nodes: usize) -> String {
        if self.between == 0 {
            return "overlap: no node is in several clusters\n".into();
        }
        let share = percent(self.between as f64 / nodes as f64);
        let are = if self.between == 1 { "is" } else { "are" };
        format!(
            "overlap: {} of {nodes} nodes ({share}) {are} in several clusters, in {} at most\n",
            self.between, self.most
        )
    }
}

/// A line for each membership: node, cluster and weight. Nodes without names are numbered from 0.
pub(crate) fn table(memberships: &Memberships, names: Option<&[String]>) -> String {
    let mut text = String::from("node,cluster,weight\n");
    for (i, clusters) in memberships.iter().enumerate() {
        let node = names.map_or_else(|| i.to_string(), |names| quoted(&names[i]));
        for (cluster, weight) in clusters {
            text += &format!("{node},{cluster},{weight}\n");
        }
    }
    text
}

fn quoted(name: &str) -> String {
    let plain = !name.contains(['"', ',', '\n', '\r']) && name.trim() == name && !name.is_empty();
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Whether a table says what another one does, but for the rounding of weights.
pub(crate) fn is_same(one: &str, two: &str) -> bool {
    let mut lines = one.lines().zip(two.lines());
    one.lines().count() == two.lines().count() && lines.all(|(a, b)| a == b || near(a, b))
}

fn near(one: &str, two: &str) -> bool {
    let parts = |line: &str| {
        let (membership, weight) = line.rsplit_once(',')?;
        Some((membership.to_owned(), weight.parse::<f64>().ok()?))
    };
    let (Some((a, weight)), Some((b, other))) = (parts(one), parts(two)) else { return false };
    a == b && (weight - other).abs() <= 1e-12
}

/// Which clusters share nodes, and the nodes that are the most evenly between them.
pub(super) fn shown(overlap: &Overlap, memberships: &Memberships, names: &[String]) -> Vec<Item> {
    let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for node in memberships {
        for (at, (a, _)) in node.iter().enumerate() {
            for (b, _) in &node[at + 1..] {
                *pairs.entry((*a.min(b), *a.max(b))).or_default() += 1;
            }
        }
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_by_key(|(clusters, count)| (std::cmp::Reverse(*count), *clusters));
    let mut shared = Table::new("Clusters that share nodes", ["clusters", "nodes in both"]);
    for ((a, b), count) in pairs.into_iter().take(ROWS) {
        shared = shared.row(vec![Cell::from(format!("{a} and {b}")), Cell::from(count as f64)]);
    }
    let mut between: Vec<usize> =
        (0..memberships.len()).filter(|&i| memberships[i].len() > 1).collect();
    between.sort_by(|&a, &b| memberships[a][0].1.total_cmp(&memberships[b][0].1).then(a.cmp(&b)));
    let mut nodes = Table::new("Nodes the most between clusters", ["node", "clusters"]);
    for i in between.into_iter().take(ROWS) {
        let parts = memberships[i].iter();
        let parts: Vec<String> =
            parts.map(|(cluster, share)| format!("{cluster} ({})", percent(*share))).collect();
        nodes = nodes
            .row(vec![Cell::from(shortened(&names[i], LETTERS)), Cell::from(parts.join(", "))]);
    }
    let words = overlap.words(memberships.len());
    let mut items = vec![Item::text(format!(
        "{} A membership counts from {} of the node's largest on.",
        words.trim_end().replacen("overlap: ", "", 1) + ".",
        percent(overlap.least)
    ))];
    if overlap.between > 0 {
        items.push(shared.into());
        items.push(nodes.into());
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_name_nodes_and_are_compared_but_for_rounding() {
        let memberships = vec![vec![(0, 0.75), (2, 0.25)], vec![(1, 1.0)]];
        let plain = table(&memberships, None);
        assert_eq!(plain, "node,cluster,weight\n0,0,0.75\n0,2,0.25\n1,1,1\n");
        let names = ["a, \"b\"".to_owned(), "c".to_owned()];
        let named = table(&memberships, Some(&names));
        assert!(named.contains("\"a, \"\"b\"\"\",2,0.25\n") && named.ends_with("\nc,1,1\n"));
        assert!(is_same(&plain, &plain.replace("0.75", "0.75000000000000011")));
        for other in [plain.replace("0.75", "0.7500001"), plain.replace("1,1,1", "1,2,1"), named] {
            assert!(!is_same(&plain, &other));
        }
        assert!(!is_same(&plain, "node,cluster,weight\n0,0,0.75\n"));
    }

    #[test]
    fn claims_count_the_memberships() {
        let factor = Mat::from_row_major(3, 2, vec![1.0, 0.0, 0.7, 0.7, 0.0, 1.0]);
        let (overlap, memberships) = Overlap::of(&factor, &[0, 0, 1], 0.4);
        assert_eq!((overlap.between, overlap.most, &overlap.sizes[..]), (1, 2, &[2, 2][..]));
        assert_eq!(memberships[1].len(), 2);
        assert_eq!(
            overlap.words(3),
            "overlap: 1 of 3 nodes (33.3 %) is in several clusters, in 2 at most\n"
        );
        let apart = Mat::from_row_major(2, 2, vec![1.0, 0.0, 0.0, 1.0]);
        let (none, _) = Overlap::of(&apart, &[0, 1], 0.4);
        assert_eq!(none.words(2), "overlap: no node is in several clusters\n");
    }
}
