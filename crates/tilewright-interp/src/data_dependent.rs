//! Operators whose result shapes depend on data: `unique`, `nonzero`, slices whose bounds are tensors.

use std::cmp::Ordering;

use tilewright_expr::CmpOp;
use tilewright_expr::semantics::{self, Scalar};
use tilewright_ir::{Attr, Attrs};
use tilewright_tensor::Tensor;

use crate::interpreter::Res;
use crate::memory::element_count;
use crate::value::Value;

/// The elements in row-major order.
fn scalars(tensor: &Tensor) -> Res<Vec<Scalar>> {
    let (whole, dtype) = (tensor.to_contiguous()?, tensor.dtype());
    let scalar =
        |bytes: &[u8]| Scalar::from_bits(dtype, bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)));
    Ok(whole.as_bytes()?.chunks_exact(dtype.bytes()).map(scalar).collect())
}

fn tensor_of(like: &Tensor, shape: &[i64], elements: &[Scalar]) -> Res<Tensor> {
    let width = like.dtype().bytes();
    let bytes: Vec<u8> = elements.iter().flat_map(|e| e.bits().to_le_bytes()[..width].to_vec()).collect();
    Ok(Tensor::from_bytes(like.dtype(), shape, &bytes)?)
}

fn ints(values: Vec<i64>) -> Res<Value> {
    Ok(Value::Tensor(Tensor::from_vec(&[values.len() as i64], values)?))
}

/// By the language's comparison; NaN is greater than every number and equal to itself.
fn order(a: &Scalar, b: &Scalar) -> Ordering {
    let is_nan = |x: &Scalar| !semantics::compare(CmpOp::Eq, *x, *x).as_bool();
    match (is_nan(a), is_nan(b)) {
        (false, false) if semantics::compare(CmpOp::Lt, *a, *b).as_bool() => Ordering::Less,
        (false, false) if semantics::compare(CmpOp::Gt, *a, *b).as_bool() => Ordering::Greater,
        (a, b) => a.cmp(&b),
    }
}

/// The index of the element of this number.
fn index_of(shape: &[i64], number: usize) -> Vec<i64> {
    let (mut rest, mut index) = (number as i64, vec![0; shape.len()]);
    for (index, dim) in index.iter_mut().zip(shape).rev() {
        *index = rest % dim;
        rest /= dim;
    }
    index
}

fn number_of(shape: &[i64], index: &[i64]) -> usize {
    index.iter().zip(shape).fold(0, |number, (index, dim)| number * dim + index) as usize
}

fn flag(attrs: &Attrs, name: &str) -> bool {
    matches!(attrs.get(name), Some(Attr::Bool(true)))
}

/// The distinct slices along a dimension, or the distinct elements.
pub(crate) fn unique(x: &Tensor, attrs: &Attrs) -> Res<Value> {
    let elements = scalars(x)?;
    let axis = attrs.get("axis").and_then(Attr::as_int);
    let (shape, axis) = match axis {
        Some(axis) => (x.shape().to_vec(), axis.rem_euclid(x.ndim() as i64) as usize),
        None => (vec![elements.len() as i64], 0),
    };
    let mut slices: Vec<Vec<Scalar>> = vec![Vec::new(); shape[axis] as usize];
    for (number, element) in elements.iter().enumerate() {
        slices[index_of(&shape, number)[axis] as usize].push(*element);
    }
    // For each distinct slice the index of its first occurrence and the number of occurrences.
    let mut found: Vec<(usize, i64)> = Vec::new();
    let compare = |a: usize, b: usize| {
        let differ = slices[a].iter().zip(&slices[b]).map(|(a, b)| order(a, b)).find(|order| order.is_ne());
        differ.unwrap_or(Ordering::Equal)
    };
    for slice in 0..slices.len() {
        match found.iter_mut().find(|(first, _)| compare(*first, slice).is_eq()) {
            Some((_, count)) => *count += 1,
            None => found.push((slice, 1)),
        }
    }
    if flag(attrs, "sorted") {
        found.sort_by(|a, b| compare(a.0, b.0));
    }
    let mut dims = shape.clone();
    dims[axis] = found.len() as i64;
    let picked = (0..element_count(&dims).unwrap_or(0)).map(|number| {
        let mut index = index_of(&dims, number);
        index[axis] = found[index[axis] as usize].0 as i64;
        elements[number_of(&shape, &index)]
    });
    let mut results = vec![Value::Tensor(tensor_of(x, &dims, &picked.collect::<Vec<_>>())?)];
    if flag(attrs, "return_index") {
        results.push(ints(found.iter().map(|(first, _)| *first as i64).collect())?);
    }
    if flag(attrs, "return_inverse") {
        let index = |slice| found.iter().position(|(first, _)| compare(*first, slice).is_eq()).unwrap_or(0) as i64;
        results.push(ints((0..slices.len()).map(index).collect())?);
    }
    if flag(attrs, "return_counts") {
        results.push(ints(found.iter().map(|(_, count)| *count).collect())?);
    }
    Ok(if results.len() == 1 { results.remove(0) } else { Value::Tuple(results) })
}

