//! Creation of tensors, and conversions of data types.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_ops::binary::{add, multiply};
use tilewright_ops::create::{arange, eye, full};
use tilewright_ops::manipulate::broadcast_to;
use tilewright_tensor::{DataType, Tensor};

use super::super::promotion::as_bool;
use super::super::rule::{Rule, rule, same, view};
use crate::common::{Args, Cx, Number, Refused, Res, ToAttr, Value};

pub const RULES: &[Rule] = &[
    rule("zeros", "*size, out=None, dtype=None", |cx, args| filled(cx, args, &Value::Float(0.0))),
    rule("ones", "*size, out=None, dtype=None", |cx, args| filled(cx, args, &Value::Float(1.0))),
    rule("empty", "*size, out=None, dtype=None", |cx, args| filled(cx, args, &Value::Float(0.0))),
    rule("full", "size, fill_value, out=None, dtype=None", |cx, args| filled(cx, args, args.get("fill_value"))),
    rule("zeros_like", "input, dtype=None", |cx, args| like(cx, args, &Value::Int(0))),
    rule("ones_like", "input, dtype=None", |cx, args| like(cx, args, &Value::Int(1))),
    rule("empty_like", "input, dtype=None", |cx, args| like(cx, args, &Value::Int(0))),
    rule("full_like", "input, fill_value, dtype=None", |cx, args| like(cx, args, args.get("fill_value"))),
    rule("new_zeros", "input, *size, dtype=None", |cx, args| of_same_kind(cx, args, &Value::Int(0))),
    rule("new_ones", "input, *size, dtype=None", |cx, args| of_same_kind(cx, args, &Value::Int(1))),
    rule("new_empty", "input, *size, dtype=None", |cx, args| of_same_kind(cx, args, &Value::Int(0))),
    rule("new_full", "input, size, fill_value, dtype=None", |cx, args| of_same_kind(cx, args, args.get("fill_value"))),
    rule("fill", "input, value", |cx, args| like(cx, args, args.get("value"))),
    rule("zero", "input", |cx, args| like(cx, args, &Value::Int(0))),
    rule("copy", "input, source|src, non_blocking=False", copy),
    rule("arange", "start, end=None, step=1, out=None, dtype=None", arange),
    rule("linspace", "start, end, steps, out=None, dtype=None", linspace),
    rule("eye", "n, m=None, out=None, dtype=None", eye),
    rule("tensor scalar_tensor as_tensor", "data, dtype=None", tensor),
    rule("item", "input", |_, _| Err(Refused::new("the value of an element is not known when a module is made"))),
    view("to _to_copy", "input, *target=None, dtype=None", to),
    view("type astype", "input, dtype", |cx, args| converted(cx, args, args.dtype("dtype")?)),
    view("type_as", "input, other", |cx, args| {
        let dtype = cx.dtype(&args.tensor("other")?)?;
        converted(cx, args, Some(dtype))
    }),
    view("float", "input", |cx, args| converted(cx, args, Some(DataType::F32))),
    view("double", "input", |cx, args| converted(cx, args, Some(DataType::F64))),
    view("half", "input", |cx, args| converted(cx, args, Some(DataType::F16))),
    view("bfloat16", "input", |cx, args| converted(cx, args, Some(DataType::BF16))),
    view("long", "input", |cx, args| converted(cx, args, Some(DataType::I64))),
    view("int", "input", |cx, args| converted(cx, args, Some(DataType::I32))),
    view("short", "input", |cx, args| converted(cx, args, Some(DataType::I16))),
    view("char", "input", |cx, args| converted(cx, args, Some(DataType::I8))),
    view("byte", "input", |cx, args| converted(cx, args, Some(DataType::U8))),
    view("bool", "input", |cx, args| as_bool(cx, &args.tensor("input")?).map(Value::Tensor)),
    rule("is_floating_point", "input", |cx, args| Ok(Value::Bool(cx.dtype(&args.tensor("input")?)?.is_float()))),
    same(
        "_assert _assert_async _assert_scalar _assert_tensor_metadata sym_constrain_range_for_size",
        "input=None, *rest=None, dtype=None, message=None, size=None, stride=None",
    ),
];

