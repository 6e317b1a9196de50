//! Running a function: the loop over its instructions.
//!
//! The program is verified: indices are in range, registers and slots that are read were written, jumps go forward.

use std::sync::Arc;

use tilewright_support::with_stack;
use tilewright_tensor::{DataType, Layout, Tensor};
use tilewright_vm_program::{Dim, Function, Instruction, Literal, MAX_NESTING, Reg, ScalarOp, Storage};

use crate::call_depth::Level;
use crate::device::run::DeviceRun;
use crate::error::{Error, ErrorKind, Result};
use crate::instrument::{self, CallKind, Instrument};
use crate::machine::{self, LoadedExecutable};
use crate::matching::{self, MatchCx};
use crate::prepare::{Fact, Frame};
use crate::scalar;
use crate::value::{Tuple, Value};

/// What all functions of a run have in common.
#[derive(Clone, Copy)]
pub(crate) struct RunCx<'a> {
    pub(crate) machine: &'a Arc<LoadedExecutable>,
    /// Who watches the calls.
    pub(crate) observer: Option<&'a Instrument>,
    /// What the run asks devices for; none where all devices are the host.
    pub(crate) devices: Option<&'a DeviceRun>,
}

impl RunCx<'_> {
    /// Calls a function with values that are checked first: those captured, then the arguments.
    pub(crate) fn call(self, index: u32, captured: &[Value], args: &[Value]) -> Result<Value> {
        let fill = |registers: &mut [Value]| {
            let (first, rest) = registers.split_at_mut(captured.len());
            first.clone_from_slice(captured);
            rest.clone_from_slice(args);
        };
        // The caller may be a function of the process that a program called: such a recursion has its bound here.
        with_stack(|| self.enter(index, captured.len(), args.len(), fill))
    }

    /// Runs a function whose first registers `fill` writes: as many as there are captured values and arguments.
    fn enter(self, index: u32, captured: usize, args: usize, fill: impl FnOnce(&mut [Value])) -> Result<Value> {
        let function = &self.machine.program().functions[index as usize];
        let count = captured + args;
        if count != function.params.len() {
            // More values may be bound to a function than it takes.
            let given = if captured > function.params.len() { 0 } else { captured };
            let expected = function.params.iter().skip(given).map(|param| param.name.clone()).collect();
            let function = function.name.clone();
            return Err(ErrorKind::ArgumentCount { function, expected, found: count - given }.into());
        }
        let _level = Level::enter(&function.name)?;
        let prepared = &self.machine.functions[index as usize];
        let mut frame = prepared.frame(function)?;
        let run = Run { cx: self, function, captured, facts: &prepared.facts };
        let inside = &mut *frame;
        fill(&mut inside.registers[..count]);
        let outcome = match run.matching().arguments(&inside.registers[..count], &mut inside.slots) {
            Ok(()) => run.instructions(inside),
            Err(error) => Err(error),
        };
        match self.devices {
            None => prepared.give_back(frame, self.observer.is_some()),
            Some(devices) => devices.keep(index, frame),
        }
        outcome
    }
}

fn failed(function: &Function, message: String) -> Error {
    ErrorKind::Run { function: function.name.clone(), message }.into()
}

/// A function that is running.
pub(crate) struct Run<'a> {
    pub(crate) cx: RunCx<'a>,
    pub(crate) function: &'a Function,
    /// How many of its first registers a closure gave.
    pub(crate) captured: usize,
    facts: &'a [Fact],
}

