//! Sums of products by letters.

use tilewright_expr::Expr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties, Purpose};
use tilewright_ir::relax::{self, ExprKind, StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{ReduceAxis, TeError, Tensor, Value, compute, legalize as legalize_formula, reduce_axis, sum};

use super::contraction::{Operand, pairwise};
use crate::create::astype;
use crate::elementwise::{block_name, wide};
use crate::{attributes, shapes};

op! {
    /// The sum of products that Einstein's notation names, as `numpy.einsum` has it: `"ij,jk->ik"`.
    ///
    /// Letters before the arrow name the dimensions of the operands in turn, those after it the dimensions of the
    /// result; all others are summed over. Without an arrow the result has the letters that occur once, in alphabetical
    /// order. A letter twice in one operand means its diagonal; `...` stands for any number of dimensions, which
    /// broadcast. Sums of float16 and bfloat16 are computed in float32. A compiled model multiplies two operands at a
    /// time, in the order of the fewest steps: dimensions are summed over as early as possible.
    "einsum" {
        args: { operands: Tuple, "The tensors, of one type."; }
        attrs: { subscripts: Str = AttrDefault::Required, "The letters."; }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::OutElementwise },
        decompose: decompose,
    }
}

/// The label of a dimension: a letter, or a position among those of `...`, counted from its last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Label {
    Any(usize),
    Letter(char),
}

/// A letter or `...`, with its position in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    Dots,
    Letter(char),
}

/// The text, read: signs of each operand, and of the result where it is given.
struct Subscripts {
    operands: Vec<Vec<(usize, Sign)>>,
    result: Option<Vec<(usize, Sign)>>,
}

fn wrong(text: &str, position: usize, what: impl std::fmt::Display) -> InferError {
    InferError::new(format!("`einsum`: in \"{text}\" at character {}: {what}", position + 1))
}

fn read(text: &str) -> Result<Subscripts, InferError> {
    let (mut operands, mut list, mut in_result) = (Vec::new(), Vec::new(), false);
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        match c {
            ' ' => {}
            ',' if !in_result => operands.push(std::mem::take(&mut list)),
            '-' if chars.get(at + 1) == Some(&'>') && !in_result => {
                operands.push(std::mem::take(&mut list));
                in_result = true;
                at += 1;
            }
            '.' if chars.get(at..at + 3) == Some(&['.', '.', '.']) => {
                if list.iter().any(|(_, sign)| *sign == Sign::Dots) {
                    return Err(wrong(text, at, "`...` occurs twice"));
                }
                list.push((at, Sign::Dots));
                at += 2;
            }
            c if c.is_ascii_alphabetic() => list.push((at, Sign::Letter(c))),
            c => {
                let expected = if in_result { "a letter or `...`" } else { "a letter, `...`, `,` or `->`" };
                return Err(wrong(text, at, format!("expected {expected}, found `{c}`")));
            }
        }
        at += 1;
    }
    if in_result {
        return Ok(Subscripts { operands, result: Some(list) });
    }
    operands.push(list);
    Ok(Subscripts { operands, result: None })
}

/// The labels of an operand's dimensions.
fn labels(text: &str, signs: &[(usize, Sign)], number: usize, rank: usize) -> Result<Vec<Label>, InferError> {
    let letters = signs.iter().filter(|(_, sign)| *sign != Sign::Dots).count();
    let position = signs.first().map_or(0, |(position, _)| *position);
    let any = match rank.checked_sub(letters) {
        Some(0) => 0,
        Some(any) if signs.len() > letters => any,
        _ => {
            let message = format!("{letters} letters for operand {number}, which has {rank} dimensions");
            return Err(wrong(text, position, message));
        }
    };
    let label = |(_, sign): &(usize, Sign)| match sign {
        Sign::Letter(c) => vec![Label::Letter(*c)],
        Sign::Dots => (0..any).rev().map(Label::Any).collect(),
    };
    Ok(signs.iter().flat_map(label).collect())
}

/// The labels of the dimensions of operands and result, and the extent of each label.
struct Plan {
    operands: Vec<Vec<Label>>,
    result: Vec<Label>,
    extents: Vec<(Label, Expr)>,
}

impl Plan {
    fn extent(&self, label: Label) -> Option<&Expr> {
        self.extents.iter().find(|(known, _)| *known == label).map(|(_, extent)| extent)
    }

    fn result_dims(&self) -> Vec<Expr> {
        self.result.iter().filter_map(|label| self.extent(*label).cloned()).collect()
    }
}

fn plan(cx: &InferCx, text: &str, shapes: &[&[Expr]]) -> Result<Plan, InferError> {
    let subscripts = read(text)?;
    let mut plan = Plan { operands: Vec::new(), result: Vec::new(), extents: Vec::new() };
    for (number, (signs, dims)) in subscripts.operands.iter().zip(shapes).enumerate() {
        let labels = labels(text, signs, number, dims.len())?;
        for (label, dim) in labels.iter().zip(*dims) {
            add_extent(cx, text, &mut plan.extents, *label, dim)?;
        }
        plan.operands.push(labels);
    }
    plan.result = result_labels(text, &subscripts, &plan)?;
    Ok(plan)
}