/// A tensor of a shape, filled with one value.
fn of_value(cx: &Cx<'_>, shape: Vec<scalar::Expr>, value: &Value, dtype: DataType) -> Res {
    let value = cx.operand(value, dtype)?;
    cx.op(&full::OP, &[&Expr::shape(shape), &value])
}

/// The data type that PyTorch gives a number of Python.
fn usual(value: &Value) -> DataType {
    match Number::of(value) {
        Some(Number::Bool(_)) => DataType::BOOL,
        Some(Number::Int(_)) => DataType::I64,
        _ => DataType::F32,
    }
}

fn filled(cx: &mut Cx<'_>, args: &Args, value: &Value) -> Res {
    let dtype = args.dtype("dtype")?.unwrap_or_else(|| usual(value));
    of_value(cx, args.dims("size")?, value, dtype)
}

fn like(cx: &mut Cx<'_>, args: &Args, value: &Value) -> Res {
    let x = args.tensor("input")?;
    let dtype = args.dtype("dtype")?.map_or_else(|| cx.dtype(&x), Ok)?;
    of_value(cx, cx.shape(&x)?, value, dtype)
}

fn of_same_kind(cx: &mut Cx<'_>, args: &Args, value: &Value) -> Res {
    let dtype = args.dtype("dtype")?.map_or_else(|| cx.dtype(&args.tensor("input")?), Ok)?;
    of_value(cx, args.dims("size")?, value, dtype)
}

fn copy(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, source) = (args.tensor("input")?, args.tensor("source")?);
    let source = cx.astype(&source, cx.dtype(&x)?)?;
    cx.op(&broadcast_to::OP, &[&source, &Expr::shape(cx.shape(&x)?)])
}

/// A number as a scalar expression.
fn scalar_of(value: &Value) -> Res<scalar::Expr> {
    match (value.as_scalar(), Number::of(value)) {
        (Some(value), _) => Ok(value),
        (None, Some(number)) => Ok(scalar::Expr::float(number.as_f64(), DataType::F64)),
        (None, None) => Err(Refused(format!("expected a number, found {}", value.in_words()))),
    }
}

fn arange(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (start, end) = match args.get("end") {
        Value::None => (&Value::Int(0), args.get("start")),
        end => (args.get("start"), end),
    };
    let numbers = [start, end, args.get("step")];
    let floats = numbers.iter().any(|number| matches!(number, Value::Float(_)));
    let dtype = args.dtype("dtype")?.unwrap_or(if floats { DataType::F32 } else { DataType::I64 });
    if floats && !dtype.is_float() {
        return integers_of_floats(cx, numbers, dtype);
    }
    let numbers = numbers.iter().map(|number| scalar_of(number).map(Expr::prim)).collect::<Res<Vec<_>>>()?;
    cx.call(&arange::OP, &numbers.iter().collect::<Vec<_>>(), [("dtype", dtype.to_attr())]).map(Value::Tensor)
}

/// As many integers as the floats between start and end, which start and step of integers give.
fn integers_of_floats(cx: &mut Cx<'_>, numbers: [&Value; 3], dtype: DataType) -> Res {
    let known = numbers.map(|number| Number::of(number).map(|number| number.as_f64()));
    let [Some(start), Some(end), Some(step)] = known else {
        return Err(Refused::new("integers between floats and symbolic dimensions have no rule"));
    };
    let count = ((end - start) / step).ceil();
    if !(0.0..=(1i64 << 40) as f64).contains(&count) {
        return Err(Refused::new("`step` does not lead from `start` to `end`"));
    }
    let [first, count, one] = [0, count as i64, 1].map(|number| Expr::prim(scalar::Expr::i64(number)));
    let at = cx.call(&arange::OP, &[&first, &count, &one], [("dtype", DataType::I64.to_attr())])?;
    let found = cx.with_number(&multiply::OP, &at, step.trunc() as i64)?;
    let found = cx.with_number(&add::OP, &found, start.trunc() as i64)?;
    cx.astype(&found, dtype).map(Value::Tensor)
}

