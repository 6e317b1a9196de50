//! Elements whose places follow from data or from a pattern: masks, diagonals, windows, bags, and values put in places.

use tilewright_expr as scalar;
use tilewright_ir::relax::Expr;
use tilewright_tensor::{DataType, Tensor};

use super::super::args::Args;
use super::super::cx::{Cx, ToAttr};
use super::super::value::{Refused, Res, Value};
use super::{Rule, rule};

pub const RULES: &[Rule] = &[
    rule("nonzero", "input, as_tuple=False", nonzero),
    rule("masked_select", "input, mask", |cx, args| {
        let (x, mask) = (args.tensor("input")?, args.tensor("mask")?);
        let (a, b) = (cx.shape(&x)?, cx.shape(&mask)?);
        if a.len() != b.len() || !a.iter().zip(&b).all(|(a, b)| cx.bb.infer_cx().analyzer.prove_equal(a, b)) {
            return Err(Refused::new("a mask of another shape than the tensor's has no rule"));
        }
        masked(cx, &x, &mask).map(Value::Tensor)
    }),
    rule("unique", "input, sorted=True, return_inverse=False, return_counts=False, dim=None", unique),
    rule("_unique2", "input, sorted=True, return_inverse=False, return_counts=False", unique),
    rule("diagonal diagonal_copy", "input, offset=0, dim1=0, dim2=1", diagonal),
    rule("aten.unfold", "input, dimension, size, step", windows),
    rule(
        "aten.embedding_bag aten._embedding_bag aten._embedding_bag_forward_only",
        "weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, \
        include_last_offset=False, padding_idx=None",
        bags,
    ),
    rule("index_put _index_put_impl", "input, indices, values, accumulate=False, unsafe=False", index_put),
    rule("scatter_reduce", "input, dim, index, src, reduce, include_self=True", |cx, args| {
        let how = match args.text("reduce")? {
            "sum" => "add",
            "prod" => "mul",
            "amax" => "max",
            "amin" => "min",
            other => return Err(Refused(format!("the reduction \"{other}\" has no rule"))),
        };
        if !args.flag("include_self")? {
            return Err(Refused::new("`include_self=False` has no rule"));
        }
        super::indexing::scattered(cx, args, how)
    }),
];

fn integer(value: i64) -> scalar::Expr {
    scalar::Expr::i64(value)
}

/// The indices of the elements that are not 0: a row for each, or a tensor for each dimension.
fn nonzero(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let rank = cx.rank(&x)? as i64;
    let found = places(cx, &x)?;
    if !args.flag("as_tuple")? {
        return cx.permute(&found, vec![1, 0]).map(Value::Tensor);
    }
    (0..rank.max(1)).map(|axis| row(cx, &found, axis).map(Value::Tensor)).collect::<Res<_>>().map(Value::List)
}

/// The indices of the elements that are not 0, a row for each dimension; how many there are has a name of its own.
fn places(cx: &mut Cx<'_>, x: &Expr) -> Res<Expr> {
    let rank = cx.rank(x)?.max(1) as i64;
    let found = cx.call("nonzero", &[x], [])?;
    cx.known(&found, vec![integer(rank), counted()])
}

/// A number that is known when the module runs.
fn counted() -> scalar::Expr {
    scalar::Expr::var(&scalar::Var::new("count", DataType::I64))
}

fn row(cx: &Cx<'_>, x: &Expr, at: i64) -> Res<Expr> {
    cx.call("take", &[x, &cx.number(at, DataType::I64)?], [("axis", 0i64.to_attr())])
}

/// The elements for which the mask holds. It covers the first dimensions; of the others all elements are taken.
pub fn masked(cx: &mut Cx<'_>, x: &Expr, mask: &Expr) -> Res<Expr> {
    let (shape, covered) = (cx.shape(x)?, cx.rank(mask)?);
    let Some(rest) = shape.get(covered..) else {
        return Err(Refused(format!("a mask of {covered} dimensions for a tensor of {}", shape.len())));
    };
    let all = cx.product(&shape[..covered]);
    let flat = cx.reshape(x, [std::slice::from_ref(&all), rest].concat())?;
    let mask = cx.reshape(mask, vec![all])?;
    let found = places(cx, &mask)?;
    let found = row(cx, &found, 0)?;
    cx.call("take", &[&flat, &found], [("axis", 0i64.to_attr())])
}

