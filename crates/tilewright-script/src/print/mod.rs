//! Printing: from modules, functions and single nodes to TVMScript.
//!
//! IR is written into a document ([`doc`]) that knows where lines may be broken, and the document is laid out as text.
//! Names are given on the way ([`names`]): each variable one of its own among those in scope. The spelling of each node
//! is in [`crate::spelling`].

mod attrs;
mod block;
mod buffers;
mod doc;
mod free;
mod graph;
mod highlight;
mod names;
mod options;
mod relax;
mod scalar;
mod share;
#[cfg(test)]
mod tests;
mod tir;
mod underline;
mod underline_report;
#[cfg(test)]
mod underline_tests;

use tilewright_expr::node::{IrNode, VarId};
use tilewright_expr::{Range, Var};
use tilewright_ir::analysis::used_global_vars;
use tilewright_ir::relax::{Function, StructInfo, VDevice};
use tilewright_ir::tir::{PrimFunc, Stmt};
use tilewright_ir::{GlobalFunc, IRModule};
use tilewright_support::{Map, NearMap, NearSet, Set};
use tilewright_tensor::Tensor;

pub use highlight::{highlight, highlight_html};
pub use options::{Prefixes, PrintOptions};
pub use underline::{Marks, Target};
pub use underline_report::{mismatch_report, print_node};

use crate::spelling::devices::names_of;
use crate::spelling::metadata;
use doc::Doc;
use names::Names;
use relax::Context;
use underline::Marking;

/// The text of a module, with its imports as comments, ending in a line break.
pub fn print_module(module: &IRModule, options: &PrintOptions) -> String {
    let mut printer = Printer::of(options, module);
    printer.function_names = names::function_names(module.sorted().into_iter().map(|(name, _)| &**name));
    printer.qualified_after("@", Namespace::Module, "ir_module");
    printer.doc.line();
    printer.doc.write(format_args!("class {}:", options.name));
    printer.doc.indent();
    printer.attrs_line(Namespace::Module, "module_attrs", &module.attrs, None);
    printer.devices = names_of(module.vdevices()).into_iter().map(|(device, name)| (device.clone(), name)).collect();
    printer.global_infos(&module.global_infos);
    let mut first = module.attrs.is_empty() && module.global_infos.is_empty();
    for (name, function) in module.sorted() {
        if !first {
            printer.doc.line();
        }
        first = false;
        printer.doc.line();
        match function {
            GlobalFunc::Prim(function) => printer.prim_func(name, function),
            GlobalFunc::Relax(function) => printer.module_function(name, function),
        }
    }
    if first {
        printer.doc.line();
        printer.doc.text("pass");
    }
    printer.doc.dedent();
    printer.finish()
}

/// The text of a PrimFunc by itself.
pub fn print_prim_func(name: &str, function: &PrimFunc, options: &PrintOptions) -> String {
    let mut printer = Printer::of(options, function);
    printer.prim_func(name, function);
    printer.finish()
}

/// The text of a graph function by itself; where it calls itself, it does so by its plain name.
pub fn print_function(name: &str, function: &Function, options: &PrintOptions) -> String {
    let mut printer = Printer::of(options, function);
    let text = names::function_name(name);
    if names::identifier(&text) == text && used_global_vars(function).iter().any(|used| **used == *name) {
        printer.names.reserve(&text);
        printer.itself = Some(name);
    }
    printer.module_function(name, function);
    printer.finish()
}

/// A statement, for messages; variables by their own names.
pub fn print_stmt(stmt: &Stmt) -> String {
    single(false, |printer| printer.statements(stmt))
}

/// A scalar expression, for messages; variables by their own names.
pub fn print_expr(expr: &tilewright_expr::Expr) -> String {
    single(false, |printer| printer.scalar(expr))
}

/// A graph expression, for messages; variables by their own names.
pub fn print_graph_expr(expr: &tilewright_ir::relax::Expr) -> String {
    single(true, |printer| printer.graph(expr))
}

/// A struct info, for messages; symbolic dimensions by their own names.
pub fn print_struct_info(info: &StructInfo) -> String {
    single(true, |printer| printer.info(info))
}

fn single(graph_level: bool, write: impl FnOnce(&mut Printer<'_>)) -> String {
    let options = PrintOptions::default();
    let mut printer = Printer::new(&options);
    printer.graph_level = graph_level;
    write(&mut printer);
    printer.doc.finish().0.trim().to_owned()
}

/// The namespaces whose letter precedes a name of the script language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Namespace {
    Module,
    Tir,
    Relax,
}

impl Namespace {
    const ALL: [Self; 3] = [Self::Module, Self::Tir, Self::Relax];

    fn prefix(self, options: &PrintOptions) -> &str {
        match self {
            Self::Module => &options.prefixes.ir,
            Self::Tir => &options.prefixes.tir,
            Self::Relax => &options.prefixes.relax,
        }
    }

    const fn module(self) -> &'static str {
        match self {
            Self::Module => "ir",
            Self::Tir => "tir",
            Self::Relax => "relax",
        }
    }
}

/// The tensors of the metadata, in the order of their first uses.
#[derive(Default)]
struct Constants {
    tensors: Vec<Tensor>,
    /// The index of the last one among them over the same memory, by its address.
    last: Map<usize, usize>,
    /// For each, the index of the one before it over the same memory.
    before: Vec<Option<usize>>,
}

impl Constants {
    /// The index of a tensor, at the end if it is new.
    fn index_of(&mut self, tensor: &Tensor) -> usize {
        let new = self.tensors.len();
        let last = self.last.get(&(tensor.data_ptr() as usize)).copied();
        let same = |at: &usize| self.tensors.get(*at).is_some_and(|known| known.same(tensor));
        let before = |at: &usize| self.before.get(*at).copied().flatten();
        if let Some(known) = std::iter::successors(last, before).find(same) {
            return known;
        }
        self.last.insert(tensor.data_ptr() as usize, new);
        self.before.push(last);
        self.tensors.push(tensor.clone());
        new
    }
}

