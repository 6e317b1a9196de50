//! `flatten_buffers`: every buffer becomes one-dimensional, with a data variable of its own; parameters become those of
//! the kernel interface.
//!
//! The flat index is the sum of index times stride over the dimensions, plus the offset. Views become accesses to the
//! buffer that owns the memory. The parameters are all buffers, then all scalars, including symbolic dimensions.
//! Temporaries in shared memory become plain ones. A view of another type of the same width reinterprets the bits of
//! its owner's elements.

use tilewright_arith::Analyzer;
use tilewright_expr::can_reinterpret;
use tilewright_expr::node::{AnyHandle, Mapper, Memo, VarId};
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::tir::{Buffer, Expr, ExprKind, Param, PrimFunc, Scope, Stmt, StmtKind};
use tilewright_support::{Diagnostics, Map, Origins, with_stack};
use tilewright_tensor::DataType;

use crate::blocks::strides;
use crate::stmt::{Result, analyzer_of, error_with_help, typed};

pub fn flatten_buffers(function: &PrimFunc) -> Result<PrimFunc> {
    flattened(function, false)
}

/// The same for a GPU, where memory that is shared by the threads of a block stays so.
pub fn flatten_device_buffers(function: &PrimFunc) -> Result<PrimFunc> {
    flattened(function, true)
}

fn flattened(function: &PrimFunc, shares: bool) -> Result<PrimFunc> {
    let mut cx = Flatten {
        analyzer: analyzer_of(function),
        origins: &function.origins,
        flat: Map::default(),
        memo: Memo::default(),
        found: None,
        shares,
    };
    let params = cx.params(function)?;
    let body = tilewright_expr::node::IrNode::map_children(&function.body, &mut cx);
    if let Some(found) = cx.found {
        return Err(found);
    }
    let body = body.unwrap_or_else(|| function.body.clone());
    Ok(PrimFunc { params, body, ..function.clone() })
}

struct Flatten<'a> {
    analyzer: Analyzer,
    origins: &'a Origins,
    /// The flat buffer of each data variable.
    flat: Map<VarId, Buffer>,
    memo: Memo,
    /// The first error.
    found: Option<Diagnostics>,
    /// Whether threads share memory that is not global.
    shares: bool,
}

