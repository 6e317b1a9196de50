//! Constructors: they check types, broadcast scalars over lanes, and promote operands of different types.

use std::fmt;
use std::sync::Arc;

use tilewright_tensor::{DataType, TypeCode};

use crate::node::FloatBits;
use crate::semantics::Scalar;
use crate::{BinOp, Buffer, Builtin, CmpOp, Expr, ExprKind, ExprNode, ForeignCallee, Intrinsic, Var, semantics};

/// The operands do not fit the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMismatch(pub String);

impl fmt::Display for TypeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TypeMismatch {}

fn mismatch<T>(message: String) -> Result<T, TypeMismatch> {
    Err(TypeMismatch(message))
}

/// The type in which operands of two types meet: the float if one is, the wider, unsigned before signed, never bool
/// unless both are. `None` where there is none (handles, different numbers of lanes, f16 with bf16).
pub fn promote(a: DataType, b: DataType) -> Option<DataType> {
    let lanes = match (a.lanes, b.lanes) {
        (x, y) if x == y => x,
        (1, y) => y,
        (x, 1) => x,
        _ => return None,
    };
    let rank = |d: DataType| (d.is_float(), d.is_int(), d.bits, matches!(d.code, TypeCode::UInt));
    let (a, b) = (a.element(), b.element());
    if a == b {
        return Some(a.with_lanes(lanes));
    }
    if a.is_handle() || b.is_handle() || (a.is_float() && b.is_float() && a.bits == b.bits) {
        return None;
    }
    Some(if rank(a) > rank(b) { a } else { b }.with_lanes(lanes))
}

/// Scalar constants, variables and operations.
impl Expr {
    /// A node whose parts the caller has checked.
    pub fn raw(dtype: DataType, kind: ExprKind) -> Self {
        Self::from_node(ExprNode { dtype, kind })
    }

    /// An integer constant, wrapped into the type's range; a vector type gives it in every lane.
    pub fn int(value: i64, dtype: DataType) -> Self {
        if dtype.is_vector() {
            return Self::raw(dtype, ExprKind::Broadcast(Self::int(value, dtype.element())));
        }
        Self::raw(dtype, ExprKind::Int(semantics::wrap(value, dtype)))
    }

    pub fn i32(value: i32) -> Self {
        Self::int(i64::from(value), DataType::I32)
    }

    pub fn i64(value: i64) -> Self {
        Self::int(value, DataType::I64)
    }

    pub fn bool(value: bool) -> Self {
        Self::int(i64::from(value), DataType::BOOL)
    }

    /// A float constant, rounded to the type.
    pub fn float(value: f64, dtype: DataType) -> Self {
        if dtype.is_vector() {
            return Self::raw(dtype, ExprKind::Broadcast(Self::float(value, dtype.element())));
        }
        Self::raw(dtype, ExprKind::Float(FloatBits(semantics::round_float(value, dtype))))
    }

    /// The number in the given type, rounded as its conversion is at run time.
    pub fn number(value: i64, dtype: DataType) -> Self {
        if semantics::is_float8(dtype) {
            return Self::float(Scalar::from_float(value as f64, dtype).as_float(), dtype);
        }
        if !dtype.is_float() {
            return Self::int(value, dtype);
        }
        let rounded = semantics::cast(Scalar::from_int(value, DataType::I64), dtype);
        Self::float(rounded.as_float(), dtype)
    }

    pub fn str(text: impl Into<Arc<str>>) -> Self {
        Self::raw(DataType::HANDLE, ExprKind::Str(text.into()))
    }

    pub fn var(var: &Var) -> Self {
        Self::raw(var.dtype, ExprKind::Var(var.clone()))
    }

    /// The scalar in every lane of `lanes`; itself if it has as many already.
    pub fn broadcast(&self, lanes: u16) -> Result<Self, TypeMismatch> {
        match self.dtype.lanes {
            n if n == lanes => Ok(self.clone()),
            1 => Ok(Self::raw(self.dtype.with_lanes(lanes), ExprKind::Broadcast(self.clone()))),
            n => mismatch(format!("a vector of {n} lanes does not fit one of {lanes}")),
        }
    }