/// The distinct elements or slices; where they are asked for, the number of each element's among them, and how many there are
/// of each.
fn unique(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (inverse, counts) = (args.flag("return_inverse")?, args.flag("return_counts")?);
    let x = args.tensor("input")?;
    let axis = if args.has("dim") { Some(args.int("dim")?) } else { None };
    let attrs = [
        ("sorted", true.to_attr()),
        ("return_index", false.to_attr()),
        ("return_inverse", inverse.to_attr()),
        ("return_counts", counts.to_attr()),
        ("axis", axis.to_attr()),
    ];
    let (found, count) = (cx.call("unique", &[&x], attrs)?, counted());
    let shape = cx.shape(&x)?;
    let mut distinct = vec![count.clone()];
    let mut many = cx.product(&shape);
    if let Some(axis) = axis {
        let axis = cx.axis(axis, shape.len())?;
        (distinct, many) = (shape.clone(), shape[axis].clone());
        distinct[axis] = count.clone();
    }
    if !inverse && !counts {
        return cx.known(&found, distinct).map(Value::Tensor);
    }
    let mut shapes = vec![distinct];
    shapes.extend(inverse.then(|| vec![many]));
    shapes.extend(counts.then(|| vec![count]));
    let mut fields = Vec::new();
    for (field, dims) in cx.fields(found)?.iter().zip(shapes) {
        let field = field.tensor().ok_or_else(|| Refused::new("expected tensors"))?;
        fields.push(cx.known(field, dims)?);
    }
    if inverse && axis.is_none() {
        fields[1] = cx.reshape(&fields[1], shape)?;
    }
    Ok(Value::List(fields.into_iter().map(Value::Tensor).collect()))
}

/// The tensor with these dimensions first, in their order.
fn with_first(cx: &Cx<'_>, x: &Expr, first: &[usize]) -> Res<Expr> {
    let others = (0..cx.rank(x)?).filter(|axis| !first.contains(axis));
    let axes: Vec<i64> = first.iter().copied().chain(others).map(|axis| axis as i64).collect();
    if axes.iter().enumerate().all(|(at, axis)| at as i64 == *axis) { Ok(x.clone()) } else { cx.permute(x, axes) }
}

/// The diagonal of two dimensions, which becomes the last one: of the matrix's elements in one row, each that is a row and
/// an element behind the one before.
fn diagonal(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let shape = cx.shape(&x)?;
    let (a, b) = (cx.axis(args.int("dim1")?, shape.len())?, cx.axis(args.int("dim2")?, shape.len())?);
    let (Some(rows), Some(columns)) = (shape[a].as_int(), shape[b].as_int()) else {
        return Err(Refused::new("the diagonal of a matrix of symbolic size has no rule"));
    };
    if a == b {
        return Err(Refused::new("a diagonal needs two dimensions"));
    }
    let offset = args.int("offset")?;
    let (start, count) = match offset {
        0.. => (offset, rows.min(columns.saturating_sub(offset)).max(0)),
        _ => (offset.saturating_neg().saturating_mul(columns), rows.saturating_add(offset).min(columns).max(0)),
    };
    let places: Vec<i64> = (0..count).map(|at| start + at * (columns + 1)).collect();
    let matrices = with_first(cx, &x, &[a, b])?;
    let rest: Vec<scalar::Expr> = cx.shape(&matrices)?.split_off(2);
    let flat = cx.reshape(&matrices, [&[integer(rows * columns)], &*rest].concat())?;
    let places = Expr::constant(Tensor::from_vec(&[count], places)?);
    let found = cx.call("take", &[&flat, &places], [("axis", 0i64.to_attr())])?;
    let order = (1..=rest.len() as i64).chain([0]).collect();
    cx.permute(&found, order).map(Value::Tensor)
}

