//! `docs/glossary.md`: each term has one row, and the file or folder that the row names exists.

use std::collections::BTreeSet;

use crate::source;

const GLOSSARY: &str = "docs/glossary.md";

/// What is wrong with the glossary, as a sentence each.
pub(crate) fn check() -> Vec<String> {
    let Some(text) = source::text(GLOSSARY) else { return vec![format!("{GLOSSARY} is missing")] };
    problems(&text, |path| source::root().join(path).exists())
}

fn problems(text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let (mut problems, mut terms) = (Vec::new(), BTreeSet::new());
    for row in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| term |")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [term, _meaning, place] = cells.as_slice() else {
            problems.push(format!("{GLOSSARY}: a row has not three cells: {row}"));
            continue;
        };
        if !terms.insert(*term) {
            problems.push(format!("{GLOSSARY}: `{term}` has two rows"));
        }
        let path = place.trim_matches('`');
        if !exists(&format!("crates/tilewright-{path}")) {
            problems.push(format!("{GLOSSARY}: `{term}` names `{path}`, which does not exist"));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_unique_and_their_paths_exist() {
        let text = "| term | meaning | where |\n|---|---|---|\n| lane | An element. | `ir/src/a.rs` |\n";
        assert_eq!(problems(text, |path| path == "crates/tilewright-ir/src/a.rs"), Vec::<String>::new());
        assert!(problems(text, |_| false).join("\n").contains("does not exist"));
        let twice = format!("{text}| lane | Another. | `ir/src/a.rs` |\n");
        assert!(problems(&twice, |_| true).join("\n").contains("two rows"));
    }
}
