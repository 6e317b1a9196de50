//! Conversions between types, by the table in `tilewright_expr::semantics`.

use tilewright_expr::can_reinterpret;
use tilewright_ir::tir::{BinOp, Expr, ExprKind};
use tilewright_tensor::DataType;

use super::function::{FnCx, Position, Result};
use super::narrow::is_narrow;
use super::text::{Mangled, Reg, Value, float, int};

impl FnCx<'_, '_> {
    pub(crate) fn cast(&mut self, value: &Expr, to: DataType, position: Position) -> Result<Value> {
        let from = value.dtype;
        if from.lanes != to.lanes {
            return Err(self.unit.malformed(format!("a cast from {from} to {to}")));
        }
        if from != to && (from.is_stored_only() || to.is_stored_only()) {
            return Err(self.unit.malformed(format!("a cast from {from} to {to}, one of which has no arithmetic")));
        }
        let x = self.value(unclamped(value, to), position)?;
        Ok(self.convert(&x, from, to))
    }

    /// A conversion of a value. A 16-bit float goes through float32: the way there is exact, and the way back rounds as
    /// the table has it.
    pub(crate) fn convert(&mut self, x: &Value, from: DataType, to: DataType) -> Value {
        if from == to {
            return x.clone();
        }
        let single = DataType::F32.with_lanes(from.lanes);
        let (x, from) = if is_narrow(from) { (self.widen(x, from), single) } else { (x.clone(), from) };
        if !is_narrow(to) {
            return self.convert_wide(&x, from, to);
        }
        let (x, from) = if from.is_float() { (x, from) } else { (self.convert_wide(&x, from, single), single) };
        self.narrow(&x, from, to)
    }

    /// A conversion between types that LLVM computes with.
    fn convert_wide(&mut self, x: &Value, from: DataType, to: DataType) -> Value {
        let (source, target) = (Reg(from), Reg(to));
        let name = match (from.is_float(), to.is_float()) {
            _ if from == to => return x.clone(),
            (true, _) if to.is_bool() => {
                return self.body.assign(format_args!("fcmp une {source} {x}, zeroinitializer"));
            }
            (false, _) if to.is_bool() => {
                return self.body.assign(format_args!("icmp ne {source} {x}, zeroinitializer"));
            }
            (true, false) => {
                if to.is_vector() {
                    return self.saturated(x, from, to);
                }
                // LLVM's plain conversion has no result outside of the range; this one saturates, and NaN gives 0.
                let name = if to.is_signed() { "fptosi" } else { "fptoui" };
                let types = format!("{}.{}", Mangled(to), Mangled(from));
                return self.body.assign(format_args!("call {target} @llvm.{name}.sat.{types}({source} {x})"));
            }
            (true, true) if to.bits > from.bits => "fpext",
            (true, true) => "fptrunc",
            (false, true) if from.is_signed() => "sitofp",
            (false, true) => "uitofp",
            (false, false) if from.is_bool() => "zext",
            (false, false) if to.bits == from.bits => return x.clone(),
            (false, false) if to.bits < from.bits => "trunc",
            (false, false) if from.is_signed() => "sext",
            (false, false) => "zext",
        };
        self.body.assign(format_args!("{name} {source} {x} to {target}"))
    }

    /// Floats as integers, saturating, NaN as 0. Values outside the range are replaced before the conversion, since
    /// LLVM's saturating conversion is scalarised.
    fn saturated(&mut self, x: &Value, from: DataType, to: DataType) -> Value {
        if to.bits < 32 {
            return self.saturated_narrow(x, from, to);
        }
        let (source, target, bools) = (Reg(from), Reg(to), Reg(DataType::BOOL.with_lanes(from.lanes)));
        let (width, sign) = (i32::from(to.bits), i32::from(to.is_signed()));
        let upper = f64::powi(2.0, width - sign);
        let first = if to.is_signed() { -upper } else { 0.0 };
        let (upper, first, zero) = (float(upper, from), float(first, from), float(0.0, from));
        let above = self.body.assign(format_args!("fcmp oge {source} {x}, {upper}"));
        let not_below = self.body.assign(format_args!("fcmp oge {source} {x}, {first}"));
        let not_above = self.body.assign(format_args!("fcmp olt {source} {x}, {upper}"));
        let inside = self.body.assign(format_args!("and {bools} {not_below}, {not_above}"));
        let held = self.body.assign(format_args!("select {bools} {inside}, {source} {x}, {source} {zero}"));
        let name = if to.is_signed() { "fptosi" } else { "fptoui" };
        let mut result = self.body.assign(format_args!("{name} {source} {held} to {target}"));
        let most = int(if to.is_signed() { i64::MAX >> (64 - width) } else { -1 }, to);
        result = self.body.assign(format_args!("select {bools} {above}, {target} {most}, {target} {result}"));
        if to.is_signed() {
            let least = int(i64::MIN >> (64 - width), to);
            let below = self.body.assign(format_args!("fcmp olt {source} {x}, {first}"));
            result = self.body.assign(format_args!("select {bools} {below}, {target} {least}, {target} {result}"));
        }
        result
    }

