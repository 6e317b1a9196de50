//! The rows of the page, from the tables of the language.

use tilewright::expr::{Builtin, Intrinsic};
use tilewright::ir::analysis::kinds::Kinds;
use tilewright::ir::{relax, tir};
use tilewright::script::parse::known_names;
use tilewright::tensor::DataType;
use tilewright::tir_passes::ATTRIBUTE_HINTS;

use super::{Thing, forms};

/// Rows that belong together.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) title: &'static str,
    pub(super) things: Vec<Thing>,
}

/// Titles of kinds, each with the words that the names of its kinds begin with.
const KINDS: [(&str, &[&str]); 8] = [
    ("Statements", &["tir ", "loop ", "axis ", "block "]),
    ("Buffers", &["buffer ", "scope "]),
    ("Scalar expressions", &["scalar ", "operator ", "comparison ", "foreign ", "size variable"]),
    ("Intrinsics", &["intrinsic "]),
    ("Operations of targets", &["builtin "]),
    ("Graph expressions", &["relax ", "callee ", "call ", "binding ", "dataflow "]),
    ("Struct infos", &["info ", "shape "]),
    ("Modules and attributes", &["function ", "global info ", "attribute "]),
];

/// Attributes of functions and modules that some part of the compiler reads or writes.
const FUNCTION_ATTRS: [&str; 11] = [
    tir::attr_names::GLOBAL_SYMBOL,
    tir::attr_names::NOALIAS,
    relax::attr_names::FORCE_PURE,
    "Primitive",
    "Composite",
    "Codegen",
    "num_input",
    "tir_var_upper_bound",
    "estimated_flops",
    "target",
    "device_num",
];

/// All rows. A kind whose name begins with none of the known words is in a section of its own, with no title.
pub(super) fn all() -> Vec<Section> {
    let mut sections: Vec<Section> = KINDS.iter().map(|(title, _)| Section { title, things: Vec::new() }).collect();
    let mut rest = Vec::new();
    for name in Kinds::names() {
        let section = KINDS.iter().position(|(_, words)| words.iter().any(|word| name.starts_with(word)));
        match section.and_then(|at| sections.get_mut(at)) {
            Some(section) => section.things.push(Thing::Kind(name)),
            None => rest.push(Thing::Kind(name)),
        }
    }
    let elements = DataType::TENSOR_ELEMENTS.into_iter().chain(DataType::STORED_ELEMENTS).map(Thing::Element);
    let statement_attrs = ATTRIBUTE_HINTS.iter().map(|key| Thing::StatementAttr((*key).to_owned()));
    sections.extend([
        Section { title: "Element types", things: elements.collect() },
        Section { title: "Operators and their attributes", things: operators() },
        Section {
            title: "Attributes of functions",
            things: FUNCTION_ATTRS.iter().map(|key| Thing::FunctionAttr((*key).to_owned())).collect(),
        },
        Section { title: "Attributes around statements", things: statement_attrs.collect() },
        Section { title: "Names", things: names() },
        Section { title: "Forms of Python", things: forms::ALL.iter().map(|form| Thing::Form(form.title)).collect() },
        Section { title: "", things: rest },
    ]);
    sections.retain(|section| !section.things.is_empty());
    sections
}

fn operators() -> Vec<Thing> {
    let all = tilewright::ops::all();
    all.flat_map(|op| {
        let attrs = op.0.attrs.iter().map(|attr| Thing::OperatorAttr(op.0.name, attr.name));
        std::iter::once(Thing::Operator(op.0.name)).chain(attrs)
    })
    .collect()
}

/// The names of the namespaces that are no operator, no intrinsic and no operation of a target by its own name: those
/// have rows already.
fn names() -> Vec<Thing> {
    let has_row = |name: &str| match name.split_once('.') {
        Some(("T", name)) => {
            Builtin::by_name(name).is_some() || Intrinsic::ALL.iter().any(|intrinsic| intrinsic.name() == name)
        }
        Some(("R", name)) => tilewright::ops::lookup(name).is_some(),
        _ => false,
    };
    let mut names: Vec<String> = known_names().into_iter().filter(|name| !has_row(name)).collect();
    names.sort();
    names.dedup();
    names.into_iter().map(Thing::Name).collect()
}

/// The name of a row.
pub(super) fn title(thing: &Thing) -> String {
    match thing {
        Thing::Kind(name) => match name.split_once(' ') {
            Some(("intrinsic" | "builtin", name)) => format!("`T.{name}`"),
            _ => name.clone(),
        },
        Thing::Operator(name) => format!("`R.{name}`"),
        Thing::OperatorAttr(op, attr) => format!("`R.{op}(…, {attr}=…)`"),
        Thing::FunctionAttr(key) => format!("`\"{key}\"`"),
        Thing::StatementAttr(key) => format!("`T.attr(…, \"{key}\", …)`"),
        Thing::Element(dtype) => format!("`{dtype}`"),
        Thing::Name(name) => format!("`{name}`"),
        Thing::Form(title) => title.replace('|', "\\|"),
    }
}
