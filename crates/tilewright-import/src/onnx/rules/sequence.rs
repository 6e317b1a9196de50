//! Sequences and optional values, whose lengths and presence are known when a model is imported.

use tilewright_expr as scalar;
use tilewright_ops::manipulate::{squeeze, stack};

use tilewright_ir::relax::Expr;

use super::super::rule::{Args, Rule, rule};
use super::super::values::{Known, Val};
use super::shape::{joined, parts_of};
use crate::common::{Cx, Refused, Res, ToAttr};

pub const RULES: &[Rule] = &[
    rule("SequenceConstruct", "*inputs", "", |_, args| Ok(Val::Sequence(args.inputs.clone()))),
    rule("SequenceEmpty", "", "dtype", |_, _| Ok(Val::Sequence(Vec::new()))),
    rule("SequenceLength", "S", "", |_, args| Ok(Known::scalar(scalar::Expr::i64(items(args)?.len() as i64)).into())),
    rule("SequenceAt", "S position", "", |_, args| {
        let items = items(args)?;
        let at = position(args.int_at(1)?, items.len(), items.len())?;
        items.get(at).cloned().ok_or_else(|| Refused::new("the sequence is empty"))
    }),
    rule("SequenceInsert", "S tensor position?", "", |_, args| {
        let mut items = items(args)?.to_vec();
        let at = if args.has(2) { position(args.int_at(2)?, items.len(), items.len() + 1)? } else { items.len() };
        items.insert(at, args.input(1).clone());
        Ok(Val::Sequence(items))
    }),
    rule("SequenceErase", "S position?", "", |_, args| {
        let mut items = items(args)?.to_vec();
        let at = if args.has(1) { args.int_at(1)? } else { -1 };
        items.remove(position(at, items.len(), items.len())?);
        Ok(Val::Sequence(items))
    }),
    rule("ConcatFromSequence", "S", "axis new_axis", |cx, args| {
        let parts = items(args)?.iter().map(|item| item.to_expr(cx)).collect::<Res<Vec<_>>>()?;
        let axis = args.int("axis", 0)?;
        match args.flag("new_axis", false)? {
            true => Ok(cx.call(&stack::OP, &[&Expr::tuple(parts)], [("axis", axis.to_attr())])?.into()),
            false => joined(cx, parts, axis).map(Val::from),
        }
    }),
    rule("SplitToSequence", "X split?", "axis keepdims", split_to_sequence),
    rule("Optional", "X?", "type", |_, args| Ok(args.input(0).clone())),
    rule("OptionalHasElement", "X?", "", |_, args| Ok(Known::scalar(scalar::Expr::bool(args.has(0))).into())),
    rule("OptionalGetElement", "X", "", |_, args| Ok(args.input(0).clone())),
];

fn items<'a>(args: &'a Args<'_>) -> Res<&'a [Val]> {
    match args.input(0) {
        Val::Sequence(items) => Ok(items),
        other => Err(Refused(format!("expected a sequence, found {}", other.in_words()))),
    }
}

/// A position among `count`, negative ones from the end of `length`.
fn position(at: i64, length: usize, count: usize) -> Res<usize> {
    let from_start = if at < 0 { at.saturating_add(length as i64) } else { at };
    let found = usize::try_from(from_start).ok().filter(|at| *at < count);
    found.ok_or_else(|| Refused(format!("a sequence of {length} has no position {at}")))
}

fn split_to_sequence(cx: &mut Cx<'_>, args: &Args<'_>) -> Res<Val> {
    let x = args.bound(cx, 0)?;
    let axis = cx.axis(args.int("axis", 0)?, cx.rank(&x)?)?;
    let extent = cx.extent(&x, axis)?.as_int();
    let extent =
        extent.ok_or_else(|| Refused::new("a symbolic size has no rule: the length of a sequence is known"))?;
    super::check_table(&[extent, 64])?;
    if !args.has(1) {
        let parts = parts_of(cx, &x, &vec![1; extent as usize], axis)?;
        if args.flag("keepdims", true)? {
            return Ok(Val::Sequence(parts));
        }
        let flat = |part: &Val| -> Res<Val> {
            Ok(cx.call(&squeeze::OP, &[&part.to_expr(cx)?], [("axis", vec![axis as i64].to_attr())])?.into())
        };
        return parts.iter().map(flat).collect::<Res<_>>().map(Val::Sequence);
    }
    let split = args.known(1)?;
    let sizes = match (split.dims.len(), args.ints_at(1)?.as_slice()) {
        (0, [size]) if *size > 0 => {
            let count = (extent + size - 1) / size;
            (0..count).map(|at| (extent - at * size).min(*size)).collect()
        }
        (1, sizes) => sizes.to_vec(),
        _ => return Err(Refused::new("`split` is a size or a list of sizes")),
    };
    parts_of(cx, &x, &sizes, axis).map(Val::Sequence)
}
