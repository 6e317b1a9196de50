//! The file of a test: header, input, expectation.

use tilewright::support::nearest;

use crate::{Action, RunLine};

const EXPECT: &str = "# expect:";
const DIRECTIVES: [&str; 4] = ["test", "step", "run", "expect"];

/// A test file, parsed.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// Relative to the root of the workspace; messages show it.
    pub name: String,
    pub action: Action,
    pub runs: Vec<RunLine>,
    /// All before the line `# expect:`, header included, so that locations in messages are those of the file.
    pub input: String,
    /// All after that line, if there is one.
    pub expectation: Option<String>,
}

impl TestFile {
    /// Parses a file; the error names the line that is wrong.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let (input, expectation) = split(text);
        let (mut action, mut steps, mut runs) = (None, Vec::new(), Vec::new());
        for (number, line) in input.lines().enumerate() {
            let Some(comment) = line.strip_prefix('#') else {
                if line.trim().is_empty() {
                    continue;
                }
                break;
            };
            let Some((word, rest)) = directive(comment) else { continue };
            let wrong = |message: String| format!("{name}:{}: {message}", number + 1);
            match word {
                "test" if action.is_some() => return Err(wrong("a second `# test:`".to_owned())),
                "test" => action = Some((number, rest)),
                "step" => steps.push(rest.to_owned()),
                "run" => runs.push(RunLine::parse(rest).map_err(wrong)?),
                _ => {
                    let hint = nearest(word, DIRECTIVES).map(|near| format!(": did you mean `# {near}:`?"));
                    return Err(wrong(format!("unknown directive `# {word}:`{}", hint.unwrap_or_default())));
                }
            }
        }
        let (number, action) =
            action.ok_or_else(|| format!("{name}: no line `# test: …` among the comments at the top"))?;
        let action = Action::parse(action, &steps).map_err(|message| format!("{name}:{}: {message}", number + 1))?;
        if matches!(action, Action::Run) && runs.is_empty() {
            return Err(format!("{name}: `# test: run` needs at least one line `# run: …`"));
        }
        Ok(Self {
            name: name.to_owned(),
            action,
            runs,
            input: input.to_owned(),
            expectation: expectation.map(str::to_owned),
        })
    }

    /// The text of the file with another expectation.
    pub fn with_expectation(&self, expectation: &str) -> String {
        format!("{}\n\n{EXPECT}\n{}\n", self.input.trim_end(), expectation.trim_end())
    }
}

/// `word: rest`, with one word of lower-case letters.
fn directive(comment: &str) -> Option<(&str, &str)> {
    let (word, rest) = comment.trim().split_once(':')?;
    (!word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())).then(|| (word, rest.trim()))
}

fn split(text: &str) -> (&str, Option<&str>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == EXPECT {
            return (&text[..at], Some(&text[at + line.len()..]));
        }
        at += line.len();
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        TestFile::parse("t.py", text).unwrap_err()
    }

    #[test]
    fn a_file_falls_into_header_input_and_expectation() {
        let text = "# Prose, even with one: colon.\n# test: opt --pass LegalizeOps\n# run: main == same\n\nx = 1\n# note: late\n\n# expect:\ny\n";
        let file = TestFile::parse("t.py", text).unwrap();
        assert_eq!((file.runs.len(), file.expectation.as_deref()), (1, Some("y\n")));
        assert!(file.input.ends_with("# note: late\n\n"));
        assert!(file.with_expectation("z").ends_with("x = 1\n# note: late\n\n# expect:\nz\n"));
    }

    #[test]
    fn malformed_headers_are_told_with_their_line() {
        for (text, message) in [
            ("x = 1\n", "t.py: no line `# test: …` among the comments at the top"),
            ("# tests: parse\n", "t.py:1: unknown directive `# tests:`: did you mean `# test:`?"),
            ("# test: parse\n# test: parse\n", "t.py:2: a second `# test:`"),
            ("# test: pars\n", "t.py:1: unknown test `pars`: did you mean `parse`?"),
            ("# test: opt\n", "t.py:1: `opt` needs at least one `--pass`"),
            ("# test: opt --pass Legalize\n", "t.py:1: unknown pass `Legalize`"),
            ("# test: opt --pas X\n", "t.py:1: unknown option `--pas` of `opt`"),
            ("# test: print --width ten\n", "t.py:1: `--width` needs a number, found `ten`"),
            ("# test: run\n", "t.py: `# test: run` needs at least one line `# run: …`"),
            ("# test: parse\n# run: main\n", "t.py:2: a run line needs `== same` or `== VALUE`"),
            ("# test: parse\n# run: main(f31[2]) == same\n", "t.py:2: unknown data type `f31`"),
            (
                "# test: parse\n# run: main only=compiled == same\n",
                "t.py:2: a run line for one alone states its result",
            ),
            ("# test: parse\n# run: main fast == same\n", "t.py:2: unknown option `fast` of a run line"),
        ] {
            let error = error(text);
            assert!(error.starts_with(message), "{error}");
        }
    }
}
