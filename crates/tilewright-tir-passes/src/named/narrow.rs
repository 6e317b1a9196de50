//! `ForceNarrowIndexToInt32` and `NarrowDataType`: index arithmetic of int64 in int32.
//!
//! The first one narrows all of it and refuses buffers of int64 elements; private functions that have such, which the
//! compiler makes of operators (places of a sort, counters), stay as they are. The second one narrows a function only
//! where bounds prove that no index leaves int32.

use tilewright_expr::node::{AnyHandle, IrNode, Mapper, Memo, VarId, walk, walk_some};
use tilewright_ir::tir::{Buffer, Expr, ExprKind, PrimFunc, Range, Stmt, StmtKind, Var};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;

use super::{Options, refuse};
use crate::stmt::{Result, analyzer_of};

pub(super) fn force_narrow_index_to_int32(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let wide = wide_buffer(function);
    if wide.is_some() && function.global_symbol().is_none() {
        return Ok(function.clone());
    }
    if let Some(buffer) = wide {
        return refuse(format!(
            "ForceNarrowIndexToInt32 fails: the buffer `{}` has the dtype int64, so that not all of int64 is indices",
            buffer.name
        ));
    }
    let mut large: Option<i64> = None;
    walk(function, |expr: &Expr| {
        if let ExprKind::Int(value) = expr.kind
            && expr.dtype.element() == DataType::I64
            && i32::try_from(value).is_err()
        {
            large.get_or_insert(value);
        }
    });
    if let Some(value) = large {
        return refuse(format!("ForceNarrowIndexToInt32 fails: the constant {value} is not one of int32"));
    }
    Ok(narrowed(function))
}

pub(super) fn narrow_data_type(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let bits = options.get("target_bits").and_then(tilewright_ir::Attr::as_int).unwrap_or(32);
    if bits < 32 || wide_buffer(function).is_some() || !fits(function) {
        return Ok(function.clone());
    }
    Ok(narrowed(function))
}

fn narrowed(function: &PrimFunc) -> PrimFunc {
    let mut cx = Narrow { vars: Map::default(), buffers: Map::default(), memo: Memo::default() };
    function.map_children(&mut cx).unwrap_or_else(|| function.clone())
}

fn wide_buffer(function: &PrimFunc) -> Option<Buffer> {
    let mut found: Option<Buffer> = None;
    walk(function, |buffer: &Buffer| {
        if buffer.dtype.element() == DataType::I64 {
            found.get_or_insert_with(|| buffer.clone());
        }
    });
    found
}

/// Whether every int64 value of the function is certainly one of int32.
fn fits(function: &PrimFunc) -> bool {
    let mut analyzer = analyzer_of(function);
    walk(&function.body, |stmt: &Stmt| match &stmt.kind {
        StmtKind::For { var, min, extent, .. } => analyzer.bind(var, &Range::new(min.clone(), extent.clone())),
        StmtKind::Block { block, .. } => block.iters.iter().for_each(|iter| analyzer.bind(&iter.var, &iter.domain)),
        StmtKind::Let { var, value, .. } if var.dtype.is_int() => analyzer.bind_value(var, value),
        _ => {}
    });
    let int32 = tilewright_arith::IntBounds::of_type(DataType::I32);
    let mut all = true;
    walk_some(function, |node| {
        if let Some(expr) = node.downcast::<Expr>()
            && expr.dtype.element() == DataType::I64
        {
            all &= analyzer.bounds(expr).within(int32);
        }
        all
    });
    all
}

struct Narrow {
    vars: Map<VarId, Var>,
    buffers: Map<VarId, Buffer>,
    memo: Memo,
}

fn narrow(dtype: DataType) -> DataType {
    if dtype.element() == DataType::I64 { DataType::I32.with_lanes(dtype.lanes) } else { dtype }
}

impl Narrow {
    fn replace(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(var) = node.downcast::<Var>() {
            if var.dtype != DataType::I64 {
                return None;
            }
            let make = |size: bool| match size {
                true => Var::size(var.name.clone(), DataType::I32),
                false => Var::new(var.name.clone(), DataType::I32),
            };
            return Some(Box::new(self.vars.entry(var.id()).or_insert_with(|| make(var.size)).clone()));
        }
        if let Some(buffer) = node.downcast::<Buffer>() {
            if let Some(known) = self.buffers.get(&buffer.id()) {
                return Some(known.boxed());
            }
            let derived = node.map_inside(self)?;
            if let Some(derived) = derived.as_ref().downcast::<Buffer>() {
                self.buffers.insert(buffer.id(), derived.clone());
            }
            return Some(derived);
        }
        let inside = with_stack(|| node.map_inside(self));
        let Some(expr) = inside.as_deref().unwrap_or(node).downcast::<Expr>() else { return inside };
        let dtype = narrow(expr.dtype);
        if dtype == expr.dtype {
            return inside;
        }
        let made = match &expr.kind {
            ExprKind::Int(value) => Expr::int(*value, dtype),
            ExprKind::Cast(value) if value.dtype == dtype => value.clone(),
            kind => Expr::raw(dtype, kind.clone()),
        };
        Some(Box::new(made))
    }
}

impl Mapper for Narrow {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let result = self.replace(node);
        self.memo.put(node, &result);
        result
    }
}