    /// Conversion to a type; constants are converted at once, equal types need none.
    pub fn cast(&self, dtype: DataType) -> Result<Self, TypeMismatch> {
        let dtype = if dtype.is_scalar() { dtype.with_lanes(self.dtype.lanes) } else { dtype };
        if self.dtype == dtype {
            return Ok(self.clone());
        }
        if self.dtype.is_handle() || dtype.is_handle() {
            return mismatch(format!("no conversion from {} to {dtype}", self.dtype));
        }
        let stored = [self.dtype, dtype].into_iter().find(|dtype| dtype.is_stored_only());
        if let Some(stored) = stored
            && !converts_float8(self.dtype, dtype)
        {
            return mismatch(format!("no conversion from {} to {dtype}: {}", self.dtype, stored_only(stored)));
        }
        let value = self.broadcast(dtype.lanes)?;
        if value.dtype == dtype {
            return Ok(value);
        }
        Ok(match value.kind {
            _ if stored.is_some() => Self::raw(dtype, ExprKind::Cast(value)),
            ExprKind::Int(value) if dtype.is_scalar() => {
                Self::constant(semantics::cast(Scalar::from_int(value, self.dtype), dtype))
            }
            ExprKind::Float(value) if dtype.is_float() && dtype.is_scalar() => Self::float(value.0, dtype),
            _ => Self::raw(dtype, ExprKind::Cast(value)),
        })
    }

    /// The conversion as a node of its own, also of a constant and to the type that the value has: for a program that
    /// names the node. [`Expr::cast`] is for those that need a value of the type.
    pub fn cast_node(&self, dtype: DataType) -> Result<Self, TypeMismatch> {
        let converted = self.cast(dtype)?;
        if self.dtype.is_handle() || self.dtype.is_stored_only() {
            return Ok(converted);
        }
        let value = self.broadcast(converted.dtype.lanes)?;
        Ok(Self::raw(converted.dtype, ExprKind::Cast(value)))
    }

    fn constant(value: Scalar) -> Self {
        let dtype = value.dtype();
        if dtype.is_float() { Self::float(value.as_float(), dtype) } else { Self::int(value.as_int(), dtype) }
    }

    /// Brings two operands to one type.
    pub fn matched(a: &Self, b: &Self) -> Result<(Self, Self), TypeMismatch> {
        match promote(a.dtype, b.dtype) {
            Some(dtype) => Ok((a.cast(dtype)?, b.cast(dtype)?)),
            None => mismatch(format!("operands of types {} and {} have no common type", a.dtype, b.dtype)),
        }
    }

    pub fn binary(op: BinOp, a: &Self, b: &Self) -> Result<Self, TypeMismatch> {
        let (a, b) = Self::matched(a, b)?;
        if a.dtype.is_stored_only() {
            return mismatch(format!("{op:?} is not defined for {}: {}", a.dtype, stored_only(a.dtype)));
        }
        if !op.takes(a.dtype) {
            return mismatch(format!("`{}` is not defined for {}", op.symbol(), a.dtype));
        }
        Ok(Self::raw(a.dtype, ExprKind::Binary(op, a, b)))
    }

    /// How many parts of so much, which is at least 1, make up an integer: its quotient, rounded up.
    pub fn ceil_div(&self, part: i64) -> Result<Self, TypeMismatch> {
        let end = Self::binary(BinOp::Add, self, &Self::int(part - 1, self.dtype))?;
        Self::binary(BinOp::FloorDiv, &end, &Self::int(part, self.dtype))
    }

    pub fn compare(op: CmpOp, a: &Self, b: &Self) -> Result<Self, TypeMismatch> {
        let (a, b) = Self::matched(a, b)?;
        if a.dtype.is_handle() {
            return mismatch(format!("{} cannot be compared", a.dtype));
        }
        if a.dtype.is_stored_only() {
            return mismatch(format!("{} cannot be compared: {}", a.dtype, stored_only(a.dtype)));
        }
        Ok(Self::raw(DataType::BOOL.with_lanes(a.dtype.lanes), ExprKind::Compare(op, a, b)))
    }

