//! `BF16ComputeLegalize` and `FP8ComputeLegalize`: arithmetic on bfloat16 in float32, and on floats of 8 bits in a
//! wider type.
//!
//! Values stay in the wide type from one operation to the next and are rounded where they are stored. Temporaries get
//! the wide type, except where their memory is looked at in another way than by loads and stores of that type: where
//! its address is taken, a block matches a part of it, or a view has another type. Parameters keep their type.

use tilewright_expr::node::{AnyHandle, VarId, walk};
use tilewright_ir::tir::{
    Block, Buffer, BufferRegion, Expr, ExprKind, Intrinsic, PrimFunc, Range, Stmt, StmtKind, Var,
};
use tilewright_support::{Map, Set, with_stack};
use tilewright_tensor::DataType;

use super::{Options, below, refuse, with};
use crate::stmt::{Result, typed};

pub(super) fn bf16_compute_legalize(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    legalize(&[DataType::BF16], DataType::F32, function)
}

pub(super) fn fp8_compute_legalize(options: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    let wide = match options.get("promote_dtype").and_then(tilewright_ir::Attr::as_str).unwrap_or("float32") {
        "float32" => DataType::F32,
        "float16" => DataType::F16,
        "bfloat16" => DataType::BF16,
        other => return refuse(format!("floats of 8 bits are computed in float16, bfloat16 or float32, not {other}")),
    };
    legalize(&[DataType::F8_E4M3FN, DataType::F8_E5M2], wide, function)
}

fn legalize(narrow: &'static [DataType], wide: DataType, function: &PrimFunc) -> Result<PrimFunc> {
    let mut cx = Legalize {
        narrow,
        wide,
        kept: looked_at_otherwise(narrow, function),
        buffers: Map::default(),
        vars: Map::default(),
        memo: Map::default(),
    };
    let body = cx.stmt(&function.body)?;
    Ok(with(function, body))
}

struct Legalize {
    narrow: &'static [DataType],
    wide: DataType,
    /// Memory that keeps its type.
    kept: Set<VarId>,
    buffers: Map<VarId, Buffer>,
    vars: Map<VarId, Var>,
    /// By address; the expression is kept alive.
    memo: Map<usize, (Expr, Expr)>,
}

/// The memory whose elements cannot change their type.
fn looked_at_otherwise(narrow: &[DataType], function: &PrimFunc) -> Set<VarId> {
    let mut kept: Set<VarId> = Set::default();
    kept.extend(function.params.iter().filter_map(|param| param.buffer.as_ref()).map(|buffer| buffer.data.id()));
    walk(&function.body, |stmt: &Stmt| match &stmt.kind {
        StmtKind::Block { block, .. } => {
            for matched in &block.match_buffers {
                kept.extend([matched.buffer.data.id(), matched.source.buffer.data.id()]);
            }
        }
        StmtKind::AllocateConst { buffer, .. } => drop(kept.insert(buffer.data.id())),
        _ => {}
    });
    walk(&function.body, |expr: &Expr| match &expr.kind {
        ExprKind::AddressOf { buffer, .. } => drop(kept.insert(buffer.data.id())),
        ExprKind::Var(var) => drop(kept.insert(var.id())),
        _ => {}
    });
    let mut types: Map<VarId, DataType> = Map::default();
    walk(&function.body, |buffer: &Buffer| {
        let first = *types.entry(buffer.data.id()).or_insert(buffer.dtype);
        if first != buffer.dtype || !narrow.contains(&buffer.dtype) {
            kept.insert(buffer.data.id());
        }
    });
    kept
}

impl Legalize {
    fn is_narrow(&self, dtype: DataType) -> bool {
        self.narrow.contains(&dtype.element())
    }

    fn widened(&self, dtype: DataType) -> DataType {
        if self.is_narrow(dtype) { self.wide.with_lanes(dtype.lanes) } else { dtype }
    }

    /// The value in the wide type, if it is a narrow float.
    fn promoted(&self, value: &Expr) -> Expr {
        let wide = self.widened(value.dtype);
        match &value.kind {
            _ if !self.is_narrow(value.dtype) => value.clone(),
            ExprKind::Float(number) => Expr::float(number.0, wide),
            ExprKind::Broadcast(inner) => Expr::raw(wide, ExprKind::Broadcast(self.promoted(inner))),
            _ => Expr::raw(wide, ExprKind::Cast(value.clone())),
        }
    }