impl Run<'_> {
    fn instructions(&self, frame: &mut Frame) -> Result<Value> {
        let mut next = 0;
        loop {
            let at = next;
            next += 1;
            match self.step(frame, at, &mut next) {
                Ok(None) => {}
                Ok(Some(result)) => return Ok(result),
                Err(error) => return Err(error.at(|| self.place(at))),
            }
        }
    }

    /// Where the instruction came from.
    fn place(&self, instruction: usize) -> Option<String> {
        let origin = self.function.origin(instruction)?;
        let file = self.cx.machine.program().files.get(origin.file as usize)?;
        Some(format!("{file}:{}", origin.line))
    }

    /// Does one instruction; gives the function's result if it ends with it.
    #[inline]
    fn step(&self, frame: &mut Frame, at: usize, next: &mut usize) -> Result<Option<Value>> {
        match &self.function.instructions[at] {
            Instruction::CallKernel { kernel, tensors, scalars } => {
                self.call_kernel(frame, *kernel, tensors, scalars, &self.facts[at])?;
            }
            Instruction::CallPacked { dst, name, args } => {
                let result = self.call_packed(frame, *name, args)?;
                if let Some(dst) = dst {
                    set(frame, *dst, result);
                }
            }
            Instruction::CallFunction { dst, function, args } => {
                let result = self.call_function(frame, *function, args)?;
                set(frame, *dst, result);
            }
            Instruction::CallClosure { dst, callee, args } => {
                let result = self.call_closure(frame, *callee, args)?;
                set(frame, *dst, result);
            }
            Instruction::MakeClosure { dst, function, captured } => {
                let captured = self.nested(values(frame, captured).into_iter().collect())?;
                let closure = machine::Function::new(Arc::clone(self.cx.machine), *function, captured);
                set(frame, *dst, Value::Closure(closure));
            }
            Instruction::LoadPacked { dst, name } => {
                let function = self.cx.machine.packed(*name)?;
                set(frame, *dst, Value::Function(function));
            }
            Instruction::AllocTensor { dst, .. } | Instruction::LoadConst { dst, .. }
                if self.is_kept(frame, at, *dst) => {}
            Instruction::AllocTensor { dst, .. } => {
                let tensor = self.alloc(frame, &self.function.instructions[at], &self.facts[at])?;
                set(frame, *dst, Value::Tensor(tensor));
            }
            Instruction::LoadConst { dst, constant, device } => {
                let constant = self.cx.machine.constant(*constant, *device)?;
                set(frame, *dst, Value::Tensor(constant));
            }
            Instruction::LoadLiteral { dst, value } => set(frame, *dst, literal(value)),
            Instruction::MakeTuple { dst, items } => {
                let tuple = self.nested(items.iter().map(|&reg| value(frame, reg).clone()).collect())?;
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
            Instruction::Match { value, kind, label } => {
                let value = &frame.registers[value.0 as usize];
                self.matching()
                    .labelled(kind, value, label, &mut frame.slots)
                    .map_err(|message| self.failed(message))?;
            }
            Instruction::Compute { dst, op, dtype, args } => {
                frame.slots[*dst as usize] = Some(self.compute(frame, *dst, *op, *dtype, args)?);
            }
            Instruction::MakeScalar { dst, dtype, value } => {
                let number = self.size(frame, *value)?;
                let scalar = matching::value_of(*dtype, number).map_err(|message| self.failed(message))?;
                set(frame, *dst, scalar);
            }
            Instruction::Copy { dst, src, device } => {
                let copied = self.cx.copy(value(frame, *src), *device)?;
                set(frame, *dst, copied);
            }
            Instruction::CopyTo { target, src } => self.cx.copy_to(value(frame, *target), value(frame, *src))?,
            Instruction::Sync => self.cx.wait()?,
            // What is kept is there for the next run.
            Instruction::Kill { .. } if matches!(self.facts[at], Fact::Kept) => {}
            Instruction::Kill { reg } => set(frame, *reg, Value::None),
            Instruction::If { cond, otherwise } => {
                if !self.condition(value(frame, *cond))? {
                    *next = *otherwise as usize;
                }
            }
            Instruction::Goto { target } => *next = *target as usize,
            Instruction::Ret { value } => return Ok(Some(std::mem::take(&mut frame.registers[value.0 as usize]))),
        }
        Ok(None)
    }

    pub(crate) fn failed(&self, message: String) -> Error {
        failed(self.function, message)
    }

    fn matching(&self) -> MatchCx<'_> {
        MatchCx { function: self.function, captured: self.captured, devices: &self.cx.machine.devices }
    }

    /// The tuple, unless it is nested deeper than anyone can handle.
    fn nested(&self, tuple: Tuple) -> Result<Tuple> {
        match tuple.depth() <= MAX_NESTING {
            true => Ok(tuple),
            false => Err(self.failed(format!("a value is nested deeper than {MAX_NESTING} levels"))),
        }
    }

    fn call_function(&self, frame: &Frame, index: u32, args: &[Reg]) -> Result<Value> {
        let call = || {
            with_stack(|| {
                self.cx.enter(index, 0, args.len(), |registers| {
                    for (register, &arg) in registers.iter_mut().zip(args) {
                        register.clone_from(value(frame, arg));
                    }
                })
            })
        };
        let name = &self.cx.machine.program().functions[index as usize].name;
        instrument::around(self.cx.observer, CallKind::Function, name, || Ok(values(frame, args)), call)
    }

    fn call_closure(&self, frame: &Frame, callee: Reg, args: &[Reg]) -> Result<Value> {
        match value(frame, callee) {
            Value::Closure(closure) if Arc::ptr_eq(closure.machine(), self.cx.machine) => {
                let captured = closure.captured();
                let call = || {
                    with_stack(|| {
                        self.cx.enter(closure.index(), captured.len(), args.len(), |registers| {
                            let (first, rest) = registers.split_at_mut(captured.len());
                            first.clone_from_slice(captured);
                            for (register, &arg) in rest.iter_mut().zip(args) {
                                register.clone_from(value(frame, arg));
                            }
                        })
                    })
                };
                let kind = CallKind::Function;
                instrument::around(self.cx.observer, kind, closure.name(), || Ok(values(frame, args)), call)
            }
            function @ (Value::Closure(_) | Value::Function(_)) => {
                let args = values(frame, args);
                let call =
                    || self.cx.call_outside(function, &args).map_err(|error| error.in_packed("a function value"));
                let kind = CallKind::Packed;
                instrument::around(self.cx.observer, kind, "a function value", || Ok(args.clone()), call)
            }
            other => Err(self.failed(format!("{} is called, expected a function", other.kind_name()))),
        }
    }

    fn call_packed(&self, frame: &Frame, name: u32, args: &[Reg]) -> Result<Value> {
        let args = values(frame, args);
        let text = &self.cx.machine.program().packed_names[name as usize];
        let function = self.cx.machine.packed(name)?;
        let call = || function(&args).map_err(|error| error.in_packed(text));
        instrument::around(self.cx.observer, CallKind::Packed, text, || Ok(args.clone()), call)
    }

    /// The tensor of an [`Instruction::AllocTensor`].
    fn alloc(&self, frame: &Frame, instruction: &Instruction, fact: &Fact) -> Result<Tensor> {
        let Instruction::AllocTensor { dtype, shape, storage, device, .. } = instruction else {
            return Err(self.failed("no tensor is allocated here".to_owned()));
        };
        let layout = match fact {
            Fact::Planned(index) | Fact::KeptPlanned(index) => return Ok(frame.planned[*index].clone()),
            Fact::Layout(layout) => return self.cx.machine.tensor(*device, Arc::clone(layout)),
            Fact::None | Fact::Kept | Fact::Kernel(_) => {
                let shape = shape.iter().map(|&dim| self.size(frame, dim)).collect::<Result<Vec<_>>>()?;
                Arc::new(Layout::compact(*dtype, &shape).map_err(|error| self.failed(error.to_string()))?)
            }
        };
        match (*storage, &frame.arena) {
            (Storage::Arena { offset, bytes }, Some(arena)) => {
                if layout.num_bytes() as u64 > bytes {
                    let (needed, shape) = (layout.num_bytes(), layout.shape());
                    let message = format!("a tensor of shape {shape:?} takes {needed} bytes, but {bytes} are planned");
                    return Err(self.failed(message));
                }
                Ok(arena.view_as(layout, offset as i64)?)
            }
            (Storage::Arena { .. } | Storage::Fresh, _) => self.cx.machine.tensor(*device, layout),
        }
    }

    /// Whether the register has what the instruction writes to it from an earlier run.
    fn is_kept(&self, frame: &Frame, instruction: usize, dst: Reg) -> bool {
        matches!(self.facts[instruction], Fact::Kept | Fact::KeptPlanned(_))
            && !matches!(value(frame, dst), Value::None)
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

    pub(crate) fn size(&self, frame: &Frame, dim: Dim) -> Result<i64> {
        match dim {
            Dim::Const(size) => Ok(size),
            Dim::Slot(slot) => frame.slots[slot as usize].ok_or_else(|| {
                let name = &self.function.slots[slot as usize];
                self.failed(format!("the size {name} has no value"))
            }),
        }
    }

    fn compute(&self, frame: &Frame, dst: u32, op: ScalarOp, dtype: DataType, args: &[Dim]) -> Result<i64> {
        let mut numbers = [0; 3];
        for (number, &arg) in numbers.iter_mut().zip(args) {
            *number = self.size(frame, arg)?;
        }
        let numbers = &numbers[..args.len().min(3)];
        scalar::compute(op, dtype, numbers).map_err(|fault| {
            let name = &self.function.slots[dst as usize];
            let from = match dtype.is_float() {
                true => numbers.iter().map(|&n| format!("{:?}", scalar::float(n))).collect::<Vec<_>>(),
                false => numbers.iter().map(i64::to_string).collect(),
            };
            self.failed(format!("the size {name}, computed from {}, {}", from.join(" and "), fault.describe(dtype)))
        })
    }

    fn condition(&self, value: &Value) -> Result<bool> {
        let wrong = |found: &str| self.failed(format!("a condition is {found}, expected a bool"));
        match value {
            Value::Bool(value) => Ok(*value),
            Value::Int(value) => Ok(*value != 0),
            Value::Tensor(tensor) if tensor.ndim() == 0 => match tensor.as_slice::<bool>() {
                Ok(elements) => Ok(elements.contains(&true)),
                Err(error) => Err(wrong(&format!("a tensor that cannot be read: {error}"))),
            },
            Value::Tensor(tensor) => Err(wrong(&format!("a tensor of shape {:?}", tensor.shape()))),
            other => Err(wrong(other.kind_name())),
        }
    }
}

pub(crate) fn value(frame: &Frame, reg: Reg) -> &Value {
    &frame.registers[reg.0 as usize]
}

fn values(frame: &Frame, regs: &[Reg]) -> Vec<Value> {
    regs.iter().map(|&reg| value(frame, reg).clone()).collect()
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
