//! Operators whose result shapes depend on data: `unique`, `nonzero`, slices whose bounds are tensors.
//!
//! Elements are told apart and put in order by a number of 64 bits for each: NaN is greater than every number and equal
//! to itself, zeros of both signs are equal.

use tilewright_tensor::{DataType, Tensor, TypeCode};

use crate::builtins::{Builtin, refused, wrong_arguments};
use crate::error::Result;
use crate::value::Value;

/// The functions of this file.
pub(crate) const ALL: [(&str, Builtin); 3] = [
    ("relax.run.unique", unique),
    ("relax.run.nonzero", nonzero),
    ("relax.run.dynamic_strided_slice", dynamic_strided_slice),
];

/// Above the magnitude of every number: no bits of a smaller float are more than 32, and those of `float64` lie below.
const ZERO: u64 = 1 << 63;

/// Numbers in the order of the elements.
fn keys(tensor: &Tensor) -> Result<Vec<u64>> {
    let dtype = tensor.dtype();
    let infinity = match (dtype.code, dtype.bits) {
        (TypeCode::Int | TypeCode::UInt | TypeCode::Bool, 8 | 16 | 32 | 64) => 0,
        (TypeCode::Float, 16) => 0x7c00,
        (TypeCode::BFloat, 16) => 0x7f80,
        (TypeCode::Float, 32) => 0x7f80_0000,
        (TypeCode::Float, 64) => 0x7ff0_0000_0000_0000,
        _ => return Err(refused(format!("elements of {dtype} are not put in order"))),
    };
    let whole = tensor.to_contiguous()?;
    let width = u32::from(dtype.bits);
    let key = |bytes: &[u8]| {
        let bits = bytes.iter().rev().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
        let (negative, magnitude) = (bits >> (width - 1) == 1, bits & !(1 << (width - 1)));
        match dtype.code {
            TypeCode::UInt | TypeCode::Bool => bits,
            TypeCode::Int => (((bits << (64 - width)) as i64 >> (64 - width)) as u64) ^ ZERO,
            _ if magnitude > infinity => u64::MAX,
            _ if negative => ZERO - magnitude,
            _ => ZERO + magnitude,
        }
    };
    Ok(whole.as_bytes()?.chunks_exact(dtype.bytes()).map(key).collect())
}

/// Whether the key is that of a 0.
fn is_zero(dtype: DataType, key: u64) -> bool {
    match dtype.code {
        TypeCode::UInt | TypeCode::Bool => key == 0,
        _ => key == ZERO,
    }
}

fn int_tensor(values: Vec<i64>) -> Result<Value> {
    Ok(Tensor::from_vec(&[values.len() as i64], values)?.into())
}

/// A tensor as slices along a dimension: how many there are, and the elements of each by their numbers in the tensor.
struct Slices {
    count: usize,
    inner: usize,
    outer: usize,
}

impl Slices {
    fn element(&self, slice: usize, at: usize) -> usize {
        (at / self.inner * self.count + slice) * self.inner + at % self.inner
    }

    fn size(&self) -> usize {
        self.inner * self.outer
    }
}

fn size(dim: i64) -> usize {
    usize::try_from(dim).unwrap_or(0)
}

/// The slices along a dimension with the tensor's shape and that dimension, or the elements as slices along one.
fn slices_of(x: &Tensor, axis: &Value) -> Result<(Vec<i64>, Slices, usize)> {
    let Value::Int(axis) = axis else {
        return Ok((vec![0], Slices { count: x.num_elements(), inner: 1, outer: 1 }, 0));
    };
    let rank = x.ndim() as i64;
    let from_start = if *axis < 0 { axis.saturating_add(rank) } else { *axis };
    let Some(at) = usize::try_from(from_start).ok().filter(|at| *at < x.ndim()) else {
        return Err(refused(format!("a tensor of {rank} dimensions has no dimension {axis}")));
    };
    let product = |dims: &[i64]| dims.iter().map(|&dim| size(dim)).product::<usize>();
    let (before, after) = (&x.shape()[..at], &x.shape()[at + 1..]);
    let slices = Slices { count: size(x.shape()[at]), inner: product(after), outer: product(before) };
    Ok((x.shape().to_vec(), slices, at))
}

