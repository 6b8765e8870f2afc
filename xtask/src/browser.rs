//! The reports of every command that writes one, opened in a real browser: wide and narrow, light and dark.
//!
//! Debian's chromium is installed where that can be done; where no browser can be had, the check is skipped
//! and says so.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::command::{program, root, run, say};

/// Measures the page and each figure, points at nodes, and leaves what it found in the document.
const PROBE: &str = r#"<script>
const size = (e, least) => { const b = e.getBoundingClientRect(); return b.width > least && b.height > least; };
const decodes = image => { const copy = new Image(); copy.src = image.href.baseVal; return copy.decode(); };
const drawn = async figure => {
  const images = [...figure.querySelectorAll("image")];
  try { await Promise.all(images.map(decodes)); } catch { return false; }
  const marks = figure.querySelectorAll("path, polyline, line, rect, circle").length + 3 * images.length;
  return images.every(i => size(i, 5)) && [...figure.querySelectorAll("svg")].some(s => size(s, 50)) && marks > 3;
};
const hover = (element, x, y) => {
  element.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
};
const middle = element => { const b = element.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; };
const figures = [...document.querySelectorAll("figure")];
Promise.all(figures.map(drawn)).then(async all => {
  const found = figures.map((f, i) => f.className + ":" + all[i]);
  for (const node of document.querySelectorAll("circle.node")) {
    hover(node.ownerSVGElement, ...middle(node));
    const tip = node.closest(".stage").querySelector(".tip");
    if (tip && !tip.hidden) found.push("hover[" + tip.innerText.replaceAll("\n", " ") + "]");
  }
  for (const svg of document.querySelectorAll("svg.matrix[data-row-names]")) {
    const frame = svg.querySelector(".cells").getBoundingClientRect();
    hover(svg, frame.left + 1, frame.top + 1);
    await new Promise(done => setTimeout(done, 50));
    const tip = svg.closest(".stage").querySelector(".tip");
    if (tip && !tip.hidden) found.push("cell[" + tip.innerText.replaceAll("\n", " ") + "]");
  }
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth + 1;
  found.push("overflow:" + wide);
  found.push("headline[" + (document.querySelector(".headline") || { innerText: "" }).innerText + "]");
  found.push("scripts:" + (window.intruded === undefined ? "none" : "ran"));
  found.push("width:" + innerWidth, "dark:" + matchMedia("(prefers-color-scheme: dark)").matches);
  parent.postMessage("found{" + found.join("\u00a6") + "}found", "*");
});
</script>"#;

/// Holds a page at a width, since windows have a least one, and writes down what its probe says.
const FRAME: &str = r#"<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<iframe src="PAGE" style="width:WIDTHpx;height:1600px;border:0"></iframe><pre></pre>
<script>addEventListener("message", event => { document.querySelector("pre").textContent = event.data; });</script>"#;

/// Something for the console, to see that it is heard.
const NOISE: &str = r#"<script>console.error("heard")</script>"#;

/// A graph whose names, and whose own name, try to be more than text.
const HOSTILE: &str = "source,target\n\"<script>window.intruded=1</script>\",\"\"\"quoted\"\" & 'more'\"\n\
                       \"\"\"quoted\"\" & 'more'\",\"\u{202e}turned\"\n\"\u{202e}turned\",\"<script>window.intruded=1</script>\"\n\
                       \"\u{202e}turned\",plain\nplain,last\nlast,ann\nann,plain\n";

/// What its file is called.
const HOSTILE_NAME: &str = "<img src=x onerror=window.intruded=1> \u{202e}\"'.csv";

/// A small program, and one without a feasible point.
const PROGRAM: &str = "1\n1\n2\n1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 1\n";
const INFEASIBLE: &str = "1\n1\n2\n-1\n0 1 1 1 1\n1 1 1 1 1\n1 1 2 2 1\n";

