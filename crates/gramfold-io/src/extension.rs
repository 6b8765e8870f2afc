//! What a file's name says of its format.

use std::path::Path;

/// The last extension in lower case, without a `.gz` after it; empty if there is none.
pub(crate) fn extension(path: &Path) -> String {
    let last = |path: &Path| {
        path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
    };
    match (last(path), path.file_stem()) {
        (zipped, Some(stem)) if zipped == "gz" => last(Path::new(stem)),
        (extension, _) => extension,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_compression_do_not_matter() {
        for (name, expected) in [
            ("d.x/a.b.Mtx", "mtx"),
            ("a.csv.GZ", "csv"),
            ("a.gz", ""),
            ("d.x/a", ""),
            (".csv", ""),
            ("", ""),
        ] {
            assert_eq!(extension(Path::new(name)), expected, "{name}");
        }
    }
}
