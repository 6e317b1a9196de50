//! Running a function: the loop over its instructions.
//!
//! The program is verified: indices are in range, registers and slots that are read were written, jumps go forward.

use std::sync::Arc;

use tilewright_support::with_stack;
use tilewright_tensor::{DataType, Layout, Tensor};
use tilewright_vm_program::{Access, Dim, DimOp, Function, Instruction, Kernel, Literal, Reg, Scalar, Storage};

use crate::error::{Error, ErrorKind, Result};
use crate::machine::Machine;
use crate::matching;
use crate::prepare::{Fact, Frame};
use crate::value::Value;

/// Calls within calls; more is a recursion that does not end.
const MAX_DEPTH: usize = 10_000;
/// Kernel arguments that need no memory from the heap.
const INLINE_ARGUMENTS: usize = 16;

/// Calls a function with values that are checked first.
pub(crate) fn call(machine: &Machine, index: u32, args: &[Value], depth: usize) -> Result<Value> {
    let function = &machine.program().functions[index as usize];
    if depth >= MAX_DEPTH {
        return Err(failed(function, format!("more than {MAX_DEPTH} calls within one another")));
    }
    let prepared = &machine.functions[index as usize];
    let mut frame = prepared.frame(function)?;
    let run = Run { machine, function, facts: &prepared.facts, depth };
    let outcome = match matching::match_arguments(function, args, &mut frame.slots) {
        Ok(()) => {
            frame.registers[..args.len()].clone_from_slice(args);
            run.instructions(&mut frame)
        }
        Err(error) => Err(error),
    };
    prepared.give_back(frame);
    outcome
}

fn failed(function: &Function, message: String) -> Error {
    ErrorKind::Run { function: function.name.clone(), message }.into()
}

struct Run<'a> {
    machine: &'a Machine,
    function: &'a Function,
    facts: &'a [Fact],
    depth: usize,
}

