//! The product of matrices.

use tilewright_expr::Expr;
use tilewright_expr::semantics::is_float8;
use tilewright_ir::op::{Adjoint, AttrDefault, Fusion, InferCx, InferError, Legalize, OpCall, Partials, Properties};
use tilewright_ir::relax::{StructInfo, TensorShape};
use tilewright_ir::tir::PrimFunc;
use tilewright_te::topi::broadcast_index;
use tilewright_te::{TeError, Tensor, Value, compute, legalize as legalize_formula, reduce_axis, sum};
use tilewright_tensor::DataType;

use crate::gradient::{Rule, Term};
use crate::{attributes, gradient, shapes};

op! {
    /// The product of matrices, as `torch.matmul` and NumPy's `@` have it.
    ///
    /// The last two dimensions of each operand are a matrix; dimensions before them are a batch and broadcast. An
    /// operand of one dimension is a row on the left and a column on the right, whose dimension is dropped again.
    "matmul" {
        args: {
            x1: Tensor, "The left operand, of at least one dimension.";
            x2: Tensor, "The right operand, of at least one dimension.";
        }
        attrs: {
            out_dtype: DType = AttrDefault::DType(DataType::VOID),
                "The data type of the result and of the sums; `void`: that of the operands, where sums of float16 and \
                 bfloat16 are in float32 and rounded once.";
        }
        infer: infer,
        legalize: Legalize::PrimFunc(legalize),
        properties: Properties { pure: true, fusion: Fusion::OutElementwise },
        gradient: gradient,
    }
}

fn infer(cx: &InferCx, call: &OpCall<'_>) -> Result<StructInfo, InferError> {
    let ((a, a_type), (b, b_type)) = (call.tensor(0)?, call.tensor(1)?);
    let said = attributes::dtype(call, "out_dtype")?;
    // Floats of 8 bits are converted to the type of the sums, which is to be said.
    let sums = said.is_some_and(|dtype| dtype.is_float());
    for (i, dtype) in [a_type, b_type].into_iter().enumerate() {
        if let Some(dtype) = dtype.filter(|d| !(d.is_int() || d.is_float() || (sums && is_float8(*d)))) {
            return Err(InferError::at(i, format!("`matmul` takes numbers, found {dtype}")));
        }
    }
    let dtype = match said {
        Some(dtype) => Some(dtype),
        None => shapes::same_dtype(call, a_type, b_type)?,
    };
    for (i, shape) in [a, b].into_iter().enumerate() {
        if shapes::rank(shape) == Some(0) {
            return Err(InferError::at(i, "`matmul` takes tensors of at least one dimension, found a scalar"));
        }
    }
    Ok(StructInfo::tensor_with(result_shape(cx, a, b)?, dtype))
}

/// An operand's dimensions as batch, rows and columns; a single dimension is a row (left) or a column (right).
struct Matrix<'a> {
    batch: &'a [Expr],
    /// Rows of the left operand, columns of the right one; `None` where the dimension is missing.
    outer: Option<&'a Expr>,
    /// The dimension that is summed over.
    inner: &'a Expr,
}

fn left(dims: &[Expr]) -> Option<Matrix<'_>> {
    match dims {
        [] => None,
        [inner] => Some(Matrix { batch: &[], outer: None, inner }),
        [batch @ .., outer, inner] => Some(Matrix { batch, outer: Some(outer), inner }),
    }
}

fn right(dims: &[Expr]) -> Option<Matrix<'_>> {
    match dims {
        [] => None,
        [inner] => Some(Matrix { batch: &[], outer: None, inner }),
        [batch @ .., inner, outer] => Some(Matrix { batch, outer: Some(outer), inner }),
    }
}

fn result_shape(cx: &InferCx, a: &TensorShape, b: &TensorShape) -> Result<TensorShape, InferError> {
    let rank =
        shapes::rank(a).zip(shapes::rank(b)).map(|(m, n)| m.max(n).max(2) - usize::from(m == 1) - usize::from(n == 1));
    let unknown = rank.map_or(TensorShape::Unknown, TensorShape::Rank);
    let (TensorShape::Known(a), TensorShape::Known(b)) = (a, b) else { return Ok(unknown) };
    let (Some(x), Some(y)) = (left(a), right(b)) else { return Ok(unknown) };
    let both = || format!("shapes {} and {}", shapes::dims_text(a), shapes::dims_text(b));
    if cx.clash(x.inner, y.inner) {
        return Err(InferError::at(
            1,
            format!(
                "`matmul` of {}: the last dimension of the first, {}, must be the {} of the second, {}",
                both(),
                shapes::dim_text(x.inner),
                if y.outer.is_some() { "last but one" } else { "dimension" },
                shapes::dim_text(y.inner)
            ),
        ));
    }
    let batch = shapes::broadcast_dims(cx, x.batch, y.batch)
        .map_err(|why| InferError::at(1, format!("`matmul` of {}: of the batch dimensions, {why}", both())))?;
    Ok(batch.map_or(unknown, |mut dims| {
        dims.extend(x.outer.into_iter().chain(y.outer).cloned());
        TensorShape::Known(dims)
    }))
}

