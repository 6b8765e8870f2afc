//! The report, opened in a real browser: the console stays clean and every plot is drawn.
//!
//! Debian's chromium is installed where that can be done; where no browser can be had, the check is skipped
//! and says so.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::command::{cargo, root, run, say};

/// Measures each figure and leaves what it found in the document.
const PROBE: &str = r#"<script>
const size = (e, least) => { const b = e.getBoundingClientRect(); return b.width > least && b.height > least; };
const decodes = image => { const copy = new Image(); copy.src = image.href.baseVal; return copy.decode(); };
const drawn = async figure => {
  const images = [...figure.querySelectorAll("image")];
  try { await Promise.all(images.map(decodes)); } catch { return false; }
  const marks = figure.querySelectorAll("path, polyline, line, rect, circle").length + 3 * images.length;
  return images.every(i => size(i, 5)) && [...figure.querySelectorAll("svg")].some(s => size(s, 50)) && marks > 3;
};
const figures = [...document.querySelectorAll("figure")];
Promise.all(figures.map(drawn)).then(all => {
  const pre = document.createElement("pre");
  pre.id = "probe";
  pre.textContent = "found{" + figures.map((f, i) => f.className + ":" + all[i]).join(" ") + "}";
  document.body.append(pre);
});
</script>"#;

/// Something for the console, to see that it is heard.
const NOISE: &str = r#"<script>console.error("heard")</script>"#;

/// Figures of a report on a clustering: two heat maps and three convergence panels.
const EXPECTED: [(&str, usize); 2] = [("heatmap:true", 2), ("chart:true", 3)];

/// Opens the report of a small graph.
pub(crate) fn check() -> bool {
    let Some(browser) = browser() else {
        say("== report in a browser: SKIPPED, there is no chromium and it could not be installed");
        return true;
    };
    let directory = root().join("target/browser");
    let report = directory.join("report.html");
    let (out, page) = (directory.join("out"), report.to_string_lossy().into_owned());
    let out = out.to_string_lossy();
    if fs::create_dir_all(&directory).is_err() {
        say(&format!("== report in a browser: FAILED, cannot make {}", directory.display()));
        return false;
    }
    let graph = root().join("data/karate.mtx");
    let flags = ["cluster", &graph.to_string_lossy(), "-k", "2", "--report", &page, "--out", &out];
    let command = ["run", "--quiet", "--release", "--package", "gramfold-cli", "--"];
    if !cargo("a report", &[&command[..], &flags].concat()) {
        return false;
    }
    match inspect(&browser, &report) {
        Ok(()) => {
            say("== report in a browser: passed, the console is clean and 5 figures are drawn");
            true
        }
        Err(problem) => {
            say(&format!("== report in a browser: FAILED, {problem}"));
            false
        }
    }
}

fn inspect(browser: &Path, report: &Path) -> Result<(), String> {
    let text = fs::read_to_string(report).map_err(|error| error.to_string())?;
    let with = |name: &str, addition: &str| {
        let path = report.with_file_name(name);
        fs::write(&path, text.replace("</body>", &format!("{addition}</body>"))).map(|()| path)
    };
    let probed = with("probed.html", PROBE).map_err(|error| error.to_string())?;
    let noisy = with("noisy.html", NOISE).map_err(|error| error.to_string())?;
    if console(&open(browser, &noisy)?).is_empty() {
        return Err("a message on the console was not heard: the check proves nothing".into());
    }
    let shown = open(browser, &probed)?;
    if let Some(message) = console(&shown).first() {
        return Err(format!("the console says: {message}"));
    }
    let document = String::from_utf8_lossy(&shown.stdout);
    // The last mention is what the probe wrote; the first is its own source.
    let found = document.rsplit("found{").next().and_then(|rest| rest.split('}').next());
    let found = found.unwrap_or_default();
    for (figure, count) in EXPECTED {
        if found.split(' ').filter(|word| *word == figure).count() != count {
            return Err(format!("expected {count} × {figure} among the figures, found: {found}"));
        }
    }
    Ok(())
}

fn open(browser: &Path, page: &Path) -> Result<Output, String> {
    let profile = env::temp_dir().join(format!("gramfold-browser-{}", std::process::id()));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom"])
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
