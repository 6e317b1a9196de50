//! The values of a graph while it becomes IR, and the evaluation of what is known of them.
//!
//! Exporters write sizes as tensors: `Shape`, `Gather`, `Concat` and arithmetic lead to the shape that a `Reshape`
//! takes. A [`Known`] value is such a tensor by its elements, which are scalar expressions: constants, or symbolic
//! dimensions of the inputs. Operators over known values are evaluated here and leave nothing in the module, so that
//! symbolic lengths stay symbolic. A known value becomes a tensor where a rule asks for one.

use std::rc::Rc;

use tilewright_expr as scalar;
use tilewright_expr::{BinOp, CmpOp, ExprKind as Scalar};
use tilewright_ir::relax::{Expr, ExprKind};
use tilewright_ops::manipulate::concat;
use tilewright_ops::system::shape_to_tensor;
use tilewright_tensor::{DataType, Tensor, bf16, f16};

use crate::common::{Cx, Refused, Res, ToAttr, facts_of_sizes};

/// The value of a name.
#[derive(Clone, Debug)]
pub enum Val {
    Tensor(Expr),
    Known(Rc<Known>),
    /// The results of an operator that has several.
    Outputs(Vec<Val>),
    Sequence(Vec<Val>),
    /// An input or output that is left out, or an optional value without a value.
    Absent,
}

/// A tensor by its elements, in row-major order.
#[derive(Clone, Debug)]
pub struct Known {
    pub dtype: DataType,
    pub dims: Vec<i64>,
    pub items: Vec<scalar::Expr>,
}

/// Elements of a tensor that is evaluated here at most.
pub const MAX_KNOWN: usize = 4096;

impl Known {
    pub fn new(dtype: DataType, dims: Vec<i64>, items: Vec<scalar::Expr>) -> Self {
        Self { dtype, dims, items }
    }

    /// A list of int64.
    pub fn ints(items: Vec<scalar::Expr>) -> Self {
        Self::new(DataType::I64, vec![items.len() as i64], items)
    }

    pub fn scalar(item: scalar::Expr) -> Self {
        Self::new(item.dtype, Vec::new(), vec![item])
    }

    pub fn is_constant(&self) -> bool {
        self.items.iter().all(is_constant)
    }

    /// The elements of a small tensor of numbers or bools.
    pub fn of_tensor(tensor: &Tensor) -> Option<Self> {
        if tensor.num_elements() > MAX_KNOWN {
            return None;
        }
        let dtype = tensor.dtype();
        let of_ints = |values: Vec<i64>| values.into_iter().map(|value| scalar::Expr::int(value, dtype)).collect();
        let of_floats =
            |values: Vec<f64>| values.into_iter().map(|value| scalar::Expr::float(value, dtype)).collect::<Vec<_>>();
        let items: Vec<scalar::Expr> = match dtype {
            DataType::I64 => of_ints(tensor.to_vec::<i64>().ok()?),
            DataType::I32 => of_ints(tensor.to_vec::<i32>().ok()?.into_iter().map(i64::from).collect()),
            DataType::I16 => of_ints(tensor.to_vec::<i16>().ok()?.into_iter().map(i64::from).collect()),
            DataType::I8 => of_ints(tensor.to_vec::<i8>().ok()?.into_iter().map(i64::from).collect()),
            DataType::U16 => of_ints(tensor.to_vec::<u16>().ok()?.into_iter().map(i64::from).collect()),
            DataType::U32 => of_ints(tensor.to_vec::<u32>().ok()?.into_iter().map(i64::from).collect()),
            DataType::U8 => of_ints(tensor.to_vec::<u8>().ok()?.into_iter().map(i64::from).collect()),
            DataType::BOOL => of_ints(tensor.to_vec::<bool>().ok()?.into_iter().map(i64::from).collect()),
            DataType::F32 => of_floats(tensor.to_vec::<f32>().ok()?.into_iter().map(f64::from).collect()),
            DataType::F64 => of_floats(tensor.to_vec::<f64>().ok()?),
            DataType::F16 => of_floats(tensor.to_vec::<f16>().ok()?.into_iter().map(f64::from).collect()),
            DataType::BF16 => of_floats(tensor.to_vec::<bf16>().ok()?.into_iter().map(f64::from).collect()),
            _ => return None,
        };
        Some(Self::new(dtype, tensor.shape().to_vec(), items))
    }

