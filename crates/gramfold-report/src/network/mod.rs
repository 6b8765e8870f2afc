//! A drawing of a graph: nodes in the colours of their groups, and what joins them.

mod figure;
mod layout;

/// A drawing of a graph.
///
/// The places of the nodes are given, or found here, the same every time: joined nodes attract, all repel each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Network {
    /// What the graph is.
    pub title: String,
    /// What the nodes are called.
    pub names: Vec<String>,
    /// The group of each node, as a place in `groups`.
    pub group: Vec<usize>,
    /// What the groups are called.
    pub groups: Vec<String>,
    /// The two ends and the weight of each edge.
    pub edges: Vec<(usize, usize, f64)>,
    /// Where the nodes are, if that is given; y grows upwards.
    pub places: Option<Vec<(f64, f64)>>,
    /// Edges with a larger weight than this stand out.
    pub strained: Option<f64>,
    /// A sentence below the drawing.
    pub caption: String,
}

impl Network {
    /// The most nodes that are drawn: more would hide each other.
    pub const MOST: usize = 2000;

    /// A graph without edges.
    ///
    /// ```
    /// use gramfold_report::Network;
    ///
    /// let names = ["a", "b", "c"].map(String::from).to_vec();
    /// let graph = Network::new("Friends", names, vec![0, 0, 1])
    ///     .groups(vec!["old".into(), "new".into()])
    ///     .edges(vec![(0, 1, 1.0), (1, 2, 0.5)]);
    /// assert_eq!(graph.names.len(), graph.group.len());
    /// ```
    pub fn new(title: impl Into<String>, names: Vec<String>, group: Vec<usize>) -> Self {
        Self { title: title.into(), names, group, ..Self::default() }
    }

    /// The graph with names for its groups.
    #[must_use]
    pub fn groups(mut self, groups: Vec<String>) -> Self {
        self.groups = groups;
        self
    }

    /// The graph with edges.
    #[must_use]
    pub fn edges(mut self, edges: Vec<(usize, usize, f64)>) -> Self {
        self.edges = edges;
        self
    }

    /// The graph with its nodes at given places, both axes in one scale; y grows upwards.
    #[must_use]
    pub fn placed(mut self, places: Vec<(f64, f64)>) -> Self {
        self.places = Some(places);
        self
    }

    /// The graph with edges heavier than this in another colour.
    #[must_use]
    pub fn strained(mut self, above: f64) -> Self {
        self.strained = Some(above);
        self
    }

    /// The graph with a sentence below it.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    pub(crate) fn html(&self) -> String {
        figure::figure(self)
    }
}
