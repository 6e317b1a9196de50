//! `FlattenBuffer`: buffers of one dimension, or of one for each group of dimensions between axis separators.
//!
//! Parameters stay what they are, since calls are checked against them: the body declares a flat view of each that it
//! uses. Elements of bool are stored as int8.

use tilewright_arith::Analyzer;
use tilewright_expr::node::{AnyHandle, IrNode, Memo, VarId, walk};
use tilewright_ir::tir::{Block, Buffer, BufferRegion, Expr, ExprKind, PrimFunc, Range, Stmt, StmtKind};
use tilewright_support::{Map, Set, with_stack};
use tilewright_tensor::DataType;

use super::{Options, below, refuse, with};
use crate::stmt::{Result, analyzer_of, map_own, typed};

pub(super) fn flatten_buffer(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let mut used: Set<VarId> = Set::default();
    walk(&function.body, |buffer: &Buffer| {
        used.insert(buffer.id());
    });
    let mut cx = Flatten { analyzer: analyzer_of(function), flat: Map::default(), error: None };
    let mut body = cx.stmt(&function.body)?;
    for buffer in function.params.iter().rev().filter_map(|param| param.buffer.as_ref()) {
        let flat = cx.flat(buffer)?;
        if used.contains(&buffer.id()) && flat != *buffer {
            body = StmtKind::Allocate { buffer: flat, body }.into();
        }
    }
    match cx.error {
        Some(message) => refuse(message),
        None => Ok(with(function, body)),
    }
}

struct Flatten {
    analyzer: Analyzer,
    /// Flat buffers by those that they stand for.
    flat: Map<VarId, Buffer>,
    error: Option<String>,
}

impl Flatten {
    fn flat(&mut self, buffer: &Buffer) -> Result<Buffer> {
        if let Some(known) = self.flat.get(&buffer.id()) {
            return Ok(known.clone());
        }
        let plain = buffer.rank() == 1 && buffer.strides.is_empty();
        let as_is = plain && buffer.dtype != DataType::BOOL;
        let flat = match as_is {
            true => buffer.clone(),
            false => {
                let flat = typed(buffer.flattened())?;
                let shape = flat.shape.iter().map(|extent| self.analyzer.simplify(extent)).collect();
                flat.derive(|node| {
                    node.shape = shape;
                    if node.dtype == DataType::BOOL {
                        node.dtype = DataType::I8;
                    }
                })
            }
        };
        self.flat.insert(buffer.id(), flat.clone());
        Ok(flat)
    }

    /// The indices in the flat buffer; an offset stays with the buffer.
    fn indices(&mut self, buffer: &Buffer, indices: &[Expr]) -> Result<Vec<Expr>> {
        if buffer.rank() == 1 && buffer.strides.is_empty() {
            return Ok(indices.to_vec());
        }
        let without_offset = buffer.derive(|node| node.elem_offset = None);
        let found = typed(without_offset.offset_of(indices))?;
        Ok(found.iter().map(|index| self.analyzer.simplify(index)).collect())
    }