/// A dimension of a label: as large as the others, or 1.
fn add_extent(
    cx: &InferCx,
    text: &str,
    extents: &mut Vec<(Label, Expr)>,
    label: Label,
    dim: &Expr,
) -> Result<(), InferError> {
    let Some((_, known)) = extents.iter_mut().find(|(known, _)| *known == label) else {
        extents.push((label, dim.clone()));
        return Ok(());
    };
    if known.as_int() == Some(1) {
        *known = dim.clone();
    } else if dim.as_int() != Some(1) && cx.clash(known, dim) {
        let (a, b) = (shapes::dim_text(known), shapes::dim_text(dim));
        return Err(InferError::at(
            0,
            match label {
                Label::Letter(c) => format!("`einsum`: `{c}` of \"{text}\" stands for dimensions of {a} and of {b}"),
                Label::Any(_) => format!("`einsum`: `...` of \"{text}\" stands for dimensions of {a} and of {b}"),
            },
        ));
    }
    Ok(())
}

fn result_labels(text: &str, subscripts: &Subscripts, plan: &Plan) -> Result<Vec<Label>, InferError> {
    let all: Vec<Label> = plan.operands.iter().flatten().copied().collect();
    let mut any: Vec<Label> = all.iter().copied().filter(|label| matches!(label, Label::Any(_))).collect();
    any.sort_unstable();
    any.dedup();
    any.reverse();
    let Some(signs) = &subscripts.result else {
        let mut once: Vec<Label> = all
            .iter()
            .copied()
            .filter(|label| {
                matches!(label, Label::Letter(_)) && all.iter().filter(|other| *other == label).count() == 1
            })
            .collect();
        once.sort_unstable();
        return Ok([any, once].concat());
    };
    let mut result = Vec::new();
    for (position, sign) in signs {
        match sign {
            Sign::Dots => result.extend_from_slice(&any),
            Sign::Letter(c) if result.contains(&Label::Letter(*c)) => {
                return Err(wrong(text, *position, format!("`{c}` occurs twice in the result")));
            }
            Sign::Letter(c) if !all.contains(&Label::Letter(*c)) => {
                return Err(wrong(text, *position, format!("no operand has `{c}`")));
            }
            Sign::Letter(c) => result.push(Label::Letter(*c)),
        }
    }
    if !any.is_empty() && !signs.iter().any(|(_, sign)| *sign == Sign::Dots) {
        let position = text.chars().count().saturating_sub(1);
        return Err(wrong(text, position, "the result needs `...`, as operands have it"));
    }
    Ok(result)
}

/// The shapes of the operands as far as known, and their type.
fn operands<'a>(call: &OpCall<'a>) -> Result<Vec<&'a StructInfo>, InferError> {
    match call.args.first().map(|arg| &arg.struct_info) {
        Some(StructInfo::Tuple(fields)) if fields.iter().all(|f| matches!(f, StructInfo::Tensor { .. })) => {
            Ok(fields.iter().collect())
        }
        _ => Err(InferError::at(0, "`einsum` takes a tuple of tensors")),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let (infos, text) = (operands(call)?, attributes::text(call, "subscripts"));
    let subscripts = read(text)?;
    let (named, given) = (subscripts.operands.len(), infos.len());
    if named != given {
        return Err(InferError::at(0, format!("`einsum`: \"{text}\" names {named} operands, found {given}")));
    }
    let mut dtype = infos.first().and_then(|info| info.dtype());
    for (number, info) in infos.iter().enumerate() {
        if let Some(own) = info.dtype().filter(|own| !own.is_int() && !own.is_float()) {
            return Err(InferError::at(0, format!("`einsum` takes numbers; operand {number} is of {own}")));
        }
        match (dtype, info.dtype()) {
            (Some(a), Some(b)) if a != b => {
                return Err(InferError::at(0, format!("`einsum`: operand {number} is of {b}, those before it of {a}")));
            }
            (_, None) => dtype = None,
            _ => {}
        }
    }
    if let Some(dims) = infos.iter().map(|info| info.dims()).collect::<Option<Vec<_>>>() {
        let dims = plan(cx, text, &dims)?.result_dims();
        return Ok(StructInfo::tensor_with(TensorShape::Known(dims), dtype));
    }
    let has_dots = subscripts.operands.iter().flatten().any(|(_, sign)| *sign == Sign::Dots);
    let ranks = infos.iter().map(|info| info.rank()).collect::<Option<Vec<_>>>();
    let shape = match (ranks, has_dots) {
        (Some(ranks), _) => {
            let ones: Vec<Vec<Expr>> = ranks.into_iter().map(|rank| vec![Expr::i64(1); rank]).collect();
            let ones: Vec<&[Expr]> = ones.iter().map(Vec::as_slice).collect();
            TensorShape::Rank(plan(cx, text, &ones)?.result.len())
        }
        (None, false) => {
            let ones: Vec<Vec<Expr>> =
                subscripts.operands.iter().map(|signs| vec![Expr::i64(1); signs.len()]).collect();
            let ones: Vec<&[Expr]> = ones.iter().map(Vec::as_slice).collect();
            TensorShape::Rank(plan(cx, text, &ones)?.result.len())
        }
        (None, true) => TensorShape::Unknown,
    };
    Ok(StructInfo::tensor_with(shape, dtype))
}

