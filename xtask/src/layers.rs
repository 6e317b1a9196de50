//! The layers of the crate `schedule`: each folder uses only those listed before it.

use crate::source;

/// The crate whose folders are layers.
const CRATE: &str = "crates/tilewright-schedule/src/";

/// The folders and files, from the bottom up.
const LAYERS: [&str; 9] =
    ["facts", "families", "primitive", "plan", "kernels", "registry", "trace", "schedule", "rules"];

/// Layers that know no target: two kinds of machine share them.
const WITHOUT_TARGET: [&str; 2] = ["facts", "families"];

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
        let above = LAYERS.iter().skip(layer + 1).find(|above| line.contains(&format!("crate::{above}::")));
        found.extend(above.map(|above| format!("{number}: `{}` uses `{above}`, a layer above it", LAYERS[layer])));
        if WITHOUT_TARGET.contains(&LAYERS[layer]) && line.contains("tilewright_target") {
            found.push(format!("{number}: `{}` knows no target", LAYERS[layer]));
        }
    }
    found
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
        assert_eq!(layer_of("crates/tilewright-ir/src/plan.rs"), None);
    }
}
