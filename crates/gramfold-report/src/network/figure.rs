//! Puts the drawing of a graph together: title, legend, edges, nodes and caption.

use super::{Network, layout::places};
use crate::number::{coordinate, range};
use crate::plot::label_width;
use crate::text::{escape, framed, shortened};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 620.0;
const MARGIN: f64 = 14.0;

/// Colours there are for groups.
const COLOURS: usize = 8;

/// The most edges that are drawn, the heaviest.
const EDGES: usize = 12_000;

/// Nodes up to which names are written beside them.
const NAMED: usize = 60;

/// Characters of a name that are written.
const LETTERS: usize = 16;

/// The height of a line of text.
const LINE: f64 = 13.0;

/// The figure of a graph.
pub(super) fn figure(network: &Network) -> String {
    let n = network.names.len();
    if n == 0 || network.group.len() != n {
        return String::new();
    }
    let mut remarks = Vec::new();
    let shown = legend(network) + &drawing(network, &mut remarks);
    framed("network", &network.title, &shown, &network.caption, &remarks)
}

fn legend(network: &Network) -> String {
    let entry = |(index, name): (usize, &String)| {
        format!("<span class=\"c{}\"><i></i>{}</span>", index % COLOURS + 1, escape(name))
    };
    let used = |(index, _): &(usize, &String)| network.group.contains(index);
    let entries: String = network.groups.iter().enumerate().filter(used).map(entry).collect();
    format!("<p class=\"key\">{entries}</p>\n")
}

fn drawing(network: &Network, remarks: &mut Vec<String>) -> String {
    let n = network.names.len();
    let pixels = pixels(network);
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
    let stands_out = |weight: f64| network.strained.is_some_and(|above| weight > above);
    let path = |strained: bool| -> String {
        let drawn = edges.iter().filter(|(_, _, weight)| stands_out(*weight) == strained);
        drawn.map(|(i, j, _)| format!("M{}L{}", point(pixels[*i]), point(pixels[*j]))).collect()
    };
    // Thin where there are many, so that the nodes stay to be seen.
    let opacity = (60.0 / (edges.len() as f64).max(1.0).sqrt() / 10.0).clamp(0.08, 0.6);
    let radius = (130.0 / (n as f64).sqrt()).clamp(2.5, 8.0);
    let mut svg = format!(
        "<div class=\"stage\"><svg class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{}\">\n<path class=\"edges\" style=\"opacity:{opacity:.2}\" d=\"{}\"/>\n",
        escape(&description(network)),
        path(false)
    );
    let strained = path(true);
    if !strained.is_empty() {
        svg += &format!("<path class=\"edges strained\" d=\"{strained}\"/>\n");
    }
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
    svg += &labels(network, &pixels, radius);
    svg + "</svg></div>\n"
}

/// The names beside the nodes of a small graph, but for those that would lie on another.
fn labels(network: &Network, pixels: &[(f64, f64)], radius: f64) -> String {
    if network.names.len() > NAMED {
        return String::new();
    }
    let mut taken: Vec<[f64; 4]> =
        pixels.iter().map(|(x, y)| [x - radius, y - radius, x + radius, y + radius]).collect();
    let mut svg = String::new();
    for (name, &(x, y)) in network.names.iter().zip(pixels) {
        let short = shortened(name, LETTERS);
        let (width, gap) = (label_width(&short), radius + 3.0);
        // To the right where there is room, else to the left.
        for (left, anchor, at) in [(x + gap, "start", x + gap), (x - gap - width, "end", x - gap)] {
            let room = [left, y - 0.5 * LINE, left + width, y + 0.5 * LINE];
            let apart = |other: &[f64; 4]| {
                room[2] <= other[0]
                    || other[2] <= room[0]
                    || room[3] <= other[1]
                    || other[3] <= room[1]
            };
            if left >= 0.0 && left + width <= WIDTH && taken.iter().all(apart) {
                svg += &format!(
                    "<text class=\"note\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" pointer-events=\"none\">{}</text>\n",
                    coordinate(at),
                    coordinate(y + 4.0),
                    escape(&short),
                );
                taken.push(room);
                break;
            }
        }
    }
    svg
}

/// Where the nodes are drawn.
fn pixels(network: &Network) -> Vec<(f64, f64)> {
    let (width, height) = (WIDTH - 2.0 * MARGIN, HEIGHT - 2.0 * MARGIN);
    let n = network.names.len();
    let Some(given) = network.places.as_ref().filter(|given| given.len() == n) else {
        let places = places(network).into_iter();
        return places.map(|(x, y)| (MARGIN + x * width, MARGIN + y * height)).collect();
    };
    let along = |value: fn(&(f64, f64)) -> f64| {
        range(given.iter().map(value).filter(|value| value.is_finite()))
    };
    let ((left, right), (bottom, top)) = (along(|p| p.0), along(|p| p.1));
    let scale = (width / (right - left)).min(height / (top - bottom));
    let scale = if scale.is_finite() { scale } else { 0.0 };
    let place = |&(x, y): &(f64, f64)| {
        let across = scale * (x - 0.5 * (left + right));
        let up = scale * (y - 0.5 * (bottom + top));
        (0.5 * WIDTH + across, 0.5 * HEIGHT - up)
    };
    given.iter().map(place).collect()
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
    fn given_places_keep_their_shape_and_strained_edges_stand_out() {
        let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let network = Network::new("", names, vec![0; 3])
            .placed(vec![(0.0, 0.0), (2.0, 0.0), (0.0, 1.0)])
            .edges(vec![(0, 1, 0.1), (0, 2, 3.0)])
            .strained(1.0);
        let at = pixels(&network);
        let along = |i: usize| (at[i].0 - at[0].0).hypot(at[i].1 - at[0].1);
        assert!((along(1) - 2.0 * along(2)).abs() < 1e-9 && at[2].1 < at[0].1, "{at:?}");
        assert_eq!(network.html().matches("edges strained").count(), 1);
        let lone = Network::new("", vec!["a".into()], vec![0]).placed(vec![(7.0, 7.0)]);
        assert_eq!(pixels(&lone), [(0.5 * WIDTH, 0.5 * HEIGHT)]);
    }

    #[test]
    fn names_of_a_small_graph_are_written_where_there_is_room() {
        let names: Vec<String> =
            ["ann", "a name that is much too long", "on top"].map(String::from).to_vec();
        let network =
            Network::new("", names, vec![0; 3]).placed(vec![(0.0, 0.0), (9.0, 0.0), (0.001, 0.0)]);
        let html = network.html();
        assert_eq!(html.matches("<text").count(), 2, "{html}");
        assert!(html.contains(">ann</text>") && html.contains("text-anchor=\"end\""), "{html}");
        assert!(html.contains(">a name that is …</text>"), "{html}");
        let many = Network::new("", vec!["x".into(); NAMED + 1], vec![0; NAMED + 1]);
        assert!(!many.html().contains("<text"));
    }

    #[test]
    fn a_graph_without_nodes_is_left_out() {
        assert_eq!(Network::default().html(), "");
    }
}
