//! `compact_parameters`: strides and offsets of parameters that are variables take the values that they have.
//!
//! The machine passes compact tensors, and the address of their first element. A stride that a parameter declares as a
//! variable of its own is therefore the number of elements in the later dimensions, and such an offset is 0.

use tilewright_expr::node::VarId;
use tilewright_ir::interface::declared_by_argument;
use tilewright_ir::tir::{BinOp, Buffer, Expr, PrimFunc};
use tilewright_tensor::DataType;

use crate::stmt::{Result, typed};
use crate::substitute::Substitute;

pub fn compact_parameters(function: &PrimFunc) -> Result<PrimFunc> {
    let own = declared_by_argument(function);
    if own.is_empty() {
        return Ok(function.clone());
    }
    let is_own = |e: &Expr| e.as_var().filter(|var| own.contains(&var.id())).cloned();
    let mut values = Substitute::default();
    for buffer in function.params.iter().filter_map(|p| p.buffer.as_ref()) {
        for (stride, declared) in compact_strides(buffer)?.into_iter().zip(&buffer.strides) {
            if let Some(var) = is_own(declared)
                && !values.values.contains_key(&var.id())
            {
                values.values.insert(var.id(), typed(stride.cast(var.dtype))?);
            }
        }
        if let Some(var) = buffer.elem_offset.as_ref().and_then(is_own) {
            values.values.insert(var.id(), Expr::int(0, var.dtype));
        }
        if all_own(buffer, &is_own) {
            let compact = buffer.derive(|node| node.strides = Vec::new());
            values.buffers.insert(buffer.id(), compact);
        }
    }
    // Buffers that lose their strides may still name an offset.
    let known: Vec<(VarId, Buffer)> = values.buffers.iter().map(|(&id, buffer)| (id, buffer.clone())).collect();
    for (id, buffer) in known {
        let offset = buffer.elem_offset.as_ref().map(|offset| values.apply(offset));
        if buffer.elem_offset.is_some() {
            values.buffers.insert(id, buffer.derive(|node| node.elem_offset = offset));
        }
    }
    Ok(values.apply(function))
}

/// Whether each stride is a variable that the argument defines: then the buffer is compact, whatever its extents are.
fn all_own(buffer: &Buffer, is_own: &dyn Fn(&Expr) -> Option<tilewright_ir::tir::Var>) -> bool {
    !buffer.strides.is_empty() && buffer.strides.iter().all(|stride| is_own(stride).is_some())
}

/// The strides of a compact tensor: an extent of 0 counts as 1.
fn compact_strides(buffer: &Buffer) -> Result<Vec<Expr>> {
    let one = Expr::i64(1);
    let mut strides = Vec::with_capacity(buffer.rank());
    let mut stride = one.clone();
    for dim in buffer.shape.iter().rev() {
        strides.push(stride.clone());
        let dim = typed(Expr::binary(BinOp::Max, &typed(dim.cast(DataType::I64))?, &one))?;
        stride = &stride * &dim;
    }
    strides.reverse();
    Ok(strides)
}