    pub fn not(&self) -> Result<Self, TypeMismatch> {
        if !self.dtype.is_bool() {
            return mismatch(format!("expected a bool to negate, found {}", self.dtype));
        }
        Ok(Self::raw(self.dtype, ExprKind::Not(self.clone())))
    }

    pub fn select(condition: &Self, then: &Self, otherwise: &Self) -> Result<Self, TypeMismatch> {
        let (then, otherwise) = Self::matched(then, otherwise)?;
        if !condition.dtype.is_bool() {
            return mismatch(format!("expected a bool condition, found {}", condition.dtype));
        }
        let lanes = condition.dtype.lanes.max(then.dtype.lanes);
        let (condition, then, otherwise) =
            (condition.broadcast(lanes)?, then.broadcast(lanes)?, otherwise.broadcast(lanes)?);
        Ok(Self::raw(then.dtype, ExprKind::Select { condition, then, otherwise }))
    }

    pub fn load(buffer: &Buffer, indices: Vec<Self>) -> Result<Self, TypeMismatch> {
        Self::load_where(buffer, indices, None)
    }

    /// A load whose lanes read as zero where the predicate is false.
    pub fn load_where(buffer: &Buffer, indices: Vec<Self>, predicate: Option<Self>) -> Result<Self, TypeMismatch> {
        let lanes = index_lanes(buffer, &indices)?;
        if let Some(predicate) = &predicate
            && predicate.dtype != DataType::BOOL.with_lanes(lanes)
        {
            return mismatch(format!("expected a predicate of {lanes} bool lanes, found {}", predicate.dtype));
        }
        Ok(Self::raw(buffer.dtype.with_lanes(lanes), ExprKind::Load { buffer: buffer.clone(), indices, predicate }))
    }

    pub fn ramp(base: &Self, stride: &Self, lanes: u16) -> Result<Self, TypeMismatch> {
        let (base, stride) = Self::matched(base, stride)?;
        if !base.dtype.is_int() || !base.dtype.is_scalar() || lanes < 2 {
            return mismatch(format!(
                "expected a scalar integer base and at least 2 lanes, found {} and {lanes}",
                base.dtype
            ));
        }
        Ok(Self::raw(base.dtype.with_lanes(lanes), ExprKind::Ramp { base, stride }))
    }

    pub fn shuffle(vectors: Vec<Self>, lanes: Vec<usize>) -> Result<Self, TypeMismatch> {
        let Some(first) = vectors.first() else { return mismatch("expected at least one vector to shuffle".into()) };
        let element = first.dtype.element();
        if let Some(other) = vectors.iter().find(|v| v.dtype.element() != element) {
            return mismatch(format!("shuffled vectors of {element} and {}", other.dtype.element()));
        }
        let available: usize = vectors.iter().map(|v| usize::from(v.dtype.lanes)).sum();
        match (lanes.iter().find(|&&lane| lane >= available), u16::try_from(lanes.len())) {
            (Some(lane), _) => mismatch(format!("lane {lane} of {available} does not exist")),
            (None, Ok(count @ 1..)) => Ok(Self::raw(element.with_lanes(count), ExprKind::Shuffle { vectors, lanes })),
            (None, _) => mismatch(format!("a vector of {} lanes is not possible", lanes.len())),
        }
    }

    pub fn bind(var: &Var, value: &Self, body: &Self) -> Result<Self, TypeMismatch> {
        if var.dtype != value.dtype {
            return mismatch(format!("variable `{}` is {}, its value {}", var.name, var.dtype, value.dtype));
        }
        Ok(Self::raw(body.dtype, ExprKind::Let { var: var.clone(), value: value.clone(), body: body.clone() }))
    }

