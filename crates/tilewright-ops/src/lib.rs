//! The op table: the declarations of all operators of the graph level.
//!
//! One op is one file in its family's folder (an elementwise op: one line), and one line in the family's list.
//! Everything about it is there: documentation, arguments and attributes as data, the inference rule, the
//! legalisation to tensor expressions, the properties that passes ask for. Script, builders, Python functions, the
//! reference page and the generated tests interpret the declaration.
//!
//! Reading order: [`declare`] (the form of a declaration), one op such as `nn/relu.rs`, [`gradient`] (the form of
//! rules of differentiation), [`shapes`] (the rules about
//! shapes that inference shares), then the families.
//!
//! Invariants: no pass, parser or printer names an op by a string; nothing is registered by scanning or at link time.

#[macro_use]
mod declare;

pub mod attributes;
pub mod binary;
pub mod builtin;
pub mod ccl;
pub mod create;
pub mod elementwise;
pub mod grad;
pub mod gradient;
pub mod image;
pub mod indexed;
pub mod inspect;
pub mod linear_algebra;
pub mod manipulate;
pub mod memory;
mod nest;
pub mod nn;
pub mod quantization;
pub mod reduction;
pub mod sampling;
pub mod search;
pub mod set;
pub mod shapes;
pub mod sorting;
pub mod statistical;
pub mod system;
pub mod unary;
pub mod vm;

use std::sync::LazyLock;

use tilewright_ir::op::{OpDef, OpRef};
use tilewright_support::Map;

/// The families with their pages, in the order of the reference.
const FAMILIES: [(&str, &[&OpDef]); 23] = [
    ("unary", unary::ELEMENTWISE),
    ("unary", unary::OPS),
    ("binary", binary::ELEMENTWISE),
    ("binary", binary::OPS),
    ("create", create::OPS),
    ("linear_algebra", linear_algebra::OPS),
    ("manipulate", manipulate::OPS),
    ("indexed", indexed::OPS),
    ("statistical", statistical::OPS),
    ("sorting", sorting::OPS),
    ("search", search::OPS),
    ("set", set::OPS),
    ("sampling", sampling::OPS),
    ("nn", nn::OPS),
    ("image", image::OPS),
    ("quantization", quantization::OPS),
    ("grad", grad::OPS),
    ("ccl", ccl::OPS),
    ("inspect", inspect::OPS),
    ("system", system::OPS),
    ("builtin", builtin::OPS),
    ("memory", memory::OPS),
    ("vm", vm::OPS),
];

/// Every op, family by family.
pub fn all() -> impl Iterator<Item = OpRef> {
    FAMILIES.iter().flat_map(|(_, family)| family.iter().map(|def| OpRef(def)))
}

/// The page of the reference that documents an op: the name of its family.
pub fn page_of(op: OpRef) -> &'static str {
    let has = |family: &[&OpDef]| family.iter().any(|def| def.name == op.name);
    FAMILIES.iter().find(|(_, family)| has(family)).map_or("", |(page, _)| page)
}

/// The op of this name (without `R.`, such as `nn.relu`).
pub fn lookup(name: &str) -> Option<OpRef> {
    static BY_NAME: LazyLock<Map<&'static str, OpRef>> = LazyLock::new(|| all().map(|op| (op.name, op)).collect());
    BY_NAME.get(name).copied()
}