/// The indices of the elements that are not 0, a row for each dimension.
pub(crate) fn nonzero(x: &Tensor) -> Res<Value> {
    let shape = if x.ndim() == 0 { vec![1] } else { x.shape().to_vec() };
    let zero = Scalar::from_int(0, x.dtype());
    let mut indices = Vec::new();
    for (number, element) in scalars(x)?.into_iter().enumerate() {
        if !semantics::compare(CmpOp::Eq, element, semantics::cast(zero, x.dtype())).as_bool() {
            indices.push(index_of(&shape, number));
        }
    }
    let rows = (0..shape.len()).flat_map(|at| indices.iter().map(move |index| index[at])).collect();
    Ok(Value::Tensor(Tensor::from_vec(&[shape.len() as i64, indices.len() as i64], rows)?))
}

/// The elements that Python slices name; the error says which bound is wrong.
pub(crate) fn strided_slice(x: &Tensor, bounds: [&Tensor; 3]) -> Res<Result<Value, String>> {
    let mut lists = Vec::new();
    for bound in bounds {
        if bound.shape() != [x.ndim() as i64] {
            return Ok(Err(format!("bounds of shape {:?} for {} dimensions", bound.shape(), x.ndim())));
        }
        lists.push(bound.to_vec::<i64>()?);
    }
    let mut indices: Vec<Vec<i64>> = Vec::new();
    for (at, &extent) in x.shape().iter().enumerate() {
        let stride = lists[2][at];
        if stride == 0 {
            return Ok(Err(format!("a slice cannot step by 0 (dimension {at})")));
        }
        let from_start = |index: i64| i128::from(index) + if index < 0 { i128::from(extent) } else { 0 };
        let (first, end) = (from_start(lists[0][at]), from_start(lists[1][at]));
        // Tests every element by itself: whether it is a whole number of steps from the first index inside.
        let first = if stride > 0 { first.max(0) } else { first.min(i128::from(extent) - 1) };
        let is_taken = |index: i128| {
            let inside = if stride > 0 { index >= first && index < end } else { index <= first && index > end };
            inside && (index - first) % i128::from(stride) == 0
        };
        let mut taken: Vec<i64> = (0..extent).filter(|&index| is_taken(i128::from(index))).collect();
        if stride < 0 {
            taken.reverse();
        }
        indices.push(taken);
    }
    let shape: Vec<i64> = indices.iter().map(|indices| indices.len() as i64).collect();
    let elements = scalars(x)?;
    let element = |number: i64| {
        let index: Vec<i64> =
            index_of(&shape, number as usize).iter().zip(&indices).map(|(&at, indices)| indices[at as usize]).collect();
        elements[number_of(x.shape(), &index)]
    };
    let chosen: Vec<Scalar> = (0..element_count(&shape).unwrap_or(0)).map(|number| element(number as i64)).collect();
    Ok(Ok(Value::Tensor(tensor_of(x, &shape, &chosen)?)))
}
