//! Functions of `T` that have no node of their own, with their expansions.
//!
//! | function | means |
//! |---|---|
//! | `T.ceildiv(a, b)` | `(a + b - 1) // b` of integers, `T.ceil(a / b)` of floats |
//! | `T.min_value("int8")`, `T.max_value("int8")`, `T.infinity("float32")` | the constant |
//! | `T.likely(x)` | `x`: a hint |
//! | `T.ldexp(x, n)` | `x * T.exp2(n)` |
//! | `T.vectorlow("float32x4", v)`, `T.vectorhigh(…)` | `T.Shuffle([v], …)` of the lower, or upper, half of the lanes |
//! | `T.vectorcombine("float32x8", a, b)` | `T.Shuffle([a, b], …)` of all lanes |
//! | `T.get_active_lane_mask("boolx4", base, limit)` | `T.Ramp(base, 1, 4) < T.Broadcast(limit, 4)` |
//! | `T.dp4a(a, b, c)` | the sum of `c` and the products of the four lanes, as `int32` |
//! | `T.q_multiply_shift(x, y, q, s)` | `(x * y + 2^(q - s - 1)) >> (q - s)` in `int64`: a product of fixed-point numbers with `q` fractional bits, times `2^s`, rounded half up |
//! | `T.q_multiply_shift_per_axis(x, y, ls, rs, q, l, r)` | the same of `x << ls` where `l`, with `s = -rs` where `r` |
//! | `T.div(a, b)`, `T.indexdiv`, `T.indexmod` | `truncdiv`, `floordiv`, `floormod` |

use ruff_python_ast as ast;
use tilewright_expr::semantics::int_range;
use tilewright_ir::tir::{BinOp, CmpOp, Expr, Intrinsic, TypeMismatch};
use tilewright_tensor::{DataType, TypeCode};

use crate::parse::codes;
use crate::parse::cx::{Parser, Reported, Res};
use crate::parse::value::Value;

/// A function without a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sugar {
    CeilDiv,
    MinValue,
    MaxValue,
    Infinity,
    Likely,
    Ldexp,
    VectorLow,
    VectorHigh,
    VectorCombine,
    LaneMask,
    Dp4a,
    MultiplyShift,
    MultiplyShiftPerAxis,
}

/// Their names after `T.`.
pub(super) const SUGAR: [(&str, Sugar); 13] = [
    ("ceildiv", Sugar::CeilDiv),
    ("min_value", Sugar::MinValue),
    ("max_value", Sugar::MaxValue),
    ("infinity", Sugar::Infinity),
    ("likely", Sugar::Likely),
    ("ldexp", Sugar::Ldexp),
    ("vectorlow", Sugar::VectorLow),
    ("vectorhigh", Sugar::VectorHigh),
    ("vectorcombine", Sugar::VectorCombine),
    ("get_active_lane_mask", Sugar::LaneMask),
    ("dp4a", Sugar::Dp4a),
    ("q_multiply_shift", Sugar::MultiplyShift),
    ("q_multiply_shift_per_axis", Sugar::MultiplyShiftPerAxis),
];

type Typed = Result<Expr, TypeMismatch>;

