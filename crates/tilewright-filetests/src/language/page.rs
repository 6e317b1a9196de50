//! The text of the page.

use super::Column;

/// The contents of a cell of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    Shown,
    /// Cannot be, for this reason.
    Impossible(&'static str),
    Missing,
}

/// A row.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) title: String,
    pub(super) cells: [Cell; 5],
}

const HEAD: &str = "\
# The language

Everything that programs can be written with, and whether a textual test prints, parses, verifies, interprets and compiles
it. The textual tests are the `.py` files next to the sources; `cargo test -p tilewright-filetests` runs them, and makes
this page of them: it fails if the page says anything else, and `UPDATE_EXPECT=1` writes it anew.

- *prints*: a test states the exact text; for calls of operators, which are all written alike, a test reads the print back
  as the same;
- *parses*: it is in a text that a test reads;
- *verifies*: and the module that it is in is well-formed;
- *interprets*, *compiles*: it is in a function that a run line runs, or in one that it calls, by the interpreter or
  compiled for the CPU, with the result compared.

An attribute of an operator counts where it has another value than its default.

A number stands for the reason why there can be no such test; the reasons follow each table.
";

/// The kind of evidence, as a word.
pub(super) fn verb(column: Column) -> &'static str {
    match column {
        Column::Prints => "prints",
        Column::Parses => "parses",
        Column::Verifies => "verifies",
        Column::Interprets => "interprets",
        Column::Compiles => "compiles",
    }
}

pub(super) fn write(sections: &[(&'static str, Vec<Line>)]) -> String {
    let mut text = HEAD.to_owned();
    let verbs = Column::ALL.map(verb).join(" | ");
    text.push_str("\n| section | rows | shown | impossible | missing |\n|---|---|---|---|---|\n");
    let mut sums = [0; 4];
    for (title, lines) in sections {
        let counts = counts(lines);
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        text.push_str(&format!("| [{title}](#{}) | {} |\n", anchor(title), join(counts)));
    }
    text.push_str(&format!("| all | {} |\n", join(sums)));
    for (title, lines) in sections {
        text.push_str(&format!("\n## {title}\n\n| | {verbs} |\n|---|---|---|---|---|---|\n"));
        let mut reasons: Vec<&str> = Vec::new();
        for line in lines {
            let cells = line.cells.map(|cell| match cell {
                Cell::Shown => "yes".to_owned(),
                Cell::Missing => "**no**".to_owned(),
                Cell::Impossible(reason) => format!("({})", number(&mut reasons, reason)),
            });
            text.push_str(&format!("| {} | {} |\n", line.title, cells.join(" | ")));
        }
        for (at, reason) in reasons.iter().enumerate() {
            let separator = if at == 0 { "\n" } else { "" };
            text.push_str(&format!("{separator}- ({}) {reason}\n", at + 1));
        }
    }
    text
}

/// Rows, and cells of each sort.
fn counts(lines: &[Line]) -> [usize; 4] {
    let cells = || lines.iter().flat_map(|line| line.cells);
    [
        lines.len(),
        cells().filter(|cell| *cell == Cell::Shown).count(),
        cells().filter(|cell| matches!(cell, Cell::Impossible(_))).count(),
        cells().filter(|cell| *cell == Cell::Missing).count(),
    ]
}

fn join(counts: [usize; 4]) -> String {
    counts.map(|count| count.to_string()).join(" | ")
}

/// The number of a reason, counted from 1.
fn number<'r>(reasons: &mut Vec<&'r str>, reason: &'r str) -> usize {
    match reasons.iter().position(|known| *known == reason) {
        Some(at) => at + 1,
        None => {
            reasons.push(reason);
            reasons.len()
        }
    }
}

/// The anchor of a heading in links.
fn anchor(title: &str) -> String {
    title.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect::<String>().replace(' ', "-")
}
