//! Calls as text: `b0 = sch.get_block(name="matmul")`, or shorter without `sch.` and with arguments by position.

use tilewright_ir::node::FloatBits;
use tilewright_ir::{Attr, Attrs};
use tilewright_support::{Diagnostic, Diagnostics, Map};

use super::Schedule;
use crate::trace::{Arg, Output, Rv, index_map};

/// The handles of a text by their names.
#[derive(Debug, Default)]
pub struct Names(Map<String, Vec<Rv>>);

impl Schedule {
    /// Does what the line says; the handles that it gives have its names. The error says what is wrong with the line,
    /// or why the primitive was refused.
    pub fn run_line(&mut self, names: &mut Names, line: &str) -> Result<(), Diagnostics> {
        let wrong = |message: String| Diagnostics::from(Diagnostic::error("TW0707", message));
        let (targets, apart, method, (positional, named)) = read(names, line).map_err(wrong)?;
        let output = self.call_with(&method, positional, named).map_err(|error| error.diagnostic())?;
        if targets.is_empty() {
            return Ok(());
        }
        match (&output, targets.as_slice()) {
            (Output::List(rvs), [all]) if !apart => drop(names.0.insert(all.clone(), rvs.clone())),
            (output, targets) if output.rvs().len() == targets.len() => {
                for (name, rv) in targets.iter().zip(output.rvs()) {
                    names.0.insert(name.clone(), vec![*rv]);
                }
            }
            (output, targets) => {
                let (given, wanted) = (output.rvs().len(), targets.len());
                return Err(wrong(format!("`{method}` gives {given} handles for {wanted} names")));
            }
        }
        Ok(())
    }
}

/// A line taken apart: the names in front of `=`, whether each is of one handle, the method, and its arguments.
type Line = (Vec<String>, bool, String, Arguments);

fn read(names: &Names, line: &str) -> Result<Line, String> {
    let mut reader = Reader { names, rest: line.trim(), open: 0 };
    let (targets, apart) = reader.targets();
    let method = reader.word().ok_or("expected the name of a primitive")?;
    let arguments = reader.arguments()?;
    Ok((targets, apart, method, arguments))
}

struct Reader<'a> {
    names: &'a Names,
    rest: &'a str,
    /// Lists and maps around the place that is read.
    open: usize,
}

/// Lists and maps inside of each other, at most.
const MAX_OPEN: usize = 64;

type Arguments = (Vec<Arg>, Vec<(String, Arg)>);

impl Reader<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> Option<String> {
        self.skip();
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// `a, b =` in front of a call, and whether the names stand for one handle each.
    fn targets(&mut self) -> (Vec<String>, bool) {
        let (mut targets, mut apart) = (Vec::new(), false);
        if let Some((before, after)) = self.rest.split_once('=')
            && !before.contains('(')
        {
            targets.extend(before.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
            self.rest = after.trim_start();
            apart = before.contains(',');
        }
        self.rest = self.rest.strip_prefix("sch.").unwrap_or(self.rest);
        (targets, apart)
    }

    fn arguments(&mut self) -> Result<Arguments, String> {
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        if !self.take("(") {
            return Err(format!("expected `(`, found `{}`", self.rest));
        }
        while !self.take(")") {
            let begin = self.rest;
            match self.word() {
                Some(name) if self.take("=") => named.push((name, self.arg()?)),
                _ => {
                    self.rest = begin;
                    positional.push(self.arg()?);
                }
            }
            if !self.take(",") && !self.rest.trim_start().starts_with(')') {
                return Err(format!("expected `,` or `)`, found `{}`", self.rest));
            }
        }
        Ok((positional, named))
    }

    fn arg(&mut self) -> Result<Arg, String> {
        for (begin, end) in [("[", "]"), ("(", ")"), ("{", "}")] {
            if self.take(begin) {
                if self.open == MAX_OPEN {
                    return Err(format!("more than {MAX_OPEN} lists inside of each other"));
                }
                self.open += 1;
                let inner = if begin == "{" { self.map() } else { self.list(end) };
                self.open -= 1;
                return inner;
            }
        }
        if self.take("\"") {
            let (text, rest) = self.rest.split_once('"').ok_or("expected `\"`")?;
            self.rest = rest;
            return Ok(Arg::Attr(Attr::str(text)));
        }
        self.skip();
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return self.number();
        }
        if let Some(rest) = self.rest.strip_prefix("lambda") {
            let (map, rest) = index_map::read(rest)?;
            self.rest = rest;
            return Ok(Arg::Attr(Attr::IndexMap(map)));
        }
        if let Some(rest) = self.rest.strip_prefix("float(\"") {
            let (text, rest) = rest.split_once("\")").ok_or("expected `\")`")?;
            self.rest = rest;
            let value = text.parse().map_err(|_| format!("`{text}` is no number"))?;
            return Ok(Arg::Attr(Attr::Float(FloatBits(value))));
        }
        let name = self.word().ok_or_else(|| format!("expected an argument, found `{}`", self.rest))?;
        Ok(match name.as_str() {
            "None" => Arg::Attr(Attr::None),
            "True" => Arg::Attr(Attr::Bool(true)),
            "False" => Arg::Attr(Attr::Bool(false)),
            _ => match self.names.0.get(&name).map(Vec::as_slice) {
                Some([rv]) => Arg::Rv(*rv),
                Some(rvs) => Arg::List(rvs.iter().copied().map(Arg::Rv).collect()),
                None => return Err(format!("no handle has the name `{name}`")),
            },
        })
    }

    fn list(&mut self, end: &str) -> Result<Arg, String> {
        let mut items = Vec::new();
        while !self.take(end) {
            items.push(self.arg()?);
            self.take(",");
            if self.rest.is_empty() {
                return Err(format!("expected `{end}`"));
            }
        }
        Ok(Arg::List(items))
    }

    fn map(&mut self) -> Result<Arg, String> {
        let mut map = Attrs::new();
        while !self.take("}") {
            let (Arg::Attr(Attr::Str(name)), true) = (self.arg()?, self.take(":")) else {
                return Err("expected `\"name\": value`".to_owned());
            };
            match self.arg()? {
                Arg::Attr(value) => map.insert(name, value),
                _ => return Err("expected a number or a text".to_owned()),
            };
            self.take(",");
        }
        Ok(Arg::Attr(Attr::Map(map)))
    }

    fn number(&mut self) -> Result<Arg, String> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit() && !"+-.e".contains(c)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        let int = text.parse().map(Attr::Int);
        let number = int.or_else(|_| text.parse().map(|value| Attr::Float(FloatBits(value))));
        number.map(Arg::Attr).map_err(|_| format!("`{text}` is no number"))
    }
}
