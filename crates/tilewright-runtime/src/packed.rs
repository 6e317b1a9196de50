//! Calls of packed functions from machine code: [`PackedArg`]s to [`Value`]s and back.
//!
//! A packed function is safe code and may keep what it gets, but a kernel's memory ends with the kernel. So tensors are
//! copied before the call, and back after it. Tensors that share memory share it in the copy too.

use std::slice;
use std::sync::Arc;

use tilewright_tensor::abi::{PackedArg, PackedTag, TENSOR_ALIGN};
use tilewright_tensor::{DataType, Layout, Tensor, TensorError};

use crate::error::{Error, ErrorKind, Result};
use crate::registry;
use crate::value::Value;

/// Calls the function of this name; its error names it.
///
/// # Safety
/// The arguments are what their tags say, and nobody else uses their tensors' memory meanwhile.
pub(crate) unsafe fn call(name: &str, args: &[PackedArg], result: Option<&mut PackedArg>) -> Result<()> {
    let function = registry::get(name)?;
    let mut lent = Vec::new();
    let mut values = Vec::with_capacity(args.len());
    for (index, arg) in args.iter().enumerate() {
        // SAFETY: the caller's promise.
        let value = unsafe { read(arg, index, &mut lent) };
        values.push(value.map_err(|message| wrong_argument(name, index, message))?);
    }
    let copies = copy_in(&lent).map_err(|error| Error::from(error).in_packed(name))?;
    for (tensor, copy) in lent.iter().zip(&copies) {
        values[tensor.argument] = Value::Tensor(copy.clone());
    }
    let returned = function(&values).map_err(|error| error.in_packed(name))?;
    copy_out(&lent, &copies).map_err(|error| Error::from(error).in_packed(name))?;
    match result {
        Some(result) => write(result, &returned).map_err(|error| error.in_packed(name)),
        None => Ok(()),
    }
}

fn wrong_argument(name: &str, index: usize, message: String) -> Error {
    let function = format!("packed function \"{name}\"");
    ErrorKind::Argument { function, argument: format!("argument {index}"), message }.into()
}

/// A tensor of the kernel's, over its own memory. Never leaves this module.
struct Lent {
    argument: usize,
    tensor: Tensor,
    /// The address of the first element.
    first: usize,
    /// From the first byte of the lowest element to the end of the highest one.
    start: usize,
    end: usize,
    written: bool,
}

/// The value of an argument. In the place of a tensor stands none; `lent` has it.
///
/// # Safety
/// As for [`call`].
unsafe fn read(arg: &PackedArg, index: usize, lent: &mut Vec<Lent>) -> Result<Value, String> {
    Ok(match arg.tag {
        tag if tag == PackedTag::None as u32 => Value::None,
        tag if tag == PackedTag::Bool as u32 => Value::Bool(arg.value != 0),
        tag if tag == PackedTag::Int as u32 || tag == PackedTag::Pointer as u32 => Value::Int(arg.value as i64),
        tag if tag == PackedTag::Float as u32 => Value::Float(f64::from_bits(arg.value)),
        tag if tag == PackedTag::Str as u32 => {
            // SAFETY: the caller's promise.
            let bytes = unsafe { array(arg.value as usize as *const u8, arg.length) }?;
            Value::Str(String::from_utf8_lossy(bytes).into())
        }
        tag if tag == PackedTag::Tensor as u32 || tag == PackedTag::ConstTensor as u32 => {
            // SAFETY: the caller's promise.
            lent.push(unsafe { borrow(arg, index, tag == PackedTag::Tensor as u32) }?);
            Value::None
        }
        other => return Err(format!("has the unknown tag {other}")),
    })
}

