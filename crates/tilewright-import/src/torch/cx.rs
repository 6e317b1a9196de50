//! What rules build with: calls of operators, constants, and PyTorch's conversions between data types.

use tilewright_expr as scalar;
use tilewright_expr::node::walk;
use tilewright_expr::{BinOp, CmpOp, ExprKind};
use tilewright_ir::builder::BlockBuilder;
use tilewright_ir::node::FloatBits;
use tilewright_ir::op::{InferCx, OpDef, OpRef};
use tilewright_ir::relax::{Expr, StructInfo, TensorShape};
use tilewright_ir::{Attr, Attrs};
use tilewright_ops::binary::r#where;
use tilewright_ops::create::{arange, astype};
use tilewright_ops::indexed::strided_slice;
use tilewright_ops::manipulate::{permute_dims, reshape, squeeze};
use tilewright_ops::system::shape_to_tensor;
use tilewright_ops::unary::clip;
use tilewright_tensor::{DataType, Tensor};

use super::value::{Refused, Res, Value};

/// A graph operator: the static of its declaration, such as `&nn::relu::OP`.
pub type Op = &'static OpDef;

/// Whether both are the same operator.
pub fn is(op: Op, other: Op) -> bool {
    OpRef(op) == OpRef(other)
}

/// The context of a rule.
#[derive(Debug)]
pub struct Cx<'a> {
    pub bb: &'a mut BlockBuilder,
}

/// The attribute of a value of Rust.
pub trait ToAttr {
    fn to_attr(self) -> Attr;
}

macro_rules! to_attr {
    ($($type:ty: |$value:ident| $attr:expr;)*) => {
        $(impl ToAttr for $type {
            fn to_attr(self) -> Attr {
                let $value = self;
                $attr
            }
        })*
    };
}

to_attr! {
    bool: |value| Attr::Bool(value);
    i64: |value| Attr::Int(value);
    f64: |value| Attr::Float(FloatBits(value));
    &str: |value| Attr::str(value);
    DataType: |value| Attr::DType(value);
    Vec<i64>: |value| Attr::Array(value.into_iter().map(Attr::Int).collect());
    Option<Vec<i64>>: |value| value.map_or(Attr::None, ToAttr::to_attr);
    Option<i64>: |value| value.map_or(Attr::None, Attr::Int);
}

/// A number, as scalars of Python are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Bool(bool),
    Int(i64),
    Float(f64),
}

/// The classes of element types in the order in which one takes the other up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    Bool,
    Int,
    Float,
}

fn class(dtype: DataType) -> Class {
    match dtype {
        dtype if dtype.is_float() => Class::Float,
        dtype if dtype.is_bool() => Class::Bool,
        _ => Class::Int,
    }
}

impl Number {
    fn class(self) -> Class {
        match self {
            Self::Bool(_) => Class::Bool,
            Self::Int(_) => Class::Int,
            Self::Float(_) => Class::Float,
        }
    }

    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Int(value) => Some(Self::Int(*value)),
            Value::Float(value) => Some(Self::Float(*value)),
            _ => None,
        }
    }

    pub fn as_f64(self) -> f64 {
        match self {
            Self::Bool(value) => f64::from(u8::from(value)),
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// Floats outside of the range of integers become its ends.
    pub fn as_i64(self) -> i64 {
        match self {
            Self::Bool(value) => i64::from(value),
            Self::Int(value) => value,
            Self::Float(value) => value as i64,
        }
    }
}

/// The data type of a result of these two element types, neither of which is a scalar's.
pub fn promoted(a: DataType, b: DataType) -> DataType {
    if a == b {
        return a;
    }
    match class(a).cmp(&class(b)) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Equal => match class(a) {
            // Of two 16-bit floats neither holds the other.
            Class::Float if a.bits == b.bits => DataType::F32,
            Class::Int if a.is_signed() != b.is_signed() => {
                let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
                if signed.bits > unsigned.bits {
                    signed
                } else {
                    DataType::new(signed.code, (unsigned.bits * 2).min(64))
                }
            }
            _ if a.bits > b.bits => a,
            _ => b,
        },
    }
}

