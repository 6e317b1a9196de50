//! The crate graph against the table of crates in `ARCHITECTURE.md`.
//!
//! A row is `| names | role | may depend on |`; names are in backticks, several share a row. The third cell lists what
//! each may depend on directly; "all above" means every row before; "`x` also y" adds y for x alone; a dash means
//! nothing. A crate sees what its dependencies see, so an edge is allowed when it lies in the transitive closure.
//! `support` and `macros` are open to all. Dev-dependencies are not judged: they ship to nobody.

use crate::source;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Crates that every other may depend on.
const OPEN: [&str; 2] = ["support", "macros"];

/// External packages that one crate alone may see, by the beginning of their names.
const FENCED: [(&str, &str); 3] = [("ruff_", "script"), ("inkwell", "llvm"), ("pyo3", "py")];

/// The script that lists the crates whose sources decide what machine code is made of a PrimFunc.
const FINGERPRINT: &str = "crates/tilewright-build/build.rs";

/// The crates that lower, and those that lower with them, are found from these on.
const LOWERING: [&str; 2] = ["tir-passes", "llvm"];

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Every edge of the workspace that the table does not allow, as a sentence each.
pub(crate) fn check() -> Result<Vec<String>, String> {
    let table = source::text("ARCHITECTURE.md").ok_or("ARCHITECTURE.md is missing")?;
    let allowed = closure(&parse_table(&table)?);
    let graph = metadata()?;
    let script = source::text(FINGERPRINT).ok_or_else(|| format!("{FINGERPRINT} is missing"))?;
    let mut problems: Vec<String> = fingerprinted(&script, &graph).into_iter().collect();
    for (name, dependencies) in graph {
        let Some(short) = short_name(&name) else { continue };
        for dependency in dependencies {
            if let Some(other) = short_name(&dependency) {
                problems.extend(judge(&allowed, short, other));
            } else if let Some((prefix, owner)) = FENCED.iter().find(|(prefix, _)| dependency.starts_with(prefix))
                && short != *owner
            {
                problems.push(format!("crate `{short}` depends on `{dependency}`: only `{owner}` may see `{prefix}*`"));
            }
        }
    }
    Ok(problems)
}

fn judge(allowed: &Graph, from: &str, to: &str) -> Option<String> {
    let Some(seen) = allowed.get(from) else {
        return Some(format!("crate `{from}` has no row in the table of ARCHITECTURE.md"));
    };
    (!OPEN.contains(&to) && !seen.contains(to))
        .then(|| format!("crate `{from}` depends on `{to}`: the table of ARCHITECTURE.md does not list that edge"))
}

/// The error in the list `CRATES` of the script: it has to have the crates that lower, all that they see, and its own.
fn fingerprinted(script: &str, graph: &Graph) -> Option<String> {
    let list = script.split_once("const CRATES").and_then(|(_, rest)| rest.split_once("];"));
    let listed: BTreeSet<&str> =
        list.map_or_else(BTreeSet::new, |(list, _)| list.split('"').skip(1).step_by(2).collect());
    let short = |(name, edges): (&String, &BTreeSet<String>)| {
        let edges = edges.iter().filter_map(|edge| short_name(edge)).map(str::to_owned);
        Some((short_name(name)?.to_owned(), edges.collect()))
    };
    let seen = closure(&graph.iter().filter_map(short).collect());
    let all = LOWERING.iter().flat_map(|name| seen.get(*name)).flatten().map(String::as_str);
    let expected: BTreeSet<&str> = all.chain(LOWERING).chain(["build"]).collect();
    (listed != expected).then(|| format!("{FINGERPRINT}: `CRATES` should be {expected:?}, found {listed:?}"))
}

/// The name in the table of a workspace package: `tilewright-ir` is `ir`, `tilewright` is itself.
fn short_name(package: &str) -> Option<&str> {
    if package == "tilewright" { Some(package) } else { package.strip_prefix("tilewright-") }
}