/// The windows of so many elements along a dimension, `step` apart; what is in them becomes the last dimension.
fn windows(cx: &mut Cx<'_>, args: &Args) -> Res {
    let x = args.tensor("input")?;
    let shape = cx.shape(&x)?;
    let axis = cx.axis(args.int("dimension")?, shape.len())?;
    let (size, step) = (args.int("size")?, args.int("step")?);
    let Some(extent) = shape[axis].as_int() else {
        return Err(Refused::new("the windows of a symbolic dimension have no rule"));
    };
    if step < 1 || !(0..=extent).contains(&size) {
        return Err(Refused(format!("windows of {size} elements, {step} apart, in a dimension of {extent}")));
    }
    let count = (extent - size) / step + 1;
    let places: Vec<i64> = (0..count).flat_map(|window| (0..size).map(move |at| window * step + at)).collect();
    let places = Expr::constant(Tensor::from_vec(&[count, size], places)?);
    let found = cx.call("take", &[&x, &places], [("axis", (axis as i64).to_attr())])?;
    let inside = axis as i64 + 1;
    let order = (0..=shape.len() as i64).filter(|at| *at != inside).chain([inside]).collect();
    cx.permute(&found, order).map(Value::Tensor)
}

/// Sums, means or largest elements of the rows that bags of indices pick. A matrix says which index lies in which bag, so
/// that offsets may be data.
fn bags(cx: &mut Cx<'_>, args: &Args) -> Res {
    let weight = args.tensor("weight")?;
    let indices = cx.emit(cx.astype(&args.tensor("indices")?, DataType::I64)?)?;
    let member = members(cx, args, &indices)?;
    let member = cx.emit(member)?;
    let dtype = cx.dtype(&weight)?;
    let rows = cx.call("take", &[&weight, &indices], [("axis", 0i64.to_attr())])?;
    let ones = cx.emit(cx.astype(&member, dtype)?)?;
    let last = [("axis", vec![1i64].to_attr())];
    let count = cx.call("sum", &[&ones], [("axis", vec![1i64].to_attr()), ("keepdims", true.to_attr())])?;
    let found = match args.int("mode")? {
        mode @ (0 | 1) => {
            let share = match args.optional_tensor("per_sample_weights")? {
                Some(weights) => cx.call("multiply", &[&ones, &weights], [])?,
                None => ones,
            };
            let sums = cx.call("matmul", &[&share, &rows], [])?;
            let divisor = cx.with_number("maximum", &count, 1.0)?;
            if mode == 0 { sums } else { cx.call("divide", &[&sums, &divisor], [])? }
        }
        2 => {
            let lifted = cx.call("expand_dims", &[&member], [("axis", vec![2i64].to_attr())])?;
            let nothing = cx.number(f64::NEG_INFINITY, dtype)?;
            let largest = cx.call("max", &[&cx.choose(&lifted, &rows, &nothing)?], last)?;
            let filled = cx.with_number("greater", &count, 0.0)?;
            cx.choose(&filled, &largest, &cx.number(0.0, dtype)?)?
        }
        other => return Err(Refused(format!("bags are summed (0), averaged (1) or compared (2), found {other}"))),
    };
    Ok(Value::List(vec![Value::Tensor(found), Value::None, Value::None, Value::None]))
}

/// For each bag and each index whether it lies in it.
fn members(cx: &mut Cx<'_>, args: &Args, indices: &Expr) -> Res<Expr> {
    let count = cx.shape(indices)?.first().cloned().unwrap_or_else(|| integer(1));
    let offsets = cx.emit(cx.astype(&args.tensor("offsets")?, DataType::I64)?)?;
    let bags = cx.shape(&offsets)?.first().cloned().unwrap_or_else(|| integer(1));
    let prim = |value: scalar::Expr| Expr::prim(value);
    let dtype = [("dtype", DataType::I64.to_attr())];
    let places = cx.call("arange", &[&prim(integer(0)), &prim(count.clone()), &prim(integer(1))], dtype)?;
    let (starts, ends) = if args.flag("include_last_offset")? {
        let last = cx.simplified(&(&bags - 1));
        (cx.slice(&offsets, 0, &integer(0), &last, 1)?, cx.slice(&offsets, 0, &integer(1), &bags, 1)?)
    } else {
        let end = cx.reshape(&cx.operand(&Value::int(count), DataType::I64)?, vec![integer(1)])?;
        let ends = Expr::tuple(vec![cx.slice(&offsets, 0, &integer(1), &bags, 1)?, end]);
        (offsets.clone(), cx.call("concat", &[&ends], [("axis", 0i64.to_attr())])?)
    };
    let column = |x: &Expr| cx.call("expand_dims", &[x], [("axis", vec![1i64].to_attr())]);
    let begun = cx.call("greater_equal", &[&places, &column(&starts)?], [])?;
    let open = cx.call("less", &[&places, &column(&ends)?], [])?;
    let inside = cx.call("logical_and", &[&begun, &open], [])?;
    match args.get("padding_idx") {
        Value::Int(padding) if *padding >= 0 => {
            let counts = cx.with_number("not_equal", indices, *padding)?;
            cx.call("logical_and", &[&inside, &counts], [])
        }
        _ => Ok(inside),
    }
}