/// # Safety
/// As for [`call`].
unsafe fn borrow(arg: &PackedArg, argument: usize, written: bool) -> Result<Lent, String> {
    let text = |error: TensorError| error.to_string();
    let dtype = DataType::try_from(arg.dtype).map_err(text)?;
    // SAFETY: the caller's promise.
    let shape = unsafe { array(arg.shape, arg.length) }?;
    let layout = if arg.strides.is_null() {
        Layout::compact(dtype, shape)
    } else {
        // SAFETY: the caller's promise.
        Layout::strided(dtype, shape, unsafe { array(arg.strides, arg.length) }?)
    };
    let layout = Arc::new(layout.map_err(text)?);
    let first = arg.value as usize as *mut u8;
    if first.is_null() && layout.num_elements() > 0 {
        return Err("is a tensor without memory".to_owned());
    }
    let (low, high) = layout.extent();
    let reach = |distance: i64| first.addr().wrapping_add_signed(distance as isize);
    let (start, end) = (reach(low), reach(high));
    // SAFETY: by the caller's promise the elements are valid while the kernel waits for us, and the tensor is dropped
    // before `call` returns: what the function gets are copies.
    let tensor = unsafe { Tensor::from_foreign(first, layout, false, Box::new(())) };
    Ok(Lent { argument, tensor, first: first.addr(), start, end, written })
}

/// # Safety
/// `data` points to `length` elements, unless `length` is 0.
unsafe fn array<'a, T>(data: *const T, length: i64) -> Result<&'a [T], String> {
    match usize::try_from(length) {
        Ok(0) => Ok(&[]),
        // SAFETY: the caller's promise.
        Ok(length) if !data.is_null() => Ok(unsafe { slice::from_raw_parts(data, length) }),
        _ => Err("has a length, but no contents".to_owned()),
    }
}

/// A copy of each tensor, as far from its neighbours as the original where they share memory.
fn copy_in(lent: &[Lent]) -> Result<Vec<Tensor>, TensorError> {
    let mut order: Vec<usize> = (0..lent.len()).collect();
    order.sort_unstable_by_key(|&index| lent[index].start);
    // Pieces of memory that hold whole tensors: start, end.
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    for tensor in order.iter().map(|&index| &lent[index]) {
        match pieces.last_mut() {
            Some((_, end)) if tensor.start < *end => *end = tensor.end.max(*end),
            _ => pieces.push((tensor.start, tensor.end)),
        }
    }
    // The copies lie on the same side of every power of two up to the alignment of tensors as the originals.
    let base = |start: usize| start - start % TENSOR_ALIGN;
    let memory = |&(start, end): &(usize, usize)| Tensor::zeros(DataType::U8, &[(end - base(start)) as i64]);
    let memory = pieces.iter().map(memory).collect::<Result<Vec<_>, _>>()?;
    let copy = |lent: &Lent| {
        let piece = pieces.partition_point(|&(start, _)| start <= lent.start) - 1;
        let offset = lent.first.wrapping_sub(base(pieces[piece].0));
        let copy = memory[piece].view_as(Arc::clone(lent.tensor.layout()), offset as i64)?;
        copy.overwrite(lent.tensor.to_contiguous()?.as_bytes()?)?;
        Ok(copy)
    };
    lent.iter().map(copy).collect()
}

/// Puts what the function wrote into the kernel's memory.
fn copy_out(lent: &[Lent], copies: &[Tensor]) -> Result<(), TensorError> {
    for (lent, copy) in lent.iter().zip(copies).filter(|(lent, _)| lent.written) {
        lent.tensor.overwrite(copy.to_contiguous()?.as_bytes()?)?;
    }
    Ok(())
}

/// Fills in what the kernel expects.
fn write(result: &mut PackedArg, value: &Value) -> Result<()> {
    result.value = match (result.tag, value) {
        (tag, Value::Bool(value)) if tag == PackedTag::Bool as u32 => u64::from(*value),
        (tag, _) if tag == PackedTag::Bool as u32 => return Err(unexpected("a bool", value)),
        (tag, _) if tag == PackedTag::Int as u32 => value.as_int()? as u64,
        (tag, Value::Float(value)) if tag == PackedTag::Float as u32 => value.to_bits(),
        (tag, Value::Int(_) | Value::Bool(_)) if tag == PackedTag::Float as u32 => (value.as_int()? as f64).to_bits(),
        (tag, _) if tag == PackedTag::Float as u32 => return Err(unexpected("a float", value)),
        _ => return Ok(()),
    };
    Ok(())
}

fn unexpected(expected: &'static str, found: &Value) -> Error {
    ErrorKind::WrongValue { expected, found: found.kind_name() }.into()
}
