//! Reductions, running sums, products of matrices, and what sorts.

use tilewright_ops::{linear_algebra, sorting, statistical};

use super::table::op_fns;

op_fns! {
    TABLE;
    /// The sum along axes, or of all elements.
    sum(x: Tensor; axis: OptionalIntOrInts = Nothing, keepdims: Bool = Bool(false)) -> Tensor = statistical::sum::OP;
    /// The largest element along axes, or of all.
    max(x: Tensor; axis: OptionalIntOrInts = Nothing, keepdims: Bool = Bool(false)) -> Tensor = statistical::max::OP;
    /// The smallest element along axes, or of all.
    min(x: Tensor; axis: OptionalIntOrInts = Nothing, keepdims: Bool = Bool(false)) -> Tensor = statistical::min::OP;
    /// The mean along axes, or of all elements.
    mean(x: Tensor; axis: OptionalIntOrInts = Nothing, keepdims: Bool = Bool(false)) -> Tensor = statistical::mean::OP;
    /// Running sums along an axis, or of the flat tensor; with `exclusive` without the element itself.
    cumsum(
        data: Tensor;
        axis: OptionalInt = Nothing, dtype: OptionalDType = Nothing, exclusive: OptionalBool = Nothing
    ) -> Tensor = statistical::cumsum::OP;
    /// The product of matrices, of which stacks broadcast; `out_dtype` is the type of sums and results.
    matmul(a: Tensor, b: Tensor; out_dtype: OptionalDType = Nothing) -> Tensor = linear_algebra::matmul::OP;
    /// The elements in order along an axis.
    sort(x: Tensor; axis: Int = Int(-1), descending: Bool = Bool(false)) -> Tensor = sorting::sort::OP;
    /// The indices of the elements in order along an axis.
    argsort(
        data: Tensor;
        axis: Int = Int(-1), descending: Bool = Bool(false), dtype: DType = Str("int32")
    ) -> Tensor = sorting::argsort::OP;
    /// The `k` largest or smallest elements along an axis and their indices, in order: `ret_type` says which of both.
    topk(
        data: Tensor;
        k: Int = Int(1), axis: Int = Int(-1), ret_type: Str = Str("both"), largest: Bool = Bool(true),
        dtype: DType = Str("int32")
    ) -> Value = sorting::topk::OP;
}