/// The tensor with values in the places that tensors of indices, side by side, name, or that one mask picks.
fn index_put(cx: &mut Cx<'_>, args: &Args) -> Res {
    let (x, Value::List(items)) = (args.tensor("input")?, args.get("indices")) else {
        return Err(Refused::new("expected a list of indices"));
    };
    let values = cx.operand(args.get("values"), cx.dtype(&x)?)?;
    let at: Vec<usize> = (0..items.len()).filter(|at| matches!(items[*at], Value::Tensor(_))).collect();
    let given: Vec<Expr> = items.iter().filter_map(|item| item.tensor().cloned()).collect();
    let (Some(first), Some(last)) = (at.first(), at.last()) else { return Err(Refused::new("expected indices")) };
    if last - first + 1 != at.len() {
        return Err(Refused::new("tensors of indices with other indices between them have no rule"));
    }
    if cx.dtype(&given[0])?.is_bool() {
        return put_by_mask(cx, &x, *first, &given, &values, args.flag("accumulate")?);
    }
    let indices = given.iter().map(|index| cx.astype(index, DataType::I64)).collect::<Res<Vec<_>>>()?;
    let places = indices.iter().try_fold(0, |most, index| Ok::<_, Refused>(cx.rank(index)?.max(most)))?;
    // The operator names places in the first dimensions: those before them go behind.
    let moved = with_first(cx, &x, &at)?;
    let values = match (*first, cx.rank(&values)?) {
        (0, _) | (_, 0) => values,
        (before, rank) => {
            let whole = places + cx.rank(&x)? - at.len();
            let missing = whole.checked_sub(rank).ok_or_else(|| Refused::new("there are more values than places"))?;
            let lifted = [&vec![integer(1); missing][..], &cx.shape(&values)?].concat();
            let values = cx.reshape(&values, lifted)?;
            with_first(cx, &values, &(before..before + places).collect::<Vec<_>>())?
        }
    };
    let accumulate = [("accumulate", args.flag("accumulate")?.to_attr())];
    let put = cx.call("index_put", &[&moved, &Expr::tuple(indices), &values], accumulate)?;
    let rank = cx.rank(&x)?;
    let others = (0..rank).filter(|axis| !at.contains(axis));
    let order: Vec<usize> = at.iter().copied().chain(others).collect();
    let mut back = vec![0; rank];
    for (place, axis) in order.into_iter().enumerate() {
        back[axis] = place as i64;
    }
    cx.permute(&put, back).map(Value::Tensor)
}

/// Values where a mask of the first dimensions holds: one for all, since how many there are is not known.
fn put_by_mask(cx: &mut Cx<'_>, x: &Expr, first: usize, masks: &[Expr], values: &Expr, accumulate: bool) -> Res {
    let one = cx.shape(values)?.iter().all(|dim| dim.as_int() == Some(1));
    let ([mask], 0, true) = (masks, first, one) else {
        return Err(Refused::new("a mask takes one value for all places: use `torch.where`"));
    };
    let behind = cx.rank(x)?.saturating_sub(cx.rank(mask)?);
    let mask = cx.reshape(mask, [&cx.shape(mask)?[..], &vec![integer(1); behind]].concat())?;
    let value = cx.reshape(values, Vec::new())?;
    let value = if accumulate { cx.call("add", &[x, &value], [])? } else { value };
    cx.choose(&mask, &value, x).map(Value::Tensor)
}