    pub fn call(intrinsic: Intrinsic, args: &[Self]) -> Result<Self, TypeMismatch> {
        if args.len() != intrinsic.arity() {
            return mismatch(format!(
                "{} takes {} arguments, found {}",
                intrinsic.name(),
                intrinsic.arity(),
                args.len()
            ));
        }
        let args = match args {
            [condition, then, otherwise] if intrinsic == Intrinsic::IfThenElse => {
                let (then, otherwise) = Self::matched(then, otherwise)?;
                if condition.dtype != DataType::BOOL {
                    return mismatch(format!("expected a scalar bool condition, found {}", condition.dtype));
                }
                vec![condition.clone(), then, otherwise]
            }
            [a, b] => {
                let (a, b) = Self::matched(a, b)?;
                vec![a, b]
            }
            [a, b, c] => {
                let (a, b) = Self::matched(a, b)?;
                let (a, c) = Self::matched(&a, c)?;
                let b = b.broadcast(c.dtype.lanes)?.cast(c.dtype)?;
                vec![a, b, c]
            }
            _ => args.to_vec(),
        };
        let types: Vec<DataType> = args.iter().map(|arg| arg.dtype).collect();
        let Some(dtype) = intrinsic.result(&types) else {
            let found = types.last().map_or_else(String::new, ToString::to_string);
            return mismatch(format!("{} is not defined for {found}", intrinsic.name()));
        };
        Ok(Self::raw(dtype, ExprKind::Call { intrinsic, args }))
    }

    /// The bits as another type of as many.
    pub fn reinterpret(&self, dtype: DataType) -> Result<Self, TypeMismatch> {
        if !can_reinterpret(self.dtype, dtype) && !is_address_by_bits(self.dtype, dtype) {
            return mismatch(format!("the bits of {} cannot be read as {dtype}", self.dtype));
        }
        Ok(if self.dtype == dtype { self.clone() } else { Self::raw(dtype, ExprKind::Reinterpret(self.clone())) })
    }

    /// The address of an element.
    pub fn address_of(buffer: &Buffer, indices: Vec<Self>) -> Result<Self, TypeMismatch> {
        if index_lanes(buffer, &indices)? != 1 {
            return mismatch(format!("the address of more than one element of buffer `{}`", buffer.name));
        }
        Ok(Self::raw(DataType::HANDLE, ExprKind::AddressOf { buffer: buffer.clone(), indices }))
    }

    /// A call of a builtin whose result does not name its own type.
    pub fn builtin(row: &Builtin, args: Vec<Self>) -> Self {
        Self::builtin_of(DataType::VOID, row, args)
    }

    /// A call of a builtin; `named` is the type that the call names itself.
    pub fn builtin_of(named: DataType, row: &Builtin, args: Vec<Self>) -> Self {
        let operands: Vec<DataType> = args.iter().map(|arg| arg.dtype).collect();
        Self::foreign(row.result_type(named, &operands), ForeignCallee::Builtin(row.name.into()), args)
    }

    /// A call of a function outside of the IR, which gives a value of this type.
    pub fn foreign(dtype: DataType, callee: ForeignCallee, args: Vec<Self>) -> Self {
        Self::raw(dtype, ExprKind::Foreign { callee, args })
    }
}

/// Whether an integer is read as an address, or the other way round. Texts say so of addresses that are none; no
/// machine code is made of it.
pub fn is_address_by_bits(from: DataType, to: DataType) -> bool {
    let bits = |dtype: DataType| [DataType::U64, DataType::I64].contains(&dtype);
    (bits(from) && to == DataType::HANDLE) || (from == DataType::HANDLE && bits(to))
}

/// Whether the bits of one type can be read as the other: neither is an address or a bool, and both have as many.
pub fn can_reinterpret(from: DataType, to: DataType) -> bool {
    let stored = |dtype: DataType| dtype.is_stored_only() && !dtype.is_packed();
    let plain = |dtype: DataType| dtype.is_int() || dtype.is_float() || stored(dtype);
    plain(from) && plain(to) && from.bytes() == to.bytes()
}

