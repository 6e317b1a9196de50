//! Examples in Rust: modules and programs that no text can say.
//!
//! Each code has a module with the functions `wrong` and `right`, whose bodies are on the code's page.

mod forms;
mod graphs;
mod imports;
mod loops;
mod machines;
mod schedules;

use std::error::Error;

use tilewright::{PassError, codes, runtime};

/// The result of an example.
type Outcome = Result<(), Box<dyn Error>>;

/// An example as it is on its page.
pub(crate) struct Example {
    pub(crate) wrong: String,
    pub(crate) said: String,
    pub(crate) right: String,
}

type Entry = (&'static str, fn() -> Outcome, fn() -> Outcome);

/// The examples of one file, with its text.
struct Examples {
    source: &'static str,
    entries: &'static [Entry],
}

const ALL: [Examples; 6] =
    [loops::EXAMPLES, graphs::EXAMPLES, forms::EXAMPLES, machines::EXAMPLES, imports::EXAMPLES, schedules::EXAMPLES];

/// Lists modules of examples by their codes.
macro_rules! examples {
    ($file:literal: $($module:ident)*) => {
        pub(super) const EXAMPLES: super::Examples = super::Examples {
            source: include_str!($file),
            entries: &[$((stringify!($module), $module::wrong, $module::right)),*],
        };
    };
}
use examples;

/// Runs the example of a code.
pub(crate) fn example(code: &str) -> Result<Example, String> {
    let module = code.to_ascii_lowercase();
    let found = ALL.iter().find_map(|file| Some((file, file.entries.iter().find(|entry| entry.0 == module)?)));
    let (file, (_, wrong, right)) = found.ok_or(format!("no planted example `{module}`"))?;
    right().map_err(|error| format!("the right example fails: {}", show(&*error)))?;
    let Err(error) = wrong() else { return Err("the wrong example passes".to_owned()) };
    let body = |function| body(file.source, &module, function).ok_or(format!("`{module}` has no `{function}`"));
    Ok(Example { wrong: body("wrong")?, said: show(&*error), right: body("right")? })
}

/// The error as the command line writes it.
fn show(error: &(dyn Error + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<runtime::Error>() {
        return format!("{error:#}");
    }
    error.downcast_ref::<PassError>().map_or_else(|| error.to_string(), |error| error.diagnostics.to_string())
}

/// The text between the braces of a function of a module, without its indentation.
fn body(source: &str, module: &str, function: &str) -> Option<String> {
    let inside = &source[source.find(&format!("\nmod {module} {{"))?..];
    let start = &inside[inside.find(&format!("fn {function}() -> Outcome {{\n"))?..];
    let lines = start.lines().skip(1).take_while(|line| *line != "    }");
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix("        ").unwrap_or(line.trim_start())).collect();
    Some(lines.join("\n"))
}

/// No example is of a code without a page, or of a page that has one in Python.
pub(crate) fn all_have_pages() -> Result<(), String> {
    let entries = ALL.iter().flat_map(|file| file.entries);
    let odd =
        entries.map(|entry| entry.0).filter(|name| codes::page(name).is_none_or(|page| !page.text.contains("```rust")));
    match odd.collect::<Vec<_>>() {
        odd if odd.is_empty() => Ok(()),
        odd => Err(format!("planted examples that no page shows: {}", odd.join(", "))),
    }
}