impl Parser<'_> {
    pub(super) fn sugar(&mut self, expr: &ast::Expr, sugar: Sugar, call: &ast::ExprCall) -> Res<Value> {
        let result = match sugar {
            Sugar::CeilDiv => {
                let (a, b) = self.two(call)?;
                ceildiv(&a, &b)
            }
            Sugar::MinValue | Sugar::MaxValue | Sugar::Infinity => return self.limit(expr, sugar, call),
            Sugar::Likely => {
                let bound = self.bind(call, &["cond", "dtype"], 1)?;
                Ok(self.scalar_argument(bound[0], None)?)
            }
            Sugar::Ldexp => {
                let bound = self.bind(call, &["x1", "x2"], 2)?;
                let (x, n) =
                    (self.scalar_argument(bound[0], Some(DataType::F32))?, self.scalar_argument(bound[1], None)?);
                ldexp(&x, &n)
            }
            Sugar::VectorLow | Sugar::VectorHigh => {
                let bound = self.bind(call, &["dtype", "vec"], 2)?;
                let dtype = self.dtype_argument(bound[0])?;
                let vector = self.scalar_argument(bound[1], None)?;
                let (all, half) = (usize::from(vector.dtype.lanes), usize::from(dtype.lanes));
                let from = if sugar == Sugar::VectorLow { 0 } else { all.saturating_sub(half) };
                shuffled(dtype, vec![vector], (from..from + half).collect())
            }
            Sugar::VectorCombine => {
                let bound = self.bind(call, &["dtype", "vec1", "vec2"], 3)?;
                let dtype = self.dtype_argument(bound[0])?;
                let (a, b) = (self.scalar_argument(bound[1], None)?, self.scalar_argument(bound[2], None)?);
                shuffled(dtype, vec![a, b], (0..usize::from(dtype.lanes)).collect())
            }
            Sugar::LaneMask => {
                let bound = self.bind(call, &["dtype", "base", "limit"], 3)?;
                let dtype = self.dtype_argument(bound[0])?;
                let (base, limit) = (self.scalar_argument(bound[1], None)?, self.scalar_argument(bound[2], None)?);
                lane_mask(dtype, &base, &limit)
            }
            Sugar::Dp4a => {
                let bound = self.bind(call, &["vec1", "vec2", "acc"], 2)?;
                let (a, b) = (self.scalar_argument(bound[0], None)?, self.scalar_argument(bound[1], None)?);
                let acc = bound[2].map_or(Ok(Expr::i32(0)), |acc| self.scalar(acc, None))?;
                dp4a(&a, &b, &acc)
            }
            Sugar::MultiplyShift => {
                let bound = self.bind(call, &["x", "y", "q", "s"], 4)?;
                let operands = bound.iter().map(|arg| self.scalar_argument(*arg, None)).collect::<Res<Vec<_>>>()?;
                let [x, y, q, s] = operands.as_slice() else { return Err(Reported) };
                multiply_shift(x, y, q, s)
            }
            Sugar::MultiplyShiftPerAxis => {
                let params = ["x", "y", "ls", "rs", "q", "is_lshift_required", "is_rshift_required"];
                let bound = self.bind(call, &params, 7)?;
                let operands = bound.iter().map(|arg| self.scalar_argument(*arg, None)).collect::<Res<Vec<_>>>()?;
                let [x, y, ls, rs, q, left, right] = operands.as_slice() else { return Err(Reported) };
                multiply_shift_per_axis([x, y, ls, rs, q, left, right])
            }
        };
        self.typed(expr, result)
    }

    /// The least or greatest value of a type.
    fn limit(&mut self, expr: &ast::Expr, sugar: Sugar, call: &ast::ExprCall) -> Res<Value> {
        let bound = self.bind(call, &["dtype"], 1)?;
        let dtype = self.dtype_argument(bound[0])?;
        let value = match sugar {
            Sugar::Infinity => dtype.is_float().then(|| Expr::float(f64::INFINITY, dtype)),
            Sugar::MinValue => least(dtype),
            _ => greatest(dtype),
        };
        value.map(Value::Scalar).ok_or_else(|| {
            self.fail(codes::DTYPE, expr, format!("{dtype} has no such value"), "expected a type of numbers")
        })
    }
}

/// The least finite value of a type of numbers.
fn least(dtype: DataType) -> Option<Expr> {
    match int_range(dtype) {
        Some((least, _)) => Some(Expr::int(least as i64, dtype)),
        None => finite(dtype).map(|value| Expr::float(-value, dtype)),
    }
}

/// The greatest finite value of a type of numbers.
fn greatest(dtype: DataType) -> Option<Expr> {
    match int_range(dtype) {
        Some((_, greatest)) => Some(Expr::int(greatest as i64, dtype)),
        None => finite(dtype).map(|value| Expr::float(value, dtype)),
    }
}

/// The greatest finite value of a float type with arithmetic.
fn finite(dtype: DataType) -> Option<f64> {
    match (dtype.code, dtype.bits) {
        (TypeCode::Float, 64) => Some(f64::MAX),
        (TypeCode::Float, 32) => Some(f64::from(f32::MAX)),
        (TypeCode::Float, 16) => Some(65504.0),
        (TypeCode::BFloat, 16) => Some(f64::from(f32::from_bits(0x7F7F_0000))),
        _ => None,
    }
}

