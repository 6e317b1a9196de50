//! Scalar expressions: a class for each operator.

use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyTuple};
use tilewright::arith::{worked_out, worked_out_comparison};
use tilewright::expr::semantics::Scalar;
use tilewright::expr::{BinOp, Buffer, CmpOp, Expr, ExprKind, ForeignCallee, Intrinsic, Var};
use tilewright::ir::relax as graph;
use tilewright::{DataType, expr};

use super::{Args, Field, FromPython, Node, argument, call, te};

/// Each operator of two operands that has a class of its own. The others are calls.
const BINARY: [(&str, BinOp); 11] = [
    ("tir.Add", BinOp::Add),
    ("tir.Sub", BinOp::Sub),
    ("tir.Mul", BinOp::Mul),
    ("tir.Div", BinOp::Div),
    ("tir.Mod", BinOp::Mod),
    ("tir.FloorDiv", BinOp::FloorDiv),
    ("tir.FloorMod", BinOp::FloorMod),
    ("tir.Min", BinOp::Min),
    ("tir.Max", BinOp::Max),
    ("tir.And", BinOp::And),
    ("tir.Or", BinOp::Or),
];

const COMPARE: [(&str, CmpOp); 6] = [
    ("tir.EQ", CmpOp::Eq),
    ("tir.NE", CmpOp::Ne),
    ("tir.LT", CmpOp::Lt),
    ("tir.LE", CmpOp::Le),
    ("tir.GT", CmpOp::Gt),
    ("tir.GE", CmpOp::Ge),
];

pub(super) fn kind(e: &Expr) -> &'static str {
    match &e.kind {
        ExprKind::Int(_) => "tir.IntImm",
        ExprKind::Float(_) => "tir.FloatImm",
        ExprKind::Str(_) => "tir.StringImm",
        ExprKind::Var(var) if var.size => "tir.SizeVar",
        ExprKind::Var(_) => "tir.Var",
        ExprKind::Binary(op, ..) => BINARY.iter().find(|(_, known)| known == op).map_or("tir.Call", |(kind, _)| kind),
        ExprKind::Compare(op, ..) => COMPARE.iter().find(|(_, known)| known == op).map_or("tir.Call", |(kind, _)| kind),
        ExprKind::Not(_) => "tir.Not",
        ExprKind::Select { .. } => "tir.Select",
        ExprKind::Cast(_) => "tir.Cast",
        ExprKind::Load { buffer, .. } if te::tensor_of(buffer).is_some() => "tir.ProducerLoad",
        ExprKind::Load { .. } => "tir.BufferLoad",
        ExprKind::Ramp { .. } => "tir.Ramp",
        ExprKind::Broadcast(_) => "tir.Broadcast",
        ExprKind::Shuffle { .. } => "tir.Shuffle",
        ExprKind::Let { .. } => "tir.Let",
        ExprKind::Call { .. } | ExprKind::Reinterpret(_) | ExprKind::AddressOf { .. } | ExprKind::Foreign { .. } => {
            "tir.Call"
        }
    }
}