/// The names in backticks in a piece of text.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The direct edges that the table lists.
fn parse_table(text: &str) -> Result<Graph, String> {
    let mut graph = Graph::new();
    let rows = text.lines().skip_while(|line| !is_header(line)).skip(2).take_while(|line| line.starts_with('|'));
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [names, _role, edges] = cells.as_slice() else {
            return Err(format!("ARCHITECTURE.md: a row of the table of crates has not three cells: {row}"));
        };
        let above: BTreeSet<String> = graph.keys().cloned().collect();
        for name in quoted(names) {
            graph.insert(name.to_owned(), row_edges(name, edges, &above));
        }
    }
    if graph.is_empty() {
        return Err("ARCHITECTURE.md has no table `| crate | role | may depend on |`".to_owned());
    }
    let unknown = graph.values().flatten().find(|name| !graph.contains_key(*name));
    match unknown {
        Some(name) => Err(format!("ARCHITECTURE.md: the table lists an edge to `{name}`, which has no row")),
        None => Ok(graph),
    }
}

fn is_header(line: &str) -> bool {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    cells == ["crate", "role", "may depend on"]
}

fn row_edges(name: &str, cell: &str, above: &BTreeSet<String>) -> BTreeSet<String> {
    let mut edges = BTreeSet::new();
    for part in cell.split(';') {
        let part = part.replace('`', "");
        let list = match part.split_once(" also ") {
            Some((who, list)) if who.trim() == name => list.to_owned(),
            Some(_) => continue,
            None => part,
        };
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty() && *word != "—") {
            if word == "all above" {
                edges.extend(above.iter().cloned());
            } else {
                edges.insert(word.to_owned());
            }
        }
    }
    edges
}

fn closure(direct: &Graph) -> Graph {
    direct
        .keys()
        .map(|name| {
            let mut seen = BTreeSet::new();
            let mut rest: Vec<&String> = direct[name].iter().collect();
            while let Some(next) = rest.pop() {
                if seen.insert(next.clone()) {
                    rest.extend(&direct[next]);
                }
            }
            (name.clone(), seen)
        })
        .collect()
}

/// The packages of the workspace with the names that they depend on (not for tests only).
fn metadata() -> Result<Graph, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(source::root())
        .output()
        .map_err(|e| format!("cannot run cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let value: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata is not JSON: {e}"))?;
    let mut graph = Graph::new();
    for package in value["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default().to_owned();
        let edges = package["dependencies"].as_array().into_iter().flatten();
        let edges = edges.filter(|edge| edge["kind"].as_str() != Some("dev"));
        graph.insert(name, edges.filter_map(|edge| edge["name"].as_str().map(str::to_owned)).collect());
    }
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
| crate | role | may depend on |
|---|---|---|
| `support` | s | — |
| `ir` | i | support |
| `te` | t | ir |
| `tilewright` | all | all above |
| `cli`, `py` | fronts | tilewright; py also cli |
";

    #[test]
    fn a_crate_sees_what_its_dependencies_see() {
        let allowed = closure(&parse_table(TABLE).unwrap());
        assert_eq!(judge(&allowed, "te", "ir"), None);
        assert_eq!(judge(&allowed, "py", "te"), None);
        assert_eq!(judge(&allowed, "py", "cli"), None);
        assert!(judge(&allowed, "cli", "py").unwrap().contains("does not list"));
        assert!(judge(&allowed, "ir", "te").unwrap().contains("does not list"));
    }

    #[test]
    fn a_crate_without_a_row_is_reported() {
        let allowed = closure(&parse_table(TABLE).unwrap());
        assert!(judge(&allowed, "extra", "ir").unwrap().contains("no row"));
    }

    #[test]
    fn the_list_of_fingerprinted_crates_is_that_of_what_lowers() {
        let edges = |names: &[&str]| names.iter().map(|name| format!("tilewright-{name}")).collect();
        let graph: Graph =
            [("ir", edges(&[])), ("tir-passes", edges(&["ir"])), ("llvm", edges(&["ir"])), ("ops", edges(&["ir"]))]
                .map(|(name, edges)| (format!("tilewright-{name}"), edges))
                .into();
        let list = |names: &str| fingerprinted(&format!("const CRATES: [&str; 4] = [{names}];"), &graph);
        assert_eq!(list(r#""ir", "tir-passes", "llvm", "build""#), None);
        assert!(list(r#""tir-passes", "llvm", "build""#).unwrap().contains("should be"));
        assert!(list(r#""ir", "ops", "tir-passes", "llvm", "build""#).unwrap().contains("should be"));
    }

    #[test]
    fn a_table_with_an_unknown_name_is_refused() {
        let text = TABLE.replace("| t | ir |", "| t | irr |");
        assert!(parse_table(&text).unwrap_err().contains("`irr`"));
    }
}
