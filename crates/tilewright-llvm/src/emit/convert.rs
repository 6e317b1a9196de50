//! Conversions and functions called by name.

use tilewright_expr::can_reinterpret;
use tilewright_ir::tir::{Expr, Intrinsic};
use tilewright_tensor::DataType;

use super::function::{FnCx, Position, Result};
use super::text::{Mangled, Reg, Value};

impl FnCx<'_, '_> {
    pub(crate) fn cast(&mut self, value: &Expr, to: DataType, position: Position) -> Result<Value> {
        let from = value.dtype;
        if from.lanes != to.lanes {
            return Err(self.unit.malformed(format!("a cast from {from} to {to}")));
        }
        let x = self.value(value, position)?;
        let (source, target) = (Reg(from), Reg(to));
        if from == to {
            return Ok(x);
        }
        let name = match (from.is_float(), to.is_float()) {
            (true, _) if to.is_bool() => {
                return Ok(self.body.assign(format_args!("fcmp une {source} {x}, zeroinitializer")));
            }
            (false, _) if to.is_bool() => {
                return Ok(self.body.assign(format_args!("icmp ne {source} {x}, zeroinitializer")));
            }
            (true, false) => {
                // LLVM's plain conversion has no result outside of the range; this one saturates, and NaN gives 0.
                let name = if to.is_signed() { "fptosi" } else { "fptoui" };
                let types = format!("{}.{}", Mangled(to), Mangled(from));
                return Ok(self.body.assign(format_args!("call {target} @llvm.{name}.sat.{types}({source} {x})")));
            }
            (true, true) if to.bits > from.bits => "fpext",
            (true, true) => "fptrunc",
            (false, true) if from.is_signed() => "sitofp",
            (false, true) => "uitofp",
            (false, false) if from.is_bool() => "zext",
            (false, false) if to.bits == from.bits => return Ok(x),
            (false, false) if to.bits < from.bits => "trunc",
            (false, false) if from.is_signed() => "sext",
            (false, false) => "zext",
        };
        Ok(self.body.assign(format_args!("{name} {source} {x} to {target}")))
    }

    /// The same bits as another type. Bools, whose lanes are bits here, have no such form.
    pub(crate) fn reinterpret(&mut self, value: &Expr, to: DataType) -> Result<Value> {
        if !can_reinterpret(value.dtype, to) {
            return Err(self.unit.malformed(format!("the bits of {} as {to}", value.dtype)));
        }
        let x = self.value(value, Position::Value)?;
        Ok(self.body.assign(format_args!("bitcast {} {x} to {}", Reg(value.dtype), Reg(to))))
    }

    pub(crate) fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Expr], dtype: DataType) -> Result<Value> {
        let types: Vec<DataType> = args.iter().map(|arg| arg.dtype).collect();
        let integer = intrinsic == Intrinsic::Abs && dtype.is_signed();
        if intrinsic.result(&types) != Some(dtype) {
            return Err(self.unit.malformed(format!("{} of wrong arguments for {dtype}", intrinsic.name())));
        }
        let name = match intrinsic {
            Intrinsic::Sqrt => "sqrt",
            Intrinsic::Abs if integer => "abs",
            Intrinsic::Abs => "fabs",
            Intrinsic::Floor => "floor",
            Intrinsic::Ceil => "ceil",
            Intrinsic::Trunc => "trunc",
            Intrinsic::Fma => "fma",
            Intrinsic::Round => "roundeven",
            Intrinsic::Copysign => "copysign",
            other => return Err(self.unit.unsupported(format!("{} of {dtype}", other.name()))),
        };
        let ty = Reg(dtype);
        let mut operands = Vec::with_capacity(args.len() + 1);
        for arg in args {
            operands.push(format!("{ty} {}", self.value(arg, Position::Value)?));
        }
        if integer {
            // The least integer stays itself.
            operands.push("i1 false".to_owned());
        }
        let operands = operands.join(", ");
        Ok(self.body.assign(format_args!("call {ty} @llvm.{name}.{}({operands})", Mangled(dtype))))
    }
}
