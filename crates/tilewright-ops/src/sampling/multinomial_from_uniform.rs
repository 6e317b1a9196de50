//! Draws from rows of probabilities.

use tilewright_expr::{BinOp, CmpOp, Expr};
use tilewright_ir::legalize::{Candidate, LegalizeCx};
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::algorithms::scan::{self, Scan};
use tilewright_te::{Value, compute, legalize as legalize_formula, reduce_axis, sum};
use tilewright_tensor::DataType;

use crate::elementwise::{block_name, check_dtype, float, integer, wide};
use crate::indexed::guarded;
use crate::{attributes, shapes};

op! {
    /// A class drawn for each number between 0 and 1 from a row of probabilities: the first one up to which they add up
    /// to more than the number, or the last class where none do.
    ///
    /// Rows that the indices name count from the end where negative, and are held within the rows. Sums of float16 and
    /// bfloat16 are worked out in float32.
    "multinomial_from_uniform" {
        args: {
            prob: Tensor, "The probabilities, `(rows, classes)`.";
            uniform_sample: Tensor, "The numbers, `(draws, 1)`.";
            sample_indices: Tensor, "The row for each draw, integers as `(draws, 1)`.";
        }
        attrs: { dtype: DType = AttrDefault::DType(DataType::I64), "The data type of the classes."; }
        infer: infer,
        legalize: Legalize::FirstOf(&[
            Candidate::for_those_with(scan::VECTORS, |cx, call| legalize(cx, call, scan::vectorized)),
            Candidate::for_any(|cx, call| legalize(cx, call, scan::sequential)),
        ]),
        properties: Properties { pure: true, fusion: Fusion::Opaque },
    }
}

fn class_dtype(call: &OpCall<'_>) -> Result<DataType, InferError> {
    let dtype = attributes::dtype(call, "dtype")?.unwrap_or(DataType::I64);
    match dtype.is_int() {
        true => Ok(dtype),
        false => Err(InferError::new(format!("the classes of `multinomial_from_uniform` are integers, not {dtype}"))),
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    for (arg, takes) in [(0, float), (1, float), (2, integer)] {
        let (shape, dtype) = call.tensor(arg)?;
        check_dtype(call, arg, dtype, takes)?;
        let name = call.op.args.get(arg).map_or("?", |def| def.name);
        if let Some(rank) = shape.rank().filter(|rank| *rank != 2) {
            let message = format!("`multinomial_from_uniform` needs `{name}` of 2 dimensions, found {rank}");
            return Err(InferError::at(arg, message));
        }
        if let TensorShape::Known(dims) = shape {
            let last = &dims[1];
            let wrong = if arg == 0 { shapes::is_empty(cx, last) } else { cx.clash(last, &Expr::i64(1)) };
            if wrong {
                let dims = shapes::dims_text(dims);
                let message = format!("`multinomial_from_uniform` cannot use `{name}` of shape {dims}");
                return Err(InferError::at(arg, message));
            }
        }
    }
    let dtype = class_dtype(call)?;
    let shape = match (call.tensor(1)?.0, call.tensor(2)?.0) {
        (TensorShape::Known(draws), TensorShape::Known(rows)) => {
            shapes::check_equal_dims(cx, call, draws, rows, None)?;
            TensorShape::Known(vec![draws[0].clone(), Expr::i64(1)])
        }
        (TensorShape::Known(draws), _) | (_, TensorShape::Known(draws)) => {
            TensorShape::Known(vec![draws[0].clone(), Expr::i64(1)])
        }
        _ => TensorShape::Rank(2),
    };
    Ok(StructInfo::tensor_with(shape, Some(dtype)))
}

fn legalize(cx: &LegalizeCx, call: &OpCall<'_>, accumulate: scan::Algorithm) -> Result<PrimFunc, InferError> {
    let (dims, dtype) = (shapes::result_dims(call)?, class_dtype(call)?);
    legalize_formula(call, |inputs| {
        let [prob, numbers, rows] = inputs else { return Ok(Vec::new()) };
        let (name, wide) = (block_name(call), wide(prob.dtype()));
        let scan = Scan { axis: 1, op: BinOp::Add, identity: 0, exclusive: false };
        let sums = accumulate(&cx.capabilities, prob, scan, wide, &format!("{name}_sums"))?;
        let class = reduce_axis(Expr::i64(0), prob.dim(1), "c");
        let zero = || Value::from(Expr::i64(0));
        // The number of classes whose cumulative probability the number exceeds.
        let below = compute(&[dims[0].clone()], &format!("{name}_below"), |i| {
            let row = guarded(&rows.at(&[&i[0], &zero()]), &prob.dim(0));
            let up_to = sums.at(&[&row, &class]);
            // A number of a wider type is not rounded first.
            let number = numbers.at(&[&i[0], &zero()]);
            sum(up_to.compare(CmpOp::Le, &number).cast(DataType::I64), &[&class])
        })?;
        let drawn = compute(&dims, &name, |i| {
            let last = Value::from(prob.dim(1)) - 1;
            below.at(&[&i[0]]).min(last).max(0).cast(dtype)
        });
        Ok(vec![drawn?])
    })
}
