//! `unsafe_set_dtype(block, buffer_index, dtype)` and `set_axis_separator(block, buffer, axis_separators)`: a buffer
//! has elements of another type, or memory of several dimensions.
//!
//! Elements of another type are converted where they are written and back where they are read: what the function
//! computes is as exact as that type, and nobody proves that it is exact enough.

use tilewright_expr::node::rewrite;
use tilewright_ir::tir::{Expr, ExprKind, PrimFunc, Stmt, StmtKind};
use tilewright_tensor::DataType;

use super::call::{Call, Default, Outcome, Primitive, Results};
use super::compute_inline::check_plain_loads;
use super::transform_layout::{check_compact, home_of, home_or_function, with_parameter};
use crate::build::rewrite::with_buffer;
use crate::fault::Fault;

pub(crate) const UNSAFE_SET_DTYPE: Primitive = Primitive {
    name: "UnsafeSetDType",
    method: "unsafe_set_dtype",
    doc: "Gives a temporary elements of another type: what is computed is only as exact as that.",
    params: &[("block", Default::Required), ("buffer_index", Default::Required), ("dtype", Default::Required)],
    plan: None,
    gives_list: false,
    run: set_dtype,
};

pub(crate) const SET_AXIS_SEPARATOR: Primitive = Primitive {
    name: "SetAxisSeparator",
    method: "set_axis_separator",
    doc: "Gives a buffer memory of several dimensions, that begin at these of its own.",
    params: &[("block", Default::Required), ("buffer", Default::Required), ("axis_separators", Default::Required)],
    plan: None,
    gives_list: false,
    run: set_separators,
};

fn set_dtype(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let buffer = call.written(&site, 1)?;
    let name = call.text(2)?;
    let dtype: DataType = name.parse().map_err(|_| Fault::at(&site, format!("there is no data type `{name}`")))?;
    let home = home_of(&site, &buffer)?;
    check_plain_loads(&home, &buffer)?;
    let other = buffer.derive(|node| node.dtype = dtype);
    if let Err(mismatch) = Expr::load(&other, buffer.shape.clone()).and_then(|load| load.cast(buffer.dtype)) {
        return Err(Fault::at(&site, mismatch.to_string()));
    }
    let load = |e: &Expr| match &e.kind {
        ExprKind::Load { buffer: loaded, indices, predicate: None } if *loaded == buffer => {
            Expr::load(&other, indices.clone()).and_then(|load| load.cast(buffer.dtype)).ok()
        }
        _ => None,
    };
    let store = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Store { buffer: stored, indices, value, predicate: None } if *stored == buffer => {
            let value = value.cast(dtype).ok()?;
            Stmt::store(&other, indices.clone(), &value).ok()
        }
        _ => None,
    };
    let loads = rewrite(&home.stmt, load).unwrap_or_else(|| home.stmt.clone());
    let stores = rewrite(&loads, store).unwrap_or(loads);
    let body = home.replaced(with_buffer(&stores, &buffer, &other));
    Ok(Outcome::changed(PrimFunc { body, ..call.function.clone() }, Results::Nothing))
}

fn set_separators(call: &Call<'_>) -> Result<Outcome, Fault> {
    let site = call.block(0)?;
    let buffer = call.buffer(&site, 1)?;
    let given = call.ints(2)?;
    let home = home_or_function(call.function, &site, &buffer)?;
    if buffer.axis_separators.is_empty() {
        check_compact(&site, &buffer)?;
    }
    let mut before = 0;
    let mut separators = Vec::with_capacity(given.len());
    for separator in given {
        let at = usize::try_from(separator).ok().filter(|at| *at >= before && *at <= buffer.rank());
        let message = || {
            let rank = buffer.rank();
            format!(
                "separators are positions between the {rank} dimensions of `{}`, in order: found {separator}",
                buffer.name
            )
        };
        before = at.ok_or_else(|| Fault::at(&site, message()))?;
        separators.push(before);
    }
    let other = buffer.derive(|node| node.axis_separators = separators);
    let body = home.replaced(with_buffer(&home.stmt, &buffer, &other));
    let function = with_parameter(call.function, body, &site, &buffer, &other)?;
    Ok(Outcome::changed(function, Results::Nothing))
}
