//! The pages that are opened: what writes each, and what must be seen on it.

/// A page: the command that writes it, how many figures it has at least, what its headline and what pointing at it must say, and
/// whether something on it is proved. Words in capitals are files.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [&'static str],
    pub(super) figures: &'static [(&'static str, usize)],
    pub(super) headline: &'static str,
    pub(super) says: &'static [&'static str],
    pub(super) proved: bool,
}

/// A graph whose names, and whose own name, try to be more than text.
const HOSTILE: &str = "source,target,weight\n\"<script>window.intruded=1</script>\",\"\"\"quoted\"\" & 'more'\",1\n\
                       \"\"\"quoted\"\" & 'more'\",\"\u{202e}turned\",1\n\"\u{202e}turned\",\"<script>window.intruded=1</script>\",1\n\
                       \"\u{202e}turned\",plain,1\nplain,last,1\nlast,ann,1\nann,plain,1\n";

/// The files that commands read beside those of `data/`: what stands for each, its name and what it holds.
pub(super) const FILES: [(&str, &str, &str); 5] = [
    ("GRAPH", "<img src=x onerror=window.intruded=1> \u{202e}\"'.csv", HOSTILE),
    ("PAIRS", "pairs.csv", "plain,last,1\nann,\u{202e}turned,-1\n"),
    ("PROGRAM", "program.dat-s", "1\n1\n2\n1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 1\n"),
    ("INFEASIBLE", "infeasible.dat-s", "1\n1\n2\n-1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 1\n"),
    (
        "CORRELATIONS",
        "correlations.csv",
        ",<script>window.intruded=1</script>,b,c,d\n<script>window.intruded=1</script>,1,.8,.6,.5\nb,.8,1,.5,.4\n\
         c,.6,.5,1,.3\nd,.5,.4,.3,1\n",
    ),
];

/// A name of the hostile graph where it is hovered.
const SCRIPT: &str = "hover[node <script>window.intruded=1</script>";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "cluster",
        arguments: &["cluster", "GRAPH", "-k", "2"],
        figures: &[("heatmap", 2), ("chart", 2), ("network", 1)],
        headline: "2 clusters of ",
        says: &[SCRIPT, "hover[node plain", "cell[row <script>", "chart[iteration"],
        proved: true,
    },
    Case {
        name: "factor",
        arguments: &["factor", "GRAPH", "--rank", "2", "--nonnegative"],
        figures: &[("heatmap", 2), ("chart", 2)],
        headline: "XXᵀ with 2 columns holds ",
        says: &["cell[row <script>window.intruded=1</script>"],
        proved: true,
    },
    Case {
        name: "maxcut",
        arguments: &["maxcut", "GRAPH"],
        figures: &[("heatmap", 1), ("network", 1), ("chart", 1)],
        headline: "A cut of 5: no other is better",
        says: &["hover[node ann", SCRIPT],
        proved: true,
    },
    Case {
        name: "bisect",
        arguments: &["bisect", "GRAPH"],
        figures: &[("heatmap", 1), ("network", 1), ("chart", 1)],
        headline: "A cut of 1: no other is better",
        says: &["hover[node ann", SCRIPT],
        proved: true,
    },
    Case {
        name: "theta",
        arguments: &["theta", "GRAPH"],
        figures: &[("chart", 1)],
        headline: "θ = 2",
        says: &[],
        proved: true,
    },
    Case {
        name: "solve",
        arguments: &["solve", "PROGRAM"],
        figures: &[("chart", 1)],
        headline: "⟨F₀, Y⟩ = 1, at most 1",
        says: &["chart[number"],
        proved: true,
    },
    Case {
        name: "infeasible",
        arguments: &["solve", "INFEASIBLE"],
        figures: &[],
        headline: "The program is infeasible",
        says: &[],
        proved: false,
    },
    Case {
        name: "complete",
        arguments: &["complete", "data/ratings.csv", "--rank", "3"],
        figures: &[("heatmap", 1), ("chart", 2)],
        headline: "Held-out entries are predicted to ±",
        says: &["cell[row cabbage"],
        proved: true,
    },
    Case {
        name: "locate",
        arguments: &["locate", "GRAPH", "--dim", "2"],
        figures: &[("network", 1), ("chart", 2)],
        headline: "The distances are met to ",
        says: &["hover[node ann", SCRIPT],
        proved: true,
    },
    Case {
        name: "factors",
        arguments: &["factors", "CORRELATIONS", "-k", "1"],
        figures: &[("heatmap", 2), ("chart", 1)],
        headline: "1 factor explains ",
        says: &["cell[row <script>window.intruded=1</script>"],
        proved: true,
    },
    Case {
        name: "metric",
        arguments: &["metric", "data/wine.csv", "--label-column", "cultivar"],
        figures: &[("heatmap", 1), ("chart", 3)],
        headline: "9",
        says: &["cell[row alcohol", "chart["],
        proved: true,
    },
    Case {
        name: "correlation",
        arguments: &["correlation", "CORRELATIONS", "--rank", "2"],
        figures: &[("heatmap", 2), ("chart", 1)],
        headline: "A correlation matrix of rank 2 at a distance of ",
        says: &["cell[row <script>window.intruded=1</script>"],
        proved: true,
    },
    Case {
        name: "recover",
        arguments: &["recover", "data/intensities.csv"],
        // The start is next to the answer: one iteration makes no curve of convergence.
        figures: &[("chart", 2)],
        headline: "The measurements are met to ",
        says: &["chart[measurements"],
        proved: true,
    },
    Case {
        name: "kernel",
        arguments: &["kernel", "GRAPH", "--pairs", "PAIRS"],
        figures: &[("heatmap", 1), ("network", 2), ("chart", 1)],
        headline: "All 2 pairs have the right sign",
        says: &["hover[node ann", SCRIPT, "cell[row"],
        proved: true,
    },
    Case {
        name: "fit",
        arguments: &["fit", "data/robust.toml"],
        figures: &[("heatmap", 1), ("chart", 1)],
        headline: "f + h = 2.",
        says: &["cell[row 0"],
        proved: true,
    },
    Case {
        name: "paper",
        arguments: &["paper"],
        figures: &[],
        headline: "The paper's 8 limits are reproduced",
        says: &[],
        proved: true,
    },
];
