//! Arguments of kernels, made at random, and the comparison of results.

use tilewright_arith::Analyzer;
use tilewright_expr::node::walk;
use tilewright_expr::semantics::{Scalar, cast};
use tilewright_ir::analysis::tir::walks::substitute;
use tilewright_ir::interface::KernelInterface;
use tilewright_ir::tir::{Expr, PrimFunc, Var};
use tilewright_runtime::Value;
use tilewright_support::Set;
use tilewright_tensor::{DataType, Tensor};

use crate::random::Random;

/// Sizes that every symbolic dimension is given: one row, a few with a tail for every vector, and two larger ones.
const BUCKETS: [i64; 4] = [1, 13, 64, 384];
/// Elements of an argument at most: larger ones are no kernels that are measured in a moment.
const MAX_ELEMENTS: i64 = 1 << 28;

/// The variables of a function whose values its caller chooses and that are sizes of its tensors.
pub(crate) fn size_vars(function: &PrimFunc) -> Vec<Var> {
    let mut mentioned: Set<Var> = Set::default();
    for buffer in function.params.iter().filter_map(|param| param.buffer.as_ref()) {
        walk(&buffer.shape, |e: &Expr| {
            mentioned.extend(e.as_var().cloned());
        });
    }
    let scalars = KernelInterface::scalars_of(function);
    scalars.into_iter().map(|scalar| scalar.var).filter(|var| mentioned.contains(var)).collect()
}

/// The choices of sizes at which a function is measured: one without sizes where all are constant.
pub(crate) fn buckets(function: &PrimFunc) -> Vec<Vec<i64>> {
    match size_vars(function).len() {
        0 => vec![Vec::new()],
        count => BUCKETS.iter().map(|&size| vec![size; count]).collect(),
    }
}

/// The arguments of a function in the order of its parameters; those that it writes hold random numbers as well.
///
/// # Errors
/// A shape that does not follow from the sizes, or is too large.
pub(crate) fn arguments(function: &PrimFunc, sizes: &[i64], most: i64, seed: u64) -> Result<Vec<Value>, String> {
    let vars = size_vars(function);
    let known: Vec<(Var, Expr)> =
        vars.into_iter().zip(sizes).map(|(var, &size)| (var.clone(), Expr::int(size, var.dtype))).collect();
    let analyzer = Analyzer::new();
    let mut random = Random::new(seed);
    let params = function.params.iter().map(|param| {
        let Some(buffer) = &param.buffer else {
            let size = known.iter().find(|(var, _)| *var == param.var).and_then(|(_, size)| size.as_int());
            return Ok(scalar(param.var.dtype, size, most, &mut random));
        };
        let dim = |dim: &Expr| analyzer.simplify(&substitute(dim, &known)).as_int();
        let shape: Option<Vec<i64>> = buffer.shape.iter().map(dim).collect();
        let shape = shape.ok_or_else(|| format!("the shape of `{}` does not follow from its sizes", buffer.name))?;
        let elements = shape.iter().try_fold(1i64, |all, &dim| all.checked_mul(dim.max(0)));
        if elements.is_none_or(|elements| elements > MAX_ELEMENTS) {
            return Err(format!("`{}` has more than {MAX_ELEMENTS} elements", buffer.name));
        }
        tensor(buffer.dtype, &shape, most, &mut random).map(Value::Tensor)
    });
    params.collect()
}

fn scalar(dtype: DataType, size: Option<i64>, most: i64, random: &mut Random) -> Value {
    let value = number(dtype, most, random);
    match (size, dtype) {
        (Some(size), _) => Value::Int(size),
        (None, DataType::BOOL) => Value::Bool(value.as_int() != 0),
        (None, dtype) if dtype.is_float() => Value::Float(value.as_float()),
        (None, _) => Value::Int(value.as_int()),
    }
}

/// Floats in [-1, 1), integers from 0 to `most`, so that they may be indices.
fn number(dtype: DataType, most: i64, random: &mut Random) -> Scalar {
    let value = match dtype.is_float() {
        true => 2.0 * random.share() - 1.0,
        false => (random.share() * (most as f64 + 1.0)).floor(),
    };
    cast(Scalar::from_float(value, DataType::F64), dtype)
}

pub(crate) fn tensor(dtype: DataType, shape: &[i64], most: i64, random: &mut Random) -> Result<Tensor, String> {
    let empty = Tensor::zeros(dtype, shape).map_err(|error| error.to_string())?;
    let width = dtype.element_bytes().max(1);
    let mut bytes = Vec::with_capacity(empty.num_bytes());
    for _ in 0..empty.num_elements() {
        bytes.extend_from_slice(&number(dtype, most, random).bits().to_le_bytes()[..width.min(8)]);
    }
    if bytes.is_empty() || bytes.len() != empty.num_bytes() {
        return Ok(empty);
    }
    Tensor::from_bytes(dtype, shape, &bytes).map_err(|error| error.to_string())
}

/// The first difference between results that schedules of one function may not have. Sums of floats may be taken in
/// another order: elements may differ by a part of the larger of themselves and of the tensor's root mean square.
pub(crate) fn difference(expected: &Tensor, found: &Tensor) -> Option<String> {
    if expected.dtype() != found.dtype() || expected.shape() != found.shape() {
        return Some("the results have other types or shapes".to_owned());
    }
    let dtype = expected.dtype();
    let (Ok(a), Ok(b)) = (expected.as_bytes(), found.as_bytes()) else {
        return Some("the results cannot be read".to_owned());
    };
    if a == b {
        return None;
    }
    let width = dtype.element_bytes().clamp(1, 8);
    let values = |bytes: &[u8]| -> Vec<Scalar> {
        let value = |chunk: &[u8]| {
            let mut bits = [0; 8];
            bits[..chunk.len()].copy_from_slice(chunk);
            Scalar::from_bits(dtype, u64::from_le_bytes(bits))
        };
        bytes.chunks_exact(width).map(value).collect()
    };
    let (a, b) = (values(a), values(b));
    if !dtype.is_float() {
        let at = a.iter().zip(&b).position(|(a, b)| a.as_int() != b.as_int())?;
        return Some(format!("element {at} should be {}, found {}", a[at].as_int(), b[at].as_int()));
    }
    let squares: f64 = a.iter().map(|a| a.as_float().powi(2)).filter(|square| square.is_finite()).sum();
    let typical = (squares / a.len().max(1) as f64).sqrt();
    let differs = |(a, b): (&Scalar, &Scalar)| {
        let (a, b) = (a.as_float(), b.as_float());
        let close = (a - b).abs() <= tolerance(dtype) * a.abs().max(typical);
        !(close || a == b || (a.is_nan() && b.is_nan()))
    };
    let at = a.iter().zip(&b).position(differs)?;
    Some(format!("element {at} should be {}, found {}", a[at].as_float(), b[at].as_float()))
}

/// The relative error of a sum in another order: a few thousand roundings of the type.
fn tolerance(dtype: DataType) -> f64 {
    match dtype.bits {
        64.. => 1e-10,
        32.. => 1e-4,
        _ if dtype == DataType::BF16 => 4e-2,
        _ => 1e-2,
    }
}
