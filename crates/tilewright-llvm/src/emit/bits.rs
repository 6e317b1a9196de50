//! Functions called by name: those that LLVM has, and those that are a few operations on bits.

use tilewright_ir::tir::{Expr, Intrinsic};
use tilewright_tensor::DataType;

use super::function::{FnCx, Position, Result};
use super::narrow::is_narrow;
use super::text::{Mangled, Reg, Value, float, int};

impl FnCx<'_, '_> {
    pub(crate) fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Expr], dtype: DataType) -> Result<Value> {
        let types: Vec<DataType> = args.iter().map(|arg| arg.dtype).collect();
        if intrinsic.result(&types) != Some(dtype) {
            return Err(self.unit.malformed(format!("{} of wrong arguments for {dtype}", intrinsic.name())));
        }
        let values = args.iter().map(|arg| self.value(arg, Position::Value)).collect::<Result<Vec<_>>>()?;
        let of = types.first().copied().unwrap_or(dtype);
        match (intrinsic, values.as_slice()) {
            (Intrinsic::Abs, [x]) if of.is_signed() => Ok(self.call("abs", of, &[x, &Value::constant("false")])),
            (Intrinsic::Abs, [x]) if is_narrow(of) => Ok(self.bitwise("and", x, 0x7fff, words(of))),
            (Intrinsic::Copysign, [x, y]) if is_narrow(of) => Ok(self.narrow_copysign(x, y, words(of))),
            (Intrinsic::Nextafter, [x, y]) => Ok(self.next_after(x, y, of)),
            (Intrinsic::Clz, [x]) => Ok(self.call("ctlz", of, &[x, &Value::constant("false")])),
            (Intrinsic::Popcount, [x]) => Ok(self.call("ctpop", of, &[x])),
            _ if is_narrow(of) => {
                Err(self.unit.malformed(format!("{} of {of}, which has no arithmetic", intrinsic.name())))
            }
            (Intrinsic::IsNan, [x]) => Ok(self.float_test("uno", x, x, of)),
            (Intrinsic::IsInf, [x]) => {
                let size = self.call("fabs", of, &[x]);
                Ok(self.float_test("oeq", &size, &float(f64::INFINITY, of), of))
            }
            (Intrinsic::IsFinite, [x]) => {
                let size = self.call("fabs", of, &[x]);
                Ok(self.float_test("olt", &size, &float(f64::INFINITY, of), of))
            }
            (_, values) => match llvm_name(intrinsic) {
                Some(name) => Ok(self.call(name, of, &values.iter().collect::<Vec<_>>())),
                None => Err(self.unit.unsupported(format!("{} of {dtype}", intrinsic.name()))),
            },
        }
    }

    /// A call of LLVM's intrinsic for a type; what is no value of it is a flag.
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

    fn float_test(&mut self, order: &str, x: &Value, y: &Value, dtype: DataType) -> Value {
        self.body.assign(format_args!("fcmp {order} {} {x}, {y}", Reg(dtype)))
    }

    fn narrow_copysign(&mut self, x: &Value, y: &Value, words: DataType) -> Value {
        let size = self.bitwise("and", x, 0x7fff, words);
        let sign = self.bitwise("and", y, 0x8000, words);
        self.body.assign(format_args!("or {} {size}, {sign}", Reg(words)))
    }

    /// The float next to `x` towards `y`. Bits of floats of one sign are in the order of their magnitudes, so that the
    /// next one is the next integer; zero goes to the least denormal of the other's sign.
    fn next_after(&mut self, x: &Value, y: &Value, dtype: DataType) -> Value {
        let ints = words(dtype);
        let (ty, bools) = (Reg(ints), Reg(DataType::BOOL.with_lanes(dtype.lanes)));
        // Compared as floats that have comparisons.
        let compared = if is_narrow(dtype) { DataType::F32.with_lanes(dtype.lanes) } else { dtype };
        let [a, b] = [x, y].map(|x| if is_narrow(dtype) { self.widen(x, dtype) } else { x.clone() });
        let [x, y] = [x, y].map(|x| self.body.assign(format_args!("bitcast {} {x} to {ty}", Reg(dtype))));
        let zero = float(0.0, compared);
        let less = self.float_test("olt", &a, &b, compared);
        let positive = self.float_test("ogt", &a, &zero, compared);
        let towards_zero = self.body.assign(format_args!("xor {bools} {less}, {positive}"));
        let (up, down) = (int(1, ints), int(-1, ints));
        let step = self.body.assign(format_args!("select {bools} {towards_zero}, {ty} {down}, {ty} {up}"));
        let stepped = self.body.assign(format_args!("add {ty} {x}, {step}"));
        let sign = self.bitwise("and", &y, i64::MIN >> (64 - u32::from(dtype.bits)), ints);
        let least = self.bitwise("or", &sign, 1, ints);
        let is_zero = self.float_test("oeq", &a, &zero, compared);
        let next = self.body.assign(format_args!("select {bools} {is_zero}, {ty} {least}, {ty} {stepped}"));
        let equal = self.float_test("oeq", &a, &b, compared);
        let next = self.body.assign(format_args!("select {bools} {equal}, {ty} {y}, {ty} {next}"));
        let either_nan = self.float_test("uno", &a, &b, compared);
        let nan = int(quiet_nan(dtype), ints);
        let next = self.body.assign(format_args!("select {bools} {either_nan}, {ty} {nan}, {ty} {next}"));
        self.body.assign(format_args!("bitcast {ty} {next} to {}", Reg(dtype)))
    }
}

/// The integers of the same width.
fn words(dtype: DataType) -> DataType {
    DataType::new(tilewright_tensor::TypeCode::Int, dtype.bits).with_lanes(dtype.lanes)
}

fn quiet_nan(dtype: DataType) -> i64 {
    tilewright_expr::semantics::Scalar::from_float(f64::NAN, dtype).bits() as i64
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
