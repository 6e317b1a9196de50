//! Operations that are called by name, and what each takes and gives.

use tilewright_macros::IrNode;
use tilewright_tensor::DataType;

/// The operands of an intrinsic, all of one type, and the type of its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Domain {
    /// Floats, and a float of the same type.
    Floats,
    /// Floats or signed integers, and the same type.
    SignedOrFloats,
    /// Integers, and the same type.
    Integers,
    /// Floats, and a bool.
    FloatTest,
    /// A scalar bool before two operands of any one type, which is the result's.
    Choice,
}

macro_rules! intrinsics {
    ($($(#[$doc:meta])* $variant:ident $name:literal $arity:literal $domain:ident;)*) => {
        /// Operations that are called by name.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, IrNode)]
        pub enum Intrinsic {
            $($(#[$doc])* $variant,)*
        }

        impl Intrinsic {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name after `T.`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Number of operands.
            pub const fn arity(self) -> usize {
                match self { $(Self::$variant => $arity,)* }
            }

            const fn domain(self) -> Domain {
                match self { $(Self::$variant => Domain::$domain,)* }
            }
        }
    };
}

intrinsics! {
    /// `(x)`: correctly rounded square root.
    Sqrt "sqrt" 1 Floats;
    /// `(x)`: `1 / sqrt(x)`.
    Rsqrt "rsqrt" 1 Floats;
    /// `(x)`: the least integer stays itself.
    Abs "abs" 1 SignedOrFloats;
    /// `(x)`.
    Floor "floor" 1 Floats;
    /// `(x)`.
    Ceil "ceil" 1 Floats;
    /// `(x)`: towards zero.
    Trunc "trunc" 1 Floats;
    /// `(x)`: to the nearest integer, ties to the even one, as NumPy and PyTorch round.
    Round "round" 1 Floats;
    /// `(x)`: e to the power of x.
    Exp "exp" 1 Floats;
    /// `(x)`: 2 to the power of x.
    Exp2 "exp2" 1 Floats;
    /// `(x)`: 10 to the power of x.
    Exp10 "exp10" 1 Floats;
    /// `(x)`: `exp(x) - 1` without cancellation.
    Expm1 "expm1" 1 Floats;
    /// `(x)`: natural logarithm.
    Log "log" 1 Floats;
    /// `(x)`: logarithm to base 2.
    Log2 "log2" 1 Floats;
    /// `(x)`: logarithm to base 10.
    Log10 "log10" 1 Floats;
    /// `(x)`: `log(1 + x)` without cancellation.
    Log1p "log1p" 1 Floats;
    /// `(x)`: x in radians.
    Sin "sin" 1 Floats;
    /// `(x)`: x in radians.
    Cos "cos" 1 Floats;
    /// `(x)`: x in radians.
    Tan "tan" 1 Floats;
    /// `(x)`: in radians.
    Asin "asin" 1 Floats;
    /// `(x)`: in radians.
    Acos "acos" 1 Floats;
    /// `(x)`: in radians.
    Atan "atan" 1 Floats;
    /// `(x)`.
    Sinh "sinh" 1 Floats;
    /// `(x)`.
    Cosh "cosh" 1 Floats;
    /// `(x)`.
    Tanh "tanh" 1 Floats;
    /// `(x)`.
    Asinh "asinh" 1 Floats;
    /// `(x)`.
    Acosh "acosh" 1 Floats;
    /// `(x)`.
    Atanh "atanh" 1 Floats;
    /// `(x)`: the error function.
    Erf "erf" 1 Floats;
    /// `(x)`: `1 / (1 + exp(-x))`.
    Sigmoid "sigmoid" 1 Floats;
    /// `(x)`: a bool.
    IsNan "isnan" 1 FloatTest;
    /// `(x)`: a bool, true for both infinities.
    IsInf "isinf" 1 FloatTest;
    /// `(x)`: a bool.
    IsFinite "isfinite" 1 FloatTest;
    /// `(x)`: the number of bits that are set.
    Popcount "popcount" 1 Integers;
    /// `(x)`: the number of zero bits above the highest set bit; the width for 0.
    Clz "clz" 1 Integers;
    /// `(x, y)`: x to the power of y, specials as C's `pow` has them.
    Pow "pow" 2 Floats;
    /// `(y, x)`: the angle of the point, in radians.
    Atan2 "atan2" 2 Floats;
    /// `(x, y)`: `sqrt(x * x + y * y)` without overflow.
    Hypot "hypot" 2 Floats;
    /// `(x, y)`: x with the sign of y.
    Copysign "copysign" 2 Floats;
    /// `(x, y)`: the float next to x in the direction of y.
    Nextafter "nextafter" 2 Floats;
    /// `(a, b, c)`: `a * b + c`, rounded once.
    Fma "fma" 3 Floats;
    /// `(condition, a, b)`: evaluates only the operand that it takes. The condition is a scalar.
    IfThenElse "if_then_else" 3 Choice;
}

impl Intrinsic {
    /// Other names that the field has for an intrinsic.
    pub const ALIASES: &[(&'static str, Self)] =
        &[("nearbyint", Self::Round), ("rint", Self::Round), ("power", Self::Pow), ("fabs", Self::Abs)];

    /// The intrinsic of this name after `T.`.
    pub fn by_name(name: &str) -> Option<Self> {
        let known = Self::ALL.iter().find(|intrinsic| intrinsic.name() == name);
        known.or_else(|| Self::ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, known)| known)).copied()
    }

    /// The type of the result for operands of these types; `None` where the intrinsic does not take them.
    pub fn result(self, types: &[DataType]) -> Option<DataType> {
        let (&first, rest) = types.split_first()?;
        if types.len() != self.arity() {
            return None;
        }
        let (fits, result) = match self.domain() {
            Domain::Choice => return (first == DataType::BOOL && rest[0] == rest[1]).then(|| rest[0]),
            Domain::Floats => (first.is_float(), first),
            Domain::SignedOrFloats => (first.is_float() || first.is_signed(), first),
            Domain::Integers => (first.is_int(), first),
            Domain::FloatTest => (first.is_float(), DataType::BOOL.with_lanes(first.lanes)),
        };
        (fits && rest.iter().all(|&other| other == first)).then_some(result)
    }

    /// Whether operands that are integer literals mean floats.
    pub fn is_of_floats(self) -> bool {
        matches!(self.domain(), Domain::Floats | Domain::FloatTest)
    }

    /// Whether there is one right result, to the bit. Others are right within [`MATH_ULPS`].
    pub const fn is_exact(self) -> bool {
        use Intrinsic::{Abs, Ceil, Clz, Copysign, Floor, Fma, IfThenElse, Nextafter, Popcount, Round, Sqrt, Trunc};
        matches!(
            self,
            Sqrt | Abs | Floor | Ceil | Trunc | Round | Fma | Copysign | Nextafter | Popcount | Clz | IfThenElse
        ) || matches!(self.domain(), Domain::FloatTest)
    }
}

/// The error bound of compiled mathematical functions in float32 and float64, in units in the last place (ulp); float16
/// and bfloat16 round the float32 result.
pub const MATH_ULPS: u64 = 4;