    /// The same for integer types whose limits are exact floats: the float is clamped, by comparisons that replace NaN
    /// with a bound.
    fn saturated_narrow(&mut self, x: &Value, from: DataType, to: DataType) -> Value {
        let (source, bools) = (Reg(from), Reg(DataType::BOOL.with_lanes(from.lanes)));
        let (target, words) = (Reg(to), Reg(DataType::I32.with_lanes(from.lanes)));
        let width = u32::from(to.bits);
        let (min, max) = match to.is_signed() {
            true => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
            false => (0, (1i64 << width) - 1),
        };
        let mut held = x.clone();
        for (order, bound) in [("ogt", min), ("olt", max)] {
            let bound = float(bound as f64, from);
            let inside = self.body.assign(format_args!("fcmp {order} {source} {held}, {bound}"));
            held = self.body.assign(format_args!("select {bools} {inside}, {source} {held}, {source} {bound}"));
        }
        let whole = self.body.assign(format_args!("fptosi {source} {held} to {words}"));
        let narrow = self.body.assign(format_args!("trunc {words} {whole} to {target}"));
        let number = self.body.assign(format_args!("fcmp ord {source} {x}, zeroinitializer"));
        self.body.assign(format_args!("select {bools} {number}, {target} {narrow}, {target} zeroinitializer"))
    }

    /// The same bits as another type. Bools, whose lanes are bits here, have no such form.
    pub(crate) fn reinterpret(&mut self, value: &Expr, to: DataType) -> Result<Value> {
        if value.dtype.is_handle() || to.is_handle() {
            return Err(self
                .unit
                .unsupported(format!("the bits of {} as {to}: an address is that of a buffer", value.dtype)));
        }
        if !can_reinterpret(value.dtype, to) {
            return Err(self.unit.malformed(format!("the bits of {} as {to}", value.dtype)));
        }
        let x = self.value(value, Position::Value)?;
        Ok(self.body.assign(format_args!("bitcast {} {x} to {}", Reg(value.dtype), Reg(to))))
    }
}

/// What a float holds before it is clamped to the range of the integer type that it becomes: the conversion saturates,
/// and NaN, which clamping keeps, gives 0.
fn unclamped(value: &Expr, to: DataType) -> &Expr {
    if !value.dtype.is_float() || !to.is_int() || to.bits > 16 {
        return value;
    }
    let (least, greatest) = match to.is_signed() {
        true => (-f64::powi(2.0, i32::from(to.bits) - 1), f64::powi(2.0, i32::from(to.bits) - 1) - 1.0),
        false => (0.0, f64::powi(2.0, i32::from(to.bits)) - 1.0),
    };
    fn below(value: &Expr, op: BinOp, bound: f64) -> Option<&Expr> {
        match &value.kind {
            ExprKind::Binary(found, x, limit) if *found == op && number(limit) == Some(bound) => Some(x),
            _ => None,
        }
    }
    let either = |(outer, of_outer), (inner, of_inner)| below(below(value, outer, of_outer)?, inner, of_inner);
    either((BinOp::Max, least), (BinOp::Min, greatest))
        .or_else(|| either((BinOp::Min, greatest), (BinOp::Max, least)))
        .unwrap_or(value)
}

/// A constant, or that of all lanes.
fn number(value: &Expr) -> Option<f64> {
    match &value.kind {
        ExprKind::Broadcast(value) => number(value),
        ExprKind::Float(bits) => Some(bits.0),
        _ => None,
    }
}
