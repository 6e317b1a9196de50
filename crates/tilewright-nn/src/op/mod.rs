//! Functions of tensors, each written once: an entry of a table says its name, its parameters with their defaults, its
//! documentation, and how it is written with graph operators.
//!
//! An entry is a line, or a few, in the file of its family:
//!
//! ```text
//! /// Exponentials divided by their sum along an axis.
//! softmax(x: Tensor; axis: Int = Int(-1)) = nn::softmax::OP;
//! ```
//!
//! Of it come the Rust function `op::softmax(&x)`, which has the parameters without a default, the function
//! `op::softmax::with(&x, op::softmax::Options { axis: 0.into() })` with all of them, and Python's
//! `nn.op.softmax(x, axis=-1, name="softmax")` with its signature, documentation and type stub.
//!
//! ```
//! use tilewright_nn::{Exporter, Result, Weights, dims, op};
//! use tilewright_tensor::DataType;
//!
//! let mut exporter = Exporter::new(&Weights::new(DataType::F32));
//! exporter.method("forward").tensor("x", &dims!["n", 8], DataType::F32).write(|args| {
//!     let x = args.tensor("x")?;
//!     let halves = op::split::with(&x, 2, op::split::Options { axis: (-1).into() })?;
//!     op::softmax(&op::multiply(&op::add(&halves[0], &halves[1])?, 0.5)?)
//! })?;
//! let module = exporter.finish()?;
//! let dims = module.relax("forward").and_then(|function| function.ret.dims());
//! assert_eq!(dims.and_then(|dims| dims[1].as_int()), Some(4));
//! # Ok::<(), tilewright_nn::Error>(())
//! ```
//!
//! Reading order: [`OpFn`] (an entry) and the macro in its file, [`Arg`] and [`Call`] (the arguments of a call), then
//! the families. An entry of one graph operator is its name (`= nn::relu::OP`): tensors are the operator's arguments,
//! other parameters its attributes (`dim -> axis: Int` is the attribute `axis`). Any other entry names a function of a
//! [`Call`] (`=> gaussian_unit`).
//!
//! [`tensor_expr`] takes a function of Rust, and is no entry, as is every operation of Python's that takes something
//! only Python has: tensor expressions, PrimFuncs and registered functions (`nn/op/custom.py`).

mod arg;
mod call;
mod collective;
mod elementwise;
mod layer;
mod manipulate;
mod reduce;
mod sampling;
pub(crate) mod table;

use tilewright_ir::relax::Expr;
use tilewright_te::TeError;

use crate::{Error, Result, Tensor};

pub use arg::{Arg, Kind, Literal, Value};
pub use call::Call;
pub use collective::*;
pub use elementwise::*;
pub use layer::*;
pub use manipulate::*;
pub use reduce::*;
pub use sampling::*;
pub use table::{Build, OpFn, Param};

/// The families, in the order of their files.
const FAMILIES: [&[&OpFn]; 6] =
    [elementwise::TABLE, reduce::TABLE, manipulate::TABLE, layer::TABLE, sampling::TABLE, collective::TABLE];

/// Every entry, family by family.
pub fn all() -> impl Iterator<Item = &'static OpFn> {
    FAMILIES.into_iter().flatten().copied()
}

/// The entry of this name.
pub fn lookup(name: &str) -> Option<&'static OpFn> {
    all().find(|entry| entry.name == name)
}

/// The result of a formula over the tensors' elements: a PrimFunc of this name is added to the module, and called.
pub fn tensor_expr(
    name: &str,
    args: &[&Tensor],
    formula: impl FnOnce(&[tilewright_te::Tensor]) -> std::result::Result<tilewright_te::Tensor, TeError>,
) -> Result<Tensor> {
    let graph = args.first().ok_or_else(|| Error::new(format!("`{name}` of no tensors")))?.graph();
    let exprs: Vec<Expr> = args.iter().map(|arg| arg.expr().clone()).collect();
    let call = {
        let mut writer = graph.0.borrow_mut();
        tilewright_te::call_te(&mut writer.builder, name, &exprs, |inputs| Ok(vec![formula(inputs)?]))?
    };
    graph.emit(&call, name)
}