/// A page: the command that writes it, the figures it has, what its headline and what pointing at it must say.
struct Case {
    arguments: &'static [&'static str],
    figures: &'static [(&'static str, usize)],
    headline: &'static str,
    says: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        arguments: &["cluster", "GRAPH", "-k", "2"],
        figures: &[("heatmap:true", 2), ("chart:true", 3), ("network:true", 1)],
        headline: "2 clusters of ",
        says: &["hover[node <script>window.intruded=1</script>", "hover[node plain", "cell["],
    },
    Case {
        arguments: &["factor", "GRAPH", "--rank", "2", "--nonnegative"],
        figures: &[("heatmap:true", 2), ("chart:true", 3)],
        headline: "XXᵀ with 2 columns",
        says: &["cell["],
    },
    Case {
        arguments: &["maxcut", "GRAPH"],
        figures: &[("heatmap:true", 1), ("network:true", 1)],
        headline: "A cut of ",
        says: &["hover[node ann"],
    },
    Case {
        arguments: &["bisect", "GRAPH"],
        figures: &[("heatmap:true", 1), ("network:true", 1)],
        headline: "A cut of ",
        says: &["hover[node ann"],
    },
    Case {
        arguments: &["complete", "GRAPH", "--rank", "1", "--ridge", "0.1", "--biases", "none"],
        figures: &[("heatmap:true", 1)],
        headline: "Held-out entries are predicted to ",
        says: &["cell["],
    },
    Case {
        arguments: &["locate", "GRAPH", "--dim", "2"],
        figures: &[("network:true", 1)],
        headline: "The distances are met to ",
        says: &["hover[node ann"],
    },
    Case { arguments: &["theta", "GRAPH"], figures: &[], headline: "θ = ", says: &[] },
    Case {
        arguments: &["solve", "PROGRAM"], figures: &[], headline: "⟨F₀, Y⟩ = 1", says: &[]
    },
    Case {
        arguments: &["solve", "INFEASIBLE"],
        figures: &[],
        headline: "The program is infeasible",
        says: &[],
    },
    Case {
        arguments: &["paper"],
        figures: &[],
        headline: "The paper's 8 limits are reproduced",
        says: &[],
    },
];

/// Widths of the page, and whether it is dark.
const WINDOWS: [(u32, bool); 4] = [(1280, false), (1280, true), (400, false), (400, true)];

/// Opens a report of every command.
pub(crate) fn check() -> bool {
    let Some(browser) = browser() else {
        say("== reports in a browser: SKIPPED, there is no chromium and it could not be installed");
        return true;
    };
    match CASES
        .iter()
        .try_for_each(|case| written(case).and_then(|page| inspect(&browser, case, &page)))
    {
        Ok(()) => {
            let pages = CASES.len();
            say(&format!(
                "== reports in a browser: passed, {pages} pages wide and narrow, light and dark"
            ));
            true
        }
        Err(problem) => {
            say(&format!("== reports in a browser: FAILED, {problem}"));
            false
        }
    }
}

/// The page of a command.
fn written(case: &Case) -> Result<PathBuf, String> {
    let name = case.arguments.join("-");
    let directory = root().join("target/browser").join(&name);
    let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
    fs::create_dir_all(&directory).map_err(failed)?;
    let files = [
        ("GRAPH", HOSTILE_NAME, HOSTILE),
        ("PROGRAM", "program.dat-s", PROGRAM),
        ("INFEASIBLE", "infeasible.dat-s", INFEASIBLE),
    ];
    let mut flags: Vec<String> = case.arguments.iter().map(ToString::to_string).collect();
    for (placeholder, file, text) in files {
        let path = directory.join(file);
        fs::write(&path, text).map_err(failed)?;
        for flag in flags.iter_mut().filter(|flag| *flag == placeholder) {
            *flag = path.to_string_lossy().into_owned();
        }
    }
    let page = directory.join("report.html");
    flags.extend(["--report".into(), page.to_string_lossy().into_owned()]);
    if case.arguments[0] != "paper" {
        flags.extend(["--out".into(), directory.join("out").to_string_lossy().into_owned()]);
    }
    let name = format!("a report of {}", case.arguments[0]);
    if run(&name, Command::new(program()).args(&flags).current_dir(root())) {
        Ok(page)
    } else {
        Err(format!("{} wrote no report", case.arguments[0]))
    }
}

