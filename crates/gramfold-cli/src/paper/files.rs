//! The experiment files: those built into the program, or those of a directory.

use std::{fs, path::Path};

use anyhow::{Context, bail};

use super::experiment::{Design, Experiment};
use crate::source::read_text;

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../paper/", $name)))),*]
    };
}

/// Built in, so that an installed program needs no repository. In the order in which they run.
const BUILT_IN: &[(&str, &str)] = embedded![
    "01-example-1.toml",
    "02-example-2.toml",
    "03-threshold-map.toml",
    "04-threshold-map-ridge.toml",
    "05-dynamic-min.toml",
    "06-dynamic-min-nonnegative.toml",
    "07-two-by-two-point.toml",
    "08-two-by-two.toml",
    "09-circulant.toml",
    "10-theorem-2.toml",
];

/// The repository's experiments.
pub(crate) fn built_in() -> anyhow::Result<Vec<Experiment>> {
    BUILT_IN.iter().map(|(name, text)| parse(name, text)).collect()
}

/// The experiments of a directory, in the order of their file names.
pub(crate) fn read(directory: &Path) -> anyhow::Result<Vec<Experiment>> {
    let shown = directory.display();
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {shown}"))? {
        let path = entry.with_context(|| format!("cannot read {shown}"))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        bail!("{shown} has no experiment files (*.toml)");
    }
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = read_text(path)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        parse(&name, &text)
    };
    paths.iter().map(read).collect()
}

fn parse(name: &str, text: &str) -> anyhow::Result<Experiment> {
    // The cause is put into the message: a multi-line TOML error reads badly after a colon.
    let design = Design::parse(text).map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
    Ok(Experiment { file: name.to_owned(), design })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_repository_is_built_in() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../paper");
        let names: Vec<_> = read(&directory).unwrap().into_iter().map(|e| e.file).collect();
        let built_in: Vec<_> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, built_in, "add the new file to BUILT_IN");
    }

    #[test]
    fn errors_name_the_file_and_the_field() {
        let error = |text| parse("mine.toml", text).err().unwrap().to_string();
        assert!(error("kind = \"limit\"").contains("mine.toml"));
        assert!(error("kind = \"share\"\nbogus = 1").contains("bogus"));
    }
}