/// Calls of operators.
impl Cx<'_> {
    /// A call of a graph operator.
    pub fn call<const N: usize>(&self, op: Op, args: &[&Expr], attrs: [(&str, Attr); N]) -> Res<Expr> {
        let attrs: Attrs = attrs.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let args = args.iter().map(|arg| (*arg).clone()).collect();
        Ok(Expr::call_op(self.bb.infer_cx(), OpRef(op), args, attrs)?)
    }

    /// `0, 1, ...`, so many of them.
    pub fn numbers(&self, count: &scalar::Expr) -> Res<Expr> {
        let [begin, end, step] = [scalar::Expr::i64(0), count.clone(), scalar::Expr::i64(1)].map(Expr::prim);
        self.call(&arange::OP, &[&begin, &end, &step], [("dtype", DataType::I64.to_attr())])
    }

    /// A call without attributes, as the result of a rule.
    pub fn op(&self, op: Op, args: &[&Expr]) -> Res {
        self.call(op, args, []).map(Value::Tensor)
    }

    /// The value bound to a variable, for values that are used more than once.
    pub fn emit(&mut self, value: Expr) -> Res<Expr> {
        match value.as_var() {
            Some(_) => Ok(value),
            None => Ok(Expr::var(&self.bb.emit(&value)?)),
        }
    }

    /// The value with dimensions that are seen when the module runs; variables among them that stand nowhere else are defined
    /// there.
    pub fn known(&mut self, value: &Expr, dims: Vec<scalar::Expr>) -> Res<Expr> {
        let info = StructInfo::tensor_with(TensorShape::Known(dims), Some(self.dtype(value)?));
        Ok(Expr::var(&self.bb.emit_match_cast(value, info)?))
    }

    /// The value with the sizes that whoever recorded the graph knows, where they say more than its own: constants, and
    /// those without the least or the greatest of two numbers.
    pub fn told(&mut self, value: Value, sizes: &[Option<scalar::Expr>]) -> Res {
        let Value::Tensor(x) = &value else { return Ok(value) };
        let StructInfo::Tensor { shape, .. } = &x.struct_info else { return Ok(value) };
        let dims = match shape {
            TensorShape::Known(own) if own.len() == sizes.len() => {
                let told = own.iter().zip(sizes).map(|(own, told)| match told {
                    Some(told) if own.as_int().is_none() && (told.as_int().is_some() || chooses(own)) => told.clone(),
                    _ => own.clone(),
                });
                Some(told.collect::<Vec<_>>()).filter(|told| !told.iter().zip(own).all(|(told, own)| told.equal(own)))
            }
            TensorShape::Rank(rank) if *rank == sizes.len() => sizes.iter().cloned().collect::<Option<Vec<_>>>(),
            _ => None,
        };
        match dims {
            Some(dims) => self.known(&x.clone(), dims).map(Value::Tensor),
            None => Ok(value),
        }
    }

    /// Operands that are made as wide as each other. What a symbolic dimension is beside a constant other than 1, or beside
    /// another symbolic one, is checked when the module runs: it is the same, or 1 where it is 1 at most.
    pub fn widened(&mut self, operands: [Expr; 2]) -> Res<[Expr; 2]> {
        let [Some(a), Some(b)] = operands.each_ref().map(|one| one.struct_info.dims().map(<[_]>::to_vec)) else {
            return Ok(operands);
        };
        let (mut dims, mut changed) = ([a, b], [false, false]);
        let [a, b] = &mut dims;
        for (x, y) in a.iter_mut().rev().zip(b.iter_mut().rev()) {
            let is_one = x.as_int() == Some(1) || y.as_int() == Some(1);
            if is_one || self.bb.infer_cx().analyzer.prove_equal(x, y) {
                continue;
            }
            match (x.as_int(), y.as_int()) {
                (Some(_), Some(_)) => {}
                _ if is_one_at_most(x) => (*x, changed[0]) = (scalar::Expr::i64(1), true),
                _ if is_one_at_most(y) => (*y, changed[1]) = (scalar::Expr::i64(1), true),
                (None, Some(_)) => (*x, changed[0]) = (y.clone(), true),
                _ => (*y, changed[1]) = (x.clone(), true),
            }
        }
        let [x, y] = operands;
        let [a, b] = dims;
        Ok([if changed[0] { self.known(&x, a)? } else { x }, if changed[1] { self.known(&y, b)? } else { y }])
    }

    /// The fields of a call whose result is a tuple.
    pub fn fields(&mut self, tuple: Expr) -> Res<Vec<Value>> {
        let StructInfo::Tuple(infos) = &tuple.struct_info else { return Err(Refused::new("expected a tuple")) };
        let count = infos.len();
        let tuple = self.emit(tuple)?;
        (0..count).map(|index| Ok(Value::Tensor(Expr::tuple_get(tuple.clone(), index)?))).collect()
    }
}