    /// As a constant of a module; `None` where an element is symbolic.
    pub fn to_tensor(&self) -> Option<Tensor> {
        let ints = || self.items.iter().map(scalar::Expr::as_int).collect::<Option<Vec<i64>>>();
        let floats = || self.items.iter().map(float_of).collect::<Option<Vec<f64>>>();
        let bytes: Vec<u8> = match self.dtype {
            DataType::F32 => floats()?.into_iter().flat_map(|value| (value as f32).to_le_bytes()).collect(),
            DataType::F64 => floats()?.into_iter().flat_map(f64::to_le_bytes).collect(),
            DataType::F16 => floats()?.into_iter().flat_map(|value| f16::from_f64(value).to_le_bytes()).collect(),
            DataType::BF16 => floats()?.into_iter().flat_map(|value| bf16::from_f64(value).to_le_bytes()).collect(),
            dtype if dtype.is_int() || dtype.is_bool() => {
                let width = dtype.element_bytes();
                ints()?.into_iter().flat_map(|value| value.to_le_bytes().into_iter().take(width)).collect()
            }
            _ => return None,
        };
        Tensor::from_bytes(self.dtype, &self.dims, &bytes).ok()
    }
}

pub fn is_constant(item: &scalar::Expr) -> bool {
    matches!(item.kind, Scalar::Int(_) | Scalar::Float(_))
}

pub fn float_of(item: &scalar::Expr) -> Option<f64> {
    match &item.kind {
        Scalar::Float(value) => Some(value.0),
        Scalar::Int(value) => Some(*value as f64),
        _ => None,
    }
}

impl From<Known> for Val {
    fn from(known: Known) -> Self {
        Self::Known(Rc::new(known))
    }
}

impl From<Expr> for Val {
    fn from(expr: Expr) -> Self {
        Self::Tensor(expr)
    }
}

impl Val {
    /// What it is, for messages.
    pub fn in_words(&self) -> &'static str {
        match self {
            Self::Tensor(_) | Self::Known(_) => "a tensor",
            Self::Outputs(_) => "several tensors",
            Self::Sequence(_) => "a sequence",
            Self::Absent => "nothing",
        }
    }

    /// Its elements, where they are known: small constants are.
    pub fn known(&self) -> Option<Rc<Known>> {
        match self {
            Self::Known(known) => Some(known.clone()),
            Self::Tensor(expr) => match &expr.kind {
                ExprKind::Constant(constant) => Known::of_tensor(&constant.0).map(Rc::new),
                _ => None,
            },
            _ => None,
        }
    }

    /// As an expression of the module.
    pub fn to_expr(&self, cx: &Cx<'_>) -> Res<Expr> {
        match self {
            Self::Tensor(expr) => Ok(expr.clone()),
            Self::Known(known) => known_as_expr(cx, known),
            other => Err(Refused(format!("expected a tensor, found {}", other.in_words()))),
        }
    }
}