/// Whether a conversion is one from or to a float of 8 bits that there is: float64 is rounded to float32 first, by the
/// program, so that nothing is rounded twice unseen.
fn converts_float8(from: DataType, to: DataType) -> bool {
    let other = |dtype: DataType| dtype.is_int() || dtype.is_bool() || dtype.is_float() || semantics::is_float8(dtype);
    let rounds_twice = from.element() == DataType::F64 && semantics::is_float8(to);
    (semantics::is_float8(from) || semantics::is_float8(to)) && other(from) && other(to) && !rounds_twice
}

/// The error for arithmetic on a type that has none.
fn stored_only(dtype: DataType) -> String {
    let other = DataType::new(TypeCode::UInt, dtype.bits);
    match dtype.is_packed() {
        true => format!("{dtype} is stored only, two elements in a byte"),
        false => format!("{dtype} is stored and moved only; `T.reinterpret` gives its bits as {other}"),
    }
}

/// Checks the indices of an access and gives the number of lanes that it touches.
pub(crate) fn index_lanes(buffer: &Buffer, indices: &[Expr]) -> Result<u16, TypeMismatch> {
    if buffer.dtype.is_packed() {
        return mismatch(format!(
            "an element of buffer `{}` cannot be accessed: {}",
            buffer.name,
            stored_only(buffer.dtype)
        ));
    }
    if indices.len() != buffer.rank() {
        return mismatch(format!(
            "buffer `{}` has {} dimensions, found {} indices",
            buffer.name,
            buffer.rank(),
            indices.len()
        ));
    }
    let mut lanes = 1;
    for index in indices {
        if !index.dtype.is_int() {
            return mismatch(format!("an index of buffer `{}` must be an integer, found {}", buffer.name, index.dtype));
        }
        match (lanes, index.dtype.lanes) {
            (_, 1) => {}
            (1, n) => lanes = n,
            (m, n) if m == n => {}
            (m, n) => return mismatch(format!("indices of {m} and {n} lanes in one access")),
        }
    }
    Ok(lanes)
}

impl Buffer {
    /// Checks a store's indices, value and predicate; the value is converted to the element type, scalars broadcast.
    pub fn check_store(&self, value: &Expr, indices: &[Expr], predicate: Option<&Expr>) -> Result<Expr, TypeMismatch> {
        let lanes = index_lanes(self, indices)?;
        if let Some(predicate) = predicate
            && predicate.dtype != DataType::BOOL.with_lanes(lanes)
        {
            return mismatch(format!("expected a predicate of {lanes} bool lanes, found {}", predicate.dtype));
        }
        if value.dtype.element() != self.dtype {
            return mismatch(format!(
                "buffer `{}` holds {}, the stored value is {}",
                self.name,
                self.dtype,
                value.dtype.element()
            ));
        }
        value.broadcast(lanes)
    }
}

