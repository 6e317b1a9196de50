//! Results, compared with the expectation of the file.

use tilewright::script::print::{PrintOptions, print_module};

use crate::action::{Outcome, Output, read};
use crate::{Action, TestFile};

/// The text that would be written as the expectation, if the outcome has one.
pub(crate) fn text_of(test: &TestFile, outcome: &Outcome) -> Result<Option<String>, String> {
    match (&test.action, &outcome.result) {
        (Action::Run, Output::Module(_)) => Ok(None),
        (Action::Diagnostics(_), Output::Errors(errors)) => Ok(Some(as_comments(&errors.render(false)))),
        (Action::Diagnostics(_), _) => Err("expected errors, but everything succeeded".to_owned()),
        (_, Output::Errors(errors)) => Err(errors.to_string()),
        (_, Output::Text(text)) => Ok(Some(text.clone())),
        (_, Output::Module(module)) => {
            Ok(Some(print_module(module, &PrintOptions { show_meta: true, ..PrintOptions::default() })))
        }
    }
}

/// Compares; the error says what differs.
pub(crate) fn check(test: &TestFile, outcome: &Outcome) -> Result<(), String> {
    let Some(found) = text_of(test, outcome)? else { return Ok(()) };
    let Some(expected) = &test.expectation else {
        return match test.action {
            // That the text is read at all may be the point.
            Action::Parse => Ok(()),
            _ => Err(format!("the file has no `# expect:`; UPDATE_EXPECT=1 adds it. Found:\n{found}")),
        };
    };
    match (&outcome.result, &test.action) {
        (Output::Module(module), _) => {
            let expected = read(&format!("{} (expectation)", test.name), expected).map_err(|e| e.to_string())?;
            module.compare(&expected).map_err(|path| format!("differs at: {path}\nfound:\n{found}"))
        }
        _ if expected.trim_end() == found.trim_end() => Ok(()),
        _ => Err(format!("{}\nfound:\n{found}", first_difference(expected, &found))),
    }
}

fn as_comments(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "#\n".to_owned() } else { format!("# {line}\n") }).collect()
}

fn first_difference(expected: &str, found: &str) -> String {
    let (mut a, mut b) = (expected.trim_end().lines(), found.trim_end().lines());
    let mut number = 1;
    loop {
        match (a.next(), b.next()) {
            (Some(a), Some(b)) if a == b => number += 1,
            (a, b) => {
                let or_end = |line: Option<&str>| line.map_or("the end".to_owned(), |line| format!("{line:?}"));
                return format!("line {number}: expected {}, found {}", or_end(a), or_end(b));
            }
        }
    }
}