pub(super) fn field(e: &Expr, name: &str) -> Option<Field> {
    Some(match (&e.kind, name) {
        (_, "dtype") => Field::dtype(e.dtype),
        (_, "span") => Field::None,
        (ExprKind::Int(value), "value") if e.dtype.is_bool() => Field::Bool(*value != 0),
        (ExprKind::Int(value), "value") if e.dtype == DataType::U64 => Field::Unsigned(*value as u64),
        (ExprKind::Int(value), "value") => Field::Int(*value),
        (ExprKind::Float(value), "value") => Field::Float(value.0),
        (ExprKind::Str(text), "value") => Field::text(text.clone()),
        (ExprKind::Var(var), "name" | "name_hint") => Field::text(var.name.clone()),
        (ExprKind::Binary(op, a, b), _) if BINARY.iter().any(|(_, known)| known == op) => operand(a, b, name)?,
        (ExprKind::Compare(_, a, b), _) => operand(a, b, name)?,
        (ExprKind::Not(a), "a") => Field::scalar(a),
        (ExprKind::Select { condition, .. }, "condition") => Field::scalar(condition),
        (ExprKind::Select { then, .. }, "true_value") => Field::scalar(then),
        (ExprKind::Select { otherwise, .. }, "false_value") => Field::scalar(otherwise),
        (ExprKind::Cast(value) | ExprKind::Broadcast(value), "value") => Field::scalar(value),
        (ExprKind::Broadcast(_) | ExprKind::Ramp { .. }, "lanes") => Field::Int(e.dtype.lanes.into()),
        (ExprKind::Load { buffer, .. }, "producer") => te::tensor_field(te::tensor_of(buffer)?),
        (ExprKind::Load { buffer, .. }, "buffer") => Field::Node(Node::Buffer(buffer.clone())),
        (ExprKind::Load { indices, .. }, "indices") => Field::scalars(indices),
        (ExprKind::Load { predicate, .. }, "predicate") => Field::optional(predicate.as_ref(), Field::scalar),
        (ExprKind::Ramp { base, .. }, "base") => Field::scalar(base),
        (ExprKind::Ramp { stride, .. }, "stride") => Field::scalar(stride),
        (ExprKind::Shuffle { vectors, .. }, "vectors") => Field::scalars(vectors),
        (ExprKind::Shuffle { lanes, .. }, "indices") => {
            Field::list(lanes, |&lane| Field::Node(Node::Scalar(Expr::i32(lane as i32))))
        }
        (ExprKind::Let { var, .. }, "var") => Field::var(var),
        (ExprKind::Let { value, .. }, "value") => Field::scalar(value),
        (ExprKind::Let { body, .. }, "body") => Field::scalar(body),
        (_, "op" | "args") if kind(e) == "tir.Call" => {
            let (op, args) = call::parts(e)?;
            match &e.kind {
                _ if name == "args" => Field::List(args),
                ExprKind::Foreign { callee: ForeignCallee::Function(name), .. } => {
                    let signature = graph::StructInfo::Object;
                    Field::relax(&graph::Expr::global(&graph::GlobalVar { name: name.clone(), signature }))
                }
                _ => Field::Node(Node::Op(op)),
            }
        }
        _ => return None,
    })
}

fn operand(a: &Expr, b: &Expr, name: &str) -> Option<Field> {
    match name {
        "a" => Some(Field::scalar(a)),
        "b" => Some(Field::scalar(b)),
        _ => None,
    }
}

pub(super) fn make(args: &Args<'_, '_>) -> PyResult<Option<Node>> {
    if let Some((_, op)) = BINARY.iter().find(|(kind, _)| *kind == args.kind()) {
        let (a, b) = operands(args)?;
        return Ok(Some(Node::Scalar(args.made(Expr::binary(*op, &a, &b))?)));
    }
    if let Some((_, op)) = COMPARE.iter().find(|(kind, _)| *kind == args.kind()) {
        let (a, b) = operands(args)?;
        return Ok(Some(Node::Scalar(args.made(Expr::compare(*op, &a, &b))?)));
    }
    let expr = match args.kind() {
        "tir.IntImm" => integer(args)?,
        "tir.FloatImm" => float(args)?,
        "tir.StringImm" => Expr::str(args.get::<std::sync::Arc<str>>(0, "value")?),
        "tir.Var" => Expr::var(&Var::new(args.get::<std::sync::Arc<str>>(0, "name")?, args.get(1, "dtype")?)),
        "tir.SizeVar" => Expr::var(&Var::size(args.get::<std::sync::Arc<str>>(0, "name")?, args.get(1, "dtype")?)),
        "tir.Not" => args.made(args.get::<Expr>(0, "a")?.not())?,
        "tir.Select" => {
            let (then, otherwise) = (args.get::<Expr>(1, "true_value")?, args.get::<Expr>(2, "false_value")?);
            let (then, otherwise) = args.made(matched(then, otherwise, &args.object(1)?, &args.object(2)?))?;
            args.made(Expr::select(&args.get(0, "condition")?, &then, &otherwise))?
        }
        "tir.Cast" => {
            let (dtype, value): (DataType, Expr) = (args.get(0, "dtype")?, args.get(1, "value")?);
            args.made(value.cast_node(dtype))?
        }
        "tir.BufferLoad" => {
            let (buffer, indices): (Buffer, Vec<Expr>) = (args.get(0, "buffer")?, args.get(1, "indices")?);
            args.made(Expr::load_where(&buffer, indices, args.get(2, "predicate")?))?
        }
        "tir.Ramp" => {
            let (base, stride): (Expr, Expr) = (args.get(0, "base")?, args.get(1, "stride")?);
            let stride = args.made(stride.cast(base.dtype))?;
            args.made(Expr::ramp(&base, &stride, lanes(args, 2)?))?
        }
        "tir.Broadcast" => args.made(args.get::<Expr>(0, "value")?.broadcast(lanes(args, 1)?))?,
        "tir.Shuffle" => {
            let lanes = args.get::<Vec<i64>>(1, "indices")?;
            let lanes = lanes.into_iter().map(usize::try_from).collect::<Result<_, _>>();
            args.made(Expr::shuffle(args.get(0, "vectors")?, args.made(lanes)?))?
        }
        "tir.Let" => args.made(Expr::bind(&args.get(0, "var")?, &args.get(1, "value")?, &args.get(2, "body")?))?,
        "tir.Call" => call::make(args)?,
        _ => return Ok(None),
    };
    Ok(Some(Node::Scalar(expr)))
}