impl Flatten<'_> {
    fn params(&mut self, function: &PrimFunc) -> Result<Vec<Param>> {
        let interface = KernelInterface::of(function);
        let mut params = Vec::new();
        for tensor in &interface.tensors {
            let buffer = &tensor.buffer;
            if buffer.elem_offset.as_ref().is_some_and(|offset| self.analyzer.simplify(offset).as_int() != Some(0)) {
                let message = format!("parameter `{}` has an offset from the address of its argument", buffer.name);
                let help = "leave `elem_offset` out, and give the function a tensor that begins there";
                return Err(error_with_help("TW0563", self.origins, message, help));
            }
            let flat = self.flat_buffer(buffer)?;
            let var = function.params.get(tensor.param).map(|p| p.var.clone());
            params.extend(var.map(|var| Param { var, buffer: Some(flat) }));
        }
        params.extend(interface.scalars.iter().map(|scalar| Param::scalar(&scalar.var)));
        Ok(params)
    }

    /// Declares the buffer that owns its memory.
    fn flat_buffer(&mut self, buffer: &Buffer) -> Result<Buffer> {
        let wide = |e: &Expr| typed(e.cast(DataType::I64));
        let mut elements = Expr::i64(1);
        if buffer.strides.is_empty() {
            for dim in &buffer.shape {
                elements = &elements * &wide(dim)?;
            }
        } else {
            for (dim, stride) in buffer.shape.iter().zip(&buffer.strides) {
                elements = &elements + &(&(&wide(dim)? - 1) * &wide(stride)?);
            }
        }
        if buffer.shape.iter().any(|dim| dim.as_int() == Some(0)) {
            elements = Expr::i64(0);
        }
        let elements = self.analyzer.simplify(&elements);
        let shares = self.shares;
        let flat = buffer.derive(|node| {
            node.shape = vec![elements];
            node.strides = Vec::new();
            node.elem_offset = None;
            // A CPU has one memory for all of its threads.
            node.scope = match node.scope.plain() {
                Scope::Local => Scope::Local,
                Scope::Shared if shares => Scope::Shared,
                _ => Scope::Global,
            };
        });
        if self.flat.insert(buffer.data.id(), flat.clone()).is_some() {
            let message = format!("two buffers declare the memory of `{}`", buffer.name);
            let help = "declare it once, and view it by other buffers in the body, with `data=`";
            return Err(error_with_help("TW0563", self.origins, message, help));
        }
        Ok(flat)
    }

    /// The flat buffer that owns a buffer's memory, and the index into it.
    fn access(&mut self, buffer: &Buffer, indices: &[Expr]) -> Result<(Buffer, Vec<Expr>)> {
        let Some(flat) = self.flat.get(&buffer.data.id()).cloned() else {
            let message = format!("the memory of buffer `{}` is declared nowhere", buffer.name);
            let help = "allocate it, or take the memory of another buffer with `data=`";
            return Err(error_with_help("TW0563", self.origins, message, help));
        };
        let sorts = [flat.dtype, buffer.dtype];
        let as_bytes = sorts.iter().all(|dtype| dtype.is_bool() || [DataType::I8, DataType::U8].contains(dtype));
        if flat.dtype != buffer.dtype && !as_bytes && !can_reinterpret(flat.dtype, buffer.dtype) {
            let message = format!(
                "buffer `{}` views memory of {} as {}, which has another width",
                buffer.name, flat.dtype, buffer.dtype
            );
            let help = "view it as elements of one width, and convert values with `T.reinterpret`";
            return Err(error_with_help("TW0563", self.origins, message, help));
        }
        let lanes = indices.iter().map(|index| index.dtype.lanes).max().unwrap_or(1);
        let wide = |e: &Expr| typed(e.cast(DataType::I64).and_then(|e| e.broadcast(lanes)));
        let mut flat_index = match &buffer.elem_offset {
            Some(offset) => wide(offset)?,
            None => Expr::int(0, DataType::I64.with_lanes(lanes)),
        };
        for (index, stride) in indices.iter().zip(strides(buffer)?) {
            flat_index = &flat_index + &(&wide(index)? * &wide(&stride)?);
        }
        Ok((flat, vec![flat_index]))
    }

    fn replace(&mut self, node: &dyn AnyHandle) -> Result<Option<Box<dyn AnyHandle>>> {
        if node.downcast::<Buffer>().is_some() {
            return Ok(None);
        }
        if let Some(stmt) = node.downcast::<Stmt>()
            && let StmtKind::Allocate { buffer, body } = &stmt.kind
        {
            let flat = self.flat_buffer(buffer)?;
            let body = tilewright_expr::node::IrNode::map_children(body, self).unwrap_or_else(|| body.clone());
            let allocate = StmtKind::Allocate { buffer: flat, body };
            return Ok(Some(Box::new(Stmt::from(allocate))));
        }
        let inside = with_stack(|| node.map_inside(self));
        let current = inside.as_deref().unwrap_or(node);
        if let Some(expr) = current.downcast::<Expr>()
            && let ExprKind::Load { buffer, indices, predicate } = &expr.kind
        {
            let (buffer, indices) = self.access(buffer, indices)?;
            let owned = buffer.dtype.with_lanes(expr.dtype.lanes);
            let load = Expr::raw(owned, ExprKind::Load { buffer, indices, predicate: predicate.clone() });
            return Ok(Some(Box::new(viewed(load, expr.dtype)?)));
        }
        if let Some(expr) = current.downcast::<Expr>()
            && let ExprKind::AddressOf { buffer, indices } = &expr.kind
        {
            let (buffer, indices) = self.access(buffer, indices)?;
            return Ok(Some(Box::new(Expr::raw(expr.dtype, ExprKind::AddressOf { buffer, indices }))));
        }
        if let Some(stmt) = current.downcast::<Stmt>()
            && let StmtKind::Store { buffer, indices, value, predicate } = &stmt.kind
        {
            let (buffer, indices) = self.access(buffer, indices)?;
            let owned = buffer.dtype.with_lanes(value.dtype.lanes);
            let value = viewed(value.clone(), owned)?;
            let predicate = predicate.clone();
            return Ok(Some(Box::new(Stmt::from(StmtKind::Store { buffer, indices, value, predicate }))));
        }
        Ok(inside)
    }
}

/// The value in memory of another type of the same width. A bool is a byte of 0 or 1.
fn viewed(value: Expr, dtype: DataType) -> Result<Expr> {
    if value.dtype == dtype {
        return Ok(value);
    }
    let bools = value.dtype.element().is_bool() || dtype.element().is_bool();
    typed(if bools { value.cast(dtype) } else { value.reinterpret(dtype) })
}

impl Mapper for Flatten<'_> {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let result = match self.replace(node) {
            Ok(result) => result,
            Err(found) => {
                self.found.get_or_insert(found);
                None
            }
        };
        self.memo.put(node, &result);
        result
    }
}
