//! Operators of two operands, by the table in `tilewright_expr::semantics`.

use tilewright_expr::semantics::Fault;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, ExprKind};
use tilewright_target::Arch;
use tilewright_tensor::abi::Status;
use tilewright_tensor::{DataType, TypeCode};

use super::expr::{is_safe_divisor, no_wrap};
use super::function::{FnCx, Position, Result};
use super::narrow::is_narrow;
use super::text::{Mangled, Reg, Value, int};

impl FnCx<'_, '_> {
    pub(crate) fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, position: Position) -> Result<Value> {
        let dtype = a.dtype;
        if !op.takes(dtype) || b.dtype != dtype {
            return Err(self.unit.malformed(format!("{op:?} of {dtype} and {}", b.dtype)));
        }
        self.check_arithmetic(dtype)?;
        // A product inside a sum of the same expression may be contracted to an FMA; nothing else is.
        let flag = if dtype.is_float() && is_sum(op) && (is_product(a) || is_product(b)) { " contract" } else { "" };
        let x = self.operand(a, !flag.is_empty(), position)?;
        let y = self.operand(b, !flag.is_empty(), position)?;
        if dtype.is_float() {
            return self.float_binary(op, flag, (a, &x), (b, &y));
        }
        let ty = Reg(dtype);
        let wrap = no_wrap(position, dtype);
        Ok(match op {
            BinOp::Add => self.body.assign(format_args!("add{wrap} {ty} {x}, {y}")),
            BinOp::Sub => self.body.assign(format_args!("sub{wrap} {ty} {x}, {y}")),
            BinOp::Mul => self.body.assign(format_args!("mul{wrap} {ty} {x}, {y}")),
            BinOp::And | BinOp::BitAnd => self.body.assign(format_args!("and {ty} {x}, {y}")),
            BinOp::Or | BinOp::BitOr => self.body.assign(format_args!("or {ty} {x}, {y}")),
            BinOp::BitXor => self.body.assign(format_args!("xor {ty} {x}, {y}")),
            BinOp::Min if dtype.is_bool() => self.body.assign(format_args!("and {ty} {x}, {y}")),
            BinOp::Max if dtype.is_bool() => self.body.assign(format_args!("or {ty} {x}, {y}")),
            BinOp::Min | BinOp::Max => {
                let sign = if dtype.is_signed() { 's' } else { 'u' };
                let name = if op == BinOp::Min { "min" } else { "max" };
                self.body.assign(format_args!("call {ty} @llvm.{sign}{name}.{}({ty} {x}, {ty} {y})", Mangled(dtype)))
            }
            BinOp::Shl | BinOp::Shr => self.shift(op, &x, &y, dtype),
            BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod => {
                if is_safe_divisor(b) {
                    return Ok(self.divide(op, &x, (b, &y), dtype));
                }
                let is_remainder = matches!(op, BinOp::Mod | BinOp::FloorMod);
                match (is_remainder && dtype.is_signed(), dtype.lanes) {
                    (false, _) => self.checked_quotient(op, &x, (b, &y), dtype),
                    (true, 1) => self.checked_remainder(op, &x, (b, &y), dtype),
                    (true, _) => self.checked_remainders(op, &x, (b, &y), dtype),
                }
            }
        })
    }

    /// Lowering has put the arithmetic of 16-bit floats into float32.
    fn check_arithmetic(&self, dtype: DataType) -> Result<()> {
        match is_narrow(dtype) {
            true => Err(self.unit.malformed(format!("arithmetic on {dtype}, which has none"))),
            false => Ok(()),
        }
    }

    /// An operand; a product that may be contracted with a sum (FMA) is marked as such.
    fn operand(&mut self, expr: &Expr, contract: bool, position: Position) -> Result<Value> {
        if contract
            && is_product(expr)
            && self.remembered(expr, position).is_none()
            && let ExprKind::Binary(BinOp::Mul, a, b) = &expr.kind
        {
            self.unit.check_type(expr.dtype)?;
            if a.dtype != expr.dtype || b.dtype != expr.dtype {
                return Err(self.unit.malformed(format!("Mul of {} and {}", a.dtype, b.dtype)));
            }
            let (a, b) = (self.value(a, position)?, self.value(b, position)?);
            let product = self.body.assign(format_args!("fmul contract {} {a}, {b}", Reg(expr.dtype)));
            self.remember(expr, position, &product);
            return Ok(product);
        }
        self.value(expr, position)
    }

    fn float_binary(&mut self, op: BinOp, flag: &str, a: (&Expr, &Value), b: (&Expr, &Value)) -> Result<Value> {
        let dtype = a.0.dtype;
        let (ty, name) = (Reg(dtype), Mangled(dtype));
        let (x, y) = (a.1, b.1);
        Ok(match op {
            BinOp::Add => self.body.assign(format_args!("fadd{flag} {ty} {x}, {y}")),
            BinOp::Sub => self.body.assign(format_args!("fsub{flag} {ty} {x}, {y}")),
            BinOp::Mul => self.body.assign(format_args!("fmul {ty} {x}, {y}")),
            BinOp::Div => self.body.assign(format_args!("fdiv {ty} {x}, {y}")),
            BinOp::Mod => self.float_remainder(dtype, x, y),
            BinOp::FloorDiv => {
                let quotient = self.body.assign(format_args!("fdiv {ty} {x}, {y}"));
                self.body.assign(format_args!("call {ty} @llvm.floor.{name}({ty} {quotient})"))
            }
            BinOp::FloorMod => {
                let rest = self.float_remainder(dtype, x, y);
                let bools = Reg(DataType::BOOL.with_lanes(dtype.lanes));
                let some = self.body.assign(format_args!("fcmp une {ty} {rest}, zeroinitializer"));
                let below = self.body.assign(format_args!("fcmp olt {ty} {rest}, zeroinitializer"));
                let divisor_below = self.body.assign(format_args!("fcmp olt {ty} {y}, zeroinitializer"));
                let differ = self.body.assign(format_args!("xor {bools} {below}, {divisor_below}"));
                let both = self.body.assign(format_args!("and {bools} {some}, {differ}"));
                let moved = self.body.assign(format_args!("fadd {ty} {rest}, {y}"));
                self.body.assign(format_args!("select {bools} {both}, {ty} {moved}, {ty} {rest}"))
            }
            BinOp::Min | BinOp::Max => self.float_extreme(op, a, b),
            BinOp::And | BinOp::Or | BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shl | BinOp::Shr => {
                return Err(self.unit.malformed(format!("{op:?} of {dtype}")));
            }
        })
    }

    /// The smaller or larger of two floats. With a constant operand one comparison decides NaN and the sign of zero
    /// too.
    fn float_extreme(&mut self, op: BinOp, a: (&Expr, &Value), b: (&Expr, &Value)) -> Value {
        let dtype = a.0.dtype;
        let (ty, bools) = (Reg(dtype), Reg(DataType::BOOL.with_lanes(dtype.lanes)));
        let (name, less) = if op == BinOp::Min { ("minimum", 'l') } else { ("maximum", 'g') };
        let constant = |e: &Expr| float_constant(e).filter(|value| !value.is_nan());
        let (variable, bound, bound_value) = match (constant(a.0), constant(b.0)) {
            (_, Some(bound)) => (a.1, b.1, bound),
            (Some(bound), None) => (b.1, a.1, bound),
            (None, None) => {
                let (x, y) = (a.1, b.1);
                if dtype.is_vector() && self.unit.target.arch == Arch::X86_64 {
                    return self.vector_extreme(op, dtype, x, y);
                }
                return self.body.assign(format_args!("call {ty} @llvm.{name}.{}({ty} {x}, {ty} {y})", Mangled(dtype)));
            }
        };
        // Of two zeros the bound is the answer where it is the preferred one (+0 for max, -0 for min); the variable is
        // otherwise. The unordered comparison takes the variable when it is NaN.
        let preferred = bound_value == 0.0 && bound_value.is_sign_negative() == (op == BinOp::Min);
        let order = if preferred { 't' } else { 'e' };
        let take = self.body.assign(format_args!("fcmp u{less}{order} {ty} {variable}, {bound}"));
        self.body.assign(format_args!("select {bools} {take}, {ty} {variable}, {ty} {bound}"))
    }

    /// Of vectors, by x86's instruction, which gives its second operand where one is NaN or both are zeros: both orders
    /// differ there alone. The bits that either has are then those of NaN, since the other operand adds to them; of
    /// zeros they are -0, and the bits that both have +0.
    fn vector_extreme(&mut self, op: BinOp, dtype: DataType, x: &Value, y: &Value) -> Value {
        let ty = Reg(dtype);
        let bits_type = DataType { code: TypeCode::Int, ..dtype };
        let bits = Reg(bits_type);
        let mut one_order = |a: &Value, b: &Value| {
            let value = self.extreme_of_order(op, dtype, a, b);
            self.body.assign(format_args!("bitcast {ty} {value} to {bits}"))
        };
        let (p, q) = (one_order(x, y), one_order(y, x));
        let joined = match op {
            BinOp::Max => self.joined_bits(bits_type, &p, &q),
            _ => self.body.assign(format_args!("or {bits} {p}, {q}")),
        };
        self.body.assign(format_args!("bitcast {bits} {joined} to {ty}"))
    }

    /// The minimum or maximum as x86's instruction defines it. LLVM matches a select to it only if the comparison has
    /// no other use, so vectors of register width call the intrinsic.
    fn extreme_of_order(&mut self, op: BinOp, dtype: DataType, a: &Value, b: &Value) -> Value {
        let ty = Reg(dtype);
        let name = if op == BinOp::Min { "min" } else { "max" };
        let of = if dtype.bits == 32 { "ps" } else { "pd" };
        let width = u32::from(dtype.bits) * u32::from(dtype.lanes);
        let has = |feature| self.unit.target.has(feature);
        if width == 512 && has("avx512f") {
            return self
                .body
                .assign(format_args!("call {ty} @llvm.x86.avx512.{name}.{of}.512({ty} {a}, {ty} {b}, i32 4)"));
        }
        if width == 256 && has("avx") {
            return self.body.assign(format_args!("call {ty} @llvm.x86.avx.{name}.{of}.256({ty} {a}, {ty} {b})"));
        }
        let (bools, order) =
            (Reg(DataType::BOOL.with_lanes(dtype.lanes)), if op == BinOp::Min { "olt" } else { "ogt" });
        let take = self.body.assign(format_args!("fcmp {order} {ty} {a}, {b}"));
        self.body.assign(format_args!("select {bools} {take}, {ty} {a}, {ty} {b}"))
    }

    /// The bits that either has, but of the highest those that both have.
    fn joined_bits(&mut self, dtype: DataType, p: &Value, q: &Value) -> Value {
        let ty = Reg(dtype);
        let magnitude = int(i64::MAX >> (64 - u32::from(dtype.bits)), dtype);
        let width = u32::from(dtype.bits) * u32::from(dtype.lanes);
        if [128, 256, 512].contains(&width) && self.unit.target.has("avx512vl") {
            // The majority of three bits, which is one instruction.
            let of = if dtype.bits == 32 { 'd' } else { 'q' };
            return self.body.assign(format_args!(
                "call {ty} @llvm.x86.avx512.pternlog.{of}.{width}({ty} {p}, {ty} {q}, {ty} {magnitude}, i32 232)"
            ));
        }
        let either = self.body.assign(format_args!("or {ty} {p}, {q}"));
        let both = self.body.assign(format_args!("and {ty} {p}, {q}"));
        let either = self.body.assign(format_args!("and {ty} {either}, {magnitude}"));
        self.body.assign(format_args!("or {ty} {either}, {both}"))
    }

    /// A shift by the width or more gives 0; LLVM's would give anything.
    fn shift(&mut self, op: BinOp, x: &Value, y: &Value, dtype: DataType) -> Value {
        let (ty, bools) = (Reg(dtype), Reg(DataType::BOOL.with_lanes(dtype.lanes)));
        let name = match op {
            BinOp::Shl => "shl",
            _ if dtype.is_signed() => "ashr",
            _ => "lshr",
        };
        let width = int(i64::from(dtype.bits), dtype);
        // LLVM 22 for AVX-512 loses the zeros of lanes whose arithmetic shift count is too large, unless no count is.
        let by = match name {
            "ashr" => {
                let max = int(i64::from(dtype.bits) - 1, dtype);
                self.body.assign(format_args!("call {ty} @llvm.umin.{}({ty} {y}, {ty} {max})", Mangled(dtype)))
            }
            _ => y.clone(),
        };
        let shifted = self.body.assign(format_args!("{name} {ty} {x}, {by}"));
        let small = self.body.assign(format_args!("icmp ult {ty} {y}, {width}"));
        self.body.assign(format_args!("select {bools} {small}, {ty} {shifted}, {ty} zeroinitializer"))
    }

    /// A quotient, or an unsigned remainder. Leaves the kernel with a message where there is none: by zero, and of the
    /// least value by -1.
    fn checked_quotient(&mut self, op: BinOp, x: &Value, (divisor, y): (&Expr, &Value), dtype: DataType) -> Value {
        let bool_type = DataType::BOOL.with_lanes(dtype.lanes);
        let zero = self.is_zero(y, dtype);
        let bad = match dtype.is_signed() {
            true => self.has_no_quotient(x, y, &zero, dtype),
            false => zero.clone(),
        };
        let bad = self.any(&bad, bool_type);
        let (fails, go_on) = (self.body.label(), self.body.label());
        self.body.branch(&bad, fails, go_on);
        self.body.start(fails);
        let by_zero = self.any(&zero, bool_type);
        self.fail_division(&by_zero);
        self.body.start(go_on);
        self.divide(op, x, (divisor, y), dtype)
    }

    /// A signed remainder, which is 0 where the quotient overflows. The branch is that of [`Self::checked_quotient`],
    /// so that a quotient and a remainder of the same operands remain one instruction.
    fn checked_remainder(&mut self, op: BinOp, x: &Value, (divisor, y): (&Expr, &Value), dtype: DataType) -> Value {
        let zero = self.is_zero(y, dtype);
        let bad = self.has_no_quotient(x, y, &zero, dtype);
        let (special, fails) = (self.body.label(), self.body.label());
        let (divides, done) = (self.body.label(), self.body.label());
        self.body.branch(&bad, special, divides);
        self.body.start(special);
        self.body.branch(&zero, fails, done);
        self.body.start(fails);
        self.fail_division(&zero);
        self.body.start(divides);
        let rest = self.divide(op, x, (divisor, y), dtype);
        let divided = self.body.open();
        self.body.jump(done);
        self.body.start(done);
        self.body.assign(format_args!("phi {} [ {rest}, %{divided} ], [ 0, %{special} ]", Reg(dtype)))
    }

    /// Signed remainders of vectors; those by -1 are computed by 1.
    fn checked_remainders(&mut self, op: BinOp, x: &Value, (divisor, y): (&Expr, &Value), dtype: DataType) -> Value {
        let (ty, bool_type) = (Reg(dtype), DataType::BOOL.with_lanes(dtype.lanes));
        let zero = self.is_zero(y, dtype);
        let (minus_one, one) = (int(-1, dtype), int(1, dtype));
        let by_minus_one = self.body.assign(format_args!("icmp eq {ty} {y}, {minus_one}"));
        let y = self.body.assign(format_args!("select {} {by_minus_one}, {ty} {one}, {ty} {y}", Reg(bool_type)));
        let bad = self.any(&zero, bool_type);
        let (fails, go_on) = (self.body.label(), self.body.label());
        self.body.branch(&bad, fails, go_on);
        self.body.start(fails);
        self.fail_division(&bad);
        self.body.start(go_on);
        self.divide(op, x, (divisor, &y), dtype)
    }

    fn is_zero(&mut self, y: &Value, dtype: DataType) -> Value {
        self.body.assign(format_args!("icmp eq {} {y}, zeroinitializer", Reg(dtype)))
    }

    /// Whether a signed division has no quotient, given whether its divisor is zero.
    fn has_no_quotient(&mut self, x: &Value, y: &Value, zero: &Value, dtype: DataType) -> Value {
        let (ty, bools) = (Reg(dtype), Reg(DataType::BOOL.with_lanes(dtype.lanes)));
        let (minus_one, least) = (int(-1, dtype), int(i64::MIN >> (64 - u32::from(dtype.bits)), dtype));
        let by_minus_one = self.body.assign(format_args!("icmp eq {ty} {y}, {minus_one}"));
        let at_least = self.body.assign(format_args!("icmp eq {ty} {x}, {least}"));
        let overflow = self.body.assign(format_args!("and {bools} {at_least}, {by_minus_one}"));
        self.body.assign(format_args!("or {bools} {zero}, {overflow}"))
    }

    /// Leaves the kernel: a division by zero, or else one that overflows.
    fn fail_division(&mut self, by_zero: &Value) {
        let texts = [Fault::DivisionByZero.to_string(), Fault::DivisionOverflow.to_string()];
        let [first, second] = [self.unit.message(&texts[0]), self.unit.message(&texts[1])];
        let message = self.body.assign(format_args!("select i1 {by_zero}, ptr {first}, ptr {second}"));
        let [first, second] = texts.map(|text| text.len());
        let length = self.body.assign(format_args!("select i1 {by_zero}, i64 {first}, i64 {second}"));
        self.fail(Status::DivisionFault, &message, &length);
    }

    /// Whether any lane is true.
    pub(super) fn any(&mut self, value: &Value, dtype: DataType) -> Value {
        if dtype.is_scalar() {
            return value.clone();
        }
        let lanes = dtype.lanes;
        self.body.assign(format_args!("call i1 @llvm.vector.reduce.or.v{lanes}i1({} {value})", Reg(dtype)))
    }

    /// A division whose operands are checked.
    fn divide(&mut self, op: BinOp, x: &Value, (divisor, y): (&Expr, &Value), dtype: DataType) -> Value {
        let (ty, bools) = (Reg(dtype), Reg(DataType::BOOL.with_lanes(dtype.lanes)));
        let sign = if dtype.is_signed() { 's' } else { 'u' };
        match op {
            BinOp::Div => return self.body.assign(format_args!("{sign}div {ty} {x}, {y}")),
            BinOp::Mod => return self.body.assign(format_args!("{sign}rem {ty} {x}, {y}")),
            BinOp::FloorDiv if !dtype.is_signed() => return self.body.assign(format_args!("udiv {ty} {x}, {y}")),
            _ if !dtype.is_signed() => return self.body.assign(format_args!("urem {ty} {x}, {y}")),
            _ => {}
        }
        if let Some(power) = int_constant(divisor).filter(|&value| value > 0 && (value & (value - 1)) == 0) {
            return if op == BinOp::FloorDiv {
                let shift = int(i64::from(power.trailing_zeros()), dtype);
                self.body.assign(format_args!("ashr {ty} {x}, {shift}"))
            } else {
                self.body.assign(format_args!("and {ty} {x}, {}", int(power - 1, dtype)))
            };
        }
        let rest = self.body.assign(format_args!("srem {ty} {x}, {y}"));
        let some = self.body.assign(format_args!("icmp ne {ty} {rest}, zeroinitializer"));
        let signs = self.body.assign(format_args!("xor {ty} {rest}, {y}"));
        let differ = self.body.assign(format_args!("icmp slt {ty} {signs}, zeroinitializer"));
        let both = self.body.assign(format_args!("and {bools} {some}, {differ}"));
        if op == BinOp::FloorMod {
            let moved = self.body.assign(format_args!("add {ty} {rest}, {y}"));
            return self.body.assign(format_args!("select {bools} {both}, {ty} {moved}, {ty} {rest}"));
        }
        let quotient = self.body.assign(format_args!("sdiv {ty} {x}, {y}"));
        let one_less = self.body.assign(format_args!("sext {bools} {both} to {ty}"));
        self.body.assign(format_args!("add {ty} {quotient}, {one_less}"))
    }

    pub(crate) fn compare(&mut self, op: CmpOp, a: &Expr, b: &Expr) -> Result<Value> {
        let dtype = a.dtype;
        if b.dtype != dtype {
            return Err(self.unit.malformed(format!("{op:?} of {dtype} and {}", b.dtype)));
        }
        self.check_arithmetic(dtype)?;
        let (x, y) = (self.value(a, Position::Value)?, self.value(b, Position::Value)?);
        let ty = Reg(dtype);
        if dtype.is_float() {
            let order = match op {
                CmpOp::Eq => "oeq",
                CmpOp::Ne => "une",
                CmpOp::Lt => "olt",
                CmpOp::Le => "ole",
                CmpOp::Gt => "ogt",
                CmpOp::Ge => "oge",
            };
            return Ok(self.body.assign(format_args!("fcmp {order} {ty} {x}, {y}")));
        }
        let sign = if dtype.is_signed() { "s" } else { "u" };
        let (sign, order) = match op {
            CmpOp::Eq => ("", "eq"),
            CmpOp::Ne => ("", "ne"),
            CmpOp::Lt => (sign, "lt"),
            CmpOp::Le => (sign, "le"),
            CmpOp::Gt => (sign, "gt"),
            CmpOp::Ge => (sign, "ge"),
        };
        Ok(self.body.assign(format_args!("icmp {sign}{order} {ty} {x}, {y}")))
    }
}

fn is_sum(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub)
}

fn is_product(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Binary(BinOp::Mul, ..))
}

/// The constant of a scalar, or of every lane of a vector.
fn float_constant(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Float(value) => Some(value.0),
        ExprKind::Broadcast(scalar) => float_constant(scalar),
        _ => None,
    }
}

/// The constant of a scalar, or of every lane of a vector.
pub(crate) fn int_constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Broadcast(scalar) => int_constant(scalar),
        _ => None,
    }
}
