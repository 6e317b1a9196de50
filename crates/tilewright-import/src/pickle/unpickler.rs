//! The machine that runs a pickle's program: a stack of node numbers, marks on it, and a memo.

use std::borrow::Cow;

use tilewright_support::Map;

use super::Value;
use super::calls::{array_of_state, order_of_state};
use super::decode::{long, raw_unicode, string_literal};
use super::globals::Global;
use super::nodes::{Budget, Id, Node, copy_out};
use super::torch::{Storages, storage};
use crate::{Format, ImportError};

struct Unpickler<'a, 's, 'f> {
    input: &'a [u8],
    at: usize,
    nodes: Vec<Node<'a>>,
    stack: Vec<Id>,
    /// Heights of the stack.
    marks: Vec<usize>,
    memo: Map<u64, Id>,
    budget: Budget,
    /// In a file of PyTorch.
    storages: Option<Storages<'s, 'f>>,
}

/// Whether the program goes on.
enum Step {
    On,
    Stop,
}

/// The value of the pickle that the input begins with, and the pickle's length.
pub(super) fn run(input: &[u8], storages: Option<Storages<'_, '_>>) -> Result<(Value, usize), ImportError> {
    let mut unpickler = Unpickler {
        input,
        at: 0,
        nodes: Vec::new(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: Map::default(),
        budget: Budget::for_length(input.len()),
        storages,
    };
    loop {
        let start = unpickler.at;
        match unpickler.step() {
            Ok(Step::On) => {}
            Ok(Step::Stop) => break,
            Err(message) => return Err(ImportError::at(Format::Pickle.name(), start, message)),
        }
    }
    let result = unpickler.pop().and_then(|id| copy_out(&unpickler.nodes, &mut unpickler.budget, id, 0));
    let length = unpickler.at;
    result.map(|value| (value, length)).map_err(|message| ImportError::new(Format::Pickle.name(), message))
}

impl<'a> Unpickler<'a, '_, '_> {
    fn take(&mut self, count: u64) -> Result<&'a [u8], String> {
        let end = usize::try_from(count).ok().and_then(|count| self.at.checked_add(count));
        let bytes = end.and_then(|end| self.input.get(self.at..end)).ok_or("the pickle ends too early")?;
        self.at += bytes.len();
        Ok(bytes)
    }

    fn number(&mut self, bytes: u64) -> Result<u64, String> {
        let mut wide = [0; 8];
        let taken = self.take(bytes)?;
        wide.get_mut(..taken.len()).ok_or("a number of too many bytes")?.copy_from_slice(taken);
        Ok(u64::from_le_bytes(wide))
    }

    /// A byte string after its length, an integer of `length_bytes` bytes.
    fn counted(&mut self, length_bytes: u64) -> Result<&'a [u8], String> {
        let count = self.number(length_bytes)?;
        self.take(count)
    }

    /// The bytes up to the end of the line.
    fn line(&mut self) -> Result<&'a [u8], String> {
        let rest = &self.input[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').ok_or("the pickle ends too early")?;
        self.at += length + 1;
        Ok(&rest[..length])
    }

    fn line_text(&mut self) -> Result<&'a str, String> {
        std::str::from_utf8(self.line()?).map_err(|_| "a line that is no text".to_owned())
    }

    fn push(&mut self, node: Node<'a>) -> Result<Step, String> {
        self.stack.push(self.nodes.len());
        self.nodes.push(node);
        Ok(Step::On)
    }

    fn pop(&mut self) -> Result<Id, String> {
        if self.marks.last().is_some_and(|&mark| mark >= self.stack.len()) {
            return Err("the stack is empty above its mark".to_owned());
        }
        self.stack.pop().ok_or_else(|| "the stack is empty".to_owned())
    }

    fn top(&self) -> Result<Id, String> {
        self.stack.last().copied().ok_or_else(|| "the stack is empty".to_owned())
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Id>, String> {
        let mark = self.marks.pop().ok_or("there is no mark on the stack")?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<Id>, String> {
        let mut items = (0..count).map(|_| self.pop()).collect::<Result<Vec<_>, _>>()?;
        items.reverse();
        Ok(items)
    }

    fn text(&mut self, bytes: &'a [u8]) -> Result<Step, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "a text that is not UTF-8".to_owned())?;
        self.push(Node::Str(Cow::Borrowed(text)))
    }

    fn integer(&mut self, bytes: &[u8]) -> Result<Step, String> {
        let value = long(bytes).ok_or("an integer of more than 64 bits")?;
        self.push(Node::Int(value))
    }

    fn step(&mut self) -> Result<Step, String> {
        let op = self.number(1)? as u8;
        match op {
            b'.' => return Ok(Step::Stop),
            // Protocol number and frames say nothing that matters here.
            0x80 => drop(self.take(1)?),
            0x95 => drop(self.take(8)?),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => {
                if self.marks.last() == Some(&self.stack.len()) {
                    self.marks.pop();
                } else {
                    self.pop()?;
                }
            }
            b'1' => drop(self.pop_to_mark()?),
            b'2' => {
                let top = self.top()?;
                self.stack.push(top);
            }
            b'N' => return self.push(Node::None),
            0x88 => return self.push(Node::Bool(true)),
            0x89 => return self.push(Node::Bool(false)),
            b'Q' if self.storages.is_some() => return self.storage(),
            b'P' | b'Q' => return Err("persistent references are not read".to_owned()),
            0x82..=0x84 => return Err("extensions of the registry are not read".to_owned()),
            0x97 | 0x98 => return Err("buffers outside the pickle are not read".to_owned()),
            b'i' | b'o' | 0x81 | 0x92 => return self.object(op),
            b'c' | 0x93 | b'R' | b'b' => return self.globals(op),
            b'p' | b'q' | b'r' | 0x94 | b'g' | b'h' | b'j' => return self.memory(op),
            b'I' | b'J' | b'K' | b'L' | b'M' | 0x8a | 0x8b | b'F' | b'G' => return self.numbers(op),
            b'S' | b'T' | b'U' | b'V' | b'X' | b'B' | b'C' | 0x8c | 0x8d | 0x8e | 0x96 => return self.texts(op),
            _ => return self.containers(op),
        }
        Ok(Step::On)
    }

    fn find(&self, module: &str, name: &str) -> Result<Global, String> {
        Global::find(module, name, self.storages.is_some())
    }

    /// A storage of PyTorch, by the reference on top of the stack.
    fn storage(&mut self) -> Result<Step, String> {
        let reference = self.pop()?;
        let storages = self.storages.as_mut().ok_or("persistent references are not read")?;
        let node = storage(&self.nodes, storages, reference)?;
        self.push(node)
    }

    /// Objects of classes: refused by the name of the class where there is one.
    fn object(&mut self, op: u8) -> Result<Step, String> {
        if op == b'i' {
            let (module, name) = (self.line_text()?, self.line_text()?);
            self.find(module, name)?;
        }
        Err("objects of classes are not made: only NumPy arrays and plain containers are read".to_owned())
    }

    fn globals(&mut self, op: u8) -> Result<Step, String> {
        match op {
            b'c' => {
                let (module, name) = (self.line_text()?, self.line_text()?);
                let global = self.find(module, name)?;
                self.push(Node::Global(global))
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (module, name) = (self.nodes[module].text(), self.nodes[name].text());
                let (Some(module), Some(name)) = (module, name) else { return Err("expected a name".to_owned()) };
                let global = self.find(&module, &name)?;
                self.push(Node::Global(global))
            }
            b'R' => {
                let (args, callee) = (self.pop()?, self.pop()?);
                let Node::Global(global) = self.nodes[callee] else {
                    return Err(format!("expected a function to call, found {}", self.nodes[callee].kind()));
                };
                let Node::Tuple(args) = &self.nodes[args] else {
                    return Err("expected a tuple of arguments".to_owned());
                };
                let result = global.call(&self.nodes, &mut self.budget, args)?;
                self.push(result)
            }
            _ => self.build(),
        }
    }

    /// Gives a new array or type its state.
    fn build(&mut self) -> Result<Step, String> {
        let (state, object) = (self.pop()?, self.top()?);
        if let (Node::Dict(_), Node::Dict(_)) = (&self.nodes[state], &self.nodes[object]) {
            // Attributes of an ordered dictionary, of which none is read.
            return Ok(Step::On);
        }
        let Node::Tuple(state) = &self.nodes[state] else {
            return Err("expected the state of an array or type".to_owned());
        };
        let built = match &self.nodes[object] {
            Node::EmptyArray => array_of_state(&self.nodes, &mut self.budget, state)?,
            Node::DType(code, _) => Node::DType(code.clone(), Some(order_of_state(&self.nodes, state)?)),
            other => return Err(format!("{} has no state to be given", other.kind())),
        };
        self.nodes[object] = built;
        Ok(Step::On)
    }

    fn memory(&mut self, op: u8) -> Result<Step, String> {
        let key = match op {
            b'p' | b'g' => self.line_text()?.trim().parse().map_err(|_| "expected a number of the memo".to_owned())?,
            b'q' | b'h' => self.number(1)?,
            b'r' | b'j' => self.number(4)?,
            _ => self.memo.len() as u64,
        };
        if matches!(op, b'g' | b'h' | b'j') {
            let id = *self.memo.get(&key).ok_or_else(|| format!("the memo has no entry {key}"))?;
            self.stack.push(id);
        } else {
            let top = self.top()?;
            self.memo.insert(key, top);
        }
        Ok(Step::On)
    }

    fn numbers(&mut self, op: u8) -> Result<Step, String> {
        match op {
            b'J' => {
                let bytes = self.take(4)?;
                self.integer(bytes)
            }
            b'K' | b'M' => {
                let value = self.number(if op == b'K' { 1 } else { 2 })?;
                self.push(Node::Int(value as i64))
            }
            0x8a | 0x8b => {
                let bytes = self.counted(if op == 0x8a { 1 } else { 4 })?;
                self.integer(bytes)
            }
            b'G' => {
                let bytes = self.take(8)?;
                let value = bytes.try_into().map(f64::from_be_bytes).map_err(|_| "a float of 8 bytes".to_owned())?;
                self.push(Node::Float(value))
            }
            b'F' => {
                let value = self.line_text()?.trim().parse().map_err(|_| "expected a float".to_owned())?;
                self.push(Node::Float(value))
            }
            _ => match self.line_text()?.trim() {
                "00" if op == b'I' => self.push(Node::Bool(false)),
                "01" if op == b'I' => self.push(Node::Bool(true)),
                digits => {
                    let digits = digits.strip_suffix('L').unwrap_or(digits);
                    let value = digits.parse().map_err(|_| "expected an integer of at most 64 bits".to_owned())?;
                    self.push(Node::Int(value))
                }
            },
        }
    }

    fn texts(&mut self, op: u8) -> Result<Step, String> {
        match op {
            b'S' => {
                let bytes = string_literal(self.line()?.trim_ascii())?;
                self.push(Node::OldStr(Cow::Owned(bytes)))
            }
            b'V' => {
                let text = raw_unicode(self.line()?)?;
                self.push(Node::Str(Cow::Owned(text)))
            }
            b'T' | b'U' => {
                let bytes = self.counted(if op == b'T' { 4 } else { 1 })?;
                self.push(Node::OldStr(Cow::Borrowed(bytes)))
            }
            b'X' | 0x8c | 0x8d => {
                let bytes = self.counted(match op {
                    b'X' => 4,
                    0x8c => 1,
                    _ => 8,
                })?;
                self.text(bytes)
            }
            _ => {
                let bytes = self.counted(match op {
                    b'B' => 4,
                    b'C' => 1,
                    _ => 8,
                })?;
                self.push(Node::Bytes(Cow::Borrowed(bytes)))
            }
        }
    }

    fn containers(&mut self, op: u8) -> Result<Step, String> {
        match op {
            b']' => self.push(Node::List(Vec::new())),
            b'}' => self.push(Node::Dict(Vec::new())),
            b')' => self.push(Node::Tuple(Vec::new())),
            0x8f => self.push(Node::Set(Vec::new())),
            b'l' => {
                let items = self.pop_to_mark()?;
                self.push(Node::List(items))
            }
            b't' => {
                let items = self.pop_to_mark()?;
                self.push(Node::Tuple(items))
            }
            0x91 => {
                let items = self.pop_to_mark()?;
                self.push(Node::Set(items))
            }
            0x85..=0x87 => {
                let items = self.pop_many(usize::from(op - 0x84))?;
                self.push(Node::Tuple(items))
            }
            b'd' => {
                let items = self.pop_to_mark()?;
                let dict = pairs(&items)?;
                self.push(Node::Dict(dict))
            }
            b'a' => {
                let item = self.pop()?;
                self.extend(vec![item])
            }
            b'e' | 0x90 => {
                let items = self.pop_to_mark()?;
                self.extend(items)
            }
            b's' => {
                let items = self.pop_many(2)?;
                self.extend(items)
            }
            b'u' => {
                let items = self.pop_to_mark()?;
                self.extend(items)
            }
            _ => Err(format!("0x{op:02x} is no instruction of a pickle")),
        }
    }

    /// Adds items to the container on top of the stack.
    fn extend(&mut self, items: Vec<Id>) -> Result<Step, String> {
        let top = self.top()?;
        match &mut self.nodes[top] {
            Node::List(list) | Node::Set(list) => list.extend(items),
            Node::Dict(dict) => dict.extend(pairs(&items)?),
            other => return Err(format!("{} takes no items", other.kind())),
        }
        Ok(Step::On)
    }
}

fn pairs(items: &[Id]) -> Result<Vec<(Id, Id)>, String> {
    if !items.len().is_multiple_of(2) {
        return Err("a key without a value".to_owned());
    }
    Ok(items.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}
