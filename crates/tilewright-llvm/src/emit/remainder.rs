//! The remainder of floats, which is exact: what is left of the dividend after whole divisors, as C's `fmod` has it.
//!
//! For a whole quotient `n` below the type's precision the remainder `|x| - n * |y|` is a float, so that one fused
//! operation gives it. The rounded quotient is at most one too large, where the true one lies close below a whole
//! number; the remainder is then negative, and one divisor more makes it the right one, again without rounding. Where a
//! lane's quotient is larger, or its divisor infinite, the C library computes all lanes. What has no remainder, a NaN
//! or a zero divisor, comes out as NaN by itself.

use tilewright_tensor::DataType;

use super::function::FnCx;
use super::text::{Mangled, Reg, Value, float};

/// Quotients from here on are left to the C library. Below, a fractional quotient differs from the neighbouring
/// integers by more than the rounding of the division.
const MOST_FLOAT32: f64 = (1u64 << 22) as f64;
const MOST_FLOAT64: f64 = (1u64 << 51) as f64;
/// Of float32 in float64: a product with such a quotient has at most the digits of a float64.
const MAX_WIDENED_QUOTIENT: f64 = (1u64 << 28) as f64;

impl FnCx<'_, '_> {
    /// `x` after whole `y`, with the sign of `x`.
    pub(super) fn float_remainder(&mut self, dtype: DataType, x: &Value, y: &Value) -> Value {
        let ty = Reg(dtype);
        let has_fused = self.unit.target.has_fused_products();
        // Twice the digits hold the product of a float32 and such a quotient.
        let wide = if has_fused { dtype } else { DataType::F64.with_lanes(dtype.lanes) };
        if !has_fused && dtype.bits == 64 {
            return self.body.assign(format_args!("frem {ty} {x}, {y}"));
        }
        let [x_wide, y_wide] = [x, y].map(|value| match wide == dtype {
            true => value.clone(),
            false => self.body.assign(format_args!("fpext {ty} {value} to {}", Reg(wide))),
        });
        let (rest, is_large) = self.rest_of_few(wide, has_fused, &x_wide, &y_wide);
        let rest = match wide == dtype {
            true => rest,
            false => self.body.assign(format_args!("fptrunc {} {rest} to {ty}", Reg(wide))),
        };
        let any = self.any(&is_large, DataType::BOOL.with_lanes(dtype.lanes));
        let (large, done, before) = (self.body.label(), self.body.label(), self.body.open());
        self.body.branch(&any, large, done);
        self.body.start(large);
        let exact = self.whole_remainder(dtype, x, y);
        let large = self.body.open();
        self.body.jump(done);
        self.body.start(done);
        self.body.assign(format_args!("phi {ty} [ {rest}, %{before} ], [ {exact}, %{large} ]"))
    }

    /// The remainder for quotients of any size: the C library's, or on a GPU, where LLVM has a rounded one only, that
    /// of [`super::device`].
    fn whole_remainder(&mut self, dtype: DataType, x: &Value, y: &Value) -> Value {
        let ty = Reg(dtype);
        if !self.unit.is_device() {
            return self.body.assign(format_args!("frem {ty} {x}, {y}"));
        }
        let (element, wide) = (dtype.element(), DataType::F64);
        let mut result = Value::constant("poison");
        for lane in 0..dtype.lanes {
            let [a, b] = [x, y].map(|value| {
                let value = self.lane(value, dtype, lane);
                self.convert(&value, element, wide)
            });
            let rest = self.body.assign(format_args!("call double @tilewright.remainder(double {a}, double {b})"));
            let rest = self.convert(&rest, wide, element);
            result = match dtype.is_vector() {
                true => {
                    self.body.assign(format_args!("insertelement {ty} {result}, {} {rest}, i64 {lane}", Reg(element)))
                }
                false => rest,
            };
        }
        result
    }

    /// The remainder where the quotient is small enough, and where it is not.
    fn rest_of_few(&mut self, dtype: DataType, has_fused: bool, x: &Value, y: &Value) -> (Value, Value) {
        let (ty, name, bools) = (Reg(dtype), Mangled(dtype), Reg(DataType::BOOL.with_lanes(dtype.lanes)));
        let limit = if dtype.bits == 32 {
            MOST_FLOAT32
        } else if has_fused {
            MOST_FLOAT64
        } else {
            MAX_WIDENED_QUOTIENT
        };
        let [a, b] = [x, y].map(|value| self.body.assign(format_args!("call {ty} @llvm.fabs.{name}({ty} {value})")));
        let quotient = self.body.assign(format_args!("fdiv {ty} {a}, {b}"));
        let whole = self.body.assign(format_args!("call {ty} @llvm.floor.{name}({ty} {quotient})"));
        let rest = match has_fused {
            true => {
                let less = self.body.assign(format_args!("fneg {ty} {whole}"));
                self.body.assign(format_args!("call {ty} @llvm.fma.{name}({ty} {less}, {ty} {b}, {ty} {a})"))
            }
            false => {
                let product = self.body.assign(format_args!("fmul {ty} {whole}, {b}"));
                self.body.assign(format_args!("fsub {ty} {a}, {product}"))
            }
        };
        let below = self.body.assign(format_args!("fcmp olt {ty} {rest}, zeroinitializer"));
        let more = self.body.assign(format_args!("fadd {ty} {rest}, {b}"));
        let rest = self.body.assign(format_args!("select {bools} {below}, {ty} {more}, {ty} {rest}"));
        let rest = self.body.assign(format_args!("call {ty} @llvm.copysign.{name}({ty} {rest}, {ty} {x})"));

        let many = self.body.assign(format_args!("fcmp oge {ty} {quotient}, {}", float(limit, dtype)));
        let some = self.body.assign(format_args!("fcmp ogt {ty} {b}, zeroinitializer"));
        let large = self.body.assign(format_args!("and {bools} {many}, {some}"));
        let endless = self.body.assign(format_args!("fcmp oeq {ty} {b}, {}", float(f64::INFINITY, dtype)));
        let large = self.body.assign(format_args!("or {bools} {large}, {endless}"));
        (rest, large)
    }
}
