//! `gramfold check`: recompute every claim of a directory from its files alone, whichever command wrote it.
//!
//! A command's own functions make the claims again from the files, and one comparison goes through every leaf of
//! `solution.json`: it must be what was made again, or be listed as not checked.

mod factorisation;
mod program;
mod report;
mod scales;

use std::{fs, path::Path};

use anyhow::{Context, bail};
use serde::Serialize;
use serde_json::Value;

use crate::{
    Exit,
    cli::CheckArgs,
    cluster, complete, correlation, factor, factors, fit, kernel, locate, maxcut, metric, output,
    recover, solve,
    store::{Claims, SOLUTION, Saved, sha256_of_claims, sha256_of_file},
    theta,
};
pub(crate) use factorisation::{Factors, certified, factorised, mean, whole};
pub(crate) use program::{find, is_single, read_ray};
pub(crate) use report::Report;
pub(crate) use scales::Scales;

/// The claims of a directory, made again.
pub(crate) struct Again {
    /// What `solution.json` should say.
    claims: Value,
    scales: Scales,
    /// Claims, or groups of them, that the files say nothing about.
    unchecked: Vec<&'static str>,
    /// What is proved now.
    words: String,
}

impl Again {
    pub(crate) fn new<S: Serialize, D: Serialize>(
        claims: Claims<S, D>,
        scales: Scales,
        unchecked: Vec<&'static str>,
        words: String,
    ) -> anyhow::Result<Self> {
        Ok(Self { claims: serde_json::to_value(claims)?, scales, unchecked, words })
    }
}

/// What no file says anything about, of any command.
const UNCHECKED: &[&str] = &[
    "version",
    "input",
    "notes",
    "warnings",
    "seconds",
    "cpu_seconds",
    "timings",
    "peak_memory_bytes",
    "spec.seed",
    "spec.time_limit",
];

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    let path = args.directory.join(SOLUTION);
    let text = fs::read_to_string(&path).with_context(|| {
        format!("cannot read {}; is this a directory of gramfold?", path.display())
    })?;
    let mut report = Report::default();
    let proved = match examine(&args.directory, &text, &mut report) {
        Ok(words) => words,
        // What cannot be read cannot be as it was written.
        Err(error) => {
            report.claim(&format!("{error:#}"), false);
            String::new()
        }
    };
    let holds = report.failed == 0;
    let verdict = if holds { "every claim holds" } else { "NOT every claim holds" };
    output::data(&format!("{}{verdict}\n{proved}", report.finish()))?;
    Ok(Exit::of(holds))
}

/// Goes through everything that is claimed; what is proved now, in words.
fn examine(directory: &Path, text: &str, report: &mut Report) -> anyhow::Result<String> {
    let claimed: Value =
        serde_json::from_str(text).with_context(|| format!("{SOLUTION} is damaged"))?;
    let saved = Saved::<Value>::open(directory)?;
    files(&saved, &claimed, report)?;
    let again = match saved.claims.command.as_str() {
        "factor" => factor::check(directory, report)?,
        "cluster" => cluster::check(directory, report)?,
        "complete" => complete::check(directory, report)?,
        "locate" => locate::check(directory, report)?,
        "factors" => factors::check(directory, report)?,
        "metric" => metric::check(directory, report)?,
        "fit" => fit::check(directory, report)?,
        "correlation" => correlation::check(directory, report)?,
        "recover" => recover::check(directory, report)?,
        "kernel" => kernel::check(directory, report)?,
        "solve" => solve::check(directory, report)?,
        "theta" => theta::check(directory)?,
        "maxcut" | "bisect" => maxcut::check(directory, report)?,
        other => bail!("there is no command `{other}` that writes directories"),
    };
    let unchecked: Vec<&str> = UNCHECKED.iter().chain(&again.unchecked).copied().collect();
    report.compare(&claimed, &again.claims, &unchecked, &again.scales);
    Ok(again.words)
}

/// Every file is there, as it was written.
fn files(saved: &Saved, claimed: &Value, report: &mut Report) -> anyhow::Result<()> {
    let names = &saved.claims.files;
    let same = saved.claims.sha256.keys().eq(names.keys());
    report.claim("files and sha256 speak of the same files", same);
    report.claim("files.solution", names.get("solution").is_some_and(|name| name == SOLUTION));
    for (role, hash) in &saved.claims.sha256 {
        if role == "solution" {
            // What cannot be made again, as times, cannot be changed unseen either.
            let same = sha256_of_claims(claimed) == *hash;
            report.claim("the claims of solution.json are as they were written", same);
            continue;
        }
        let path = saved.path(role)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match sha256_of_file(&path) {
            Ok((_, found)) => report.claim(&format!("{name} is as it was written"), found == *hash),
            Err(error) => report.claim(&format!("{name} cannot be read: {error}"), false),
        }
    }
    for entry in fs::read_dir(saved.directory())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !names.values().any(|known| *known == name) {
            report.not_checked(format!("{name} (not part of the answer)"));
        }
    }
    Ok(())
}
