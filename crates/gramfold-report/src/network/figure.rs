//! Puts the drawing of a graph together: title, legend, edges, nodes and caption.

use super::{Network, layout::places};
use crate::number::coordinate;
use crate::text::{escape, sentence};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 620.0;
const MARGIN: f64 = 14.0;

/// Colours there are for groups.
const COLOURS: usize = 8;

/// The most edges that are drawn, the heaviest.
const EDGES: usize = 12_000;

/// The figure of a graph.
pub(super) fn figure(network: &Network) -> String {
    let mut html = String::from("<figure class=\"network\">\n");
    if !network.title.is_empty() {
        html += &format!("<figcaption>{}</figcaption>\n", escape(&network.title));
    }
    let n = network.names.len();
    let mut remarks = Vec::new();
    if n == 0 || network.group.len() != n {
        html += "<p class=\"nothing\">nothing to draw</p>\n";
    } else {
        html += &legend(network);
        html += &drawing(network, &mut remarks);
    }
    if !network.caption.is_empty() {
        html += &format!("<p class=\"caption\">{}</p>\n", escape(&network.caption));
    }
    if !remarks.is_empty() {
        html += &format!("<p class=\"remark\">{}</p>\n", sentence(&remarks));
    }
    html + "</figure>\n"
}

fn legend(network: &Network) -> String {
    let entry = |(index, name): (usize, &String)| {
        format!("<span class=\"c{}\"><i></i>{}</span>", index % COLOURS + 1, escape(name))
    };
    let entries: String = network.groups.iter().enumerate().map(entry).collect();
    format!("<p class=\"key\">{entries}</p>\n")
}

fn drawing(network: &Network, remarks: &mut Vec<String>) -> String {
    let n = network.names.len();
    let pixels: Vec<(f64, f64)> = places(network)
        .into_iter()
        .map(|(x, y)| (MARGIN + x * (WIDTH - 2.0 * MARGIN), MARGIN + y * (HEIGHT - 2.0 * MARGIN)))
        .collect();
    let mut edges: Vec<&(usize, usize, f64)> =
        network.edges.iter().filter(|(i, j, _)| i != j && *i < n && *j < n).collect();
    if edges.len() > EDGES {
        remarks.push(format!("the heaviest {EDGES} of {} edges are drawn", edges.len()));
        edges.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        edges.truncate(EDGES);
    }
    if network.groups.len() > COLOURS {
        remarks.push(format!("colours repeat after {COLOURS} groups"));
    }
    let point = |(x, y): (f64, f64)| format!("{} {}", coordinate(x), coordinate(y));
    let path: String = edges
        .iter()
        .map(|(i, j, _)| format!("M{}L{}", point(pixels[*i]), point(pixels[*j])))
        .collect();
    // Thin where there are many, so that the nodes stay to be seen.
    let opacity = (60.0 / (edges.len() as f64).max(1.0).sqrt() / 10.0).clamp(0.08, 0.6);
    let radius = (130.0 / (n as f64).sqrt()).clamp(2.5, 8.0);
    let mut svg = format!(
        "<div class=\"stage\"><svg class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{}\">\n<path class=\"edges\" style=\"opacity:{opacity:.2}\" d=\"{path}\"/>\n",
        escape(&description(network))
    );
    for ((name, &group), &(x, y)) in network.names.iter().zip(&network.group).zip(&pixels) {
        svg += &format!(
            "<circle class=\"node c{}\" cx=\"{}\" cy=\"{}\" r=\"{}\" data-name=\"{}\" data-group=\"{}\"/>\n",
            group % COLOURS + 1,
            coordinate(x),
            coordinate(y),
            coordinate(radius),
            escape(name),
            escape(network.groups.get(group).map_or("", String::as_str)),
        );
    }
    svg + "</svg></div>\n"
}

fn description(network: &Network) -> String {
    let title = if network.title.is_empty() { "Graph" } else { &network.title };
    format!("{title}: {} nodes, {} edges", network.names.len(), network.edges.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_whatever_they_hold() {
        let names = vec!["<script>\"x\"</script>".to_owned(), "a\u{202e}b".to_owned()];
        let html = Network::new("<b>", names, vec![0, 1])
            .groups(vec!["cluster 0".into(), "& 1".into()])
            .edges(vec![(0, 1, 1.0), (0, 7, 1.0)])
            .html();
        assert!(
            html.contains("data-name=\"&lt;script&gt;&quot;x&quot;&lt;/script&gt;\""),
            "{html}"
        );
        assert!(
            html.contains("&amp; 1") && !html.contains("<script>") && !html.contains('\u{202e}')
        );
        assert_eq!(html.matches("<circle").count(), 2);
    }

    #[test]
    fn a_graph_without_nodes_says_so() {
        assert!(Network::default().html().contains("nothing to draw"));
    }
}