fn legalize(call: &OpCall<'_>) -> Result<PrimFunc, InferError> {
    let dims = shapes::result_dims(call)?;
    let dtype = attributes::dtype(call, "out_dtype")?;
    legalize_formula(call, |inputs| match inputs {
        [a, b] => Ok(vec![result(a, b, &dims, dtype)?]),
        _ => Ok(Vec::new()),
    })
}

/// The product, accumulated in the requested type; by default float32 for narrow floats.
fn result(a: &Tensor, b: &Tensor, dims: &[Expr], dtype: Option<DataType>) -> Result<Tensor, TeError> {
    if let Some(dtype) = dtype
        && (is_float8(a.dtype()) || is_float8(b.dtype()))
    {
        let widened = |t: &Tensor| compute(t.shape(), "widened", |i| t.at_all(i).cast(dtype));
        return formula(&widened(a)?, &widened(b)?, dims, dtype);
    }
    let narrow = a.dtype().is_float() && a.dtype().bits == 16;
    if dtype.is_some() || !narrow {
        return formula(a, b, dims, dtype.unwrap_or(a.dtype()));
    }
    let sums = formula(a, b, dims, DataType::F32)?;
    compute(dims, "rounded", |i| sums.at_all(i).cast(a.dtype()))
}

/// `result[batch, i, j] = sum over k of a[batch, i, k] * b[batch, k, j]`, summed in `dtype`.
fn formula(a: &Tensor, b: &Tensor, dims: &[Expr], dtype: DataType) -> Result<Tensor, TeError> {
    let inner = a.shape().last().cloned().ok_or_else(|| TeError("a scalar has no product of matrices".into()))?;
    let k = reduce_axis(Expr::int(0, inner.dtype), inner, "k");
    let batch = dims.len() - usize::from(a.rank() > 1) - usize::from(b.rank() > 1);
    compute(dims, "matmul", |i| {
        let (outer, rest) = i.split_at(batch);
        let (row, column) = if a.rank() > 1 { rest.split_at(1) } else { rest.split_at(0) };
        let of_a = [row, &[Value::clone(&k)]].concat();
        let of_b = [&[Value::clone(&k)], column].concat();
        let product = element(a, outer, &of_a, dims).cast(dtype) * element(b, outer, &of_b, dims).cast(dtype);
        sum(product, &[&k])
    })
}

/// The element of an operand in batch `outer` (broadcast) at `matrix` of its last dimensions.
fn element(x: &Tensor, outer: &[Value], matrix: &[Value], dims: &[Expr]) -> Value {
    let own = x.rank().saturating_sub(2).min(outer.len());
    let (batch, extents) = (&outer[outer.len() - own..], &dims[outer.len() - own..outer.len()]);
    let mut indices: Vec<Value> = x
        .shape()
        .iter()
        .zip(batch.iter().zip(extents))
        .map(|(extent, (index, wide))| broadcast_index(extent, index, wide))
        .collect();
    indices.extend_from_slice(matrix);
    x.at_all(&indices)
}

/// `grad @ b^T` and `a^T @ grad`, where an operand of one dimension is a matrix of one row or column.
fn gradient(cx: &InferCx, call: &OpCall<'_>, adjoint: Adjoint<'_>) -> Rule {
    let [a, b] = &gradient::terms(cx, call)[..] else { return Err(InferError::new("`matmul` takes two tensors")) };
    let (of_a, of_b) = (a.rank()?, b.rank()?);
    let grad = in_type_of(call, 0, &Term::new(cx, adjoint.grad.clone()));
    let (left, right) = match (of_a, of_b) {
        (1, 1) => (&grad * b, &grad * a),
        (1, _) => {
            let row = grad.expand_dims(&[-2]);
            (row.matmul(&transposed(b, of_b)), a.expand_dims(&[1]).matmul(&row))
        }
        (_, 1) => {
            let column = grad.expand_dims(&[-1]);
            let of_column = transposed(a, of_a).matmul(&column);
            (column.matmul(&b.expand_dims(&[0])), of_column.squeeze(&[-1]))
        }
        _ => (grad.matmul(&transposed(b, of_b)), transposed(a, of_a).matmul(&grad)),
    };
    let (left, right) = (in_type_of(call, 0, &left), in_type_of(call, 1, &right));
    Ok(Partials::broadcast(vec![Some(left.finish()?), Some(right.finish()?)]))
}

/// The gradient in the data type of an operand, from which that of the result may differ.
fn in_type_of<'c>(call: &OpCall<'_>, operand: usize, term: &Term<'c>) -> Term<'c> {
    match call.tensor(operand) {
        Ok((_, Some(dtype))) => term.astype(dtype),
        _ => term.clone(),
    }
}

/// With the last two dimensions exchanged.
fn transposed<'c>(x: &Term<'c>, rank: usize) -> Term<'c> {
    let mut axes: Vec<i64> = (0..rank as i64).collect();
    axes.swap(rank - 1, rank - 2);
    x.permute(Some(&axes))
}
