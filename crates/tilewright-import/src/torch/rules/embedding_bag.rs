//! `embedding_bag`: sums, means or maxima of the rows of a table, over bags of indices.
//!
//! The indices of all bags are contiguous, and offsets say where each bag begins. Where offsets are known to be an
//! arithmetic progression, all bags have the same length, and the rows are reshaped and reduced. Otherwise every row is
//! scattered into its bag.

use tilewright_expr as scalar;
use tilewright_expr::BinOp;
use tilewright_ir::relax::{Callee, Expr, ExprKind};
use tilewright_ops::binary::{divide, greater, maximum, multiply, not_equal};
use tilewright_ops::create::{arange, full};
use tilewright_ops::indexed::{scatter_nd, take};
use tilewright_ops::manipulate::expand_dims;
use tilewright_ops::search::bucketize;
use tilewright_ops::statistical::{max, sum};
use tilewright_tensor::DataType;

use super::super::rule::{Rule, rule};
use crate::common::{Args, Cx, Op, Refused, Res, ToAttr, Value, is};

pub const RULES: &[Rule] = &[rule(
    "aten.embedding_bag aten._embedding_bag aten._embedding_bag_forward_only",
    "weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, \
    include_last_offset=False, padding_idx=None",
    embedding_bag,
)];

/// The assignment of rows to bags.
enum Bags {
    EqualLengths {
        count: scalar::Expr,
        length: scalar::Expr,
    },
    /// For each row the number of bags that have begun, as a column: the bag's index, counted from 1.
    ByIndex {
        count: scalar::Expr,
        bag_of_row: Expr,
    },
}

fn embedding_bag(cx: &mut Cx<'_>, args: &Args) -> Res {
    let weight = args.tensor("weight")?;
    let indices = cx.emit(cx.astype(&args.tensor("indices")?, DataType::I64)?)?;
    let mode = args.int("mode")?;
    if !(0..=2).contains(&mode) {
        return Err(Refused(format!("`mode` must be 0 (sum), 1 (mean) or 2 (max), found {mode}")));
    }
    let dtype = cx.dtype(&weight)?;
    let wide = if dtype.bits < 32 { DataType::F32 } else { dtype };
    let bags = Bags::of(cx, args, &indices)?;
    let mut rows = cx.astype(&cx.call(&take::OP, &[&weight, &indices], [("axis", 0i64.to_attr())])?, wide)?;
    if let Some(weights) = args.optional_tensor("per_sample_weights")? {
        rows = cx.call(&multiply::OP, &[&rows, &column(cx, &cx.astype(&weights, wide)?)?], [])?;
    }
    let identity = cx.number(if mode == 2 { f64::NEG_INFINITY } else { 0.0 }, wide)?;
    let counted = match args.get("padding_idx") {
        Value::Int(padding) if *padding >= 0 => Some(cx.emit(cx.with_number(&not_equal::OP, &indices, *padding)?)?),
        _ => None,
    };
    if let Some(counted) = &counted {
        rows = cx.choose(&column(cx, counted)?, &rows, &identity)?;
    }
    let found = bags.reduce(cx, &rows, if mode == 2 { &max::OP } else { &sum::OP }, &identity)?;
    let lengths = if mode == 0 { None } else { bags.lengths(cx, &indices, counted, wide)? };
    let found = match (mode, lengths, &bags) {
        (1, None, Bags::EqualLengths { length, .. }) => {
            cx.call(&divide::OP, &[&found, &cx.operand(&Value::int(length.clone()), wide)?], [])?
        }
        (1, Some(lengths), _) => {
            cx.call(&divide::OP, &[&found, &column(cx, &cx.with_number(&maximum::OP, &lengths, 1.0)?)?], [])?
        }
        (2, Some(lengths), _) => {
            let filled = column(cx, &cx.with_number(&greater::OP, &lengths, 0.0)?)?;
            cx.choose(&filled, &found, &cx.number(0.0, wide)?)?
        }
        _ => found,
    };
    let found = cx.astype(&found, dtype)?;
    Ok(Value::List(vec![Value::Tensor(found), Value::None, Value::None, Value::None]))
}

fn column(cx: &Cx<'_>, x: &Expr) -> Res<Expr> {
    cx.call(&expand_dims::OP, &[x], [("axis", vec![1i64].to_attr())])
}