/// Two operands at a time, where there are more of them, or letters that one operand alone has.
fn decompose(cx: &InferCx, call: &OpCall<'_>, purpose: Purpose) -> Result<Option<relax::Expr>, InferError> {
    if purpose == Purpose::Inference {
        return Ok(None);
    }
    let infos = operands(call)?;
    let [tuple] = call.args else { return Ok(None) };
    let Some(dims) = infos.iter().map(|info| info.dims()).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let Some(dtype) = infos.first().and_then(|info| info.dtype()) else { return Ok(None) };
    let plan = plan(cx, attributes::text(call, "subscripts"), &dims)?;
    let numbers = |labels: &[Label]| -> Vec<usize> {
        labels.iter().filter_map(|label| plan.extents.iter().position(|(known, _)| known == label)).collect()
    };
    let sums = if dtype.is_float() { wide(dtype) } else { dtype };
    let operand = |(at, labels): (usize, &Vec<Label>)| -> Result<Operand, InferError> {
        let own = match &tuple.kind {
            ExprKind::Tuple(fields) if at < fields.len() => fields[at].clone(),
            _ => relax::Expr::tuple_get(tuple.clone(), at)?,
        };
        let value = if sums == dtype { own } else { astype::call(cx, own, sums)? };
        Ok(Operand { value, labels: numbers(labels) })
    };
    let operands = plan.operands.iter().enumerate().map(operand).collect::<Result<Vec<_>, _>>()?;
    let extents: Vec<Expr> = plan.extents.iter().map(|(_, extent)| extent.clone()).collect();
    match pairwise(cx, operands, &numbers(&plan.result), &extents)? {
        Some(found) if sums != dtype => astype::call(cx, found, dtype).map(Some),
        found => Ok(found),
    }
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    shapes::result_dims(call)?;
    let infos = operands(call)?;
    let dims: Vec<&[Expr]> = infos.iter().filter_map(|info| info.dims()).collect();
    let plan = plan(&InferCx::default(), attributes::text(call, "subscripts"), &dims)?;
    legalize_formula(call, |inputs| Ok(vec![formula(inputs, &plan, &block_name(call))?]))
}

fn formula(inputs: &[Tensor], plan: &Plan, name: &str) -> Result<Tensor, TeError> {
    let Some(dtype) = inputs.first().map(Tensor::dtype) else {
        return Err(TeError("a sum of products needs an operand".into()));
    };
    let summed: Vec<(Label, ReduceAxis)> = plan
        .extents
        .iter()
        .filter(|(label, _)| !plan.result.contains(label))
        .enumerate()
        .map(|(number, (label, extent))| (*label, reduce_axis(Expr::i64(0), extent.clone(), &format!("k{number}"))))
        .collect();
    let product = |i: &[Value]| {
        let index = |label: Label| match plan.result.iter().position(|own| *own == label) {
            Some(at) => i[at].clone(),
            None => summed.iter().find(|(own, _)| *own == label).map_or_else(|| i64_value(0), |(_, k)| Value::clone(k)),
        };
        let factor = |(x, labels): (&Tensor, &Vec<Label>)| {
            let indices = labels.iter().zip(x.shape()).map(|(label, dim)| {
                let repeats = dim.as_int() == Some(1) && plan.extent(*label).and_then(Expr::as_int) != Some(1);
                if repeats { i64_value(0) } else { index(*label) }
            });
            x.at_all(&indices.collect::<Vec<_>>()).cast(wide(dtype))
        };
        inputs.iter().zip(&plan.operands).map(factor).reduce(|product, factor| product * factor)
    };
    let missing = || Value::wrong(TeError("a sum of products needs an operand".into()));
    let axes: Vec<&ReduceAxis> = summed.iter().map(|(_, axis)| axis).collect();
    let dims = plan.result_dims();
    let total = compute(&dims, name, |i| match product(i) {
        Some(product) if axes.is_empty() => product,
        Some(product) => sum(product, &axes),
        None => missing(),
    })?;
    crate::reduction::converted(&total, dtype, &format!("{name}_narrow"))
}

fn i64_value(value: i64) -> Value {
    Expr::i64(value).into()
}
