//! One page: its parts, and whether they are true.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::planted;
use crate::{folder, read, updating, write};

/// A page's text with the ranges of its parts.
struct Page {
    text: String,
    wrong: Block,
    said: Block,
    right: Block,
    /// The commands around the two examples; none for Rust.
    wrong_command: Option<String>,
    right_command: Option<String>,
}

/// The text between two fences.
struct Block {
    language: String,
    bytes: Range<usize>,
}

/// Checks the page of a code, or writes its texts anew.
pub(crate) fn check(code: &str) -> Result<(), String> {
    let path = folder().join(format!("{code}.md"));
    let page = Page::parse(read(&path)?)?;
    let (wrong, said, right) = page.outcome(code)?;
    if !said.contains(&format!("[{code}]")) {
        return Err(format!("the wrong example does not give {code}:\n{said}"));
    }
    let mut text = page.text.clone();
    for (block, new) in [(&page.right, right), (&page.said, said), (&page.wrong, wrong)] {
        text.replace_range(block.bytes.clone(), &(new.trim_end().to_owned() + "\n"));
    }
    match text == page.text {
        true => Ok(()),
        false if updating() => write(&path, &text),
        false => Err(format!("the page is not what the examples give (UPDATE_EXPECT=1 writes it):\n{text}")),
    }
}

impl Page {
    fn parse(text: String) -> Result<Self, String> {
        let section = |title: &str| text.find(title).ok_or(format!("the page has no section `{title}`"));
        let (wrong_at, right_at) = (section("\n## Wrong\n")?, section("\n## Right\n")?);
        let mut wrong = blocks(&text, wrong_at..right_at)?.into_iter();
        let mut right = blocks(&text, right_at..text.len())?.into_iter();
        let expected = "expected an example and what is said of it under `Wrong`, an example under `Right`";
        match (wrong.next(), wrong.next(), wrong.next(), right.next(), right.next()) {
            (Some(example), Some(said), None, Some(right), None) => Ok(Self {
                wrong_command: command(&text[example.bytes.end..said.bytes.start]),
                right_command: command(&text[right.bytes.end..]),
                wrong: example,
                said,
                right,
                text,
            }),
            _ => Err(expected.to_owned()),
        }
    }

    /// The wrong example, what is said of it, and the right example.
    fn outcome(&self, code: &str) -> Result<(String, String, String), String> {
        let block = |block: &Block| self.text[block.bytes.clone()].to_owned();
        if self.wrong.language == "rust" {
            let example = planted::example(code)?;
            return Ok((example.wrong, example.said, example.right));
        }
        let (wrong, right) = (block(&self.wrong), block(&self.right));
        let command = self.wrong_command.as_deref().ok_or("the page does not name the command that fails")?;
        let (status, said) = run(&format!("{code}-wrong"), &wrong, command)?;
        if status != 1 {
            return Err(format!("`{command}` ends with {status}, not with 1:\n{said}"));
        }
        let command = self.right_command.as_deref().unwrap_or(command);
        let (status, error) = run(&format!("{code}-right"), &right, command)?;
        match status {
            0 => Ok((wrong, said, right)),
            _ => Err(format!("`{command}` fails for the right example with {status}:\n{error}")),
        }
    }
}

/// The fenced blocks in a part of the text.
fn blocks(text: &str, part: Range<usize>) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    let mut at = part.start;
    while let Some(fence) = text[at..part.end].find("\n```") {
        let opening = at + fence + "\n```".len();
        let Some(line) = text[opening..part.end].find('\n') else { break };
        let start = opening + line + 1;
        // The fence that ends an empty block follows at once.
        let end = text[start - 1..part.end].find("\n```").ok_or("a block without an end")? + start;
        blocks.push(Block { language: text[opening..opening + line].to_owned(), bytes: start..end });
        at = end + "```".len();
    }
    Ok(blocks)
}

/// The first command in prose: `` `tilewright …` ``.
fn command(prose: &str) -> Option<String> {
    let (_, rest) = prose.split_once("`tilewright ")?;
    rest.split_once('`').map(|(command, _)| command.to_owned())
}

/// Runs the program in a folder with the example; gives its status and what it writes to standard error.
fn run(name: &str, example: &str, command: &str) -> Result<(i32, String), String> {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("error_pages").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    write(&folder.join("example.py"), example)?;
    let mut program = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    program.args(command.split_whitespace()).current_dir(&folder).env("NO_COLOR", "1");
    program.env("TILEWRIGHT_CACHE_DIR", "");
    let output = program.output().map_err(|error| error.to_string())?;
    Ok((output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned()))
}
