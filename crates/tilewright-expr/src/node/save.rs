//! Saving: a graph of nodes as JSON.
//!
//! [`Saver`] writes each node that handles point to once, as an entry `["%5", "tir.Expr", {…}]` after the entries of
//! the nodes that it mentions, and mentions it by its number from then on. Variables and buffers are such nodes, so
//! their identity is their number. Values that are no nodes are written where they are used. Tensors and source files
//! have tables of their own.

use std::fmt::Write;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tilewright_support::{Map, SourceFile};
use tilewright_tensor::Tensor;

use super::{AnyHandle, IrNode};

/// Writes a graph of nodes.
#[derive(Debug, Default)]
pub struct Saver {
    /// The value that is being written.
    line: String,
    /// Memory of values that were written.
    spare: Vec<String>,
    entries: String,
    /// The number of each node that has an entry, by address.
    numbers: Map<usize, usize>,
    tensors: Vec<Tensor>,
    /// By address of the first byte, number of bytes, and layout.
    tensor_numbers: Map<(usize, usize, usize), Vec<usize>>,
    files: Vec<Arc<SourceFile>>,
    file_numbers: Map<usize, usize>,
}

/// The parts of a saved graph, each a JSON value.
#[derive(Debug)]
pub struct Saved {
    pub nodes: String,
    pub root: String,
    pub files: String,
    pub tensors: String,
}

impl Saver {
    /// Saves a root and all that it holds.
    pub fn save<N: IrNode>(root: &N) -> Saved {
        let mut saver = Self::default();
        root.save(&mut saver);
        let root = std::mem::take(&mut saver.line);
        let (files, tensors) = (saver.file_table(), saver.tensor_table());
        Saved { nodes: format!("[{}]", saver.entries), root, files, tensors }
    }

    /// A value that holds no handles, as text.
    pub fn text_of(value: &dyn IrNode) -> String {
        let mut saver = Self::default();
        value.save(&mut saver);
        saver.line
    }

    /// Begins a list or object with its bracket.
    pub fn open(&mut self, bracket: char) {
        self.line.push(bracket);
    }

    pub fn close(&mut self, bracket: char) {
        self.line.push(bracket);
    }

    /// Goes before each item of a list.
    pub fn item(&mut self) {
        if !self.line.ends_with(['[', '{']) {
            self.line.push_str(", ");
        }
    }

    /// Goes before each value of an object.
    pub fn key(&mut self, key: &str) {
        self.item();
        self.text(key);
        self.line.push_str(": ");
    }

    pub fn null(&mut self) {
        self.line.push_str("null");
    }

    pub fn bool(&mut self, value: bool) {
        self.line.push_str(if value { "true" } else { "false" });
    }

    pub fn int(&mut self, value: i64) {
        let _ = write!(self.line, "{value}");
    }

    /// A float, such that every bit is restored: one without a JSON number is a text.
    pub fn float(&mut self, value: f64) {
        let _ = match value {
            v if v.is_nan() => write!(self.line, "\"nan:{:016x}\"", v.to_bits()),
            v if v.is_infinite() => write!(self.line, "\"{v}\""),
            v => write!(self.line, "{v:?}"),
        };
    }

    pub fn text(&mut self, text: &str) {
        write_text(&mut self.line, text);
    }

    /// A handle: an entry for its node where that has none yet, and its number.
    pub fn handle(&mut self, node: &dyn AnyHandle) {
        let number = match self.numbers.get(&node.address()) {
            Some(&number) => number,
            None => self.entry(node),
        };
        let _ = write!(self.line, "\"%{number}\"");
    }

    fn entry(&mut self, node: &dyn AnyHandle) -> usize {
        let empty = self.spare.pop().unwrap_or_default();
        let outer = std::mem::replace(&mut self.line, empty);
        tilewright_support::with_stack(|| node.save_inside(self));
        let mut inside = std::mem::replace(&mut self.line, outer);
        let number = self.numbers.len();
        self.numbers.insert(node.address(), number);
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(self.entries, "{comma}\n[\"%{number}\", \"{}\", {inside}]", node.sort());
        inside.clear();
        self.spare.push(inside);
        number
    }

    /// A tensor by its number in the table.
    pub fn tensor(&mut self, tensor: &Tensor) {
        let key = (tensor.data_ptr().addr(), tensor.num_bytes(), Arc::as_ptr(tensor.layout()).addr());
        let known = self.tensor_numbers.entry(key).or_default();
        let found = known.iter().copied().find(|&number| self.tensors.get(number).is_some_and(|t| t.same(tensor)));
        let number = found.unwrap_or_else(|| {
            known.push(self.tensors.len());
            self.tensors.push(tensor.clone());
            self.tensors.len() - 1
        });
        let _ = write!(self.line, "\"@{number}\"");
    }

    /// A file by its number in the table.
    pub fn file(&mut self, file: &Arc<SourceFile>) {
        let files = &mut self.files;
        let number = *self.file_numbers.entry(Arc::as_ptr(file).addr()).or_insert_with(|| {
            files.push(file.clone());
            files.len() - 1
        });
        let _ = write!(self.line, "{number}");
    }

    fn tensor_table(&self) -> String {
        let mut table = String::from("[");
        for (number, tensor) in self.tensors.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let (dtype, shape) = (tensor.dtype(), tensor.shape());
            let _ = write!(table, "{comma}\n{{\"dtype\": \"{dtype}\", \"shape\": {shape:?}, \"data\": \"");
            let compact = tensor.to_contiguous();
            let bytes = compact.as_ref().ok().and_then(|tensor| tensor.as_bytes().ok()).unwrap_or_default();
            STANDARD.encode_string(bytes, &mut table);
            table.push_str("\"}");
        }
        table + "]"
    }

    fn file_table(&self) -> String {
        let mut table = String::from("[");
        for (number, file) in self.files.iter().enumerate() {
            table.push_str(if number == 0 { "\n{\"name\": " } else { ",\n{\"name\": " });
            write_text(&mut table, &file.name);
            let _ = write!(table, ", \"first_line\": {}, \"text\": ", file.first_line);
            write_text(&mut table, &file.text);
            table.push('}');
        }
        table + "]"
    }
}

/// A text as JSON has it.
fn write_text(out: &mut String, text: &str) {
    out.push('"');
    // Most texts are names.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
        out.push_str(text);
        out.push('"');
        return;
    }
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '\\' || c.is_control()) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = special.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\t') => out.push_str("\\t"),
            Some(control) => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}
