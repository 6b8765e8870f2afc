//! The page as a whole: complete, escaped, self-contained and the same every time.

use gramfold_report::{Axis, Chart, Heatmap, Item, Page, Table};

fn page() -> Page {
    let chart = Chart::new("Gap <1>")
        .x(Axis::linear("iteration"))
        .y(Axis::log("gap"))
        .series("a & b", vec![(0.0, 1.0), (1.0, 1e-3), (2.0, 0.0)])
        .mark_y(1e-2, "tolerance");
    Page::new("Title <&>", "sub \"title\"")
        .section(
            "First",
            vec![
                Item::text("prose </p><script>"),
                Item::good("exact"),
                Item::bad("not optimal"),
                Item::command("gramfold solve a.mtx > b"),
            ],
        )
        .section(
            "Second",
            vec![
                Table::new("Runs", ["rule", "gap"]).row(vec!["fixed".into(), 1e-9.into()]).into(),
                chart.clone().into(),
                Item::Charts(vec![chart, Chart::new("none")]),
                Heatmap::new("K", 2, 2, vec![0.0, 1.0, 1.0, 0.0]).breaks(vec![1]).into(),
            ],
        )
}

#[test]
fn every_item_is_shown() {
    let html = page().to_html();
    for part in [
        "<title>Title &lt;&amp;&gt;</title>",
        "sub &quot;title&quot;",
        "prose &lt;/p&gt;&lt;script&gt;",
        "✓ Pass",
        "✗ Fail",
        "gramfold solve a.mtx &gt; b",
        "<caption>Runs</caption>",
        "1 point at or below zero not shown",
        "href=\"data:image/png;base64,iVBORw0KGgo",
        "data-name=\"a &amp; b\"",
        "10⁻²",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert_eq!(html.matches("<figure").count(), 3, "a chart without points is left out");
}

#[test]
fn the_page_refers_to_nothing_else() {
    let html = page().to_html();
    let addresses = html.matches("http").count();
    // The policy's `http-equiv` and the name of the SVG namespace in the script.
    assert_eq!(addresses, 2);
    assert!(!html.contains("url(") && !html.contains("@import") && !html.contains(" src=\""));
}

#[test]
fn elements_are_closed() {
    let html = page().to_html();
    for name in ["svg", "figure", "div", "section", "table", "tr", "td", "th", "g", "text", "p"] {
        let opened =
            html.matches(&format!("<{name}>")).count() + html.matches(&format!("<{name} ")).count();
        assert_eq!(opened, html.matches(&format!("</{name}>")).count(), "{name}");
    }
}

#[test]
fn the_same_data_give_the_same_page() {
    assert_eq!(page().to_html(), page().to_html());
}
