//! The buckets that elements fall into.

use tilewright_expr::{BinOp, Buffer, CmpOp, Expr, Var};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::StructInfo;
use tilewright_ir::tir::{ForKind, PrimFunc, Stmt, StmtKind};
use tilewright_te::{TeError, extern_stage, legalize as legalize_formula};
use tilewright_tensor::DataType;

use crate::elementwise::{block_name, number};
use crate::nest::nest;
use crate::{attributes, shapes};

op! {
    /// For each element the number of the bucket that it falls into, by the ascending boundaries between the buckets.
    ///
    /// An element at a boundary falls into the bucket before it, with `right` into the one after. NaN falls into the
    /// last bucket.
    "bucketize" {
        args: {
            input_tensor: Tensor, "The input tensor.";
            boundaries: Tensor, "The boundaries in ascending order, in one dimension, of the same type.";
        }
        attrs: {
            out_int32: Bool = AttrDefault::Bool(false), "Whether the result is of `int32` and not of `int64`.";
            right: Bool = AttrDefault::Bool(false), "Whether a boundary belongs to the bucket after it.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn dtype(call: &OpCall<'_>) -> DataType {
    if attributes::flag(call, "out_int32") { DataType::I32 } else { DataType::I64 }
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    shapes::all_of_dtype(call, &[0, 1], number)?;
    if let Some(rank) = call.tensor(1)?.0.rank().filter(|rank| *rank != 1) {
        return Err(InferError::at(1, format!("`bucketize` needs boundaries in 1 dimension, found {rank}")));
    }
    Ok(StructInfo::tensor_with(call.tensor(0)?.0.clone(), Some(dtype(call))))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let (dims, right) = (shapes::result_dims(call)?, attributes::flag(call, "right"));
    legalize_formula(call, |inputs| {
        let found = extern_stage(&dims, dtype(call), inputs, &block_name(call), |ins, out| match ins {
            [x, boundaries] => nest(&out.shape, |i| search(x, boundaries, out, right, i)),
            _ => Err(TeError("`bucketize` takes two tensors".into())),
        });
        Ok(vec![found?])
    })
}

/// Builds the number of boundaries before an element bit by bit, the highest first: a bit stays where the last boundary
/// that it counts is one of them.
fn search(x: &Buffer, boundaries: &Buffer, out: &Buffer, right: bool, i: &[Expr]) -> Result<Stmt, TeError> {
    let count = &boundaries.shape[0];
    let bits = match count.as_int() {
        Some(count) => i64::from(64 - count.leading_zeros()),
        None => 32,
    };
    let bit = Var::new("bit", DataType::I64);
    let weight = Expr::binary(BinOp::Shl, &Expr::i64(1), &(Expr::i64(bits - 1) - Expr::var(&bit)))?;
    let sofar = Expr::load(out, i.to_vec())?.cast(DataType::I64)?;
    let tried = &sofar + &weight;
    let boundary = Expr::load(boundaries, vec![&tried - &Expr::i64(1)])?;
    // Unordered comparisons with NaN count as before it.
    let is_after = Expr::compare(if right { CmpOp::Gt } else { CmpOp::Ge }, &boundary, &Expr::load(x, i.to_vec())?)?;
    let inside = Expr::compare(CmpOp::Le, &tried, count)?;
    let step = StmtKind::If {
        condition: Expr::binary(BinOp::And, &inside, &is_after.not()?)?,
        then: Stmt::store(out, i.to_vec(), &tried.cast(out.dtype)?)?,
        otherwise: None,
    };
    let all = Stmt::for_loop(&bit, Expr::i64(0), Expr::i64(bits), ForKind::Serial, step.into());
    Ok(Stmt::seq([Stmt::store(out, i.to_vec(), &Expr::int(0, out.dtype))?, all]))
}