/// Shapes and scalars.
impl Cx<'_> {
    pub fn simplified(&self, value: &scalar::Expr) -> scalar::Expr {
        self.bb.infer_cx().analyzer.simplify(value)
    }

    pub fn integer(&self, op: BinOp, a: &scalar::Expr, b: &scalar::Expr) -> Res<scalar::Expr> {
        Ok(self.simplified(&scalar::Expr::binary(op, a, b)?))
    }

    /// The dimensions of a tensor, which must be known.
    pub fn shape(&self, x: &Expr) -> Res<Vec<scalar::Expr>> {
        match x.struct_info.dims() {
            Some(dims) => Ok(dims.to_vec()),
            None => Err(Refused::new("this needs a tensor of known shape")),
        }
    }

    pub fn rank(&self, x: &Expr) -> Res<usize> {
        x.struct_info.rank().ok_or_else(|| Refused::new("this needs a tensor of known rank"))
    }

    pub fn dtype(&self, x: &Expr) -> Res<DataType> {
        x.struct_info.dtype().ok_or_else(|| Refused::new("this needs a tensor of known data type"))
    }

    /// The dimension that an integer names; negative ones count from the end.
    pub fn axis(&self, axis: i64, rank: usize) -> Res<usize> {
        let from_start = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
        let found = usize::try_from(from_start).ok().filter(|at| *at < rank.max(1));
        found.ok_or_else(|| Refused(format!("a tensor of {rank} dimensions has no dimension {axis}")))
    }

    /// The product of dimensions.
    pub fn product(&self, dims: &[scalar::Expr]) -> scalar::Expr {
        self.simplified(&dims.iter().fold(scalar::Expr::i64(1), |product, dim| product * dim.clone()))
    }

    pub fn reshape(&self, x: &Expr, dims: Vec<scalar::Expr>) -> Res<Expr> {
        self.call(&reshape::OP, &[x, &Expr::shape(dims)], [])
    }

    /// The elements in one dimension.
    pub fn flat(&self, x: &Expr) -> Res<Expr> {
        self.reshape(x, vec![self.product(&self.shape(x)?)])
    }

    /// A tensor of one dimension as one of so many, of which it lies along this one.
    pub fn column(&self, x: &Expr, axis: usize, rank: usize) -> Res<Expr> {
        let mut dims = vec![scalar::Expr::i64(1); rank];
        if let (Some(own), [extent]) = (dims.get_mut(axis), &self.shape(x)?[..]) {
            *own = extent.clone();
        }
        self.reshape(x, dims)
    }

    pub fn permute(&self, x: &Expr, axes: Vec<i64>) -> Res<Expr> {
        self.call(&permute_dims::OP, &[x], [("axes", axes.to_attr())])
    }

    /// The elements `begin..end` along a dimension in steps, as Python slices.
    pub fn slice(&self, x: &Expr, axis: usize, begin: &scalar::Expr, end: &scalar::Expr, step: i64) -> Res<Expr> {
        let one = |value: scalar::Expr| Expr::tuple(vec![Expr::prim(value)]);
        let (axes, step) = (one(scalar::Expr::i64(axis as i64)), one(scalar::Expr::i64(step)));
        if begin.as_int().is_some() && end.as_int().is_some() {
            return self.call(&strided_slice::OP, &[x, &axes, &one(begin.clone()), &one(end.clone()), &step], []);
        }
        let (begin, end) = (self.inside(x, axis, begin)?, self.inside(x, axis, end)?);
        let args = [x, &axes, &one(begin), &one(end), &step];
        self.call(&strided_slice::OP, &args, [("assume_inbound", true.to_attr())])
    }

    /// A place along a dimension as Python has it: one that is negative counts from the end, and what lies outside is cut
    /// off.
    fn inside(&self, x: &Expr, axis: usize, at: &scalar::Expr) -> Res<scalar::Expr> {
        let extent = self.shape(x)?[axis].clone();
        let at = self.counted_from_start(x, axis, at)?;
        let zero = scalar::Expr::i64(0);
        let cut = scalar::Expr::binary(BinOp::Min, &scalar::Expr::binary(BinOp::Max, &at, &zero)?, &extent)?;
        Ok(sizes([&cut]).analyzer.simplify(&cut))
    }

    /// A place along a dimension, counted from its start; negative where it lies before that.
    fn counted_from_start(&self, x: &Expr, axis: usize, at: &scalar::Expr) -> Res<scalar::Expr> {
        let (extent, zero) = (&self.shape(x)?[axis], scalar::Expr::i64(0));
        let counted = self.simplified(&(extent + at));
        Ok(match sizes([at, extent]).analyzer.decide(CmpOp::Lt, at, &zero) {
            Some(true) => counted,
            Some(false) => at.clone(),
            None => scalar::Expr::select(&scalar::Expr::compare(CmpOp::Lt, at, &zero)?, &counted, at)?,
        })
    }

    /// One element along a dimension, which goes.
    pub fn select(&self, x: &Expr, axis: usize, index: &scalar::Expr) -> Res<Expr> {
        let (extent, from_start) = (&self.shape(x)?[axis], self.counted_from_start(x, axis, index)?);
        if let (Some(at), Some(extent)) = (from_start.as_int(), extent.as_int())
            && !(0..extent).contains(&at)
        {
            return Err(Refused(format!("a dimension of {extent} has no index {}", index.as_int().unwrap_or(at))));
        }
        // The run checks that there is one element: of a place before the start or behind the end there is none.
        let kept = |at: &scalar::Expr| scalar::Expr::binary(BinOp::Max, at, &scalar::Expr::i64(0));
        let (begin, end) = (kept(&from_start)?, kept(&(&from_start + 1))?);
        let cut = self.slice(x, axis, &self.simplified(&begin), &self.simplified(&end), 1)?;
        self.call(&squeeze::OP, &[&cut], [("axis", vec![axis as i64].to_attr())])
    }
}