impl Bags {
    fn of(cx: &mut Cx<'_>, args: &Args, indices: &Expr) -> Res<Self> {
        let all = cx.shape(indices)?.first().cloned().unwrap_or_else(|| scalar::Expr::i64(1));
        let offsets = args.tensor("offsets")?;
        let ends = args.flag("include_last_offset")?;
        if !ends && let Some(even) = Self::equal_lengths(cx, &offsets, &all)? {
            return Ok(even);
        }
        let offsets = cx.emit(cx.astype(&offsets, DataType::I64)?)?;
        let count = cx.shape(&offsets)?.first().cloned().unwrap_or_else(|| scalar::Expr::i64(1));
        let attrs = [("out_int32", false.to_attr()), ("right", true.to_attr())];
        let bag_of_row = cx.call(&bucketize::OP, &[&cx.arange(&all)?, &offsets], attrs)?;
        let bag_of_row = cx.emit(column(cx, &bag_of_row)?)?;
        let count = if ends { cx.simplified(&(count - 1)) } else { count };
        Ok(Self::ByIndex { count, bag_of_row })
    }

    /// Bags of the same length, where the offsets are known to be `0, length, 2 * length, ...`.
    fn equal_lengths(cx: &Cx<'_>, offsets: &Expr, all: &scalar::Expr) -> Res<Option<Self>> {
        let value = offsets.as_var().and_then(|var| cx.bb.lookup_binding(var)).unwrap_or(offsets);
        let ExprKind::Call { callee: Callee::Op(op), args, .. } = &value.kind else { return Ok(None) };
        let number = |at: usize| match args.get(at).map(|arg| &arg.kind) {
            Some(ExprKind::Prim(value)) => Some(value.clone()),
            _ => None,
        };
        let (Some(start), Some(length), true) = (number(0), number(2), is(op.0, &arange::OP)) else { return Ok(None) };
        let Some(count) = cx.shape(offsets)?.first().cloned() else { return Ok(None) };
        let length = cx.simplified(&length);
        let even = cx.bb.infer_cx().analyzer.prove_equal(&cx.integer(BinOp::Mul, &count, &length)?, all);
        let some = length.as_int().is_none_or(|length| length > 0);
        Ok((even && some && start.as_int() == Some(0)).then_some(Self::EqualLengths { count, length }))
    }

    /// The rows of each bag reduced; `identity` for a bag without rows.
    fn reduce(&self, cx: &Cx<'_>, rows: &Expr, how: Op, identity: &Expr) -> Res<Expr> {
        let rest = cx.shape(rows)?.split_off(1);
        match self {
            Self::EqualLengths { count, length } => {
                let dims = [count.clone(), length.clone()].into_iter().chain(rest).collect();
                cx.call(how, &[&cx.reshape(rows, dims)?], [("axis", vec![1i64].to_attr())])
            }
            Self::ByIndex { count, bag_of_row } => {
                // Rows before the first offset go to an extra bag, which is cut off.
                let dims = std::iter::once(cx.simplified(&(count + 2))).chain(rest).collect();
                let empty = cx.call(&full::OP, &[&Expr::shape(dims), identity], [])?;
                let how = if is(how, &sum::OP) { "add" } else { "max" };
                let found = cx.call(&scatter_nd::OP, &[&empty, bag_of_row, rows], [("reduction", how.to_attr())])?;
                cx.slice(&found, 0, &scalar::Expr::i64(1), &cx.simplified(&(count + 1)), 1)
            }
        }
    }

    /// The number of rows that count in each bag; `None` where bags have equal lengths and all rows count.
    fn lengths(&self, cx: &Cx<'_>, indices: &Expr, counted: Option<Expr>, dtype: DataType) -> Res<Option<Expr>> {
        let ones = match (counted, self) {
            (None, Self::EqualLengths { .. }) => return Ok(None),
            (Some(counted), _) => cx.astype(&counted, dtype)?,
            (None, _) => cx.call(&full::OP, &[&Expr::shape(cx.shape(indices)?), &cx.number(1.0, dtype)?], [])?,
        };
        self.reduce(cx, &ones, &sum::OP, &cx.number(0.0, dtype)?).map(Some)
    }
}