fn known_as_expr(cx: &Cx<'_>, known: &Known) -> Res<Expr> {
    if let Some(tensor) = known.to_tensor() {
        return Ok(Expr::constant(tensor));
    }
    if !known.dtype.is_int() {
        return Err(Refused(format!("an element of type {} that depends on symbolic dimensions", known.dtype)));
    }
    let items = known.items.iter().map(|item| item.cast(DataType::I64)).collect::<Result<Vec<_>, _>>()?;
    let flat = match items.iter().any(|item| item.as_int().is_some_and(|value| value < 0)) {
        false => cx.call(&shape_to_tensor::OP, &[&Expr::shape(items)], [])?,
        // A shape has no negative sizes.
        true => {
            let one = |item: &scalar::Expr| match item.as_int() {
                Some(value) => Ok(Expr::constant(Tensor::from_vec(&[1], vec![value])?)),
                None => cx.call(&shape_to_tensor::OP, &[&Expr::shape(vec![item.clone()])], []),
            };
            let parts = items.iter().map(one).collect::<Res<Vec<_>>>()?;
            cx.call(&concat::OP, &[&Expr::tuple(parts)], [("axis", 0i64.to_attr())])?
        }
    };
    let flat = cx.astype(&flat, known.dtype)?;
    match known.dims.len() {
        1 => Ok(flat),
        _ => cx.reshape(&flat, known.dims.iter().map(|dim| scalar::Expr::i64(*dim)).collect()),
    }
}

