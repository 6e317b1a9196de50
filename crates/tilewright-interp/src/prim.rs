//! A run of a PrimFunc: arguments in, memory, results out.

use std::rc::Rc;

use tilewright_expr::semantics::Scalar;
use tilewright_ir::empty_reduction::with_inits_alone;
use tilewright_ir::tir::{Buffer, Expr, Param, PrimFunc, Scope, attr_names};
use tilewright_tensor::Tensor;

use crate::InterpCx;
use crate::error::{ErrorKind, InterpError};
use crate::interpreter::{Interpreter, Res, refuse_packed};
use crate::memory::{View, compact_strides};
use crate::scalar::Val;
use crate::value::Arg;

pub(crate) fn run(cx: &InterpCx, name: &str, function: &PrimFunc, args: &[Arg]) -> Result<(), InterpError> {
    let written_out = with_inits_alone(function);
    let mut interpreter = Interpreter::new(cx, name);
    run_in(&mut interpreter, written_out.as_ref().unwrap_or(function), args)
        .map_err(|error| error.located(|| interpreter.location()))
}

fn run_in<'a>(interpreter: &mut Interpreter<'a>, function: &'a PrimFunc, args: &[Arg]) -> Res<()> {
    if function.params.len() != args.len() {
        let problem = format!("expected {} arguments, found {}", function.params.len(), args.len());
        return Err(ErrorKind::Callee(problem).into());
    }
    let bound = bind(interpreter, &function.params, args)?;
    interpreter.exec(&function.body)?;
    finish(interpreter, function, &bound)
}

/// A tensor argument in the interpreter's memory.
struct Bound<'t> {
    name: String,
    tensor: &'t Tensor,
    memory: usize,
    /// Bytes from the start of the memory to the first element.
    offset: i64,
    fresh: bool,
}

fn wrong(param: &Param, problem: String) -> InterpError {
    let param = param.buffer.as_ref().map_or(&param.var.name, |b| &b.name).to_string();
    ErrorKind::Argument { param, problem }.into()
}

