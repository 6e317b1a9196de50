//! Files that a file names: only inside of its own folder.

use std::path::{Path, PathBuf};

/// Whether a path stays inside the folder that it is relative to: only names of files and folders.
pub(crate) fn is_inside(location: &str) -> bool {
    let odd = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', '\0', ':']);
    let location = location.strip_prefix("./").unwrap_or(location);
    !location.is_empty() && !location.split('/').any(odd)
}

/// The path of a file in a folder, where neither the text nor a link leads out of it. The folder `blobs` two levels up
/// is a part of it: caches of Hugging Face's hub have links into that.
pub(crate) fn resolve(folder: &Path, location: &str) -> Result<PathBuf, String> {
    if !is_inside(location) {
        return Err(format!("{location:?} is outside of the folder, and is not read"));
    }
    let canonical = |path: &Path| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
    let (inside, path) = (canonical(folder)?, canonical(&folder.join(location))?);
    let blobs = inside.ancestors().nth(2).map(|cache| cache.join("blobs"));
    match path.starts_with(&inside) || blobs.is_some_and(|blobs| path.parent() == Some(&blobs)) {
        true => Ok(path),
        false => Err(format!("{location:?} is a link that leads out of the folder, and is not read")),
    }
}

#[cfg(test)]
mod tests {
    use super::is_inside;

    #[test]
    fn paths_stay_in_the_folder() {
        for inside in ["weights.bin", "./weights.bin", "data/weights.bin", "a..b"] {
            assert!(is_inside(inside), "{inside}");
        }
        for outside in ["", ".", "..", "/etc/passwd", "../x", "a/../../x", "a//b", "C:/x", "a\\..\\b", "x\0y"] {
            assert!(!is_inside(outside), "{outside}");
        }
    }
}
