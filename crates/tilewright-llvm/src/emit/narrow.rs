//! Floats of 16 bits: conversions to and from float32, which has the arithmetic.
//!
//! Values of float16 and bfloat16 are integers of 16 bits in registers, so that LLVM has nothing to compute on and
//! calls no library for it. A conversion is the processor's own where it rounds like the table of scalar semantics:
//! float16 on AArch64 and with F16C. All others are integer arithmetic; that of bfloat16 is so everywhere, because the
//! instructions for it take denormals for zero.

use tilewright_target::Arch;
use tilewright_tensor::{DataType, TypeCode};

use super::function::FnCx;
use super::text::{Mangled, Reg, Value, float, int};

/// Whether the type is a float without arithmetic of its own.
pub(crate) fn is_narrow(dtype: DataType) -> bool {
    dtype.is_float() && dtype.bits == 16
}

/// Of a float32 infinity.
const INFINITY: i64 = 0x7f80_0000;

impl FnCx<'_, '_> {
    /// Whether the target converts between float16 and float32.
    fn has_half(&self) -> bool {
        match self.unit.target.arch {
            Arch::X86_64 => self.unit.target.has("f16c"),
            Arch::AArch64 | Arch::Nvptx64 => true,
        }
    }

    /// The float32 of the same value.
    pub(crate) fn widen(&mut self, x: &Value, from: DataType) -> Value {
        let (words, floats) = (DataType::I32.with_lanes(from.lanes), Reg(DataType::F32.with_lanes(from.lanes)));
        if from.code == TypeCode::BFloat {
            let wide = self.body.assign(format_args!("zext {} {x} to {}", Reg(from), Reg(words)));
            let bits = self.bitwise("shl", &wide, 16, words);
            return self.body.assign(format_args!("bitcast {} {bits} to {floats}", Reg(words)));
        }
        if self.has_half() {
            let half = self.body.assign(format_args!("bitcast {} {x} to {}", Reg(from), Half(from)));
            return self.body.assign(format_args!("fpext {} {half} to {floats}", Half(from)));
        }
        self.widen_half(x, from)
    }

    /// Rounds a float32 or float64 to the nearest narrow float.
    pub(crate) fn narrow(&mut self, x: &Value, from: DataType, to: DataType) -> Value {
        let single = DataType::F32.with_lanes(from.lanes);
        let x = if from.bits == 64 { self.round_to_odd(x, from) } else { x.clone() };
        if to.code == TypeCode::Float && self.has_half() {
            let half = self.body.assign(format_args!("fptrunc {} {x} to {}", Reg(single), Half(to)));
            return self.body.assign(format_args!("bitcast {} {half} to {}", Half(to), Reg(to)));
        }
        let words = DataType::I32.with_lanes(from.lanes);
        let bits = self.body.assign(format_args!("bitcast {} {x} to {}", Reg(single), Reg(words)));
        let narrow = match to.code {
            TypeCode::BFloat => self.narrow_brain(&bits, words),
            _ => self.narrow_half(&bits, words),
        };
        self.body.assign(format_args!("trunc {} {narrow} to {}", Reg(words), Reg(to)))
    }

    /// The float32 below a float64 in magnitude, with its last bit set where that is not exact. Rounding this to fewer
    /// bits gives what rounding the float64 at once does.
    fn round_to_odd(&mut self, x: &Value, from: DataType) -> Value {
        let (doubles, single) = (Reg(from), DataType::F32.with_lanes(from.lanes));
        let (words, bools) = (DataType::I32.with_lanes(from.lanes), Reg(DataType::BOOL.with_lanes(from.lanes)));
        let (floats, ints) = (Reg(single), Reg(words));
        let nearest = self.body.assign(format_args!("fptrunc {doubles} {x} to {floats}"));
        let back = self.body.assign(format_args!("fpext {floats} {nearest} to {doubles}"));
        let inexact = self.body.assign(format_args!("fcmp one {doubles} {back}, {x}"));
        let bits = self.body.assign(format_args!("bitcast {floats} {nearest} to {ints}"));
        let name = format!("@llvm.fabs.{}", Mangled(from));
        let [size, given] = [&back, x].map(|x| self.body.assign(format_args!("call {doubles} {name}({doubles} {x})")));
        let above = self.body.assign(format_args!("fcmp ogt {doubles} {size}, {given}"));
        let one = self.body.assign(format_args!("zext {bools} {above} to {ints}"));
        let below = self.body.assign(format_args!("sub {ints} {bits}, {one}"));
        let sticky = self.body.assign(format_args!("zext {bools} {inexact} to {ints}"));
        let odd = self.body.assign(format_args!("or {ints} {below}, {sticky}"));
        self.body.assign(format_args!("bitcast {ints} {odd} to {floats}"))
    }

    /// From the bits of a float32 to those of a bfloat16, ties to even: half of an ulp less one is added, and one more
    /// where the result would be odd.
    fn narrow_brain(&mut self, bits: &Value, words: DataType) -> Value {
        let (ints, bools) = (Reg(words), Reg(DataType::BOOL.with_lanes(words.lanes)));
        let high = self.bitwise("lshr", bits, 16, words);
        let odd = self.bitwise("and", &high, 1, words);
        let up = self.bitwise("add", bits, 0x7fff, words);
        let up = self.body.assign(format_args!("add {ints} {up}, {odd}"));
        let rounded = self.bitwise("lshr", &up, 16, words);
        let size = self.bitwise("and", bits, 0x7fff_ffff, words);
        let is_nan = self.compare_bits("ugt", &size, INFINITY, words);
        // A NaN whose payload is in the lower half would become an infinity.
        let quiet = self.bitwise("or", &high, 0x40, words);
        self.body.assign(format_args!("select {bools} {is_nan}, {ints} {quiet}, {ints} {rounded}"))
    }