fn inspect(browser: &Path, case: &Case, report: &Path) -> Result<(), String> {
    let text = fs::read_to_string(report).map_err(|error| error.to_string())?;
    let with = |name: &str, addition: &str| {
        let path = report.with_file_name(name);
        fs::write(&path, text.replace("</body>", &format!("{addition}</body>"))).map(|()| path)
    };
    with("probed.html", PROBE).map_err(|error| error.to_string())?;
    let noisy = with("noisy.html", NOISE).map_err(|error| error.to_string())?;
    if console(&open(browser, &noisy, false)?).is_empty() {
        return Err("a message on the console was not heard: the check proves nothing".into());
    }
    for (width, dark) in WINDOWS {
        let here =
            format!("{} at {width} pixels{}", case.arguments[0], if dark { ", dark" } else { "" });
        let frame = report.with_file_name("frame.html");
        let html = FRAME.replace("PAGE", "probed.html").replace("WIDTH", &width.to_string());
        fs::write(&frame, html).map_err(|error| error.to_string())?;
        let shown = answered(browser, &frame, dark)?;
        if let Some(message) = console(&shown).first() {
            return Err(format!("{here}: the console says: {message}"));
        }
        let document = String::from_utf8_lossy(&shown.stdout);
        let found = document.rsplit("found{").next().and_then(|rest| rest.split("}found").next());
        let found = unescaped(found.unwrap_or_default());
        let parts: Vec<&str> = found.split('¦').collect();
        for (figure, count) in case.figures {
            if parts.iter().filter(|part| *part == figure).count() != *count {
                return Err(format!("{here}: expected {count} × {figure}, found: {found}"));
            }
        }
        let headline = format!("headline[{}", case.headline);
        let (width, dark) = (format!("width:{width}"), format!("dark:{dark}"));
        let always = ["overflow:false", "scripts:none", &headline, &width, &dark];
        let wanted = case.says.iter().copied().chain(always);
        for wanted in wanted {
            if !parts.iter().any(|part| part.starts_with(wanted)) {
                return Err(format!("{here}: expected `{wanted}`, found: {found}"));
            }
        }
        // A run that ends at once has no gap to draw on a logarithmic axis.
        if parts.iter().any(|part| {
            part.ends_with(":false")
                && !["overflow:false", "dark:false", "chart:false"].contains(part)
        }) {
            return Err(format!("{here}: a figure is not drawn: {found}"));
        }
    }
    Ok(())
}

/// Text as it was before the browser wrote it down as HTML.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&")
}

/// The frame with what the page in it has said. The browser's time may run out before: then it is asked again.
fn answered(browser: &Path, frame: &Path, dark: bool) -> Result<Output, String> {
    for _ in 0..5 {
        let shown = open(browser, frame, dark)?;
        let silent = !String::from_utf8_lossy(&shown.stdout).contains("}found");
        if !silent || !console(&shown).is_empty() {
            return Ok(shown);
        }
    }
    Err(format!("{} says nothing, asked five times", frame.display()))
}

fn open(browser: &Path, page: &Path, dark: bool) -> Result<Output, String> {
    let profile = env::temp_dir().join(format!("gramfold-browser-{}", std::process::id()));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom"])
        .arg("--window-size=1400,1700")
        .arg(if dark {
            "--blink-settings=preferredColorScheme=0"
        } else {
            "--blink-settings=preferredColorScheme=1"
        })
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", page.display()))
        .output();
    let _ = fs::remove_dir_all(&profile);
    let output = output.map_err(|error| format!("{} does not run: {error}", browser.display()))?;
    if !output.status.success() || output.stdout.is_empty() {
        return Err(format!("the browser ended with {} and no page", output.status));
    }
    Ok(output)
}

/// What the page said on its console.
fn console(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect()
}

/// A browser, installed if it has to be and can be.
fn browser() -> Option<PathBuf> {
    find().or_else(|| {
        let apt = |arguments: &[&str]| {
            let mut command = Command::new("apt-get");
            command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
            run("a browser", &mut command)
        };
        let arguments = ["install", "--yes", "--no-install-recommends", "chromium"];
        (apt(&["update"]) && apt(&arguments)).then(find).flatten()
    })
}

fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    env::split_paths(&path)
        .flat_map(|directory| names.map(|name| directory.join(name)))
        .find(|candidate| candidate.is_file())
}