/// Two operands element by element, broadcast; `None` where the operator has no evaluation here.
pub fn combined(cx: &Cx<'_>, op: &str, a: &Known, b: &Known) -> Option<Known> {
    let rank = a.dims.len().max(b.dims.len());
    let extent = |dims: &[i64], at: usize| match (at + dims.len()).checked_sub(rank) {
        Some(own) => dims[own],
        None => 1,
    };
    let dims: Vec<i64> = (0..rank)
        .map(|at| match (extent(&a.dims, at), extent(&b.dims, at)) {
            (x, y) if x == y || y == 1 => Some(x),
            (1, y) => Some(y),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let count: i64 = dims.iter().product();
    if count as usize > MAX_KNOWN {
        return None;
    }
    let at_of = |own: &[i64], index: &[i64]| {
        let own_index = index[rank - own.len()..].iter().zip(own);
        own_index.fold(0, |at, (index, extent)| at * extent + if *extent == 1 { 0 } else { *index }) as usize
    };
    let mut items = Vec::with_capacity(count as usize);
    for flat in 0..count {
        let index = unflattened(flat, &dims);
        let (x, y) = (&a.items[at_of(&a.dims, &index)], &b.items[at_of(&b.dims, &index)]);
        items.push(of_two(cx, op, x, y)?);
    }
    let dtype = if COMPARISONS.iter().any(|(name, _)| *name == op) { DataType::BOOL } else { a.dtype };
    Some(Known::new(dtype, dims, items))
}

/// The index of an element by its number in row-major order.
pub fn unflattened(mut flat: i64, dims: &[i64]) -> Vec<i64> {
    let mut index = vec![0; dims.len()];
    for (at, extent) in dims.iter().enumerate().rev() {
        index[at] = flat % (*extent).max(1);
        flat /= (*extent).max(1);
    }
    index
}

const COMPARISONS: [(&str, CmpOp); 5] = [
    ("Equal", CmpOp::Eq),
    ("Less", CmpOp::Lt),
    ("LessOrEqual", CmpOp::Le),
    ("Greater", CmpOp::Gt),
    ("GreaterOrEqual", CmpOp::Ge),
];

/// An operator of two elements; `None` where the result is neither a constant nor a symbolic integer.
fn of_two(cx: &Cx<'_>, op: &str, x: &scalar::Expr, y: &scalar::Expr) -> Option<scalar::Expr> {
    if x.dtype != y.dtype {
        return None;
    }
    if let Some((_, comparison)) = COMPARISONS.iter().find(|(name, _)| *name == op) {
        return compared(*comparison, x, y).map(scalar::Expr::bool);
    }
    if x.dtype.is_float() {
        let (a, b) = (float_of(x)?, float_of(y)?);
        let value = match op {
            "Add" => a + b,
            "Sub" => a - b,
            "Mul" => a * b,
            "Div" => a / b,
            "Min" => a.min(b),
            "Max" => a.max(b),
            _ => return None,
        };
        return Some(scalar::Expr::float(value, x.dtype));
    }
    if x.dtype.is_bool() {
        let (a, b) = (x.as_int()? != 0, y.as_int()? != 0);
        return match op {
            "And" => Some(scalar::Expr::bool(a && b)),
            "Or" => Some(scalar::Expr::bool(a || b)),
            "Xor" => Some(scalar::Expr::bool(a != b)),
            _ => None,
        };
    }
    if let (Some(a), Some(b)) = (x.as_int(), y.as_int()) {
        return of_integers(op, a, b).map(|value| scalar::Expr::int(value, x.dtype));
    }
    let op = match op {
        "Add" => BinOp::Add,
        "Sub" => BinOp::Sub,
        "Mul" => BinOp::Mul,
        // Sizes are not negative: both roundings are one.
        "Div" if y.as_int().is_some_and(|by| by > 0) && is_size(x) => BinOp::FloorDiv,
        "Mod" if y.as_int().is_some_and(|by| by > 0) => BinOp::FloorMod,
        "Min" => BinOp::Min,
        "Max" => BinOp::Max,
        _ => return None,
    };
    cx.integer(op, x, y).ok()
}

/// Whether an integer is known to be no negative number.
fn is_size(x: &scalar::Expr) -> bool {
    facts_of_sizes([x]).analyzer.decide(CmpOp::Le, &scalar::Expr::int(0, x.dtype), x) == Some(true)
}

fn compared(comparison: CmpOp, x: &scalar::Expr, y: &scalar::Expr) -> Option<bool> {
    if let (Some(a), Some(b)) = (float_of(x), float_of(y)) {
        return Some(comparison.holds_of_floats(a, b));
    }
    // Exporters mark by -1 what is to be kept: no size is that.
    let facts = facts_of_sizes([x, y]);
    let known = |comparison: CmpOp| facts.analyzer.decide(comparison, x, y);
    match comparison {
        CmpOp::Eq if known(CmpOp::Lt) == Some(true) || known(CmpOp::Gt) == Some(true) => Some(false),
        comparison => known(comparison),
    }
}

/// Comparisons of floats, false for NaN.
trait OfFloats {
    fn holds_of_floats(self, a: f64, b: f64) -> bool;
}

impl OfFloats for CmpOp {
    fn holds_of_floats(self, a: f64, b: f64) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

fn of_integers(op: &str, a: i64, b: i64) -> Option<i64> {
    match op {
        "Add" => a.checked_add(b),
        "Sub" => a.checked_sub(b),
        "Mul" => a.checked_mul(b),
        "Div" => a.checked_div(b),
        "Mod" if b != 0 => {
            a.checked_rem(b).map(|rest| if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        "Min" => Some(a.min(b)),
        "Max" => Some(a.max(b)),
        "Pow" => a.checked_pow(u32::try_from(b).ok()?),
        _ => None,
    }
}

/// An operator of one element.
pub fn of_one(op: &str, x: &scalar::Expr) -> Option<scalar::Expr> {
    if op == "Not" {
        return Some(scalar::Expr::bool(x.as_int()? == 0));
    }
    if let Scalar::Float(value) = &x.kind {
        let value = value.0;
        let found = match op {
            "Floor" => value.floor(),
            "Ceil" => value.ceil(),
            "Round" => value.round_ties_even(),
            "Neg" => -value,
            "Abs" => value.abs(),
            "Relu" => value.max(0.0),
            "Sqrt" => value.sqrt(),
            "Reciprocal" => value.recip(),
            _ => return None,
        };
        return Some(scalar::Expr::float(found, x.dtype));
    }
    match (op, x.as_int()) {
        ("Neg", Some(value)) => Some(scalar::Expr::int(value.checked_neg()?, x.dtype)),
        ("Relu", Some(value)) => Some(scalar::Expr::int(value.max(0), x.dtype)),
        ("Abs", Some(value)) => Some(scalar::Expr::int(value.checked_abs()?, x.dtype)),
        _ => None,
    }
}