/// Index arithmetic in Rust: for operands that the caller knows to be integers.
///
/// # Panics
/// If the operands have no common integer type. Text and models of the user go through [`Expr::binary`].
macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident) => {
        impl std::ops::$trait<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                match Expr::binary(BinOp::$op, self, other) {
                    Ok(result) => result,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        impl std::ops::$trait<Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                std::ops::$trait::$method(&self, &other)
            }
        }
        impl std::ops::$trait<i64> for &Expr {
            type Output = Expr;
            fn $method(self, other: i64) -> Expr {
                std::ops::$trait::$method(self, &Expr::number(other, self.dtype))
            }
        }
        impl std::ops::$trait<i64> for Expr {
            type Output = Expr;
            fn $method(self, other: i64) -> Expr {
                std::ops::$trait::$method(&self, other)
            }
        }
    };
}
operator!(Add, add, Add);
operator!(Sub, sub, Sub);
operator!(Mul, mul, Mul);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_meet_in_the_field_s_usual_type() {
        for (a, b, met) in [
            ("int32", "int64", Some("int64")),
            ("int32", "uint32", Some("uint32")),
            ("int64", "float32", Some("float32")),
            ("bool", "int8", Some("int8")),
            ("float16", "float32x4", Some("float32x4")),
            ("float16", "bfloat16", None),
            ("int32x2", "int32x4", None),
            ("handle", "int64", None),
        ] {
            let (a, b): (DataType, DataType) = (a.parse().unwrap(), b.parse().unwrap());
            let met = met.map(|m| m.parse().unwrap());
            assert_eq!((promote(a, b), promote(b, a)), (met, met), "{a} {b}");
        }
    }

    #[test]
    fn integer_constants_are_rounded_once_as_at_run_time() {
        let wide = (1i64 << 54) + (1 << 30) + 1;
        for (value, from, to, expected) in [
            (wide, DataType::I64, DataType::F32, wide as f32 as f64),
            (-wide, DataType::I64, DataType::F32, -wide as f32 as f64),
            (wide, DataType::I64, DataType::F64, wide as f64),
            (-1, DataType::U64, DataType::F32, 18_446_744_073_709_551_616.0),
            (-1, DataType::U64, DataType::F64, 18_446_744_073_709_551_616.0),
            (i64::from(u32::MAX), DataType::U32, DataType::F64, 4_294_967_295.0),
            (70_000, DataType::I32, DataType::F16, f64::INFINITY),
        ] {
            let folded = Expr::int(value, from).cast(to).unwrap();
            let ExprKind::Float(found) = folded.kind else { panic!("{value} in {to} is no constant") };
            assert_eq!(found.0, expected, "{value} of {from} in {to}");
            assert_eq!(semantics::cast(Scalar::from_int(value, from), to).as_float(), expected);
        }
        assert_ne!(wide as f32, wide as f64 as f32, "a value that distinguishes two roundings");
        let ExprKind::Float(number) = Expr::number(wide, DataType::F32).kind else { panic!("no constant") };
        assert_eq!(number.0, wide as f32 as f64);
        assert_eq!(Expr::int(-1, DataType::U64).cast(DataType::BOOL).unwrap().as_int(), Some(1));
        assert_eq!(Expr::int(-1, DataType::U64).cast(DataType::I64).unwrap().as_int(), Some(-1));
    }

    #[test]
    fn types_that_are_stored_only_have_no_arithmetic() {
        let small = Var::new("x", DataType::F8_E4M3FN);
        let x = Expr::var(&small);
        for error in [
            Expr::binary(BinOp::Add, &x, &x).unwrap_err(),
            Expr::binary(BinOp::Max, &x, &x).unwrap_err(),
            Expr::compare(CmpOp::Eq, &x, &x).unwrap_err(),
            Expr::float(1.0, DataType::F64).cast(DataType::F8_E5M2).unwrap_err(),
        ] {
            assert!(error.to_string().contains("stored and moved only"), "{error}");
        }
        assert!(Expr::call(Intrinsic::Abs, std::slice::from_ref(&x)).is_err());
        assert_eq!(x.cast(DataType::F32).unwrap().dtype, DataType::F32);
        assert_eq!(Expr::i32(3).cast(DataType::F8_E5M2).unwrap().dtype, DataType::F8_E5M2);
        assert_eq!(x.reinterpret(DataType::U8).unwrap().dtype, DataType::U8);
        let buffer = Buffer::new("A", vec![Expr::i32(4)], DataType::I4);
        let error = Expr::load(&buffer, vec![Expr::i32(0)]).unwrap_err();
        assert!(error.to_string().contains("two elements in a byte"), "{error}");
    }

    #[test]
    fn wrong_operands_are_errors_with_both_types() {
        let x = Expr::float(1.0, DataType::F32);
        let error = Expr::binary(BinOp::Shl, &x, &x).unwrap_err();
        assert!(error.to_string().contains("float32"));
        let buffer = Buffer::new("A", vec![Expr::i32(4), Expr::i32(4)], DataType::F32);
        let error = Expr::load(&buffer, vec![Expr::i32(0)]).unwrap_err();
        assert_eq!(error.to_string(), "buffer `A` has 2 dimensions, found 1 indices");
    }
}