fn ceildiv(a: &Expr, b: &Expr) -> Typed {
    let (a, b) = Expr::matched(a, b)?;
    if a.dtype.is_float() {
        return Expr::call(Intrinsic::Ceil, &[Expr::binary(BinOp::Div, &a, &b)?]);
    }
    let above = Expr::binary(BinOp::Sub, &Expr::binary(BinOp::Add, &a, &b)?, &Expr::int(1, b.dtype))?;
    Expr::binary(BinOp::FloorDiv, &above, &b)
}

fn ldexp(x: &Expr, n: &Expr) -> Typed {
    let power = Expr::call(Intrinsic::Exp2, &[n.cast(x.dtype)?])?;
    Expr::binary(BinOp::Mul, x, &power)
}

fn shuffled(dtype: DataType, vectors: Vec<Expr>, lanes: Vec<usize>) -> Typed {
    let result = Expr::shuffle(vectors, lanes)?;
    match result.dtype == dtype {
        true => Ok(result),
        false => Err(TypeMismatch(format!("expected {dtype}, found lanes of {}", result.dtype.element()))),
    }
}

fn lane_mask(dtype: DataType, base: &Expr, limit: &Expr) -> Typed {
    let (base, limit) = Expr::matched(base, limit)?;
    let lanes = Expr::ramp(&base, &Expr::int(1, base.dtype), dtype.lanes)?;
    Expr::compare(CmpOp::Lt, &lanes, &limit.broadcast(dtype.lanes)?)
}

/// Operands are vectors of four bytes, or such vectors as one integer of 32 bits.
fn dp4a(a: &Expr, b: &Expr, acc: &Expr) -> Typed {
    let bytes = |value: &Expr| match value.dtype {
        dtype if dtype.lanes == 4 && dtype.bits == 8 && dtype.is_int() => Ok(value.clone()),
        DataType::I32 => value.reinterpret(DataType::I8.with_lanes(4)),
        DataType::U32 => value.reinterpret(DataType::U8.with_lanes(4)),
        other => Err(TypeMismatch(format!("expected four bytes, found {other}"))),
    };
    let wide = DataType::I32.with_lanes(4);
    let product = Expr::binary(BinOp::Mul, &bytes(a)?.cast(wide)?, &bytes(b)?.cast(wide)?)?;
    (0..4).try_fold(acc.cast(DataType::I32)?, |sum, lane| {
        Expr::binary(BinOp::Add, &sum, &Expr::shuffle(vec![product.clone()], vec![lane])?)
    })
}

fn multiply_shift(x: &Expr, y: &Expr, q: &Expr, s: &Expr) -> Typed {
    let wide = |value: &Expr| value.cast(DataType::I64);
    let shift = Expr::binary(BinOp::Sub, &wide(q)?, &wide(s)?)?;
    let product = Expr::binary(BinOp::Mul, &wide(x)?, &wide(y)?)?;
    let below = Expr::binary(BinOp::Sub, &shift, &Expr::i64(1))?;
    let half = Expr::binary(BinOp::Shl, &Expr::i64(1), &below)?;
    Expr::binary(BinOp::Shr, &Expr::binary(BinOp::Add, &product, &half)?, &shift)?.cast(DataType::I32)
}

fn multiply_shift_per_axis([x, y, ls, rs, q, left, right]: [&Expr; 7]) -> Typed {
    let wide = |value: &Expr| value.cast(DataType::I64);
    let choose = |condition: &Expr, value: &Expr| {
        let condition = condition.cast(DataType::BOOL)?;
        Expr::select(&condition, value, &Expr::i64(0))
    };
    let x = Expr::binary(BinOp::Shl, &wide(x)?, &choose(left, &wide(ls)?)?)?;
    let s = Expr::binary(BinOp::Sub, &Expr::i64(0), &choose(right, &wide(rs)?)?)?;
    multiply_shift(&x, y, q, &s)
}
