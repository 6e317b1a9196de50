//! The coordinates of a grid.

use tilewright_expr::Expr;
use tilewright_ir::op::{AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::{Tensor, compute, legalize as legalize_formula};

use crate::attributes;
use crate::elementwise::block_name;

op! {
    /// The coordinates of a grid, one tensor for each of its dimensions; the result is their tuple, as
    /// `numpy.meshgrid`.
    "meshgrid" {
        args: { tensors: Tuple, "The coordinates along each dimension: tensors of at most one dimension, of one type."; }
        attrs: {
            indexing: Str = AttrDefault::Str("ij"),
                "`ij`: the dimensions come in the order of the tensors; `xy`: the second before the first.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::Injective },
    }
}

/// The dimension of the grid for the tensor number `at`.
fn dimension(call: &OpCall<'_>, at: usize) -> Result<usize, InferError> {
    match (attributes::text(call, "indexing"), at) {
        ("xy", 0) => Ok(1),
        ("xy", 1) => Ok(0),
        ("ij" | "xy", at) => Ok(at),
        (other, _) => Err(InferError::new(format!("`meshgrid` knows the indexings `ij` and `xy`, not `{other}`"))),
    }
}

/// For each dimension of the grid the tensor that it is of. A lone tensor has no second one to go before.
fn order(call: &OpCall<'_>, count: usize) -> Result<Vec<usize>, InferError> {
    let dimensions = (0..count).map(|at| dimension(call, at)).collect::<Result<Vec<_>, _>>()?;
    Ok(if count == 1 { vec![0] } else { dimensions })
}

fn infer(_: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let infos: &[StructInfo] = match call.args.first().map(|arg| &arg.struct_info) {
        Some(StructInfo::Tuple(infos)) if !infos.is_empty() => infos,
        _ => return Err(InferError::at(0, "`meshgrid` needs a tuple of at least one tensor")),
    };
    let (mut dtype, mut known, mut dims) = (None, true, Vec::new());
    for (at, info) in infos.iter().enumerate() {
        let StructInfo::Tensor { shape, dtype: own, .. } = info else {
            return Err(InferError::at(0, format!("`meshgrid` takes tensors; field {at} of the tuple is none")));
        };
        if let Some(rank) = shape.rank().filter(|rank| *rank > 1) {
            let message = format!("`meshgrid`: field {at} has {rank} dimensions, more than one");
            return Err(InferError::at(0, message));
        }
        if let (Some(a), Some(b)) = (dtype, *own)
            && a != b
        {
            return Err(InferError::at(0, format!("`meshgrid`: field {at} is of {b}, those before it of {a}")));
        }
        dtype = dtype.or(*own);
        known &= own.is_some();
        dims.push(match shape {
            TensorShape::Known(dims) => Some(dims.first().cloned().unwrap_or_else(|| Expr::i64(1))),
            TensorShape::Rank(0) => Some(Expr::i64(1)),
            TensorShape::Rank(_) | TensorShape::Unknown => None,
        });
    }
    let order = order(call, dims.len())?;
    let shape: Option<Vec<Expr>> = order.iter().map(|&at| dims[at].clone()).collect();
    let shape = shape.map_or(TensorShape::Rank(dims.len()), TensorShape::Known);
    let one = StructInfo::tensor_with(shape, dtype.filter(|_| known));
    Ok(StructInfo::Tuple(vec![one; dims.len()]))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let info = (call.op.infer)(&InferCx::default(), call)?;
    let dims = match &info {
        StructInfo::Tuple(fields) => fields.first().and_then(StructInfo::dims),
        _ => None,
    };
    let dims = dims.ok_or_else(|| InferError::at(0, "the shapes of the tensors of `meshgrid` are not known here"))?;
    let order = order(call, dims.len())?;
    legalize_formula(call, |inputs| {
        let along = |(at, x): (usize, &Tensor)| {
            compute(dims, &block_name(call), |i| if x.rank() == 0 { x.at(&[]) } else { x.at(&[&i[order[at]]]) })
        };
        inputs.iter().enumerate().map(along).collect()
    })
}