/// A number gets the type for the other operand; then both are of one type.
fn operands(args: &Args<'_, '_>) -> PyResult<(Expr, Expr)> {
    args.made(matched(args.get(0, "a")?, args.get(1, "b")?, &args.object(0)?, &args.object(1)?))
}

fn matched(a: Expr, b: Expr, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> Result<(Expr, Expr), expr::TypeMismatch> {
    typed(a, b, x, y, type_with)
}

/// Two operands of one type: a number without a type gets the one that `of` gives for the other operand's.
fn typed(
    a: Expr,
    b: Expr,
    x: &Bound<'_, PyAny>,
    y: &Bound<'_, PyAny>,
    of: fn(&Expr, DataType) -> DataType,
) -> Result<(Expr, Expr), expr::TypeMismatch> {
    let (a, b) = ((a, x), (b, y));
    let dtype = met(&[a.clone(), b.clone()], of)?;
    Ok((in_type(&a, dtype)?, in_type(&b, dtype)?))
}

/// The common type of the expressions among the operands, with the numbers as `of` gives them.
fn met(
    operands: &[(Expr, &Bound<'_, PyAny>)],
    of: fn(&Expr, DataType) -> DataType,
) -> Result<DataType, expr::TypeMismatch> {
    let is_number = |operand: &&(Expr, &Bound<'_, PyAny>)| is_number(&operand.0, operand.1);
    let meet = |a: DataType, b: DataType| {
        let none = || expr::TypeMismatch(format!("operands of types {a} and {b} have no common type"));
        expr::promote(a, b).ok_or_else(none)
    };
    let mut others = operands.iter().filter(|operand| !is_number(operand)).map(|(e, _)| e.dtype);
    let own = |(e, _): &(Expr, &Bound<'_, PyAny>)| e.dtype;
    match others.next() {
        Some(first) => {
            let met = others.try_fold(first, meet)?;
            let mut numbers = operands.iter().filter(is_number);
            numbers.try_fold(met, |dtype, (e, _)| meet(dtype, of(e, met.element())))
        }
        None => operands.iter().map(own).map(Ok).reduce(|a, b| meet(a?, b?)).unwrap_or(Ok(DataType::I32)),
    }
}

/// An operand in the type that it has with others.
fn in_type((operand, object): &(Expr, &Bound<'_, PyAny>), dtype: DataType) -> Result<Expr, expr::TypeMismatch> {
    match is_number(operand, object) {
        true => held(operand, object, dtype.element())?.cast(dtype),
        false => operand.cast(dtype),
    }
}

/// Whether the expression is a number without a type.
pub(super) fn is_number(expr: &Expr, object: &Bound<'_, PyAny>) -> bool {
    super::node_of(object).is_none() && matches!(expr.kind, ExprKind::Int(_) | ExprKind::Float(_))
}

/// A number as a constant of a type, which must hold it: a finite one stays finite, an integer the same.
pub(super) fn held(number: &Expr, object: &Bound<'_, PyAny>, dtype: DataType) -> Result<Expr, expr::TypeMismatch> {
    // A number of Python has more digits than the type that it has by itself.
    let real = object.cast::<PyFloat>().ok().map(|value| value.value());
    let made = match real {
        Some(value) if dtype.is_float() => Expr::float(value, dtype),
        _ => number.cast(dtype)?,
    };
    let wide = |value: i64, dtype| Scalar::from_int(value, dtype).as_wide();
    let fits = match (&number.kind, &made.kind) {
        (&ExprKind::Int(value), &ExprKind::Int(found)) => {
            let value = wide(value, number.dtype);
            // Masks of 32 bits are written as such with int32.
            value == wide(found, dtype) || (dtype == DataType::I32 && u32::try_from(value).is_ok())
        }
        (ExprKind::Float(value), ExprKind::Float(found)) => found.0.is_finite() || !real.unwrap_or(value.0).is_finite(),
        (_, ExprKind::Float(found)) => found.0.is_finite(),
        _ => true,
    };
    match fits {
        true => Ok(made),
        false => Err(expr::TypeMismatch(format!("{object} is out of the range of {dtype}"))),
    }
}

/// The type of a number without one, with an operand of type `other`: the operand's, but for an integer at least int32,
/// or int64 where it needs that, for a float at least float32, and with an integer a float stays one. So `u - 128` of
/// an unsigned byte may be negative, as it is in Python. A truth value becomes the type of the other operand.
fn type_with(number: &Expr, other: DataType) -> DataType {
    let own = match number.as_int() {
        Some(value) if i32::try_from(value).is_err() => DataType::I64,
        Some(_) => DataType::I32,
        None => DataType::F32,
    };
    match (number.dtype.is_float(), other.is_float()) {
        (false, false) if number.dtype.is_bool() => other,
        (false, true) => other,
        (true, false) => own,
        (true, true) | (false, false) => {
            if other.bits < own.bits {
                own
            } else {
                other
            }
        }
    }
}

/// The same where bits are combined or moved: they are those of the operand.
fn of_bits(number: &Expr, other: DataType) -> DataType {
    if number.dtype.is_float() { number.dtype } else { other }
}

/// A finite number that the type cannot hold is refused.
fn float(args: &Args<'_, '_>) -> PyResult<Expr> {
    let (value, dtype): (f64, DataType) = (args.get(1, "value")?, args.get(0, "dtype")?);
    let made = Expr::float(value, dtype);
    match made.kind {
        ExprKind::Float(rounded) if value.is_finite() && rounded.0.is_infinite() => {
            Err(super::refused(args.py(), args.kind(), format_args!("{value:e} is out of the range of {dtype}")))
        }
        _ => Ok(made),
    }
}

fn integer(args: &Args<'_, '_>) -> PyResult<Expr> {
    let dtype: DataType = args.get(0, "dtype")?;
    let value: i64 = match args.object(1)?.extract::<u64>() {
        Ok(bits) if dtype == DataType::U64 => bits as i64,
        _ => args.get(1, "value")?,
    };
    let expr = Expr::int(value, dtype);
    if expr.as_int() == Some(value) {
        Ok(expr)
    } else {
        Err(super::refused(args.py(), args.kind(), format_args!("{value} is out of the range of {dtype}")))
    }
}

fn lanes(args: &Args<'_, '_>, i: usize) -> PyResult<u16> {
    let lanes: i64 = args.get(i, "lanes")?;
    args.made(u16::try_from(lanes).map_err(|_| format!("a vector has 1 to {} lanes, found {lanes}", u16::MAX)))
}

/// Operands, brought to one type as an operator brings them.
#[pyfunction]
#[pyo3(signature = (*values))]
pub(crate) fn of_one_type<'py>(values: &Bound<'py, PyTuple>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = values.py();
    let objects: Vec<Bound<'py, PyAny>> = values.iter().collect();
    let operands: PyResult<Vec<_>> = objects.iter().map(|object| Ok((argument(object, "value")?, object))).collect();
    let operands = operands?;
    let made = met(&operands, type_with).and_then(|dtype| operands.iter().map(|one| in_type(one, dtype)).collect());
    let made: Vec<Expr> = made.map_err(|reason| crate::error::general(py, reason))?;
    made.into_iter().map(|expr| super::wrap(py, Node::Scalar(expr))).collect()
}

/// The result of an operator of Python for two operands, such as `operate("Add", a, b)`; NotImplemented where one is no
/// scalar, so that Python asks the other operand.
#[pyfunction]
pub(crate) fn operate<'py>(op: &str, x: &Bound<'py, PyAny>, y: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    if [x, y].into_iter().any(|object| object.is_instance_of::<pyo3::types::PyString>()) {
        return Ok(py.NotImplemented().into_bound(py));
    }
    let scalar = |object: &Bound<'py, PyAny>, name: &str| match Expr::from_python(object) {
        Ok(found) => Ok(found),
        // Says which operand does not fit.
        Err(_) => argument::<Expr>(object, name).map(Some),
    };
    let (Some(a), Some(b)) = (scalar(x, "a")?, scalar(y, "b")?) else {
        return Ok(py.NotImplemented().into_bound(py));
    };
    let full = format!("tir.{op}");
    let comparison = COMPARE.iter().find(|(kind, _)| *kind == full);
    let known = BINARY.iter().find(|(kind, _)| *kind == full).map(|(_, op)| *op).or_else(|| call::operator(&full));
    let number = match known {
        Some(BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor | BinOp::Shl | BinOp::Shr) => of_bits,
        _ => type_with,
    };
    let made = typed(a, b, x, y, number).and_then(|(a, b)| match (comparison, known) {
        (Some((_, op)), _) => worked_out_comparison(*op, &a, &b),
        (None, Some(op)) => worked_out(op, &a, &b),
        (None, None) => Err(expr::TypeMismatch(format!("there is no operator `{op}`"))),
    });
    super::wrap(py, Node::Scalar(made.map_err(|reason| super::refused(py, &full, reason))?))
}

/// The result of Python's `-` for one operand: its product with -1, in the bits of an unsigned type; of a truth value
/// that of the number.
#[pyfunction]
pub(crate) fn negative<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let value: Expr = argument(x, "x")?;
    let element = if value.dtype.is_bool() { DataType::I32 } else { value.dtype.element() };
    let made = of_element(&value, element).and_then(|(value, minus)| worked_out(BinOp::Mul, &value, &minus));
    super::wrap(x.py(), Node::Scalar(made.map_err(|reason| super::refused(x.py(), "tir.Mul", reason))?))
}

/// The result of Python's `~` for one operand: every bit inverted, of a truth value its negation.
#[pyfunction]
pub(crate) fn bitwise_not<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let value: Expr = argument(x, "x")?;
    let made = match value.dtype.is_bool() {
        true => value.not(),
        false => {
            of_element(&value, value.dtype.element()).and_then(|(value, ones)| worked_out(BinOp::BitXor, &value, &ones))
        }
    };
    super::wrap(x.py(), Node::Scalar(made.map_err(|reason| super::refused(x.py(), "tir.bitwise_not", reason))?))
}

/// The value with elements of this type, and as many of -1, whose bits are all set where it is an integer.
fn of_element(value: &Expr, element: DataType) -> Result<(Expr, Expr), expr::TypeMismatch> {
    let dtype = element.with_lanes(value.dtype.lanes);
    Ok((value.cast(dtype)?, Expr::number(-1, element).cast(dtype)?))
}

/// The operator of a call of an intrinsic or of a foreign function in Python.
pub(super) fn operator_of(intrinsic: Intrinsic) -> String {
    format!("tir.{}", intrinsic.name())
}

type MakeCallee = fn(std::sync::Arc<str>) -> ForeignCallee;

/// The operator of a sort of foreign call.
pub(super) const FOREIGN: [(&str, MakeCallee); 5] = [
    ("tir.call_extern", ForeignCallee::Extern),
    ("tir.call_pure_extern", ForeignCallee::PureExtern),
    ("tir.tvm_call_packed", ForeignCallee::Packed),
    ("tir.call_llvm_intrin", ForeignCallee::Llvm),
    ("tir.call_llvm_pure_intrin", ForeignCallee::Llvm),
];
