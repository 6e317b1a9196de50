//! Drawing from distributions, which random numbers that are given decide.

use tilewright_expr::Expr as Scalar;
use tilewright_ir::Attr;
use tilewright_ops::{binary, indexed, sampling};
use tilewright_tensor::DataType;

use super::call::constant;
use super::table::op_fns;
use super::{
    Call, Value, arange, astype, cumsum, divide, less, less_equal, max, min, minimum, multiply, reshape, subtract, sum,
    take, r#where,
};
use crate::{Result, Tensor};

op_fns! {
    TABLE;
    /// Indices (m, 1) drawn from the rows of `prob`: for each sample of (m, 1) in [0, 1) from its row.
    ///
    /// `sample_indices` (m, 1) has the rows; without it the rows are drawn from in order.
    multinomial_from_uniform(
        prob: Tensor, uniform_sample: Tensor;
        sample_indices: OptionalTensor = Nothing, dtype: DType = Str("int64")
    ) -> Tensor => drawn;
    /// The probabilities (n, v) of which the largest count, so that these sum to 1; the others are 0.
    ///
    /// Those count that come first in `sorted_prob`, the same in falling order, until they sum to `top_p` (n, 1) or are
    /// `top_k` (n, 1), and those that are as large as the last of them.
    renormalize_top_p_top_k_prob(prob: Tensor, sorted_prob: Tensor, top_p: Tensor, top_k: Tensor) -> Tensor
        => renormalized;
    /// Indices (m, 1) drawn from the rows of falling probabilities (n, v), of which the first count.
    ///
    /// Those count that come first until they sum to `top_p` (n, 1) or are `top_k` (n, 1). `uniform_sample` (m, 1) in
    /// [0, 1) decides; `sample_indices` (m, 1) has the row of each sample, without it the rows are drawn from in order.
    /// `sorted_index` (n, v) has what is drawn.
    sample_top_p_top_k_from_sorted_prob(
        sorted_prob: Tensor, sorted_index: Tensor, top_p: Tensor, top_k: Tensor, uniform_sample: Tensor;
        sample_indices: OptionalTensor = Nothing
    ) -> Tensor => drawn_from_sorted;
}

const I64: DataType = DataType::I64;

fn drawn(call: &Call<'_>) -> Result<Value> {
    let (prob, samples) = (call.tensor("prob")?, call.tensor("uniform_sample")?);
    let rows = rows_of_samples(call, samples)?;
    let dtype = Attr::DType(call.dtype("dtype")?);
    call.op(&sampling::multinomial_from_uniform::OP, &[prob, samples, &rows], [("dtype", dtype)]).map(Into::into)
}

/// The row of each sample: those that are given, or their own.
fn rows_of_samples(call: &Call<'_>, samples: &Tensor) -> Result<Tensor> {
    match call.optional("sample_indices")? {
        Some(rows) => Ok(rows.clone()),
        None => reshape(&count(call, &samples.dim(0)?)?, [samples.dim(0)?, Scalar::i64(1)]),
    }
}

/// The numbers below this one.
fn count(call: &Call<'_>, end: &Scalar) -> Result<Tensor> {
    let options = arange::Options { end: end.into(), dtype: I64.into(), ..Default::default() };
    arange::with(call.graph, 0, options)
}

fn of_i64(call: &Call<'_>, value: i64) -> Result<Tensor> {
    constant(call.graph, &value.into(), I64)
}

/// Which of falling probabilities count: the first one, and others while those before sum to less than `top_p` and
/// are fewer than `top_k`.
fn counted(call: &Call<'_>, sorted_prob: &Tensor) -> Result<Tensor> {
    let (top_p, top_k) = (call.tensor("top_p")?, call.tensor("top_k")?);
    let options = cumsum::Options { axis: 1.into(), exclusive: true.into(), ..Default::default() };
    let before = cumsum::with(sorted_prob, options)?;
    let width = sorted_prob.dim(1)?;
    let index = reshape(&count(call, &width)?, [Scalar::i64(1), width])?;
    let args = [less(&before, top_p)?, less(&index, &astype(top_k, I64)?)?];
    let args = args.map(|tensor| tensor.expr().clone()).to_vec();
    let kept = call.graph.call(&binary::logical_and::OP, args, [], "logical_and")?;
    let args = vec![index.expr().clone(), of_i64(call, 0)?.expr().clone()];
    let first = call.graph.call(&binary::equal::OP, args, [], "equal")?;
    let args = vec![kept.expr().clone(), first.expr().clone()];
    call.graph.call(&binary::logical_or::OP, args, [], "logical_or")
}

/// These parameters are of (rows, 1).
fn check_rows(call: &Call<'_>, names: &[&str]) -> Result<()> {
    for name in names {
        let shape = call.tensor(name)?.shape()?;
        if !matches!(shape, [_, one] if one.as_int() == Some(1)) {
            let dims: Vec<String> = shape.iter().map(tilewright_ops::shapes::dim_text).collect();
            let found = dims.join(", ");
            return Err(call.refused(format_args!("`{name}` has the shape (rows, 1), found [{found}]")));
        }
    }
    Ok(())
}

fn along_rows() -> sum::Options {
    sum::Options { axis: 1.into(), keepdims: true.into() }
}

fn renormalized(call: &Call<'_>) -> Result<Value> {
    check_rows(call, &["top_p", "top_k"])?;
    let (prob, sorted) = (call.tensor("prob")?, call.tensor("sorted_prob")?);
    let largest = constant(call.graph, &f64::INFINITY.into(), sorted.dtype()?)?;
    let counting = r#where(&counted(call, sorted)?, sorted, &largest)?;
    let least = min::with(&counting, min::Options { axis: 1.into(), keepdims: true.into() })?;
    let zero = constant(call.graph, &0.into(), prob.dtype()?)?;
    let kept = r#where(&less(prob, &least)?, &zero, prob)?;
    let total = sum::with(&kept, along_rows())?;
    divide::FN.call(call.graph, vec![kept.into(), total.into()], call.name)
}

fn drawn_from_sorted(call: &Call<'_>) -> Result<Value> {
    check_rows(call, &["top_p", "top_k", "uniform_sample"])?;
    let (sorted, samples) = (call.tensor("sorted_prob")?, call.tensor("uniform_sample")?);
    let rows = rows_of_samples(call, samples)?;
    let counts = counted(call, sorted)?;
    let kept = r#where(&counts, sorted, &constant(call.graph, &0.into(), sorted.dtype()?)?)?;
    let rows = reshape(&rows, [-1])?;
    let of_samples = |x: &Tensor| take::with(x, &rows, take::Options { axis: 0.into() });
    let sums = of_samples(&cumsum::with(&kept, cumsum::Options { axis: 1.into(), ..Default::default() })?)?;
    let total = max::with(&sums, max::Options { axis: 1.into(), keepdims: true.into() })?;
    let below = less_equal(&sums, &multiply(samples, &total)?)?;
    let passed = sum::with(&astype(&below, I64)?, along_rows())?;
    // Rounding may bring a sample that is almost 1 after the last that counts.
    let last = subtract(&sum::with(&of_samples(&astype(&counts, I64)?)?, along_rows())?, 1)?;
    let indices = of_samples(call.tensor("sorted_index")?)?;
    let at = minimum(&passed, &last)?;
    call.op(&indexed::gather_elements::OP, &[&indices, &at], [("axis", Attr::Int(1))]).map(Into::into)
}