fn bind<'t>(interpreter: &mut Interpreter<'_>, params: &[Param], args: &'t [Arg]) -> Res<Vec<Bound<'t>>> {
    let mut tensors: Vec<(&Param, &Buffer, Bound<'t>)> = Vec::new();
    for (param, arg) in params.iter().zip(args) {
        match (&param.buffer, arg) {
            (Some(buffer), Arg::Tensor(tensor) | Arg::Destination(tensor)) => {
                refuse_packed(buffer)?;
                check_tensor(param, buffer, tensor)?;
                let fresh = matches!(arg, Arg::Destination(_));
                let name = buffer.name.to_string();
                tensors.push((param, buffer, Bound { name, tensor, memory: 0, offset: 0, fresh }));
            }
            (None, Arg::Scalar(scalar)) if scalar.dtype() == param.var.dtype => {
                interpreter.vars.insert(param.var.id(), Val::One(*scalar));
            }
            (Some(_), Arg::Scalar(scalar)) => return Err(wrong(param, format!("expected a tensor, found {scalar:?}"))),
            (None, Arg::Scalar(scalar)) => {
                return Err(wrong(param, format!("expected {}, found {scalar:?}", param.var.dtype)));
            }
            (None, Arg::Tensor(tensor) | Arg::Destination(tensor)) => {
                return Err(wrong(param, format!("expected {}, found {tensor:?}", param.var.dtype)));
            }
        }
    }
    share_memory(interpreter, tensors.iter_mut().map(|(.., bound)| bound).collect())?;
    for (param, buffer, bound) in &tensors {
        let strides = bound.tensor.strides();
        let fits = (interpreter.bind_dims(&buffer.shape, bound.tensor.shape()))
            .and_then(|()| interpreter.bind_dims(&buffer.strides, strides))
            .and_then(|()| interpreter.bind_dims(buffer.elem_offset.as_slice(), &[0]));
        fits.map_err(|problem| wrong(param, problem))?;
    }
    for (param, buffer, bound) in &tensors {
        let view = param_view(interpreter, buffer, bound).map_err(|e| match e {
            Problem::Text(problem) => wrong(param, problem),
            Problem::Error(error) => error,
        })?;
        interpreter.data.insert(buffer.data.id(), (bound.memory, bound.offset));
        interpreter.views.insert(buffer.id(), Rc::new(view));
    }
    Ok(tensors.into_iter().map(|(.., bound)| bound).collect())
}

enum Problem {
    Text(String),
    Error(InterpError),
}

impl From<InterpError> for Problem {
    fn from(error: InterpError) -> Self {
        Self::Error(error)
    }
}

fn check_tensor(param: &Param, buffer: &Buffer, tensor: &Tensor) -> Res<()> {
    if tensor.dtype() != buffer.dtype {
        return Err(wrong(param, format!("expected dtype {}, found {}", buffer.dtype, tensor.dtype())));
    }
    if tensor.ndim() != buffer.rank() {
        return Err(wrong(param, format!("expected {} dimensions, found {}", buffer.rank(), tensor.ndim())));
    }
    Ok(())
}

/// The view of a parameter, its shape and strides compared with the tensor's.
fn param_view(interpreter: &mut Interpreter<'_>, buffer: &Buffer, bound: &Bound<'_>) -> Result<View, Problem> {
    let (tensor, shape) = (bound.tensor, interpreter.ints(&buffer.shape)?);
    if shape != tensor.shape() {
        return Err(Problem::Text(format!("expected shape {shape:?}, found {:?}", tensor.shape())));
    }
    let strides =
        if buffer.strides.is_empty() { compact_strides(&shape) } else { interpreter.ints(&buffer.strides)? };
    let matter = tensor.num_elements() > 0;
    if matter && (shape.iter().zip(&strides).zip(tensor.strides())).any(|((&dim, a), b)| dim > 1 && a != b) {
        return Err(Problem::Text(format!("expected strides {strides:?}, found {:?}", tensor.strides())));
    }
    if let Some(offset) = &buffer.elem_offset
        && interpreter.int(offset)? != 0
    {
        return Err(Problem::Text("an argument starts at its first element: its offset is 0".to_owned()));
    }
    let (memory, dtype) = (bound.memory, buffer.dtype);
    Ok(View { memory, offset: bound.offset, dtype, shape: shape.into(), strides: strides.into() })
}

/// Copies the tensors into memory. Tensors that overlap share one, so that they overlap in the run as well.
fn share_memory(interpreter: &mut Interpreter<'_>, mut bound: Vec<&mut Bound<'_>>) -> Res<()> {
    let range = |tensor: &Tensor| {
        let (low, high) = tensor.layout().extent();
        let first = tensor.data_ptr() as usize;
        (first.wrapping_add_signed(low as isize), first.wrapping_add_signed(high as isize))
    };
    bound.sort_by_key(|b| range(b.tensor));
    let mut rest = bound.as_mut_slice();
    while let Some(first) = rest.first() {
        let (start, mut end) = range(first.tensor);
        let mut count = 1;
        while let Some(next) = rest.get(count)
            && first.tensor.num_elements() > 0
            && next.tensor.num_elements() > 0
            && range(next.tensor).0 < end
        {
            end = end.max(range(next.tensor).1);
            count += 1;
        }
        let (group, others) = rest.split_at_mut(count);
        let fresh = count == 1 && group[0].fresh;
        let memory = interpreter.add_memory(vec![0; end - start], fresh, Scope::Global);
        for member in group.iter_mut() {
            member.memory = memory;
            member.offset = (member.tensor.data_ptr() as usize).wrapping_sub(start) as i64;
            copy_in(&mut interpreter.memories[memory].bytes, member)?;
            interpreter.memories[memory].read_only |= member.tensor.is_read_only();
        }
        rest = others;
    }
    Ok(())
}

/// Calls `visit` with the byte of each element within its memory, in row-major order.
fn each_element(bound: &Bound<'_>, mut visit: impl FnMut(usize, usize)) {
    let (tensor, size) = (bound.tensor, bound.tensor.dtype().bytes());
    let mut indices = vec![0i64; tensor.ndim()];
    for number in 0..tensor.num_elements() {
        let element: i64 = indices.iter().zip(tensor.strides()).map(|(i, s)| i * s).sum();
        visit(number * size, (bound.offset + element * size as i64) as usize);
        for axis in (0..indices.len()).rev() {
            indices[axis] += 1;
            if indices[axis] < tensor.shape()[axis] {
                break;
            }
            indices[axis] = 0;
        }
    }
}

fn copy_in(memory: &mut [u8], bound: &Bound<'_>) -> Res<()> {
    let (tensor, size) = (bound.tensor.to_contiguous()?, bound.tensor.dtype().bytes());
    let bytes = tensor.as_bytes()?;
    if bound.tensor.is_contiguous() {
        let start = bound.offset as usize;
        memory[start..start + bytes.len()].copy_from_slice(bytes);
    } else {
        each_element(bound, |from, to| memory[to..to + size].copy_from_slice(&bytes[from..from + size]));
    }
    Ok(())
}

/// Writes the memory back to the tensors, after a look at the promise that they do not overlap.
fn finish(interpreter: &Interpreter<'_>, function: &PrimFunc, bound: &[Bound<'_>]) -> Res<()> {
    let noalias = function.attrs.get(attr_names::NOALIAS).is_some_and(tilewright_ir::Attr::is_true);
    for (i, argument) in bound.iter().enumerate() {
        let memory = &interpreter.memories[argument.memory];
        if !memory.touched || argument.tensor.is_read_only() {
            continue;
        }
        if let Some(other) = bound[..i].iter().find(|b| b.memory == argument.memory && noalias) {
            let params = vec![format!("`{}`", other.name), format!("`{}`", argument.name)];
            return Err(ErrorKind::Overlap { params }.into());
        }
        let size = argument.tensor.dtype().bytes();
        if argument.tensor.is_contiguous() {
            let start = argument.offset as usize;
            argument.tensor.overwrite(&memory.bytes[start..start + argument.tensor.num_bytes()])?;
        } else {
            let mut bytes = vec![0; argument.tensor.num_bytes()];
            each_element(argument, |to, from| bytes[to..to + size].copy_from_slice(&memory.bytes[from..from + size]));
            argument.tensor.overwrite(&bytes)?;
        }
    }
    Ok(())
}

impl Interpreter<'_> {
    /// Defines the variables among `exprs` that have no value yet by the corresponding values.
    pub(crate) fn bind_dims(&mut self, exprs: &[Expr], values: &[i64]) -> Result<(), String> {
        for (expr, &value) in exprs.iter().zip(values) {
            if let Some(var) = expr.as_var()
                && !self.vars.contains_key(&var.id())
            {
                let scalar = Scalar::from_int(value, var.dtype);
                if scalar.as_int() != value {
                    return Err(format!("{value} does not fit `{}` of type {}", var.name, var.dtype));
                }
                self.vars.insert(var.id(), Val::One(scalar));
            }
        }
        Ok(())
    }
}