impl Run<'_> {
    fn instructions(&self, frame: &mut Frame) -> Result<Value> {
        let mut next = 0;
        loop {
            let instruction = &self.function.instructions[next];
            let fact = &self.facts[next];
            next += 1;
            match instruction {
                Instruction::CallKernel { kernel, tensors, scalars } => {
                    self.call_kernel(frame, *kernel, tensors, scalars, fact)?;
                }
                Instruction::CallPacked { dst, name, args } => self.call_packed(frame, *dst, *name, args)?,
                Instruction::CallFunction { dst, function, args } => {
                    let args: Vec<_> = args.iter().map(|&reg| value(frame, reg).clone()).collect();
                    let result = with_stack(|| call(self.machine, *function, &args, self.depth + 1))?;
                    set(frame, *dst, result);
                }
                Instruction::AllocTensor { dst, dtype, shape, storage } => {
                    let tensor = self.alloc(frame, *dtype, shape, *storage, fact)?;
                    set(frame, *dst, Value::Tensor(tensor));
                }
                Instruction::LoadConst { dst, constant } => {
                    let constant = self.machine.executable.constant(*constant)?;
                    set(frame, *dst, Value::Tensor(constant));
                }
                Instruction::LoadLiteral { dst, value } => set(frame, *dst, literal(value)),
                Instruction::MakeTuple { dst, items } => {
                    let tuple = items.iter().map(|&reg| value(frame, reg).clone()).collect();
                    set(frame, *dst, Value::Tuple(tuple));
                }
                Instruction::GetItem { dst, tuple, index } => {
                    let item = self.item(value(frame, *tuple), *index)?;
                    set(frame, *dst, item);
                }
                Instruction::MakeShape { dst, dims } => {
                    let dims = dims.iter().map(|&dim| self.size(frame, dim)).collect::<Result<_>>()?;
                    set(frame, *dst, Value::Shape(dims));
                }
                Instruction::Move { dst, src } => {
                    let moved = value(frame, *src).clone();
                    set(frame, *dst, moved);
                }
                Instruction::Match { value, kind } => {
                    let value = &frame.registers[value.0 as usize];
                    matching::match_value(self.function, kind, value, &mut frame.slots)
                        .map_err(|message| self.failed(format!("a value inside the function: {message}")))?;
                }
                Instruction::ComputeDim { dst, op, lhs, rhs } => {
                    let (lhs, rhs) = (self.size(frame, *lhs)?, self.size(frame, *rhs)?);
                    frame.slots[*dst as usize] = Some(self.compute(*dst, *op, lhs, rhs)?);
                }
                Instruction::ReadDim { dst, src } => {
                    let size = value(frame, *src).as_int().map_err(|error| self.failed(error.to_string()))?;
                    frame.slots[*dst as usize] = Some(size);
                }
                Instruction::Kill { reg } => set(frame, *reg, Value::None),
                Instruction::If { cond, otherwise } => {
                    if !self.condition(value(frame, *cond))? {
                        next = *otherwise as usize;
                    }
                }
                Instruction::Goto { target } => next = *target as usize,
                Instruction::Ret { value } => {
                    return Ok(std::mem::take(&mut frame.registers[value.0 as usize]));
                }
            }
        }
    }

    fn failed(&self, message: String) -> Error {
        failed(self.function, message)
    }

    fn call_kernel(&self, frame: &Frame, index: u32, tensors: &[Reg], scalars: &[Scalar], fact: &Fact) -> Result<()> {
        let kernel = &self.machine.program().kernels[index as usize];
        let mut inline_addresses = [std::ptr::null_mut(); INLINE_ARGUMENTS];
        let mut inline_scalars = [0; INLINE_ARGUMENTS];
        let (mut heap_addresses, mut heap_scalars);
        let addresses = if tensors.len() <= INLINE_ARGUMENTS {
            &mut inline_addresses[..tensors.len()]
        } else {
            heap_addresses = vec![std::ptr::null_mut(); tensors.len()];
            &mut heap_addresses[..]
        };
        for (address, &reg) in addresses.iter_mut().zip(tensors) {
            *address = self.tensor(frame, kernel, reg)?.data_ptr();
        }
        if matches!(fact, Fact::CheckOverlap) {
            self.check_overlap(frame, kernel, tensors)?;
        }
        let numbers = if scalars.len() <= INLINE_ARGUMENTS {
            &mut inline_scalars[..scalars.len()]
        } else {
            heap_scalars = vec![0; scalars.len()];
            &mut heap_scalars[..]
        };
        for ((number, scalar), &dtype) in numbers.iter_mut().zip(scalars).zip(&kernel.scalars) {
            *number = match scalar {
                Scalar::Dim(dim) => self.size(frame, *dim)?,
                Scalar::Reg(reg) => matching::scalar_bits(dtype, value(frame, *reg))
                    .map_err(|message| self.failed(format!("{}: {message}", self.kernel_name(kernel))))?,
            };
        }
        let entry = self.machine.code.kernel(index);
        let scratch_bytes = kernel.scratch_bytes as usize;
        // SAFETY: the program is trusted to pass what its kernel takes: the verifier compared the counts, the tensors
        // are contiguous, and what is written is writable and overlaps no other argument, by the verifier's and
        // `Prepared`'s proof or by `check_overlap`.
        let outcome = unsafe { frame.worker.call(entry, addresses, numbers, scratch_bytes) };
        outcome.map_err(|failure| failure.into_error(self.kernel_name(kernel)))
    }

    fn kernel_name(&self, kernel: &Kernel) -> &str {
        self.machine.program().kernel_name(kernel)
    }

    fn tensor<'f>(&self, frame: &'f Frame, kernel: &Kernel, reg: Reg) -> Result<&'f Tensor> {
        match value(frame, reg) {
            Value::Tensor(tensor) if tensor.is_contiguous() => Ok(tensor),
            Value::Tensor(_) => {
                let name = self.kernel_name(kernel);
                Err(self.failed(format!("kernel \"{name}\" is given a tensor that is not contiguous")))
            }
            other => {
                let (name, found) = (self.kernel_name(kernel), other.kind_name());
                Err(self.failed(format!("kernel \"{name}\" takes tensors, but is given {found}")))
            }
        }
    }

    /// What the kernel writes is writable, and shares no memory with another argument.
    fn check_overlap(&self, frame: &Frame, kernel: &Kernel, tensors: &[Reg]) -> Result<()> {
        for (i, &written) in tensors.iter().enumerate() {
            if kernel.tensors[i] == Access::Read {
                continue;
            }
            let tensor = self.tensor(frame, kernel, written)?;
            if tensor.is_read_only() {
                let (what, name) = (self.describe(i, written), self.kernel_name(kernel));
                return Err(self.failed(format!("{what} is read-only, but kernel \"{name}\" writes it")));
            }
            for (j, &other) in tensors.iter().enumerate().filter(|&(j, _)| j != i) {
                if tensor.overlaps(self.tensor(frame, kernel, other)?) {
                    let (written, other) = (self.describe(i, written), self.describe(j, other));
                    let name = self.kernel_name(kernel);
                    let message = format!(
                        "{written} and {other} share memory, but kernel \"{name}\" writes the first: \
                         pass a copy of one of them"
                    );
                    return Err(self.failed(message));
                }
            }
        }
        Ok(())
    }

    /// A kernel's argument in the user's words: the function's own argument where it is one.
    fn describe(&self, position: usize, reg: Reg) -> String {
        match self.function.params.get(reg.0 as usize) {
            Some(param) => format!("argument {} (\"{}\")", reg.0, param.name),
            None => format!("tensor {position} of the call"),
        }
    }

    fn call_packed(&self, frame: &mut Frame, dst: Option<Reg>, name: u32, args: &[Reg]) -> Result<()> {
        let args: Vec<_> = args.iter().map(|&reg| value(frame, reg).clone()).collect();
        let name_text = &self.machine.program().packed_names[name as usize];
        let function = match self.machine.packed[name as usize].get() {
            Some(function) => function,
            None => return Err(ErrorKind::MissingPacked { name: name_text.clone(), suggestion: None }.into()),
        };
        let result = function(&args).map_err(|error| error.in_packed(name_text))?;
        if let Some(dst) = dst {
            set(frame, dst, result);
        }
        Ok(())
    }

    fn alloc(&self, frame: &Frame, dtype: DataType, shape: &[Dim], storage: Storage, fact: &Fact) -> Result<Tensor> {
        let layout = match fact {
            Fact::Planned(index) => return Ok(frame.planned[*index].clone()),
            Fact::Layout(layout) => return Ok(self.machine.outputs.tensor(Arc::clone(layout))?),
            Fact::None | Fact::CheckOverlap => {
                let shape = shape.iter().map(|&dim| self.size(frame, dim)).collect::<Result<Vec<_>>>()?;
                Arc::new(Layout::compact(dtype, &shape).map_err(|error| self.failed(error.to_string()))?)
            }
        };
        match (storage, &frame.arena) {
            (Storage::Arena { offset, bytes }, Some(arena)) => {
                if layout.num_bytes() as u64 > bytes {
                    let (needed, shape) = (layout.num_bytes(), layout.shape());
                    let message = format!("a tensor of shape {shape:?} takes {needed} bytes, but {bytes} are planned");
                    return Err(self.failed(message));
                }
                Ok(arena.view_as(layout, offset as i64)?)
            }
            (Storage::Arena { .. } | Storage::Fresh, _) => Ok(self.machine.outputs.tensor(layout)?),
        }
    }

    fn item(&self, tuple: &Value, index: u32) -> Result<Value> {
        match tuple {
            Value::Tuple(items) => match items.get(index as usize) {
                Some(item) => Ok(item.clone()),
                None => Err(self.failed(format!("item {index} of a tuple with {} fields", items.len()))),
            },
            other => Err(self.failed(format!("item {index} of {}, expected a tuple", other.kind_name()))),
        }
    }

    fn size(&self, frame: &Frame, dim: Dim) -> Result<i64> {
        match dim {
            Dim::Const(size) => Ok(size),
            Dim::Slot(slot) => frame.slots[slot as usize].ok_or_else(|| {
                let name = &self.function.slots[slot as usize];
                self.failed(format!("the size {name} has no value"))
            }),
        }
    }

    fn compute(&self, dst: u32, op: DimOp, lhs: i64, rhs: i64) -> Result<i64> {
        let result = match op {
            DimOp::Add => lhs.checked_add(rhs),
            DimOp::Sub => lhs.checked_sub(rhs),
            DimOp::Mul => lhs.checked_mul(rhs),
            DimOp::FloorDiv => floor_div(lhs, rhs),
            DimOp::FloorMod => floor_div(lhs, rhs).map(|quotient| lhs - quotient * rhs),
            DimOp::Min => Some(lhs.min(rhs)),
            DimOp::Max => Some(lhs.max(rhs)),
        };
        result.ok_or_else(|| {
            let name = &self.function.slots[dst as usize];
            let reason = match op {
                DimOp::FloorDiv | DimOp::FloorMod if rhs == 0 => "divides by zero",
                _ => "overflows 64 bits",
            };
            self.failed(format!("the size {name}, computed from {lhs} and {rhs}, {reason}"))
        })
    }

    fn condition(&self, value: &Value) -> Result<bool> {
        let wrong = |found: &str| self.failed(format!("a condition is {found}, expected a bool"));
        match value {
            Value::Bool(value) => Ok(*value),
            Value::Int(value) => Ok(*value != 0),
            Value::Tensor(tensor) if tensor.num_elements() == 1 => match tensor.as_slice::<bool>() {
                Ok(elements) => Ok(elements.contains(&true)),
                Err(error) => Err(wrong(&format!("a tensor that cannot be read: {error}"))),
            },
            other => Err(wrong(other.kind_name())),
        }
    }
}

/// Rounds towards minus infinity; nothing if the result does not exist.
fn floor_div(lhs: i64, rhs: i64) -> Option<i64> {
    let quotient = lhs.checked_div(rhs)?;
    let rounded_up = lhs % rhs != 0 && (lhs < 0) != (rhs < 0);
    Some(quotient - i64::from(rounded_up))
}

fn value(frame: &Frame, reg: Reg) -> &Value {
    &frame.registers[reg.0 as usize]
}

fn set(frame: &mut Frame, reg: Reg, value: Value) {
    frame.registers[reg.0 as usize] = value;
}

fn literal(value: &Literal) -> Value {
    match value {
        Literal::None => Value::None,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Float(value) => Value::Float(*value),
        Literal::Str(text) => Value::Str(text.as_str().into()),
        Literal::DataType(dtype) => Value::DataType(*dtype),
    }
}