    fn expr(&mut self, expr: &Expr) -> Expr {
        struct Mapped<'a>(&'a mut Flatten, Memo);
        impl tilewright_expr::node::Mapper for Mapped<'_> {
            fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
                if node.downcast::<Buffer>().is_some() {
                    return None;
                }
                if let Some(known) = self.1.get(node) {
                    return known;
                }
                let inside = with_stack(|| node.map_inside(self));
                let current = inside.as_deref().unwrap_or(node);
                let replaced = current.downcast::<Expr>().and_then(|expr| self.0.access(expr));
                let result = replaced.map(|expr| Box::new(expr) as Box<dyn AnyHandle>).or(inside);
                self.1.put(node, &result);
                result
            }
        }
        expr.map_children(&mut Mapped(self, Memo::default())).unwrap_or_else(|| expr.clone())
    }

    fn access(&mut self, expr: &Expr) -> Option<Expr> {
        let made = match &expr.kind {
            ExprKind::Load { buffer, indices, predicate } => {
                let parts = self.flat(buffer).and_then(|flat| Ok((flat, self.indices(buffer, indices)?)));
                parts.map(|(flat, indices)| {
                    let dtype = flat.dtype.with_lanes(expr.dtype.lanes);
                    let load = Expr::raw(dtype, ExprKind::Load { buffer: flat, indices, predicate: predicate.clone() });
                    if dtype == expr.dtype { load } else { Expr::raw(expr.dtype, ExprKind::Cast(load)) }
                })
            }
            ExprKind::AddressOf { buffer, indices } => {
                let parts = self.flat(buffer).and_then(|flat| Ok((flat, self.indices(buffer, indices)?)));
                parts.map(|(buffer, indices)| Expr::raw(expr.dtype, ExprKind::AddressOf { buffer, indices }))
            }
            _ => return None,
        };
        match made {
            Ok(made) => Some(made),
            Err(found) => {
                self.error.get_or_insert_with(|| found.to_string());
                None
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let scope = self.analyzer.enter();
        match &stmt.kind {
            StmtKind::For { var, min, extent, .. } => self.analyzer.bind(var, &Range::new(min.clone(), extent.clone())),
            StmtKind::Block { block, .. } => {
                block.iters.iter().for_each(|iter| self.analyzer.bind(&iter.var, &iter.domain));
            }
            _ => {}
        }
        let flat = self.inside(stmt);
        self.analyzer.leave(scope);
        flat
    }

    fn inside(&mut self, stmt: &Stmt) -> Result<Stmt> {
        let stmt = map_own(stmt, &mut |e| self.expr(e));
        Ok(match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                let (flat, indices) = (self.flat(buffer)?, self.indices(buffer, indices)?);
                let dtype = flat.dtype.with_lanes(value.dtype.lanes);
                let value =
                    if dtype == value.dtype { value.clone() } else { Expr::raw(dtype, ExprKind::Cast(value.clone())) };
                StmtKind::Store { buffer: flat, indices, value, predicate: predicate.clone() }.into()
            }
            StmtKind::Allocate { buffer, body } => {
                let (buffer, body) = (self.flat(buffer)?, with_stack(|| self.stmt(body))?);
                StmtKind::Allocate { buffer, body }.into()
            }
            StmtKind::Block { values, predicate, block } => {
                let alloc_buffers = block.alloc_buffers.iter().map(|b| self.flat(b)).collect::<Result<_>>()?;
                let reads = block.reads.iter().map(|r| self.region(r)).collect::<Result<_>>()?;
                let writes = block.writes.iter().map(|r| self.region(r)).collect::<Result<_>>()?;
                let init = block.init.as_ref().map(|s| self.stmt(s)).transpose()?;
                let body = with_stack(|| self.stmt(&block.body))?;
                let block = Block { alloc_buffers, reads, writes, init, body, ..block.clone() };
                StmtKind::Block { values: values.clone(), predicate: predicate.clone(), block }.into()
            }
            _ => below(&stmt, &mut |s| self.stmt(s))?,
        })
    }

    fn region(&mut self, region: &BufferRegion) -> Result<BufferRegion> {
        let buffer = self.flat(&region.buffer)?;
        if buffer == region.buffer {
            return Ok(region.clone());
        }
        let mins: Vec<Expr> = region.region.iter().map(|range| range.min.clone()).collect();
        let lasts: Vec<Expr> = region.region.iter().map(|range| &(&range.min + &range.extent) - 1).collect();
        let (mins, lasts) = (self.indices(&region.buffer, &mins)?, self.indices(&region.buffer, &lasts)?);
        let ranges = mins
            .iter()
            .zip(&lasts)
            .map(|(min, last)| Range::new(min.clone(), self.analyzer.simplify(&(&(last - min) + 1))));
        Ok(BufferRegion { buffer, region: ranges.collect() })
    }
}
