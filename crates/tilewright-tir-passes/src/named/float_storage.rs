//! `BF16StorageLegalize` and `FP8StorageLegalize`: narrow floats are kept as integers of their bits, parameters too.
//!
//! A conversion to a wider float is arithmetic on the bits; so is the rounding back, to the nearest and to even. A
//! function computes with such floats only after the pass for its arithmetic, `BF16ComputeLegalize` or
//! `FP8ComputeLegalize`.

use tilewright_expr::node::{AnyHandle, IrNode, Mapper, Memo, VarId, walk};
use tilewright_ir::tir::{BinOp, Buffer, CmpOp, Expr, ExprKind, PrimFunc, Var};
use tilewright_support::{Map, with_stack};
use tilewright_tensor::DataType;

use super::{Options, refuse};
use crate::stmt::{Result, typed};

pub(super) fn bf16_storage_legalize(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    legalize(&[DataType::BF16], function)
}

pub(super) fn fp8_storage_legalize(_: &Options, function: &PrimFunc) -> Result<PrimFunc> {
    legalize(&[DataType::F8_E4M3FN, DataType::F8_E5M2], function)
}

fn legalize(narrow: &'static [DataType], function: &PrimFunc) -> Result<PrimFunc> {
    let mut arithmetic = None;
    walk(function, |expr: &Expr| {
        let computes = matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Call { .. });
        if narrow.contains(&expr.dtype.element()) && computes {
            arithmetic.get_or_insert(expr.dtype);
        }
    });
    if let Some(dtype) = arithmetic {
        return refuse(format!("the function computes with {dtype}: legalise its arithmetic first"));
    }
    let mut cx =
        Legalize { narrow, vars: Map::default(), buffers: Map::default(), memo: Memo::default(), failed: None };
    let made = function.map_children(&mut cx).unwrap_or_else(|| function.clone());
    match cx.failed {
        Some(message) => refuse(message),
        None => Ok(made),
    }
}

struct Legalize {
    narrow: &'static [DataType],
    vars: Map<VarId, Var>,
    buffers: Map<VarId, Buffer>,
    memo: Memo,
    failed: Option<String>,
}

impl Legalize {
    fn is_narrow(&self, dtype: DataType) -> bool {
        self.narrow.contains(&dtype.element())
    }

    fn bits(&self, dtype: DataType) -> DataType {
        match self.is_narrow(dtype) {
            true if dtype.bits == 16 => DataType::U16.with_lanes(dtype.lanes),
            true => DataType::U8.with_lanes(dtype.lanes),
            false => dtype,
        }
    }

    fn fail<T>(&mut self, message: String) -> Option<T> {
        self.failed.get_or_insert(message);
        None
    }

    fn replace(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(var) = node.downcast::<Var>() {
            let dtype = self.bits(var.dtype);
            if dtype == var.dtype {
                return None;
            }
            let own = self.vars.entry(var.id()).or_insert_with(|| Var::new(var.name.clone(), dtype));
            return Some(Box::new(own.clone()));
        }
        if let Some(buffer) = node.downcast::<Buffer>() {
            if let Some(known) = self.buffers.get(&buffer.id()) {
                return Some(known.boxed());
            }
            let dtype = self.bits(buffer.dtype);
            let inside = node.map_inside(self);
            let current = inside.as_deref().and_then(|node| node.downcast::<Buffer>()).unwrap_or(buffer);
            if dtype == buffer.dtype && inside.is_none() {
                return None;
            }
            let made = if dtype == buffer.dtype { current.clone() } else { current.derive(|node| node.dtype = dtype) };
            self.buffers.insert(buffer.id(), made.clone());
            return Some(Box::new(made));
        }
        let Some(expr) = node.downcast::<Expr>() else { return with_stack(|| node.map_inside(self)) };
        if let ExprKind::Cast(value) = &expr.kind
            && self.is_narrow(value.dtype) != self.is_narrow(expr.dtype)
        {
            let own = with_stack(|| self.map(value)).and_then(|node| node.as_ref().downcast::<Expr>().cloned());
            let own = own.unwrap_or_else(|| value.clone());
            let made = if self.is_narrow(value.dtype) {
                widened(&own, value.dtype, expr.dtype)
            } else {
                rounded(&own, expr.dtype)
            };
            return match made {
                Ok(made) => Some(Box::new(made)),
                Err(_) => self.fail(format!("no conversion from {} to {}", value.dtype, expr.dtype)),
            };
        }
        if let ExprKind::Float(value) = &expr.kind
            && self.is_narrow(expr.dtype)
        {
            let bits = tilewright_expr::semantics::Scalar::from_float(value.0, expr.dtype).bits();
            return Some(Box::new(Expr::int(bits as i64, self.bits(expr.dtype))));
        }
        let inside = with_stack(|| node.map_inside(self));
        let current = inside.as_deref().and_then(|node| node.downcast::<Expr>()).unwrap_or(expr);
        let dtype = self.bits(expr.dtype);
        let made = match &current.kind {
            ExprKind::Reinterpret(value) if value.dtype == dtype => value.clone(),
            _ if dtype == expr.dtype => return inside,
            kind => Expr::raw(dtype, kind.clone()),
        };
        Some(Box::new(made))
    }
}

impl Mapper for Legalize {
    fn map(&mut self, node: &dyn AnyHandle) -> Option<Box<dyn AnyHandle>> {
        if let Some(known) = self.memo.get(node) {
            return known;
        }
        let result = self.replace(node);
        self.memo.put(node, &result);
        result
    }
}

/// The value of these bits.
fn widened(bits: &Expr, from: DataType, to: DataType) -> Result<Expr> {
    if from.element() != DataType::BF16 {
        return refuse("floats of 8 bits");
    }
    let wide = DataType::U32.with_lanes(bits.dtype.lanes);
    let float = DataType::F32.with_lanes(bits.dtype.lanes);
    let shift = typed(Expr::int(16, DataType::U32).broadcast(bits.dtype.lanes))?;
    let moved = typed(Expr::binary(BinOp::Shl, &typed(bits.cast(wide))?, &shift))?;
    typed(typed(moved.reinterpret(float))?.cast(to))
}

/// The bits of the value, rounded to the nearest, to even in the middle.
fn rounded(value: &Expr, to: DataType) -> Result<Expr> {
    if to.element() != DataType::BF16 {
        return refuse("floats of 8 bits");
    }
    let lanes = to.lanes;
    let number = |value: i64| typed(Expr::int(value, DataType::U32).broadcast(lanes));
    let op = |op: BinOp, a: &Expr, b: &Expr| typed(Expr::binary(op, a, b));
    let float = typed(value.cast(DataType::F32.with_lanes(lanes)))?;
    let bits = typed(float.reinterpret(DataType::U32.with_lanes(lanes)))?;
    let lowest = op(BinOp::BitAnd, &op(BinOp::Shr, &bits, &number(16)?)?, &number(1)?)?;
    let up = op(BinOp::Add, &bits, &op(BinOp::Add, &lowest, &number(0x7fff)?)?)?;
    let short = typed(op(BinOp::Shr, &up, &number(16)?)?.cast(DataType::U16.with_lanes(lanes)))?;
    // What is no number stays none.
    let is_number = typed(Expr::compare(CmpOp::Eq, &float, &float))?;
    let none = typed(Expr::int(0x7fc0, DataType::U16).broadcast(lanes))?;
    typed(Expr::select(&is_number, &short, &none))
}
