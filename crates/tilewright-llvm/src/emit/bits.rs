//! Functions called by name: those that LLVM has, and those that are a few operations on bits. Lowering has made
//! arithmetic of all others.

use tilewright_ir::tir::{Expr, ExprKind, Intrinsic};
use tilewright_tensor::DataType;

use super::function::{FnCx, Position, Result};
use super::narrow::is_narrow;
use super::text::{Mangled, Reg, Value};

impl FnCx<'_, '_> {
    pub(crate) fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Expr], dtype: DataType) -> Result<Value> {
        let types: Vec<DataType> = args.iter().map(|arg| arg.dtype).collect();
        if intrinsic.result(&types) != Some(dtype) {
            return Err(self.unit.malformed(format!("{} of wrong arguments for {dtype}", intrinsic.name())));
        }
        let mut values = args.iter().map(|arg| self.value(arg, Position::Value)).collect::<Result<Vec<_>>>()?;
        let of = types.first().copied().unwrap_or(dtype);
        if let ([x], [arg]) = (values.as_mut_slice(), args)
            && is_widened_half(intrinsic, arg)
        {
            *x = self.call("arithmetic.fence", of, &[x]);
        }
        match (intrinsic, values.as_slice()) {
            (Intrinsic::Abs, [x]) if of.is_signed() => Ok(self.call("abs", of, &[x, &Value::constant("false")])),
            (Intrinsic::Abs, [x]) if is_narrow(of) => Ok(self.bitwise("and", x, 0x7fff, words(of))),
            (Intrinsic::Copysign, [x, y]) if is_narrow(of) => Ok(self.narrow_copysign(x, y, words(of))),
            (Intrinsic::Clz, [x]) => Ok(self.call("ctlz", of, &[x, &Value::constant("false")])),
            (Intrinsic::Popcount, [x]) => Ok(self.call("ctpop", of, &[x])),
            _ if is_narrow(of) => {
                Err(self.unit.malformed(format!("{} of {of}, which has no arithmetic", intrinsic.name())))
            }
            (_, values) => match llvm_name(intrinsic) {
                Some(name) => Ok(self.call(name, of, &values.iter().collect::<Vec<_>>())),
                None => Err(self.unit.unsupported(format!("{} of {dtype}", intrinsic.name()))),
            },
        }
    }

    /// A call of LLVM's intrinsic for a type; operands other than values are flags.
    fn call(&mut self, name: &str, dtype: DataType, args: &[&Value]) -> Value {
        let ty = Reg(dtype);
        let operands: Vec<String> = args
            .iter()
            .map(|arg| match arg {
                Value::Constant(text) if &**text == "false" => "i1 false".to_owned(),
                value => format!("{ty} {value}"),
            })
            .collect();
        self.body.assign(format_args!("call {ty} @llvm.{name}.{}({})", Mangled(dtype), operands.join(", ")))
    }

    fn narrow_copysign(&mut self, x: &Value, y: &Value, words: DataType) -> Value {
        let size = self.bitwise("and", x, 0x7fff, words);
        let sign = self.bitwise("and", y, 0x8000, words);
        self.body.assign(format_args!("or {} {size}, {sign}", Reg(words)))
    }
}

/// Whether a float16 is rounded to an integer in float32. LLVM would round the float16 itself, by scalarising the
/// vector; an optimisation barrier hides the origin of the float32 from it.
fn is_widened_half(intrinsic: Intrinsic, arg: &Expr) -> bool {
    matches!(intrinsic, Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Trunc | Intrinsic::Round)
        && matches!(&arg.kind, ExprKind::Cast(half) if half.dtype.element() == DataType::F16)
}

/// The integers of the same width.
fn words(dtype: DataType) -> DataType {
    DataType::new(tilewright_tensor::TypeCode::Int, dtype.bits).with_lanes(dtype.lanes)
}

/// LLVM's intrinsic of exactly this meaning.
fn llvm_name(intrinsic: Intrinsic) -> Option<&'static str> {
    Some(match intrinsic {
        Intrinsic::Sqrt => "sqrt",
        Intrinsic::Abs => "fabs",
        Intrinsic::Floor => "floor",
        Intrinsic::Ceil => "ceil",
        Intrinsic::Trunc => "trunc",
        Intrinsic::Fma => "fma",
        Intrinsic::Round => "roundeven",
        Intrinsic::Copysign => "copysign",
        _ => return None,
    })
}