    /// The buffer in the place of this one.
    fn buffer(&mut self, buffer: &Buffer) -> Buffer {
        if !self.is_narrow(buffer.dtype) || self.kept.contains(&buffer.data.id()) {
            return buffer.clone();
        }
        let wide = self.wide;
        let make = || buffer.derive(|node| node.dtype = wide);
        self.buffers.entry(buffer.id()).or_insert_with(make).clone()
    }

    fn all(&mut self, exprs: &[Expr]) -> Result<Vec<Expr>> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// The expression; of narrow arithmetic its value in the wide type.
    fn expr(&mut self, expr: &Expr) -> Result<Expr> {
        if let Some((_, known)) = self.memo.get(&expr.address()) {
            return Ok(known.clone());
        }
        let made = with_stack(|| self.node(expr))?;
        self.memo.insert(expr.address(), (expr.clone(), made.clone()));
        Ok(made)
    }

    fn wide_expr(&mut self, expr: &Expr) -> Result<Expr> {
        let value = self.expr(expr)?;
        Ok(self.promoted(&value))
    }

    /// The expression with the type that it had.
    fn exact(&mut self, expr: &Expr) -> Result<Expr> {
        let value = self.expr(expr)?;
        if value.dtype == expr.dtype { Ok(value) } else { typed(value.cast(expr.dtype)) }
    }

    fn optional(&mut self, expr: Option<&Expr>) -> Result<Option<Expr>> {
        expr.map(|expr| self.exact(expr)).transpose()
    }

