//! Conversions between types, by the table in `tilewright_expr::semantics`.

use tilewright_expr::can_reinterpret;
use tilewright_ir::tir::Expr;
use tilewright_tensor::DataType;

use super::function::{FnCx, Position, Result};
use super::narrow::is_narrow;
use super::text::{Mangled, Reg, Value};

impl FnCx<'_, '_> {
    pub(crate) fn cast(&mut self, value: &Expr, to: DataType, position: Position) -> Result<Value> {
        let from = value.dtype;
        if from.lanes != to.lanes {
            return Err(self.unit.malformed(format!("a cast from {from} to {to}")));
        }
        if from != to && (from.is_stored_only() || to.is_stored_only()) {
            return Err(self.unit.malformed(format!("a cast from {from} to {to}, one of which has no arithmetic")));
        }
        let x = self.value(value, position)?;
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

    /// The same bits as another type. Bools, whose lanes are bits here, have no such form.
    pub(crate) fn reinterpret(&mut self, value: &Expr, to: DataType) -> Result<Value> {
        if !can_reinterpret(value.dtype, to) {
            return Err(self.unit.malformed(format!("the bits of {} as {to}", value.dtype)));
        }
        let x = self.value(value, Position::Value)?;
        Ok(self.body.assign(format_args!("bitcast {} {x} to {}", Reg(value.dtype), Reg(to))))
    }
}
