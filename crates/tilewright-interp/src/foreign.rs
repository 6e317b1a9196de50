//! Calls of packed functions from PrimFuncs: numbers and whole buffers out, a number back.
//!
//! Other foreign calls have a meaning for compiled code only, but for the operations of targets that mean the same
//! everywhere.

use tilewright_expr::semantics::{self, Scalar};
use tilewright_ir::low::PACKED_TENSOR;
use tilewright_ir::tir::{Buffer, Builtin, BuiltinEffect, Expr, ExprKind, ForeignCallee};
use tilewright_tensor::{DataType, Tensor};

use crate::error::ErrorKind;
use crate::interpreter::{Interpreter, Res};
use crate::memory::{Memory, View};
use crate::scalar::Val;
use crate::value::Value;

/// A buffer that a call sees as a tensor.
struct Lent {
    name: String,
    tensor: Tensor,
    memory: usize,
    /// The offset of each element in the memory.
    offsets: Vec<usize>,
}

impl Interpreter<'_> {
    pub(crate) fn foreign(&mut self, callee: &ForeignCallee, args: &[Expr], dtype: DataType) -> Res<Val> {
        if let Some(builtin) = callee.builtin() {
            return self.builtin(builtin, args, dtype);
        }
        let ForeignCallee::Packed(name) = callee else {
            let message = format!("`{}` is foreign: only compiled code can call it", callee.name());
            return Err(ErrorKind::Unsupported(message).into());
        };
        if !self.races.is_empty() {
            let message = format!("packed function `{name}` is called in a parallel loop");
            return Err(ErrorKind::Unsupported(message).into());
        }
        let mut lent = Vec::new();
        let values = args.iter().map(|arg| self.packed_argument(arg, &mut lent)).collect::<Res<Vec<_>>>()?;
        let Some(function) = self.packed.get(&**name) else {
            return Err(ErrorKind::Callee(format!("no packed function `{name}` is registered")).into());
        };
        let failed = |message| ErrorKind::Packed { name: name.to_string(), message };
        let result = function(&values).map_err(failed)?;
        for buffer in lent {
            self.take_back(&buffer)?;
        }
        if dtype.is_void() {
            return Ok(Val::One(Scalar::from_bool(false)));
        }
        match result {
            Value::Scalar(found) if !found.dtype().is_float() || dtype.is_float() => {
                Ok(Val::One(semantics::cast(found, dtype)))
            }
            other => Err(failed(format!("expected {dtype} back, found {}", other.describe())).into()),
        }
    }

    /// An operation of targets: those that mean the same everywhere.
    fn builtin(&mut self, builtin: &Builtin, args: &[Expr], dtype: DataType) -> Res<Val> {
        let nothing = Val::One(Scalar::from_bool(false));
        match (builtin.name, builtin.effect, args) {
            ("assume", _, [condition]) => match self.eval(condition)?.lane(0).as_bool() {
                true => Ok(nothing),
                false => Err(ErrorKind::Assert("an assumption of the program".to_owned()).into()),
            },
            // Threads in lockstep meet elsewhere; a single thread waits for no one.
            (_, BuiltinEffect::Barrier | BuiltinEffect::Fence | BuiltinEffect::Hint | BuiltinEffect::Prefetch, _) => {
                Ok(nothing)
            }
            ("tvm_thread_invariant", _, [value]) => self.eval(value),
            ("isnullptr", _, [address]) => {
                self.address(address)?;
                Ok(Val::One(Scalar::from_bool(false)))
            }
            ("undef", ..) => Ok(self.garbage(dtype)),
            _ => {
                let message = format!("`T.{}` has a meaning on some targets only", builtin.name);
                Err(ErrorKind::Unsupported(message).into())
            }
        }
    }

    /// A value of the type that means nothing.
    fn garbage(&mut self, dtype: DataType) -> Val {
        let width = dtype.element_bytes();
        let mut bytes = vec![0; width * usize::from(dtype.lanes)];
        self.random.garbage(dtype, &mut bytes);
        let lane = |bytes: &[u8]| {
            let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            Scalar::from_bits(dtype, bits)
        };
        let lanes: Vec<Scalar> = bytes.chunks(width.max(1)).map(lane).collect();
        match lanes.as_slice() {
            [one] => Val::One(*one),
            _ => Val::Many(lanes.into()),
        }
    }

    /// The memory that an address is in, and the bytes from its start.
    pub(crate) fn address(&mut self, expr: &Expr) -> Res<(usize, i64)> {
        match &expr.kind {
            ExprKind::AddressOf { buffer, indices } => {
                let indices = self.ints(indices)?;
                let view = self.view(buffer)?;
                Ok((view.memory, view.byte(&buffer.name, &indices)?))
            }
            ExprKind::Var(var) => match self.data.get(&var.id()) {
                Some(&address) => Ok(address),
                None => Err(ErrorKind::Unbound { name: var.name.to_string() }.into()),
            },
            ExprKind::Foreign { callee, args } if callee.name() == "tvm_access_ptr" => match args.as_slice() {
                [element, base, offset, ..] => {
                    let (memory, byte) = self.address(base)?;
                    Ok((memory, byte + self.int(offset)? * element.dtype.bytes() as i64))
                }
                _ => Err(ErrorKind::Unsupported("an address without a base".to_owned()).into()),
            },
            _ => Err(ErrorKind::Unsupported("this is no address of a buffer".to_owned()).into()),
        }
    }

    fn packed_argument(&mut self, arg: &Expr, lent: &mut Vec<Lent>) -> Res<Value> {
        match &arg.kind {
            ExprKind::Str(text) => Ok(Value::Str(text.clone())),
            ExprKind::AddressOf { buffer, indices } => {
                self.whole(buffer, indices)?;
                let shape = self.view(buffer)?.shape.to_vec();
                self.lend(buffer, &shape, lent)
            }
            ExprKind::Foreign { callee: ForeignCallee::Packed(name), args } if **name == *PACKED_TENSOR => {
                match args.split_first().map(|(address, dims)| (&address.kind, dims)) {
                    Some((ExprKind::AddressOf { buffer, indices }, dims)) => {
                        self.whole(buffer, indices)?;
                        let shape =
                            dims.iter().map(|dim| Ok(self.eval(dim)?.lane(0).as_int())).collect::<Res<Vec<_>>>()?;
                        self.lend(buffer, &shape, lent)
                    }
                    _ => Err(ErrorKind::Unsupported("a tensor without an address".to_owned()).into()),
                }
            }
            _ => Ok(Value::Scalar(self.eval(arg)?.lane(0))),
        }
    }

    /// An argument is a whole buffer: addresses of other elements are no values here.
    fn whole(&mut self, buffer: &Buffer, indices: &[Expr]) -> Res<()> {
        for index in indices {
            if self.eval(index)?.lane(0).as_int() != 0 {
                let message = format!("the address of an element of `{}` is not a value", buffer.name);
                return Err(ErrorKind::Unsupported(message).into());
            }
        }
        Ok(())
    }

    /// A tensor with the buffer's bytes, written or not.
    fn lend(&mut self, buffer: &Buffer, shape: &[i64], lent: &mut Vec<Lent>) -> Res<Value> {
        let view = self.view(buffer)?;
        let offsets = offsets(&view, &self.memories[view.memory])
            .ok_or_else(|| ErrorKind::OutsideMemory { buffer: buffer.name.to_string(), indices: Vec::new() })?;
        let (bytes, width) = (&self.memories[view.memory].bytes, view.dtype.bytes());
        let contents: Vec<u8> = offsets.iter().flat_map(|&offset| bytes[offset..offset + width].to_vec()).collect();
        let tensor = Tensor::from_bytes(view.dtype, shape, &contents)
            .map_err(|error| ErrorKind::Unsupported(format!("buffer `{}` as a tensor: {error}", buffer.name)))?;
        lent.push(Lent { name: buffer.name.to_string(), tensor: tensor.clone(), memory: view.memory, offsets });
        Ok(Value::Tensor(tensor))
    }

    /// Writes into the memory what the call left in a tensor.
    fn take_back(&mut self, lent: &Lent) -> Res<()> {
        let failed = |error| ErrorKind::Unsupported(format!("buffer `{}` as a tensor: {error}", lent.name));
        let (contents, width) = (lent.tensor.as_bytes().map_err(failed)?, lent.tensor.dtype().bytes());
        let memory = &mut self.memories[lent.memory];
        for (&offset, bytes) in lent.offsets.iter().zip(contents.chunks(width)) {
            let range = offset..offset + width;
            if memory.bytes[range.clone()] != *bytes {
                if memory.read_only {
                    return Err(ErrorKind::ReadOnly { buffer: lent.name.clone() }.into());
                }
                memory.bytes[range.clone()].copy_from_slice(bytes);
                memory.touched = true;
            }
            // Elements that the function does not write count as read: a later reader gets the values that it saw.
            if let Some(written) = &mut memory.written {
                written[range].fill(true);
            }
        }
        Ok(())
    }
}

/// The offsets of the elements of a view in its memory, in row-major order; `None` if one is outside.
fn offsets(view: &View, memory: &Memory) -> Option<Vec<usize>> {
    let mut offsets = Vec::new();
    let mut indices = vec![0i64; view.shape.len()];
    if view.shape.contains(&0) {
        return Some(offsets);
    }
    loop {
        let offset = usize::try_from(view.byte("", &indices).ok()?).ok()?;
        if offset.checked_add(view.dtype.bytes())? > memory.bytes.len() {
            return None;
        }
        offsets.push(offset);
        let Some(axis) = (0..indices.len()).rev().find(|&axis| indices[axis] + 1 < view.shape[axis]) else {
            return Some(offsets);
        };
        indices[axis] += 1;
        indices[axis + 1..].fill(0);
    }
}