    fn node(&mut self, expr: &Expr) -> Result<Expr> {
        Ok(match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) => expr.clone(),
            ExprKind::Var(var) => self.vars.get(&var.id()).map_or_else(|| expr.clone(), Expr::var),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.wide_expr(a)?, self.wide_expr(b)?);
                typed(Expr::binary(*op, &a, &b))?
            }
            ExprKind::Compare(op, a, b) => {
                let (a, b) = (self.wide_expr(a)?, self.wide_expr(b)?);
                typed(Expr::compare(*op, &a, &b))?
            }
            ExprKind::Not(a) => typed(self.expr(a)?.not())?,
            ExprKind::Select { condition, then, otherwise } => {
                let (condition, then) = (self.expr(condition)?, self.wide_expr(then)?);
                typed(Expr::select(&condition, &then, &self.wide_expr(otherwise)?))?
            }
            ExprKind::Cast(value) => {
                let value = self.wide_expr(value)?;
                typed(value.cast(self.widened(expr.dtype)))?
            }
            ExprKind::Load { buffer, indices, predicate } => {
                let (buffer, predicate) = (self.buffer(buffer), self.optional(predicate.as_ref())?);
                let dtype = buffer.dtype.with_lanes(expr.dtype.lanes);
                let indices = self.all(indices)?;
                Expr::raw(dtype, ExprKind::Load { buffer, indices, predicate })
            }
            ExprKind::AddressOf { buffer, indices } => {
                let (buffer, indices) = (self.buffer(buffer), self.all(indices)?);
                Expr::raw(expr.dtype, ExprKind::AddressOf { buffer, indices })
            }
            ExprKind::Broadcast(value) => {
                let value = self.expr(value)?;
                Expr::raw(value.dtype.with_lanes(expr.dtype.lanes), ExprKind::Broadcast(value))
            }
            ExprKind::Ramp { base, stride } => {
                let (base, stride) = (self.wide_expr(base)?, self.wide_expr(stride)?);
                Expr::raw(self.widened(expr.dtype), ExprKind::Ramp { base, stride })
            }
            ExprKind::Shuffle { vectors, lanes } => {
                let vectors = vectors.iter().map(|vector| self.wide_expr(vector)).collect::<Result<Vec<_>>>()?;
                Expr::raw(self.widened(expr.dtype), ExprKind::Shuffle { vectors, lanes: lanes.clone() })
            }
            ExprKind::Let { var, value, body } => {
                let (var, value) = self.bound(var, value)?;
                let body = self.expr(body)?;
                Expr::raw(body.dtype, ExprKind::Let { var, value, body })
            }
            ExprKind::Call { intrinsic, args } => self.call(expr, *intrinsic, args)?,
            ExprKind::Reinterpret(value) => Expr::raw(expr.dtype, ExprKind::Reinterpret(self.exact(value)?)),
            ExprKind::Foreign { callee, args } => {
                let args = args.iter().map(|arg| self.exact(arg)).collect::<Result<Vec<_>>>()?;
                Expr::foreign(expr.dtype, callee.clone(), args)
            }
        })
    }

    fn call(&mut self, expr: &Expr, intrinsic: Intrinsic, args: &[Expr]) -> Result<Expr> {
        let args = args.iter().map(|arg| self.wide_expr(arg)).collect::<Result<Vec<_>>>()?;
        match intrinsic {
            Intrinsic::IfThenElse => {
                let dtype = args.get(1).map_or(expr.dtype, |arg| arg.dtype);
                Ok(Expr::raw(dtype, ExprKind::Call { intrinsic, args }))
            }
            _ => typed(Expr::call(intrinsic, &args)),
        }
    }

    /// A variable and its value, in the wide type where it was narrow.
    fn bound(&mut self, var: &Var, value: &Expr) -> Result<(Var, Expr)> {
        let value = self.wide_expr(value)?;
        if value.dtype == var.dtype {
            return Ok((var.clone(), value));
        }
        let make = || Var::new(var.name.clone(), value.dtype);
        let own = self.vars.entry(var.id()).or_insert_with(make).clone();
        Ok((own, value))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Stmt> {
        with_stack(|| self.inside(stmt))
    }

    fn inside(&mut self, stmt: &Stmt) -> Result<Stmt> {
        Ok(match &stmt.kind {
            StmtKind::Store { buffer, indices, value, predicate } => {
                let (buffer, indices, value) = (self.buffer(buffer), self.all(indices)?, self.expr(value)?);
                let dtype = buffer.dtype.with_lanes(value.dtype.lanes);
                let value = if value.dtype == dtype { value } else { typed(value.cast(dtype))? };
                let predicate = self.optional(predicate.as_ref())?;
                StmtKind::Store { buffer, indices, value, predicate }.into()
            }
            StmtKind::For { var, min, extent, kind, annotations, body } => {
                let (min, extent, body) = (self.exact(min)?, self.exact(extent)?, self.stmt(body)?);
                let (kind, annotations) = (kind.clone(), annotations.clone());
                StmtKind::For { var: var.clone(), min, extent, kind, annotations, body }.into()
            }
            StmtKind::Allocate { buffer, body } => {
                let buffer = self.buffer(buffer);
                StmtKind::Allocate { buffer, body: self.stmt(body)? }.into()
            }
            StmtKind::AllocateConst { .. } | StmtKind::Seq(_) => below(stmt, &mut |s| self.stmt(s))?,
            StmtKind::Let { var, value, body } => {
                let (var, value) = self.bound(var, value)?;
                StmtKind::Let { var, value, body: self.stmt(body)? }.into()
            }
            StmtKind::If { condition, then, otherwise } => {
                let (condition, then) = (self.expr(condition)?, self.stmt(then)?);
                let otherwise = otherwise.as_ref().map(|stmt| self.stmt(stmt)).transpose()?;
                StmtKind::If { condition, then, otherwise }.into()
            }
            StmtKind::While { condition, body } => {
                let condition = self.expr(condition)?;
                StmtKind::While { condition, body: self.stmt(body)? }.into()
            }
            StmtKind::Assert { condition, message } => {
                StmtKind::Assert { condition: self.expr(condition)?, message: message.clone() }.into()
            }
            StmtKind::Evaluate(value) => StmtKind::Evaluate(self.expr(value)?).into(),
            StmtKind::Attr { node, key, value, body } => {
                let (node, value, body) = (self.exact(node)?, self.exact(value)?, self.stmt(body)?);
                StmtKind::Attr { node, key: key.clone(), value, body }.into()
            }
            StmtKind::Block { values, predicate, block } => {
                let values = values.iter().map(|value| self.exact(value)).collect::<Result<_>>()?;
                let (predicate, block) = (self.exact(predicate)?, self.block(block)?);
                StmtKind::Block { values, predicate, block }.into()
            }
        })
    }

    fn block(&mut self, block: &Block) -> Result<Block> {
        let mut made = block.clone();
        made.alloc_buffers = block.alloc_buffers.iter().map(|buffer| self.buffer(buffer)).collect();
        for (region, own) in made.reads.iter_mut().zip(&block.reads).chain(made.writes.iter_mut().zip(&block.writes)) {
            *region = self.region(own)?;
        }
        for (matched, own) in made.match_buffers.iter_mut().zip(&block.match_buffers) {
            matched.source = self.region(&own.source)?;
        }
        made.init = block.init.as_ref().map(|init| self.stmt(init)).transpose()?;
        made.body = self.stmt(&block.body)?;
        Ok(made)
    }

    fn region(&mut self, region: &BufferRegion) -> Result<BufferRegion> {
        let mut ranges = Vec::with_capacity(region.region.len());
        for range in &region.region {
            ranges.push(Range::new(self.exact(&range.min)?, self.exact(&range.extent)?));
        }
        Ok(BufferRegion { buffer: self.buffer(&region.buffer), region: ranges })
    }
}
