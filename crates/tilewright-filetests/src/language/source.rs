//! The text of a test: its lines without comments, function by function.

use super::{Thing, forms};

/// A line without its comment.
#[derive(Debug)]
pub(super) struct Line {
    /// Without the spaces around it.
    pub(super) text: String,
    /// The same with nothing between quotation marks.
    bare: String,
    indent: usize,
    /// The names and forms in it.
    pub(super) things: Vec<Thing>,
}

/// The definition that a line is part of.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    /// A function of the module, by its name.
    Function(String),
    /// A macro outside of functions.
    Macro(String),
    Outside,
}

/// The lines of a text.
#[derive(Debug)]
pub(super) struct Source {
    lines: Vec<(Part, Line)>,
}

impl Source {
    pub(super) fn new(text: &str) -> Self {
        let lines: Vec<Line> = text.lines().map(Line::new).filter(|line| !line.text.is_empty()).collect();
        let starts = starts(&lines);
        let part = |at: usize| starts.iter().rev().find(|(start, _)| *start <= at).map(|(_, part)| part.clone());
        let parts: Vec<Part> = (0..lines.len()).map(|at| part(at).unwrap_or(Part::Outside)).collect();
        Self { lines: parts.into_iter().zip(lines).collect() }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &Line> + Clone {
        self.lines.iter().map(|(_, line)| line)
    }

    /// The lines of these functions, those of the macros that they call, and those that are in no function.
    pub(super) fn lines_of(&self, names: &[&str]) -> Vec<&Line> {
        let mut parts: Vec<Part> = names.iter().map(|name| Part::Function((*name).to_owned())).collect();
        parts.push(Part::Outside);
        loop {
            let lines: Vec<&Line> =
                self.lines.iter().filter(|(part, _)| parts.contains(part)).map(|(_, line)| line).collect();
            let called = self.lines.iter().map(|(part, _)| part).find(|part| match part {
                Part::Macro(name) => !parts.contains(part) && lines.iter().any(|line| line.calls(name)),
                Part::Function(_) | Part::Outside => false,
            });
            match called {
                Some(called) => parts.push(called.clone()),
                None => return lines,
            }
        }
    }
}

/// Where parts of the text begin: functions and macros at their decorators.
fn starts(lines: &[Line]) -> Vec<(usize, Part)> {
    let is_function = |line: &Line| line.decorates(".prim_func") || line.decorates(".function");
    let outermost = lines.iter().filter(|line| is_function(line)).map(|line| line.indent).min().unwrap_or(0);
    let mut starts = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let name = || lines[at..].iter().find_map(|line| line.bare.strip_prefix("def ")?.split('(').next());
        if line.indent == outermost && is_function(line) {
            starts.push((at, name().map_or(Part::Outside, |name| Part::Function(name.to_owned()))));
        } else if line.indent <= outermost && line.decorates(".macro") {
            starts.push((at, name().map_or(Part::Outside, |name| Part::Macro(name.to_owned()))));
        } else if (line.indent < outermost && !line.bare.starts_with("def ")) || line.bare.starts_with("I.module") {
            starts.push((at, Part::Outside));
        }
    }
    starts
}

impl Line {
    /// Whether the line calls what has this name alone.
    fn calls(&self, name: &str) -> bool {
        let call = format!("{name}(");
        let is_name = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let mut found = self.bare.match_indices(&call).map(|(at, _)| &self.bare[..at]);
        !self.bare.starts_with("def ") && found.any(|before| !is_name(before))
    }

    fn new(line: &str) -> Self {
        let (mut text, mut bare, mut quote) = (String::new(), String::new(), None);
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match quote {
                None if c == '#' => break,
                None => {
                    quote = (c == '"' || c == '\'').then_some(c);
                    bare.push(c);
                }
                Some(mark) if c == mark => {
                    quote = None;
                    bare.push(c);
                }
                Some(_) if c == '\\' => {
                    text.push(c);
                    text.extend(chars.next());
                    continue;
                }
                Some(_) => {}
            }
            text.push(c);
        }
        let indent = line.len() - line.trim_start().len();
        let mut line = Self { text: text.trim().to_owned(), bare: bare.trim().to_owned(), indent, things: Vec::new() };
        let forms = forms::ALL.iter().filter(|form| form.is_in(&line.text)).map(|form| Thing::Form(form.title));
        line.things = line.names().into_iter().map(Thing::Name).chain(forms).collect();
        line
    }

    /// Whether it is the decorator of this name in some namespace.
    fn decorates(&self, name: &str) -> bool {
        self.bare.starts_with('@') && self.bare.contains(name)
    }

    /// Every dotted name that begins with `T.`, `R.` or `I.`: whole, and each prefix that ends before a later dot.
    fn names(&self) -> Vec<String> {
        let in_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let words = self.bare.split(|c| !in_name(c));
        let ours = words.filter(|word| ["T.", "R.", "I."].iter().any(|namespace| word.starts_with(namespace)));
        ours.flat_map(|word| {
            let dots = word.match_indices('.').map(|(at, _)| at).skip(1).chain([word.len()]);
            dots.map(|end| word[..end].to_owned()).collect::<Vec<_>>()
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "x = 1  # T.no\n@I.ir_module\nclass M:\n    I.module_attrs({\"a\": \"T.no\"})\n    @T.macro\n    def m(A):\n        A[0] = T.exp(1.0)\n    @T.prim_func(private=True)\n    def f():\n        T.axis.S(1, 2)\n        m(A)\n    @R.function\n    def g():\n        @R.function\n        def h():\n            R.nn.relu\n        return 'T.no' + R.add\n";

    #[test]
    fn lines_are_those_of_their_function() {
        let source = Source::new(TEXT);
        let names =
            |functions: &[&str]| source.lines_of(functions).into_iter().flat_map(Line::names).collect::<Vec<_>>();
        assert_eq!(names(&[]), ["I.ir_module", "I.module_attrs"]);
        assert_eq!(names(&["f"])[2..], ["T.macro", "T.exp", "T.prim_func", "T.axis", "T.axis.S"]);
        assert_eq!(names(&["g"])[2..], ["R.function", "R.function", "R.nn", "R.nn.relu", "R.add"]);
        assert_eq!(source.lines().count(), 17);
    }
}
