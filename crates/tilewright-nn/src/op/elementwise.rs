//! Element by element: arithmetic, comparisons, activations. Of two operands one may be a number, and their shapes
//! broadcast.

use tilewright_ops::{binary, create, nn, unary};

use super::table::op_fns;
use super::{Call, Value};
use crate::Result;

op_fns! {
    TABLE;
    /// The magnitude.
    abs(x: Tensor) -> Tensor = unary::abs::OP;
    /// The sum.
    add(a: Operand, b: Operand) -> Tensor = binary::add::OP;
    /// The elements converted to another data type; a tensor of that type itself.
    astype(x: Tensor, dtype: DType) -> Tensor => converted;
    /// The next integer upwards.
    ceil(x: Tensor) -> Tensor = unary::ceil::OP;
    /// The cosine.
    cos(x: Tensor) -> Tensor = unary::cos::OP;
    /// The quotient.
    divide(a: Operand, b: Operand) -> Tensor = binary::divide::OP;
    /// Whether elements are equal.
    equal(a: Operand, b: Operand) -> Tensor = binary::equal::OP;
    /// The error function.
    erf(x: Tensor) -> Tensor = unary::erf::OP;
    /// The exponential.
    exp(x: Tensor) -> Tensor = unary::exp::OP;
    /// The next integer downwards.
    floor(x: Tensor) -> Tensor = unary::floor::OP;
    /// `x * Phi(x)` for the normal distribution's `Phi`; with `approximate="tanh"` by the formula with tanh.
    gelu(x: Tensor; approximate: OptionalStr = Nothing) -> Tensor => gaussian_unit;
    /// Whether elements are larger.
    greater(a: Operand, b: Operand) -> Tensor = binary::greater::OP;
    /// Whether elements are larger or equal.
    greater_equal(a: Operand, b: Operand) -> Tensor = binary::greater_equal::OP;
    /// Whether elements are smaller.
    less(a: Operand, b: Operand) -> Tensor = binary::less::OP;
    /// Whether elements are smaller or equal.
    less_equal(a: Operand, b: Operand) -> Tensor = binary::less_equal::OP;
    /// The natural logarithm.
    log(x: Tensor) -> Tensor = unary::log::OP;
    /// The larger element, NaN if one is.
    maximum(x1: Operand, x2: Operand) -> Tensor = binary::maximum::OP;
    /// The smaller element, NaN if one is.
    minimum(x1: Operand, x2: Operand) -> Tensor = binary::minimum::OP;
    /// The product.
    multiply(a: Operand, b: Operand) as "mul" -> Tensor = binary::multiply::OP;
    /// The negative.
    negative(x: Tensor) as "neg" -> Tensor = unary::negative::OP;
    /// Whether elements differ.
    not_equal(a: Operand, b: Operand) -> Tensor = binary::not_equal::OP;
    /// The power.
    power(a: Operand, b: Operand) -> Tensor = binary::power::OP;
    /// `max(x, 0)`.
    relu(x: Tensor) -> Tensor = nn::relu::OP;
    /// The nearest integer, the even one of two.
    round(x: Tensor) -> Tensor = unary::round::OP;
    /// One by the square root.
    rsqrt(x: Tensor) -> Tensor = unary::rsqrt::OP;
    /// `1 / (1 + exp(-x))`.
    sigmoid(x: Tensor) -> Tensor = unary::sigmoid::OP;
    /// `x * sigmoid(x)`.
    silu(x: Tensor) -> Tensor = nn::silu::OP;
    /// The sine.
    sin(x: Tensor) -> Tensor = unary::sin::OP;
    /// Exponentials divided by their sum along an axis.
    softmax(x: Tensor; axis: Int = Int(-1)) -> Tensor = nn::softmax::OP;
    /// `log(1 + exp(x))`.
    softplus(x: Tensor; beta: Float = Float(1.0), threshold: Float = Float(20.0)) -> Tensor = nn::softplus::OP;
    /// The square root.
    sqrt(x: Tensor) -> Tensor = unary::sqrt::OP;
    /// The square.
    square(x: Tensor) -> Tensor = unary::square::OP;
    /// The difference.
    subtract(a: Operand, b: Operand) -> Tensor = binary::subtract::OP;
    /// The hyperbolic tangent.
    tanh(x: Tensor) -> Tensor = unary::tanh::OP;
    /// `x1` where the condition holds, else `x2`; shapes broadcast.
    r#where(condition: Tensor, x1: Operand, x2: Operand) -> Tensor => chosen;
}

fn converted(call: &Call<'_>) -> Result<Value> {
    let (x, dtype) = (call.tensor("x")?, call.dtype("dtype")?);
    if x.expr().struct_info.dtype() == Some(dtype) {
        return Ok(x.clone().into());
    }
    call.op(&create::astype::OP, &[x], [("dtype", tilewright_ir::Attr::DType(dtype))]).map(Into::into)
}

fn gaussian_unit(call: &Call<'_>) -> Result<Value> {
    let tanh = call.attr("approximate")?.as_str() == Some("tanh");
    let op = if tanh { &nn::gelu_tanh::OP } else { &nn::gelu::OP };
    call.op(op, &[call.tensor("x")?], []).map(Into::into)
}

fn chosen(call: &Call<'_>) -> Result<Value> {
    let condition = astype(call.tensor("condition")?, tilewright_tensor::DataType::BOOL)?;
    let (then, otherwise) = call.operands("x1", "x2")?;
    call.op(&binary::r#where::OP, &[&condition, &then, &otherwise], []).map(Into::into)
}
