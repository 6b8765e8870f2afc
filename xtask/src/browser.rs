//! The reports of every command that writes one, opened in a real browser: wide and narrow, light and dark.
//!
//! Debian's chromium is installed where that can be done; where no browser can be had, the reports are written, and the check
//! says that they were not opened.

mod cases;

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::command::{program, root, run, say, target};
use cases::{CASES, Case, FILES};

/// Looks at a page, points at what answers, and says what it found.
const PROBE: &str = include_str!("browser/probe.js");

/// Holds pages at their widths, since windows have a least one, and writes down what their probes say.
const FRAMES: &str = r#"<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<style>iframe { position: absolute; left: 0; top: 0; height: 1600px; border: 0 }</style><pre></pre>
<script>addEventListener("message", event => { document.querySelector("pre").textContent += event.data + "\n"; });</script>
"#;

/// Something for the console, to see that it is heard.
const NOISE: &str = "<!doctype html><script>console.error('heard')</script>";

/// Widths of the pages.
const WIDTHS: [u32; 2] = [1280, 400];

/// Writes a report of every command, and opens them all.
pub(crate) fn check() -> bool {
    let directory = target().join("browser");
    if let Err(problem) = CASES.iter().try_for_each(|case| written(case, &directory)) {
        say(&format!("== reports: FAILED, {problem}"));
        return false;
    }
    let Some(browser) = browser() else {
        say("== reports in a browser: SKIPPED, there is no chromium and it could not be installed");
        return true;
    };
    match [false, true].into_iter().try_for_each(|dark| opened(&browser, &directory, dark)) {
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

/// Writes the page of a command, and beside it the same page with the probe.
fn written(case: &Case, directory: &Path) -> Result<(), String> {
    let directory = directory.join(case.name);
    let failed = |error: io::Error| format!("{}: {error}", directory.display());
    fs::create_dir_all(&directory).map_err(failed)?;
    let mut flags: Vec<String> = case.arguments.iter().map(ToString::to_string).collect();
    for (placeholder, file, text) in FILES {
        for flag in flags.iter_mut().filter(|flag| *flag == placeholder) {
            let path = directory.join(file);
            fs::write(&path, text).map_err(failed)?;
            *flag = path.to_string_lossy().into_owned();
        }
    }
    let page = directory.join("report.html");
    flags.extend(["--report".into(), page.to_string_lossy().into_owned()]);
    if case.name != "paper" {
        flags.extend(["--quiet".into(), "--out".into()]);
        flags.push(directory.join("out").to_string_lossy().into_owned());
    }
    let name = format!("a report of {}", case.name);
    if !run(&name, Command::new(program()).args(&flags).current_dir(root())) {
        return Err(format!("{} wrote no report", case.name));
    }
    let text = fs::read_to_string(&page).map_err(failed)?;
    let probed = text.replace("</body>", &format!("<script>{PROBE}</script></body>"));
    fs::write(directory.join("probed.html"), probed).map_err(failed)
}

/// Opens every page at every width in one browser, and looks at what their probes say.
fn opened(browser: &Path, directory: &Path, dark: bool) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {error}", directory.display());
    let mut html = FRAMES.to_owned() + "<iframe src=\"noise.html\"></iframe>\n";
    for case in CASES {
        for width in WIDTHS {
            let name = case.name;
            html += &format!(
                "<iframe src=\"{name}/probed.html#{name} at {width}\" style=\"width:{width}px\"></iframe>\n"
            );
        }
    }
    fs::write(directory.join("noise.html"), NOISE).map_err(failed)?;
    let frames = directory.join("frames.html");
    fs::write(&frames, html).map_err(failed)?;
    let shown = open(browser, &frames, dark)?;
    let (heard, said): (Vec<_>, Vec<_>) =
        console(&shown).into_iter().partition(|line| line.contains("\"heard\""));
    if heard.is_empty() {
        return Err("a message on the console was not heard: the check proves nothing".into());
    }
    if let Some(message) = said.first() {
        return Err(format!("the console says: {message}"));
    }
    let document = unescaped(&String::from_utf8_lossy(&shown.stdout));
    let mut problems = Vec::new();
    for case in CASES {
        for width in WIDTHS {
            let here = format!("{} at {width}", case.name);
            let start = format!("page{{{}¦", here.replace(' ', "%20"));
            let found = document.split_once(&start).and_then(|(_, rest)| rest.split_once("}page"));
            let (found, _) = found.unwrap_or_default();
            let shade = if dark { ", dark" } else { "" };
            if let Err(problem) = inspect(case, width, dark, found) {
                problems.push(format!("{here}{shade}: {problem}; found: {found}"));
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Compares what a probe found with what the page must be.
fn inspect(case: &Case, width: u32, dark: bool, found: &str) -> Result<(), String> {
    let parts: Vec<&str> = found.split('¦').collect();
    for (figure, count) in case.figures {
        let drawn = format!("{figure}:drawn");
        if parts.iter().filter(|part| **part == drawn).count() < *count {
            return Err(format!("expected {count} × {figure} at least"));
        }
    }
    if let Some(figure) = parts.iter().find(|part| part.ends_with("NOT DRAWN")) {
        return Err(format!("a figure is empty: {figure}"));
    }
    if let Some(figure) = parts.iter().find(|part| part.ends_with("[nothing]")) {
        return Err(format!("pointing at a figure tells nothing: {figure}"));
    }
    if parts.contains(&"passed:0") == case.proved {
        return Err(format!("expected a verdict: {}", case.proved));
    }
    let second = if case.name == "paper" { "Result" } else { "Certificate" };
    let first = if case.name == "paper" { "Findings" } else { "Answer" };
    let always = [
        "overflow:none".to_owned(),
        "broken:none".to_owned(),
        "scripts:none".to_owned(),
        format!("headline[{}", case.headline),
        format!("sections[{first}, {second}"),
        "failed:0".to_owned(),
        format!("width:{width}"),
        format!("dark:{dark}"),
    ];
    let wanted = case.says.iter().copied().chain(always.iter().map(String::as_str));
    match wanted.into_iter().find(|wanted| !parts.iter().any(|part| part.starts_with(wanted))) {
        Some(missing) => Err(format!("expected `{missing}`")),
        None => Ok(()),
    }
}

/// Text as it was before the browser wrote it down as HTML.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ").replace("&amp;", "&")
}

/// The document with what the pages in it have said. The browser's time may run out before: then it is asked again.
fn open(browser: &Path, page: &Path, dark: bool) -> Result<Output, String> {
    for budget in ["20000", "60000", "180000"] {
        let shown = launch(browser, page, dark, budget)?;
        let document = String::from_utf8_lossy(&shown.stdout);
        if document.matches("}page").count() >= CASES.len() * WIDTHS.len() {
            return Ok(shown);
        }
    }
    Err(format!("not every page of {} says something, asked three times", page.display()))
}

fn launch(browser: &Path, page: &Path, dark: bool, budget: &str) -> Result<Output, String> {
    let profile = env::temp_dir().join(format!("gramfold-browser-{}", std::process::id()));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--dump-dom", "--window-size=1400,1700"])
        .arg(format!("--virtual-time-budget={budget}"))
        .arg(format!("--blink-settings=preferredColorScheme={}", u8::from(!dark)))
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

/// What the pages said on their consoles.
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