/// The numbers of equal slices, each group in order; the groups in the order of the slices or of their first
/// appearance.
fn groups(keys: &[u64], slices: &Slices, sorted: bool) -> Vec<Vec<usize>> {
    let slice = |number: usize| (0..slices.size()).map(move |at| keys[slices.element(number, at)]);
    let mut order: Vec<usize> = (0..slices.count).collect();
    order.sort_by(|&a, &b| slice(a).cmp(slice(b)));
    // Equal slices stand side by side, the first of them first.
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for number in order {
        match groups.last_mut() {
            Some(group) if slice(group[0]).eq(slice(number)) => group.push(number),
            _ => groups.push(vec![number]),
        }
    }
    if !sorted {
        groups.sort_by_key(|group| group[0]);
    }
    groups
}

/// The groups of equal slices.
enum Distinct {
    /// The numbers of the slices of each group.
    Groups(Vec<Vec<usize>>),
    /// So many slices without elements, which are all equal: their number says nothing of how much memory there is.
    Alike(usize),
}

impl Distinct {
    /// The first slice of each group.
    fn firsts(&self) -> Vec<usize> {
        match self {
            Self::Groups(groups) => groups.iter().map(|group| group[0]).collect(),
            Self::Alike(count) => (0..(*count).min(1)).collect(),
        }
    }

    /// How many slices each group has.
    fn counts(&self) -> Vec<i64> {
        match self {
            Self::Groups(groups) => groups.iter().map(|group| group.len() as i64).collect(),
            Self::Alike(0) => Vec::new(),
            Self::Alike(count) => vec![*count as i64],
        }
    }

    /// The group of each slice.
    fn numbers(&self, count: usize) -> Result<Vec<i64>> {
        let mut numbers = Vec::new();
        if numbers.try_reserve_exact(count).is_err() {
            return Err(refused(format!("out of memory: cannot number {count} slices")));
        }
        numbers.resize(count, 0);
        if let Self::Groups(groups) = self {
            for (number, group) in groups.iter().enumerate() {
                group.iter().for_each(|&slice| numbers[slice] = number as i64);
            }
        }
        Ok(numbers)
    }
}

/// `(sorted, return_index, return_inverse, return_counts, axis, tensor)`.
fn unique(args: &[Value]) -> Result<Value> {
    let [Value::Bool(sorted), Value::Bool(index), Value::Bool(inverse), Value::Bool(counts), axis, Value::Tensor(x)] =
        args
    else {
        return Err(wrong_arguments("four bools, a dimension and a tensor", args));
    };
    let (mut dims, slices, axis) = slices_of(x, axis)?;
    let distinct = match slices.size() {
        0 => Distinct::Alike(slices.count),
        _ => Distinct::Groups(groups(&keys(x)?, &slices, *sorted)),
    };
    let kept = distinct.firsts();
    dims[axis] = kept.len() as i64;
    let mut results: Vec<Value> = vec![picked(x, &slices, &kept, &dims)?.into()];
    if *index {
        results.push(int_tensor(kept.iter().map(|&slice| slice as i64).collect())?);
    }
    if *inverse {
        results.push(int_tensor(distinct.numbers(slices.count)?)?);
    }
    if *counts {
        results.push(int_tensor(distinct.counts())?);
    }
    match results.len() {
        1 => Ok(results.remove(0)),
        _ => Ok(Value::tuple(results)),
    }
}