    /// From the bits of a float32 to those of a float16.
    fn narrow_half(&mut self, bits: &Value, words: DataType) -> Value {
        let (ints, bools) = (Reg(words), Reg(DataType::BOOL.with_lanes(words.lanes)));
        let floats = Reg(DataType::F32.with_lanes(words.lanes));
        let size = self.bitwise("and", bits, 0x7fff_ffff, words);
        // Normal results: the exponents' biases differ by 112; ties go to even as in `narrow_brain`.
        let cut = self.bitwise("lshr", &size, 13, words);
        let odd = self.bitwise("and", &cut, 1, words);
        let up = self.bitwise("add", &size, 0xfff - (112 << 23), words);
        let up = self.body.assign(format_args!("add {ints} {up}, {odd}"));
        let normal = self.bitwise("lshr", &up, 13, words);
        // Denormal results: adding 0.5, whose ulp is float16's least denormal, rounds as the result has to.
        let half = 126 << 23;
        let exact = self.body.assign(format_args!("bitcast {ints} {size} to {floats}"));
        let sum = self
            .body
            .assign(format_args!("fadd {floats} {exact}, {}", float(0.5, DataType::F32.with_lanes(words.lanes))));
        let sum = self.body.assign(format_args!("bitcast {floats} {sum} to {ints}"));
        let denormal = self.bitwise("sub", &sum, half, words);
        let is_denormal = self.compare_bits("ult", &size, 113 << 23, words);
        let finite = self.body.assign(format_args!("select {bools} {is_denormal}, {ints} {denormal}, {ints} {normal}"));
        // From 65536 on the result is infinite; from 65520 on rounding gets there.
        let is_large = self.compare_bits("uge", &size, 143 << 23, words);
        let is_nan = self.compare_bits("ugt", &size, INFINITY, words);
        let special = self.body.assign(format_args!(
            "select {bools} {is_nan}, {ints} {}, {ints} {}",
            int(0x7e00, words),
            int(0x7c00, words)
        ));
        let size = self.body.assign(format_args!("select {bools} {is_large}, {ints} {special}, {ints} {finite}"));
        let sign = self.bitwise("lshr", bits, 16, words);
        let sign = self.bitwise("and", &sign, 0x8000, words);
        self.body.assign(format_args!("or {ints} {size}, {sign}"))
    }

    /// From float16 to float32 without F16C.
    fn widen_half(&mut self, x: &Value, from: DataType) -> Value {
        let words = DataType::I32.with_lanes(from.lanes);
        let single = DataType::F32.with_lanes(from.lanes);
        let (ints, floats, bools) = (Reg(words), Reg(single), Reg(DataType::BOOL.with_lanes(from.lanes)));
        let wide = self.body.assign(format_args!("zext {} {x} to {ints}", Reg(from)));
        let size = self.bitwise("and", &wide, 0x7fff, words);
        let moved = self.bitwise("shl", &size, 13, words);
        let normal = self.bitwise("add", &moved, 112 << 23, words);
        let special = self.bitwise("or", &moved, INFINITY, words);
        // A denormal is its integer times 2^-24, both exact.
        let integer = self.body.assign(format_args!("uitofp {ints} {size} to {floats}"));
        let scale = float(f64::powi(2.0, -24), single);
        let scaled = self.body.assign(format_args!("fmul {floats} {integer}, {scale}"));
        let denormal = self.body.assign(format_args!("bitcast {floats} {scaled} to {ints}"));
        let is_denormal = self.compare_bits("ult", &size, 0x400, words);
        let is_special = self.compare_bits("uge", &size, 0x7c00, words);
        let result = self.body.assign(format_args!("select {bools} {is_denormal}, {ints} {denormal}, {ints} {normal}"));
        let result = self.body.assign(format_args!("select {bools} {is_special}, {ints} {special}, {ints} {result}"));
        let sign = self.bitwise("and", &wide, 0x8000, words);
        let sign = self.bitwise("shl", &sign, 16, words);
        let bits = self.body.assign(format_args!("or {ints} {result}, {sign}"));
        self.body.assign(format_args!("bitcast {ints} {bits} to {floats}"))
    }

    /// An operation on integers with a constant.
    pub(crate) fn bitwise(&mut self, op: &str, x: &Value, constant: i64, dtype: DataType) -> Value {
        self.body.assign(format_args!("{op} {} {x}, {}", Reg(dtype), int(constant, dtype)))
    }

    /// A comparison of integers with a constant.
    pub(crate) fn compare_bits(&mut self, order: &str, x: &Value, constant: i64, dtype: DataType) -> Value {
        self.body.assign(format_args!("icmp {order} {} {x}, {}", Reg(dtype), int(constant, dtype)))
    }
}

/// LLVM's own type of a 16-bit float, as which it takes conversions and arguments of its intrinsics.
pub(crate) struct Half(pub(crate) DataType);

impl std::fmt::Display for Half {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = if self.0.code == TypeCode::BFloat { "bfloat" } else { "half" };
        if self.0.is_vector() { write!(f, "<{} x {name}>", self.0.lanes) } else { f.write_str(name) }
    }
}