/// Data types and constants.
impl Cx<'_> {
    /// A tensor without dimensions that holds a number, converted as PyTorch does.
    pub fn number(&self, number: impl Into<Number>, dtype: DataType) -> Res<Expr> {
        let number = number.into();
        let element = match class(dtype) {
            Class::Float => Tensor::from_bytes(dtype, &[], &float_bytes(number.as_f64(), dtype)?)?,
            Class::Bool => Tensor::scalar(number.as_f64() != 0.0),
            Class::Int => {
                let bytes = number.as_i64().to_le_bytes();
                Tensor::from_bytes(dtype, &[], &bytes[..dtype.bytes().min(8)])?
            }
        };
        Ok(Expr::constant(element))
    }

    pub fn astype(&self, x: &Expr, dtype: DataType) -> Res<Expr> {
        if x.struct_info.dtype() == Some(dtype) {
            return Ok(x.clone());
        }
        self.call(&astype::OP, &[x], [("dtype", dtype.to_attr())])
    }

    /// The tensor with float elements, as functions of real numbers take them.
    pub fn real(&self, x: &Expr) -> Res<Expr> {
        if self.dtype(x)?.is_float() { Ok(x.clone()) } else { self.astype(x, DataType::F32) }
    }

    /// Two operands in the data type in which PyTorch combines them. At least one is a tensor.
    pub fn matched(&self, a: &Value, b: &Value) -> Res<(Expr, Expr)> {
        let dtype = self.common(a, b)?;
        Ok((self.operand(a, dtype)?, self.operand(b, dtype)?))
    }

    /// A tensor or number with elements of this type.
    pub fn operand(&self, value: &Value, dtype: DataType) -> Res<Expr> {
        match (value, Number::of(value)) {
            (Value::Tensor(x), _) => self.astype(x, dtype),
            (_, Some(number)) => self.number(number, dtype),
            (Value::Dim(dim), _) => {
                let shape = Expr::shape(vec![dim.clone()]);
                let one = self.call(&shape_to_tensor::OP, &[&shape], [])?;
                self.astype(&self.reshape(&one, Vec::new())?, dtype)
            }
            (other, None) => Err(Refused(format!("expected a tensor or a number, found {}", other.in_words()))),
        }
    }

    /// The data type of a result of two operands: numbers, and tensors without dimensions beside others, decide only
    /// where they are of a higher class.
    pub fn common(&self, a: &Value, b: &Value) -> Res<DataType> {
        let (a, b) = (self.weight(a)?, self.weight(b)?);
        Ok(match (a, b) {
            ((a, rank_a), (b, rank_b)) if rank_a == rank_b => promoted(a, b),
            ((a, rank_a), (b, rank_b)) => {
                let (strong, weak) = if rank_a > rank_b { (a, b) } else { (b, a) };
                if class(weak) > class(strong) { weak } else { strong }
            }
        })
    }

    /// The data type of an operand, and how much it decides.
    fn weight(&self, value: &Value) -> Res<(DataType, u8)> {
        Ok(match (value, Number::of(value)) {
            (Value::Tensor(x), _) => (self.dtype(x)?, if x.struct_info.rank() == Some(0) { 1 } else { 2 }),
            (Value::Dim(_), _) => (DataType::I64, 0),
            (_, Some(number)) => match number.class() {
                Class::Bool => (DataType::BOOL, 0),
                Class::Int => (DataType::I64, 0),
                Class::Float => (DataType::F32, 0),
            },
            (other, None) => {
                return Err(Refused(format!("expected a tensor or a number, found {}", other.in_words())));
            }
        })
    }

    /// An operator of two operands in their common data type.
    pub fn binary(&self, op: Op, a: &Value, b: &Value) -> Res<Expr> {
        let (a, b) = self.matched(a, b)?;
        self.call(op, &[&a, &b], [])
    }

    /// An operator of a tensor and a number of its class or a lower one.
    pub fn with_number(&self, op: Op, x: &Expr, number: impl Into<Number>) -> Res<Expr> {
        let number = self.number(number, self.dtype(x)?)?;
        self.call(op, &[x, &number], [])
    }

    pub fn clip(&self, x: &Expr, least: f64, most: f64) -> Res<Expr> {
        let bounds = [least, most].map(|bound| Expr::prim(scalar::Expr::float(bound, DataType::F64)));
        self.call(&clip::OP, &[x, &bounds[0], &bounds[1]], [])
    }

    /// `x` where the condition holds, else `y`.
    pub fn choose(&self, condition: &Expr, x: &Expr, y: &Expr) -> Res<Expr> {
        self.call(&r#where::OP, &[condition, x, y], [])
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

/// What is known where the variables of these expressions are sizes, which are no negative numbers. The builder is not told:
/// its types are those that the verifier finds.
fn sizes<const N: usize>(exprs: [&scalar::Expr; N]) -> InferCx {
    let mut facts = InferCx::default();
    for expr in exprs {
        walk(expr, |var: &scalar::Var| facts.analyzer.learn_least(var.id(), 0));
    }
    facts
}

/// Whether there is a choice between two numbers in a size, as of a part that may be cut off.
fn chooses(size: &scalar::Expr) -> bool {
    let mut found = false;
    walk(size, |part: &scalar::Expr| {
        found |= matches!(part.kind, ExprKind::Binary(BinOp::Min | BinOp::Max, ..) | ExprKind::Select { .. });
    });
    found
}

/// Whether a size that is no constant is 0 or 1.
pub fn is_one_at_most(size: &scalar::Expr) -> bool {
    let one = scalar::Expr::i64(1);
    size.as_int().is_none() && sizes([size]).analyzer.decide(CmpOp::Le, size, &one) == Some(true)
}

fn float_bytes(value: f64, dtype: DataType) -> Res<Vec<u8>> {
    Ok(match dtype {
        DataType::F64 => value.to_le_bytes().to_vec(),
        DataType::F32 => (value as f32).to_le_bytes().to_vec(),
        DataType::F16 => half::f16::from_f64(value).to_le_bytes().to_vec(),
        DataType::BF16 => half::bf16::from_f64(value).to_le_bytes().to_vec(),
        _ => return Err(Refused(format!("numbers of type {dtype} have no rule"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tensors_meet_as_in_pytorch() {
        let cases = [
            (DataType::F32, DataType::I64, DataType::F32),
            (DataType::F16, DataType::BF16, DataType::F32),
            (DataType::F16, DataType::F64, DataType::F64),
            (DataType::I8, DataType::U8, DataType::I16),
            (DataType::I32, DataType::U8, DataType::I32),
            (DataType::BOOL, DataType::U8, DataType::U8),
            (DataType::I32, DataType::I64, DataType::I64),
        ];
        for (a, b, expected) in cases {
            assert_eq!((promoted(a, b), promoted(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn numbers_decide_only_by_their_class() {
        let mut bb = BlockBuilder::new();
        let cx = Cx { bb: &mut bb };
        let tensor = |shape: &[i64], dtype| {
            Value::Tensor(Expr::var(&tilewright_ir::relax::Var::new("x", StructInfo::tensor_of(shape, dtype))))
        };
        let common = |a: &Value, b: &Value| cx.common(a, b).unwrap();
        assert_eq!(common(&tensor(&[2], DataType::F16), &Value::Float(1.5)), DataType::F16);
        assert_eq!(common(&tensor(&[2], DataType::I8), &Value::Int(1000)), DataType::I8);
        assert_eq!(common(&tensor(&[2], DataType::I8), &Value::Float(0.5)), DataType::F32);
        assert_eq!(common(&tensor(&[2], DataType::F32), &tensor(&[], DataType::F64)), DataType::F32);
        assert_eq!(common(&tensor(&[2], DataType::I32), &tensor(&[], DataType::F64)), DataType::F64);
        assert_eq!(common(&tensor(&[2], DataType::BOOL), &Value::Int(1)), DataType::I64);
    }
}