/// The slices of these numbers as a tensor of this shape.
fn picked(x: &Tensor, slices: &Slices, kept: &[usize], dims: &[i64]) -> Result<Tensor> {
    let (whole, width) = (x.to_contiguous()?, x.dtype().bytes());
    let from = whole.as_bytes()?;
    let mut bytes = Vec::with_capacity(kept.len() * slices.size() * width);
    // Slices without elements have no first one.
    let outer = if slices.size() == 0 { 0 } else { slices.outer };
    for outer in 0..outer {
        for &slice in kept {
            let first = slices.element(slice, outer * slices.inner) * width;
            bytes.extend_from_slice(&from[first..first + slices.inner * width]);
        }
    }
    Ok(Tensor::from_bytes(x.dtype(), dims, &bytes)?)
}

/// `(tensor)`: the indices of the elements that are not 0, a row for each dimension; a tensor without dimensions counts
/// as one of one.
fn nonzero(args: &[Value]) -> Result<Value> {
    let [Value::Tensor(x)] = args else { return Err(wrong_arguments("a tensor", args)) };
    let dims: Vec<i64> = if x.ndim() == 0 { vec![1] } else { x.shape().to_vec() };
    let indices: Vec<i64> = keys(x)?
        .into_iter()
        .enumerate()
        .filter(|(_, key)| !is_zero(x.dtype(), *key))
        .map(|(index, _)| index as i64)
        .collect();
    let mut rows = Vec::with_capacity(dims.len() * indices.len());
    let mut stride: i64 = dims.iter().product();
    for &dim in &dims {
        // If a dimension is 0 there are no indices.
        stride /= dim.max(1);
        rows.extend(indices.iter().map(|index| index / stride.max(1) % dim.max(1)));
    }
    Ok(Tensor::from_vec(&[dims.len() as i64, indices.len() as i64], rows)?.into())
}

/// `(tensor, begin, end, strides)`, the last three one `int64` for each dimension, as Python slices.
fn dynamic_strided_slice(args: &[Value]) -> Result<Value> {
    let [Value::Tensor(x), Value::Tensor(begin), Value::Tensor(end), Value::Tensor(strides)] = args else {
        return Err(wrong_arguments("four tensors", args));
    };
    let list = |tensor: &Tensor| -> Result<Vec<i64>> {
        match tensor.shape() == [x.ndim() as i64] {
            true => Ok(tensor.to_vec::<i64>()?),
            false => Err(refused(format!("bounds of shape {:?} for {} dimensions", tensor.shape(), x.ndim()))),
        }
    };
    let (begin, end, strides) = (list(begin)?, list(end)?, list(strides)?);
    let mut dims = Vec::new();
    for (at, &extent) in x.shape().iter().enumerate() {
        let stride = strides[at];
        if stride == 0 {
            return Err(refused(format!("a slice cannot step by 0 (dimension {at})")));
        }
        let (min, max) = if stride > 0 { (0, extent) } else { (-1, extent - 1) };
        let held = |bound: i64| (if bound < 0 { bound.saturating_add(extent) } else { bound }).clamp(min, max);
        let (from, to) = (held(begin[at]), held(end[at]));
        let distance = if stride > 0 { to - from } else { from - to }.max(0) as u64;
        dims.push((from, stride, distance.div_ceil(stride.unsigned_abs()) as i64));
    }
    let shape: Vec<i64> = dims.iter().map(|(_, _, count)| *count).collect();
    let (whole, width) = (x.to_contiguous()?, x.dtype().bytes());
    let from = whole.as_bytes()?;
    let count: usize = shape.iter().map(|&count| size(count)).product();
    let mut bytes = Vec::with_capacity(count * width);
    for number in 0..count {
        let (mut rest, mut source, mut step) = (number as i64, 0, 1);
        for (&(first, stride, count), &extent) in dims.iter().zip(x.shape()).rev() {
            source += (first + rest % count * stride) * step;
            rest /= count;
            step *= extent;
        }
        let first = size(source) * width;
        bytes.extend_from_slice(&from[first..first + width]);
    }
    Ok(Tensor::from_bytes(x.dtype(), &shape, &bytes)?.into())
}