/// A constant, computed here: the first half from the start, the second from the end.
fn linspace(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (start, end, steps) = (args.float("start")?, args.float("end")?, args.int("steps")?);
    if !(0..=1 << 24).contains(&steps) {
        return Err(Refused(format!("`steps` is from 0 to {}, found {steps}", 1 << 24)));
    }
    let step = if steps > 1 { (end - start) / (steps - 1) as f64 } else { 0.0 };
    let at = |k: i64| if 2 * k < steps { start + step * k as f64 } else { end - step * (steps - 1 - k) as f64 };
    let values: Vec<f32> = (0..steps).map(|k| if steps == 1 { start as f32 } else { at(k) as f32 }).collect();
    let made = Expr::constant(Tensor::from_vec(&[steps], values)?);
    cx.astype(&made, args.dtype("dtype")?.unwrap_or(DataType::F32)).map(Value::Tensor)
}

fn eye(cx: &mut Cx<'_>, args: &Args) -> Res {
    let rows = args.dim("n")?;
    let columns = if args.has("m") { args.dim("m")? } else { rows.clone() };
    let dtype = args.dtype("dtype")?.unwrap_or(DataType::F32);
    cx.call(&eye::OP, &[&Expr::prim(rows), &Expr::prim(columns)], [("dtype", dtype.to_attr())]).map(Value::Tensor)
}

/// Numbers in lists, all of one length on each level.
fn listed(value: &Value, shape: &mut Vec<i64>, depth: usize, numbers: &mut Vec<Number>) -> Res<()> {
    match value {
        Value::List(items) => {
            match shape.get(depth) {
                Some(extent) if *extent != items.len() as i64 => {
                    return Err(Refused::new("lists of different lengths"));
                }
                Some(_) => {}
                None => shape.push(items.len() as i64),
            }
            items.iter().try_for_each(|item| listed(item, shape, depth + 1, numbers))
        }
        other if shape.len() == depth => {
            numbers.push(Number::of(other).ok_or_else(|| Refused(format!("{} is no number", other.in_words())))?);
            Ok(())
        }
        _ => Err(Refused::new("lists of different depths")),
    }
}

fn tensor(cx: &mut Cx<'_>, args: &Args) -> Res {
    let data = args.get("data");
    let dtype = args.dtype("dtype")?;
    if let Value::Tensor(x) = data {
        return cx.astype(x, dtype.map_or_else(|| cx.dtype(x), Ok)?).map(Value::Tensor);
    }
    if let Value::Dim(_) = data {
        return cx.operand(data, dtype.unwrap_or(DataType::I64)).map(Value::Tensor);
    }
    let (mut shape, mut numbers) = (Vec::new(), Vec::new());
    listed(data, &mut shape, 0, &mut numbers)?;
    let made = if numbers.iter().any(|number| matches!(number, Number::Float(_))) || numbers.is_empty() {
        Tensor::from_vec(&shape, numbers.iter().map(|number| number.as_f64() as f32).collect())?
    } else if numbers.iter().all(|number| matches!(number, Number::Bool(_))) {
        Tensor::from_vec(&shape, numbers.iter().map(|number| number.as_i64() != 0).collect())?
    } else {
        Tensor::from_vec(&shape, numbers.iter().map(|number| number.as_i64()).collect())?
    };
    let made = Expr::constant(made);
    cx.astype(&made, dtype.map_or_else(|| cx.dtype(&made), Ok)?).map(Value::Tensor)
}

/// The tensor in another data type. Numbers become true where they are not 0.
fn converted(cx: &mut Cx<'_>, args: &Args, dtype: Option<DataType>) -> Res {
    let x = args.tensor("input")?;
    match dtype {
        Some(dtype) if dtype.is_bool() => as_bool(cx, &x).map(Value::Tensor),
        Some(dtype) => cx.astype(&x, dtype).map(Value::Tensor),
        None => Ok(Value::Tensor(x)),
    }
}

/// A data type, a tensor whose data type it is, a device, or several of them.
fn to(cx: &mut Cx<'_>, args: &Args) -> Res {
    let mut dtype = args.dtype("dtype")?;
    if let Value::List(targets) = args.get("target") {
        for target in targets {
            match target {
                Value::DType(wanted) => dtype = Some(*wanted),
                Value::Tensor(other) => dtype = Some(cx.dtype(other)?),
                _ => {}
            }
        }
    }
    converted(cx, args, dtype)
}
