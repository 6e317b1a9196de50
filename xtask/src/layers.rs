//! The layers of the crate `schedule`: each folder uses only those listed before it.

use crate::source;

/// The crate whose folders are layers.
const CRATE: &str = "crates/tilewright-schedule/src/";

/// The folders and files, from the bottom up.
const LAYERS: [&str; 13] = [
    "units",
    "site",
    "fault",
    "build",
    "analysis",
    "families",
    "primitive",
    "plan",
    "kernels",
    "trace",
    "registry",
    "schedule",
    "rules",
];

/// What the crate's root offers of a layer, by which files may name it as well.
const RE_EXPORTS: [(&str, &str); 3] = [("Schedule", "schedule"), ("ScheduleError", "schedule"), ("Trace", "trace")];

/// Layers that know no target: two kinds of machine share them.
const WITHOUT_TARGET: [&str; 6] = ["units", "site", "fault", "build", "analysis", "families"];

pub(crate) fn check() -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for path in source::files()? {
        if let Some(layer) = layer_of(&path)
            && path.ends_with(".rs")
            && let Some(text) = source::text(&path)
        {
            problems.extend(complaints(layer, &text).into_iter().map(|problem| format!("{path}:{problem}")));
        }
    }
    Ok(problems)
}

/// The number of the layer that a file belongs to.
fn layer_of(path: &str) -> Option<usize> {
    let first = path.strip_prefix(CRATE)?.split('/').next()?;
    LAYERS.iter().position(|layer| first.trim_end_matches(".rs") == *layer)
}

/// Uses of layers above, and of the target where it is not known.
fn complaints(layer: usize, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line)) {
        if line.trim_start().starts_with("//") {
            continue;
        }
        let above = LAYERS.iter().skip(layer + 1).find(|above| names(line, above));
        found.extend(above.map(|above| format!("{number}: `{}` uses `{above}`, a layer above it", LAYERS[layer])));
        if WITHOUT_TARGET.contains(&LAYERS[layer]) && line.contains("tilewright_target") {
            found.push(format!("{number}: `{}` knows no target", LAYERS[layer]));
        }
    }
    found
}

/// Whether a line names something of a layer, by its path or by what the root offers of it.
fn names(line: &str, layer: &str) -> bool {
    let offered = RE_EXPORTS.iter().filter(|(_, of)| *of == layer).map(|(name, _)| *name);
    let paths = line.split("crate::").skip(1);
    let first = |path: &str| path.split(|c: char| !source::is_word(c)).next().unwrap_or_default().to_owned();
    let heads: Vec<String> = paths.map(first).collect();
    std::iter::once(layer).chain(offered).any(|name| heads.iter().any(|head| head == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_uses_those_below_it() {
        let layer = |name: &str| layer_of(&format!("{CRATE}{name}")).unwrap();
        assert!(complaints(layer("plan/mod.rs"), "use crate::families::contraction::Contraction;").is_empty());
        assert_eq!(complaints(layer("plan/mod.rs"), "use crate::kernels::cpu;").len(), 1);
        assert_eq!(complaints(layer("families/mod.rs"), "use tilewright_target::Target;").len(), 1);
        assert!(complaints(layer("families/mod.rs"), "//! crate::kernels::cpu builds them.").is_empty());
        assert_eq!(complaints(layer("trace.rs"), "use crate::Schedule;").len(), 1);
        assert!(complaints(layer("rules/mod.rs"), "use crate::{Schedule, Trace};").is_empty());
        assert_eq!(layer_of("crates/tilewright-ir/src/plan.rs"), None);
    }
}
