//! Functions of tensors: each binds one call of a graph operator, and bears its name. Operators are documented in the
//! op table.

use tilewright_expr::Expr as Scalar;
use tilewright_expr::semantics::Scalar as Element;
use tilewright_ir::Attr;
use tilewright_ir::node::FloatBits;
use tilewright_ir::op::OpDef;
use tilewright_ir::relax::Expr;
use tilewright_ops::{binary, create, indexed, linear_algebra, manipulate, nn, statistical, unary};
use tilewright_te::TeError;
use tilewright_tensor::DataType;

use crate::{Error, Result, Tensor};

/// Attributes, by name.
type Named<const N: usize> = [(&'static str, Attr); N];

fn call<const N: usize>(op: &'static OpDef, args: &[&Tensor], attrs: Named<N>, name: &str) -> Result<Tensor> {
    let graph = args.first().ok_or_else(|| Error::new(format!("`{name}` of no tensors")))?.graph();
    graph.call(op, args.iter().map(|tensor| tensor.expr().clone()).collect(), attrs, name)
}

fn ints(values: &[i64]) -> Attr {
    Attr::Array(values.iter().map(|&value| Attr::Int(value)).collect())
}

fn float(value: f64) -> Attr {
    Attr::Float(FloatBits(value))
}

/// Functions of one tensor without attributes, and of two.
macro_rules! plain {
    ($($name:ident($($arg:ident),+) = $op:path;)*) => {
        $(
            #[doc = concat!("The graph operator `", stringify!($name), "`.")]
            pub fn $name($($arg: &Tensor),+) -> Result<Tensor> {
                call(&$op, &[$($arg),+], [], stringify!($name))
            }
        )*
    };
}

plain! {
    abs(x) = unary::abs::OP;
    ceil(x) = unary::ceil::OP;
    cos(x) = unary::cos::OP;
    erf(x) = unary::erf::OP;
    exp(x) = unary::exp::OP;
    floor(x) = unary::floor::OP;
    log(x) = unary::log::OP;
    negative(x) = unary::negative::OP;
    rsqrt(x) = unary::rsqrt::OP;
    sigmoid(x) = unary::sigmoid::OP;
    sin(x) = unary::sin::OP;
    sqrt(x) = unary::sqrt::OP;
    square(x) = unary::square::OP;
    tanh(x) = unary::tanh::OP;
    gelu(x) = nn::gelu::OP;
    gelu_tanh(x) = nn::gelu_tanh::OP;
    relu(x) = nn::relu::OP;
    silu(x) = nn::silu::OP;
    add(a, b) = binary::add::OP;
    divide(a, b) = binary::divide::OP;
    equal(a, b) = binary::equal::OP;
    greater(a, b) = binary::greater::OP;
    greater_equal(a, b) = binary::greater_equal::OP;
    less(a, b) = binary::less::OP;
    less_equal(a, b) = binary::less_equal::OP;
    matmul(a, b) = linear_algebra::matmul::OP;
    maximum(a, b) = binary::maximum::OP;
    minimum(a, b) = binary::minimum::OP;
    multiply(a, b) = binary::multiply::OP;
    not_equal(a, b) = binary::not_equal::OP;
    power(a, b) = binary::power::OP;
    subtract(a, b) = binary::subtract::OP;
}

/// The elements of `then` where the condition holds, those of `otherwise` elsewhere.
pub fn select(condition: &Tensor, then: &Tensor, otherwise: &Tensor) -> Result<Tensor> {
    call(&binary::r#where::OP, &[condition, then, otherwise], [], "where")
}

/// The elements converted to another data type; a tensor of that type itself.
pub fn astype(x: &Tensor, dtype: DataType) -> Result<Tensor> {
    if x.dtype()? == dtype {
        return Ok(x.clone());
    }
    call(&create::astype::OP, &[x], [("dtype", Attr::DType(dtype))], "astype")
}

/// Exponentials divided by their sum along an axis.
pub fn softmax(x: &Tensor, axis: i64) -> Result<Tensor> {
    call(&nn::softmax::OP, &[x], [("axis", Attr::Int(axis))], "softmax")
}

/// The tensor with its dimensions in another order; reversed where none is given.
pub fn permute_dims(x: &Tensor, axes: Option<&[i64]>) -> Result<Tensor> {
    call(&manipulate::permute_dims::OP, &[x], [("axes", axes.map_or(Attr::None, ints))], "permute_dims")
}

/// The elements in another shape.
pub fn reshape(x: &Tensor, shape: impl IntoIterator<Item = Scalar>) -> Result<Tensor> {
    let args = vec![x.expr().clone(), Expr::shape(shape.into_iter().collect())];
    x.graph().call(&manipulate::reshape::OP, args, [], "reshape")
}

/// The tensor with a new dimension of size 1.
pub fn unsqueeze(x: &Tensor, axis: i64) -> Result<Tensor> {
    call(&manipulate::expand_dims::OP, &[x], [("axis", Attr::Int(axis))], "unsqueeze")
}

/// The tensor without dimensions of size 1.
pub fn squeeze(x: &Tensor, axis: i64) -> Result<Tensor> {
    call(&manipulate::squeeze::OP, &[x], [("axis", Attr::Int(axis))], "squeeze")
}

/// Tensors concatenated along an axis.
pub fn concat(parts: &[&Tensor], axis: i64) -> Result<Tensor> {
    let graph = parts.first().ok_or_else(|| Error::new("`concat` of no tensors"))?.graph();
    let tuple = Expr::tuple(parts.iter().map(|part| part.expr().clone()).collect());
    graph.call(&manipulate::concat::OP, vec![tuple], [("axis", Attr::Int(axis))], "concat")
}

/// `parts` parts of equal size along an axis.
pub fn split(x: &Tensor, sections: i64, axis: i64) -> Result<Vec<Tensor>> {
    let attrs = [("indices_or_sections", Attr::Int(sections)), ("axis", Attr::Int(axis))];
    call(&manipulate::split::OP, &[x], attrs, "split")?.fields("split")
}

/// Each element, or each slice along an axis, repeated.
pub fn repeat(x: &Tensor, repeats: i64, axis: Option<i64>) -> Result<Tensor> {
    let attrs = [("repeats", Attr::Int(repeats)), ("axis", axis.map_or(Attr::None, Attr::Int))];
    call(&manipulate::repeat::OP, &[x], attrs, "repeat")
}

/// The slices with these indices along an axis.
pub fn take(x: &Tensor, indices: &Tensor, axis: i64) -> Result<Tensor> {
    call(&indexed::take::OP, &[x, indices], [("axis", Attr::Int(axis))], "take")
}

/// The sum along axes.
pub fn sum(x: &Tensor, axes: &[i64], keepdims: bool) -> Result<Tensor> {
    call(&statistical::sum::OP, &[x], [("axis", ints(axes)), ("keepdims", Attr::Bool(keepdims))], "sum")
}

/// The greatest element along axes.
pub fn max(x: &Tensor, axes: &[i64], keepdims: bool) -> Result<Tensor> {
    call(&statistical::max::OP, &[x], [("axis", ints(axes)), ("keepdims", Attr::Bool(keepdims))], "max")
}

/// The lower triangle of each matrix, up to a diagonal; zeros elsewhere.
pub fn tril(x: &Tensor, diagonal: i64) -> Result<Tensor> {
    call(&create::tril::OP, &[x], [("k", Attr::Int(diagonal))], "tril")
}

/// The last dimensions, as many as the weight has, brought to mean 0 and variance 1, times the weight plus the bias.
pub fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor, epsilon: f64) -> Result<Tensor> {
    let axes: Vec<i64> = (1..=weight.shape()?.len() as i64).rev().map(|back| -back).collect();
    let attrs =
        [("axes", ints(&axes)), ("epsilon", float(epsilon)), ("center", Attr::Bool(true)), ("scale", Attr::Bool(true))];
    call(&nn::layer_norm::OP, &[x, weight, bias], attrs, "layer_norm")
}

/// The elements divided by the root of their mean square along axes, times a weight.
pub fn rms_norm(x: &Tensor, weight: &Tensor, axes: &[i64], epsilon: f64) -> Result<Tensor> {
    call(&nn::rms_norm::OP, &[x, weight], [("axes", ints(axes)), ("epsilon", float(epsilon))], "rms_norm")
}

/// Groups of channels, each brought to mean 0 and variance 1 over `axes`, times the weight plus the bias of the
/// channel.
pub fn group_norm(
    x: &Tensor,
    groups: i64,
    weight: &Tensor,
    bias: &Tensor,
    epsilon: f64,
    channel_axis: i64,
    axes: &[i64],
) -> Result<Tensor> {
    let attrs = [
        ("num_groups", Attr::Int(groups)),
        ("channel_axis", Attr::Int(channel_axis)),
        ("axes", ints(axes)),
        ("epsilon", float(epsilon)),
        ("center", Attr::Bool(true)),
        ("scale", Attr::Bool(true)),
    ];
    call(&nn::group_norm::OP, &[x, weight, bias], attrs, "group_norm")
}

/// Attention of (batch, queries, heads, width) to (batch, keys, heads, width); `causal` hides keys after a query, a
/// mask is added to the products, the scale is one over the root of the width unless it is given.
pub fn scaled_dot_product_attention(
    query: &Tensor,
    key: &Tensor,
    value: &Tensor,
    mask: Option<&Tensor>,
    causal: bool,
    scale: Option<f64>,
) -> Result<Tensor> {
    let causal = if causal { Attr::str("TopLeft") } else { Attr::None };
    let attrs = [("scale", scale.map_or(Attr::None, float)), ("causal_mask", causal)];
    match mask {
        None => call(&nn::attention::OP, &[query, key, value], attrs, "scaled_dot_product_attention"),
        Some(mask) => call(&nn::attention_bias::OP, &[query, key, value, mask], attrs, "scaled_dot_product_attention"),
    }
}

/// A number as a tensor without dimensions, of the type of another tensor.
pub fn number(value: f64, like: &Tensor) -> Result<Tensor> {
    let dtype = like.dtype()?;
    let bits = match dtype.is_float() {
        true => Element::from_float(value, dtype),
        false => Element::from_int(value as i64, dtype),
    };
    let bytes = &bits.bits().to_le_bytes()[..dtype.element_bytes().min(8)];
    let scalar = tilewright_tensor::Tensor::from_bytes(dtype, &[], bytes);
    let scalar = scalar.map_err(|error| Error::new(error.to_string()))?;
    Ok(like.graph().tensor(Expr::constant(scalar)))
}

/// The result of a formula over the tensors' elements: a PrimFunc of this name is added to the module, and called.
pub fn tensor_expr(
    name: &str,
    args: &[&Tensor],
    formula: impl FnOnce(&[tilewright_te::Tensor]) -> std::result::Result<tilewright_te::Tensor, TeError>,
) -> Result<Tensor> {
    let graph = args.first().ok_or_else(|| Error::new(format!("`{name}` of no tensors")))?.graph();
    let exprs: Vec<Expr> = args.iter().map(|arg| arg.expr().clone()).collect();
    let call = {
        let mut writer = graph.0.borrow_mut();
        tilewright_te::call_te(&mut writer.builder, name, &exprs, |inputs| Ok(vec![formula(inputs)?]))?
    };
    graph.emit(&call, name)
}