/// Symbolic dimensions, each once, in the order in which they came.
#[derive(Default)]
struct Touched {
    known: NearSet<VarId>,
    vars: Vec<Var>,
}

impl Touched {
    fn add(&mut self, var: &Var) {
        if self.known.insert(var.id()) {
            self.vars.push(var.clone());
        }
    }
}

/// A text in the making.
struct Printer<'o> {
    options: &'o PrintOptions,
    doc: Doc,
    names: Names,
    /// How functions are called whose names are no identifiers.
    function_names: Map<String, String>,
    /// The used namespaces, in the order of [`Namespace::ALL`].
    used: [bool; 3],
    /// Whether bare integers are `int64`, as in graphs, and not `int32`, as in loops.
    graph_level: bool,
    /// Whether symbolic dimensions are texts.
    in_signature: bool,
    /// Whether the graph function being printed calls functions of its module.
    uses_module: bool,
    /// Whether a part is printed by itself, in which functions have plain names.
    without_module: bool,
    /// The function that is printed by itself, if it names itself.
    itself: Option<&'o str>,
    /// Buffers that the function being printed does not declare, by the data variable of the memory that they view.
    views: NearMap<VarId, Vec<tilewright_expr::Buffer>>,
    /// The loop variables of the function being printed and their ranges.
    ranges: NearMap<VarId, Range>,
    /// Nodes of the expression being printed that get a name where they are met first.
    shared: Set<usize>,
    /// The names of those that were met, by address.
    shared_names: Map<usize, String>,
    /// Names of the nodes of the function being printed that have become statements, by address.
    hoisted: Map<usize, String>,
    /// For each graph function around, the symbolic dimensions of its own that its body mentions.
    touched: Vec<Touched>,
    /// The nesting depth of graph functions at which a symbolic dimension was named.
    depth_of: NearMap<VarId, usize>,
    constants: Constants,
    marking: Marking,
    /// The devices that the module names, and how struct infos name them.
    devices: Vec<(VDevice, String)>,
}

impl<'o> Printer<'o> {
    fn new(options: &'o PrintOptions) -> Self {
        Self {
            options,
            doc: Doc::laid_out(options.width, options.indent),
            names: Names::of(options),
            function_names: Map::default(),
            used: [false; 3],
            graph_level: false,
            in_signature: false,
            uses_module: false,
            without_module: false,
            itself: None,
            views: NearMap::default(),
            ranges: NearMap::default(),
            shared: Set::default(),
            shared_names: Map::default(),
            hoisted: Map::default(),
            touched: Vec::new(),
            depth_of: NearMap::default(),
            constants: Constants::default(),
            marking: Marking::default(),
            devices: Vec::new(),
        }
    }

    /// A printer of this root, in which the options mark parts.
    fn of(options: &'o PrintOptions, root: &dyn IrNode) -> Self {
        Self { marking: Marking::new(&options.marks, root), ..Self::new(options) }
    }

    /// `T.name`.
    fn qualified(&mut self, namespace: Namespace, name: &str) {
        self.qualified_after("", namespace, name);
    }

    fn qualified_after(&mut self, prefix: &str, namespace: Namespace, name: &str) {
        self.used[namespace as usize] = true;
        self.doc.text(prefix);
        self.doc.text(namespace.prefix(self.options));
        self.doc.text(".");
        self.doc.text(name);
    }

    fn module_function(&mut self, name: &str, function: &Function) {
        let name = self.function_name(name);
        self.function_def(&name, function, Context::Module);
    }

    /// How a function of the module is called in the text.
    pub(super) fn function_name(&self, name: &str) -> String {
        self.function_names.get(name).cloned().unwrap_or_else(|| names::function_name(name))
    }

    /// Imports, the text, and the constants or a comment in their stead.
    fn finish(mut self) -> String {
        self.metadata();
        if self.options.marks.context_lines.is_some() {
            return self.marked_text();
        }
        let mut imports = String::new();
        for namespace in Namespace::ALL {
            if self.used[namespace as usize] {
                let (module, prefix) = (namespace.module(), namespace.prefix(self.options));
                imports.push_str(&format!("# from tvm.script import {module} as {prefix}\n"));
            }
        }
        imports.push('\n');
        let mut text = self.marked_text();
        text.insert_str(0, &imports);
        if self.options.line_numbers { options::numbered(&text) } else { text }
    }

    fn metadata(&mut self) {
        if self.constants.tensors.is_empty() {
            return;
        }
        self.doc.line();
        self.doc.line();
        let count = self.constants.tensors.len();
        if !self.options.show_meta {
            let constants =
                if count == 1 { "the constant is".to_owned() } else { format!("the {count} constants are") };
            let text = format!("# metadata left out: {constants} not in this text. show_meta=True writes them.");
            return self.doc.text(&text);
        }
        self.doc.write(format_args!("metadata = {{\"{}\": [", metadata::CONSTANTS));
        self.doc.indent();
        for tensor in std::mem::take(&mut self.constants.tensors) {
            self.doc.line();
            let (dtype, shape) = (tensor.dtype(), tensor.shape());
            let data = metadata::encode(&tensor);
            self.doc.write(format_args!("{{\"dtype\": \"{dtype}\", \"shape\": {shape:?}, \"data\": \"{data}\"}},"));
        }
        self.doc.dedent();
        self.doc.line();
        self.doc.text("]}");
    }
}
